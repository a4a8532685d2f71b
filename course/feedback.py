"""Check an answer, and name the mistake that gives it.

    check("02.average-surprisal", average_surprisal)

prints one line when the answer is right and raises `WrongAnswer`, an `AssertionError`, with a hint when it
is not. The notebook holds no expected value: right values and wrong ones are computed here, on the same
inputs.

A grader uses `find` (in ``course.questions``), `Question.fresh_cases` and `judge`. `judge` meets the
student only through the function ``call``: a case goes in, data comes out. So the student's code can run in
another process.

An answer with several entries may get the points of the right ones, where its question says so; else a task
gets all its points or none. Left out: answers in words, which a person grades.
"""

from __future__ import annotations

import contextlib
import io
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.answers import Unreadable, agreement, evaluate, plain, read
from course.explaining import LOOSE, Answer, broken, explain
from course.mistakes import NAMES
from course.question import Case, Mistake, Property, Question, formula_value, own
from course.questions import find
from course.wording import short_of, shown_inputs

__all__ = [
    "LOOSE",
    "Mistake",
    "Property",
    "Question",
    "Verdict",
    "WrongAnswer",
    "check",
    "check_hidden",
    "inputs",
    "judge",
    "shown_inputs",
]

DRAWS, DRAWING_SECONDS = 64, 0.5
"""On how many inputs, and how long at most, `check` looks whether an answer is precise on others too."""

SMALL = 1e-5
"""Differences that float32 may make by itself, where numbers of the size of one are subtracted."""

Call = Callable[[Case], Any]


def check(key: str, answer: Any) -> None:
    """Compare a student's answer with the question's visible cases; print one line, or raise with a hint.

    Parameters
    ----------
    key : str
        Chapter and task, as in ``"02.three-words"``.
    answer : object
        The student's function, or the value or SymPy expression that the task asks for.

    Raises
    ------
    WrongAnswer
        An `AssertionError` whose message names the mistake, a broken property, or says what to try.
    KeyError
        When there is no such question; the message lists the keys of the chapter.
    """
    question = find(key)
    _tell(judge(question, _caller(question, answer), question.cases))
    _tell(_precise(question, answer))
    print(f"{key}: right ({question.points} {'point' if question.points == 1 else 'points'})")


def check_hidden(key: str, answer: Any, seed: int) -> None:
    """Compare a student's answer on inputs that are drawn from ``seed``; prints and raises as `check` does.

    A question without random inputs (its answer is one fixed value) is compared on its visible case.
    """
    question = find(key)
    cases = question.fresh_cases(seed)
    _tell(judge(question, _caller(question, answer), cases))
    print(f"{key}: right on {len(cases)} {'fresh inputs' if question.draw else 'input'}")


def inputs(key: str) -> tuple[Case, ...]:
    """Return the visible inputs of a question, one tuple of arguments for each call, to try things on.

    Examples
    --------
    >>> inputs("02.three-words")[0]
    (array([0.5, 0.8, 0.9]),)
    """
    return tuple(own(case) for case in find(key).cases)


