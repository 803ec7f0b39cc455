"""A stand-in for SearXNG: responses in the documented format, whatever the query.

Prints `url=...`, then serves until it is killed. There are 40 results; five of them are repeated.

A query `status N TEXT` gets an error with that status and text, `once N` only the first time.
"""

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

refused = set()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        query = parse_qs(urlparse(self.path).query)["q"][0]
        kind, _, rest = query.partition(" ")
        if kind == "status" or (kind == "once" and query not in refused):
            refused.add(query)
            status, _, text = rest.partition(" ")
            self.answer(int(status), {"error": f"it refuses: {text}"})
        else:
            self.answer(200, self.results(query))

    def results(self, query: str) -> dict:
        numbers = [*range(5), *range(40)]
        results = [
            {
                "url": f"https://site{number % 4}.example/{number}",
                "title": f"Page {number}",
                "content": f"What page {number} says about {query}.",
                "publishedDate": "2025-03-31T08:00:00",
                "engine": "stand-in",
                "score": 1.0,
            }
            for number in numbers
        ]
        return {"query": query, "number_of_results": 0, "results": results, "unresponsive_engines": []}

    def answer(self, status: int, body: dict) -> None:
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: object) -> None:
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(f"url=http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
