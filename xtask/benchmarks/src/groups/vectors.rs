//! The lines of the vector stores in memory and on disk.

use crate::{
    comparison::{Other, Target},
    criterion::Criterion,
    group::{Group, group, line, script, semantic_kernel},
    peers::Script,
    side::Side,
};
use Other::{Bare, Nothing, Peer};
use Target::{AtLeast, AtMost, Speed, Time, Unset};

pub(super) fn exact() -> Group {
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

pub(super) fn many_vectors() -> Group {
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
    ];
    let sides = vec![Side::Criterion(bench), Side::Peer(libraries)];
    Group { on_request: true, ..group("many vectors", sides, lines) }
}

/// Takes two minutes, and 6 GB of disk.
pub(super) fn disk() -> Group {
    let package = "textsearch-vector-inmemory";
    let ours = Side::Program { package, bench: "disk", features: "", argument: Some("--many") };
    let memory = Bare { name: "disk, search in memory", label: "in memory" };
    let resident = Bare { name: "disk, searched in memory, memory", label: "in memory" };
    let only = |work, name, target| line("disk", work, name, Nothing, target);
    let lines = vec![
        only("store on disk, 1,000,000 × 384 with texts: opened", "disk, opened", AtMost(0.05)),
        line("disk", "the same: exact cosine top 10", "disk, search", memory, Time(1.5)),
        line(
            "disk",
            "the same: resident memory after it",
            "disk, searched, memory",
            resident,
            AtMost(0.45e9),
        ),
        only("the same: first search, which reads codes", "disk, search, first", Unset),
        only("the same: full text, two words", "disk, full text", Unset),
        only("the same: upsert of a record", "disk, upsert with texts, a record", Unset),
        only(
            "the same: peak of memory while written",
            "disk, written, peak of memory",
            AtMost(1e9),
        ),
    ];
    Group { on_request: true, turns: 1, ..group("store on disk", vec![ours], lines) }
}

/// Takes minutes.
pub(super) fn graphs() -> Group {
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
pub(super) fn many_graphs() -> Group {
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
