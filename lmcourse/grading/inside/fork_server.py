"""A program that has imported the libraries, and forks a process for each submission.

Started by `outside.nurseries` as ``python -I nursery.py SOCKET``. Importing PyTorch, SciPy and SymPy
accounts for most of the time that a process with answers needs to start. So it is done once, here, before any
door is locked and without any answer. A fork then locks the door behind itself as `jail` says; this program
itself never runs an answer. Standard library only, but for those imports.

A request is a message that holds a path, with two open files: the path is that of the settings of a process
with answers (deleted when they are read); the files are its socket, and a pipe that is told the number of the
process, or why it could not start.
"""

import contextlib
import importlib
import importlib.util
import json
import os
import signal
import socket
import sys
from pathlib import Path


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
        settings = json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
        for module in settings["libraries"]:
            with contextlib.suppress(Exception):  # the set-up cell will fail in the same way, and say so
                importlib.import_module(module)
        if os.fork() == 0:
            control.close()
            _become_jail(settings, *files)
        for file in files:
            os.close(file)


def _become_jail(settings: dict, connection: int, said: int) -> None:
    """Go on as a process with answers; never returns."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.write(said, f"{os.getpid()}\n".encode())
    os.dup2(said, 1)
    os.close(said)
    place = Path(__file__).with_name("isolate.py")
    spec = importlib.util.spec_from_file_location("jail", place)
    jail = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(jail)
    jail.lock_and_serve(settings, socket.socket(fileno=connection))


if __name__ == "__main__":
    main()
