"""Mistakes about units and signs, which every question about nats shares."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from lmcourse.hints.mistakes import scaled
from lmcourse.hints.question import Mistake

HINTS = {
    "M1": "Your number is {ratio} = ln 2 times the nats. Nats are multiplied by ln 2 only if they were bits.",
    "M2": "Your number is {ratio} = 1 / ln 2 times the nats: it is in bits. Use the natural logarithm.",
    "M3": "Your number is {ratio} = 1 / ln 10 times the nats: it is in hartleys. Use the natural logarithm.",
    "M5": "Your number has the right size and the wrong sign. A logarithm of a probability is at most 0, its "
    "surprisal at least 0.",
}


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
    found = []
    for name in ids.split():
        slip = partial(_on_nats, partial(scaled, name), only)
        wrong = partial(_after, slip, right)
        found.append(Mistake(name, wrong, HINTS[name], slip=None if name == "M5" else slip))
    return tuple(found)


def _on_nats(change: Callable, only: tuple[str, ...], value: Any) -> Any:
    if isinstance(value, dict):
        return {key: change(entry) if key in only else entry for key, entry in value.items()}
    return change(value)


def _after(slip: Callable, right: Callable, *case: Any) -> Any:
    return slip(right(*case))
