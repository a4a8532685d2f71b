"""The grader's side of a worker process: ask it, fork it, and say how it ended."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import time

from lmcourse.grading.inside.wire import NODES
from lmcourse.grading.outside.limits import WATCHED_SECONDS, Died, Limits, Lost, Patience

OURS = {"inputs", "kill", "purge"}
"""Requests of the grader itself, to which the time limit of the submission does not apply."""
SMALL_REPLY = 2**18
"""Bytes of a reply that carries no value."""
PUNCTUATION = {b"[": 3 * NODES, b",": 3 * NODES, b"{": 10_000, b":": 100_000}
"""How often each may occur in a reply, outside texts: that many lists take 100 MB once they are read."""


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
                raise Lost(f"returned more than {self.limits.reply_mb} MB.")
            reply = parse_reply(self.read(size, until))
        except TimeoutError:
            raise self.patience.timeout(usual) from None
        except OSError:
            raise Died("ended the Python process.") from None
        except (ValueError, RecursionError):
            raise Lost("returned something that cannot be read.") from None
        if not isinstance(reply, dict):
            raise Lost("returned something that cannot be read.")
        return reply

    def fork(self) -> Worker:
        """Return a fork of this process."""
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.connection, [struct.pack(">I", 14)], [theirs.fileno()])
            self.connection.sendall(b'{"do": "fork"}')
            size = struct.unpack(">I", self.read(4, time.monotonic() + 20))[0]
            pid = json.loads(self.read(min(size, 1000), time.monotonic() + 20))["pid"]
        except (OSError, ValueError, RecursionError, KeyError, TypeError):
            ours.close()
            raise Died("ended the Python process.") from None
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
        unescaped = data.replace(b"\\\\", b"").replace(b'\\"', b"")
        many = unescaped.count(b'"') > 4 * NODES
        outside = b"" if many else b"".join(unescaped.split(b'"')[::2])
        if many or any(outside.count(sign) > most for sign, most in PUNCTUATION.items()):
            raise Lost("returned too many values.")
    return json.loads(data)


def in_detail(lost: Lost, status: object) -> Lost:
    """Return the error of a lost process; if its wait status says how the process ended, with that."""
    return Died(describe_exit(status)) if isinstance(lost, Died) and type(status) is int and status else lost


def describe_exit(status: int) -> str:
    """Say what a process did when it ended, from its wait status."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "used more processor time than allowed. Check for an infinite loop."
        names = {s.value: s.name for s in signal.Signals}
        return f"ended the Python process (signal {names.get(number, number)})."
    return f"ended the Python process (exit status {os.WEXITSTATUS(status)})."
