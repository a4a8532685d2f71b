"""One task of an exam, drawn: its text with a student's numbers, its solution, and its question."""

from __future__ import annotations

import inspect
import math
import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from lmcourse.exams.forms import read_in_form
from lmcourse.hints.answers import agreement
from lmcourse.hints.question import Case, Kind, Mistake, Question, formula_value

RTOL = 1e-3
"""What four significant digits need: rounding to them changes a number by at most 5e-4 of its size (1.0005 to
1.000), and cutting the others off by less than 1e-3 (1.000999 to 1.000). It is a tenth of `APART`."""

APART = 0.01
"""Each usual mistake changes a value by at least one per cent, and by ten times the tolerance of its task, or
the numbers are drawn again."""

EXACT = 1e-9
"""The tolerance of whole numbers that are counted: a paper asks for all their digits."""

MOST_DRAWS = 500


class InvalidTask(RuntimeError):
    """A task whose solution is wrong, or whose mistakes cannot be told apart; the message says which."""


@dataclass(frozen=True)
class ExamTask:
    """One task of a variant.

    Attributes
    ----------
    name : str
        As in ``"pooled"``; the cell's name.
    title : str
    chapters : str
        The chapters that it examines, as in ``"04"``.
    minutes, points : int
    text : str
        Markdown, with the numbers of this variant.
    given : str
        Code that defines the student's numbers; empty if they are in the text alone.
    message : str
        What an empty cell tells the student to do.
    head : str
        Code above the gap, such as ``def f(x):``; the gap is then indented.
    solution : str
        Code that fills the gap.
    form_check : str
        Python that checks the form of the answer and reveals nothing about its value.
    answer : str
        What the table of answers shows for a function.
    choices : tuple of str
        What this variant has drawn besides numbers, such as the faults of an evaluator.
    question : Question or None
        None if a person grades; ``model``, ``rubric`` and ``prompt`` then take its place.
    """

    name: str
    title: str
    chapters: str
    minutes: int
    points: int
    text: str
    given: str = ""
    message: str = ""
    head: str = ""
    solution: str = ""
    form_check: str = ""
    answer: str = ""
    choices: tuple[str, ...] = ()
    question: Question | None = None
    model: str = ""
    rubric: tuple[tuple[int, str], ...] = ()
    prompt: str = ""

    @property
    def on_paper(self) -> str:
        """The text, with the digits that it asks for if they are not those of the paper, and its points."""
        return "\n\n".join(filter(None, (self.text.strip(), self._precision(), self._sharing())))

    def _precision(self) -> str:
        """How exact the numbers must be; nothing if it is what the top of the paper says."""
        question = self.question
        if question is None or question.form == "function" or question.rtol == RTOL:
            return ""
        return f"*{question.precision}*"

    def _sharing(self) -> str:
        """How the points are shared among the entries of an answer; nothing for one number or for words."""
        question = self.question
        if question is None:
            return ""
        if question.form == "function":
            return "*Points: all for a function that is right on every input, otherwise none.*"
        if question.entry_points is None:
            return ""
        names = (f'`"{key}"`' if isinstance(key, str) else f"entry {key}" for key in question.entry_points)
        shares = [f"{n} for {name}" for name, n in zip(names, question.entry_points.values(), strict=True)]
        return f"*Points: {', '.join(shares[:-1])} and {shares[-1]}. Each is marked on its own.*"

    @property
    def variable(self) -> str:
        """The name that the student's answer is stored under."""
        return self.name.replace("-", "_")

    def of_variant(self, chapter: str) -> ExamTask:
        """The task with its question under the key of a variant."""
        if self.question is None:
            return self
        return replace(self, question=replace(self.question, key=f"{chapter}.{self.name}"))


ADVICE = "Write down what is counted above the fraction line and what below it, with units."

Builder = Callable[..., ExamTask]
"""Draws a task, from a random generator and the attributes of its `lmcourse.exams.TaskTemplate`."""


