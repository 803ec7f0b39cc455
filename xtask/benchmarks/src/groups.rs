//! The table of all lines: their measurements, sides and targets.

mod embeddings;

use anyhow::Result;

use crate::{
    comparison::{Comparison, Line, Other, Row, Target, Turn},
    criterion::Criterion,
    peers::Script,
    side::{Effort, Side},
};
use Other::{Bare, Nothing, Peer};
use Target::{AtLeast, AtMost, Speed, Time, Unset};

/// Sides that take turns.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) sides: Vec<Side>,
    pub(crate) lines: Vec<Line>,
    /// Only if the user names one of its lines.
    pub(crate) on_request: bool,
    pub(crate) turns: usize,
}

pub(crate) fn all() -> Vec<Group> {
    vec![
        prompts(),
        calls(),
        start(),
        vectors(),
        many_vectors(),
        graphs(),
        many_graphs(),
        embeddings::group(),
        index(),
        index_embedded(),
        web(),
        chat(),
        mcp(),
        compose(),
        plans(),
        serve(),
        crates(),
        first_command(),
    ]
}

fn prompts() -> Group {
    let bench = Criterion {
        package: "textsearch-prompt",
        bench: "render",
        filter: "^(rag-template|inline-search),",
    };
    let sides = vec![Side::Criterion(bench), semantic_kernel("sk_prompts.py")];
    let rag = "seed's Handlebars RAG template, 10 results";
    let plain = "rag-template, 10 results/ours, plain";
    let chat = "rag-template, 10 results/ours, chat with parsing";
    let bare_plain = Bare {
        name: "rag-template, 10 results/bare handlebars, plain",
        label: "bare `handlebars`",
    };
    let bare_chat = Bare {
        name: "rag-template, 10 results/bare handlebars, chat",
        label: "bare `handlebars`, escaping",
    };
    let by_hand = Bare { name: "inline-search, 10 results/by hand", label: "by hand" };
    let search = "inline-search, 10 results/ours";
    let inline = "`{{SearchPlugin.Search $query}}. {{$query}}`, 10 results";
    let lines = vec![
        line("rag-template", rag, plain, bare_plain, Speed(0.7)),
        line("rag-template", rag, plain, Peer("rag-template"), Speed(6.0)),
        line(
            "rag-template",
            "the same as a chat prompt: escaped, parsed",
            chat,
            bare_chat,
            Speed(0.7),
        ),
        line("inline-search", inline, search, by_hand, Speed(0.55)),
        line("inline-search", inline, search, Peer("inline-search"), Speed(40.0)),
    ];
    group("prompts", sides, lines)
}

fn calls() -> Group {
    let filter =
        "^(invoke a native function|search, 10 (texts|results)$|tool call|plugin with Search$)";
    let bench = Criterion { package: "textsearch-kernel", bench: "invoke", filter };
    let counted = program("textsearch-kernel", "allocations");
    let sides = vec![Side::Criterion(bench), counted, semantic_kernel("sk_functions.py")];
    let native = "tool call of a native function";
    let tool = "tool call of a search, 10 texts";
    let timed = |work, ours, peer, speed| line("call", work, ours, Peer(peer), Speed(speed));
    let allocations = |ours, max| line("call", "the same, allocations", ours, Nothing, AtMost(max));
    let lines = vec![
        timed("call of a native function", "invoke a native function", "native", 50.0),
        allocations("invoke a native function, allocations", 6.0),
        timed("call of a search, 10 texts", "search, 10 texts", "texts", 60.0),
        allocations("search, 10 texts, allocations", 10.0),
        timed("call of a search, 10 results", "search, 10 results", "results", 60.0),
        allocations("search, 10 results, allocations", 10.0),
        timed("JSON tool call of a native function", native, "tool call, native", 60.0),
        timed("JSON tool call of a search, 10 texts", tool, "tool call, texts", 60.0),
        allocations("tool call of a search, 10 texts, allocations", 15.0),
        line(
            "call",
            "plugin from a text search",
            "plugin with Search",
            Peer("plugin"),
            AtMost(3e-6),
        ),
    ];
    group("calls of functions", sides, lines)
}

