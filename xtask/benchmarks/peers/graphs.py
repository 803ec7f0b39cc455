"""Line approximate: approximate search with hnswlib, FAISS and usearch, over the vectors of benches/approximate.rs.

Vectors lie around a thousand places and have length one. Graphs are built by two threads and searched by one, with as many
candidates as it takes to find 0.995 of the true nearest. With --many, line approximate-million: a million of them, and hnswlib alone, since
the others take longer to build.
"""

import sys
import time

import faiss
import hnswlib
import numpy
from measure import QUICK, report
from usearch.index import Index
from vectors_common import unit

MANY = "--many" in sys.argv
ROWS = 2_000 if QUICK else 1_000_000 if MANY else 100_000
DIMENSIONS = 16 if QUICK else 384
QUERIES = 100 if QUICK else 1_000
PLACES = 1_000
TOP = 10
RECALL = 0.995
LINKS = 16
EF_CONSTRUCTION = 200


def vectors(random, places, count, spread):
    noise = random.standard_normal((count, DIMENSIONS), dtype=numpy.float32)
    return unit(places[random.integers(0, PLACES, count)] + spread * noise)


def nearest(rows, queries):
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(rows)
    return index.search(queries, TOP)[1]


class Hnswlib:
    package = "hnswlib"

    def __init__(self, rows):
        self.index = hnswlib.Index("ip", DIMENSIONS)
        self.index.init_index(len(rows), ef_construction=EF_CONSTRUCTION, M=LINKS)
        self.index.add_items(rows, num_threads=2)

    def search(self, query, candidates):
        self.index.set_ef(candidates)
        return self.index.knn_query(query, TOP, num_threads=1)[0]


class Faiss:
    package = "faiss-cpu"

    def __init__(self, rows):
        self.index = faiss.IndexHNSWFlat(DIMENSIONS, LINKS, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = EF_CONSTRUCTION
        faiss.omp_set_num_threads(2)
        self.index.add(rows)
        faiss.omp_set_num_threads(1)

    def search(self, query, candidates):
        self.index.hnsw.efSearch = candidates
        return self.index.search(query, TOP)[1]


class Usearch:
    package = "usearch"

    def __init__(self, rows):
        self.index = Index(
            ndim=DIMENSIONS, metric="ip", dtype="f32", connectivity=LINKS, expansion_add=EF_CONSTRUCTION
        )
        self.index.add(numpy.arange(len(rows)), rows, threads=2)

    def search(self, query, candidates):
        self.index.expansion_search = candidates
        return self.index.search(query[0], TOP, threads=1).keys


def measure(index, queries, truth, candidates):
    """Seconds a search, and recall."""
    start = time.perf_counter()
    found = [index.search(query, candidates) for query in queries]
    seconds = (time.perf_counter() - start) / len(queries)
    right = sum(len(numpy.intersect1d(one, right)) for one, right in zip(found, truth))
    return seconds, right / truth.size


def fastest(index, queries, truth):
    candidates = TOP
    while True:
        seconds, recall = measure(index, queries, truth, candidates)
        if recall >= RECALL or candidates > 2_000:
            return seconds, recall
        candidates += max(2, -(-candidates // 10))


def main():
    faiss.omp_set_num_threads(2)
    random = numpy.random.default_rng(7)
    places = random.standard_normal((PLACES, DIMENSIONS), dtype=numpy.float32)
    rows = vectors(random, places, ROWS, 0.5)
    queries = vectors(random, places, QUERIES, 0.5)
    truth = nearest(rows, queries)
    queries = [query.reshape(1, -1) for query in queries]
    for kind in (Hnswlib,) if MANY else (Hnswlib, Faiss, Usearch):
        start = time.perf_counter()
        index = kind(rows)
        name = kind.__name__
        report(f"{name}, build", time.perf_counter() - start, "s", kind.package)
        seconds, recall = fastest(index, queries, truth)
        report(f"{name}, recall", recall, "1", kind.package, QUERIES)
        report(f"{name}, search", seconds, "s", kind.package, QUERIES)
        del index


main()
