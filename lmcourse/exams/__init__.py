"""Exams with numbers of their own for every student: after chapter 05, after 08, and on Part III.

    exam = find("midterm")
    tasks = exam.tasks(seed=7)       # the tasks of one variant
    paper, solved = papers(exam, 7)  # what a student gets, and the solved one (lmcourse.exams.paper)

A variant follows from the exam and a seed alone. ``lmcourse.exam`` makes the variants of a class.
"""

from __future__ import annotations

import functools
import importlib
from dataclasses import dataclass

from lmcourse import questions
from lmcourse.exams.task import Builder, ExamTask, rng_of
from lmcourse.hints.question import Question

__all__ = ["EXAMS", "Exam", "TaskTemplate", "add", "chapter_name", "find", "find_question", "questions_of"]

EXAMS = ("midterm", "final", "practice")
_ADDED: dict[str, Exam] = {}
"""Exams of a lecturer's bank, by name."""


@dataclass(frozen=True)
class TaskTemplate:
    """One place in an exam: what draws its task, and what the task is worth.

    Attributes
    ----------
    name : str
        The name of the answer, as in ``"pooled"``.
    builder : callable
        Takes a random generator and the other attributes; returns an `ExamTask`.
    chapters : str
        The chapters that it examines, as in ``"02, 04"``.
    minutes, points : int
    """

    name: str
    builder: Builder
    chapters: str
    minutes: int
    points: int

    def draw(self, seed: int) -> ExamTask:
        """The task as the variant with this seed has it."""
        attributes = {"chapters": self.chapters, "minutes": self.minutes, "points": self.points}
        return self.builder(rng_of(seed, self.name), name=self.name, **attributes)


@dataclass(frozen=True)
class Exam:
    """An exam: its tasks, each drawn anew for a variant.

    Attributes
    ----------
    name, title : str
    minutes : int
    allowed : str
        What students may use.
    templates : tuple of TaskTemplate
    """

    name: str
    title: str
    minutes: int
    allowed: str
    templates: tuple[TaskTemplate, ...]

    def tasks(self, seed: int) -> tuple[ExamTask, ...]:
        """The tasks of the variant with this seed, in the order of the paper."""
        return tuple(t.draw(seed).of_variant(chapter_name(self.name, seed)) for t in self.templates)

    @property
    def points(self) -> int:
        """What a paper is worth: the same for every variant."""
        return sum(template.points for template in self.templates)


def find(name: str) -> Exam:
    """Return an exam by its name.

    Raises
    ------
    KeyError
        If there is none; the message lists the exams.
    """
    if name in _ADDED:
        return _ADDED[name]
    if name not in EXAMS:
        raise KeyError(f"There is no exam {name!r}. Exams: {', '.join((*EXAMS, *_ADDED))}.")
    return importlib.import_module(f"lmcourse.exams.{name}").EXAM


def add(exam: Exam) -> None:
    """Make `find` and `find_question` know an exam that is not the book's (`lmcourse.exams.bank`)."""
    _ADDED[exam.name] = exam
    questions_of.cache_clear()


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
    if exam not in (*EXAMS, *_ADDED) or not seed.isdecimal():
        return {}
    tasks = find(exam).tasks(int(seed))
    return questions.by_key(task.question for task in tasks if task.question)


def find_question(key: str) -> Question:
    """Return a question of a set, as in ``"02.three-words"``, or of an exam, as in ``"midterm@7.pooled"``.

    Raises
    ------
    KeyError
        If there is none; the message suggests the nearest key.
    """
    chapter = key.partition(".")[0]
    if "@" in chapter:
        return questions.look_up(key, questions_of(chapter), if_empty="none")
    return questions.find(key)
