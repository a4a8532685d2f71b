"""How much memory a worker and its forks use together: the system limits each process alone."""

from __future__ import annotations

import contextlib
import os
import re

from lmcourse.grading.inside.procfs import descendants

USED = re.compile(rb"^(Pss|Pss_Shmem):\s+(\d+) kB", re.MULTILINE)
SHARED = re.compile(rb"^([0-9a-f]+)-([0-9a-f]+) ...s \S+ \S+ (\d+) +/dev/zero", re.MULTILINE)
"""Memory that several processes may share, in ``/proc/PID/maps``: first and last byte, and a number."""
BUFFER = 212_992
"""Bytes that a process can leave in the buffer of a socket; the kernel counts them for no process."""


def memory_of(first: int) -> int:
    """Return the bytes that a process and all its descendants use, counting shared memory once.

    Memory that several of them map counts in full: they can fill it, and then unmap it from the count of
    each. An open file counts as a full buffer of a socket. Return zero if the system does not say.
    """
    shared: dict[bytes, int] = {}
    return sum(_memory_of_one(pid, shared) for pid in descendants(first)) + sum(shared.values())


def _memory_of_one(pid: int, shared: dict[bytes, int]) -> int:
    """The bytes of one process; what it shares is entered in ``shared``."""
    buffers = 0
    with contextlib.suppress(OSError):
        buffers = BUFFER * len(os.listdir(f"/proc/{pid}/fd"))
    with contextlib.suppress(OSError):
        for start, end, number in SHARED.findall(_read(pid, "maps")):
            shared[number] = max(shared.get(number, 0), int(end, 16) - int(start, 16))
        found = {kind: 1024 * int(size) for kind, size in USED.findall(_read(pid, "smaps_rollup"))}
        return buffers + found.get(b"Pss", 0) - found.get(b"Pss_Shmem", 0)
    with contextlib.suppress(OSError, ValueError, IndexError):
        pages, shmem = _read(pid, "statm").split()[1:3]
        return buffers + (int(pages) - int(shmem)) * os.sysconf("SC_PAGE_SIZE")
    return buffers


def _read(pid: int, name: str) -> bytes:
    with open(f"/proc/{pid}/{name}", "rb") as stream:
        return stream.read()
