"""Line web-search: Semantic Kernel's connectors for Brave and Google against a server on loopback that answers with ten results."""

import json
import multiprocessing
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from measure import report_awaited_calls

WORDS = "some words about the programming language " * 6


def brave():
    result = {"url": "https://example.com", "description": WORDS, "language": "en", "family_friendly": True}
    results = [{"title": f"Result {number}", **result} for number in range(10)]
    return {"query": {"original": "rust"}, "web": {"results": results}}


def google():
    items = [{"title": f"Result {number}", "link": "https://example.com", "snippet": WORDS} for number in range(10)]
    return {"kind": "customsearch#search", "items": items}


class Answers(BaseHTTPRequestHandler):
    """The same ten results for every request."""

    protocol_version = "HTTP/1.1"
    bodies = {name: json.dumps(answer()).encode() for name, answer in (("brave", brave), ("google", google))}

    def do_GET(self):
        body = self.bodies["brave" if self.path.startswith("/brave") else "google"]
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Prints nothing: it is the client that is measured."""


def searches(search):
    async def one():
        found = await search.search("rust", top=10)
        assert len([text async for text in found.results]) == 10

    return one


def measure(address):
    # They have no setting for it.
    from semantic_kernel.connectors import brave, google_search

    brave.DEFAULT_URL = f"{address}/brave"
    google_search.CUSTOM_SEARCH_URL = f"{address}/google"
    by_brave = brave.BraveSearch(api_key="sesame")
    by_google = google_search.GoogleSearch(api_key="sesame", search_engine_id="engine")
    report_awaited_calls("Brave", "semantic-kernel/Brave", searches(by_brave))
    report_awaited_calls("Google", "semantic-kernel/Google", searches(by_google))


def main():
    os.environ["NO_PROXY"] = "127.0.0.1"
    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    process = multiprocessing.get_context("fork").Process(target=server.serve_forever, daemon=True)
    process.start()
    try:
        measure(f"http://127.0.0.1:{server.server_port}")
    finally:
        process.terminate()


main()
