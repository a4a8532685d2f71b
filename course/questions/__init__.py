"""The machine-graded questions of the book: modules ``qNN_*.py``, each with a tuple ``QUESTIONS``.

The number is the chapter's. A long chapter has several modules. The questions of an exam's variant, as in
``"midterm@7.pooled"``, come from ``course.exams``.
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from course.question import Question


def find(key: str) -> Question:
    """Return the question with this key, such as ``"02.three-words"``.

    Raises
    ------
    KeyError
        When there is none; the message suggests the nearest key and lists the chapter's keys.
    """
    chapter = key.partition(".")[0]
    questions = of_chapter(chapter)
    if key in questions:
        return questions[key]
    near = difflib.get_close_matches(key, questions, n=1)
    hint = f"Do you mean {near[0]!r}? " if near else ""
    known = ", ".join(questions) or f"none, because there is no module course/questions/q{chapter}_*.py"
    raise KeyError(f"There is no question {key!r}. {hint}Questions of chapter {chapter}: {known}.")


@functools.cache
def of_chapter(chapter: str) -> dict[str, Question]:
    """Return the questions of a chapter by key; empty for an unknown chapter."""
    if "@" in chapter:  # a variant of an exam
        from course.exams import questions_of

        return questions_of(chapter)
    names = sorted(
        module.name for module in pkgutil.iter_modules(__path__) if module.name.startswith(f"q{chapter}_")
    )
    modules = [importlib.import_module(f"{__name__}.{name}") for name in sorted(names)]
    return {question.key: question for module in modules for question in module.QUESTIONS}
