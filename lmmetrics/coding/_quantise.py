"""Rounding a row of probabilities to whole numbers, as every fast coder does, and what it costs."""

import math

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._checks import array_of, whole_number
from lmmetrics._types import Floats, Ints

ROUNDING = 1e-6
"""The sum of a row may miss 1 by at most this much."""
SHY = 1 - 2.0**-30
"""A factor that moves simple fractions off the boundary between two whole numbers."""


def quantise(row: ArrayLike, bits: int) -> Ints:
    """Return whole numbers that stand for the probabilities of a row: they sum to ``2 ** bits``, each >= 1.

    Every symbol gets 1, and its share of what is left, rounded down; the units that rounding leaves over go
    to the most probable symbol. So ``counts[i] / 2 ** bits >= row[i] * (1 - n / 2 ** bits)`` for each of the
    n symbols, and none costs more than ``-log2(1 - n / 2 ** bits)`` bits above its surprisal: about
    ``n / 2 ** bits * log2 e``. The mean over the row is `quantisation_loss`.

    Parameters
    ----------
    row : float[n]
        Probabilities, none negative; their sum is 1 up to 1e-6, and is divided out.
    bits : int
        From 1 to 32, with ``n <= 2 ** bits``.

    Returns
    -------
    int64[n]

    Notes
    -----
    A row that another machine computes may differ in its last digits, and should be rounded to the same whole
    numbers. So shares are made smaller by one part in 2 ** 30 before they are rounded down, because simple
    fractions, such as 1/2, would otherwise lie on the boundary; of symbols that are equally probable up to
    this factor the first counts as the most probable; and no order of remainders decides, in which equal
    probabilities would change places. The bound above grows by 1.4e-9 bits.

    Raises
    ------
    ValueError
        If the row is not a distribution, or has more symbols than there are units.

    Examples
    --------
    >>> quantise([0.5, 0.3, 0.2, 0.0], bits=4)  # one for each, and shares of 12: 6, 3.6, 2.4, 0
    array([8, 4, 3, 1])
    """
    bits = whole_number("bits", bits, 1)
    if bits > 32:
        raise ValueError(f"bits is {bits}; from 1 to 32 are expected.")
    values = _checked_row(row)
    return rounded(values, bits)


def rounded(values: Floats, bits: int) -> Ints:
    """`quantise` of a row that is known to be one: the same, without its checks."""
    left = 2**bits - len(values)
    if left < 0:
        raise ValueError(
            f"The row has {len(values)} symbols, and each needs at least 1 of the 2 ** {bits} units: "
            f"at least {(len(values) - 1).bit_length()} bits are expected."
        )
    counts = (values * (left * SHY / values.sum())).astype(np.int64)
    counts[np.argmax(values >= values.max() * SHY)] += left - int(counts.sum())
    return counts + 1


def quantisation_loss(row: ArrayLike, counts: ArrayLike) -> float:
    """Return what the rounded row costs per symbol, in bits: D(row || counts / sum of the counts).

    It is the KL divergence, infinite if a count is 0 where the probability is not.

    Parameters
    ----------
    row : float[n]
        The probabilities.
    counts : int[n]
        What stands for them, such as ``quantise(row, bits)``.

    Examples
    --------
    >>> row = [0.5, 0.3, 0.2, 0.0]
    >>> [round(quantisation_loss(row, quantise(row, bits)), 6) for bits in (4, 8, 16)]
    [0.097532, 0.005661, 2.2e-05]
    """
    values, whole = _checked_row(row), array_of("counts", counts, "one number for each symbol")
    if whole.shape != values.shape or whole.dtype.kind not in "iu" or (whole < 0).any() or not whole.any():
        raise ValueError(
            f"counts is {counts!r}; {len(values)} whole numbers are expected, one for each probability, none "
            "negative and not all 0."
        )
    used = values > 0
    values, shares = values[used] / values.sum(), whole[used] / whole.sum()
    if not shares.all():
        return math.inf
    return max(0.0, math.fsum(values * np.log2(values / shares)))


def _checked_row(row: ArrayLike) -> Floats:
    """A row as float64[n]; an error if it is not a distribution."""
    values = array_of("row", row, "one row of probabilities")
    if values.ndim != 1 or not values.size or values.dtype.kind not in "iuf":
        raise ValueError(
            f"row has the shape {values.shape} and the type {values.dtype}; one row of probabilities is "
            "expected."
        )
    values = values.astype(np.float64)
    if not (values >= 0).all() or not abs(values.sum() - 1) <= ROUNDING:
        raise ValueError(
            f"row has the smallest entry {values.min():g} and the sum {values.sum():.9g}; probabilities of "
            "at least 0 are expected that sum to 1."
        )
    return values
