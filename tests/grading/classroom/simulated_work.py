"""What the students of the simulated course hand in, and the points that each answer deserves.

The points are computed here, from the right formula of a question and without the grader: an answer is run,
and an entry of it deserves its points if it agrees with the right value on every input that is tried.
"""

from __future__ import annotations

import contextlib
import copy
import importlib
import io
import json
import re
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any

import numpy as np
import sympy as sp

from lmcourse.exams import Exam
from lmcourse.exams.paper import FORMS
from lmcourse.exams.task import EXACT, ExamTask
from lmcourse.files.notebooks import cell_name, is_graded_by_hand
from lmcourse.hints.question import Question, copied

SEEDS = (1, 2, 3)
"""Of the inputs on which an answer is tried; the grader draws others."""
WORDS = "The mean is over tokens, and 每个标点 counts as one. I would report bits per byte."


@dataclass
class Subject:
    """A set, or one student's paper of an exam: the notebook to fill in, its questions, and answers to them.

    Attributes
    ----------
    notebook : dict
    questions : dict of str to Question
        By task. A task that a person grades is in ``by_hand`` instead, with its points.
    right : dict of str to str
        The code of a right answer, by task.
    wrong : dict of str to list of (str, int)
        Wrong answers, with the points that they deserve for what is right in them.
    unusual : dict of str to list of str
        Right answers that are unlike the solution.
    """

    name: str
    notebook: dict
    questions: dict[str, Question]
    by_hand: dict[str, int]
    right: dict[str, str]
    variables: dict[str, str]
    wrong: dict[str, list[tuple[str, int]]]
    unusual: dict[str, list[str]]
    odd: list[tuple[str, str, int]] = field(default_factory=list)


@dataclass
class Work:
    """One student's notebook, with what it deserves; a task that is not named deserves nothing.

    ``may_crash`` are the tasks whose cell of the table may be empty: they crash, or take too long.
    """

    subject: Subject
    cells: list[dict]
    deserves: dict[str, int] = field(default_factory=dict)
    may_crash: set[str] = field(default_factory=set)
    status: str = ""
    data: bytes | None = None
    answers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def on(cls, subject: Subject) -> Work:
        return cls(subject, copy.deepcopy(subject.notebook["cells"]))

    def cell(self, name: str) -> dict:
        return next(c for c in self.cells if c["metadata"].get("nbgrader", {}).get("grade_id") == name)

    def answer(self, task: str, source: str, points: int) -> None:
        self.cell(task)["source"] = self.answers[task] = source
        self.deserves[task] = points

    def solve(self, tasks: Iterable[str] | None = None) -> None:
        """Answer tasks rightly, by default all, and write something where words are asked for."""
        for task in self.subject.questions if tasks is None else tasks:
            self.answer(task, self.subject.right[task], self.subject.questions[task].points)
        for task in self.subject.by_hand:
            self.cell(task)["source"] = WORDS

    def add(self, source: str, before: str) -> None:
        made = {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None}
        self.cells.insert(self.cells.index(self.cell(before)), made)

    def file(self) -> bytes:
        whole = {**self.subject.notebook, "cells": self.cells}
        return self.data if self.data is not None else json.dumps(whole, ensure_ascii=False).encode()


def points_of(question: Question, given: Any) -> int:
    """The points that an answer deserves: those of the entries that are right on every input."""
    cases = list(question.cases)
    if question.draw is not None:
        cases += [case for seed in SEEDS for case in question.fresh_cases(seed)]
    entries = question.entry_points or {None: question.points}
    wrong = set()
    for case in cases:
        right = question.right(*copied(case))
        try:
            value = _value(question, given, copied(case))
        except Exception:
            return 0
        for entry in entries:
            try:
                pair = (right, value) if entry is None else (right[entry], value[entry])
                agrees = _agree(*pair, question)
            except Exception:
                agrees = False
            if not agrees:
                wrong.add(entry)
    return sum(points for entry, points in entries.items() if entry not in wrong)


def _value(question: Question, given: Any, case: tuple) -> Any:
    with warnings.catch_warnings(), np.errstate(all="ignore"), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        if question.form == "expression":
            value = _numbers(given, dict(zip(question.symbols, case, strict=True)))
        else:
            value = given(*copied(case)) if question.form == "function" else given
        if question.reading is not None and question.form != "expression":
            value, problems = question.reading(value, *case)
            assert None not in problems
        return value


