"""The plan of a submission: its code and the set's as steps to run, in the order of the set.

Of a submission only the source of answer cells and of cells that the student added or changed is taken. A
cell is recognised by its ``grade_id``, else by its id, else by its source; a text also by its task's heading.
Tests, points and the set's own cells come from the key, even if the student edited, copied or deleted them.
What a student typed into a test cell runs just before the tests, in the student's process, or just after them
if it is below the check. A copy of a cell stays where the student has it; the tests of its task run there if
the student checks the copy, since the copy is then the answer.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, replace

from lmcourse.grading.notebook.key import HEADING, Key, Task
from lmcourse.grading.notebook.names import defines
from lmcourse.grading.notebook.reading import Cell, normalised

CHECKS = re.compile(r"\s*(check|check_hidden|check_form)\(")
CHECKED = re.compile(r"^\s*check\w*\(\s*[\"']([^\"']+)[\"']", re.MULTILINE)
CONTINUES = re.compile(r"[\s)\]}#]|(except|else|elif|finally)\b|$")
"""Matches a line that continues the statement above it."""
NEW_IN_A_MODULE = ("module '", "type object '", "cannot import name")


@dataclass(frozen=True)
class Step:
    """Code to run: the set's own, or the student's.

    Attributes
    ----------
    source : str
    name : str
        What an error message calls it.
    task : str or None
        The task whose answer cell it is.
    from_set : bool
        Whether it is the set's, and not the student's.
    tests : str or None
        Instead of code: the task whose tests run here.
    """

    source: str
    name: str
    task: str | None = None
    from_set: bool = False
    tests: str | None = None


@dataclass
class Plan:
    """The steps, the answers in words, and the notebook's version of Python where the grader's is older."""

    steps: list[Step]
    words: dict[str, str] = field(default_factory=dict)
    python: str = ""

    def newer_python(self, kind: str, message: str) -> str:
        """Remark on an error that a newer Python might not have raised; an empty text for any other."""
        missing = kind in ("AttributeError", "ImportError") and message.startswith(NEW_IN_A_MODULE)
        if not self.python or not (kind == "SyntaxError" or missing):
            return ""
        return f" This notebook was written with Python {self.python}; the grader runs {_version()}."

    def mentions(self, task: Task) -> bool:
        """Whether any code of the student has one of the names that the task's tests use."""
        code = "\n".join(step.source for step in self.steps if not step.from_set)
        return any(re.search(rf"\b{re.escape(name)}\b", code) for name in task.names)

    def answers(self, task: Task) -> bool:
        """Whether the task's cell is filled in, or other code of the student defines one of its names."""
        return any(step.task == task.name for step in self.steps) or _define(self.steps, task)


def make_plan(key: Key, cells: list[Cell], metadata: dict | None = None) -> Plan:
    """Bring the cells of a submission into the order of the set."""
    finder, words = _Finder(key), _Words(key)
    places = [finder.find(cell) for cell in cells]
    order = _Order(key, {key.cells[found].name for found in places if found is not None})
    for number, (cell, found) in enumerate(zip(cells, places, strict=True), start=1):
        if found is None and cell.kind == "text":
            words.add(order.place, cell.source)
        elif found is not None and key.cells[found].kind in ("by hand", "text"):
            order.reach(found)
            if not _is_unchanged(cell, key.cells[found]):
                words.change(found, cell.source)
        else:
            order.take(found, cell, f"cell {number} of your notebook")
    return Plan(order.steps(), words.found(), _python_if_newer(metadata or {}))


def _version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _python_if_newer(metadata: dict) -> str:
    """The version of Python that the metadata names, as in ``"3.13"``, if the grader's is older."""
    told = metadata.get("language_info")
    version = told.get("version") if isinstance(told, dict) else None
    match = re.match(r"3\.(\d{1,3})(?!\d)", version) if isinstance(version, str) else None
    return match[0] if match and int(match[1]) > sys.version_info.minor else ""


def _define(steps: list[Step], task: Task) -> bool:
    """Whether code of the student among the steps defines one of the names that the task's tests use."""
    return any(defines(s.source, name) for s in steps if not s.from_set for name in task.names)


