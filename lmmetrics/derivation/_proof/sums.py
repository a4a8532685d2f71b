"""Canonical forms of sums and products over an index with symbolic bounds, and of their derivatives.

A finite sum is split by linearity, constants move in front of it, and the range becomes a difference of two
sums that start at 1: sum over a..b = S(b) - S(a - 1). With S(x + 1) = S(x) + term(x + 1) this covers renamed
and shifted indices, ranges that are split or merged, and single terms at the ends. (For an empty or reversed
range this is SymPy's own convention, after Karr.) The indices of a sum of sums are brought into one order,
also where the inner one runs up to the outer one.
"""

from __future__ import annotations

from sympy import (
    Add,
    Derivative,
    Dummy,
    Eq,
    Expr,
    Integer,
    Integral,
    KroneckerDelta,
    Limit,
    Mul,
    Piecewise,
    Product,
    S,
    Sum,
    UnevaluatedExpr,
    default_sort_key,
    expand,
    oo,
)
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef

from lmmetrics.derivation._proof.algebra import Algebra
from lmmetrics.derivation._proof.closed import binomial_sum, geometric_sum, power_sum, series
from lmmetrics.derivation._proof.nodes import Exp, Prefix, Stuck, bound, height

EXPLICIT = 12
"""A sum over at most this many numbers is written out."""


