"""Mistakes about units and signs, which every question about nats or perplexities shares.

In a number of nats they are factors, in a perplexity exponents.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.wrong import then

LN2, LN10 = math.log(2), math.log(10)

EXPONENT = {"M1": LN2, "M2": 1 / LN2, "M3": 1 / LN10, "M5": -1.0}
"""ln r / ln R for a reported perplexity r and the right one R; the same factor multiplies the nats."""

HINTS = {
    "M1": "Your number is {ratio} = ln 2 times the right one: you multiplied by ln 2, but it was already in "
    "nats.",
    "M2": "Your number is {ratio} = 1 / ln 2 times the right one: it is in bits. Use the natural logarithm.",
    "M3": "Your number is {ratio} = 1 / ln 10 times the right one: it is in hartleys. Use the natural "
    "logarithm.",
    "M5": "Your number has the right size but the wrong sign. The logarithm of a probability is at most 0, "
    "and a surprisal is at least 0.",
}
PERPLEXITY_HINTS = {
    "M1": "For your number r and the right number R, ln r / ln R is {power} = ln 2: you raised 2 to a loss "
    "in nats. Raise e to it.",
    "M2": "For your number r and the right number R, ln r / ln R is {power} = 1 / ln 2: you raised e to a "
    "loss in bits. Raise 2 to it.",
    "M3": "For your number r and the right number R, ln r / ln R is {power} = 1 / ln 10: you raised e to a "
    "loss in hartleys (base 10). Raise 10 to it.",
    "M4": "Your number is the average surprisal in nats, which is the logarithm of the perplexity. "
    "Exponentiate it.",
    "M5": "Your number is one over the perplexity, but no perplexity is below 1. Check the sign of the "
    "exponent.",
}
SLIPS = ("M1", "M2", "M3")
"""The mistakes that are also tried on top of the others."""


def scaled(mistake: str, nats):
    """Return what the right ``nats`` become under M1, M2, M3 or M5.

    Examples
    --------
    >>> round(scaled("M2", math.log(2)), 4)  # one bit, where 0.6931 nats are asked for
    1.0
    """
    return nats * EXPONENT[mistake]


def powered(mistake: str, perplexity):
    """Return what the right ``perplexity`` becomes under M1, M2, M3 or M5.

    Examples
    --------
    >>> round(powered("M1", 8.0), 4)
    4.2264
    """
    return perplexity ** EXPONENT[mistake]


def unit_mistakes(
    right: Callable, ids: str = "M1 M2 M3 M5", only: tuple[str, ...] = ()
) -> tuple[Mistake, ...]:
    """Return the mistakes that multiply the nats of ``right`` by a constant.

    Parameters
    ----------
    right : callable
        The right formula, in nats.
    ids : str
        Which mistakes, separated by blanks.
    only : tuple of str
        Where ``right`` gives a dictionary: the keys that hold nats.
    """
    return tuple(_mistakes(right, {name: partial(scaled, name) for name in ids.split()}, HINTS, only))


def perplexity_mistakes(
    right: Callable, ids: str = "M1 M2 M3 M4 M5", only: tuple[str, ...] = ()
) -> tuple[Mistake, ...]:
    """Return the mistakes that raise the perplexity of ``right`` to a power, or take its logarithm (M4).

    The parameters are those of `unit_mistakes`, for perplexities in place of nats.

    Examples
    --------
    >>> [mistake.wrong() for mistake in perplexity_mistakes(lambda: 8.0, "M2 M5")]
    [20.085..., 0.125]
    """
    changes = {name: np.log if name == "M4" else partial(powered, name) for name in ids.split()}
    return tuple(_mistakes(right, changes, PERPLEXITY_HINTS, only))


def _mistakes(right: Callable, changes: dict, hints: dict, only: tuple[str, ...]) -> Iterator[Mistake]:
    """A mistake for each change of a finished number, by its id."""
    for name, change in changes.items():
        slip = partial(_changed, change, only)
        yield Mistake(name, then(right, slip), hints[name], slip=slip if name in SLIPS else None)


def _changed(change: Callable, only: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, dict):
        return {key: change(entry) if key in only else entry for key, entry in value.items()}
    return change(value)
