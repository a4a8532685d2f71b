"""Start a process with answers as a fork of one that has imported the libraries: it is there at once.

Linux alone: elsewhere `sandbox` starts each process from nothing.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
from pathlib import Path

from lmcourse.grading.inside import nursery as program
from lmcourse.grading.outside import shown, view

WORKS = sys.platform.startswith("linux")
LIBRARIES = ("numpy", "scipy", "sympy", "torch")
"""What takes long to import. It is shown to answers at the place where the nursery has found it."""


def fork(settings: dict, place: Path, connection: socket.socket) -> Forked:
    """Ask for a process with answers; OSError when the nursery is gone.

    Parameters
    ----------
    settings : dict
        As for `jail`.
    place : Path
        A folder of our own, for a moment.
    connection : socket
        The end that the process gets.
    """
    libraries = [name for name in settings["imports"] if name.partition(".")[0] in LIBRARIES]
    path = place / "settings.json"
    path.touch(0o600)
    path.write_text(json.dumps({**settings, "libraries": libraries}), encoding="utf-8")
    ours, theirs = os.pipe()
    try:
        socket.send_fds(control(), [os.fsencode(path)], [connection.fileno(), theirs])
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return Forked(ours)


class Forked:
    """A process that a nursery has forked, with what `subprocess.Popen` has of one."""

    def __init__(self, said: int):
        self.stdout = open(said, "rb", buffering=0)  # noqa: SIM115 - closed by `wait`
        self._pid, self._handle = 0, -1

    @property
    def pid(self) -> int:
        """Its number; waits until it is there. OSError when the nursery ends before that."""
        if not self._pid:
            line = b""
            while not line.endswith(b"\n"):
                if not (byte := self.stdout.read(1)):
                    raise ChildProcessError("the process that imports the libraries has ended")
                line += byte
            self._pid = int(line)
            with contextlib.suppress(OSError):
                self._handle = os.pidfd_open(self._pid)
        return self._pid

    def kill(self) -> None:
        """End it; nothing happens when it has ended."""
        if self.pid and self._handle >= 0:
            signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it has ended; the nursery takes leave of it."""
        if self._handle >= 0:
            select.select([self._handle], [], [], 10)
            os.close(self._handle)
            self._handle = -1
        self.stdout.close()


_control: socket.socket | None = None


def control() -> socket.socket:
    """Return the socket of the nursery of this process; it is started when there is none."""
    global _control
    if _control is None:
        _control = _started()
    return _control


def use(other: socket.socket | None) -> None:
    """Use the nursery of another process from now on, or, with None, start another one the next time."""
    global _control
    _control = other


def _started() -> socket.socket:
    """Start the program `inside.nursery`; it ends when nobody has its socket any more."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", program.__file__, str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **view.environment("/scratch", None)},
            cwd="/",
            start_new_session=True,
        )
    with process.stdin as stream:
        stream.write(json.dumps(shown.python_path()).encode() + b"\n")
    process.returncode = 0  # nobody waits for it
    return ours