class Canonical(Algebra):
    """Canonical forms of expressions with sums, products over an index, and derivatives."""

    def other(self, e: Expr) -> Expr:
        if isinstance(e, Prefix):
            body, k, upper = e.args
            return self.sum(body, k, S.One, self.canon(upper))
        if isinstance(e, Sum):
            body = e.function
            for i, a, b in _limits(e):
                body = self.sum(body, i, self.canon(a), b if b is oo else self.canon(b))
            return body
        if isinstance(e, Product):
            body = e.function
            for i, a, b in _limits(e):
                body = self.product(body, i, self.canon(a), self.canon(b))
            return body
        if isinstance(e, Derivative):
            return self.derivative(e)
        if isinstance(e, UnevaluatedExpr):
            return self.canon(e.args[0])
        if isinstance(e, Piecewise):
            return self.piecewise(e)
        if isinstance(e, (Limit, Integral)):
            done = e.doit()
            return self.canon(done) if not done.has(Limit, Integral) else e
        return super().other(e)

    def derivative(self, e: Derivative) -> Expr:
        """Differentiate the canonical form, in which no bound index has a name that could clash."""
        if self.rewrites:  # a fact is true at a point only, so it may not be used before differentiation
            return e
        if isinstance(e.expr, AppliedUndef):
            return e
        result = self.canon(e.expr)
        for v in e.variables:
            if isinstance(v, AppliedUndef):
                raise ValueError(
                    f"A derivative with respect to {v} would take its other values for constants. Write the "
                    "array as an IndexedBase, and differentiate with respect to one element."
                )
            result = self.canon(_differentiated(result, v))
        return result

    def piecewise(self, e: Piecewise) -> Expr:
        """Two cases that depend on the equality of integers become a Kronecker delta; others stay."""
        if len(e.args) == 2 and isinstance(e.args[0].cond, Eq) and e.args[1].cond is S.true:
            left, right = e.args[0].cond.args
            if left.is_integer and right.is_integer:
                d = KroneckerDelta(left, right)
                return self.canon(d * e.args[0].expr + (1 - d) * e.args[1].expr)
        return e

    def product(self, f: Expr, i, a: Expr, b: Expr) -> Expr:
        """A product of positive factors is exp of the sum of their logs; a short one is written out."""
        count = expand(b - a + 1)
        if count.is_Integer and 0 <= count <= EXPLICIT:
            return self.canon(Mul(*(f.xreplace({i: a + j}) for j in range(int(count)))))
        with self.index(a, b) as u:
            body = self.canon(f.xreplace({i: u}))
            if not body.has(u):
                return self.power(body, count)
            if not self.positive(body):
                raise Stuck(f"the factors of the product, {f}, are not declared positive")
            return self.exp(self.over(self.log(body), u, a, b))

    def sum(self, f: Expr, i, a: Expr, b: Expr) -> Expr:
        if b is oo or a is -oo:
            return series(self, f, i, a, b)
        with self.index(a, b) as u:
            return self.over(self.canon(f.xreplace({i: u})), u, a, b)

    def index(self, a: Expr, b: Expr) -> _OpenIndex:
        return _OpenIndex(self, a, b)

    def over(self, body: Expr, u: Dummy, a: Expr, b: Expr, reorder: bool = True) -> Expr:
        """The sum of a canonical body over u = a .. b, term by term, constants in front."""
        total = []
        for t in Add.make_args(self.distribute(body)):
            outside, inside = [], []
            for f in Mul.make_args(t):
                if isinstance(f, Exp) and f.has(u):
                    exponent = f.args[0]
                    fixed = Add(*(x for x in Add.make_args(exponent) if not x.has(u)))
                    outside.append(Exp(fixed) if fixed != 0 else S.One)
                    inside.append(Exp(exponent - fixed))
                else:
                    (inside if f.has(u) else outside).append(f)
            total.append(self.distribute(Mul(*outside, self.core(inside, u, a, b, reorder))))
        return Add(*total)

    def core(self, inside: list[Expr], u: Dummy, a: Expr, b: Expr, reorder: bool) -> Expr:
        """The sum over u = a .. b of a product in which every factor contains u."""
        g = Mul(*inside)
        if g == 1:
            return expand(b - a + 1)
        for f in inside:
            if isinstance(f, KroneckerDelta):
                at = _solved(f, u)
                if at is not None:
                    value = self.canon((g / f).xreplace({u: at}))
                    return self.distribute(value * self.pick(at, b) - value * self.pick(at, a - 1))
        base, power = g.as_base_exp()
        if base == u and power.is_Integer and power > 0:
            return expand(power_sum(int(power), b) - power_sum(int(power), a - 1))
        closed = geometric_sum(self, g, u, a, b)
        if closed is not None:
            return closed
        sign, shift = self.position(inside, u)
        if sign < 0:
            a, b = -b, -a
        if sign < 0 or shift != 0:
            a, b = expand(a + shift), expand(b + shift)
            with self.index(a, b) as w:
                return self.over(self.canon(g.xreplace({u: sign * (w - shift)})), w, a, b, reorder)
        return self.prefix(g, u, b, reorder) - self.prefix(g, u, expand(a - 1), reorder)

    def position(self, inside: list[Expr], u: Dummy) -> tuple[int, Expr]:
        """The shift of a term along its index: p[u + 2] is p[u] shifted by 2, p[n - u] is reversed."""
        places: set[tuple[int, Expr]] = set()

        def walk(e: Expr) -> None:
            if e == u or (e.is_Add and u in e.args):
                places.add((1, e - u))
            elif e.is_Add and -u in e.args:
                places.add((-1, e + u))
            else:
                for arg in e.args:
                    if arg.has(u):
                        walk(arg)

        for f in inside:
            base, power = f.as_base_exp()
            if not (base == u and power.is_Integer and power > 0):
                walk(f)
        if {sign for sign, _ in places} == {-1}:
            return -1, S.Zero
        offsets = {offset for _, offset in places}
        if len({sign for sign, _ in places}) == 1:
            if all(offset.is_Integer for offset in offsets):
                return 1, min(offsets)
            if len(offsets) == 1 and not offsets & set(self.active) and not _open(offsets, self.active):
                return 1, offsets.pop()
        return 1, S.Zero

    def pick(self, at: Expr, upper: Expr) -> Expr:
        """The sum over k = 1 .. upper of delta(k, at): 1 if ``at`` is in that range, 0 if it is not."""
        if self.nonnegative(at - 1):
            if self.nonnegative(upper - at):
                return S.One
            if self.nonnegative(at - upper - 1):
                return S.Zero
        elif self.nonnegative(-at) and self.nonnegative(upper):
            return S.Zero
        with self.index(S.One, upper) as u:
            return self.prefix(KroneckerDelta(u, at), u, expand(upper), reorder=False)

    def prefix(self, g: Expr, u: Dummy, upper: Expr, reorder: bool) -> Expr:
        """S(upper): whole numbers in the bound are written out as single terms."""
        closed = binomial_sum(self, g, u, upper)
        if closed is not None:
            return closed
        whole, rest = upper.as_coeff_Add()
        if not whole.is_Integer or abs(whole) > EXPLICIT:
            return self.close(g, u, upper, reorder)
        low, high = min(int(whole), 0), max(int(whole), 0)
        terms = [self.canon(g.xreplace({u: rest + Integer(j)})) for j in range(low + 1, high + 1)]
        ends = Add(*terms) if whole > 0 else -Add(*terms)
        return ends if rest == 0 else self.close(g, u, rest, reorder) + ends

    def close(self, g: Expr, u: Dummy, upper: Expr, reorder: bool) -> Expr:
        """Make the node. For a sum of sums, try each order of its indices and keep the simplest form."""
        if reorder:
            swapped = self.triangle(g, u, upper)
            if swapped is not None:
                return swapped
            ranges = [(u, upper)]
            body = self._flat(g, ranges)
            if 1 < len(ranges) <= 3:
                return self._best_order(body, ranges)
        k = bound(height(g) + 1)
        return self.rewrite(Prefix(g.xreplace({u: k}), k, upper))

    def triangle(self, g: Expr, u: Dummy, upper: Expr) -> Expr | None:
        """The sum of f(u, v) over v <= u <= upper by that of f(v, u), if that is the simpler form.

        Both together are the whole square and its diagonal once more, for every integer ``upper``.
        """
        inner = [f for f in Mul.make_args(g) if isinstance(f, Prefix)]
        if len(inner) != 1 or inner[0].args[2] != u or inner[0].args[0].has(Prefix):
            return None
        body, k, _ = inner[0].args
        with self.index(S.One, upper) as v:
            term = g / inner[0] * body.xreplace({k: v})
            other = self.canon(term.xreplace({u: v, v: u}))
            diagonal = self.over(self.canon(term.xreplace({v: u})), u, S.One, upper)
            square = self._best_order(term, [(u, upper), (v, upper)])
            sums = [
                self.over(self.over(f, v, S.One, u, reorder=False), u, S.One, upper, reorder=False)
                for f in (term, other)
            ]
        if sums[0] == sums[1]:
            return self.distribute((square + diagonal) / 2)
        this, that = (_simplicity(e) for e in sums)
        return self.distribute(square + diagonal - sums[1]) if that < this else None

    def _flat(self, g: Expr, ranges: list) -> Expr:
        """Open the sums among the factors of g whose bounds do not contain the other indices."""
        factors = []
        for f in Mul.make_args(g):
            if isinstance(f, Prefix) and not f.args[2].has(*(v for v, _ in ranges)):
                body, k, upper = f.args
                v = Dummy("v", integer=True, positive=True if upper.is_positive else None)
                ranges.append((v, upper))
                factors.append(self._flat(body.xreplace({k: v}), ranges))
            else:
                factors.append(f)
        return Mul(*factors)

    def _best_order(self, body: Expr, ranges: list) -> Expr:
        if len(ranges) == 1:
            u, upper = ranges[0]
            return self.over(body, u, S.One, upper)
        choices = []
        for outer in ranges:
            inner = self._best_order(body, [r for r in ranges if r is not outer])
            u, upper = outer
            choices.append(self.over(inner, u, S.One, upper, reorder=False))
        return min(choices, key=_simplicity)


