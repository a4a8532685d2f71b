"""One task of an exam, drawn: its text with a student's numbers, its solution, and its question."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from course.answers import agreement
from course.question import Case, Mistake, Question, formula_value

DIGITS = 4
"""How many significant digits a paper asks for."""

RTOL = 1e-3
"""What four significant digits need: rounding to them changes a number by at most 5e-4 of it (1.0005 to
1.000), and cutting the others off by less than 1e-3 (1.000999 to 1.000). It is a tenth of `APART`."""

APART = 0.01
"""Each usual mistake changes a value by at least one per cent, or the numbers are drawn again."""

EXACT = 1e-9
"""The tolerance of whole numbers that are counted: a paper asks for all their digits."""

ROUNDED = f"Give at least {DIGITS} significant digits, and round nothing on the way to the result."
COUNTED = "These are counted: give whole numbers with all their digits."

MOST_DRAWS = 500


@dataclass(frozen=True)
class Part:
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
        Code of the student's numbers; empty when they stand in the text alone.
    task : str
        What a student reads in an unfilled cell.
    head : str
        Code above the gap, such as ``def f(x):``; the gap is then indented.
    solution : str
        Code that fills the gap.
    shape : str
        Python that holds when the answer has the right form, and shows nothing of its value.
    question : Question or None
        None when a person grades: ``model``, ``rubric`` and ``prompt`` then stand for it.
    """

    name: str
    title: str
    chapters: str
    minutes: int
    points: int
    text: str
    given: str = ""
    task: str = ""
    head: str = ""
    solution: str = ""
    shape: str = ""
    question: Question | None = None
    model: str = ""
    rubric: tuple[tuple[int, str], ...] = ()
    prompt: str = ""

    @property
    def variable(self) -> str:
        """The name that the student's answer is stored under."""
        return self.name.replace("-", "_")

    def of_variant(self, chapter: str) -> Part:
        """The part with its question under the key of a variant."""
        if self.question is None:
            return self
        return replace(self, question=replace(self.question, key=f"{chapter}.{self.name}"))


def value_part(
    name: str,
    *,
    right: Callable[..., Any],
    case: Case,
    mistakes: tuple[Mistake, ...],
    points: int,
    kind: str = "compute",
    symbols: tuple[str, ...] = (),
    advice: str = "Write down what is counted above the fraction line and what below it, with units.",
    exact: bool = False,
    **others: Any,
) -> Part:
    """Return a part whose answer is a number, a string, an array, a dictionary, or an expression.

    The case holds this variant's numbers; for an expression it holds one point, and two more are made from
    it. With ``exact`` the numbers are whole ones that must not be rounded.
    """
    form, cases = "value", (case,)
    if symbols:
        form = "expression"
        cases = tuple(tuple(x * step for x in case) for step in (1.0, 0.7, 0.45))
    question = Question(
        key=f"exam.{name}",
        title=others["title"],
        kind=kind,
        stars=2,
        points=points,
        right=right,
        cases=cases,
        mistakes=mistakes,
        form=form,
        symbols=symbols,
        rtol=EXACT if exact else RTOL,
        precision=COUNTED if exact else ROUNDED,
        advice=advice,
    )
    shape = others.pop("shape", None) or _shape(name, form, right(*case))
    solution = textwrap.dedent(others.pop("solution")).strip()
    return Part(name, points=points, question=question, shape=shape, solution=solution, **others)


def function_part(name: str, question: Question, **others: Any) -> Part:
    """Return a part whose answer is a function, called on inputs that are drawn when it is graded."""
    variable = name.replace("-", "_")
    solution = textwrap.dedent(others.pop("solution")).strip()
    return Part(
        name,
        question=question,
        points=question.points,
        shape=f'assert callable({variable}), "{variable} is a function"',
        solution=solution,
        **others,
    )


def rng_of(seed: int, name: str) -> np.random.Generator:
    """The generator of one task of one variant: it follows from both, and from nothing else."""
    return np.random.default_rng([seed, *name.encode()])


def draw_apart(
    rng: np.random.Generator,
    draw: Callable[[np.random.Generator], Case],
    right: Callable[..., Any],
    mistakes: tuple[Mistake, ...],
    suits: Callable[..., bool] = lambda *case: True,
) -> Case:
    """Draw numbers until no usual mistake gives the right value, nor the value of another mistake.

    Raises
    ------
    RuntimeError
        When that does not come about: a fault of the task.
    """
    question = Question("exam.draw", "", "compute", 1, 1, right, ((), ()), mistakes)
    for _ in range(MOST_DRAWS):
        case = draw(rng)
        if suits(*case) and _apart(question, case):
            return case
    raise RuntimeError(f"{MOST_DRAWS} draws, and in each two formulas agree to {APART:.0%}.")


def _apart(question: Question, case: Case) -> bool:
    values = [formula_value(question, f, case) for _, f in question.labelled_formulas()]
    pairs = ((a, b) for i, a in enumerate(values) for b in values[i + 1 :])
    return not any(agreement(a, b, rtol=APART, atol=1e-9).all() for a, b in pairs)


def _shape(name: str, form: str, value: Any) -> str:
    """Python that asserts the form of an answer."""
    variable = name.replace("-", "_")
    if form == "expression":
        return f'assert {variable} is not None, "{variable} is an expression"'
    if isinstance(value, dict):
        keys = "{" + ", ".join(f'"{key}"' for key in value) + "}"
        return f'assert set({variable}) == {keys}, "{variable} is a dictionary with the keys {_words(value)}"'
    if isinstance(value, str):
        return f'assert len({variable}) == {len(value)}, "{variable} is a string of length {len(value)}"'
    if np.ndim(value):
        return f'assert len({variable}) == {len(value)}, "{variable} holds {len(value)} numbers"'
    return f'assert float({variable}) == {variable}, "{variable} is one number"'


def _words(keys) -> str:
    return ", ".join(keys)
