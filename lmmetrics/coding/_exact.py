"""Arithmetic coding with fractions: nested intervals, the shortest code, and a coder for any row function."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from math import ceil
from numbers import Integral, Rational, Real
from typing import Any, NamedTuple

import numpy as np

Row = Sequence[Fraction | float]
"""The probabilities of all symbols, by id."""
NextRow = Callable[[tuple[int, ...]], Row]
"""A function from the symbols so far to the row of the next one."""

ROUNDING = Fraction(1, 10**9)
"""A row of floats may miss the sum 1 by at most this much; it is then divided by its exact sum."""
MOST = 1_000_000
"""`ExactCoder.decode` stops after this many symbols without the end symbol."""


class Interval(NamedTuple):
    """A part of [0, 1): all numbers from `low` to below `low + width`."""

    low: Fraction
    width: Fraction


def interval(rows: NextRow | Sequence[Row], ids: Sequence[int]) -> Interval:
    """Return the interval of a sequence of symbols: its width is the sequence's probability.

    The interval starts as [0, 1). Each symbol keeps its share of it: symbol i the part that begins after the
    shares of the symbols 0 to i - 1.

    Parameters
    ----------
    rows : function or list of rows
        Either ``rows(prefix) -> row``, where the prefix is a tuple of the symbols so far, or one row for each
        symbol. A row has a probability for each symbol, by id. With whole numbers and fractions it must sum
        to 1 exactly. A float stands for the fraction that it is; a row of floats is divided by its exact sum.
    ids : list of int

    Returns
    -------
    Interval
        ``low`` and ``width``, as fractions.

    Raises
    ------
    ValueError
        If a row does not sum to 1, or a symbol is outside its row or has probability 0: it has no interval.
    """
    low, width = Fraction(0), Fraction(1)
    for id, row in _steps(rows, ids):
        low += width * sum(row[:id], Fraction(0))
        width *= row[id]
    return Interval(low, width)


def shortest_code(low: Fraction, width: Fraction) -> str:
    """Return the shortest string of bits whose whole dyadic interval lies inside an interval.

    The string b of L bits stands for all numbers whose binary digits begin with b: from 0.b to below
    0.b + 2 ** -L. If all of them lie inside, the decoder needs no bit after b. Of several shortest strings it
    is the first. The interval [0, 1) has the empty string.

    Parameters
    ----------
    low, width : Fraction
        As `interval` returns them: the interval lies in [0, 1), and its width is above 0.

    Examples
    --------
    Two intervals of width 1/4, of which one lies across a boundary of the binary numbers.

    >>> shortest_code(Fraction(1, 4), Fraction(1, 4)), shortest_code(Fraction(3, 8), Fraction(1, 4))
    ('01', '011')
    """
    low, width = _checked_interval(low, width)
    length = _whole_bits(width)  # no dyadic interval that fits is wider
    while (first := ceil(low * 2**length)) + 1 > (low + width) * 2**length:
        length += 1
    return f"{first:0{length}b}" if length else ""


def code_length_bound(width: Fraction) -> int:
    """Return the length that `shortest_code` never exceeds for this width: ``ceil(-log2 width) + 1``.

    It is below ``-log2 width + 2``, and computed in whole numbers. One bit fewer is not always enough.

    Examples
    --------
    >>> code_length_bound(Fraction(1, 4)), shortest_code(Fraction(3, 8), Fraction(1, 4))
    (3, '011')
    """
    return _whole_bits(_checked_interval(Fraction(0), width)[1]) + 1


class ExactCoder:
    """An arithmetic coder with fractions: slow, exact, and short enough to be read.

    Parameters
    ----------
    next_row : function
        ``next_row(prefix) -> row``, as for `interval`. The decoder calls it with the same prefixes as the
        encoder, and must get the same rows.
    end : int
        The symbol that ends every text. Without it the decoder would not know where to stop.

    Examples
    --------
    >>> coder = ExactCoder(lambda prefix: [Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)], end=2)
    >>> coder.encode([0, 1, 0, 2]), coder.decode("010011")
    ('010011', [0, 1, 0, 2])
    """

    def __init__(self, next_row: NextRow, end: int) -> None:
        if not callable(next_row):
            raise TypeError(
                f"next_row is {type(next_row).__name__}; a function is expected that turns a tuple of "
                "symbols into the row of the next one."
            )
        self.next_row, self.end = next_row, end

    def encode(self, ids: Sequence[int]) -> str:
        """Return the code of a text, a string of 0 and 1; only its last symbol is the end symbol."""
        ids = list(ids)
        if self.end not in ids or ids.index(self.end) < len(ids) - 1:
            raise ValueError(
                f"The text {_shown(ids)} does not end with its only end symbol, {self.end}. Add it at the "
                "end: the decoder stops there."
            )
        return shortest_code(*interval(self.next_row, ids))

    def decode(self, bits: str) -> list[int]:
        """Return the text with this code, its end symbol included.

        Raises
        ------
        ValueError
            If the bits are not the code of a text: too few, too many, or not 0 and 1.
        """
        if not isinstance(bits, str) or set(bits) - {"0", "1"}:
            raise ValueError(f"The code is {_shown(bits)}; a string of 0 and 1 is expected.")
        size = Fraction(1, 2 ** len(bits))  # the numbers that begin with the bits: from start to start + size
        start = int(bits or "0", 2) * size
        low, width, ids = Fraction(0), Fraction(1), list[int]()
        while not ids or ids[-1] != self.end:
            row = _checked_row(self.next_row, tuple(ids))
            id = -1
            while low + width * row[id + 1] <= start or not row[id + 1]:  # the part that contains the start
                id += 1
                low += width * row[id]
            ids.append(id + 1)
            width *= row[id + 1]
            if start + size > low + width:
                raise ValueError(
                    f"After {len(ids) - 1} symbols the bits do not say which comes next: they end early."
                )
            if len(ids) == MOST:
                raise ValueError(f"{MOST:,} symbols were decoded, and none was the end symbol, {self.end}.")
        if shortest_code(low, width) != bits:
            raise ValueError("The bits go on after the end symbol: they are not the code of one text.")
        return ids


def _steps(rows: NextRow | Sequence[Row], ids: Sequence[int]) -> Iterator[tuple[int, list[Fraction]]]:
    """Yield each symbol with its row, checked."""
    ids = list(ids)
    if not callable(rows) and len(rows) != len(ids):
        raise ValueError(
            f"There are {len(rows)} rows for {len(ids)} symbols; one row for each symbol is expected, or a "
            "function that turns a tuple of symbols into the row of the next one."
        )
    for place, id in enumerate(ids):
        if isinstance(id, bool) or not isinstance(id, Integral):
            raise TypeError(f"Symbol {place} is {id!r}; a whole number is expected, the place in its row.")
        row = _checked_row(rows, tuple(ids[:place]))
        if not 0 <= id < len(row):
            raise ValueError(f"Symbol {place} is {id}, but its row has the symbols 0 to {len(row) - 1}.")
        if not row[id]:
            raise ValueError(
                f"Symbol {place} is {id}, which has probability 0 after {_shown(ids[:place])}: it has no "
                "interval, so the text has no code."
            )
        yield int(id), row


def _checked_row(rows: NextRow | Sequence[Row], prefix: tuple[int, ...]) -> list[Fraction]:
    """The row after a prefix, as fractions that sum to 1."""
    given = rows(prefix) if callable(rows) else rows[len(prefix)]
    try:
        entries: list[Any] = list(given)
    except TypeError:
        entries = []
    for entry in entries:
        if (
            isinstance(entry, bool)
            or not isinstance(entry, Real)
            or not np.isfinite(float(entry))
            or entry < 0
        ):
            raise ValueError(
                f"The row after {_shown(prefix)} has the entry {entry!r}; a probability is expected: a "
                "fraction, a whole number or a float, at least 0."
            )
    if not entries:
        raise ValueError(f"The row after {_shown(prefix)} is {given!r}; a list of probabilities is expected.")
    row = [Fraction(entry) if isinstance(entry, Rational) else Fraction(float(entry)) for entry in entries]
    total = sum(row, Fraction(0))
    rounded = not all(isinstance(entry, Rational) for entry in entries)
    if abs(total - 1) > (ROUNDING if rounded else 0):
        raise ValueError(
            f"The row after {_shown(prefix)} misses the sum 1 by {float(total - 1):.3g}. Write fractions, "
            "such as Fraction(1, 3), if the sum is to be exact."
        )
    return [entry / total for entry in row] if total != 1 else row


def _checked_interval(low: Fraction, width: Fraction) -> Interval:
    """An interval as fractions; an error if it is not a part of [0, 1)."""
    for name, value in (("low", low), ("width", width)):
        if isinstance(value, bool) or not isinstance(value, Real) or not np.isfinite(float(value)):
            raise ValueError(f"{name} is {value!r}; a fraction is expected.")
    low, width = (
        Fraction(value) if isinstance(value, Rational) else Fraction(float(value)) for value in (low, width)
    )
    if width <= 0 or low < 0 or low + width > 1:
        raise ValueError(
            f"The interval from {low} of width {width} is not a part of [0, 1); low is at least 0, width "
            "above 0, and their sum at most 1."
        )
    return Interval(low, width)


def _whole_bits(width: Fraction) -> int:
    """ceil(-log2 width), in whole numbers: the smallest L with 2 ** L >= 1 / width."""
    return (ceil(1 / width) - 1).bit_length()


def _shown(values: Any) -> str:
    """A list or a string, cut if it is long."""
    text = repr(values)
    return text if len(text) <= 60 else f"{text[:56]} ..."