class WrongAnswer(AssertionError):
    """A wrong answer. Notebooks show its message without a traceback through this module.

    ``points`` is what its right entries are worth, where the question gives points for them.
    """

    def __init__(self, message: str, points: int = 0):
        super().__init__(message)
        self.points = points

    def _render_traceback_(self) -> list[str]:  # IPython asks for this by name
        return [str(self)]


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, what to tell the student, and which entries of the catalogue explain it.

    ``points`` are all points for a right answer; for a wrong one, those of its right entries, where the
    question gives points for them.
    """

    right: bool
    message: str
    mistakes: tuple[str, ...] = ()
    points: int = 0


def judge(question: Question, call: Call, cases: Sequence[Case]) -> Verdict:
    """Decide on an answer, which is met only through ``call``.

    Parameters
    ----------
    question : Question
    call : callable
        Takes a case, returns the student's value for it. It raises `Unreadable` with a sentence when there
        is none.
    cases : sequence of tuples
        Visible cases, or fresh ones.

    Returns
    -------
    Verdict
        Its message begins with the question's key.
    """
    points = 0
    try:
        rights = [formula_value(question, question.right, case) for case in cases]
        values, problems = [], {}
        for case, right in zip(cases, rights, strict=True):
            value, found = _value(question, call, case, right)
            values.append(value)
            problems |= found
        answer = Answer(question, call, list(cases), values, rights, problems)
        if all(right.all() for right in answer.right):
            rule = broken(answer)
            if rule is None:
                return Verdict(True, f"{question.key}: right", points=question.points)
            told = f"{question.key}: {rule.mistake}, {NAMES[rule.mistake]}. {rule.message}."
            return Verdict(False, told, (rule.mistake,))
        points = answer.points
        message, mistakes = explain(answer)
    except Unreadable as problem:
        message, mistakes = str(problem), ()
    return Verdict(False, f"{question.key}: {message}", mistakes, points)


def _value(question: Question, call: Call, case: Case, right: Any) -> tuple[Any, dict]:
    """What the student gives for a case; a function's array of another shape is shown with its inputs."""
    given = call(own(case))
    try:
        return _read(question, given, right)
    except Unreadable as problem:
        if question.form == "function" and "an array of" in str(problem):
            raise Unreadable(f"{problem} The inputs: {shown_inputs(question, case)}.") from None
        raise


def _read(question: Question, given: Any, right: Any) -> tuple[Any, dict]:
    """An answer in the form of the right value, and what could not be read of it."""
    if question.reading is None:
        return read(given, like=right), {}
    value, problems = question.reading(given)
    if None in problems:
        raise Unreadable(problems[None])
    return read(value, like=right), problems


def _caller(question: Question, answer: Any) -> Call:
    """Turn what a student gives to `check` into a function from a case to a value."""

    def call(case: Case) -> Any:
        if question.form != "function" and answer is None:
            raise Unreadable("not done yet: the answer is None.")
        if question.form == "value":
            return answer
        if question.form == "expression":
            return evaluate(answer, question.symbols, case)
        if not callable(plain(answer)):
            kind = type(plain(answer)).__name__
            told = "pass the function itself instead of calling it"
            raise Unreadable(f"{told}: here you passed a value of the type {kind}.")
        try:
            return answer(*case)
        except NotImplementedError as error:
            raise Unreadable(f"not done yet. {error}".rstrip()) from None
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)[1:]
            line = f" at `{frames[0].line}`" if frames and frames[0].line else ""
            told = f"your function raises {type(error).__name__}: {error}{line}"
            raise Unreadable(f"{told}, for {shown_inputs(question, case)}.") from error

    return call


def _precise(question: Question, answer: Any) -> Verdict:
    """Whether an answer that is right on the visible inputs is as precise on others, as a grader has them.

    Float32 often passes on a few round inputs. Any other difference there is the grader's to tell.
    """
    right = Verdict(True, f"{question.key}: right", points=question.points)
    if question.draw is None or question.form != "function":
        return right
    call, rng = _caller(question, answer), np.random.default_rng([0, *question.key.encode()])
    end = time.monotonic() + DRAWING_SECONDS
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = right
        for _ in range(DRAWS):
            case = question.draw(rng)
            target = formula_value(question, question.right, case)
            try:
                value = read(call(own(case)), like=target)
            except Unreadable:
                return right
            if not agreement(value, target, LOOSE, max(question.atol, SMALL)).all():
                return right
            if told.right and not agreement(value, target, question.rtol, question.atol).all():
                inputs_there = shown_inputs(question, case)
                said = f"right on the visible inputs, but only close for {inputs_there}: {short_of(question)}"
                told = Verdict(False, f"{question.key}: {said}. {question.precision}")
            if time.monotonic() > end:
                break
    return told


def _tell(verdict: Verdict) -> None:
    if not verdict.right:
        raise WrongAnswer(verdict.message, verdict.points) from None
