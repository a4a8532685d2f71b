"""Start a process with answers by forking one that has already imported the libraries.

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
import time
from pathlib import Path

from lmcourse.grading.inside import fork_server as program
from lmcourse.grading.outside import launch, visible_paths

SECONDS = 120
"""How long the libraries may take to be imported."""
WORKS = sys.platform.startswith("linux")
LIBRARIES = ("numpy", "scipy", "sympy", "torch")
"""Modules that are slow to import. They are shown to answers at the place where the nursery has found it."""


def fork(settings: dict, place: Path, connection: socket.socket) -> Forked:
    """Ask for a process with answers; OSError when the nursery is gone.

    Parameters
    ----------
    settings : dict
        As for `jail`.
    place : Path
        A private temporary folder.
    connection : socket
        The child's end of the socket.
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
        """The process id; blocks until it is known, for `SECONDS` at most. OSError when none comes."""
        end, line = time.monotonic() + SECONDS, b""
        while not self._pid:
            ready = select.select([self.stdout], [], [], max(0.0, end - time.monotonic()))[0]
            byte = self.stdout.read(1) if ready else b""
            if not byte:
                raise ChildProcessError("the process that imports the libraries has ended, or hangs")
            line += byte
            if byte == b"\n":
                self._pid = int(line)
                with contextlib.suppress(OSError):  # it may have ended already
                    self._handle = os.pidfd_open(self._pid)
        return self._pid

    def poll(self) -> int | None:
        """None while it runs, as `subprocess.Popen.poll`."""
        return None if self.pid and self._handle >= 0 and not self._ended(0) else 0

    def kill(self) -> None:
        """End it; nothing happens when it has ended."""
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                signal.pidfd_send_signal(self._handle, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it has ended, for ten seconds at most; the nursery reaps it."""
        if self._handle >= 0:
            self._ended(10)
            os.close(self._handle)
            self._handle = -1
        self.stdout.close()

    def _ended(self, seconds: float) -> bool:
        return bool(select.select([self._handle], [], [], seconds)[0])


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
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **launch.environment("/scratch", None)},
            cwd="/",
            start_new_session=True,
        )
    with process.stdin as stream:
        stream.write(json.dumps(visible_paths.python_path()).encode() + b"\n")
    process.returncode = 0  # nobody waits for it; without this, Python would complain when it is forgotten
    return ours
