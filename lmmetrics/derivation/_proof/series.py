"""The value of an infinite sum of numbers, term by term, with a bound on the number of terms.

Terms that shrink at least as fast as a geometric sequence are summed until the rest is below the working
precision. Terms that do not shrink have no sum. Between the two the value is not computed: SymPy would
integrate, which can take minutes, and would give a value to some divergent series.
"""

from __future__ import annotations

import mpmath
from sympy import Expr, Float, I, Sum, lambdify, oo

from lmmetrics.derivation._proof.solving import DIGITS

TERMS = 3000
"""The most terms that are added."""
BLOCK = 20
"""The largest of the last terms is compared with the largest of as many before: some may be 0."""
SHRINKS = 0.6
"""The most that the largest term of a block may be of that of the block before it."""


class Unsupported(Exception):
    """The expression cannot be written out with numbers here."""


class Diverges(Exception):
    """A series has no sum."""


def summed(series: Sum) -> Expr:
    """The value of a sum over i = a .. oo; any other sum is returned as it is.

    Raises
    ------
    Diverges
        If the terms do not tend to 0.
    Unsupported
        If the terms do not show whether the sum exists, or shrink too slowly.
    """
    (index, low, high), *more = series.limits
    if more or high is not oo or not low.is_Integer or series.free_symbols or series.function.has(Sum):
        return series
    term = lambdify(index, series.function, "mpmath")
    with mpmath.workdps(DIGITS + 10):
        total, sizes = mpmath.mpc(0), []
        for k in range(int(low), int(low) + TERMS):
            try:
                value = mpmath.mpc(term(mpmath.mpf(k)))
            except (ArithmeticError, TypeError, ValueError):
                raise Unsupported(f"a term of {series} is not defined") from None
            total += value
            sizes.append(abs(value))
            if _rest(sizes) < mpmath.mpf(10) ** -(DIGITS - 5) * max(1, abs(total)):
                return Float(str(total.real), DIGITS) + I * Float(str(total.imag), DIGITS)
        if max(sizes[-BLOCK:]) >= max(sizes[-2 * BLOCK : -BLOCK]) > 0:
            raise Diverges(str(series))
    raise Unsupported(f"the terms of {series} shrink too slowly")


def _rest(sizes: list) -> mpmath.mpf:
    """A bound of the terms not added, if each block shrinks as the last one did; infinite if it did not."""
    if len(sizes) < 2 * BLOCK:
        return mpmath.inf
    last, before = max(sizes[-BLOCK:]), max(sizes[-2 * BLOCK : -BLOCK])
    shrinks = 0 < last < SHRINKS * before
    return BLOCK * last / (1 - last / before) if shrinks else mpmath.inf
