"""What a submission adds to its set: the steps to run, in the order of the set.

Of a submission only the source of answer cells and of cells that the student added or changed is taken. A
cell is known by its ``grade_id``, else by its id, else by its source; a text also by its task's heading.
Tests, points and the set's own cells come from the key, also where the student edited, copied or deleted
them. What a student typed into a test cell runs just before the tests, in the student's process.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field

from lmcourse.grading.notebook.cells import Cell, normal
from lmcourse.grading.notebook.key import HEADING, Key, Task

CHECKS = re.compile(r"\s*(check|check_hidden)\(")
DEFINED = r"(def|class|as|for|import)\s+([\w.]+\s*,\s*)*{0}\b|^([^=\n#(]|(?<!\w)\()*\b{0}\b[^=\n]*=(?!=)"
NEW_IN_A_MODULE = ("module '", "type object '", "cannot import name")
MOST_SOURCE, MOST_LINE = 200_000, 300
"""Characters of a cell, and of a line in it, in which a definition is looked for."""


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
        Instead of code: the task whose tests stand here.
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

    def newer(self, kind: str, said: str) -> str:
        """A remark on an error that a newer Python might not have raised; else an empty text."""
        missing = kind in ("AttributeError", "ImportError") and said.startswith(NEW_IN_A_MODULE)
        if not self.python or not (kind == "SyntaxError" or missing):
            return ""
        return f" This notebook was written with Python {self.python}; the grader runs {_version()}."

    def mentions(self, task: Task) -> bool:
        """Whether any code of the student has one of the names that the task's tests use."""
        code = "\n".join(step.source for step in self.steps if not step.from_set)
        return any(re.search(rf"\b{re.escape(name)}\b", code) for name in task.names)

    def answers(self, task: Task) -> bool:
        """Whether the task's cell is filled in, or other code of the student defines one of its names."""
        theirs = [step for step in self.steps if not step.from_set]
        return any(s.task == task.name or any(defines(s.source, n) for n in task.names) for s in theirs)


def plan(key: Key, cells: list[Cell], metadata: dict | None = None) -> Plan:
    """Bring the cells of a submission into the order of the set."""
    finder, words = _Finder(key), _Words(key)
    answers: dict[int, list[Step]] = {}
    added: dict[int, list[Step]] = {}
    place = -1
    for cell in cells:
        found = finder.find(cell)
        if found is None:
            if cell.kind == "text":
                words.add(place, cell.source)
            elif _counts(cell.source):
                added.setdefault(place, []).append(Step(cell.source, "a cell that you added"))
            continue
        place, known = found, key.cells[found]
        if normal(cell.source) in (normal(known.blank or known.source), ""):
            continue
        if known.kind in ("by hand", "text"):
            words.change(place, cell.source)
        elif not _counts(cell.source):
            continue
        elif known.kind == "answer":
            answers.setdefault(place, []).append(Step(cell.source, known.name, task=known.name))
        elif known.kind == "test":
            answers.setdefault(place, []).append(Step(cell.source, "a test cell that you changed"))
        else:
            added.setdefault(place, []).append(Step(cell.source, "a cell that you changed"))
    return Plan(_in_order(key, answers, added), words.found(), _newer_python(metadata or {}))


def _version() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _newer_python(metadata: dict) -> str:
    """The version of Python that the metadata names, as in ``"3.13"``, if the grader's is older."""
    told = metadata.get("language_info")
    version = told.get("version") if isinstance(told, dict) else None
    match = re.match(r"3\.(\d{1,3})(?!\d)", version) if isinstance(version, str) else None
    return match[0] if match and int(match[1]) > sys.version_info.minor else ""


def defines(source: str, name: str) -> bool:
    """Whether code seems to define a name; it need not be valid Python.

    Only so much of a line is looked at, since the time grows with the square of its length.
    """
    found = re.compile(DEFINED.format(re.escape(name)))
    return any(found.search(line[:MOST_LINE]) for line in source[:MOST_SOURCE].splitlines() if name in line)


def _in_order(key: Key, answers: dict[int, list[Step]], added: dict[int, list[Step]]) -> list[Step]:
    steps = list(added.get(-1, ()))
    last_test = {task.tests[-1].name: task.name for task in key.tasks.values() if task.tests}
    of_test = {test.name: task for task in key.tasks.values() for test in task.tests}
    filled = {step.task for found in answers.values() for step in found}
    for i, cell in enumerate(key.cells):
        if cell.kind == "setup":
            steps.append(Step(cell.source, "the set's own cell", from_set=True))
        elif cell.kind == "test" and cell.name in of_test:
            steps += [_answer_in_test(step, of_test[cell.name], filled) for step in answers.get(i, [])]
        else:
            steps += answers.get(i, [])
        if cell.name in last_test:
            steps.append(Step("", cell.name, from_set=True, tests=last_test[cell.name]))
        steps += added.get(i, [])
    return steps


def _answer_in_test(step: Step, task: Task, filled: set[str | None]) -> Step:
    """The code of a changed test cell, as the answer of its task where no other cell holds that."""
    if task.name in filled or not any(defines(step.source, name) for name in task.names):
        return step
    return Step(step.source, task.name, task=task.name)


def _counts(source: str) -> bool:
    """Whether a cell can be an answer: not empty, and no copy of a test."""
    lines = [line for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    copied = all(CHECKS.match(line) for line in lines)
    return not copied


class _Words:
    """The answers in words: in their cells, and in other texts between two headings of tasks."""

    def __init__(self, key: Key):
        self.cells = key.cells
        self.parts: dict[str, list[str]] = {}
        self.sections: list[
            int
        ] = []  # of each cell of the key: how many headings of tasks come before its end
        for cell in key.cells:
            before = self.sections[-1] if self.sections else 0
            self.sections.append(before + (cell.kind == "text" and HEADING.search(cell.source) is not None))

    def add(self, place: int, source: str) -> None:
        """Take a text that stands after the cell ``place`` of the key."""
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
            lines = {normal(line) for line in known.source.splitlines()}
            source = "\n".join(line for line in source.splitlines() if normal(line) not in lines)
        self.add(place, source.strip("\n") if known.kind == "text" else source)

    def found(self) -> dict[str, str]:
        return {name: "\n\n".join(parts) for name, parts in self.parts.items() if parts}


class _Finder:
    """Finds the cell of the key that a cell of a submission was."""

    def __init__(self, key: Key):
        self.cells = key.cells
        self.names = {cell.name: i for i, cell in enumerate(key.cells) if cell.name}
        self.ids = {cell.id: i for i, cell in enumerate(key.cells) if cell.id}
        self.sources: dict[str, int] = {}
        for i, cell in enumerate(key.cells):
            self.sources.setdefault(normal(cell.blank or cell.source), i)
        texts = [(i, cell) for i, cell in enumerate(key.cells) if cell.kind == "text"]
        self.headings = {label: i for i, cell in texts for label, _ in HEADING.findall(cell.source)}

    def find(self, cell: Cell) -> int | None:
        if cell.name:  # a name that the set does not have makes an added cell
            return self.names.get(cell.name)
        text = cell.kind == "text"
        for found in (self.ids.get(cell.id), self.sources.get(normal(cell.source))):
            if found is not None and (self.cells[found].kind in ("text", "by hand")) == text:
                return found
        labels = [label for label, _ in HEADING.findall(cell.source)] if text else []
        return next((self.headings[label] for label in labels if label in self.headings), None)
