"""How much memory the processes with the answers use together: the system limits each of them alone."""

from __future__ import annotations

import contextlib
import os
import re

PRIVATE = re.compile(r"^Pss:\s+(\d+) kB", re.MULTILINE)


def memory_of(first: int) -> int:
    """Return the bytes that a process and all its descendants use, what they share counted once.

    Zero where the system does not tell.
    """
    return sum(_used(pid) for pid in _family(first))


def _family(first: int) -> set[int]:
    children: dict[int, list[int]] = {}
    for name in filter(str.isdigit, os.listdir("/proc") if os.path.isdir("/proc") else ()):
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{name}/stat", "rb") as stream:
            # as bytes: a process may give itself a name that is no text
            children.setdefault(int(stream.read().rpartition(b")")[2].split()[1]), []).append(int(name))
    found, waiting = set(), [first]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, ())
    return found


def _used(pid: int) -> int:
    with contextlib.suppress(OSError):
        with open(f"/proc/{pid}/smaps_rollup") as stream:
            match = PRIVATE.search(stream.read())
        return 1024 * int(match[1]) if match else 0
    with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/statm") as stream:
        pages, shared = stream.read().split()[1:3]
        return (int(pages) - int(shared)) * os.sysconf("SC_PAGE_SIZE")
    return 0