fn start() -> Group {
    let bench = program("examples", "first_search");
    let sides = vec![bench, semantic_kernel("sk_start.py")];
    let work = "process start to the first search over a snapshot";
    let memory = "the same: peak of memory";
    let bare = |name| Bare { name, label: "a process that does nothing" };
    let lines = vec![
        line("start", work, "first search", Peer("import"), AtMost(15e-3)),
        line("start", work, "first search", bare("nothing"), AtMost(15e-3)),
        line("start", memory, "first search, memory", Peer("import, memory"), AtMost(12e6)),
        line("start", memory, "first search, memory", bare("nothing, memory"), AtMost(12e6)),
    ];
    group("start of a process", sides, lines)
}

fn vectors() -> Group {
    let bench = Criterion { package: "textsearch-vector-inmemory", bench: "vectors", filter: " 1" };
    let libraries = script("vectors.py", "vectors");
    let sides =
        vec![Side::Criterion(bench), Side::Peer(libraries), semantic_kernel("sk_vectors.py")];
    let work = "exact cosine top 10, 100,000 × 384, one thread";
    let large = "exact/all 100000 x 384 top 10";
    let small = "exact/all 10000 x 384 top 10";
    let batch = "exact/64 queries 100000 x 384 top 10";
    let kept = |name, share| {
        let all = Bare { name: large, label: "the same without a filter" };
        line("filtered", "the same with a filter", name, all, Time(share))
    };
    let lines = vec![
        line(
            "exact",
            "exact cosine top 10, 10,000 × 384, one thread",
            small,
            Peer("10,000"),
            Unset,
        ),
        line("exact", work, large, Peer("100,000, NumPy"), Time(0.2)),
        line("exact", work, large, Peer("100,000, FAISS"), Time(0.2)),
        line("batch", "64 queries at once", batch, Peer("64 queries, NumPy"), Time(0.4)),
        line(
            "two-threads",
            "the same on two threads",
            "exact/two threads 100000 x 384 top 10",
            Bare { name: large, label: "one thread" },
            Speed(1.7),
        ),
        kept("exact/10 % 100000 x 384 top 10", 0.20),
        kept("exact/1 % 100000 x 384 top 10", 0.05),
        kept("exact/0.1 % 100000 x 384 top 10", 0.02),
        line(
            "upsert",
            "upsert of 100,000 × 384 in batches of 1,000",
            "upsert vectors/100000 x 384 in batches of 1000",
            Peer("upsert of 100,000"),
            AtMost(100_000.0 / 300_000.0),
        ),
    ];
    group("vectors", sides, lines)
}

fn many_vectors() -> Group {
    let bench =
        Criterion { package: "textsearch-vector-inmemory", bench: "vectors", filter: "1000000" };
    let libraries = script("vectors_many.py", "vectors");
    let all = "exact/all 1000000 x 384 top 10";
    let single_thread = Bare { name: all, label: "one thread" };
    let two_threads = "exact/two threads 1000000 x 384 top 10";
    let work = "exact cosine top 10, 1,000,000 × 384, one thread";
    let lines = vec![
        line("exact-million", work, all, Peer("1,000,000, NumPy"), Time(0.2)),
        line("exact-million", "the same on two threads", two_threads, single_thread, Speed(1.7)),
        line("snapshot", "snapshot of 1,000,000 × 384: opened", OPEN, Nothing, AtMost(0.05)),
    ];
    let sides = vec![Side::Criterion(bench), Side::Peer(libraries)];
    Group { on_request: true, ..group("many vectors", sides, lines) }
}

const OPEN: &str = "snapshot/open 1000000 x 384";

