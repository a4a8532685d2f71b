"""Mistakes about bases and signs in a perplexity, which every question about perplexities shares.

`units` has the same mistakes in a number of nats, where they multiply. Here they are
exponents.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lmcourse.hints.mistakes import powered
from lmcourse.hints.question import Mistake

HINTS = {
    "M1": "ln r / ln R is {power} = ln 2 for your number r and the right R: nats stand in the exponent of 2. "
    "Nats belong to e.",
    "M2": "ln r / ln R is {power} = 1 / ln 2 for your number r and the right R: bits stand in the exponent "
    "of e. Bits belong to 2.",
    "M3": "ln r / ln R is {power} = 1 / ln 10 for your number r and the right R: a logarithm to base 10 "
    "stands in the exponent of e. It belongs to 10.",
    "M4": "Your number is the average surprisal in nats, the logarithm of the perplexity.",
    "M5": "Your number is one over the perplexity, and no perplexity is below 1.",
}


def perplexity_mistakes(
    right: Callable, ids: str = "M1 M2 M3 M4 M5", only: tuple[str, ...] = ()
) -> tuple[Mistake, ...]:
    """Return the mistakes that raise the perplexity of ``right`` to a power, or take its logarithm (M4).

    Parameters
    ----------
    right : callable
        The right formula; it gives perplexities.
    ids : str
        Which mistakes, separated by blanks.
    only : tuple of str
        Where ``right`` gives a dictionary: the keys that hold perplexities.

    Examples
    --------
    >>> [mistake.wrong() for mistake in perplexity_mistakes(lambda: 8.0, "M2 M5")]
    [20.085..., 0.125]
    """
    found = []
    for name in ids.split():
        slip = partial(_on_perplexities, np.log if name == "M4" else partial(powered, name), only)
        wrong = partial(_after, slip, right)
        found.append(Mistake(name, wrong, HINTS[name], slip=slip if name in ("M1", "M2", "M3") else None))
    return tuple(found)


def _on_perplexities(change: Callable, only: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, dict):
        return {key: change(entry) if key in only else entry for key, entry in value.items()}
    return change(value)


def _after(slip: Callable, right: Callable, *case: Any) -> Any:
    return slip(right(*case))
