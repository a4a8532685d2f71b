"""Arithmetic coding with fractions: nested intervals, the shortest code, and a coder for any row function."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import NamedTuple

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
    for place, id in enumerate(ids):
        row = _checked_row(rows, tuple(ids[:place]))
        if not 0 <= id < len(row) or not row[id]:
            raise ValueError(_no_interval(place, id, len(row)))
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
        As `interval` returns them.
    """
    raise NotImplementedError


def code_length_bound(width: Fraction) -> int:
    """Return the length that `shortest_code` never exceeds for this width: ``ceil(-log2 width) + 1``.

    It is below ``-log2 width + 2``, and computed in whole numbers. One bit fewer is not always enough.
    """
    raise NotImplementedError


class ExactCoder:
    """An arithmetic coder with fractions: slow, exact, and short enough to be read.

    Parameters
    ----------
    next_row : function
        ``next_row(prefix) -> row``, as for `interval`. The decoder calls it with the same prefixes as the
        encoder, and must get the same rows.
    end : int
        The symbol that ends every text. Without it the decoder would not know where to stop.
    """

    def __init__(self, next_row: NextRow, end: int) -> None:
        self.next_row, self.end = next_row, end

    def encode(self, ids: Sequence[int]) -> str:
        """Return the code of a text, a string of 0 and 1; only its last symbol is the end symbol."""
        raise NotImplementedError

    def decode(self, bits: str) -> list[int]:
        """Return the text with this code, its end symbol included.

        Raises
        ------
        ValueError
            If the bits are not the code of a text: too few, too many, or not 0 and 1.
        """
        raise NotImplementedError


def _checked_row(rows: NextRow | Sequence[Row], prefix: tuple[int, ...]) -> list[Fraction]:
    raise NotImplementedError


def _no_interval(place: int, id: int, size: int) -> str:
    return f"{place}{id}{size}{Rational}{Real}"
