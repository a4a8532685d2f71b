"""A lecturer's own exams: a file ``NAME.py`` in a folder outside the project, which defines ``EXAM``.

    exam = read_bank(Path("private/bank"), "quiz")    # reads private/bank/quiz.py, and checks it

The file is ordinary Python: it may import the tasks of the other exams, and it is run. A folder of papers has
a copy of it, so that the papers are graded by the questions that they were made from.
"""

from __future__ import annotations

import sys
import traceback
from functools import partial
from pathlib import Path
from types import ModuleType

from lmcourse.exams import EXAMS, Exam, add
from lmcourse.exams.paper import papers, prove
from lmcourse.exams.task import APART, ExamTask, InvalidTask, apart
from lmcourse.files.notebooks import NAME
from lmcourse.hints.judging import judge
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import copied, formula_value

__all__ = ["BankError", "check_exam", "copy_in", "read_bank", "use_bank"]

VARIANTS = 40
"""On how many variants an exam is checked."""

MOST_MINUTES = 0.9
"""The share of an exam's minutes that its tasks may need."""


class BankError(ValueError):
    """An exam of a bank that cannot be used. The message says which task, what is wrong, and what to do."""


def read_bank(folder: Path, name: str) -> Exam:
    """Return the exam of ``folder/NAME.py``, which `find` knows from then on.

    Raises
    ------
    BankError
        If it cannot be read, or does not define an exam of this name.
    """
    path = folder / f"{name}.py"
    if name in EXAMS:
        raise BankError(f"The book has an exam {name!r} itself. Give yours another name: rename {path}.")
    if not NAME.fullmatch(name):
        raise BankError(
            f"{name!r} cannot be the name of an exam. Use lower-case letters, digits and hyphens."
        )
    if not path.is_file():
        there = ", ".join(sorted(file.stem for file in folder.glob("*.py"))) or "none"
        raise BankError(f"There is no {path}. Exams in {folder}: {there}.")
    module = ModuleType(f"_bank_{name.replace('-', '_')}")
    module.__file__ = str(path)
    sys.modules[module.__name__] = module
    try:
        exec(compile(path.read_text(encoding="utf-8-sig"), path, "exec"), module.__dict__)
    except Exception as error:
        where = [
            frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)
        ]
        line = where[-1] if where else getattr(error, "lineno", "?")
        raise BankError(f"{path}, line {line}: {type(error).__name__}: {error}") from error
    exam = getattr(module, "EXAM", None)
    if not isinstance(exam, Exam):
        raise BankError(f"{path} does not define EXAM. Write EXAM = Exam(name={name!r}, ...).")
    if exam.name != name:
        raise BankError(f"{path} defines the exam {exam.name!r}. Write name={name!r}, or rename the file.")
    add(exam)
    return exam


def use_bank(place: str | Path, name: str) -> Path | None:
    """Read the copy of a bank in a folder of papers, if there is one; return its path."""
    path = Path(place) / "bank" / f"{name}.py"
    if not (path.is_file() and (Path(place) / "exam.json").is_file()):
        return None
    read_bank(path.parent, name)
    return path


def copy_in(folder: Path, name: str) -> bytes:
    """Return what a folder of papers keeps of a bank."""
    return (folder / f"{name}.py").read_bytes()


def check_exam(exam: Exam, progress=lambda: None) -> None:
    """Draw `VARIANTS` variants of an exam, and check what the tests check of the book's exams.

    Raises
    ------
    BankError
        If a task cannot be drawn, its own solution is not right, two of its formulas are too close, two
        students could get the same answer, or its names, minutes or points do not fit.
    """
    _check_templates(exam)
    seen: dict[str, set[str]] = {}
    for seed in range(VARIANTS):
        for template in exam.templates:
            try:
                task = template.draw(seed)
                _check_task(task)
                prove(exam, (task,))
            except BankError:
                raise
            except Exception as error:
                problem = f"{type(error).__name__}: {error}" if not isinstance(error, InvalidTask) else error
                raise BankError(
                    f"{exam.name}: the task {template.name!r} cannot be used (variant {seed}). {problem}"
                ) from error
            if task.question and task.question.form == "value":
                value = repr(task.question.right(*copied(task.question.cases[0])))
                if value in seen.setdefault(task.name, set()):
                    raise BankError(
                        f"{exam.name}: two of {VARIANTS} variants of the task {task.name!r} have the same"
                        f" answer {value}. Draw from wider ranges."
                    )
                seen[task.name].add(value)
        progress()
    papers(exam, 1, "AAAAA", "Nobody")


def _check_templates(exam: Exam) -> None:
    names = [template.name for template in exam.templates]
    if not names:
        raise BankError(f"{exam.name} has no tasks. Add a TaskTemplate to its templates.")
    for name in names:
        if not NAME.fullmatch(name) or not name.replace("-", "_").isidentifier():
            raise BankError(
                f"{exam.name}: {name!r} cannot be the name of a task. Begin with a letter, and use lower-case"
                " letters, digits and hyphens."
            )
        if names.count(name) > 1:
            raise BankError(f"{exam.name}: two tasks are called {name!r}. Rename one.")
    for template in exam.templates:
        for what in ("minutes", "points"):
            value = getattr(template, what)
            if not isinstance(value, int) or value < 1:
                raise BankError(
                    f"{exam.name}: the task {template.name!r} has {what}={value!r}. Give a whole number"
                    " from 1 up."
                )
    needed, most = sum(t.minutes for t in exam.templates), MOST_MINUTES * exam.minutes
    if needed > most:
        raise BankError(
            f"{exam.name}: its tasks need {needed} of {exam.minutes} minutes, and a tenth must be left: at"
            f" most {most:g}. Make the tasks shorter, or the exam longer."
        )


def _check_task(task: ExamTask) -> None:
    """Check one variant of a task: its points, its mistakes, and that its own solution is right."""
    question = task.question
    if question is None:
        if sum(points for points, _ in task.rubric) != task.points:
            raise BankError(f"The points in the rubric of {task.name!r} do not add up to {task.points}.")
        return
    for mistake in question.mistakes:
        if unknown := [part for part in mistake.id.split(" + ") if part not in NAMES]:
            raise BankError(
                f"The task {task.name!r} has a mistake {unknown[0]!r}, which is not in the catalogue. Take an"
                " id from lmcourse/hints/mistakes.py."
            )
        for case in question.cases:
            formula_value(question, mistake.wrong, case)  # fails here rather than while grading
    if question.form == "value" and not apart(question, question.cases[0]):
        raise BankError(
            f"The task {task.name!r} has two formulas that agree to {APART:.0%}. Draw other numbers, or take"
            " a mistake out."
        )
    if question.form != "value":
        for mistake in question.mistakes:
            if judge(question, partial(formula_value, question, mistake.wrong), question.cases).right:
                raise BankError(f"The task {task.name!r} takes its mistake {mistake.id} for right.")
