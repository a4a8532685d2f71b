"""A user for the answers of one worker, where the grader is root."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import socket
import sys
from pathlib import Path

from lmcourse.grading.inside import procfs

HIGH, LOW = range(10**9, 2 * 10**9), range(60_578, 61_184)
"""Where we look for an id. Containers often map only the first 65536; systemd uses most of the high ones
among these, but not those in ``LOW``."""
TRIES = 1000


class SpareUser:
    """A user id that no process has, taken until `close`; 0 where the grader is not root."""

    def __init__(self):
        self.uid, self._lock = 0, None
        for _ in range(TRIES) if os.geteuid() == 0 else ():
            uid = secrets.choice(HIGH if _maps_high_ids() else LOW)
            if lock := _lock(uid):
                if not any(procfs.process_ids(uid)):
                    self.uid, self._lock = uid, lock
                    return
                lock.close()
        if os.geteuid() == 0:
            raise OSError("no user id is free for the answers")

    def close(self) -> None:
        """End every process of the user, and give the id back."""
        for pid in procfs.process_ids(self.uid) if self.uid else ():
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if self._lock:
            self._lock.close()
        self.uid, self._lock = 0, None


def _lock(uid: int) -> socket.socket | None:
    """Return a lock on a user id, or None if another grader holds it; the kernel frees it with its process.

    It is the name of a socket, in Linux's table of names that are not files.
    """
    lock = socket.socket(socket.AF_UNIX)
    if sys.platform.startswith("linux"):
        try:
            lock.bind(f"\0lmcourse-user-{uid}")
        except OSError:
            lock.close()
            return None
    return lock


def _maps_high_ids() -> bool:
    try:
        return int(Path("/proc/self/uid_map").read_text().split()[2]) > HIGH.stop
    except (OSError, IndexError):
        return False
