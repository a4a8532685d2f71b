"""Random numbers at which two sides are compared, to check proofs and to find counter-examples.

An instance gives every bound and index a small whole number, writes all sums out, draws the other values at
random within their declared assumptions, and adjusts them until the given facts hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product as cartesian

import mpmath
import numpy as np
from sympy import (
    Add,
    Derivative,
    Dummy,
    Expr,
    Float,
    Integer,
    KroneckerDelta,
    Limit,
    Mul,
    Product,
    S,
    Sum,
    Symbol,
    nan,
    oo,
    zoo,
)
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Idx, Indexed

from lmmetrics.derivation._proof.facts import Facts, fresh, head_of, indices_of, symbols_of
from lmmetrics.derivation._proof.series import Diverges, Unsupported, summed
from lmmetrics.derivation._proof.solving import DIGITS, solve

LARGE = 24
"""The largest bound of a check in numbers."""
TOLERANCE = 1e-30
"""Two sides agree if they differ by less, relative to the larger side if that is above 1."""


@dataclass
class Instance:
    """One choice of numbers, and both sides at it."""

    at: str
    left: mpmath.mpc
    right: mpmath.mpc

    @property
    def gap(self) -> mpmath.mpc:
        with mpmath.workdps(DIGITS):
            return self.left - self.right

    @property
    def agrees(self) -> bool:
        return bool(abs(self.gap) <= TOLERANCE * max(1, abs(self.left), abs(self.right)))

    def __str__(self) -> str:
        sides = f"left {_show(self.left)}, right {_show(self.right)}"
        return f"{self.at or 'as written'}: {sides}; the sides differ by {_show(self.gap)}"


def instances(
    left: Expr, right: Expr, facts: Facts, every: set, count: int, rng: np.random.Generator, largest: int = 0
):
    """Yield up to ``count`` instances at which both sides are defined and the facts hold.

    Every fourth of them has bounds up to ``largest``: terms may vanish at all small ones.

    Raises
    ------
    Unsupported
        If the sides contain something that cannot be written out.
    Diverges
        If a side contains a series without a sum.
    """
    found = 0
    for attempt in range(4 * count + 20):
        # start with small bounds, so that a counter-example is short
        most = largest if largest and attempt % 4 == 3 else 3 + attempt // 8
        numbers = _Numbers(left, right, facts, every, rng, most, plain=attempt % 3 != 2)
        instance = numbers.evaluate()
        if instance is not None:
            found += 1
            yield instance
        if found == count:
            return


class _Numbers:
    """One attempt at an instance."""

    def __init__(self, left, right, facts: Facts, every: set, rng, most: int, plain: bool):
        self.sides, self.facts, self.rng, self.most, self.plain = (left, right), facts, rng, most, plain
        self.every = every
        self.definitions, self.constraints = facts.split(every)
        self.cells: dict[tuple, Expr] = {}  # (base, place) -> a symbol, or a whole number
        self.whole: dict[Expr, Integer] = {}  # bounds and indices
        self.depth = 0

    def evaluate(self) -> Instance | None:
        if not self._choose_whole_numbers():
            return None
        sides = [self.write(fresh(side)) for side in self.sides]
        equations = self._written_constraints()
        relations = [self.write(r) for r in self.facts.relations]
        symbols = set().union(*(e.free_symbols for e in [*sides, *equations, *relations]))
        values = self._solve(sorted(symbols, key=str), equations)
        if values is None or any(r.xreplace(values) is S.false for r in relations):
            return None
        try:
            numbers = [_number(side.xreplace(values)) for side in sides]
        except Diverges as series:
            at = self._describe(values)
            raise Diverges(f"{series} diverges{' at ' * bool(at)}{at}") from None
        if any(v is None for v in numbers):
            return None
        return Instance(self._describe(values), *numbers)

    # -- whole numbers ----------------------------------------------------------------------------------

    def _choose_whole_numbers(self) -> bool:
        """Give bounds and indices a value each, so that the inequalities among them hold."""
        expressions = [*self.sides, *self.facts.relations]
        expressions += [x for eq in self.facts.equations for x in eq.args]
        defined = {d.left for d in self.definitions}
        every = self.every - set().union(*map(symbols_of, self.sides))
        symbols = set().union(*(symbols_of(e) for e in expressions)) - every - defined
        counted = structural(expressions)
        symbols = sorted((s for s in symbols if s.is_integer or s in counted), key=str)
        relations = [r for r in self.facts.relations if r.free_symbols <= set(symbols)]
        for _ in range(100):
            choice = {s: self._whole_number(s) for s in symbols}
            if all(r.xreplace(choice) is S.true for r in relations) and all(
                choice[s] >= s.lower.xreplace(choice) and choice[s] <= s.upper.xreplace(choice)
                for s in symbols
                if isinstance(s, Idx) and s.lower is not None and s.upper is not None
            ):
                self.whole = choice
                return True
        return False

    def _whole_number(self, s: Expr) -> Integer:
        pool = range(1 if s.is_positive else 0 if s.is_nonnegative else -self.most, self.most + 1)
        fits = [
            v
            for v in map(Integer, pool)
            if all(getattr(v, f"is_{k}", w) in (w, None) for k, w in s.assumptions0.items())
        ]
        if not fits:
            raise Unsupported(f"no small whole number fits {s}")
        return fits[int(self.rng.integers(len(fits)))]

    # -- writing out ------------------------------------------------------------------------------------

    def write(self, e: Expr, at: dict | None = None) -> Expr:
        """The expression without sums, indices and definitions."""
        at = at or {}
        if isinstance(e, (Symbol, Idx)):
            if e in at or e in self.whole:
                return at.get(e, self.whole.get(e))
            return self._defined(e) or e
        if isinstance(e, (Indexed, AppliedUndef)):
            places = tuple(self.write(p, at) for p in indices_of(e))
            if isinstance(e, Indexed) and not all(p.is_Integer for p in places):
                raise Unsupported(f"{e} has an index that is not a whole number")
            return self._cell(e, places)
        if isinstance(e, (Sum, Product)):
            return self._written_out(e, at)
        if isinstance(e, Derivative):
            body = self.write(e.expr, at)
            for v in e.variables:
                v = self.write(v, at)
                if not v.is_Symbol or e.expr.has(AppliedUndef):
                    raise Unsupported(f"no derivative with respect to {v} in numbers")
                body = body.diff(v)
            return body
        if isinstance(e, Limit):
            x = Dummy(e.args[1].name, **e.args[1].assumptions0)
            return Limit(self.write(e.args[0].xreplace({e.args[1]: x}), at), x, *e.args[2:]).doit()
        return e if e.is_Atom or not e.args else e.func(*(self.write(a, at) for a in e.args))

    def _written_out(self, e: ExprWithLimits, at: dict) -> Expr:
        *inner, (i, low, high) = e.limits
        body = e.func(e.function, *inner) if inner else e.function
        a, b = self.write(low, at), self.write(high, at)
        if b is oo or a is -oo:
            return e.func(self.write(body, at), (i, a, b))
        if not (a.is_Integer and b.is_Integer) or b - a > 60:
            raise Unsupported(f"the bounds of {e} are not small whole numbers")
        join = Add if isinstance(e, Sum) else Mul
        if b >= a - 1:
            return join(*(self.write(body, {**at, i: Integer(v)}) for v in range(int(a), int(b) + 1)))
        reverse = join(*(self.write(body, {**at, i: Integer(v)}) for v in range(int(b) + 1, int(a))))
        return -reverse if join is Add else 1 / reverse

    def _defined(self, e: Expr, places: tuple | None = None) -> Expr | None:
        target = e if places is None else _at(e, places)
        for d in self.definitions:
            if head_of(d.left) == head_of(e):
                left = [p if p in d.every else self.write(p) for p in indices_of(d.left)]
                if len(left) == len(indices_of(target)) and all(
                    p in d.every or p == v for p, v in zip(left, indices_of(target), strict=True)
                ):
                    return self._write_definition(
                        d, dict(zip(indices_of(d.left), indices_of(target), strict=True))
                    )
        return None

    def _write_definition(self, d, values: dict) -> Expr:
        self.depth += 1
        if self.depth > 30:
            raise Unsupported("the definitions run in a circle")
        result = self.write(d.right, {k: v for k, v in values.items() if k in d.every})
        self.depth -= 1
        return result

    def _cell(self, e: Expr, places: tuple) -> Expr:
        key = (head_of(e), places)
        if key not in self.cells:
            defined = self._defined(e, places)
            if defined is None and e.is_integer:
                defined = self._whole_number(e)
            name = f"{_name(e)}[{', '.join(map(str, places))}]"
            self.cells[key] = Dummy(name, **e.assumptions0) if defined is None else defined
        return self.cells[key]

    def _written_constraints(self) -> list[Expr]:
        most = max([int(v) for v in self.whole.values()], default=3)
        written = []
        for eq in self.constraints:
            free = sorted(self.every & symbols_of(eq), key=str)
            for values in cartesian(range(1, most + 1), repeat=len(free)):
                at = dict(zip(free, map(Integer, values), strict=True))
                written.append(self.write(eq.lhs, at) - self.write(eq.rhs, at))
        return written

    # -- values -----------------------------------------------------------------------------------------

    def _solve(self, symbols: list, equations: list[Expr]) -> dict | None:
        start = {s: self._value(s, complex_too=not self.plain and not equations) for s in symbols}
        equations = [e for e in equations if e != 0]
        return solve(start, equations) if equations else start

    def _value(self, s: Expr, complex_too: bool) -> Expr:
        size = self.rng.uniform(0.05, 0.95) if self.rng.random() < 0.5 else self.rng.uniform(0.5, 3.0)
        value = Float(f"{size:.6f}", DIGITS)
        if s.is_nonnegative:
            return value
        if s.is_nonpositive:
            return -value
        if s.is_extended_real is None and complex_too:
            return value + S.ImaginaryUnit * Float(f"{self.rng.uniform(-6, 6):.6f}", DIGITS)
        return value if self.rng.random() < 0.5 else -value

    def _describe(self, values: dict) -> str:
        shown = [f"{s} = {v}" for s, v in self.whole.items()]
        shown += [f"{s} = {_show(v)}" for s, v in values.items() if s not in self.cells.values()]
        rows: dict[str, list] = {}
        for (head, places), cell in self.cells.items():
            if cell in values or cell.is_Integer:
                rows.setdefault(_name(head), []).append((places, values.get(cell, cell)))
        for name, entries in rows.items():
            entries.sort(key=lambda entry: [float(p) if p.is_number else 0 for p in entry[0]])
            shown += [f"{name}[{', '.join(map(str, p))}] = {_show(v)}" for p, v in entries]
        return ", ".join(shown)


def structural(expressions) -> set:
    """The symbols in bounds of sums and in indices, which are whole numbers."""
    found: set = set()
    for e in expressions:
        for node in e.atoms(ExprWithLimits, Indexed, KroneckerDelta):
            if isinstance(node, ExprWithLimits):
                if isinstance(node, (Sum, Product)):
                    found |= set().union(*(x.free_symbols for limit in node.limits for x in limit[1:]))
            elif isinstance(node, Indexed):
                found |= set().union(*(p.free_symbols for p in node.indices))
            else:
                found |= node.free_symbols
    return found


def _number(e: Expr) -> mpmath.mpc | None:
    """The value, or None if the expression is undefined or infinite."""
    if e.has(nan, zoo):
        return None
    e = e.replace(lambda node: isinstance(node, Sum), summed)
    e = e.doit() if e.has(ExprWithLimits) else e
    if e.has(Sum):
        raise Unsupported(f"{e} has infinitely many terms")
    value = e.evalf(DIGITS, maxn=10 * DIGITS)
    if not value.is_number or value.has(nan, zoo, oo, -oo):
        return None
    real, imaginary = value.as_real_imag()
    if not (real.is_Number and imaginary.is_Number):
        return None
    with mpmath.workdps(DIGITS):
        return mpmath.mpc(str(real), str(imaginary))


def _at(e: Expr, places: tuple) -> Expr:
    return e.func(e.base, *places) if isinstance(e, Indexed) else e.func(*places)


def _name(e) -> str:
    head = head_of(e) if isinstance(e, (Indexed, AppliedUndef)) else e
    return getattr(head, "__name__", None) or str(head)


def _show(value) -> str:
    """Four digits; a real or imaginary part that is only rounding error is left out."""
    if isinstance(value, Expr):
        value = complex(value)
    z = complex(value)
    if abs(z.imag) <= 1e-25 * max(1.0, abs(z.real)):
        return f"{z.real:.4g}"
    real = f"{z.real:.4g}" if abs(z.real) > 1e-25 * abs(z.imag) else ""
    return f"{real}{z.imag:{'+' if real else ''}.4g}i"