def value_builder(
    *,
    draw: Callable[[np.random.Generator], Case],
    right: Callable[..., Any],
    mistakes: tuple[Mistake, ...],
    given: str,
    text: str,
    optional: tuple[Mistake, ...] = (),
    suits: Callable[..., bool] = lambda *case: True,
    words: Callable[[np.random.Generator], dict] = lambda rng: {},
    fields: Callable[..., dict] = lambda *case: {},
    rtol: float = RTOL,
    **others: Any,
) -> Builder:
    """Return the builder of a task whose formulas are the same in every variant.

    ``given`` and ``text`` are templates for `str.format`. Their fields are the arguments of ``right``, what
    ``words`` draws before the numbers, and what ``fields`` makes of both. The mistakes of ``optional`` need
    not change every variant, as a wrong letter that may be the right one: a task has those that change its
    own. The rest is as in `value_task`.
    """

    def build(rng: np.random.Generator, **from_template: Any) -> ExamTask:
        drawn = words(rng)
        case = draw_apart(rng, draw, right, mistakes, suits, rtol)
        told = {**drawn, **_named(right, case), **fields(*case, **drawn)}
        named = with_those_apart(right, case, mistakes, optional, rtol)
        return value_task(
            right=right, case=case, mistakes=named, rtol=rtol, given=given.format(**told),
            text=text.format(**told), **others, **from_template,
        )  # fmt: skip

    return build


def _named(right: Callable, case: Case) -> dict:
    """The numbers of a case by the arguments of the formula, arrays as lists."""
    values = (x.tolist() if isinstance(x, np.ndarray) else x for x in case)
    return dict(zip(inspect.signature(right).parameters, values, strict=False))


def value_task(
    *,
    name: str,
    right: Callable[..., Any],
    case: Case,
    mistakes: tuple[Mistake, ...],
    points: int,
    solution: str,
    kind: Kind = "compute",
    symbols: tuple[str, ...] = (),
    entry_points: tuple[int, ...] | None = None,
    letters: str = "",
    advice: str = ADVICE,
    rtol: float = RTOL,
    **others: Any,
) -> ExamTask:
    """Return a task whose answer is a number, a letter, an array, a dictionary, or an expression.

    The case holds this variant's numbers; for an expression it holds one point, and two more are made from
    it. ``entry_points`` are the points of each key or entry, in the order of the right value; ``letters`` are
    those to choose from. A number counts as right within ``rtol`` of its size; with `EXACT`, numbers are
    whole ones that must not be rounded.
    """
    value, variable = right(*case), name.replace("-", "_")
    form = symbols or _form(value, letters)
    steps = (1.0, 0.7, 0.45) if symbols else ()
    cases = tuple(tuple(x * step for x in case) for step in steps) or (case,)
    entries = value if isinstance(value, dict) else range(len(entry_points or ()))
    question = Question(
        f"exam.{name}", others["title"], kind, 2, points, right, cases, mistakes,
        form="expression" if symbols else "value", symbols=symbols, rtol=rtol, precision=precision(rtol),
        entry_points=dict(zip(entries, entry_points, strict=True)) if entry_points else None,
        reading=partial(read_in_form, variable, form), advice=advice,
    )  # fmt: skip
    check = f'check_form("{variable}", {variable}, {_written(form)})'
    code = textwrap.dedent(solution).strip()
    return ExamTask(name=name, points=points, question=question, form_check=check, solution=code, **others)


def precision(rtol: float) -> str:
    """Say how many digits an answer needs so that neither rounding it nor cutting it off leaves a tolerance.

    Examples
    --------
    >>> precision(RTOL)
    'Give at least 4 significant digits, and round nothing on the way to the result.'
    >>> precision(EXACT)
    'Give whole numbers with all their digits.'
    """
    if rtol <= EXACT:
        return "Give whole numbers with all their digits."
    return f"Give at least {digits(rtol)} significant digits, and round nothing on the way to the result."


