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
from typing import Any

from lmcourse.grading.inside.wire import encode
from lmcourse.grading.notebook.failures import Failure, Failures
from lmcourse.grading.notebook.key import Key, Task
from lmcourse.grading.notebook.names import names_used
from lmcourse.grading.notebook.plan import Plan, Step
from lmcourse.grading.notebook.reading import Cell
from lmcourse.grading.notebook.remote_checks import RemoteChecks
from lmcourse.grading.notebook.result import TaskResult
from lmcourse.grading.notebook.task_state import FromBelow, TaskState
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.limits import Lost, TooSlow
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.grading.outside.worker import Worker
from lmcourse.questions import of_chapter

__all__ = ["Marker"]

MOST_REASON = 700
DEFINED_BELOW = (
    "Right, but it uses something that is only defined in a later cell. Move that cell above this one, then"
    " restart and run all cells."
)


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
        self.results: dict[str, TaskResult] = {}
        self.failures = Failures(plan, {task.name: task.label for task in key.tasks.values()})
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
                self._run(step, self.sandbox)  # a later cell may define a name that it needs
        for name in [name for name, state in self.states.items() if state.lacks and not state.judged]:
            self._mark_at_the_end(self.key.tasks[name])
        tasks = self.key.tasks.values()
        return tuple(self._by_hand(t) if t.by_hand else self.results[t.name] for t in tasks)

    def _run(self, step: Step, sandbox: Sandbox) -> None:
        """Run a cell; in less time where it may wait for an endless answer, and not if it is the set's."""
        endless = any(re.search(rf"\b{name}\b", step.source) for name in self._endless_names())
        if step.from_set and endless:
            return
        state = self.states[step.task] if step.task else TaskState()
        try:
            reply = sandbox.run(step.name, step.source, hurried=endless)
        except Lost as lost:
            self.failures.cells.add_lost(step, str(lost))
            state.cell.lost = str(lost)
            state.broken |= not isinstance(lost, TooSlow)
            return
        self.failures.cells.add_errors(step, reply)
        state.cell.skipped |= "skipped" in reply
        if "error" not in reply:
            return
        if not step.task and not step.from_set and step not in self.stopped:
            self.stopped.append(step)
        state.cell.error = proxies.error_of(reply, sandbox.limits)
        if getattr(state.cell.error, "kind", "SyntaxError") not in ("SyntaxError", "NameError"):
            state.broken = True

    def _endless_names(self) -> list[str]:
        """The student's names whose call did not end."""
        lost = [result.name for result in self.results.values() if result.status == "could not run"]
        return [name for task in lost for name in self.key.tasks[task].names]

    def _mark_in_order(self, task: Task) -> None:
        """Try a task with all that ran before it; if that broke, also alone."""
        state = self.states[task.name]
        result = self._mark(task, self.sandbox)
        if state.broken and not state.judged and result.status != "full":
            alone = self._mark_alone(task)
            result = alone if alone.status == "full" else result
        self.results[task.name] = result

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
        """Try a task once more after all cells: a later one may define a name that it needs."""
        state = self.states[task.name]
        error, state.cell.error = state.cell.error, None
        remark = "" if state.lacks is FromBelow.THE_ANSWER else DEFINED_BELOW
        if isinstance(error, proxies.RemoteError) or state.cell.skipped:
            for step in self.plan.steps:
                if step.task == task.name:
                    self._run(step, self.sandbox)
        if self._mark(task, self.sandbox).status == "full":
            self.results[task.name] = _result(task, task.maximum, "full", remark)

    def _mark(self, task: Task, sandbox: Sandbox) -> TaskResult:
        """Run the tests of a task."""
        self.progress(task.label)
        state = self.states[task.name]
        if state.cell.lost:
            return _result(task, 0, "could not run", f"The cell {state.cell.lost}")
        if not self.plan.mentions(task):
            return _result(task, 0, "not answered", f"Not answered. {task.message}")
        points, status = 0, "zero"
        reasons: list[str] = []
        mistakes: tuple[str, ...] = ()
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
            return _result(task, 0, "could not run", f"Your function {lost}")
        if points:
            status = "full" if points == task.maximum else "partial"
        return _result(task, points, status, " ".join(reasons), mistakes)

    def _test(self, task: Task, test: Cell, probe: Worker) -> Failure | None:
        """Run one test cell; return why it failed, or None."""
        state = self.states[task.name]

        def judged() -> None:
            state.judged = True

        checks = RemoteChecks(probe, self.seed, self.failures.explain, judged)
        try:
            # safe to run here: the source is the key's, and the student's names in it are calls to the worker
            exec(compile(test.source, test.name, "exec"), self._namespace(task, test, probe, checks))
        except Exception as error:
            failure = self.failures.of_test(error, task, test, state.cell, checks)
            read = checks.read and not isinstance(error, NameError | proxies.RemoteError)
            state.judged |= read
            state.lacks = max(state.lacks, failure.lacks)
            return failure
        return None

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
