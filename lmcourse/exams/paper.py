"""Put a variant on paper: the notebook that a student gets, and the solved one.

paper, key = papers(find("midterm"), seed=7, label="Q3K7M", name="Ada Lovelace")
"""

from __future__ import annotations

import base64
import contextlib
import hashlib
import inspect
import io
import textwrap
from collections.abc import Sequence

import numpy as np
import sympy as sp
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lmcourse.exams import EXAMS, Exam, chapter_name, forms
from lmcourse.exams.task import RTOL, ExamTask, InvalidTask
from lmcourse.files.notebooks import canonical
from lmcourse.hints.answers import evaluate
from lmcourse.hints.judging import judge
from lmcourse.hints.question import Question, copied
from lmcourse.sets.release import student_set

__all__ = ["answers", "in_common", "label_of", "number_as_text", "papers", "prove", "without_markup"]

FORMS = inspect.getsource(forms).removeprefix(f'"""{forms.__doc__}"""').strip()
"""The imports of a paper, and the functions with which its cells check forms."""
RUN_FORMS = compile(FORMS, "forms", "exec")

SOLVED_IMPORTS = "from lmcourse.feedback import check, check_hidden  # in the solved paper only"

OWN_IMPORTS = """
from lmcourse.exams.bank import use_bank

use_bank("../../..", "{name}")"""
"""Where the solved paper of a lecturer's own exam finds its questions."""

INTRODUCTION = """
# {exam.title}

**{name}** · paper {label} · {exam.minutes} minutes, {exam.points} points

Allowed: {exam.allowed}.

The numbers of this paper are yours alone: another paper has other numbers and other right answers.
Run the first code cell before the others. Each task has one cell for your answer; put it under the name that
the task gives. The cell below it checks its form (a number, a dictionary with these keys, a function) and
shows how it is read. It does not say whether the answer is right. Where a task gives points for parts of the
answer, a wrong part costs its own points only. Tasks in words are read by a person. When time is up, save the
notebook and hand in this one file.

**Digits.** Compute with all digits, and round only the result, to four significant digits or more: 0.01235,
1.235 and 1235 have four. A number that is right to four significant digits gets all its points, unless its
task asks for other digits.
"""


def papers(exam: Exam, seed: int, label: str, name: str) -> tuple[NotebookNode, NotebookNode]:
    """Return the student's paper and the solved one of a variant.

    Parameters
    ----------
    exam : Exam
    seed : int
        From which every number of the variant follows.
    label : str
        What the paper is called; it does not reveal the seed.
    name : str
        Whose paper it is.

    Raises
    ------
    InvalidTask
        If the solved paper does not get full marks from its own checks: it must not be handed out.
    """
    tasks = exam.tasks(seed)
    prove(exam, tasks)
    top = INTRODUCTION.format(exam=exam, name=without_markup(name), label=label).strip()
    cells = [cell for number, task in enumerate(tasks, 1) for cell in _cells(number, task)]
    solved = canonical(new_notebook(cells=[new_markdown_cell(top), new_code_cell(FORMS), *cells]))
    paper = student_set(solved)
    course = {"exam": exam.name, "paper": label}
    paper.metadata["course"] = course
    paper.cells[1].metadata["jupyter"] = {"source_hidden": True}
    own = "" if exam.name in EXAMS else OWN_IMPORTS.format(name=exam.name)
    solved.cells.insert(1, new_code_cell(SOLVED_IMPORTS + own))
    solved = canonical(solved)
    solved.metadata["course"] = {**course, "chapter": chapter_name(exam.name, seed)}
    return paper, solved


def answers(exam: Exam, seed: int) -> dict[str, str | float]:
    """The right answers of a variant, in the order of the paper: short texts for a table, or one number."""
    shown: dict[str, str | float] = {}
    for task in exam.tasks(seed):
        if task.question is None:
            shown[task.name] = "in words"
        elif task.question.form == "value":
            value = task.question.right(*copied(task.question.cases[0]))
            shown[task.name] = value if isinstance(value, float) else _as_text(value)
        elif task.question.form == "expression":
            shown[task.name] = _expression_text(_solved(task)[task.variable])
        else:
            shown[task.name] = task.answer
    return shown


def in_common(variant: Sequence[ExamTask], other: Sequence[ExamTask]) -> tuple[list[str], list[str]]:
    """What two variants share: the entries whose right numbers agree, and the choices besides numbers."""
    same, choices = [], []
    for one, two in zip(variant, other, strict=True):
        pairs = enumerate(zip(one.choices, two.choices, strict=True))
        choices += [f"{one.name}, {i}: {a}" for i, (a, b) in pairs if a == b]
        if one.question is None or two.question is None or one.question.form == "function":
            continue
        others = _entries(two.question)
        agree = (key for key, value in _entries(one.question).items() if _agree(value, others[key]))
        same += [f"{one.name}, {key}" for key in agree]
    return same, choices


