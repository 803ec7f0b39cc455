"""Lines exact and batch: exact search by cosine similarity with NumPy and with FAISS, one thread, rows of length one."""

import faiss
import numpy
from measure import report_calls
from vectors_common import unit

ROWS = 100_000
DIMENSIONS = 384
TOP = 10
QUERIES = 64


def with_numpy(rows, query):
    def search():
        scores = rows @ query
        best = numpy.argpartition(scores, -TOP)[-TOP:]
        return best[numpy.argsort(-scores[best])]

    return search


def batch_with_numpy(rows, queries):
    def search():
        scores = queries @ rows.T
        best = numpy.argpartition(scores, -TOP, axis=1)[:, -TOP:]
        order = numpy.argsort(-numpy.take_along_axis(scores, best, axis=1), axis=1)
        return numpy.take_along_axis(best, order, axis=1)

    return search


def with_faiss(rows, query):
    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(DIMENSIONS)
    index.add(rows)
    queries = query.reshape(1, -1)

    def search():
        return index.search(queries, TOP)[1][0]

    return search


def main():
    random = numpy.random.default_rng(7)
    rows = unit(random.uniform(-1, 1, (ROWS, DIMENSIONS)).astype(numpy.float32))
    query = unit(random.uniform(-1, 1, DIMENSIONS).astype(numpy.float32))
    by_numpy, by_faiss = with_numpy(rows, query), with_faiss(rows, query)
    assert by_numpy().tolist() == by_faiss().tolist()
    report_calls("100,000, NumPy", "numpy", by_numpy)
    report_calls("100,000, FAISS", "faiss-cpu", by_faiss)
    queries = unit(random.uniform(-1, 1, (QUERIES, DIMENSIONS)).astype(numpy.float32))
    report_calls("64 queries, NumPy", "numpy", batch_with_numpy(rows, queries))


main()
