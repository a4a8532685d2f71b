"""What a submission adds to its set: the steps to run, in the order of the set.

Of a submission only the source of answer cells and of cells that the student added or changed is taken. A
cell is known by its ``grade_id``, else by its id, else by its source. Tests, points and the set's own cells
come from the key, also where the student edited, copied or deleted them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from course.grading.cells import Cell, normal
from course.grading.key import Key, Task

CHECKS = re.compile(r"\s*(check|check_hidden)\(")


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
    own : bool
        Whether it is the set's own.
    tests : str or None
        Instead of code: the task whose tests stand here.
    """

    source: str
    name: str
    task: str | None = None
    own: bool = False
    tests: str | None = None


@dataclass
class Plan:
    """The steps, the answers in words, and the student's code by task."""

    steps: list[Step]
    words: dict[str, str] = field(default_factory=dict)

    def mentions(self, task: Task) -> bool:
        """Whether any code of the student has one of the names that the task's tests use."""
        code = "\n".join(step.source for step in self.steps if not step.own)
        return any(re.search(rf"\b{re.escape(name)}\b", code) for name in task.names)


def plan(key: Key, cells: list[Cell]) -> Plan:
    """Bring the cells of a submission into the order of the set."""
    finder = _Finder(key)
    answers: dict[int, list[Step]] = {}
    added: dict[int, list[Step]] = {}
    words: dict[str, str] = {}
    place = -1
    for cell in cells:
        found = finder.find(cell)
        if found is None:
            if cell.kind != "text" and _counts(cell.source):
                added.setdefault(place, []).append(Step(cell.source, "a cell that you added"))
            continue
        place, known = found, key.cells[found]
        changed = normal(cell.source) not in (normal(known.blank or known.source), "")
        if known.kind == "answer" and changed and _counts(cell.source):
            answers.setdefault(place, []).append(Step(cell.source, known.name, task=known.name))
        elif known.kind == "setup" and changed and _counts(cell.source):
            added.setdefault(place, []).append(Step(cell.source, "a cell that you changed"))
        elif known.kind == "by hand" and changed:
            words[known.name] = cell.source
    return Plan(_in_order(key, answers, added), words)


def _in_order(key: Key, answers: dict[int, list[Step]], added: dict[int, list[Step]]) -> list[Step]:
    steps = list(added.get(-1, ()))
    last_test = {task.tests[-1].name: task.name for task in key.tasks.values() if task.tests}
    for i, cell in enumerate(key.cells):
        if cell.kind == "setup":
            steps.append(Step(cell.source, "the set's own cell", own=True))
        elif cell.kind == "answer":
            steps += answers.get(i, [])
        elif cell.name in last_test:
            steps.append(Step("", cell.name, own=True, tests=last_test[cell.name]))
        steps += added.get(i, [])
    return steps


def _counts(source: str) -> bool:
    """Whether a cell can be an answer: not empty, and no copy of a test."""
    lines = [line for line in source.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    copied = all(CHECKS.match(line) for line in lines)
    return not copied


class _Finder:
    """Finds the cell of the key that a cell of a submission was."""

    def __init__(self, key: Key):
        self.cells = key.cells
        self.names = {cell.name: i for i, cell in enumerate(key.cells) if cell.name}
        self.ids = {cell.id: i for i, cell in enumerate(key.cells) if cell.id}
        self.sources: dict[str, int] = {}
        for i, cell in enumerate(key.cells):
            self.sources.setdefault(normal(cell.blank or cell.source), i)

    def find(self, cell: Cell) -> int | None:
        if cell.name:  # a name that the set does not have makes an added cell
            return self.names.get(cell.name)
        text = cell.kind == "text"
        for found in (self.ids.get(cell.id), self.sources.get(normal(cell.source))):
            if found is not None and (self.cells[found].kind in ("text", "by hand")) == text:
                return found
        return None
