"""Starts the server of the package chromadb.

server.py FOLDER PORT   FOLDER holds the data and is created if it is missing; PORT 0 chooses a free one

Prints `url=...` and becomes the server: killing this process kills it. The server may not accept connections yet.
"""

import os
import socket
import sys
from pathlib import Path


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main() -> None:
    folder, port = Path(sys.argv[1]), int(sys.argv[2]) or free_port()
    folder.mkdir(exist_ok=True)
    print(f"url=http://127.0.0.1:{port}", flush=True)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    program = Path(sys.executable).with_name("chroma")
    options = ["--host", "127.0.0.1", "--port", str(port), "--path", folder / "data"]
    os.execv(program, [program, "run", *options])


main()
