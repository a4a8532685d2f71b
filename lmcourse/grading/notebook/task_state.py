"""The state of a task while its submission is marked."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum


class FromBelow(IntEnum):
    """What a task lacks and a later cell may define; if it lacks something, it is tried again."""

    NOTHING = 0
    SOMETHING = 1  # a name, a file or a module that the answer uses
    THE_ANSWER = 2


@dataclass
class CellEnd:
    """How the answer cell of a task ended."""

    lost: str = ""  # why it did not finish
    error: BaseException | None = None  # what it raised
    skipped: bool = False  # whether an import in it was skipped


@dataclass
class TaskState:
    """What is known about one task."""

    cell: CellEnd = field(default_factory=CellEnd)
    lacks: FromBelow = FromBelow.NOTHING
    broken: bool = False  # another answer may have broken it: it is then also tried alone
    judged: bool = False  # its value was read and is wrong: it is not tried again
