"""Scores this project's rankings of a test collection next to its peers' rankings of the same records.

`cargo xtask integration quality` runs it with the collection (a folder with queries.jsonl and qrels.tsv), the model, and the
rankings that `examples/benches/quality.rs` wrote. trec_eval scores all rankings, through ir_measures.
"""

import csv
import json
import math
import pathlib
import sys
from importlib.metadata import version

import ir_measures
import peers
from ir_measures import Qrel, ScoredDoc, nDCG

MEASURE = nDCG @ 10

WEIGHTS = [tenths / 10 for tenths in range(3, 9)]
"""Of the ranking by vector."""


def main(collection, model, rankings):
    collection, rankings = pathlib.Path(collection), pathlib.Path(rankings)
    queries = {query["_id"]: query["text"] for query in read_lines(collection / "queries.jsonl")}
    own, of_beir = collection / "qrels.tsv", collection / "qrels/test.tsv"
    scorer = Scorer(own if own.exists() else of_beir, queries)
    names = ["bm25s", "rank-bm25", "PyStemmer", "sentence-transformers", "torch", "ir_measures"]
    print("Beside", ", ".join(f"{name} {version(name)}" for name in names))
    missed = []
    for unit in ("documents", "chunks"):
        missed += Comparison(unit, rankings / unit, queries, scorer, model).run()
    if missed:
        raise SystemExit("missed: " + "; ".join(missed))


def read_lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file if line.strip()]


class Scorer:
    """The judgements, and the score of a ranking."""

    def __init__(self, path, queries):
        with open(path, encoding="utf-8") as file:
            lines = [line for line in csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE) if line]
        self.qrels = [
            Qrel(query, document, int(score))
            for query, document, score in lines
            if query in queries and score.lstrip("-").isdigit()
        ]
        self.judged = sorted({one.query_id for one in self.qrels})

    def scores(self, rankings, documents):
        """The score of each judged query. A document has the rank of its best record."""
        run = []
        for query in self.judged:
            order = list(dict.fromkeys(documents[name] for name, _ in rankings.get(query, [])))[: MEASURE["cutoff"]]
            # Only the order counts, so give each document another score.
            run += [ScoredDoc(query, document, float(-place)) for place, document in enumerate(order)]
        figures = {one.query_id: one.value for one in ir_measures.iter_calc([MEASURE], self.qrels, run)}
        return [figures.get(query, 0.0) for query in self.judged]


class Comparison:
    """Our searches and the peers' of the same records; vectors only if we searched them."""

    def __init__(self, unit, folder, queries, scorer, model):
        self.unit, self.folder, self.queries, self.scorer, self.model = unit, folder, queries, scorer, model
        self.records = read_lines(folder / "records.jsonl")
        self.documents = {record["id"]: record["document"] for record in self.records}
        self.missed = []

    def run(self):
        """Prints the table and returns the missed targets."""
        judged = len(self.scorer.judged)
        print(f"\n{self.unit}: {len(self.records)} records, {judged} judged queries, {MEASURE}\n")
        print("| search | nDCG@10 | peer | nDCG@10 | difference, with its 95 % interval | target | |")
        print("|---|---|---|---|---|---|---|")
        words, by_words = self.ours("words"), peers.by_words(self.records, self.queries)
        lexical = max(by_words, key=lambda name: mean(self.scores(by_words[name])))
        for name, ranking in by_words.items():
            self.row("words", words, name, ranking, 0.0 if name == lexical else None)
        one = self.ours("words-in-one-field")
        self.row("words, name and text as two fields", words, "words, both in one field", one)
        if (self.folder / "vector.tsv").exists():
            vector, by_vector = self.ours("vector"), peers.by_vector(self.records, self.queries, self.model)
            self.row("vector", vector, "sentence-transformers", by_vector, 0.002, either_way=True)
            self.fusions(words, vector, by_words[lexical], by_vector, lexical)
        return self.missed

    def fusions(self, words, vector, peer_words, peer_vector, lexical):
        """Our fusions next to the same formulas over the peers' rankings. Each of ours must equal the formula over our two rankings."""
        both = lambda fuse, first, second: {query: fuse(first.get(query, []), second.get(query, [])) for query in self.queries}
        kinds = {"reciprocal-rank": peers.reciprocal_rank}
        kinds |= {f"weighted-{weight}": lambda v, w, weight=weight: peers.weighted(v, w, weight) for weight in WEIGHTS}
        ours = {name: self.ours(name) for name in kinds}
        theirs = {name: both(fuse, peer_vector, peer_words) for name, fuse in kinds.items()}
        for name, fuse in kinds.items():
            self.same_order(name, ours[name], both(fuse, vector, words))
            self.row(name, ours[name], f"{lexical} and sentence-transformers", theirs[name])
        best = max(ours, key=lambda name: mean(self.scores(ours[name])))
        peer = max(theirs, key=lambda name: mean(self.scores(theirs[name])))
        self.row(f"the best, {best}", ours[best], f"their best, {peer}", theirs[peer], 0.0)
        for alone, ranking in (("words", words), ("vector", vector)):
            self.row(f"the best, {best}", ours[best], f"{alone} alone", ranking)

    def row(self, name, ours, peer, theirs, within=None, either_way=False):
        """Prints one line of the table. `within` is how far ours may be below the peer, or from it if `either_way`."""
        ours, theirs = self.scores(ours), self.scores(theirs)
        difference, margin = paired(ours, theirs)
        target = verdict = ""
        if within is not None:
            is_met = (abs(difference) if either_way else -difference) <= within
            target = f"within {within}" if either_way else "at least that"
            # A miss within chance is for the reader to judge. A larger one fails the command.
            may_be_chance = not either_way and abs(difference) <= margin
            verdict = "met" if is_met else "**missed**, within chance" if may_be_chance else "**missed**"
            if not is_met and not may_be_chance:
                self.missed.append(f"{name} of {self.unit}")
        interval = f"{difference:+.4f} ± {margin:.4f}"
        print(f"| {name} | {mean(ours):.4f} | {peer} | {mean(theirs):.4f} | {interval} | {target} | {verdict} |")

    def same_order(self, name, ours, expected):
        """Compares the order, ties included: these are sorted by id."""
        for query in self.queries:
            found = [one for one, _ in ours.get(query, [])]
            wanted = [one for one, _ in expected[query][: len(found)]]
            if found != wanted:
                place = next(place for place, pair in enumerate(zip(found, wanted)) if pair[0] != pair[1])
                self.missed.append(f"{name} of {self.unit}: query {query} differs at place {place + 1}")
                return

    def scores(self, rankings):
        return self.scorer.scores(rankings, self.documents)

    def ours(self, name):
        rankings = {}
        with open(self.folder / f"{name}.tsv", encoding="utf-8") as file:
            for line in file:
                query, record, score = line.rstrip("\n").split("\t")
                rankings.setdefault(query, []).append((record, float(score)))
        return rankings


def mean(figures):
    return sum(figures) / len(figures)


def paired(ours, theirs):
    """The mean difference, and half of its 95 % interval."""
    differences = [left - right for left, right in zip(ours, theirs)]
    middle = mean(differences)
    deviation = math.sqrt(sum((one - middle) ** 2 for one in differences) / max(1, len(differences) - 1))
    return middle, 1.96 * deviation / math.sqrt(len(differences))


if __name__ == "__main__":
    main(*sys.argv[1:])
