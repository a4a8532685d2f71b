"""Find numbers that satisfy equations, by Newton steps from a random start."""

from __future__ import annotations

import mpmath
import numpy as np
from sympy import Expr, Float, lambdify

DIGITS = 50
"""Working precision, in decimal digits."""


def solve(start: dict, equations: list[Expr]) -> dict | None:
    """Values near ``start`` at which every equation is 0; None if the steps do not converge.

    There may be fewer equations than unknowns: each step is then the shortest one. The steps of a symbol that
    is declared positive or negative are on a log scale, so it keeps its sign.
    """
    unknown = sorted(set().union(*(e.free_symbols for e in equations)), key=str)
    if not unknown:
        return None
    signs = [1 if s.is_positive else -1 if s.is_negative else 0 for s in unknown]
    residual = lambdify([unknown], equations, "mpmath")
    slopes = lambdify([unknown], [[e.diff(s) for s in unknown] for e in equations], "mpmath")
    with mpmath.workdps(DIGITS + 10):
        values = [mpmath.mpf(str(start[s])) for s in unknown]
        for _ in range(60):
            try:
                gap, slope = residual(values), slopes(values)
                size = max(abs(g) for g in gap)
                if size < mpmath.mpf(10) ** (-DIGITS):
                    return start | {s: Float(x, DIGITS) for s, x in zip(unknown, values, strict=True)}
                values = _moved(values, signs, gap, slope, size)
            except (ValueError, ZeroDivisionError, TypeError, OverflowError):
                return None  # outside the region in which the equations are real
    return None


def _moved(values, signs, gap, slope, size) -> list:
    """One Newton step of length at most 1."""
    unit = [abs(x) if sign else mpmath.mpf(1) for x, sign in zip(values, signs, strict=True)]
    matrix = np.array([[float(d * c) for d, c in zip(row, unit, strict=True)] for row in slope])
    # the gap is scaled to 1, so that float64 limits the precision of the step, but not of the result
    step = np.linalg.lstsq(matrix, np.array([float(g / size) for g in gap]), rcond=1e-10)[0]
    length = float(np.abs(step).max()) * float(size)
    factor = size * min(1.0, 1.0 / length) if length else size
    return [
        x * mpmath.exp(-sign * factor * d) if sign else x - factor * d
        for x, sign, d in zip(values, signs, step, strict=True)
    ]
