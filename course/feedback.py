"""Check an answer, and name the mistake that gives it.

    check("02.average-surprisal", average_surprisal)

prints one line when the answer is right and raises `WrongAnswer`, an `AssertionError`, with a hint when it
is not. The notebook holds no expected value: right values and wrong ones are computed here, on the same
inputs.

A grader uses `find` (in ``course.questions``), `Question.fresh_cases` and `judge`. `judge` meets the
student only through the function ``call``: a case goes in, data comes out. So the student's code can run in
another process.

Left out: points that depend on how wrong an answer is, and answers in words, which a person grades.
"""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from course.answers import Unreadable, agreement, evaluate, numbers, read, short
from course.question import Case, Mistake, Property, Question, formula_value, own, pairs
from course.questions import find

__all__ = [
    "Mistake",
    "Property",
    "Question",
    "Verdict",
    "WrongAnswer",
    "check",
    "check_hidden",
    "inputs",
    "judge",
]

LOOSE = 1e-3
"""Relative tolerance for naming the mistake behind a rounded number."""

CLOSE = 5
"""How many times the tolerance of a right answer a number may be away to be called close, if that is more."""

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
    """A wrong answer. Notebooks show its message without a traceback through this module."""

    def _render_traceback_(self) -> list[str]:  # IPython asks for this by name
        return [str(self)]


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, what to tell the student, and which entries of the catalogue explain it."""

    right: bool
    message: str
    mistakes: tuple[str, ...] = ()


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
    try:
        rights = [formula_value(question, question.right, case) for case in cases]
        values = [read(call(own(case)), like=right) for case, right in zip(cases, rights, strict=True)]
        answer = _Answer(question, call, list(cases), values, rights)
        if answer.matches(question.right, question.rtol).all():
            return Verdict(True, f"{question.key}: right")
        message, mistakes = _explain(answer)
    except Unreadable as problem:
        message, mistakes = str(problem), ()
    return Verdict(False, f"{question.key}: {message}", mistakes)


@dataclass
class _Answer:
    """A student's values for all cases."""

    question: Question
    call: Call
    cases: list[Case]
    values: list[Any]
    rights: list[Any]

    def matches(self, formula: Callable, rtol: float) -> np.ndarray:
        """One boolean for each number and string of all cases: does the formula give it?"""
        return np.concatenate([self.matches_case(i, formula, rtol) for i in range(len(self.cases))])

    def matches_case(self, i: int, formula: Callable, rtol: float) -> np.ndarray:
        target = formula_value(self.question, formula, self.cases[i], self.rights[i])
        return agreement(self.values[i], target, max(rtol, self.question.rtol), self.question.atol)

    def first_wrong(self) -> int:
        question = self.question
        wrong = (
            i for i in range(len(self.cases)) if not self.matches_case(i, question.right, question.rtol).all()
        )
        return next(wrong)


def _explain(answer: _Answer) -> tuple[str, tuple[str, ...]]:
    """Say why a readable answer is wrong, and which entries of the catalogue explain it."""
    question = answer.question
    mistakes = _usual(answer, question.rtol)
    if not mistakes:
        if answer.matches(question.right, max(LOOSE, CLOSE * question.rtol)).all():
            return f"close, but not within {question.rtol:g} of the value. {question.precision}", ()
        mistakes = _usual(answer, LOOSE)
    if mistakes:
        parts = [f"{mistake.id}, {mistake.name}. {_hint(answer, mistake)}" for mistake in mistakes]
        start = "two mistakes at once. " if len(parts) == 2 else ""
        return start + " ".join(parts), tuple(i for mistake in mistakes for i in mistake.id.split(" + "))
    shown = _shown(answer)
    for rule in question.properties:
        if not all(_holds(answer, rule, i) for i in range(len(answer.cases))):
            return f"{rule.message}. {shown}".rstrip(), ()
    reason = "not the value asked for, and not one of the usual mistakes."
    return " ".join(part for part in (reason, shown, question.advice) if part), ()


def _usual(answer: _Answer, rtol: float) -> tuple[Mistake, ...]:
    """The mistake that gives the student's numbers, or the wrong ones among them, or two that do together."""
    right = [answer.matches_case(i, answer.question.right, rtol) for i in range(len(answer.cases))]
    partly = []
    for mistake in answer.question.mistakes:
        fits = []  # of the cases so far; a formula that one case excludes is not computed for the others
        for i, right_there in enumerate(right):
            fits.append(answer.matches_case(i, mistake.wrong, rtol))
            if not (fits[-1] | right_there).all():
                break
        else:
            if np.concatenate(fits).all():
                return (mistake,)
            partly.append(mistake)
    if len(partly) == 1:
        return (partly[0],)
    cases = range(len(answer.cases))
    both = [
        pair
        for pair, formula in pairs(answer.question)
        if all(answer.matches_case(i, formula, rtol).all() for i in cases)
    ]
    return both[0] if len(both) == 1 else ()


def _hint(answer: _Answer, mistake: Mistake) -> str:
    """The mistake's hint, with the numbers by which this answer betrays it."""
    question, case = answer.question, answer.cases[answer.first_wrong()]
    text = mistake.hint(*own(case)) if callable(mistake.hint) else mistake.hint
    wrong = numbers(formula_value(question, mistake.wrong, case))
    right = numbers(formula_value(question, question.right, case))
    differ = ~np.isclose(wrong, right, rtol=question.rtol, atol=question.atol, equal_nan=True)
    if not differ.any():
        return text
    wrong, right = wrong[differ][0], right[differ][0]
    with np.errstate(all="ignore"):
        return text.format(ratio=_digits(wrong / right), power=_digits(np.log(wrong) / np.log(right)))


def _digits(number: float) -> str:
    return f"{number:.4f}".rstrip("0").rstrip(".")


def _holds(answer: _Answer, rule: Property, i: int) -> bool:
    value, case = answer.values[i], answer.cases[i]
    if rule.also is None:
        return bool(rule.holds(value, *own(case)))
    return bool(rule.holds(value, read(answer.call(rule.also(*own(case))), like=value)))


def _shown(answer: _Answer) -> str:
    """The student's value for the first case that is wrong; nothing for expressions."""
    i = answer.first_wrong()
    if answer.question.form == "expression":
        return ""
    if answer.question.form == "value":
        return f"You give {short(answer.values[i])}."
    return f"For {shown_inputs(answer.question, answer.cases[i])} you return {short(answer.values[i])}."


def _caller(question: Question, answer: Any) -> Call:
    """Turn what a student gives to `check` into a function from a case to a value."""

    def call(case: Case) -> Any:
        if question.form != "function" and answer is None:
            raise Unreadable("not done yet: the answer is None.")
        if question.form == "value":
            return answer
        if question.form == "expression":
            return evaluate(answer, question.symbols, case)
        if not callable(answer):
            kind = type(answer).__name__
            raise Unreadable(f"give the function itself, without calling it; this is of the type {kind}.")
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


def shown_inputs(question: Question, case: Case) -> str:
    """The arguments of a case, for a message."""
    names = inspect.signature(question.right).parameters
    return ", ".join(f"{name} = {short(value)}" for name, value in zip(names, case, strict=False))


def _tell(verdict: Verdict) -> None:
    if not verdict.right:
        raise WrongAnswer(verdict.message) from None
