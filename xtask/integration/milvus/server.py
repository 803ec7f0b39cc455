"""Starts Milvus Lite as a gRPC server.

server.py FOLDER PORT   FOLDER holds the data and is created if it is missing; PORT 0 chooses a free one

Prints `url=...`, then serves until it is killed. The server may not accept connections yet.
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
    from milvus_lite.adapter.grpc.server import run_server

    run_server(str(folder / "data"), "127.0.0.1", port)


main()
