"""Why a task's tests fail, in the words that the student reads."""

from __future__ import annotations

from typing import NamedTuple

from lmcourse.grading.notebook.failed_cells import FailedCells
from lmcourse.grading.notebook.key import Task
from lmcourse.grading.notebook.plan import Plan
from lmcourse.grading.notebook.reading import Cell
from lmcourse.grading.notebook.remote_checks import RemoteChecks, error_text
from lmcourse.grading.notebook.task_state import CellEnd, FromBelow
from lmcourse.grading.outside.proxies import RemoteError
from lmcourse.hints.answers import Unreadable

CURABLE = ("NameError", "AttributeError", "KeyError")
CURABLE += ("ModuleNotFoundError", "ImportError", "FileNotFoundError")
"""Errors that may disappear once a later cell has run."""


class Failure(NamedTuple):
    """Why a test cell failed.

    ``points`` are those of the parts that are right, and ``lacks`` is what a later cell may define.
    """

    status: str
    reason: str
    mistakes: tuple[str, ...] = ()
    points: int = 0
    lacks: FromBelow = FromBelow.NOTHING


class Failures:
    """Explains the failures of one submission; ``cells`` are its cells that have failed so far."""

    def __init__(self, plan: Plan, labels: dict[str, str]):
        self.plan, self.cells = plan, FailedCells(labels)

    def explain(self, kind: str, message: str, known: str | None = None) -> str:
        """Say what caused an error from outside the code that raised it: a failed cell, a newer Python."""
        return self.cells.explain(message, known) + self.plan.newer_python(kind, message)

    def of_test(
        self, error: Exception, task: Task, test: Cell, cell: CellEnd, checks: RemoteChecks
    ) -> Failure:
        """Return why a test cell failed.

        Parameters
        ----------
        error : Exception
            What the test cell raised.
        task : Task
        test : Cell
        cell : CellEnd
            How the task's answer cell ended.
        checks : RemoteChecks
            What the checks in the test cell found.
        """
        if isinstance(error, NameError):
            return self._missing_name(task, error, cell.error)
        if isinstance(error, NotImplementedError):
            return _not_answered(str(error))
        if isinstance(error, AssertionError | Unreadable):
            if checks.not_done:
                return _not_answered(task.message)
            reason = str(error).removeprefix(f"{checks.question_key}: ") or "A hidden test fails."
            points = min(getattr(error, "points", 0), test.points)
            return Failure("zero", reason, checks.mistakes, points, _lack(checks.raised))
        if isinstance(error, RemoteError):
            why = self.explain(error.kind, str(error))
            return Failure("zero", f"Your function raises {error_text(error).rstrip('.')}.{why}")
        return Failure("zero", f"Your answer does not fit the test ({type(error).__name__}: {error}).")

    def _missing_name(self, task: Task, error: NameError, raised: BaseException | None) -> Failure:
        """Why a name of the student is not defined; ``raised`` is the error of the answer cell."""
        if isinstance(raised, NotImplementedError):
            return _not_answered(str(raised))
        if raised is None:
            return self._never_defined(task, str(error))
        kind, line = getattr(raised, "kind", ""), getattr(raised, "line", "")
        place = f" at `{line}`" if line else ""
        why = self.explain(kind or type(raised).__name__, str(raised), task.name)
        reason = f"The cell raises {error_text(raised)}{place}.{why}"
        return Failure("could not run", reason, lacks=_lack(kind))

    def _never_defined(self, task: Task, name: str) -> Failure:
        """Why a name is not defined although the answer cell raised no error."""
        if not self.plan.answers(task):
            return _not_answered(task.message)
        message = f"name '{name}' is not defined"
        why = self.cells.explain(message)
        if any(cell.kind == "SyntaxError" for cell in self.cells.causes(message)):
            why += self.plan.newer_python("SyntaxError", "")
        reason = f"The name `{name}` is not defined. The test needs exactly this name.{why}"
        return Failure("zero", reason, lacks=FromBelow.THE_ANSWER)


def _not_answered(message: str) -> Failure:
    return Failure("not answered", f"Not answered. {message}".strip())


def _lack(kind: str) -> FromBelow:
    """What a task may lack, by the name of the error that it raised."""
    return FromBelow.SOMETHING if kind in CURABLE else FromBelow.NOTHING
