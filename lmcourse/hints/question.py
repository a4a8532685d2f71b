"""What a machine-graded task is made of: its right formula, its usual mistakes, its inputs.

`lmcourse.hints.judging` uses these to judge an answer; each module of ``lmcourse.questions`` has a tuple of
them. A question never runs a student's code.
"""

from __future__ import annotations

import copy
import pickle
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from lmcourse.hints.answers import read
from lmcourse.hints.mistakes import NAMES

FRESH = 8
"""How many fresh inputs a hidden check draws."""

Kind = Literal["compute", "derive", "implement", "debug", "forensics", "protocol", "reproduce"]

Case = tuple
"""The arguments of one call. Of a random generator among them, its state is sent to another process."""


class InvalidQuestion(ValueError):
    """A question that contradicts itself or another one. The message says which question and what to do."""


@dataclass(frozen=True)
class Question:
    """One machine-graded task: its right formula, its usual mistakes, its inputs.

    Attributes
    ----------
    key, title : str
        ``key`` is chapter, dot, and the task's name in the notebook.
    kind : str
        What the student does.
    stars, points : int
        How hard it is, from 1 to 3, and what it is worth, both as in the heading of the notebook.
    form : {"function", "value", "expression"}
        What ``check`` receives. An expression is compared at the points of ``cases``.
    symbols : tuple of str
        The names of an expression's variables, in the order of a case's arguments.
    right : callable
        The reference: takes the arguments of a case.
    cases : tuple of tuples
        Visible inputs: at least two for functions and expressions, one for a value.
    mistakes : tuple of Mistake
        The wrong formulas that an answer is compared with; the first that fits gives the hint.
    properties : tuple of Property
        What every right answer has; the first that an answer lacks is named if no mistake fits.
    draw : callable, optional
        ``draw(rng)`` returns one fresh case.
    odd : tuple of callables
        As ``draw``, for rare kinds (an empty row, a text of one word); each is among the fresh cases.
    rtol, atol : float
        An answer is right when it is within ``atol + rtol * |right|``.
    precision : str
        What to tell somebody whose numbers are only close to the right ones.
    advice : str
        What to try when no mistake and no property fits.
    entry_points : dict, optional
        The points of each entry of the answer, by its key or place; together they are ``points``. Without
        it an answer gets all points or none.
    reading : callable, optional
        Reads a value in more forms than `answers.read`: takes what the student gave and the arguments of
        the case, returns it in the form of the right value, and a dictionary of sentences on what cannot be
        read, by entry (by None for the whole answer). Where many values are right, as in a design, it turns
        each of them into the one that ``right`` gives.
    alike : tuple of (str, str, str)
        Labels of two formulas that agree on some visible case, and why. "right" labels the right formula, a
        mistake's id its formula (see `labelled_formulas`).
    """

    key: str
    title: str
    kind: Kind
    stars: int
    points: int
    right: Callable[..., Any]
    cases: tuple[Case, ...]
    mistakes: tuple[Mistake, ...]
    properties: tuple[Property, ...] = ()
    draw: Callable[[np.random.Generator], Case] | None = None
    odd: tuple[Callable[[np.random.Generator], Case], ...] = ()
    form: Literal["function", "value", "expression"] = "function"
    symbols: tuple[str, ...] = ()
    rtol: float = 1e-6
    atol: float = 1e-9
    precision: str = "Do not round, and compute in float64."
    advice: str = "Work the smallest case by hand, and print every intermediate number with its shape."
    entry_points: dict[str | int, int] | None = None
    reading: Callable[..., tuple[Any, dict]] | None = None
    alike: tuple[tuple[str, str, str], ...] = ()

    def __post_init__(self):
        if self.entry_points is not None and sum(self.entry_points.values()) != self.points:
            raise InvalidQuestion(
                f"{self.key}: its entries are worth {self.entry_points}, the question {self.points} points."
                " Make entry_points add up to points."
            )

    def fresh_cases(self, seed: int, count: int = FRESH) -> tuple[Case, ...]:
        """Return inputs that follow from ``seed`` alone, or the visible case of a fixed value."""
        if self.draw is None:
            return self.cases
        return copied(_drawn((self.draw,) * max(0, count - len(self.odd)) + self.odd, self.key, seed))

    def labelled_formulas(self) -> list[tuple[str, Callable]]:
        """Return the right formula and all wrong ones with distinct labels: "right", "M6", "M6 (2)"."""
        labelled = [("right", self.right)]
        for mistake in self.mistakes:
            before = sum(label.partition(" (")[0] == mistake.id for label, _ in labelled)
            labelled.append((f"{mistake.id} ({before + 1})" if before else mistake.id, mistake.wrong))
        return labelled


