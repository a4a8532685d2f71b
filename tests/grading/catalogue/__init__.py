"""Submissions as code, with what each deserves. Here are the tools; the modules beside this have the cases.

All of them belong to a small set, cut out of the set of chapter 02: three functions, a derivation, a question
in words, and a second test cell with plain asserts. A case changes the solved notebook; a task that it does
not name deserves full marks. So a case also says what the change must not cost.
"""

import copy
import importlib
import json
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from lmcourse.files.places import ROOT
from lmcourse.grading.one_notebook import Limits, Result, grade_notebook

SET = "02_small"
POINTS = {"three-words": 3, "forecasters": 3, "average-surprisal": 3, "softmax-gradient": 2}
LIMITS = Limits(
    call_seconds=5, cell_seconds=8, total_seconds=120, memory_mb=600, file_mb=8, processes=48, reply_mb=8
)
QUICK = replace(LIMITS, call_seconds=2, cell_seconds=3)
"""For a submission that uses up its time: the test waits for the limit."""
TORCH = replace(LIMITS, call_seconds=20, cell_seconds=30, memory_mb=1000)
"""For a submission that imports PyTorch, which takes seconds and half a gigabyte by itself."""
SEED = 20
GROUPS = {
    "right": "Honest and right, in unusual ways",
    "wrong": "Honest and wrong, or not finished",
    "hostile": "Hostile",
}
MODULES = [f"right.{name}" for name in ("files", "answers", "notebook_code", "ipython")]
MODULES += [f"right.{name}" for name in ("processes", "checks", "other_cells")] + ["wrong"]
MODULES += [f"hostile.{name}" for name in ("points", "patches", "objects", "replies", "guesses")]
MODULES += [f"hostile.{name}" for name in ("files", "processes", "memory", "limits")]

SETUP = """import numpy as np
import sympy as sp
from scipy import stats

from lmcourse.feedback import check, check_hidden, inputs"""
ASSERTS = """one = sentence_cost(np.array([0.5]))
assert abs(one["bits"][0] - 1) < 1e-12, "A probability of one half costs one bit."
np.testing.assert_allclose(one["nats"], [np.log(2)])
assert abs(one["joint"] - 0.5) < 1e-12"""
SYMBOLS = """z = sp.symbols("z1:4", real=True)
p = sp.symbols("p1:4", positive=True)
T = sp.Symbol("T", positive=True)"""
GRADIENT = """### TASK: Task 5: set gradient to a list of three SymPy expressions.
### BEGIN SOLUTION
weights = [sp.exp(z_k / T) for z_k in z]
gradient = [(w / sum(weights) - p_k) / T for w, p_k in zip(weights, p)]
### END SOLUTION"""
SHOW = """for name, value in sentence_cost(np.array([0.5, 0.8, 0.9])).items():
    print(f"{name:14s}", np.round(value, 6))"""


@dataclass(frozen=True)
class Case:
    """A submission: its name, how it is made, and what it deserves.

    Attributes
    ----------
    name, group : str
    make : callable
        Changes the solved `Notebook`, or returns the bytes of the file.
    deserves : dict of str to (str, str)
        From a task to its status and a part of the reason; for a partial mark also the points.
    problem : str
        A part of the result's problem, if nothing can be graded.
    limits : Limits
    """

    name: str
    group: str
    make: Callable
    deserves: dict
    problem: str = ""
    limits: Limits = LIMITS

    @property
    def slug(self) -> str:
        return "-".join("".join(c if c.isalnum() else " " for c in self.name.lower()).split())

    def file(self) -> bytes:
        notebook = Notebook()
        made = self.make(notebook)
        return made if isinstance(made, bytes) else notebook.file()

    def grade(self, solutions: Path, **options) -> Result:
        return grade_notebook(self.file(), SET, seed=SEED, limits=self.limits, solutions=solutions, **options)

    def differences(self, result: Result) -> list[str]:
        """Return where the result is not what the case deserves; empty if it is exactly right."""
        if self.problem or result.problem:
            same = bool(self.problem) and self.problem in result.problem
            return [] if same else [f"problem {result.problem!r}, not {self.problem!r}"]
        found = []
        for task in result.tasks:
            if task.status == "by hand":
                continue
            status, text, *part = self.deserves.get(task.name, ("full", ""))
            points = POINTS[task.name] if status == "full" else sum(part)
            if (task.status, task.points) != (status, points) or text not in task.reason:
                found.append(
                    f"{task.name}: {task.points} points, {task.status}, {task.reason!r};"
                    f" deserved are {points}, {status}, {text!r}"
                )
        return found


class Cases(list):
    """The cases of a module, all of one group, in order."""

    def __init__(self, group: str):
        super().__init__()
        self.group = group

    def case(self, name: str, problem: str = "", limits: Limits = LIMITS, **deserves: tuple) -> Callable:
        """Return a decorator that adds a case; ``deserves`` names tasks with underscores."""

        def note(make: Callable) -> Callable:
            self.add(name, make, {k.replace("_", "-"): v for k, v in deserves.items()}, problem, limits)
            return make

        return note

    def add(self, name: str, make: Callable, deserves: dict, problem: str = "", limits: Limits = LIMITS):
        self.append(Case(name, self.group, make, deserves, problem, limits))