/// Takes minutes.
fn graphs() -> Group {
    let search = "approximate cosine top 10 at recall 0.995, 100,000 × 384 clustered, one thread";
    let build = "the same: built by two threads";
    let exact = Bare { name: "approximate, exact", label: "exact" };
    let lines = vec![
        // The target names this library; the other rows are for reference.
        line("approximate", search, "approximate, search", Peer("Hnswlib, search"), Speed(1.1)),
        line("approximate", search, "approximate, search", Peer("Faiss, search"), Unset),
        line("approximate", search, "approximate, search", Peer("Usearch, search"), Unset),
        line("approximate", "the same: recall", "approximate, recall", Nothing, AtLeast(RECALL)),
        line("approximate", "the same, default parameters", "approximate, default", exact, Unset),
        line(
            "approximate",
            "the same: recall",
            "approximate, default, recall",
            Nothing,
            AtLeast(0.99),
        ),
        line("approximate", build, "approximate, build", Peer("Hnswlib, build"), Speed(1.0)),
        line("approximate", build, "approximate, build", Peer("Faiss, build"), Unset),
        line("approximate", build, "approximate, build", Peer("Usearch, build"), Unset),
        line(
            "approximate",
            "vectors without structure: time",
            "approximate, Gaussian",
            Nothing,
            Unset,
        ),
        line(
            "approximate",
            "the same: recall",
            "approximate, Gaussian, recall",
            Nothing,
            AtLeast(1.0),
        ),
    ];
    let group = group("graphs", approximate(None), lines);
    Group { on_request: true, turns: 1, ..group }
}

/// Takes a quarter of an hour.
fn many_graphs() -> Group {
    let search = "approximate cosine top 10 at recall 0.995, 1,000,000 × 384 clustered, one thread";
    let build = "the same: built by two threads";
    let exact = Bare { name: "approximate-million, exact", label: "exact" };
    let lines = vec![
        line(
            "approximate-million",
            search,
            "approximate-million, search",
            Peer("Hnswlib, search"),
            Speed(1.1),
        ),
        line(
            "approximate-million",
            "the same: recall",
            "approximate-million, recall",
            Nothing,
            AtLeast(RECALL),
        ),
        line(
            "approximate-million",
            "the same, default parameters",
            "approximate-million, default",
            exact,
            Unset,
        ),
        line(
            "approximate-million",
            "the same: recall",
            "approximate-million, default, recall",
            Nothing,
            AtLeast(0.99),
        ),
        line(
            "approximate-million",
            build,
            "approximate-million, build",
            Peer("Hnswlib, build"),
            Speed(1.0),
        ),
    ];
    let group = group("graphs of many", approximate(Some("--many")), lines);
    Group { on_request: true, turns: 1, ..group }
}

fn approximate(argument: Option<&'static str>) -> Vec<Side> {
    let package = "textsearch-vector-inmemory";
    let ours = Side::Program { package, bench: "approximate", features: "hnsw", argument };
    vec![ours, Side::Peer(Script { argument, ..script("graphs.py", "graphs") })]
}

/// The recall at which the libraries' times are compared.
const RECALL: f64 = 0.995;

fn index() -> Group {
    let name = "index/chunk, full text, store";
    let bench = Criterion { package: "textsearch-documents", bench: "chunk", filter: name };
    let work = "Markdown chunked, indexed for full text and stored";
    let memory = program("textsearch-documents", "memory");
    let times = "the same: memory, times the text";
    let lines = vec![
        line("index", work, "index/chunk, full text, store, bytes", Nothing, AtLeast(30e6)),
        line("index", times, "memory, times the text", Nothing, AtMost(2.5)),
    ];
    group("documents", vec![Side::Criterion(bench), memory], lines)
}

/// Takes minutes.
fn index_embedded() -> Group {
    let bare = Bare { name: "index-embedded, bare model", label: "the bare model" };
    let work = "this repository's guides read, cut, embedded by all-MiniLM-L6-v2 and stored";
    let lines = vec![line("index-embedded", work, "index-embedded, index", bare, Speed(0.9))];
    let sides = vec![Side::Program {
        package: "examples",
        bench: "index_embedded",
        features: "local-embeddings",
        argument: None,
    }];
    Group { on_request: true, turns: 1, ..group("embedded documents", sides, lines) }
}

