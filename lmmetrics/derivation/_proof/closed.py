"""Sums with a closed form: powers of the index, geometric and binomial sums, and infinite sums."""

from __future__ import annotations

from functools import cache

from sympy import Add, Dummy, Expr, Integer, Mul, Piecewise, S, Sum, binomial, expand, ff, oo, summation
from sympy.functions.combinatorial.numbers import stirling

from lmmetrics.derivation._proof.nodes import Exp


def power_sum(power: int, upper: Expr) -> Expr:
    """1**power + ... + upper**power, as a polynomial in ``upper``."""
    x, formula = _power_sum(power)
    return expand(formula.xreplace({x: upper}))


@cache
def _power_sum(power: int) -> tuple[Dummy, Expr]:
    k, x = Dummy("k", integer=True, positive=True), Dummy("x", integer=True, positive=True)
    return x, expand(summation(k**power, (k, 1, x)))


def geometric(algebra, t: Expr, u: Dummy) -> tuple[Expr, Expr] | None:
    """(exponent, ratio) if ``t`` is a constant times exp(exponent * u) and the ratio is positive."""
    powers = [f for f in Mul.make_args(t) if f.has(u)]
    if len(powers) == 1 and isinstance(powers[0], Exp):
        inside = expand(powers[0].args[0])
        exponent = inside.coeff(u, 1)
        if exponent != 0 and not exponent.has(u) and not expand(inside - exponent * u).has(u):
            ratio = algebra.exp(exponent)
            return (exponent, ratio) if algebra.positive(ratio) else None
    return None


def geometric_sum(algebra, g: Expr, u: Dummy, a: Expr, b: Expr) -> Expr | None:
    """The sum of exp(exponent * u) over u = a .. b, if the ratio is known to differ from 1."""
    found = geometric(algebra, g, u)
    if found is None or not (algebra.positive(1 - found[1]) or algebra.positive(found[1] - 1)):
        return None
    exponent, ratio = found
    return algebra.canon((Exp(exponent * (b + 1)) - Exp(exponent * a)) / (ratio - 1))


def binomial_sum(algebra, g: Expr, u: Dummy, upper: Expr) -> Expr | None:
    """The sum of u**power * binomial(upper, u) * ratio**u over u = 1 .. upper, for a positive ratio.

    A power of u is a combination of falling factorials ff(u, j) = u (u - 1) ... (u - j + 1). By the binomial
    theorem, the sum with ff(u, j) in place of the power is ff(upper, j) ratio**j (1 + ratio)**(upper - j).
    """
    power, exponent, found = 0, S.Zero, False
    for f in Mul.make_args(g):
        base, degree = f.as_base_exp()
        if f == binomial(upper, u):
            found = True
        elif base == u and degree.is_Integer and degree > 0:
            power = int(degree)
        elif part := geometric(algebra, f, u):
            exponent = part[0]
        else:
            return None
    if not found or not algebra.nonnegative(upper):
        return None
    ratio = algebra.exp(exponent)
    total = [
        stirling(power, j) * expand(ff(upper, j)) * ratio**j * (1 + ratio) ** (upper - j)
        for j in range(power + 1)
    ]
    at_zero = Integer(power == 0)
    return algebra.canon(Add(*total) - at_zero)


def series(algebra, f: Expr, i, a: Expr, b: Expr) -> Expr:
    """An infinite sum: its closed form if there is one. It is not split, because its parts may diverge."""
    if b is oo:
        with algebra.index(a, b) as u:
            terms = Add.make_args(algebra.distribute(algebra.canon(f.xreplace({i: u}))))
            parts = [geometric(algebra, t, u) for t in terms]
            found = [part for part in parts if part and algebra.positive(1 - part[1])]
            if len(found) == len(parts):
                first = [algebra.canon(t.xreplace({u: a})) for t in terms]
                total = [t / (1 - ratio) for t, (_, ratio) in zip(first, found, strict=True)]
                return algebra.canon(Add(*total))
    done = Sum(f, (i, a, b)).doit()
    return done if done.has(Sum, Piecewise) else algebra.canon(done)