class _Order:
    """The student's code in the order of the set; ``place`` is the last cell of the key that was seen.

    For example, the key has the cells 0 (set-up), 1 (the answer "mean") and 2 (its test). A student fills in
    the answer, adds a cell ``x = 2`` after it, and writes ``print(x)`` below the check. `steps` then returns

        the set-up, from the key
        the answer               ``inside[1]``
        ``x = 2``                ``added[1]``
        the tests of "mean"      at ``last_test``
        ``print(x)``             ``below["mean"]``

    ``kept`` are the names of the set's cells that the submission still has.
    """

    def __init__(self, key: Key, kept: set[str]):
        self.cells, self.place = key.cells, -1
        self.seen: set[int] = set()
        self.copied: set[str] = set()  # tasks with a second answer cell
        self.inside: dict[int, list[Step]] = {}  # code in an answer cell or a test cell
        self.below: dict[str, list[Step]] = {}  # task -> code below the last check in such a cell
        self.added: dict[int, list[Step]] = {}  # code that the student added after a cell
        tested = [task for task in key.tasks.values() if task.tests]
        self.last_test = {task.tests[-1].name: task.name for task in tested}
        self.tasks = {name: task for task in tested for name in (task.name, *(t.name for t in task.tests))}
        self.unchecked = {t.name for t in tested if not kept & {test.name for test in t.tests}}
        self.checks = {k: task.name for task in tested for t in task.tests for k in CHECKED.findall(t.source)}

    def reach(self, found: int) -> bool:
        """Return whether the cell is seen for the first time; a copy stays where the student has it."""
        first = found not in self.seen
        self.place = found if first else self.place
        self.seen.add(found)
        return first

    def take(self, found: int | None, cell: Cell, name: str) -> None:
        """Take a cell with code: the cell ``found`` of the key, or one that the student added."""
        if found is None:
            self._add(cell.source, name)
            return
        known, first = self.cells[found], self.reach(found)
        task = self.tasks.get(known.name)
        if _is_unchanged(cell, known):
            if first and known.kind == "answer":
                self.seen.remove(found)  # still blank: its copy may be filled
        elif task and first:
            last = known.name in self.last_test or (known.name == task.name and task.name in self.unchecked)
            above, below = _cut_at_the_check(cell.source, task) if last else (cell.source, "")
            own = task.name if known.name == task.name else None
            _append(self.inside, found, Step(above, name, task=own))
            _append(self.below, task.name, Step(below, f"{name}, below the check"))
        else:
            if task and known.kind == "answer":
                self.copied.add(task.name)
            half = known.kind == "answer" and self.place == found  # of an answer that was split
            self._add(cell.source, name, known.name if half else None)

    def _add(self, source: str, name: str, task: str | None = None) -> None:
        """Take a cell at the place where the student has it, with the check of an answer's copy."""
        checked = {self.checks[k] for k in CHECKED.findall(source) if k in self.checks} & self.copied
        above, below = _cut_at_the_check(source) if checked else (source, "")
        _append(self.added, self.place, Step(above, name, task=task))
        tests = [Step("", name, from_set=True, tests=task) for task in sorted(checked)]
        self.added.setdefault(self.place, []).extend(tests)
        _append(self.added, self.place, Step(below, f"{name}, below the check"))

    def steps(self) -> list[Step]:
        """All steps, the set's own among them."""
        steps = list(self.added.get(-1, ()))
        filled = {step.task for found in self.inside.values() for step in found}
        for i, cell in enumerate(self.cells):
            if cell.kind == "setup":
                steps.append(Step(cell.source, f"cell {i + 1} of the set", from_set=True))
            for step in self.inside.get(i, ()):
                steps.append(_as_answer(step, self.tasks[cell.name], filled))
            if task := self.last_test.get(cell.name):
                steps += [Step("", cell.name, from_set=True, tests=task), *self.below.get(task, ())]
            steps += self.added.get(i, ())
        last = {step.tests: i for i, step in enumerate(steps) if step.tests}
        return [step for i, step in enumerate(steps) if not step.tests or last[step.tests] == i]


def _append(places: dict, place: int | str, step: Step) -> None:
    if _can_be_answer(step.source):
        places.setdefault(place, []).append(step)


