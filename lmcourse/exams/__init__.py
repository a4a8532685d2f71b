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

from lmcourse.exams.part import Builder, Part, rng_of
from lmcourse.hints.question import Question
from lmcourse.questions import by_key, look_up
from lmcourse.questions import find as find_in_sets

__all__ = ["EXAMS", "Exam", "Task", "chapter_name", "find", "find_question", "questions_of"]

EXAMS = ("midterm", "final")


@dataclass(frozen=True)
class Task:
    """A line of an exam's plan.

    Attributes
    ----------
    name : str
        The name of the answer, as in ``"pooled"``.
    builder : callable
        Takes a random generator and the other attributes; returns a `Part`.
    chapters : str
        The chapters that it examines, as in ``"02, 04"``.
    minutes, points : int
    """

    name: str
    builder: Builder
    chapters: str
    minutes: int
    points: int

    def part(self, seed: int) -> Part:
        """The task as the variant with this seed has it."""
        plan = {"chapters": self.chapters, "minutes": self.minutes, "points": self.points}
        return self.builder(rng_of(seed, self.name), name=self.name, **plan)


@dataclass(frozen=True)
class Exam:
    """An exam: its tasks, each drawn anew for a variant.

    Attributes
    ----------
    name, title : str
    minutes : int
    allowed : str
        What students may use.
    tasks : tuple of Task
    """

    name: str
    title: str
    minutes: int
    allowed: str
    tasks: tuple[Task, ...]

    def parts(self, seed: int) -> tuple[Part, ...]:
        """The tasks of the variant with this seed, in the order of the paper."""
        return tuple(task.part(seed).of_variant(chapter_name(self.name, seed)) for task in self.tasks)

    @property
    def points(self) -> int:
        """What a paper is worth: the same for every variant."""
        return sum(task.points for task in self.tasks)


def find(name: str) -> Exam:
    """Return an exam by its name.

    Raises
    ------
    KeyError
        If there is none; the message lists the exams.
    """
    if name not in EXAMS:
        raise KeyError(f"There is no exam {name!r}. Exams: {', '.join(EXAMS)}.")
    return importlib.import_module(f"lmcourse.exams.{name}").EXAM


def chapter_name(exam: str, seed: int) -> str:
    """The part before the dot in the keys of a variant's questions.

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
    return by_key(part.question for part in parts if part.question)


def find_question(key: str) -> Question:
    """Return a question of a set, as in ``"02.three-words"``, or of an exam, as in ``"midterm@7.pooled"``.

    Raises
    ------
    KeyError
        If there is none; the message suggests the nearest key.
    """
    chapter = key.partition(".")[0]
    return look_up(key, questions_of(chapter), if_empty="none") if "@" in chapter else find_in_sets(key)