@dataclass(frozen=True)
class Mistake:
    """A wrong formula that a student's value is compared with.

    Attributes
    ----------
    id : str
        Entry of the catalogue `lmcourse.hints.mistakes.NAMES`; several ids joined by " + " for mistakes made
        together.
    wrong : callable
        Takes the arguments of a case, returns the wrong value in the form of the right one.
    hint : str or callable
        What in the number shows the mistake; never the right number. ``{ratio}`` becomes the student's value
        divided by the right one, ``{power}`` the ratio of their logarithms. A callable gets the arguments of
        the case and returns such a string.
    slip : callable, optional
        The same mistake as a function of a finished value (a wrong base, say): it is then also tried on top
        of the others.
    explains : {"entries", "answer", "numbers"}
        What the formula must give for the hint to be true: all of each entry that has a wrong number (an
        answer without names is one entry), the whole answer, or only the numbers that are wrong. A few equal
        numbers do not show that a whole table was made in this way; and where a hint says what was done to
        several entries, one of them does not show it either.
    shown_by : tuple of str
        Entries of a dictionary that must also be as the formula has them, and wrong. Others only follow from
        these, so on their own they do not show the cause.
    """

    id: str
    wrong: Callable[..., Any]
    hint: str | Callable[..., str]
    slip: Callable[[Any], Any] | None = None
    explains: Literal["entries", "answer", "numbers"] = "entries"
    shown_by: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return ", and ".join(NAMES[part] for part in self.id.split(" + "))


@dataclass(frozen=True)
class Property:
    """Something that every right answer has.

    ``holds(value, *case)`` says whether it does. With ``also``, a function from a case to a second case on
    which the answer is called too, it is ``holds(value, second_value)``.

    With ``mistake``, an entry of the catalogue, the property is also checked for answers that agree with
    the right value: an answer can agree and still not do what the task asks for. ``everywhere`` is for a
    property that a right answer may lack by chance: it counts as lacking only if every case lacks it.
    ``about_nan`` is for a message that explains NaN: without it, a property is not named for an answer with
    NaN, which lacks nearly every property.
    """

    message: str
    holds: Callable[..., bool]
    also: Callable[..., Case] | None = None
    mistake: str = ""
    everywhere: bool = False
    about_nan: bool = False


def formula_value(question: Question, formula: Callable, case: Case, right: Any = None) -> Any:
    """Return what a right or wrong formula gives, as plain data; infinities and NaN pass silently.

    ``right`` is the right value of the case, where it is known already.
    """
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        right = _computed(question.right, case) if right is None else right
        value = right if formula is question.right else _computed(formula, case)
    return read(value, like=right, where=f"a formula of {question.key}")


def pairs(question: Question) -> Iterator[tuple[tuple[Mistake, Mistake], Callable]]:
    """Yield each slip with each mistake that is not a slip, and the formula for making both."""
    for second in question.mistakes:
        for first in question.mistakes:
            if second.slip and not first.slip:
                yield (first, second), _Both(first.wrong, second.slip)


@dataclass(frozen=True)
class _Both:
    """A formula with a slip on top of it; two of the same parts are equal."""

    wrong: Callable[..., Any]
    slip: Callable[[Any], Any]

    def __call__(self, *case: Any) -> Any:
        return self.slip(self.wrong(*case))


def _computed(formula: Callable, case: Case) -> Any:
    """What a formula gives for a case. Each value is kept: the next answer is compared with it as well."""
    try:
        known = pickle.dumps(case)
    except (pickle.PicklingError, TypeError, AttributeError):  # a function among the inputs, say
        return formula(*copied(case))
    return _kept(formula, known)


@lru_cache(maxsize=4096)
def _kept(formula: Callable, case: bytes) -> Any:
    return formula(*pickle.loads(case))


@lru_cache(maxsize=256)
def _drawn(draws: tuple[Callable[[np.random.Generator], Case], ...], key: str, seed: int) -> tuple[Case, ...]:
    """The cases of a seed. To draw them takes longer than all else where most are thrown away."""
    rng = np.random.default_rng([seed, *key.encode()])
    return tuple(draw(rng) for draw in draws)


def copied(case: Case) -> Case:
    """Return a copy that may be changed; a random generator in it starts again from the same state."""
    return copy.deepcopy(case)
