"""Sums without rounding: of floats as floats, and of floats as whole numbers that can be sent and added."""

from __future__ import annotations

import math
from collections.abc import Iterable

LOWEST = 1074
"""Every float64 is a multiple of ``2**-1074``."""
LIMB = 32
"""Bits of a limb. As many as ``2**31`` vectors of limbs can be added in int64."""
LIMBS = (LOWEST + 1024 + 64) // LIMB + 1
"""Enough for ``2**64`` of the largest floats."""


def parts(values: Iterable[float]) -> list[float]:
    """Return a few floats that add up exactly to the sum of the values; the first is that sum, rounded once.

    Examples
    --------
    >>> parts([0.1] * 10)
    [1.0, 5.551115123125783e-17]
    >>> parts([])
    [0.0]
    """
    values = list(values)
    found: list[float] = []
    while left := math.fsum([*values, *(-part for part in found)]):
        if math.isinf(left):
            return [left]
        found.append(left)
    return found or [0.0]


def to_limbs(values: Iterable[float]) -> list[int]:
    """Return the exact sum of finite floats from 0 on as whole numbers below ``2**32``.

    Vectors of limbs are added entry by entry, in any order, and `from_limbs` rounds the sum once.

    Examples
    --------
    >>> one, two = to_limbs([0.1] * 4), to_limbs([0.1] * 6)
    >>> from_limbs([a + b for a, b in zip(one, two)])
    1.0
    """
    whole = 0
    for value in values:
        numerator, denominator = value.as_integer_ratio()
        whole += numerator << (LOWEST + 1 - denominator.bit_length())
    return [(whole >> (LIMB * i)) & ((1 << LIMB) - 1) for i in range(LIMBS)]


def from_limbs(limbs: Iterable[int]) -> float:
    """Return the float nearest to the number that limbs stand for."""
    whole = sum(int(limb) << (LIMB * i) for i, limb in enumerate(limbs))
    return whole / (1 << LOWEST)  # whole numbers are divided with one rounding