def _is_unchanged(cell: Cell, known: Cell) -> bool:
    """Whether a student has left a cell as it was, or emptied it."""
    return normalised(cell.source) in (normalised(known.blank or known.source), "")


def _as_answer(step: Step, task: Task, filled: set[str | None]) -> Step:
    """Return the code of a changed test cell, as its task's answer if no other cell has one."""
    if task.name in filled or not _define([step], task):
        return step
    return replace(step, task=task.name)


def _cut_at_the_check(source: str, task: Task | None = None) -> tuple[str, str]:
    """Return a cell up to its last check, or the last line of a task's tests, and the lines below."""
    lines = source.splitlines(keepends=True)
    tests = task.tests if task else ()
    known = {line for test in tests for line in test.source.splitlines() if line.strip()}
    checks = [i for i, line in enumerate(lines) if CHECKS.match(line) or line.rstrip() in known]
    if not checks:
        return source, ""
    end = checks[-1] + 1
    while end < len(lines) and CONTINUES.match(lines[end]):
        end += 1
    above = "".join(lines[:end])
    if any(above.count(quotes) % 2 for quotes in ('"""', "'''")):  # the check is part of a string
        return source, ""
    return above, "".join(lines[end:])


def _can_be_answer(source: str) -> bool:
    """Whether a cell can be an answer: it is neither empty nor a copy of a test."""
    lines = [line for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return not all(CHECKS.match(line) for line in lines)


class _Words:
    """The answers in words: in their cells, and in other texts between two headings of tasks."""

    def __init__(self, key: Key):
        self.cells = key.cells
        self.parts: dict[str, list[str]] = {}
        # for each cell of the key: the number of tasks whose heading comes before the end of the cell
        self.sections: list[int] = []
        for cell in key.cells:
            before = self.sections[-1] if self.sections else 0
            self.sections.append(before + (cell.kind == "text" and HEADING.search(cell.source) is not None))

    def add(self, place: int, source: str) -> None:
        """Take a text that the student has after the cell ``place`` of the key."""
        if place < 0 or not (self.sections[place] or self.cells[place].kind == "by hand"):
            return
        same = [i for i, cell in enumerate(self.cells) if self.sections[i] == self.sections[place]]
        by_hand = [i for i in same if self.cells[i].kind == "by hand"]
        nearest = [i for i in by_hand if i <= place][-1:] or by_hand[:1]
        for i in nearest:
            parts = self.parts.setdefault(self.cells[i].name, [])
            if source.strip() and source not in parts:
                parts.append(source)

    def change(self, place: int, source: str) -> None:
        """Take a cell of the set: an answer as it is, of another text only the student's lines."""
        known = self.cells[place]
        if known.kind == "text":
            lines = {normalised(line) for line in known.source.splitlines()}
            source = "\n".join(line for line in source.splitlines() if normalised(line) not in lines)
        self.add(place, source.strip("\n") if known.kind == "text" else source)

    def found(self) -> dict[str, str]:
        return {name: "\n\n".join(parts) for name, parts in self.parts.items() if parts}


class _Finder:
    """Finds the cell of the key from which a cell of a submission was made."""

    def __init__(self, key: Key):
        self.cells = key.cells
        self.names = {cell.name: i for i, cell in enumerate(key.cells) if cell.name}
        self.ids = {cell.id: i for i, cell in enumerate(key.cells) if cell.id}
        self.sources: dict[str, int] = {}
        for i, cell in enumerate(key.cells):
            self.sources.setdefault(normalised(cell.blank or cell.source), i)
        texts = [(i, cell) for i, cell in enumerate(key.cells) if cell.kind == "text"]
        self.headings = {label: i for i, cell in texts for label, _ in HEADING.findall(cell.source)}

    def find(self, cell: Cell) -> int | None:
        if cell.name:  # a name that the set does not have makes an added cell
            return self.names.get(cell.name)
        text = cell.kind == "text"
        for found in (self.ids.get(cell.id), self.sources.get(normalised(cell.source))):
            if found is not None and (self.cells[found].kind in ("text", "by hand")) == text:
                return found
        labels = [label for label, _ in HEADING.findall(cell.source)] if text else []
        return next((self.headings[label] for label in labels if label in self.headings), None)