fn web() -> Group {
    let bench = program("textsearch-brave", "search");
    let sides = vec![bench, semantic_kernel("sk_web.py")];
    let bare = |name| Bare { name, label: "bare `reqwest` and `serde_json`" };
    let work = "web search over loopback, one after another";
    let lines = vec![
        line("web-search", work, "web-search", bare("web-search, bare"), Speed(0.9)),
        line("web-search", work, "web-search", Peer("Brave"), Unset),
        line("web-search", work, "web-search", Peer("Google"), Unset),
        line(
            "web-concurrent",
            "web search over loopback, 64 at once",
            "web-concurrent",
            bare("web-concurrent, bare"),
            Speed(0.9),
        ),
        line(
            "web-limits",
            "a body of 100 MB: error after",
            "web-limits, body",
            Nothing,
            AtMost(0.1),
        ),
        line(
            "web-limits",
            "a body of 100 MB: memory over the limit",
            "web-limits, body, memory over the limit",
            Nothing,
            AtMost(8e6),
        ),
        line(
            "web-limits",
            "a gzip bomb of 10 GB: error after",
            "web-limits, bomb",
            Nothing,
            AtMost(0.1),
        ),
        line(
            "web-limits",
            "a gzip bomb of 10 GB: memory over the limit",
            "web-limits, bomb, memory over the limit",
            Nothing,
            AtMost(8e6),
        ),
    ];
    group("web connectors", sides, lines)
}

fn chat() -> Group {
    let sides = vec![program("examples", "function_calling")];
    let lines = vec![
        line(
            "tool-round",
            "question to answer, over two HTTP exchanges",
            "tool-round",
            Nothing,
            AtMost(100e-6),
        ),
        line("tool-memory", "memory after 10,000 rounds", "tool-memory", Nothing, AtMost(1e6)),
    ];
    group("function calling", sides, lines)
}

fn mcp() -> Group {
    let peer = Side::Peer(script("mcp_fast.py", "mcp"));
    let sides = vec![program("textsearch-mcp", "stdio"), peer];
    let call = "tool call of a search over stdio, 10 results";
    let start = "start of the server to its first result";
    let lines = vec![
        line("mcp", call, "tool call", Peer("tool call, FastMCP"), AtMost(1.0 / 3_000.0)),
        line("mcp", start, "cold start", Peer("cold start, FastMCP"), AtMost(50e-3)),
    ];
    group("MCP", sides, lines)
}

fn compose() -> Group {
    let bench = Side::Program {
        package: "textsearch-compose",
        bench: "layers",
        features: "cache,rate-limit",
        argument: None,
    };
    let plain = |work, ours, target| line("compose", work, ours, Nothing, target);
    let layer = |work, ours| plain(work, ours, AtMost(2.2e-6));
    let lines = vec![
        plain("search of 10 results in memory", "compose, inside", Unset),
        layer("added by time limits", "compose, time limits"),
        layer("added by a fallback", "compose, fallback"),
        layer("added by a rate limit", "compose, rate limit"),
        layer("added by a reranker that takes no time", "compose, reranker"),
        layer("added by a cache to a first search", "compose, cache, first search"),
        plain("added by a fan-out to two of them", "compose, fan-out", AtMost(7e-6)),
        plain("a result from the cache", "compose, cached result", AtMost(1e-6)),
    ];
    group("wrappers", vec![bench], lines)
}

fn plans() -> Group {
    let plain = |work, ours, target| line("plan", work, ours, Nothing, target);
    let lines = vec![
        plain("check of a plan of 20 steps, 100 functions", "plan, check", AtMost(200e-6)),
        plain("added to each call by a run", "plan, added by a step", AtMost(3e-6)),
    ];
    group("plans", vec![program("textsearch-plan", "plans")], lines)
}

