"""Line start: how long a process takes that does nothing but import Semantic Kernel, and how much memory."""

import statistics
import subprocess
import sys
import time

from measure import QUICK, report

CHILD = """
import resource, sys
import semantic_kernel
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(peak * (1 if sys.platform == "darwin" else 1024))
"""


def start():
    begin = time.perf_counter()
    child = subprocess.run([sys.executable, "-c", CHILD], check=True, capture_output=True, text=True)
    return time.perf_counter() - begin, int(child.stdout)


def main():
    runs = 1 if QUICK else 3
    seconds, peaks = zip(*(start() for _ in range(runs)), strict=True)
    report("import", statistics.median(seconds), "s", "semantic-kernel", runs)
    report("import, memory", statistics.median(peaks), "B", "semantic-kernel", runs)


main()
