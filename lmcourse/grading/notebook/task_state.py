"""What the marking of a submission knows about a task so far."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

from lmcourse.grading.notebook.result import TaskResult


class FromBelow(IntEnum):
    """What a task lacks that a cell further down may define; if it lacks something, it is tried again."""

    NOTHING = 0
    SOMETHING = 1
    """A name, a file or a module that the answer uses."""
    THE_ANSWER = 2


@dataclass
class CellEnd:
    """How the answer cell of a task ended.

    Attributes
    ----------
    lost : str
        Why it did not come to an end.
    error : BaseException or None
        The error that it raised.
    skipped : bool
        Whether an import in it was skipped.
    """

    lost: str = ""
    error: BaseException | None = None
    skipped: bool = False


@dataclass
class TaskState:
    """What is known about one task.

    Attributes
    ----------
    result : TaskResult or None
        The best result so far.
    cell : CellEnd
    lacks : FromBelow
    broken : bool
        Whether something broke, perhaps because of another answer: then the task is also tried alone.
    judged : bool
        Whether its value was read and is wrong: it is not tried again.
    """

    result: TaskResult | None = None
    cell: CellEnd = field(default_factory=CellEnd)
    lacks: FromBelow = FromBelow.NOTHING
    broken: bool = False
    judged: bool = False