def _numbers(given: Any, at: dict[str, float]) -> Any:
    if isinstance(given, dict):
        return {key: _numbers(entry, at) for key, entry in given.items()}
    if isinstance(given, list | tuple | sp.MatrixBase):
        return [_numbers(entry, at) for entry in given]
    expression = sp.sympify(given)
    return float(expression.subs({s: at[s.name] for s in expression.free_symbols}).doit())


def _agree(right: Any, value: Any, question: Question) -> bool:
    if isinstance(right, dict):
        return right.keys() == value.keys() and all(_agree(right[k], value[k], question) for k in right)
    a, b = np.asarray(right), np.asarray(value)
    if a.dtype.kind in "USO" or b.dtype.kind in "USO":
        return a.shape == b.shape and a.tolist() == b.tolist()
    return a.shape == b.shape and np.allclose(b, a, rtol=question.rtol, atol=question.atol, equal_nan=True)


class SetOfTheBook:
    """A set of the book, with the wrong answers that ``tests/questions/`` lists for it."""

    def __init__(self, name: str):
        self.name = name
        self.set = importlib.import_module(f"tests.questions.test_ch{name[:2]}").SET

    @cached_property
    def subject(self) -> Subject:
        exercises = self.set
        questions = {task: exercises.questions[exercises.key(task)] for task in exercises.tasks}
        hand = {
            cell_name(c): c.metadata.nbgrader.points for c in exercises.student.cells if is_graded_by_hand(c)
        }
        checks = {t: re.search(r"check\([^,]*, (\w+)\)", c.source)[1] for t, c in exercises.checks.items()}
        with contextlib.redirect_stdout(io.StringIO()):
            wrong = {
                task: [(source, self._points(task, source)) for _, source in exercises.wrong[task]]
                for task in questions
            }
            odd = [(task, source, self._points(task, source)) for task, source in exercises.odd]
        unusual: dict[str, list[str]] = {}
        for task, source in exercises.unusual:
            unusual.setdefault(task, []).append(source)
        right = {task: re.sub(r"^ *### .*\n?", "", s, flags=re.M) for task, s in exercises.tasks.items()}
        student = json.loads(json.dumps(exercises.student))
        return Subject(self.name, student, questions, hand, right, checks, wrong, unusual, odd)

    def _points(self, task: str, source: str) -> int:
        """An answer of the catalogue of mistakes is never right, even if its value is: see `Property`."""
        question = self.set.questions[self.set.key(task)]
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            points = points_of(question, self.set.answer(task, source))
        return 0 if points == question.points else points


def of_paper(exam: Exam, seed: int, notebook: dict) -> Subject:
    """One student's paper, with answers rounded to four digits and the usual mistakes of its tasks."""
    tasks = {task.name: task for task in exam.tasks(seed)}
    machine = {name: task for name, task in tasks.items() if task.question}
    questions = {name: task.question for name, task in machine.items()}
    hand = {name: task.points for name, task in tasks.items() if not task.question}
    right = {name: _right_on_paper(task) for name, task in machine.items()}
    wrong = {name: list(_wrong_on_paper(task)) for name, task in machine.items()}
    variables = {name: task.variable for name, task in machine.items()}
    return Subject(exam.name, notebook, questions, hand, right, variables, wrong, {})


def _right_on_paper(task: ExamTask) -> str:
    question = task.question
    if question.form == "value":
        return written(task, question.right(*copied(question.cases[0])))
    body = "\n".join(f"    {line}" for line in task.solution.splitlines()) if task.head else task.solution
    return "\n".join(filter(None, (task.given, task.head, body)))


def _wrong_on_paper(task: ExamTask) -> Iterable[tuple[str, int]]:
    question = task.question
    for mistake in question.mistakes if question.form == "value" else ():
        value = mistake.wrong(*copied(question.cases[0]))
        yield written(task, value), points_of(question, rounded(value, question))
    if question.form == "expression":
        yield f"{_right_on_paper(task)}\n{task.variable} = 2 * {task.variable}", 0
    if question.form == "function":
        name = task.variable
        yield f"{_right_on_paper(task)}\nright = {name}\n{name} = lambda *x: right(*x) * 1.05", 0


def written(task: ExamTask, value: Any, form: Callable[[Any], Any] = lambda x: x) -> str:
    value = rounded(value, task.question)
    value = {k: form(v) for k, v in value.items()} if isinstance(value, dict) else form(value)
    return "\n".join(filter(None, (task.given, f"{task.variable} = {value!r}")))