def _entries(question: Question) -> dict:
    """The right numbers of an answer by key or place; an expression is one number, at a point."""
    value = question.right(*copied(question.cases[0]))
    parts = value if isinstance(value, dict) else dict(enumerate(np.ravel(value)))
    return {key: np.ravel(part) for key, part in parts.items() if not isinstance(part, str)}


def _agree(a: np.ndarray, b: np.ndarray) -> bool:
    # Either way round: isclose measures the difference against its second argument.
    return any(np.isclose(*pair, rtol=RTOL, atol=0).any() for pair in ((a, b), (b, a)))


def label_of(exam: str, seed: int) -> str:
    """Five letters and digits that name a paper and do not reveal its seed.

    Examples
    --------
    >>> len(label_of("midterm", 7))
    5
    """
    digest = hashlib.sha256(f"paper {exam} {seed}".encode()).digest()
    return base64.b32encode(digest)[:5].decode()


def _cells(number: int, task: ExamTask) -> list[NotebookNode]:
    heading = f"## Task {number} ({task.points} points, {task.minutes} minutes): {task.title}"
    question = new_markdown_cell(f"{heading}\n\n{task.on_paper}")
    settings = {"schema_version": 3, "task": False}
    if task.question is None:
        lines = "\n".join(f"- {n} point{'s' if n > 1 else ''}: {what}" for n, what in task.rubric)
        graded = {**settings, "grade": True, "solution": True, "locked": False, "points": task.points}
        return [
            question,
            new_markdown_cell(
                f"{task.model}\n\n**Rubric**\n\n{lines}",
                metadata={"nbgrader": {**graded, "grade_id": task.name}, "course": {"prompt": task.prompt}},
            ),
        ]
    indent = "    " if task.head else ""
    region = (
        f"### TASK: Task {number}: {task.message}.\n### BEGIN SOLUTION\n{task.solution}\n### END SOLUTION"
    )
    lines = [task.given, task.head, textwrap.indent(region, indent)]
    test = _test(task, task.question)
    answer = {**settings, "grade": False, "solution": True, "locked": False, "grade_id": task.name}
    graded = {**settings, "grade": True, "solution": False, "locked": True, "points": task.points}
    return [
        question,
        new_code_cell("\n".join(filter(None, lines)), metadata={"nbgrader": answer}),
        new_code_cell(test, metadata={"nbgrader": {**graded, "grade_id": f"test-{task.name}"}}),
    ]


def _test(task: ExamTask, question: Question) -> str:
    """The check of the form, and the hidden check of the value, which a student's copy lacks."""
    call = f'check("{question.key}", {task.variable})'
    if question.draw is not None:
        call = f'check_hidden("{question.key}", {task.variable}, seed=1)'
    return f"{task.form_check}\n### BEGIN HIDDEN TESTS\n{call}\n### END HIDDEN TESTS"


def prove(exam: Exam, tasks: tuple[ExamTask, ...]) -> None:
    """Run the solution of each task and judge it."""
    for task in tasks:
        if task.question is None:
            continue
        names = _solved(task)
        with contextlib.redirect_stdout(io.StringIO()):
            exec(task.form_check, names)
        verdict = judge(task.question, _call(task.question, names[task.variable]), task.question.cases)
        if not verdict.right:
            raise InvalidTask(
                f"{exam.name}: the solution of {task.name} is not right. {verdict.message} Correct it,"
                " or the right formula of the task."
            )


def _solved(task: ExamTask) -> dict:
    """The names that are defined after the solution of a task has run."""
    names: dict = {}
    exec(RUN_FORMS, names)
    body = textwrap.indent(task.solution, "    ") if task.head else task.solution
    exec("\n".join(filter(None, (task.given, task.head, body))), names)
    return names


def _call(question: Question, answer):
    if question.form == "function":
        return lambda case: answer(*case)
    if question.form == "expression":
        return lambda case: evaluate(answer, question.symbols, case)
    return lambda case: answer


def _as_text(value) -> str:
    if isinstance(value, dict):
        return "; ".join(f"{key}: {_as_text(entry)}" for key, entry in value.items())
    if isinstance(value, str):
        return value
    return ", ".join(map(number_as_text, np.ravel(value).tolist()))


def number_as_text(number: float) -> str:
    """A count with all its digits; another number with six or more, a large one without a power of ten."""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{number:.0f}"
    return f"{number:.0f}" if 1e6 <= abs(number) < 1e15 else f"{number:.6g}"


def _expression_text(expression: sp.Expr) -> str:
    """An expression on one line, as in the solution or simplified, whichever is shorter."""
    return min(str(expression), str(sp.simplify(expression)), key=len)


def without_markup(name: str) -> str:
    """A name without characters that Markdown or HTML would interpret."""
    return "".join(c if c.isalnum() or c in " .,'@_-" else " " for c in name).strip()
