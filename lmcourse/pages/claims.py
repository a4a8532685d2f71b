"""Sentences that interpret a result, tied to the data that they are about.

    claim("04-floor", "ends at the floor", lambda y, floor: y[-1] < 1.001 * floor, reached[2], floor)

The words are glued under the key, so a sentence, a caption or an alt text takes them from there. The build
fails when the condition does not hold, and when it could not fail: `claim` changes the data in the ways of
`mutants`, and the condition has to reject one of them.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

MARKUP = re.compile(r"\*\w|[`$]")


class ClaimError(AssertionError):
    """A claim that is false, or that no change of its data makes false."""


def claim(key: str, words: str, holds: Callable[..., bool], *data: Any) -> Words:
    """Glue words about data to the page, if what they say is true.

    Parameters
    ----------
    key : str
        The name of the words, as for ``glue``.
    words : str
        What is claimed: a clause for a sentence, a caption, a title or an alt text.
    holds : callable
        Takes the data; says whether the claim is true of them.
    *data : number, array_like, or dict of these
        What is drawn or printed.

    Returns
    -------
    Words
        The words, a str, for a title.

    Raises
    ------
    ClaimError
        If the claim is false; if it is still true for every mutant, so that it says nothing of the data; or
        if its words hold markup.

    Examples
    --------
    >>> claim("x", "the loss falls", lambda loss: (np.diff(loss) < 0).all(), [3, 2, 1])
    'the loss falls'
    >>> claim("x", "the loss rises", lambda loss: (np.diff(loss) > 0).all(), [3, 2, 1])
    Traceback (most recent call last):
    lmcourse.pages.claims.ClaimError: 'the loss rises' (x) is not so for these data.
    >>> claim("x", "there are losses", lambda loss: len(loss) > 0, [3, 2, 1])
    Traceback (most recent call last):
    lmcourse.pages.claims.ClaimError: 'there are losses' (x) stays true however its data are changed. ...
    >>> claim("x", "the *loss* falls", lambda loss: (np.diff(loss) < 0).all(), [3, 2, 1])
    Traceback (most recent call last):
    lmcourse.pages.claims.ClaimError: 'the *loss* falls' (x) holds '*l', which is printed as it stands: ...
    """
    if markup := MARKUP.search(words):
        raise ClaimError(
            f"{words!r} ({key}) holds {markup[0]!r}, which is printed as it stands: "
            "glued words are plain text."
        )
    data = tuple(map(_plain, data))
    if not holds(*data):
        raise ClaimError(f"{words!r} ({key}) is not so for these data.")
    if all(_stays(holds, mutant) for mutant in mutants(data)):
        raise ClaimError(
            f"{words!r} ({key}) stays true however its data are changed. Write a condition that fails when "
            "two series are exchanged, one is reversed, or one is larger or smaller by a tenth."
        )
    return keep(key, words)


class Words(str):
    """Words that a cell shows only where they are printed, so not because its last line is a claim."""

    def _ipython_display_(self) -> None:
        """Show nothing."""


def keep(key: str, words: str) -> Words:
    """Glue words to the page under a key, and return them; without myst-nb (a lab elsewhere) only return."""
    try:
        from myst_nb import glue
    except ImportError:
        return Words(words)
    glue(key, words, display=False)
    return Words(words)


def mutants(data: tuple) -> Iterator[tuple]:
    """Yield the data with one change each: a series scaled, reversed, moved by a place, or two exchanged."""
    series = [(place, key) for place, item in enumerate(data) for key in _keys(item)]
    for where in series:
        value = _get(data, where)
        for factor in (1.1, 0.9, 2.0, 0.5):
            yield _put(data, where, value * factor)
        if value.ndim:
            yield _put(data, where, value[::-1])
            yield _put(data, where, np.roll(value, 1, axis=0))
    for one, other in itertools.combinations(series, 2):
        if _get(data, one).shape == _get(data, other).shape:
            yield _put(_put(data, one, _get(data, other)), other, _get(data, one))


def _plain(item: Any) -> Any:
    """Arrays, or a dictionary of arrays."""
    if isinstance(item, dict):
        return {key: np.asarray(value, dtype=float) for key, value in item.items()}
    return np.asarray(item, dtype=float)


def _keys(item: Any) -> list:
    return list(item) if isinstance(item, dict) else [None]


def _get(data: tuple, where: tuple) -> np.ndarray:
    place, key = where
    return data[place] if key is None else data[place][key]


def _put(data: tuple, where: tuple, value: np.ndarray) -> tuple:
    place, key = where
    changed = value if key is None else {**data[place], key: value}
    return (*data[:place], changed, *data[place + 1 :])


def _stays(holds: Callable[..., bool], data: tuple) -> bool:
    try:
        return bool(holds(*data))
    except Exception:  # the condition rejects such data
        return False