def rounded(value: Any, question: Question) -> Any:
    """A value as an obedient student writes it: four digits, and counts with all of theirs."""
    if isinstance(value, dict):
        return {key: rounded(entry, question) for key, entry in value.items()}
    if isinstance(value, str):
        return value
    if np.ndim(value):
        return [rounded(entry, question) for entry in value]
    return (
        (int(value) if value == int(value) else float(value))
        if question.rtol <= EXACT
        else float(f"{value:.4g}")
    )


def value_on_paper(source: str, variable: str) -> Any:
    """What a cell of a paper leaves under the task's name."""
    names: dict = {}
    with contextlib.redirect_stdout(io.StringIO()):
        exec(FORMS, names)
        exec(source, names)
    return names[variable]


# How students work. Each function fills in one notebook; `i` counts the students of its kind.


def perfect(work: Work, i: int, rng: Random) -> None:
    work.solve()


def unusual(work: Work, i: int, rng: Random) -> None:
    work.solve()
    for task, sources in work.subject.unusual.items():
        work.answer(task, sources[i % len(sources)], work.subject.questions[task].points)


def in_other_cells(work: Work, i: int, rng: Random) -> None:
    work.solve()
    for task in work.subject.questions:
        blank = next(
            c
            for c in work.subject.notebook["cells"]
            if c["metadata"].get("nbgrader", {}).get("grade_id") == task
        )
        work.add(work.cell(task)["source"], before=task)
        work.cell(task)["source"] = blank["source"]


def with_magics(work: Work, i: int, rng: Random) -> None:
    work.solve()
    for task in list(work.subject.questions)[::3]:
        work.cell(task)["source"] = (
            f"%matplotlib inline\n!pip install numpy\n{work.cell(task)['source']}\nprint('done')"
        )
    work.cells.append({"cell_type": "markdown", "metadata": {}, "source": "Notes 笔记"})


def without_checks(work: Work, i: int, rng: Random) -> None:
    work.solve()
    gone = [work.cell(f"test-{task}") for task in list(work.subject.questions)[::2]]
    work.cells = [cell for cell in work.cells if cell not in gone]


def by_another_editor(work: Work, i: int, rng: Random) -> None:
    """Its cells have lost their ids and their metadata."""
    work.solve()
    for cell in work.cells:
        cell.pop("id", None)
        cell["metadata"] = {}


def partial(work: Work, i: int, rng: Random) -> None:
    work.solve(rng.sample(list(work.subject.questions), rng.randint(2, len(work.subject.questions) - 1)))


def mistaken(work: Work, i: int, rng: Random) -> None:
    """Every task is answered with one of the mistakes of the catalogue; the next student takes the next."""
    work.solve()
    for task, wrong in work.subject.wrong.items():
        work.answer(task, *wrong[i % len(wrong)])


def careless_at_the_edge(work: Work, i: int, rng: Random) -> None:
    """Right on ordinary inputs, and wrong on an empty row or a tie."""
    work.solve()
    for task, source, points in work.subject.odd[i::3]:
        work.answer(task, source, points)


def crashing(work: Work, i: int, rng: Random) -> None:
    work.solve()
    for task, line in zip(_some(work, 2, rng), ("[1, 2, 3][7]", "raise ValueError('stop')"), strict=True):
        work.answer(task, line, 0)
        work.may_crash.add(task)


def deleting(work: Work, i: int, rng: Random) -> None:
    work.solve()
    for task in _some(work, 2, rng):
        work.cells.remove(work.cell(task))
        work.deserves[task] = 0


def with_a_syntax_error(work: Work, i: int, rng: Random) -> None:
    work.solve()
    for task in _some(work, 1, rng):
        work.answer(task, work.subject.right[task] + "\nreturn )", 0)
        work.may_crash.add(task)


def blank(work: Work, i: int, rng: Random) -> None:
    pass


def no_notebook(work: Work, i: int, rng: Random) -> None:
    work.data, work.status = b"{ not a notebook", "could not be run"


def nothing(work: Work, i: int, rng: Random) -> None:
    work.status = "not submitted"


def endless(work: Work, i: int, rng: Random) -> None:
    work.solve()
    (task,) = _some(work, 1, rng)
    work.answer(task, "while True:\n    pass", 0)
    work.may_crash.add(task)


