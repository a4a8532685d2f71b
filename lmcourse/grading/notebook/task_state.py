"""What the marking of a submission knows about a task so far."""

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

    lost: str = ""  # why it did not come to an end
    error: BaseException | None = None  # what it raised
    skipped: bool = False  # whether an import in it was skipped


@dataclass
class TaskState:
    """What is known about one task."""

    cell: CellEnd = field(default_factory=CellEnd)
    lacks: FromBelow = FromBelow.NOTHING
    broken: bool = False  # whether another answer may have broken it: then it is also tried alone
    judged: bool = False  # whether its value was read and is wrong: then it is not tried again
