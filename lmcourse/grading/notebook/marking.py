"""Run the tests of a set on the answers of one submission.

This process runs no code of a student. The tests of the solved set run here, in a clean namespace in which
the student's names are calls that carry data. Where a test says ``check_hidden``, inputs are drawn afresh
from the seed of this grading and compared with a reference that is computed here.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any

from lmcourse.grading.inside.wire import encode
from lmcourse.grading.notebook.failed_cells import FailedCells
from lmcourse.grading.notebook.key import Key, Task, names_used
from lmcourse.grading.notebook.reading import Cell
from lmcourse.grading.notebook.remote_checks import RemoteChecks, named
from lmcourse.grading.notebook.result import TaskResult
from lmcourse.grading.notebook.submission import Plan, Step
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.grading.outside.worker import Lost, TooSlow, Worker
from lmcourse.hints.answers import Unreadable
from lmcourse.questions import of_chapter

__all__ = ["Marker"]

MOST_REASON = 700
CURABLE = (
    "NameError",
    "AttributeError",
    "KeyError",
    "ModuleNotFoundError",
    "ImportError",
    "FileNotFoundError",
)
"""Errors that a cell further down may cure."""


class Marker:
    """Marks one submission.

    Parameters
    ----------
    key : Key
    plan : Plan
        What the submission adds to the set.
    sandbox : Sandbox
        Launched and not yet open.
    seed : int
        Draws the hidden inputs.
    progress : callable, optional
        Is told the label of each task before it is marked.
    """

    def __init__(
        self, key: Key, plan: Plan, sandbox: Sandbox, seed: int, progress: Callable[[str], None] | None = None
    ):
        self.key, self.plan, self.sandbox, self.seed = key, plan, sandbox, seed
        self.progress = progress or (lambda label: None)
        self.results: dict[str, TaskResult] = {}
        self.lost: dict[str, str] = {}  # task -> why its cell did not come to an end
        self.broken: set[str] = set()  # tasks in which something broke, perhaps by another answer
        self.errors: dict[str, BaseException] = {}  # task -> the error that its cell raised
        self.stops = FailedCells({task.name: task.label for task in key.tasks.values()})
        self.judged: set[str] = set()  # tasks of which a value was read and is wrong: no second guess
        self.later: dict[str, None] = {}  # tasks that miss something which a cell below may define
        self.below: set[str] = set()  # those of them whose answer itself is missing
        self.skipped: set[str] = set()  # tasks in whose cell an import was skipped
        self.failed: list[Step] = []  # added cells that have stopped

    def mark(self) -> tuple[TaskResult, ...]:
        """Run all cells, and test each task where its tests stand."""
        # `inputs` shows a set's visible cases; the key of an exam's question would betray its variant
        questions = {} if "@" in self.key.chapter else of_chapter(self.key.chapter)
        self.sandbox.open({key: encode([list(c) for c in q.cases]) for key, q in questions.items()})
        for step in self.plan.steps:
            if step.tests:
                self._mark_task(self.key.tasks[step.tests])
                if step.tests in self.broken - self.judged and self.results[step.tests].status != "full":
                    self._mark_apart(self.key.tasks[step.tests])
            else:
                self._run(step)
        for step in list(self.failed) if self.later else ():
            self._run(step)  # what it needs may stand below it
        for name in [name for name in self.later if name not in self.judged]:
            self._mark_at_the_end(self.key.tasks[name])
        return tuple(self._by_hand(t) if t.by_hand else self.results[t.name] for t in self.key.tasks.values())

    def _run(self, step: Step) -> None:
        """Run a cell; in less time where it may wait for an endless answer, and not if it is the set's."""
        endless = any(re.search(rf"\b{name}\b", step.source) for name in self._endless())
        if step.from_set and endless:
            return
        try:
            reply = self.sandbox.run(step.name, step.source, hurried=endless)
        except Lost as lost:
            self.stops.lost(step, str(lost))
            if step.task:
                self.lost[step.task] = str(lost)
                self._note(step.task, lost)
            return
        self.stops.note(step, reply)
        if step.task and "skipped" in reply:
            self.skipped.add(step.task)
        if "error" in reply and not step.task and not step.from_set and step not in self.failed:
            self.failed.append(step)
        if step.task and "error" in reply:
            error = self.errors[step.task] = proxies.error_of(reply, self.sandbox.limits.memory_mb)
            if getattr(error, "kind", "SyntaxError") not in ("SyntaxError", "NameError"):
                self.broken.add(step.task)

    def _note(self, task: str, lost: Lost) -> None:
        if not isinstance(lost, TooSlow):
            self.broken.add(task)

    def _endless(self) -> list[str]:
        """The student's names whose call did not come back."""
        lost = [name for name, result in self.results.items() if result.status == "could not run"]
        return [name for task in lost for name in self.key.tasks[task].names]

    def _mark_apart(self, task: Task) -> None:
        """Try a task without the other answers, one of which may have broken it, and without their files."""
        whole, before = self.sandbox, self.results[task.name]
        lost, errors = dict(self.lost), dict(self.errors)
        self.lost.pop(task.name, None)
        with whole.fresh() as self.sandbox:
            for step in self.plan.steps:
                if step.tests == task.name:
                    break
                if not step.tests and step.task in (None, task.name):
                    self._run(step)
            self._mark_task(task)
        self.sandbox, self.lost, self.errors = whole, lost, errors
        if self.results[task.name].status != "full":
            self.results[task.name] = before

    def _mark_at_the_end(self, task: Task) -> None:
        """Try a task once more when all cells have run: what it needs may stand below it."""
        before, needs = self.results[task.name], task.name not in self.below
        if isinstance(self.errors.pop(task.name, None), proxies.RemoteError) or task.name in self.skipped:
            for step in self.plan.steps:
                if step.task == task.name:
                    self._run(step)
        self._mark_task(task)
        if self.results[task.name].status != "full":
            self.results[task.name] = before
            return
        remark = (
            "Right, but it uses something that a cell below it defines. Move that cell above this one, then"
            " restart and run all cells."
        )
        self.results[task.name] = _result(task, task.maximum, "full", remark if needs else "")

    def _mark_task(self, task: Task) -> None:
        """Run the tests of a task."""
        self.progress(task.label)
        if task.name in self.lost:
            self.results[task.name] = _result(task, 0, "could not run", f"The cell: {self.lost[task.name]}")
            return
        if not self.plan.mentions(task):
            self.results[task.name] = _result(task, 0, "not answered", f"Not answered. {task.message}")
            return
        points, reasons, mistakes, status = 0, [], (), "zero"
        try:
            with self.sandbox.probe() as probe:
                for test in task.tests:
                    failed = self._test(task, test, probe)
                    if failed is None:
                        points += test.points
                        continue
                    kind, reason, found, share = failed
                    points += share
                    status = kind if not points else status
                    mistakes += tuple(i for i in found if i not in mistakes)
                    if reason not in reasons:
                        reasons.append(reason)
        except Lost as lost:
            points, reasons, mistakes, status = 0, [f"Your function: {lost}"], (), "could not run"
            self._note(task.name, lost)
        if points:
            status = "full" if points == task.maximum else "partial"
        self.results[task.name] = _result(task, points, status, " ".join(reasons), mistakes)

    def _test(self, task: Task, test: Cell, probe: Worker) -> tuple[str, str, tuple[str, ...], int] | None:
        """Run one test cell; when it fails, return status, reason, mistakes and the points of right parts."""
        tests = RemoteChecks(
            probe, self.seed, self.stops.why, self.plan.newer, lambda: self.judged.add(task.name)
        )
        failed = self._failed(task, test, probe, tests)
        if failed is not None and tests.read:
            self.judged.add(task.name)
        return failed

    def _failed(
        self, task: Task, test: Cell, probe: Worker, tests: RemoteChecks
    ) -> tuple[str, str, tuple[str, ...], int] | None:
        """Run one test cell, as `_test`; ``tests`` knows afterwards what it has met."""
        try:
            names = self._namespace(task, test, probe, tests)
            exec(compile(test.source, test.name, "exec"), names)
        except NameError as error:
            tests.read = False
            return *self._missing(task, error), 0
        except NotImplementedError as error:
            return "not answered", f"Not answered. {error}".strip(), (), 0
        except (AssertionError, Unreadable) as error:
            if tests.not_done:
                return "not answered", f"Not answered. {task.message}", (), 0
            if tests.raised in CURABLE:
                self.later[task.name] = None
            reason = str(error).removeprefix(f"{tests.key}: ") or "A hidden test fails."
            share = min(getattr(error, "points", 0), test.points)
            return "zero", reason, tests.mistakes, share
        except proxies.RemoteError as error:
            tests.read = False
            why = self.stops.why(str(error)) + self.plan.newer(error.kind, str(error))
            return "zero", f"Your function raises {named(error).rstrip('.')}.{why}", (), 0
        except Exception as error:
            return "zero", f"Your answer does not fit the test ({type(error).__name__}: {error}).", (), 0
        return None

    def _missing(self, task: Task, error: NameError) -> tuple[str, str, tuple[str, ...]]:
        """Why a name of the student is not there."""
        raised = self.errors.get(task.name)
        if isinstance(raised, NotImplementedError):
            return "not answered", f"Not answered. {raised}", ()
        if raised is None and not self.plan.answers(task):
            return "not answered", f"Not answered. {task.message}", ()
        if raised is None or getattr(raised, "kind", "") in CURABLE:
            self.later[task.name] = None
        if raised is None:
            self.below.add(task.name)
            why = self.stops.why(f"name '{error}' is not defined")
            why += self.plan.newer("SyntaxError", "") if "with SyntaxError" in why else ""
            return "zero", f"The name `{error}` is not defined. The test needs exactly this name.{why}", ()
        line = f" at `{raised.line}`" if getattr(raised, "line", "") else ""
        kind = getattr(raised, "kind", type(raised).__name__)
        why = self.stops.why(str(raised), known=task.name) + self.plan.newer(kind, str(raised))
        return "could not run", f"The cell raises {named(raised)}{line}.{why}", ()

    def _namespace(self, task: Task, test: Cell, probe: Worker, tests: RemoteChecks) -> dict[str, Any]:
        """What the test cell reads: our checks, the student's names, and the set's own."""
        names: dict[str, Any] = {"check": tests.check, "check_hidden": tests.check_hidden}
        names["inputs"] = tests.inputs
        names["print"] = _nothing
        names["check_form"] = _nothing  # of an exam's paper: the question reads the answer in the same way
        needed = names_used(test.source) - names.keys() - set(task.names)
        if needed - set(dir(builtins)):
            names = self._own_names() | names
        return names | {name: proxies.fetch(probe, name) for name in task.names}

    def _own_names(self) -> dict[str, Any]:
        """The names of the solved set, which is ours to run. Rare: most tests only check."""
        if not hasattr(self, "_solved"):
            self._solved: dict[str, Any] = {"print": _nothing, "display": _nothing}
            for cell in self.key.cells:
                if cell.kind in ("setup", "answer"):
                    exec(compile(cell.source, cell.id, "exec"), self._solved)
        return self._solved

    def _by_hand(self, task: Task) -> TaskResult:
        words = self.plan.words.get(task.name, "")
        reason = "A person grades this."
        if not words:
            reason += " We found no text in the cell of this task; look at the submission."
        return TaskResult(
            task.name, task.label, task.title, None, task.maximum, "by hand", reason, words=words
        )


def _nothing(*things: Any, **keywords: Any) -> None:
    """What ``print`` does in a test here: a report tells more."""


def _result(task: Task, points: int, status: str, reason: str, mistakes: tuple[str, ...] = ()) -> TaskResult:
    reason = reason if len(reason) <= MOST_REASON else reason[: MOST_REASON - 3] + "..."
    reason = "".join(c if c.isprintable() else " " for c in reason).strip()
    reason = reason[:1].upper() + reason[1:]
    return TaskResult(task.name, task.label, task.title, points, task.maximum, status, reason, mistakes)