fn serve() -> Group {
    let bare = Bare { name: "search request, bare axum", label: "bare `axum`" };
    let work = "`POST /v1/search` over 64 connections, 10 results";
    let added = |work, ours| line("serve", work, ours, Nothing, AtMost(60e-6));
    let flooded = "the same while another tenant sends 200 writes of 1 MiB a second";
    let lines = vec![
        line("serve", work, "search request", bare, Speed(0.8)),
        line("serve", flooded, "search request, flooded", bare, Speed(0.5)),
        added("added by a JWT seen before", "search request, added by a known JWT"),
        added("added by a new JWT of a known key, ES256", "search request, added by a new JWT"),
    ];
    let sides = ["search", "tokens"].map(|bench| program("textsearch-server", bench));
    group("server", sides.into(), lines)
}

fn crates() -> Group {
    let line = |work, ours, max| line("crates", work, ours, Nothing, AtMost(max));
    let lines = vec![
        line("crates compiled: core", "crates, core", 35.0),
        line("crates compiled: in-memory store", "crates, in-memory", 60.0),
        line("crates compiled: kernel and prompt", "crates, kernel and prompt", 75.0),
        line("crates compiled: one web connector", "crates, one web connector", 125.0),
    ];
    group("crates", vec![Side::CrateCounts], lines)
}

fn first_command() -> Group {
    let work = "README's first command in a new clone";
    let lines = vec![line("first-command", work, "first command", Nothing, AtMost(210.0))];
    // Each turn builds and downloads everything again.
    let group = group("first command", vec![Side::FirstCommand], lines);
    Group { on_request: true, turns: 1, ..group }
}

fn group(name: &'static str, sides: Vec<Side>, lines: Vec<Line>) -> Group {
    Group { name, sides, lines, on_request: false, turns: 5 }
}

fn line(
    id: &'static str,
    work: &'static str,
    ours: &'static str,
    other: Other,
    target: Target,
) -> Line {
    Line { id, work, ours, other, target }
}

fn program(package: &'static str, bench: &'static str) -> Side {
    Side::Program { package, bench, features: "", argument: None }
}

fn script(file: &'static str, requirements: &'static str) -> Script {
    Script { file, requirements, argument: None }
}

fn semantic_kernel(file: &'static str) -> Side {
    Side::Peer(script(file, "semantic-kernel"))
}

impl Group {
    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.lines.iter().map(|line| line.id)
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = Row<'static>> {
        self.lines.iter().map(|line| (line.id, line.ours))
    }

    /// Without names, keeps all lines, unless the group is measured on request only.
    pub(crate) fn keep(&mut self, names: &[String]) {
        let on_request = self.on_request;
        self.lines.retain(|line| match names {
            [] => !on_request,
            names => names.iter().any(|name| name == line.id),
        });
    }

    /// Also removes the lines whose target is a ratio to a peer.
    pub(crate) fn leave_out_peers(&mut self) {
        self.sides.retain(|side| !side.is_peer());
        self.lines.retain(|line| !line.is_with_peer() || !line.target.is_a_ratio());
        for line in self.lines.iter_mut().filter(|line| line.is_with_peer()) {
            line.other = Nothing;
        }
    }

    pub(crate) fn prepare(&self, effort: Effort) -> Result<()> {
        self.sides.iter().try_for_each(|side| side.prepare(effort))
    }

    /// Each turn starts with a different side.
    pub(crate) fn compare(&self, effort: Effort, turns: usize) -> Result<Vec<Comparison>> {
        let turns: Vec<Turn> =
            (0..turns).map(|turn| self.turn(effort, turn)).collect::<Result<_>>()?;
        self.lines.iter().map(|line| line.compare(&turns)).collect()
    }

    fn turn(&self, effort: Effort, number: usize) -> Result<Turn> {
        let mut measured = Turn::new();
        let mut sides = self.sides.clone();
        sides.rotate_left(number % self.sides.len().max(1));
        for side in sides {
            let measurements = side.measure(effort)?;
            measured.extend(
                measurements.into_iter().map(|measurement| (measurement.name.clone(), measurement)),
            );
        }
        Ok(measured)
    }
}
