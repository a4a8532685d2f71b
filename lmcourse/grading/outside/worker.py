"""The grader's side of a worker process: its limits, how it is asked, and what is said when it is lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass

from lmcourse.grading.inside.wire import NODES

OURS = {"inputs", "kill", "purge"}
"""Requests of the grader itself: the time limit of the submission does not hold for them."""
SMALL_REPLY = 2**18
"""Bytes of a reply that carries no value."""
PUNCTUATION = {b"[": 3 * NODES, b",": 3 * NODES, b"{": 10_000, b":": 100_000}
"""How often each may occur in a reply, outside texts: that many lists take 100 MB once they are read."""
GRACE_SECONDS = 180
"""Beyond the submission's own limit: for our libraries to load and our tests to compute."""
WATCHED_SECONDS = 0.5
"""How often the memory is measured while we wait."""


@dataclass(frozen=True)
class Limits:
    """What an answer may use. Memory counts beyond what the libraries need; the reply is one value."""

    call_seconds: float = 10
    cell_seconds: float = 120
    total_seconds: float = 900
    memory_mb: int = 2048
    file_mb: int = 32
    processes: int = 96
    reply_mb: int = 16


class Lost(BaseException):
    """The worker is gone or of no more use; the message says why.

    It is not an `Exception`, so that no test cell catches it by chance.
    """


class TooSlow(Lost):
    """It took too long; another try would take as long again."""


class Died(Lost):
    """The process has ended; its wait status may say more."""


class Patience:
    """How long to wait for all answers together: until ``end``, on the clock of `time.monotonic`.

    ``watch`` is called from time to time while we wait, and raises `Lost` if the answers use too much.
    """

    def __init__(self, limits: Limits, watch: Callable[[], None] = lambda: None):
        self.limits, self.watch = limits, watch
        self.end = time.monotonic() + limits.total_seconds
        self.watched = time.monotonic()

    def keep_watch(self) -> None:
        """Call ``watch`` if it is due. Called for each part of a reply, which may arrive byte by byte."""
        if time.monotonic() - self.watched >= WATCHED_SECONDS:
            self.watch()
            self.watched = time.monotonic()

    def timeout(self, seconds: float) -> TooSlow:
        """Return the error to raise after waiting that many seconds without a reply."""
        if time.monotonic() >= self.end:
            return TooSlow(f"the whole notebook takes more than {self.limits.total_seconds:g} seconds.")
        return TooSlow(f"it runs for more than {seconds:g} seconds. Look for a loop that does not end.")


class Worker:
    """A worker process, and the socket to it."""

    def __init__(self, connection: socket.socket, pid: int, limits: Limits, patience: Patience):
        self.connection, self.pid, self.limits, self.patience = connection, pid, limits, patience

    def ask(self, request: dict, seconds: float | None = None) -> dict:
        """Send a request and return the reply, which is not to be trusted.

        Raises
        ------
        Lost
            If no whole reply comes in time, or if it is not JSON or too large.
        """
        usual = self.limits.call_seconds if seconds is None else seconds
        until = time.monotonic() + usual
        until = until if request["do"] in OURS else min(until, self.patience.end)
        small = request["do"] in OURS or request["do"] == "run"
        data = json.dumps(request).encode("ascii")
        try:
            self._send(struct.pack(">I", len(data)) + data, until)
            size = struct.unpack(">I", self.read(4, until))[0]
            if size > (SMALL_REPLY if small else self.limits.reply_mb * 2**20):
                raise Lost(f"it returns more than {self.limits.reply_mb} MB.")
            reply = parse_reply(self.read(size, until))
        except TimeoutError:
            raise self.patience.timeout(usual) from None
        except OSError:
            raise Died("it ends the Python process.") from None
        except (ValueError, RecursionError):
            raise Lost("what it returns cannot be read.") from None
        if not isinstance(reply, dict):
            raise Lost("what it returns cannot be read.")
        return reply

    def fork(self) -> Worker:
        """Return a fork of this process."""
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.connection, [struct.pack(">I", 14)], [theirs.fileno()])
            self.connection.sendall(b'{"do": "fork"}')
            size = struct.unpack(">I", self.read(4, time.monotonic() + 20))[0]
            pid = json.loads(self.read(min(size, 1000), time.monotonic() + 20))["pid"]
        except (OSError, ValueError, KeyError, TypeError):
            ours.close()
            raise Died("it ends the Python process.") from None
        finally:
            theirs.close()
        return Worker(ours, pid if type(pid) is int else 0, self.limits, self.patience)

    def close(self) -> None:
        self.connection.close()

    def _send(self, data: bytes, until: float) -> None:
        self.connection.settimeout(max(0.001, until - time.monotonic()))
        self.connection.sendall(data)

    def read(self, size: int, until: float) -> bytes:
        parts = []
        while size:
            left = until - time.monotonic()
            if left <= 0:
                raise TimeoutError
            self.connection.settimeout(min(left, WATCHED_SECONDS))
            self.patience.keep_watch()
            try:
                part = self.connection.recv(min(size, 2**20))
            except TimeoutError:
                continue
            if not part:
                raise ConnectionResetError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def parse_reply(data: bytes) -> object:
    """Read untrusted JSON, unless reading it would take much more memory than it has bytes.

    Raises
    ------
    Lost
        If it has more lists or texts than `lmcourse.grading.inside.wire` ever sends.
    ValueError
        If it is not JSON.
    """
    if len(data) > SMALL_REPLY:
        plain = data.replace(b"\\\\", b"").replace(b'\\"', b"")
        many = plain.count(b'"') > 4 * NODES
        outside = b"" if many else b"".join(plain.split(b'"')[::2])
        if many or any(outside.count(sign) > most for sign, most in PUNCTUATION.items()):
            raise Lost("it returns too many values.")
    return json.loads(data)


def describe_exit(status: int) -> str:
    """Say in words how a process ended, from its wait status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "it uses more processor time than allowed. Look for a loop that does not end."
        names = {s.value: s.name for s in signal.Signals}
        return f"it ends the Python process (signal {names.get(number, number)})."
    return f"it ends the Python process (exit status {os.WEXITSTATUS(status)})."
