"""The client of the fork server: get a worker process that has already imported the libraries.

On Linux only; elsewhere `sandbox` starts each worker process directly.
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

from lmcourse.grading.inside import fork_server
from lmcourse.grading.inside.settings import Settings
from lmcourse.grading.outside import policy, visible_paths

SECONDS = 120
"""How long the libraries may take to be imported."""
SUPPORTED = sys.platform.startswith("linux")


def fork_worker(settings: Settings, folder: Path, connection: socket.socket) -> ForkedProcess:
    """Ask the fork server for a worker process.

    Parameters
    ----------
    settings : Settings
    folder : Path
        A private temporary folder.
    connection : socket
        The worker's end of the socket.

    Raises
    ------
    OSError
        If the server is gone.
    """
    path = folder / "settings.json"
    path.touch(0o600)
    path.write_text(json.dumps(settings), encoding="utf-8")
    ours, theirs = os.pipe()
    try:
        socket.send_fds(server_socket(), [os.fsencode(path)], [connection.fileno(), theirs])
    except OSError:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return ForkedProcess(ours)


class ForkedProcess:
    """A process that the fork server has forked, with the methods of `subprocess.Popen` that we use."""

    def __init__(self, report: int):
        self.stdout = open(report, "rb", buffering=0)  # noqa: SIM115 - closed by `wait`
        self._pid, self._handle = 0, -1

    @property
    def pid(self) -> int:
        """The process id; blocks until it is known, and raises OSError if none comes within `SECONDS`."""
        end, line = time.monotonic() + SECONDS, b""
        while not self._pid:
            ready = select.select([self.stdout], [], [], max(0.0, end - time.monotonic()))[0]
            byte = self.stdout.read(1) if ready else b""
            if not byte:
                raise ChildProcessError("the process that imports the libraries has exited or is hanging")
            line += byte
            if byte == b"\n":
                self._pid = int(line)
                # a handle, since a new process may get the id of one that has ended; some containers refuse
                # handles
                with contextlib.suppress(OSError):
                    self._handle = os.pidfd_open(self._pid)
        return self._pid

    def poll(self) -> int | None:
        """None while it runs, as `subprocess.Popen.poll`."""
        return 0 if self.pid and self._has_ended(0) else None

    def kill(self) -> None:
        """End it, if it has not ended."""
        with contextlib.suppress(ProcessLookupError):
            if self.poll() is None:
                if self._handle >= 0:
                    signal.pidfd_send_signal(self._handle, signal.SIGKILL)
                else:
                    os.kill(self._pid, signal.SIGKILL)

    def wait(self) -> None:
        """Wait until it has ended, for ten seconds at most; the fork server reaps it."""
        if self._pid:
            self._has_ended(10)
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
        self.stdout.close()

    def _has_ended(self, seconds: float) -> bool:
        if self._handle >= 0:
            return bool(select.select([self._handle], [], [], seconds)[0])
        end = time.monotonic() + seconds
        while (running := _is_running(self._pid)) and time.monotonic() < end:
            time.sleep(0.01)
        return not running


def _is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


_server: socket.socket | None = None


def server_socket() -> socket.socket:
    """Return the socket to this process's fork server; start the server if none is running."""
    global _server
    if _server is None:
        _server = _start_server()
    return _server


def use_server(other: socket.socket | None) -> None:
    """Use the fork server of another process from now on; with None, start a new one when one is needed."""
    global _server
    _server = other


def _start_server() -> socket.socket:
    """Start the program `inside.fork_server`; it ends when all processes have closed its socket."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-B", fork_server.__file__, str(theirs.fileno())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            env={"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", **policy.worker_environment("/scratch", None)},
            cwd="/",
            start_new_session=True,
        )
    assert process.stdin is not None  # a pipe, see above
    with process.stdin as stream:
        stream.write(json.dumps(visible_paths.python_path()).encode() + b"\n")
    process.returncode = 0  # nothing waits for it; without this, Python would warn about it
    return ours
