"""What ``/proc`` says about processes. On systems without it, such as macOS, no process is found."""

import contextlib
import os
from collections.abc import Iterator


def process_ids(uid: int | None = None) -> Iterator[int]:
    """Yield the ids of all processes, or of those of one user."""
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        with contextlib.suppress(OSError):  # it may have ended meanwhile
            if name.isdigit() and (uid is None or os.stat(f"/proc/{name}").st_uid == uid):
                yield int(name)


def descendants(first: int) -> set[int]:
    """Return the ids of a process and of all its descendants."""
    children: dict[int, list[int]] = {}
    for pid in process_ids():
        with contextlib.suppress(OSError, ValueError, IndexError), open(f"/proc/{pid}/stat", "rb") as stream:
            # read as bytes, and from the last bracket on: a process can give itself any name
            children.setdefault(int(stream.read().rpartition(b")")[2].split()[1]), []).append(pid)
    found, waiting = set(), [first]
    while waiting:
        pid = waiting.pop()
        if pid not in found:
            found.add(pid)
            waiting += children.get(pid, ())
    return found


def thread_count(uid: int) -> int:
    """Return how many threads a user has."""
    count = 0
    for pid in process_ids(uid):
        with contextlib.suppress(OSError):
            count += len(os.listdir(f"/proc/{pid}/task"))
    return count