class _OpenIndex:
    """A new index that runs over a .. b; while it is open, the algebra knows its bounds."""

    def __init__(self, canonical: Canonical, a: Expr, b: Expr):
        self.canonical, self.a, self.b = canonical, a, b

    def __enter__(self) -> Dummy:
        c = self.canonical
        proper = self.b is oo or c.nonnegative(self.b - self.a + 1)  # not a reversed range
        sign = {"positive": True} if c.nonnegative(self.a - 1) else {}
        sign = sign or ({"nonnegative": True} if c.nonnegative(self.a) else {})
        u = Dummy("u", integer=True, **(sign if proper else {}))
        self.known = len(c.relations)
        if proper:
            c.relations += [u - self.a] if self.b is oo else [u - self.a, self.b - u]
        c.active.append(u)
        return u

    def __exit__(self, *_) -> None:
        del self.canonical.relations[self.known :]
        self.canonical.active.pop()


def _simplicity(e: Expr) -> tuple:
    """The order of forms: fewer sums first, then fewer operations."""
    return len(e.atoms(Prefix)), e.count_ops(), default_sort_key(e)


def _limits(e: ExprWithLimits):
    for limit in e.limits:
        if len(limit) != 3:
            raise Stuck(f"{e} needs a lower and an upper bound")
        yield limit


def _differentiated(e: Expr, v: Expr) -> Expr:
    if e.has(Piecewise, Limit, Integral) or any(isinstance(s, Sum) for s in e.atoms(Sum)):
        return Derivative(e, v, evaluate=True)
    return e.diff(v)


def _solved(d: KroneckerDelta, u: Dummy) -> Expr | None:
    """The value of u at which the delta is 1, if it is an integer."""
    gap = expand(d.args[0] - d.args[1])
    slope = gap.coeff(u, 1)
    rest = expand(gap - slope * u)
    at = expand(-rest * slope)
    return at if slope in (1, -1) and not rest.has(u) and at.is_integer else None


def _open(offsets: set, active: list) -> bool:
    return any(offset.has(*active) for offset in offsets)
