"""The fork server: a program that has imported the libraries, and forks a worker for each submission.

Started by `outside.fork_client` as ``python -I fork_server.py SOCKET``. Importing PyTorch, SciPy and SymPy
accounts for most of the time that a worker needs to start. So it is done once, here, in a process that never
runs an answer. Each fork then isolates itself, see `isolate`. Standard library only, apart from those
imports.

A request is the path of a file with a worker's `Settings`, which is deleted when it has been read. With it
come two open files: the worker's socket, and a pipe to which its process id is written, or why it could not
start.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import socket
import sys
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lmcourse.grading.inside.settings import Settings


def main() -> None:
    """Serve requests until every client has hung up."""
    control = socket.socket(fileno=int(sys.argv[1]))
    sys.path[:] = json.loads(sys.stdin.readline())
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        message, files, _, _ = socket.recv_fds(control, 4096, 2)
        if not message:
            os._exit(0)
        path = Path(os.fsdecode(message))
        settings: Settings = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        for module in settings["preload"]:
            with contextlib.suppress(Exception):  # the set-up cell will fail in the same way, and say so
                importlib.import_module(module)
        if os.fork() == 0:
            control.close()
            _become_worker(settings, *files)
        for file in files:
            os.close(file)


def _become_worker(settings: Settings, connection: int, report: int) -> None:
    """Go on as a worker; never returns. ``report`` is the pipe for the process id or the reason."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.write(report, f"{os.getpid()}\n".encode())
    os.dup2(report, 1)
    os.close(report)
    # loaded from its file: this package is not on the server's path
    isolate = types.ModuleType("isolate")
    SourceFileLoader("isolate", str(Path(__file__).with_name("isolate.py"))).exec_module(isolate)
    isolate.isolate_and_serve(settings, socket.socket(fileno=connection))


if __name__ == "__main__":
    main()