def reading_files(work: Work, i: int, rng: Random) -> None:
    """Looks for solutions, keys and the work of others, and runs what it finds."""
    work.solve()
    for task in _some(work, 2, rng):
        search = f"""
import os, json
found = ""
for top, folders, files in os.walk("/"):
    folders[:] = [f for f in folders if f not in ("proc", "sys", "usr", "lib")]
    for name in files:
        if name.endswith((".ipynb", ".csv", ".json")):
            try:
                text = open(os.path.join(top, name)).read()
                found += text if "{task}" in text and "SOLUTION" in text else ""
            except (OSError, UnicodeError):
                pass
{work.subject.variables[task]} = found or None
assert not found
"""
        work.answer(task, search, 0)
        work.may_crash.add(task)


def tampering(work: Work, i: int, rng: Random) -> None:
    """Replaces the checks, and edits the tests and their points; its answers are wrong."""
    work.solve()
    for task in _some(work, 3, rng):
        source, points = work.subject.wrong[task][0]
        trick = (
            "import sys\ncheck = check_hidden = check_form = lambda *a, **k: None\n"
            "for module in list(sys.modules.values()):\n"
            "    for name in ('check', 'check_hidden', 'check_form', 'judge'):\n"
            "        if hasattr(module, name) and 'lmcourse' in str(module):\n"
            "            setattr(module, name, check)\n"
        )
        work.answer(task, trick + source, points)
        test = work.cell(f"test-{task}")
        test["source"], test["metadata"]["nbgrader"]["points"] = "assert True", 100


def killing(work: Work, i: int, rng: Random) -> None:
    """Writes grades, and ends the process that grades it."""
    work.solve()
    (task,) = _some(work, 1, rng)
    kill = "import os\nopen('results.csv', 'w').write('100')\nos.kill(os.getppid(), 9)\nos._exit(0)"
    work.answer(task, kill, 0)
    work.may_crash.add(task)


def learnt_by_heart(work: Work, i: int, rng: Random) -> None:
    """Right on the visible inputs, and on no others."""
    work.solve()
    for task, question in work.subject.questions.items():
        if question.form == "function" and question.draw is not None:
            name = work.subject.variables[task]
            only = f"""
_right_{name}, _seen_{name} = {name}, [repr(case) for case in inputs("{question.key}")]
def {name}(*case):
    return _right_{name}(*case) if repr(case) in _seen_{name} else None
"""
            work.answer(task, work.subject.right[task] + only, 0)


def in_other_forms(work: Work, i: int, rng: Random) -> None:
    """Of a paper: numbers as text, letters in lower case and with a full stop."""
    work.solve()
    for task, question in work.subject.questions.items():
        if question.form == "value":
            given = value_on_paper(work.subject.right[task], work.subject.variables[task])
            text = {k: _as_text(v) for k, v in given.items()} if isinstance(given, dict) else _as_text(given)
            head = work.subject.right[task].rpartition("\n")[0]
            work.answer(task, f"{head}\n{work.subject.variables[task]} = {text!r}", question.points)


def unreadable(work: Work, i: int, rng: Random) -> None:
    """Of a paper: units and per cent where a number is asked for, which the paper refuses."""
    work.solve()
    for task, question in work.subject.questions.items():
        if question.form == "value" and question.entry_points is None:
            work.answer(task, f"{work.subject.variables[task]} = '3 bits'", 0)


def _as_text(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return f" {value.lower()}." if isinstance(value, str) else str(value)


def _some(work: Work, count: int, rng: Random) -> list[str]:
    return rng.sample(sorted(work.subject.questions), count)


OF_SETS = (
    (perfect, 5),
    (unusual, 4),
    (in_other_cells, 1),
    (with_magics, 1),
    (without_checks, 1),
    (by_another_editor, 1),
    (partial, 6),
    (mistaken, 22),
    (careless_at_the_edge, 3),
    (crashing, 2),
    (deleting, 1),
    (with_a_syntax_error, 1),
    (blank, 1),
    (no_notebook, 2),
    (nothing, 2),
    (endless, 2),
    (reading_files, 1),
    (tampering, 2),
    (killing, 1),
    (learnt_by_heart, 1),
)
OF_EXAMS = (
    (perfect, 10),
    (in_other_forms, 4),
    (partial, 9),
    (mistaken, 22),
    (crashing, 2),
    (deleting, 1),
    (with_a_syntax_error, 1),
    (unreadable, 1),
    (blank, 1),
    (no_notebook, 2),
    (nothing, 2),
    (endless, 2),
    (reading_files, 1),
    (tampering, 1),
    (killing, 1),
)
"""The kinds of students, and how many of each there are among sixty."""
