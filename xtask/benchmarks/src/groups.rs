//! The table of all lines: their measurements, sides and targets.

mod embeddings;
mod vectors;

pub(crate) use crate::group::Group;
use crate::{
    comparison::{Other, Target},
    criterion::Criterion,
    group::{group, line, program, script, semantic_kernel},
    side::Side,
};
use Other::{Bare, Nothing, Peer};
use Target::{AtLeast, AtMost, Speed, Unset};
use vectors::{disk, graphs, many_graphs, many_vectors};

pub(crate) fn all() -> Vec<Group> {
    vec![
        prompts(),
        calls(),
        start(),
        vectors::exact(),
        many_vectors(),
        disk(),
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
