"""What the answers of one submission may use, and the errors that are raised when they use more."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

GRACE_SECONDS = 180
"""Beyond the submission's own limit: for our libraries to load and our tests to compute."""
WATCHED_SECONDS = 0.5
"""How often the memory is measured while we wait."""


@dataclass(frozen=True)
class Limits:
    """What an answer may use.

    Memory counts beyond what the libraries need. ``scratch_mb`` and ``scratch_files`` are for each folder in
    which an answer can write, ``open_files`` for one process, ``reply_mb`` for one value that a call returns,
    and ``total_seconds`` for the whole submission.
    """

    call_seconds: float = 10
    cell_seconds: float = 120
    total_seconds: float = 900
    memory_mb: int = 2048
    file_mb: int = 32
    scratch_mb: int = 64
    scratch_files: int = 2048
    open_files: int = 256
    processes: int = 96
    reply_mb: int = 16

    @property
    def processor_seconds(self) -> int:
        """The processor time of one process: it ends even if the grader does not wait for it any more."""
        return int(2 * self.cell_seconds) + 60

    @property
    def all_memory_mb(self) -> int:
        """The memory of all processes of a submission together."""
        return 2 * self.memory_mb


class Lost(BaseException):
    """The worker has ended or cannot be used any more; the message says what the student's code did.

    It is not an `Exception`, so that no test cell catches it by chance.
    """


class TooSlow(Lost):
    """It took too long; another try would take as long again."""


class Died(Lost):
    """The process has ended; its wait status may say more."""


def out_of_memory(limits: Limits, all_processes: bool = False) -> Lost:
    """Return the error to raise if a process, or all processes together, need more memory than they may."""
    if all_processes:
        return Lost(
            f"started processes that need more than {limits.all_memory_mb} MB of memory together. Start fewer"
            " at a time, and pass each only the data that it needs."
        )
    return Lost(
        f"needed more than {limits.memory_mb} MB of memory. Print the shapes of your arrays: broadcasting may"
        " have made one with an entry for every pair. Or look for a loop that never stops adding to a list."
    )


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
            return TooSlow(
                f"was stopped: the whole notebook takes more than {self.limits.total_seconds:g} seconds."
            )
        return TooSlow(f"ran for more than {seconds:g} seconds. Check for an infinite loop.")
