"""Line mcp: tool calls of a FastMCP server over standard input and output, and the start of the server."""

import json
import statistics
import subprocess
import sys
import time

from measure import QUICK, report

SERVER = """
from fastmcp import FastMCP

server = FastMCP("bench")
RESULTS = [
    {
        "Name": f"Result {number}",
        "Value": f"The text of result {number}, about a hundred characters long, as a snippet of a page would be.",
        "Link": f"https://example.com/{number}",
    }
    for number in range(10)
]


@server.tool
def search(query: str, count: int = 2) -> list[dict[str, str]]:
    return RESULTS[:count]


server.run(show_banner=False)
"""


class Session:
    """Writes and reads lines, as our benchmark does."""

    def __init__(self):
        begin = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-c", SERVER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.calls(1)
        self.start = time.perf_counter() - begin

    def calls(self, number):
        begin = time.perf_counter()
        for _ in range(number):
            answer = self.ask("tools/call", {"name": "search", "arguments": {"query": "a query", "count": 10}})
            assert b"Result 9" in answer, answer
        return (time.perf_counter() - begin) / number

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        return self.process.stdout.readline()

    def stop(self):
        self.process.kill()
        self.process.wait()


def main():
    starts, calls = (1, 10) if QUICK else (3, 500)
    seconds = []
    for _ in range(starts):
        session = Session()
        seconds.append(session.start)
        session.stop()
    report("cold start, FastMCP", statistics.median(seconds), "s", "fastmcp", starts)
    session = Session()
    batches = [session.calls(calls // 10) for _ in range(10)]
    session.stop()
    report("tool call, FastMCP", statistics.median(batches), "s", "fastmcp", calls)


main()