class Notebook:
    """The solved small set as a student's file, ready to be spoilt."""

    def __init__(self):
        self.data = copy.deepcopy(_solved())

    @property
    def cells(self) -> list[dict]:
        return self.data["cells"]

    def cell(self, name: str) -> dict:
        return next(cell for cell in self.cells if _name(cell) == name)

    def source(self, task: str) -> str:
        return self.cell(task)["source"]

    def answer(self, task: str, source: str) -> None:
        self.cell(task)["source"] = textwrap.dedent(source).strip("\n")

    def change(self, task: str, *changes: tuple[str, str]) -> None:
        """Replace texts of a solution."""
        source = self.source(task)
        for old, new in changes:
            assert old in source, f"{task}: the solution has no {old!r}"
            source = source.replace(old, new)
        self.cell(task)["source"] = source

    def begin(self, task: str, source: str) -> None:
        """Put code before a solution, in the same cell."""
        self.cell(task)["source"] = textwrap.dedent(source).strip("\n") + "\n" + self.source(task)

    def end(self, task: str, source: str) -> None:
        """Put code after a solution, in the same cell."""
        self.cell(task)["source"] = self.source(task) + "\n" + textwrap.dedent(source).strip("\n")

    def add(self, source: str, before: str | None = None, after: str | None = None) -> dict:
        """Add a code cell before or after a named one, or at the end."""
        made = _code(textwrap.dedent(source).strip("\n"), {})
        names = [_name(cell) for cell in self.cells]
        place = names.index(before) if before else names.index(after) + 1 if after else len(self.cells)
        self.cells.insert(place, made)
        return made

    def blank(self, task: str) -> None:
        """Put back what students get."""
        self.cell(task)["source"] = _blanks()[task]

    def file(self) -> bytes:
        return json.dumps(self.data).encode("utf-8")


def all_cases() -> list[Case]:
    """Every submission of the catalogue, in the order of the groups."""
    modules = [importlib.import_module(f"{__name__}.{name}") for name in MODULES]
    return [case for module in modules for case in module.CASES]


def write_small_set(folder: Path) -> Path:
    """Write the small set below ``folder/solutions``; return that folder."""
    place = Path(folder) / "solutions" / SET
    place.mkdir(parents=True)
    (place / f"{SET}.ipynb").write_text(json.dumps({**_FRAME, "cells": _solution_cells()}), encoding="utf-8")
    return place.parent


_FRAME = {
    "metadata": {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}


def _solution_cells() -> list[dict]:
    path = ROOT / "solutions" / "02_cross_entropy" / "02_cross_entropy.ipynb"
    whole = json.loads(path.read_text(encoding="utf-8"))
    named = {cell["id"]: cell for cell in whole["cells"]}
    cells = [_text("# A small set"), _code(SETUP, {})]
    for number, task in enumerate(POINTS, start=1):
        cells.append(_text(f"## Task {number} (★, {POINTS[task]} points): {task}"))
        if task == "softmax-gradient":
            cells.append(_code(SYMBOLS, {}))
        answer, test = ("".join(named[name]["source"]) for name in (task, f"test-{task}"))
        answer = GRADIENT if task == "softmax-gradient" else answer
        points = 2 if task == "three-words" else POINTS[task]
        cells += [_named(task, answer), _named(f"test-{task}", test, points)]
        if task == "three-words":
            cells += [_named(f"test-{task}-2", ASSERTS, 1), _code(SHOW, {})]
    by_hand = {"grade": True, "solution": True, "locked": False, "points": 3, "grade_id": "two-sentences"}
    words = _text("A model answer.\n\n**Rubric**\n\n- 3 points: says so.")
    words["metadata"] = {"nbgrader": by_hand, "course": {"prompt": "*Write here.*"}}
    cells += [_text("## Task 5 (★, 3 points): in words"), words]
    for i, cell in enumerate(cells):
        cell["id"] = cell["metadata"].get("nbgrader", {}).get("grade_id", f"cell-{i}")
    return cells


def _solved() -> dict:
    """The student's file: markers gone, answers in."""
    cells = _solution_cells()
    for cell in cells:
        lines = cell["source"].splitlines()
        cell["source"] = "\n".join(line for line in lines if not line.lstrip().startswith("### "))
        if cell["metadata"].get("course"):
            cell["source"] = "My two sentences."
    return {**_FRAME, "cells": cells}


def _blanks() -> dict[str, str]:
    from lmcourse.grading.notebook.key import student_cell

    return {c["id"]: student_cell(c["source"]) for c in _solution_cells() if c["id"] in POINTS}


def _name(cell: dict) -> str | None:
    return cell["metadata"].get("nbgrader", {}).get("grade_id")


def _code(source: str, metadata: dict) -> dict:
    cell = {"cell_type": "code", "metadata": metadata, "source": source}
    return cell | {"outputs": [], "execution_count": None}


def _text(source: str) -> dict:
    return {"cell_type": "markdown", "metadata": {}, "source": source}


def _named(name: str, source: str, points: int = 0) -> dict:
    settings = {"grade_id": name, "schema_version": 3, "grade": bool(points), "solution": not points}
    settings |= {"points": points, "locked": True} if points else {}
    return _code(source, {"nbgrader": settings})
