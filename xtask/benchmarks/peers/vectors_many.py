"""Line exact-million: exact search of a million rows by cosine similarity with NumPy, one thread, rows of length one."""

import numpy
from measure import report_calls

ROWS = 1_000_000
DIMENSIONS = 384
TOP = 10


def main():
    random = numpy.random.default_rng(7)
    rows = random.random((ROWS, DIMENSIONS), dtype=numpy.float32) - numpy.float32(0.5)
    rows /= numpy.linalg.norm(rows, axis=-1, keepdims=True)
    query = rows[0] + rows[1]

    def search():
        scores = rows @ query
        best = numpy.argpartition(scores, -TOP)[-TOP:]
        return best[numpy.argsort(-scores[best])]

    report_calls("1,000,000, NumPy", "numpy", search)


main()