def digits(rtol: float) -> int:
    """The number of significant digits to which a number can be cut off and change by less than ``rtol``."""
    return math.ceil(1 - math.log10(rtol) - EXACT)


def function_task(*, name: str, question: Question, solution: str, **others: Any) -> ExamTask:
    """Return a task whose answer is a function; it is called on inputs that are drawn when it is graded."""
    variable, points = name.replace("-", "_"), question.points
    check = f'assert callable({variable}), "Define {variable} as a function, and do not call it."'
    code = textwrap.dedent(solution).strip()
    return ExamTask(name=name, points=points, question=question, form_check=check, solution=code, **others)


def rng_of(seed: int, name: str) -> np.random.Generator:
    """The generator of one task in one variant; it depends on nothing else."""
    return np.random.default_rng([seed, *name.encode()])


def draw_apart(
    rng: np.random.Generator,
    draw: Callable[[np.random.Generator], Case],
    right: Callable[..., Any],
    mistakes: tuple[Mistake, ...],
    suits: Callable[..., bool] = lambda *case: True,
    rtol: float = RTOL,
) -> Case:
    """Draw numbers until no usual mistake gives the right value, nor the value of another mistake.

    Raises
    ------
    InvalidTask
        If no draw suits.
    """
    question = Question("exam.draw", "", "compute", 1, 1, right, ((), ()), mistakes, rtol=rtol)
    for _ in range(MOST_DRAWS):
        case = draw(rng)
        if suits(*case) and apart(question, case):
            return case
    raise InvalidTask(
        f"In each of {MOST_DRAWS} draws two formulas agree to {_distance(rtol):.0%}, or the numbers do not"
        " suit. Draw from wider ranges, or take a mistake out."
    )


def with_those_apart(
    right: Callable[..., Any],
    case: Case,
    mistakes: tuple[Mistake, ...],
    optional: tuple[Mistake, ...],
    rtol: float = RTOL,
) -> tuple[Mistake, ...]:
    """Add to the mistakes of a task those of the optional ones that its numbers tell from all others."""
    for mistake in optional:
        more = (*mistakes, mistake)
        if apart(Question("exam.draw", "", "compute", 1, 1, right, ((), ()), more, rtol=rtol), case):
            mistakes = more
    return mistakes


def apart(question: Question, case: Case) -> bool:
    """Whether any two of the right value and those of the usual mistakes differ enough in some entry.

    Enough is `APART`, or ten times the tolerance of the question if that is more.
    """
    values = [formula_value(question, f, case) for _, f in question.labelled_formulas()]
    pairs = ((a, b) for i, a in enumerate(values) for b in values[i + 1 :])
    return not any(agreement(a, b, rtol=_distance(question.rtol), atol=1e-9).all() for a, b in pairs)


def _distance(rtol: float) -> float:
    """How far a usual mistake must be from the right value of a task with that tolerance."""
    return max(APART, 10 * rtol)


def _form(value: Any, letters: str) -> Any:
    """The form of a right value, as `lmcourse.exams.forms` defines forms."""
    if isinstance(value, dict):
        return {key: _form(entry, letters) for key, entry in value.items()}
    if isinstance(value, str):
        return letters
    return [float] * len(value) if np.ndim(value) else float


def _written(form: Any) -> str:
    """A form as Python that a student can read."""
    if isinstance(form, dict):
        return "{" + ", ".join(f'"{key}": {_written(entry)}' for key, entry in form.items()) + "}"
    if isinstance(form, list):
        return f"[float] * {len(form)}"
    if isinstance(form, tuple):
        return "(" + ", ".join(f'"{name}"' for name in form) + ")"
    return "float" if form is float else f'"{form}"'


def rows(*columns) -> str:
    """The rows of a Markdown table, from its columns.

    Examples
    --------
    >>> print(rows("AB", [0.5, 2]))
    | A | 0.5 |
    | B | 2 |
    """
    return "\n".join(f"| {' | '.join(map(str, row))} |" for row in zip(*columns, strict=True))
