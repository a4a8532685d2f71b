"""What the marking of a submission remembers about a task."""

from __future__ import annotations

from dataclasses import dataclass

from lmcourse.grading.notebook.result import TaskResult


@dataclass
class TaskState:
    """What is known about one task so far.

    Attributes
    ----------
    result : TaskResult or None
    lost : str
        Why its cell did not come to an end.
    error : BaseException or None
        The error that its cell raised.
    broken : bool
        Whether something broke in it, perhaps because of another answer.
    judged : bool
        Whether its value was read and is wrong: it gets no second try.
    retry : bool
        Whether it needs something that a cell below may define.
    undefined : bool
        Whether that is the answer itself.
    skipped : bool
        Whether an import in its cell was skipped.
    """

    result: TaskResult | None = None
    lost: str = ""
    error: BaseException | None = None
    broken: bool = False
    judged: bool = False
    retry: bool = False
    undefined: bool = False
    skipped: bool = False
