"""Run the tests of a set on the answers of one submission.

This process runs no code of a student. The tests of the solved set run here, in a clean namespace in which
the student's names are calls that carry data. Where a test says ``check_hidden``, inputs are drawn afresh
from the seed of this grading and compared with a reference that is computed here.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

from lmcourse.grading.inside.wire import encode
from lmcourse.grading.notebook.failed_cells import FailedCells
from lmcourse.grading.notebook.key import Key, Task
from lmcourse.grading.notebook.names import names_used
from lmcourse.grading.notebook.plan import Plan, Step
from lmcourse.grading.notebook.reading import Cell
from lmcourse.grading.notebook.remote_checks import RemoteChecks, error_text
from lmcourse.grading.notebook.result import TaskResult
from lmcourse.grading.notebook.task_state import FromBelow, TaskState
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.limits import Lost, TooSlow
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.grading.outside.worker import Worker
from lmcourse.hints.answers import Unreadable
from lmcourse.questions import of_chapter

__all__ = ["Marker"]

MOST_REASON = 700
CURABLE = ("NameError", "AttributeError", "KeyError")
CURABLE += ("ModuleNotFoundError", "ImportError", "FileNotFoundError")
"""Errors that a cell further down may cure."""
DEFINED_BELOW = (
    "Right, but it uses something that a cell below it defines. Move that cell above this one, then restart"
    " and run all cells."
)


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
        Entered and not yet open.
    seed : int
        Draws the hidden inputs.
    progress : callable, optional
        Called with each task's label before it is marked.
    """

    def __init__(
        self, key: Key, plan: Plan, sandbox: Sandbox, seed: int, progress: Callable[[str], None] | None = None
    ):
        self.key, self.plan, self.sandbox, self.seed = key, plan, sandbox, seed
        self.progress = progress or (lambda label: None)
        self.states = {name: TaskState() for name in key.tasks}
        self.failures = FailedCells({task.name: task.label for task in key.tasks.values()})
        self.stopped: list[Step] = []  # added cells that an error has stopped

    def mark(self) -> tuple[TaskResult, ...]:
        """Run all cells, and test each task where the plan has its tests."""
        # `inputs` shows a set's visible cases; the key of an exam's question would show its variant
        questions = {} if "@" in self.key.chapter else of_chapter(self.key.chapter)
        self.sandbox.open({q.key: encode([list(c) for c in q.cases]) for q in questions.values()})
        for step in self.plan.steps:
            if step.tests:
                self._mark_in_order(self.key.tasks[step.tests])
            else:
                self._run(step, self.sandbox)
        if any(state.lacks for state in self.states.values()):
            for step in list(self.stopped):
                self._run(step, self.sandbox)  # a cell below it may define what it needs
        for name in [name for name, state in self.states.items() if state.lacks and not state.judged]:
            self._mark_at_the_end(self.key.tasks[name])
        tasks = self.key.tasks.values()
        return tuple(self._by_hand(t) if t.by_hand else self.states[t.name].result for t in tasks)

    def _run(self, step: Step, sandbox: Sandbox) -> None:
        """Run a cell; in less time where it may wait for an endless answer, and not if it is the set's."""
        endless = any(re.search(rf"\b{name}\b", step.source) for name in self._endless_names())
        if step.from_set and endless:
            return
        state = self.states[step.task] if step.task else TaskState()
        try:
            reply = sandbox.run(step.name, step.source, hurried=endless)
        except Lost as lost:
            self.failures.add_lost(step, str(lost))
            state.cell.lost = str(lost)
            state.broken |= not isinstance(lost, TooSlow)
            return
        self.failures.add_errors(step, reply)
        state.cell.skipped |= "skipped" in reply
        if "error" not in reply:
            return
        if not step.task and not step.from_set and step not in self.stopped:
            self.stopped.append(step)
        state.cell.error = proxies.error_of(reply, sandbox.limits.memory_mb)
        if getattr(state.cell.error, "kind", "SyntaxError") not in ("SyntaxError", "NameError"):
            state.broken = True

    def _endless_names(self) -> list[str]:
        """The student's names whose call did not end."""
        results = [state.result for state in self.states.values() if state.result]
        lost = [result.name for result in results if result.status == "could not run"]
        return [name for task in lost for name in self.key.tasks[task].names]

    def _mark_in_order(self, task: Task) -> None:
        """Try a task with all that ran before it; if that broke, also alone."""
        state = self.states[task.name]
        state.result = self._mark(task, self.sandbox)
        if state.broken and not state.judged and state.result.status != "full":
            alone = self._mark_alone(task)
            state.result = alone if alone.status == "full" else state.result

    def _mark_alone(self, task: Task) -> TaskResult:
        """Try a task without the other answers, one of which may have broken it, and without their files."""
        state = self.states[task.name]
        before, state.cell = state.cell, replace(state.cell, lost="")
        with self.sandbox.fresh() as fresh:
            for step in self.plan.steps:
                if step.tests == task.name:
                    break
                if not step.tests and step.task in (None, task.name):
                    self._run(step, fresh)
            result = self._mark(task, fresh)
        state.cell = replace(before, skipped=state.cell.skipped)
        return result

    def _mark_at_the_end(self, task: Task) -> None:
        """Try a task once more when all cells have run: a cell below it may define what it needs."""
        state = self.states[task.name]
        error, state.cell.error = state.cell.error, None
        remark = "" if state.lacks is FromBelow.THE_ANSWER else DEFINED_BELOW
        if isinstance(error, proxies.RemoteError) or state.cell.skipped:
            for step in self.plan.steps:
                if step.task == task.name:
                    self._run(step, self.sandbox)
        if self._mark(task, self.sandbox).status == "full":
            state.result = _result(task, task.maximum, "full", remark)

    def _mark(self, task: Task, sandbox: Sandbox) -> TaskResult:
        """Run the tests of a task."""
        self.progress(task.label)
        state = self.states[task.name]
        if state.cell.lost:
            return _result(task, 0, "could not run", f"The cell: {state.cell.lost}")
        if not self.plan.mentions(task):
            return _result(task, 0, "not answered", f"Not answered. {task.message}")
        points, reasons, mistakes, status = 0, [], (), "zero"
        try:
            with sandbox.probe() as probe:
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
            state.broken |= not isinstance(lost, TooSlow)
            return _result(task, 0, "could not run", f"Your function: {lost}")
        if points:
            status = "full" if points == task.maximum else "partial"
        return _result(task, points, status, " ".join(reasons), mistakes)

    def _test(self, task: Task, test: Cell, probe: Worker) -> _Failure | None:
        """Run one test cell; return why it failed, or None."""
        state = self.states[task.name]

        def judged() -> None:
            state.judged = True

        checks = RemoteChecks(probe, self.seed, self._explain, judged)
        failure = self._run_test(task, test, probe, checks)
        state.judged |= failure is not None and checks.read
        return failure

    def _run_test(self, task: Task, test: Cell, probe: Worker, checks: RemoteChecks) -> _Failure | None:
        """Run one test cell, as `_test`; ``checks`` records what happened."""
        try:
            # safe to run here: the source is the key's, and the student's names in it are calls to the worker
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
                self._note_lack(task, FromBelow.SOMETHING)
            reason = str(error).removeprefix(f"{checks.question_key}: ") or "A hidden test fails."
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
        """Say what caused an error from outside the code that raised it: a failed cell, a newer Python."""
        return self.failures.explain(message, known) + self.plan.newer_python(kind, message)

    def _missing_name(self, task: Task, error: NameError) -> _Failure:
        """Why a name of the student is not defined."""
        raised = self.states[task.name].cell.error
        if isinstance(raised, NotImplementedError):
            return _Failure("not answered", f"Not answered. {raised}")
        if raised is None and not self.plan.answers(task):
            return _Failure("not answered", f"Not answered. {task.message}")
        if getattr(raised, "kind", "") in CURABLE:
            self._note_lack(task, FromBelow.SOMETHING)
        if raised is None:
            self._note_lack(task, FromBelow.THE_ANSWER)
            message = f"name '{error}' is not defined"
            why = self.failures.explain(message)
            if any(cell.kind == "SyntaxError" for cell in self.failures.causes(message)):
                why += self.plan.newer_python("SyntaxError", "")
            needed = "The test needs exactly this name."
            return _Failure("zero", f"The name `{error}` is not defined. {needed}{why}")
        line = f" at `{raised.line}`" if getattr(raised, "line", "") else ""
        why = self._explain(getattr(raised, "kind", type(raised).__name__), str(raised), task.name)
        return _Failure("could not run", f"The cell raises {error_text(raised)}{line}.{why}")

    def _note_lack(self, task: Task, what: FromBelow) -> None:
        state = self.states[task.name]
        state.lacks = max(state.lacks, what)

    def _namespace(self, task: Task, test: Cell, probe: Worker, checks: RemoteChecks) -> dict[str, Any]:
        """What the test cell reads: our checks, the student's names, and the set's own."""
        names: dict[str, Any] = {"check": checks.check, "check_hidden": checks.check_hidden}
        names["inputs"] = checks.inputs
        names["print"] = _do_nothing
        names["check_form"] = _do_nothing  # of an exam's paper: the question reads the answer in the same way
        needed = names_used(test.source) - names.keys() - set(task.names)
        if needed - set(dir(builtins)):
            names = self._names_of_key | names
        return names | {name: proxies.fetch(probe, name) for name in task.names}

    @cached_property
    def _names_of_key(self) -> dict[str, Any]:
        """The names of the solved set, which is trusted. It is run only if a test needs one."""
        names: dict[str, Any] = {"print": _do_nothing, "display": _do_nothing}
        for cell in self.key.cells:
            if cell.kind in ("setup", "answer"):
                exec(compile(cell.source, cell.id, "exec"), names)
        return names

    def _by_hand(self, task: Task) -> TaskResult:
        words = self.plan.words.get(task.name, "")
        reason = "A person grades this."
        if not words:
            reason += " We found no text in the cell of this task; look at the submission."
        return TaskResult(
            task.name, task.label, task.title, None, task.maximum, "by hand", reason, words=words
        )


def _do_nothing(*things: Any, **keywords: Any) -> None:
    """Replaces ``print`` in a test, whose output nobody would read."""


def _result(task: Task, points: int, status: str, reason: str, mistakes: tuple[str, ...] = ()) -> TaskResult:
    reason = reason if len(reason) <= MOST_REASON else reason[: MOST_REASON - 3] + "..."
    reason = "".join(c if c.isprintable() else " " for c in reason).strip()
    reason = reason[:1].upper() + reason[1:]
    return TaskResult(task.name, task.label, task.title, points, task.maximum, status, reason, mistakes)
