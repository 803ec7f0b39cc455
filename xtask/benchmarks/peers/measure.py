"""What the scripts share: how calls are timed, and the line that says what was measured."""

import asyncio
import json
import statistics
import sys
import time
from importlib.metadata import version

QUICK = "--quick" in sys.argv
"""Shows that everything runs; the figures are worth nothing."""

SECONDS = 0.2 if QUICK else 2.0
"""How long a call is repeated."""

BATCHES = 10


def report(name, value, unit, package, runs=1):
    """Prints one measurement: a line of JSON, as xtask/benchmarks/src/measurement.rs reads it.

    A part of the package may be named behind a slash.
    """
    package, _, part = package.partition("/")
    by = f"{package} {version(package)} {part}".strip()
    print(json.dumps({"name": name, "value": value, "unit": unit, "runs": runs, "by": by}), flush=True)


def report_calls(name, package, call):
    """Times a function that is called without arguments, and prints the median of ten batches."""

    async def awaitable():
        call()

    report_awaited_calls(name, package, awaitable)


def report_awaited_calls(name, package, call):
    """The same for a coroutine function; its event loop runs throughout."""
    seconds, runs = asyncio.run(_median_of_batches(call))
    report(name, seconds, "s", package, runs)


async def _median_of_batches(call):
    first = await _batch(call, 1)
    # The second call does not pay for what the first one loads.
    once = min(first, await _batch(call, 1))
    size = max(1, round(SECONDS / BATCHES / once))
    batches = BATCHES if once * BATCHES < 5 * SECONDS else 3
    seconds = [await _batch(call, size) / size for _ in range(batches)]
    return statistics.median(seconds), size * batches


async def _batch(call, size):
    start = time.perf_counter()
    for _ in range(size):
        await call()
    return time.perf_counter() - start
