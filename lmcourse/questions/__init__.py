"""The questions of the sets: a folder for each chapter, whose modules each have a tuple ``QUESTIONS``.

A right formula takes the arguments of a case. It may also take keyword arguments: the steps that its
mistakes replace, as in ``partial(average, mask=everything)``. ``shared`` is what several chapters use: other
ways to make a wrong formula (``wrong``), properties, and the mistakes about units.

Left out: the questions of an exam's variant, as in ``"midterm@7.pooled"`` (`lmcourse.exams.find_question`).
"""

from __future__ import annotations

import difflib
import functools
import importlib
import pkgutil
from collections.abc import Iterable

from lmcourse.hints.question import InvalidQuestion, Question


def find(key: str) -> Question:
    """Return the question with this key, such as ``"02.three-words"``.

    Raises
    ------
    KeyError
        If there is none; the message suggests the nearest key and lists the chapter's keys.
    """
    chapter = key.partition(".")[0]
    missing = f"none, because there is no folder lmcourse/questions/ch{chapter}"
    return look_up(key, of_chapter(chapter), if_empty=missing)


def look_up(key: str, questions: dict[str, Question], if_empty: str) -> Question:
    """Return a question of a chapter, or raise a KeyError that lists them, or says ``if_empty``."""
    if key in questions:
        return questions[key]
    near = difflib.get_close_matches(key, questions, n=1)
    hint = f"Do you mean {near[0]!r}? " if near else ""
    known = ", ".join(questions) or if_empty
    chapter = key.partition(".")[0]
    raise KeyError(f"There is no question {key!r}. {hint}Questions of chapter {chapter}: {known}.")


@functools.cache
def of_chapter(chapter: str) -> dict[str, Question]:
    """Return the questions of a chapter by key; empty for an unknown chapter.

    Raises
    ------
    InvalidQuestion
        If two questions have the same key.
    """
    if f"ch{chapter}" not in {module.name for module in pkgutil.iter_modules(__path__)}:
        return {}
    package = importlib.import_module(f"{__name__}.ch{chapter}")
    names = sorted(module.name for module in pkgutil.iter_modules(package.__path__))
    modules = [importlib.import_module(f"{package.__name__}.{name}") for name in names]
    return by_key([question for module in modules for question in module.QUESTIONS])


def by_key(questions: Iterable[Question]) -> dict[str, Question]:
    """Return questions by their keys; raise `InvalidQuestion` if two have the same key."""
    found: dict[str, Question] = {}
    for question in questions:
        if question.key in found:
            raise InvalidQuestion(
                f"Two questions have the key {question.key!r}. Rename one, here and in its set."
            )
        found[question.key] = question
    return found
