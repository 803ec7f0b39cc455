"""Serves a cargo registry on loopback, from memory: a sparse index, uploads and downloads.

Usage: registry.py TOKEN [CRATE...]. Prints its port, then serves until it is killed. Refuses the first upload
of each CRATE, as a registry does that limits uploads.

https://doc.rust-lang.org/cargo/reference/registry-web-api.html
https://doc.rust-lang.org/cargo/reference/registry-index.html
"""

import hashlib
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LARGEST_UPLOAD = 10 * 1024 * 1024

token, to_refuse = sys.argv[1], set(sys.argv[2:])
archives = {}  # (name, version): bytes of the .crate file
entries = {}  # name: lines of the index


class Registry(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        match self.path.strip("/").split("/"):
            case ["index", "config.json"]:
                self.answer_json({"dl": f"{root}/download", "api": root})
            case ["index", *_, name] if name in entries:
                self.answer(200, "\n".join(entries[name]).encode())
            case ["download", name, version, "download"] if (name, version) in archives:
                self.answer(200, archives[name, version])
            case _:
                self.refuse(404, f"nothing is at {self.path}")

    def do_PUT(self):
        size = int(self.headers.get("Content-Length", 0))
        if size > LARGEST_UPLOAD:
            self.close_connection = True
            return self.refuse(413, f"an upload of {size} bytes is too large")
        body = self.rfile.read(size)
        if self.path != "/api/v1/crates/new":
            return self.refuse(404, f"nothing is at {self.path}")
        if self.headers.get("Authorization") != token:
            return self.refuse(403, "the token is wrong")
        about, archive = parts(body)
        about = json.loads(about)
        name, version = about["name"], about["vers"]
        if (name, version) in archives:
            return self.refuse(409, f"{name} {version} was uploaded before")
        if name in to_refuse:
            to_refuse.remove(name)
            return self.refuse(429, f"{name} comes too soon after the others")
        archives[name, version] = archive
        entries.setdefault(name, []).append(json.dumps(entry(about, archive)))
        self.answer_json({"warnings": {}})

    def refuse(self, status, detail):
        self.answer(status, json.dumps({"errors": [{"detail": detail}]}).encode())

    def answer_json(self, value):
        self.answer(200, json.dumps(value).encode())

    def answer(self, status, body):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


def parts(body):
    """Each part follows its length."""
    while body:
        length = int.from_bytes(body[:4], "little")
        yield body[4 : 4 + length]
        body = body[4 + length :]


def entry(about, archive):
    """Makes a line of the index from what cargo uploads."""
    return {
        "name": about["name"],
        "vers": about["vers"],
        "deps": [dependency(each) for each in about["deps"]],
        "features": about["features"],
        "cksum": hashlib.sha256(archive).hexdigest(),
        "yanked": False,
        "links": about.get("links"),
        "rust_version": about.get("rust_version"),
    }


def dependency(uploaded):
    """The index has another name for the requirement, and for a renamed crate."""
    renamed = uploaded.pop("explicit_name_in_toml", None)
    indexed = {**uploaded, "req": uploaded.pop("version_req")}
    if renamed:
        indexed |= {"name": renamed, "package": uploaded["name"]}
    return indexed


server = ThreadingHTTPServer(("127.0.0.1", 0), Registry)
root = f"http://127.0.0.1:{server.server_port}"
print(server.server_port, flush=True)
server.serve_forever()
