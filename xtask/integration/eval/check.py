"""Computes the figures of an evaluation once more, with trec_eval by way of ir_measures: a check by a party other than us.

Run by `cargo xtask integration eval`, which installs ir_measures and passes a report of `textsearch eval --output json` and
the judgements that it was made with.
"""

import json
import sys

import ir_measures
from ir_measures import RR, Qrel, R, ScoredDoc, nDCG


def main(report_path, qrels_path):
    """Compares every figure of the report."""
    with open(report_path, encoding="utf-8") as file:
        report = json.load(file)
    cutoff = report["cutoff"]
    measures = {"ndcg": nDCG @ cutoff, "recall": R @ cutoff, "reciprocal_rank": RR @ cutoff}
    asked = {query["id"] for query in report["per_query"]}
    qrels = list(read_qrels(qrels_path, asked))
    # The order is what counts, so that no two documents may have one score.
    run = [
        ScoredDoc(query["id"], document["id"], float(-place))
        for query in report["per_query"]
        for place, document in enumerate(query["documents"])
    ]
    figures = {(one.query_id, one.measure): one.value for one in ir_measures.iter_calc(measures.values(), qrels, run)}
    for query in report["per_query"]:
        for name, measure in measures.items():
            same(f"{query['id']} {name}", query[name], figures[query["id"], measure])
    means = ir_measures.calc_aggregate(measures.values(), qrels, run)
    for name, measure in measures.items():
        same(f"mean {name}", report["mrr" if name == "reciprocal_rank" else name], means[measure])
    print(f"{len(figures)} figures of {len(asked)} queries are those of trec_eval (ir_measures {ir_measures.__version__})")


def read_qrels(path, asked):
    """The judgements of the queries that were asked."""
    with open(path, encoding="utf-8") as file:
        next(file)
        for line in file:
            query, document, score = line.rstrip("\n").split("\t")
            if query in asked:
                yield Qrel(query, document, int(score))


def same(what, found, expected):
    """Fails with both values."""
    assert abs(found - expected) < 1e-9, f"{what}: found {found!r}, expected {expected!r}"


if __name__ == "__main__":
    main(*sys.argv[1:])
