"""One process with answers: what it may use, how it is asked, and what is said when it is lost."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import time
from dataclasses import dataclass

OURS = {"inputs", "kill", "purge"}
"""What we ask for ourselves: the time of the submission does not limit it."""


@dataclass(frozen=True)
class Limits:
    """What an answer may use. Memory counts beyond what the libraries need; the reply is one value."""

    call_seconds: float = 10
    cell_seconds: float = 120
    total_seconds: float = 900
    memory_mb: int = 2048
    file_mb: int = 32
    processes: int = 96
    reply_mb: int = 32


class Lost(BaseException):
    """The process with an answer is gone or of no more use; the message says why.

    No `Exception`: no test may catch it by chance.
    """


class TooSlow(Lost):
    """It took too long: to try again would take as long again."""


class Node:
    """One process with answers, and the socket to it; ``end`` is when the whole submission must be done."""

    def __init__(self, connection: socket.socket, pid: int, limits: Limits, end: float):
        self.connection, self.pid, self.limits, self.end = connection, pid, limits, end

    def ask(self, request: dict, seconds: float | None = None) -> dict:
        """Send a request and return the reply, which is not to be trusted.

        Raises
        ------
        Lost
            When no whole reply comes within the time, or none that is JSON and small enough.
        """
        limits, now = self.limits, time.monotonic()
        seconds = limits.call_seconds if seconds is None else seconds
        until = now + seconds if request["do"] in OURS else min(now + seconds, self.end)
        data = json.dumps(request).encode("ascii")
        try:
            self._send(struct.pack(">I", len(data)) + data, until)
            size = struct.unpack(">I", self.read(4, until))[0]
            if size > limits.reply_mb * 2**20:
                raise Lost(f"it returns more than {limits.reply_mb} MB.")
            reply = json.loads(self.read(size, until))
        except TimeoutError:
            if time.monotonic() >= self.end:
                said = f"the whole notebook takes more than {limits.total_seconds:g} seconds."
            else:
                said = f"it runs for more than {seconds:g} seconds. Look for a loop that does not end."
            raise TooSlow(said) from None
        except OSError:
            raise Lost("it ends the Python process.") from None
        except (ValueError, RecursionError):
            raise Lost("what it returns cannot be read.") from None
        if not isinstance(reply, dict):
            raise Lost("what it returns cannot be read.")
        return reply

    def fork(self) -> Node:
        """Return a copy of this process."""
        ours, theirs = socket.socketpair()
        try:
            socket.send_fds(self.connection, [struct.pack(">I", 14)], [theirs.fileno()])
            self.connection.sendall(b'{"do": "fork"}')
            size = struct.unpack(">I", self.read(4, time.monotonic() + 20))[0]
            pid = json.loads(self.read(min(size, 1000), time.monotonic() + 20))["pid"]
        except (OSError, ValueError, KeyError, TypeError):
            ours.close()
            raise Lost("it ends the Python process.") from None
        finally:
            theirs.close()
        return Node(ours, pid if type(pid) is int else 0, self.limits, self.end)

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
            self.connection.settimeout(left)
            part = self.connection.recv(min(size, 2**20))
            if not part:
                raise ConnectionResetError
            parts.append(part)
            size -= len(part)
        return b"".join(parts)


def cause(status: int) -> str:
    """Return words for the status with which a process ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGXCPU:
            return "it uses more processor time than allowed. Look for a loop that does not end."
        names = {s.value: s.name for s in signal.Signals}
        return f"it ends the Python process (signal {names.get(number, number)})."
    return f"it ends the Python process (exit status {os.WEXITSTATUS(status)})."
