"""Run the tests of a set on the answers of one submission.

This process runs no code of a student. The tests of the solved set run here, in a clean namespace in which
the student's names are calls that carry data. Where a test says ``check_hidden``, inputs are drawn afresh
from the seed of this grading and compared with a reference that is computed here.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from typing import Any, NamedTuple

from lmcourse.grading.inside.wire import encode
from lmcourse.grading.notebook.failed_cells import FailedCells
from lmcourse.grading.notebook.key import Key, Task, names_used
from lmcourse.grading.notebook.reading import Cell
from lmcourse.grading.notebook.remote_checks import RemoteChecks, error_text
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


class _Failure(NamedTuple):
    """Why a test cell failed: the task's status, a sentence, mistakes, and the points of right parts."""

    status: str
    reason: str
    mistakes: tuple[str, ...] = ()
    points: int = 0


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
        self.broken: set[str] = set()  # tasks in which something broke, perhaps because of another answer
        self.errors: dict[str, BaseException] = {}  # task -> the error that its cell raised
        self.failures = FailedCells({task.name: task.label for task in key.tasks.values()})
        self.judged: set[str] = set()  # tasks whose value was read and is wrong: they get no second try
        self.retry: dict[str, None] = {}  # tasks that need something which a cell below may define (in order)
        self.undefined: set[str] = set()  # those of them whose answer itself is missing
        self.skipped: set[str] = set()  # tasks in whose cell an import was skipped
        self.stopped: list[Step] = []  # added cells that an error has stopped

    def mark(self) -> tuple[TaskResult, ...]:
        """Run all cells, and test each task where its tests stand."""
        # `inputs` shows a set's visible cases; the key of an exam's question would betray its variant
        questions = {} if "@" in self.key.chapter else of_chapter(self.key.chapter)
        self.sandbox.open({key: encode([list(c) for c in q.cases]) for key, q in questions.items()})
        for step in self.plan.steps:
            if step.tests:
                self._mark_task(self.key.tasks[step.tests])
                if step.tests in self.broken - self.judged and self.results[step.tests].status != "full":
                    self._mark_alone(self.key.tasks[step.tests])
            else:
                self._run(step)
        for step in list(self.stopped) if self.retry else ():
            self._run(step)  # what it needs may stand below it
        for name in [name for name in self.retry if name not in self.judged]:
            self._mark_at_the_end(self.key.tasks[name])
        return tuple(self._by_hand(t) if t.by_hand else self.results[t.name] for t in self.key.tasks.values())

    def _run(self, step: Step) -> None:
        """Run a cell; in less time where it may wait for an endless answer, and not if it is the set's."""
        endless = any(re.search(rf"\b{name}\b", step.source) for name in self._endless_names())
        if step.from_set and endless:
            return
        try:
            reply = self.sandbox.run(step.name, step.source, hurried=endless)
        except Lost as lost:
            self.failures.add_lost(step, str(lost))
            if step.task:
                self.lost[step.task] = str(lost)
                self._record_loss(step.task, lost)
            return
        self.failures.add_errors(step, reply)
        if step.task and "skipped" in reply:
            self.skipped.add(step.task)
        if "error" in reply and not step.task and not step.from_set and step not in self.stopped:
            self.stopped.append(step)
        if step.task and "error" in reply:
            error = self.errors[step.task] = proxies.error_of(reply, self.sandbox.limits.memory_mb)
            if getattr(error, "kind", "SyntaxError") not in ("SyntaxError", "NameError"):
                self.broken.add(step.task)

    def _record_loss(self, task: str, lost: Lost) -> None:
        if not isinstance(lost, TooSlow):
            self.broken.add(task)

    def _endless_names(self) -> list[str]:
        """The student's names whose call did not end."""
        lost = [name for name, result in self.results.items() if result.status == "could not run"]
        return [name for task in lost for name in self.key.tasks[task].names]

    def _mark_alone(self, task: Task) -> None:
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
        before, needs = self.results[task.name], task.name not in self.undefined
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
                    failure = self._test(task, test, probe)
                    if failure is None:
                        points += test.points
                        continue
                    points += failure.points
                    status = failure.status if not points else status
                    mistakes += tuple(i for i in failure.mistakes if i not in mistakes)
                    if failure.reason not in reasons:
                        reasons.append(failure.reason)
        except Lost as lost:
            points, reasons, mistakes, status = 0, [f"Your function: {lost}"], (), "could not run"
            self._record_loss(task.name, lost)
        if points:
            status = "full" if points == task.maximum else "partial"
        self.results[task.name] = _result(task, points, status, " ".join(reasons), mistakes)

    def _test(self, task: Task, test: Cell, probe: Worker) -> _Failure | None:
        """Run one test cell; return why it failed, or None."""
        checks = RemoteChecks(probe, self.seed, self._explain, lambda: self.judged.add(task.name))
        failure = self._run_test(task, test, probe, checks)
        if failure is not None and checks.read:
            self.judged.add(task.name)
        return failure

    def _run_test(self, task: Task, test: Cell, probe: Worker, checks: RemoteChecks) -> _Failure | None:
        """Run one test cell, as `_test`; ``checks`` knows afterwards what it has met."""
        try:
            # ours to run here: the source is the key's, and the student's names in it are calls to the worker
            exec(compile(test.source, test.name, "exec"), self._namespace(task, test, probe, checks))
        except NameError as error:
            checks.read = False
            return self._missing_name(task, error)
        except NotImplementedError as error:
            return _Failure("not answered", f"Not answered. {error}".strip())
        except (AssertionError, Unreadable) as error:
            if checks.not_done:
                return _Failure("not answered", f"Not answered. {task.message}")
            if checks.raised in CURABLE:
                self.retry[task.name] = None
            reason = str(error).removeprefix(f"{checks.key}: ") or "A hidden test fails."
            points = min(getattr(error, "points", 0), test.points)
            return _Failure("zero", reason, checks.mistakes, points)
        except proxies.RemoteError as error:
            checks.read = False
            why = self._explain(error.kind, str(error))
            return _Failure("zero", f"Your function raises {error_text(error).rstrip('.')}.{why}")
        except Exception as error:
            return _Failure("zero", f"Your answer does not fit the test ({type(error).__name__}: {error}).")
        return None

    def _explain(self, kind: str, message: str, known: str | None = None) -> str:
        """Sentences on the cause of an error that is not its own: a cell that has failed, a newer Python."""
        return self.failures.explain(message, known) + self.plan.newer_python(kind, message)

    def _missing_name(self, task: Task, error: NameError) -> _Failure:
        """Why a name of the student is not defined."""
        raised = self.errors.get(task.name)
        if isinstance(raised, NotImplementedError):
            return _Failure("not answered", f"Not answered. {raised}")
        if raised is None and not self.plan.answers(task):
            return _Failure("not answered", f"Not answered. {task.message}")
        if raised is None or getattr(raised, "kind", "") in CURABLE:
            self.retry[task.name] = None
        if raised is None:
            self.undefined.add(task.name)
            why = self.failures.explain(f"name '{error}' is not defined")
            why += self.plan.newer_python("SyntaxError", "") if "with SyntaxError" in why else ""
            needed = "The test needs exactly this name."
            return _Failure("zero", f"The name `{error}` is not defined. {needed}{why}")
        line = f" at `{raised.line}`" if getattr(raised, "line", "") else ""
        why = self._explain(getattr(raised, "kind", type(raised).__name__), str(raised), task.name)
        return _Failure("could not run", f"The cell raises {error_text(raised)}{line}.{why}")

    def _namespace(self, task: Task, test: Cell, probe: Worker, checks: RemoteChecks) -> dict[str, Any]:
        """What the test cell reads: our checks, the student's names, and the set's own."""
        names: dict[str, Any] = {"check": checks.check, "check_hidden": checks.check_hidden}
        names["inputs"] = checks.inputs
        names["print"] = _do_nothing
        names["check_form"] = _do_nothing  # of an exam's paper: the question reads the answer in the same way
        needed = names_used(test.source) - names.keys() - set(task.names)
        if needed - set(dir(builtins)):
            names = self._names_of_key() | names
        return names | {name: proxies.fetch(probe, name) for name in task.names}

    def _names_of_key(self) -> dict[str, Any]:
        """The names of the solved set, which is trusted. It is run only if a test needs one."""
        if not hasattr(self, "_solved"):
            self._solved: dict[str, Any] = {"print": _do_nothing, "display": _do_nothing}
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


def _do_nothing(*things: Any, **keywords: Any) -> None:
    """Stands for ``print`` in a test, whose output nobody would read."""


def _result(task: Task, points: int, status: str, reason: str, mistakes: tuple[str, ...] = ()) -> TaskResult:
    reason = reason if len(reason) <= MOST_REASON else reason[: MOST_REASON - 3] + "..."
    reason = "".join(c if c.isprintable() else " " for c in reason).strip()
    reason = reason[:1].upper() + reason[1:]
    return TaskResult(task.name, task.label, task.title, points, task.maximum, status, reason, mistakes)
