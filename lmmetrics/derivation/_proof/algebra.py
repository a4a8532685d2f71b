"""A canonical form for algebra with exponentials and logs, so that two equal expressions look the same.

Every rewriting here keeps the value under the declared assumptions: a log of a product is split only if the
factors are positive, a power of a product only if that is valid. Other expressions are left as they are, so
the prover can miss an equality, but it does not accept a false one. Sums over an index are in `sums`.
"""

from __future__ import annotations

from itertools import product as cartesian

from sympy import (
    Add,
    Dummy,
    Expr,
    Function,
    I,
    Integer,
    KroneckerDelta,
    Mul,
    Pow,
    Rational,
    S,
    cancel,
    default_sort_key,
    exp,
    expand,
    factor,
    factorint,
    log,
    nan,
    pi,
    together,
    zoo,
)
from sympy.core.function import AppliedUndef
from sympy.functions.elementary.hyperbolic import HyperbolicFunction
from sympy.tensor.indexed import Indexed

from lmmetrics.derivation._proof.nodes import Exp, Stuck


class Algebra:
    """Canonical forms of all expressions but sums, by ``canon``. The results are expanded sums of terms."""

    def __init__(self, relations=()):
        self.relations: list[Expr] = list(relations)  # expressions known to be at least 0
        self.strict: list[Expr] = []  # expressions known to be above 0
        self.rewrites: list = []  # the constraints, as `facts.Rewrite`
        self.active: list[Dummy] = []  # the bound indices that are open now
        self._seen: dict[Expr, Expr] = {}

    def canon(self, e: Expr) -> Expr:
        """Return the canonical form, rewritten with the facts; the result is cached.

        Raises
        ------
        Stuck
            If the form is undefined, such as a log of 0.
        """
        if e not in self._seen:
            result = self.rewrite(self._canon(e))
            if result.has(nan, zoo):
                raise Stuck(f"{e} is not defined everywhere")
            self._seen[e] = result
        return self._seen[e]

    def _canon(self, e: Expr) -> Expr:
        """The canonical form of one node, by its type, from the canonical forms of its arguments."""
        if e is S.Exp1:
            return Exp(S.One)
        if isinstance(e, Indexed):
            return e.func(e.base, *(expand(index) for index in e.indices))
        if e.is_Atom:
            return e
        if isinstance(e, Add):
            return Add(*map(self.canon, e.args))
        if isinstance(e, Mul):
            return self.distribute(Mul(*map(self.canon, e.args)))
        if isinstance(e, (exp, Exp)):
            return self.exp(self.canon(e.args[0]))
        if isinstance(e, Pow):
            return self.power(self.canon(e.base), self.canon(e.exp))
        if isinstance(e, log):
            return self.log(self.canon(e.args[0]))
        if isinstance(e, HyperbolicFunction):
            return self.canon(e.rewrite(exp))
        if isinstance(e, KroneckerDelta):
            return self.delta(*e.args[:2])
        return self.other(e)

    def other(self, e: Expr) -> Expr:
        """Any other function: canonical arguments."""
        if isinstance(e, (Function, AppliedUndef)) and all(isinstance(a, Expr) for a in e.args):
            return self.by_cases(lambda *args: e.func(*args), *map(self.canon, e.args))
        return e

    def rewrite(self, e: Expr) -> Expr:
        """Apply the first fact whose left side is ``e``."""
        for rewrite in self.rewrites:
            result = rewrite.apply(e)
            if result is not None:
                return self.canon(result)
        return e

    def learn(self, rewrite) -> None:
        """Use a fact from now on."""
        if rewrite is not None:
            self.rewrites.append(rewrite)
            self._seen.clear()

    # -- products and powers ----------------------------------------------------------------------------

    def distribute(self, e: Expr) -> Expr:
        """Multiply out; then tidy each term."""
        if isinstance(e, Add):
            return Add(*map(self.distribute, e.args))
        sums, rest = [], []
        for f in Mul.make_args(e):
            if f.is_Add:
                sums.append(f.args)
            elif f.is_Pow and f.base.is_Add and f.exp.is_Integer and 0 < f.exp <= 6:
                sums += [f.base.args] * int(f.exp)
            else:
                rest.append(f)
        if not sums:
            return self.term(rest)
        return Add(*(self.distribute(self.term([*rest, *chosen])) for chosen in cartesian(*sums)))

    def term(self, factors: list[Expr]) -> Expr:
        """One product: exponentials merged, and a Kronecker delta equal to its powers."""
        exponent, exponentials, rest = S.Zero, 0, []
        for f in Mul.make_args(Mul(*factors)):
            base, power = f.as_base_exp()
            if isinstance(base, Exp) and (power.is_integer or base.args[0].is_extended_real):
                exponent, exponentials = exponent + power * base.args[0], exponentials + 1 + (power != 1)
            elif isinstance(base, KroneckerDelta) and power.is_positive:
                rest.append(base)
            else:
                rest.append(f)
        if exponentials > 1:
            rest.append(self.exp(self.distribute(exponent)))
            return self.distribute(Mul(*rest))
        return Mul(*rest, Exp(exponent)) if exponentials else Mul(*rest)

    def power(self, b: Expr, e: Expr) -> Expr:
        """b**e for canonical b and e: factors with a power each, exponentials with one exponent.

        A power of a product is split only if the exponent is an integer or the factors are positive.
        """
        if e == 1 or b == 1:
            return b
        if b.has(KroneckerDelta) and not (e.is_Integer and e > 0):
            return self.by_cases(self.power, b, e)
        if isinstance(b, Exp) and (e.is_integer or (b.args[0].is_extended_real and e.is_extended_real)):
            return self.exp(self.distribute(e * b.args[0]))
        if e.is_Integer and e > 0:
            return self.distribute(Pow(b, e))
        if b.is_zero:
            raise Stuck("a power of 0 that is not defined")
        factors = self.factors(b)
        if not (e.is_integer or all(self.positive(f) for f, _ in factors)):
            apart = [(f, k) for f, k in factors if self.positive(f)]
            together_ = Mul(*(Pow(f, k) for f, k in factors if not self.positive(f)))
            kept = self._opaque_power(together_, e)
            return self.distribute(Mul(kept, *(self.power(f, k * e) for f, k in apart)))
        return self.distribute(Mul(*(self._atom_power(f, k * e) for f, k in factors)))

    def _atom_power(self, b: Expr, e: Expr) -> Expr:
        """Power of an irreducible base; the base is positive or the exponent an integer."""
        if isinstance(b, Exp):
            return self.exp(self.distribute(expand(e * b.args[0])))
        if e.is_Rational:
            return Pow(b, e)
        if self.positive(b):
            return self.exp(self.distribute(expand(e * self.log(b))))
        return self._opaque_power(b, e)

    def _opaque_power(self, b: Expr, e: Expr) -> Expr:
        """b**(n + 3) = b**n * b**3, and no more."""
        whole, rest = expand(e).as_coeff_Add()
        return Pow(b, e) if rest == 0 or not whole.is_Integer else Mul(Pow(b, whole), Pow(b, rest))

    def factors(self, e: Expr) -> list[tuple[Expr, Expr]]:
        """The (base, exponent) pairs of a product; a sum is factored first."""
        pairs = []
        if e.is_Add:
            common = self._common_exponential(e)
            if common is not None:
                pairs.append((Exp(common), S.One))
                e = self.distribute(e * Exp(-common))
        if e.is_Add:
            e = factor(together(e))
        sign = S.One
        for f in Mul.make_args(e):
            base, power = f.as_base_exp()
            if power.is_Integer and base.is_Add and self.positive(-base):  # -1/(p - 1) is 1/(1 - p)
                base, sign = -base, sign * (-1) ** power
            pairs.append((base, power) if power.is_integer or self.positive(base) else (f, S.One))
        if sign == -1:
            numbers = [pair for pair in pairs if pair[0].is_Rational and pair[1] == 1]
            pairs = [pair for pair in pairs if pair not in numbers]
            if (rest := sign * Mul(*(number for number, _ in numbers))) != 1:
                pairs.append((rest, S.One))
        return pairs

    def _common_exponential(self, e: Expr) -> Expr | None:
        """The exponent to factor out of a sum such as exp(a) + exp(b); a shift of both keeps the choice."""
        exponents = []
        for t in e.args:
            inside = [f.args[0] for f in Mul.make_args(t) if isinstance(f, Exp)]
            exponents.append(inside[0] if inside else S.Zero)
        if len(set(exponents)) == 1:
            return exponents[0] or None
        if len(e.args) > 6 or not all(x.is_extended_real for x in exponents):
            return None
        choices = [(self.distribute(e * Exp(-x)), x) for x in set(exponents)]
        return min(choices, key=lambda choice: (default_sort_key(choice[0]), default_sort_key(choice[1])))[1]

    # -- exponentials and logs --------------------------------------------------------------------------

    def exp(self, a: Expr) -> Expr:
        """exp of a canonical exponent: c log x becomes x**c, the other terms are joined in one `Exp`."""
        if a.has(KroneckerDelta):
            return self.by_cases(self.exp, a)
        if any(f.is_Pow and f.base.is_Add for t in Add.make_args(a) for f in Mul.make_args(t)):
            a = self.canon(cancel(together(a)))  # n/(n + m) + m/(n + m) is 1
        outside, inside = [], []
        for t in Add.make_args(a):
            coefficient, rest = t.as_coeff_Mul()
            if isinstance(rest, log):
                outside.append(self.power(rest.args[0], coefficient))
            elif (t / (I * pi)).is_Rational:
                outside.append(exp(t))
            else:
                inside.append(t)
        kept = Add(*inside)
        if not outside:
            return Exp(kept) if kept != 0 else S.One
        return self.distribute(Mul(*outside, Exp(kept) if kept != 0 else S.One))

    def log(self, a: Expr) -> Expr:
        """log of a canonical argument: the logs of the positive factors, and one log of all others."""
        if a.has(KroneckerDelta):
            return self.by_cases(self.log, a)
        if a.is_zero:
            raise Stuck("log of 0")
        terms, unknown = [], []
        for base, power in self.factors(a):
            if base.is_Rational and base.is_positive:
                terms.append(power * _log_of_rational(base))
            elif isinstance(base, Exp) and base.args[0].is_extended_real:
                terms.append(power * base.args[0])
            elif self.positive(base) and power.is_extended_real:
                terms.append(power * log(base))
            elif base.is_Rational and power == 1:
                terms.append(_log_of_rational(-base))
                unknown.append(S.NegativeOne)
            else:
                unknown.append(Pow(base, power))
        if unknown:
            terms.append(log(Mul(*unknown)))
        return self.distribute(Add(*terms))

    # -- what is known ----------------------------------------------------------------------------------

    def nonnegative(self, e: Expr) -> bool:
        e = expand(e)
        known = [S.Zero, *self.relations, *(s - 1 for s in self.strict if s.is_integer), *self.strict]
        if any((e - k).is_nonnegative for k in known):
            return True
        return any((e - k - m).is_nonnegative for i, k in enumerate(known[1:], 1) for m in known[1:i])

    def positive(self, e: Expr) -> bool:
        if e.is_positive:
            return True
        if e.is_Mul:
            return all(map(self.positive, e.args))
        if e.is_Pow and e.exp.is_extended_real:
            return self.positive(e.base)
        return any((e - s).is_nonnegative for s in self.strict) or bool(
            e.is_integer and (self.relations or self.strict) and self.nonnegative(e - 1)
        )

    # -- Kronecker delta --------------------------------------------------------------------------------

    def delta(self, left: Expr, right: Expr) -> Expr:
        gap = expand(left - right)
        if gap.is_zero:
            return S.One
        if gap.is_zero is False or self.positive(gap) or self.positive(-gap):
            return S.Zero
        return KroneckerDelta(expand(left), expand(right))

    def by_cases(self, function, *args: Expr) -> Expr:
        """f(delta) = delta f(1) + (1 - delta) f(0): move a delta out of a function."""
        found = sorted(set().union(*(a.atoms(KroneckerDelta) for a in args)), key=default_sort_key)
        if not found:
            return function(*args)
        d = found[0]
        one, zero = (
            self.by_cases(function, *(self.canon(a.xreplace({d: Integer(value)})) for a in args))
            for value in (1, 0)
        )
        return self.distribute(d * one + (1 - d) * zero)


def _log_of_rational(value: Rational) -> Expr:
    """log(12/5) = 2 log 2 + log 3 - log 5."""
    terms = [k * log(p) for p, k in factorint(value.p, limit=10_000).items() if p != 1]
    terms += [-k * log(q) for q, k in factorint(value.q, limit=10_000).items() if q != 1]
    return Add(*terms)
