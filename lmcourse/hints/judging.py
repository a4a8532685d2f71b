"""Decide whether an answer is right, and name the mistake that gives a wrong one.

`judge` meets the student only through the function ``call``: a case goes in, data comes out. So the student's
code can run in another process. Expected values and wrong ones are computed here, on the same inputs.

An answer with several entries may get the points of the right ones, where its question says so; else a task
gets all its points or none. Answers in words are not judged here: a person grades them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from lmcourse.hints.answers import Unreadable, read
from lmcourse.hints.entries import Answer
from lmcourse.hints.explaining import broken, explain
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.plain_data import plain_data
from lmcourse.hints.question import Case, Question, copied, formula_value
from lmcourse.hints.wording import shown_inputs

Call = Callable[[Case], Any]
"""Takes a case; returns the student's value for it."""


class WrongAnswer(AssertionError):
    """A wrong answer. Notebooks show its message without a traceback through this module.

    ``points`` is what its right entries are worth, where the question gives points for them. ``shown`` says
    that the notebook has shown the message already.
    """

    shown = False

    def __init__(self, message: str, points: int = 0):
        super().__init__(message)
        self.points = points

    def _render_traceback_(self) -> list[str]:  # IPython asks for this by name
        return ["Not right yet: see the hint above."] if self.shown else [str(self)]


@dataclass(frozen=True)
class Verdict:
    """Whether an answer is right, what to tell the student, and which entries of the catalogue explain it.

    ``key`` is the question's. Where several entries are wrong, each of ``lines`` may be about one of them.
    ``points`` are all points for a right answer; for a wrong one, those of its right entries, where the
    question gives points for them.
    """

    key: str
    right: bool
    lines: tuple[str, ...]
    mistakes: tuple[str, ...] = ()
    points: int = 0

    @property
    def message(self) -> str:
        return f"{self.key}: {' '.join(self.lines)}"


def caller(
    question: Question,
    answer: Any,
    call: Callable[[Any, Case], Any],
    evaluate: Callable[[Any, Case], Any],
) -> Call:
    """Turn what a student gives to `check` into the function from a case to a value that `judge` needs.

    ``call`` calls the student's function; ``evaluate`` puts numbers into the student's expression. The
    function that is returned raises `Unreadable` if the answer is None, or has a value where a function is
    expected.
    """

    def value_for(case: Case) -> Any:
        if question.form == "function":
            given = plain_data(answer)
            if not callable(given):
                raise Unreadable(
                    "pass the function itself instead of calling it: here you passed a value of the type"
                    f" {type(given).__name__}."
                )
            return call(answer, case)
        if answer is None:
            raise Unreadable("not done yet: the answer is None.")
        return answer if question.form == "value" else evaluate(answer, case)

    return value_for


def judge(
    question: Question, call: Call, cases: Sequence[Case], wrong: Callable[[], None] = lambda: None
) -> Verdict:
    """Judge an answer, which is reached only through ``call``.

    Parameters
    ----------
    question : Question
    call : callable
        Takes a case, returns the student's value for it. It raises `Unreadable` if there is none.
    cases : sequence of tuples
        Visible cases, or fresh ones.
    wrong : callable
        Called once all values have been read and some are wrong. ``call`` is used again after that, only to
        explain.

    Returns
    -------
    Verdict
    """
    points = 0
    try:
        rights = [formula_value(question, question.right, case) for case in cases]
        values: list[Any] = []
        problems: dict[Any, str] = {}
        for case, right in zip(cases, rights, strict=True):
            value, found = _value(question, call, case, right)
            values.append(value)
            problems |= found
        answer = Answer(question, call, list(cases), values, rights, problems)
        if answer.right.all():
            rule = broken(answer)
            if rule is None:
                return right_answer(question)
            told = f"{rule.mistake}, {NAMES[rule.mistake]}. {rule.message}."
            return Verdict(question.key, False, (told,), (rule.mistake,))
        wrong()
        points = answer.points
        lines, mistakes = explain(answer)
    except Unreadable as problem:
        lines, mistakes = (str(problem),), ()
    return Verdict(question.key, False, lines, mistakes, points)


def right_answer(question: Question) -> Verdict:
    """The verdict of an answer that is right."""
    return Verdict(question.key, True, ("right",), points=question.points)


def _value(question: Question, call: Call, case: Case, right: Any) -> tuple[Any, dict]:
    """What the student gives for a case; a function's array of another shape is shown with its inputs."""
    given = call(copied(case))
    try:
        return _read(question, given, right, copied(case))
    except Unreadable as problem:
        if question.form == "function" and problem.of_shape:
            raise Unreadable(f"{problem} The inputs: {shown_inputs(question, case)}.") from None
        raise


def _read(question: Question, given: Any, right: Any, case: Case) -> tuple[Any, dict]:
    """An answer in the form of the right value, and what could not be read."""
    if question.reading is None:
        return read(given, like=right), {}
    value, problems = question.reading(given, *case)
    if None in problems:
        raise Unreadable(problems[None])
    return read(value, like=right), problems
