"""Exams with numbers of their own for every student: a midterm after chapter 05, a final after chapter 08.

    exam = find("midterm")
    parts = exam.parts(seed=7)       # the tasks of one variant
    paper, key = papers(exam, 7)     # what a student gets, and the solved one (lmcourse.exams.paper)

A variant follows from the exam and a seed alone. ``lmcourse.exam`` makes the variants of a class.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass

from lmcourse.exams.part import Part, rng_of
from lmcourse.hints.question import Question
from lmcourse.questions import find as find_in_sets
from lmcourse.questions import look_up

__all__ = ["EXAMS", "Exam", "chapter_name", "find", "find_question", "questions_of"]

EXAMS = ("midterm", "final")


@dataclass(frozen=True)
class Exam:
    """An exam: its tasks, each drawn anew for a variant.

    Attributes
    ----------
    name, title : str
    minutes : int
    allowed : str
        What students may use.
    builders : tuple of callables
        Each takes a random generator and returns a `Part`.
    """

    name: str
    title: str
    minutes: int
    allowed: str
    builders: tuple

    def parts(self, seed: int) -> tuple[Part, ...]:
        """The tasks of the variant with this seed, in the order of the paper."""
        drawn = (builder(rng_of(seed, builder.__name__)) for builder in self.builders)
        return tuple(part.of_variant(chapter_name(self.name, seed)) for part in drawn)

    @property
    def points(self) -> int:
        """What a paper is worth: the same for every variant."""
        return sum(part.points for part in self.parts(0))


def find(name: str) -> Exam:
    """Return an exam by its name.

    Raises
    ------
    KeyError
        When there is none; the message lists them.
    """
    if name not in EXAMS:
        raise KeyError(f"There is no exam {name!r}. Exams: {', '.join(EXAMS)}.")
    return importlib.import_module(f"lmcourse.exams.{name}").EXAM


def chapter_name(exam: str, seed: int) -> str:
    """What stands before the dot in the keys of a variant's questions.

    Examples
    --------
    >>> chapter_name("midterm", 7)
    'midterm@7'
    """
    return f"{exam}@{seed}"


@functools.lru_cache(maxsize=512)
def questions_of(chapter: str) -> dict[str, Question]:
    """Return the questions of a variant by key; ``chapter`` is as `chapter_name` gives it."""
    exam, _, seed = chapter.partition("@")
    if exam not in EXAMS or not seed.isdecimal():
        return {}
    parts = find(exam).parts(int(seed))
    return {part.question.key: part.question for part in parts if part.question}


def find_question(key: str) -> Question:
    """Return a question of a set, as in ``"02.three-words"``, or of an exam, as in ``"midterm@7.pooled"``.

    Raises
    ------
    KeyError
        When there is none; the message suggests the nearest key.
    """
    chapter = key.partition(".")[0]
    return look_up(key, questions_of(chapter), "none") if "@" in chapter else find_in_sets(key)
