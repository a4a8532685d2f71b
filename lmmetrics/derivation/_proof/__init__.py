"""Try to prove that two expressions are equal. Private: `lmmetrics.derivation` is the public package.

A step ``left = right`` goes through these stages; the first form that is 0 is the proof:

1. `facts` sorts the given facts into definitions, constraints and inequalities, and inserts the definitions.
2. A `Piecewise` is split, unless one is inside a sum or a derivative: every case is proved, with its
   condition as a further fact.
3. The difference is brought to its canonical form, in which equal expressions look the same. `algebra`
   handles products, powers, exponentials, logs and Kronecker deltas. `sums`, built on it, handles sums and
   products over an index, and derivatives; `closed` provides the sums that have a closed form.
4. `is_zero` tests that form: as it is, then over a common denominator, then with several sums joined in one.
5. The constraints become rules (`facts.Rewrite`) that replace one term each, and 3 and 4 are repeated. They
   come last because a constraint is true at a point only: it may not be used inside a derivative.
6. A short form without sums is passed to SymPy's `simplify`; so is a difference without a canonical form
   (`Stuck`).

The prover can miss an equality, but it does not accept a false one. These are not handled:

- `facts`: a constraint that cannot be solved for any term, because no factor is known to differ from 0.
- `algebra`: logs and powers of expressions that are not declared positive, and powers of a sum above 6. They
  are left as they are.
- `sums`: products whose factors are not declared positive; integrals and limits beyond SymPy's ``doit``.
- `closed`: geometric sums whose ratio may be 1; binomial sums that stop before the last binomial coefficient;
  infinite sums that are neither geometric nor known to SymPy.
- `sums`: the order of three or more indices each of which runs up to the next.

`nodes` contains no rules, only the two node types that canonical forms have besides SymPy's.

Three modules prove nothing but check the others. `instances` draws small bounds and random values, which
`solving` adjusts until the facts hold; `series` adds up infinite sums. `Derivation.step` compares both sides
of each *proved* step at four such instances, if they can be computed, and shows one as the counter-example of
a false step. Three more only print: `latex`, and `written` with `values`, which prints an expression as its
author wrote it.

To add a rule, write a method of `Algebra` or `Canonical`, or a closed form; then add a true step that needs
it and a false step that looks like it to ``tests/lmmetrics/derivation/test_derivation.py``.
"""

from __future__ import annotations

from contextlib import suppress

from sympy import (
    Add,
    And,
    Derivative,
    Dummy,
    Eq,
    Expr,
    Ge,
    Gt,
    KroneckerDelta,
    Le,
    Lt,
    Mul,
    Not,
    Piecewise,
    Product,
    S,
    Sum,
    count_ops,
    default_sort_key,
    exp,
    expand,
    factor,
    fraction,
    nan,
    oo,
    piecewise_fold,
    simplify,
    together,
    zoo,
)
from sympy.concrete.expr_with_limits import ExprWithLimits

from lmmetrics.derivation._proof.facts import Facts, Rewrite, exact, fresh
from lmmetrics.derivation._proof.nodes import Exp, Prefix, Stuck
from lmmetrics.derivation._proof.sums import Canonical

__all__ = ["Facts", "check", "exact", "may_be_reversed", "prove"]


def prove(left: Expr, right: Expr, facts: Facts, every: set) -> bool:
    """Whether ``left = right`` follows from the declared assumptions and the facts, for every bound n.

    False means only that no proof was found. ``every`` contains the indices of the facts that may take every
    value.
    """
    definitions, constraints = facts.split(every)
    difference = _defined(left - right, definitions)
    constraints = [_defined(eq.lhs - eq.rhs, definitions) for eq in constraints]
    if difference.has(nan, zoo):
        return False
    inner = set().union(*(e.atoms(Piecewise) for e in difference.atoms(ExprWithLimits, Derivative)))
    if difference.atoms(Piecewise) - inner:
        folded = piecewise_fold(difference) if not inner else difference
        if isinstance(folded, Piecewise):
            return _each_case(folded, facts, constraints, every)
    return _vanishes(difference, facts, constraints, every)


def _vanishes(difference: Expr, facts: Facts, constraints: list[Expr], every: set) -> bool:
    canonical = facts.canonical(difference)
    try:
        form = canonical.canon(difference)
        if is_zero(form, canonical):
            return True
        if constraints:
            canonical = _informed(facts, constraints, every, difference)
            form = canonical.canon(form)
            if is_zero(form, canonical):
                return True
    except Stuck:
        form = difference
    return _simplifies(form)


def check(facts: Facts, every: set, e: Expr) -> None:
    """Raise ValueError if a fact about ``e`` is false, or of a form that cannot be used."""
    with suppress(Stuck):
        definitions, constraints = facts.split(every)
        _informed(facts, [_defined(eq.lhs - eq.rhs, definitions) for eq in constraints], every, e)


def may_be_reversed(e: Expr, facts: Facts) -> bool:
    """Whether the facts allow that a sum or product of ``e`` ends more than one place before it starts."""
    limits = [each for node in e.atoms(Sum, Product) for each in node.limits if len(each) == 3]
    for _, low, high in limits:
        canonical = facts.canonical(e)
        for index, first, last in limits:  # the sums around this one, whose index is in its bounds
            if (high - low).has(index):
                canonical.relations += [index - first, last - index]
        if high is not oo and not canonical.nonnegative(high - low + 1):
            return True
    return False


def _defined(e: Expr, definitions: list) -> Expr:
    e = fresh(e)  # a fact about p[k] is not about the p[k] of a sum over k
    for _ in range(4):  # a definition may use another
        for definition in definitions:
            e = definition.apply(e)
    return e


def _informed(facts: Facts, constraints: list[Expr], every: set, e: Expr) -> Canonical:
    """An algebra that rewrites with the constraints, each of which is an expression that is 0.

    All are differentiated before any of them is used, because a constraint is true at a point only.
    """
    canonical = facts.canonical(e)
    differentiated = [canonical.canon(fresh(constraint)) for constraint in constraints]
    canonical = facts.canonical(e)
    for constraint, expression in zip(constraints, differentiated, strict=True):
        canonical.learn(Rewrite.read(constraint, expression, canonical, every))
    return canonical


def is_zero(form: Expr, canonical: Canonical, depth: int = 3) -> bool:
    """Whether a canonical form is 0: as it is, over a common denominator, or under one common sum."""
    form = form if form == 0 else _one_delta(form, canonical)
    if form == 0:
        return True
    numerator = fraction(together(form))[0]
    numerator = canonical.canon(expand(numerator, deep=False))
    if numerator == 0:
        return True
    return depth > 0 and _under_one_sum(numerator, canonical, depth)


def _under_one_sum(form: Expr, canonical: Canonical, depth: int) -> bool:
    """Join c S_f(n) + d S_g(n) into the sum of c f + d g, and test whether the result is 0."""
    uppers = {p.args[2] for p in form.atoms(Prefix)}
    for upper in sorted(uppers, key=default_sort_key):
        with canonical.index(S.One, upper) as u:
            inside, outside = [], []
            for t in Add.make_args(form):
                sums = [f for f in Mul.make_args(t) if isinstance(f, Prefix) and f.args[2] == upper]
                if sums:
                    body, k, _ = sums[0].args
                    inside.append(t / sums[0] * body.xreplace({k: u}))
                else:
                    outside.append(t)
            # the terms outside may themselves be the sum of a constant
            for body, rest in ((inside, outside), ([*inside, *(t / upper for t in outside)], [])):
                if len(body) < 2:
                    continue
                joined = canonical.canon(factor(together(Add(*body))))
                total = canonical.distribute(canonical.over(joined, u, S.One, upper) + Add(*rest))
                if total != form and is_zero(total, canonical, depth - 1):
                    return True
    return False


def _one_delta(form: Expr, canonical: Canonical) -> Expr:
    """delta(i, k) q[i] = delta(i, k) q[k]: write each such term with one index."""
    terms = []
    for t in Add.make_args(form):
        for d in [f for f in Mul.make_args(t) if isinstance(f, KroneckerDelta)]:
            left, right = d.args
            if left.is_Symbol:
                t = canonical.canon((t / d).xreplace({left: right})) * d
        terms.append(t)
    return canonical.distribute(Add(*terms))


def _each_case(folded: Piecewise, facts: Facts, constraints: list[Expr], every: set) -> bool:
    """Prove each branch, with its condition as a further fact."""
    failed: list = []
    for value, condition in folded.args:
        more, at = Facts(list(facts.equations), list(facts.relations)), {}
        for part in (*And.make_args(condition), *failed):
            if isinstance(part, Eq) and part.lhs.is_Symbol:
                at[part.lhs] = part.rhs
            elif isinstance(part, (Ge, Gt, Le, Lt)):
                more.relations.append(part)
                at |= _signed(part)
        here = [constraint.xreplace(at) for constraint in constraints]
        more.relations = [r for part in more.relations if (r := part.xreplace(at)) is not S.true]
        if S.false not in more.relations and not _vanishes(value.xreplace(at), more, here, every):
            return False
        failed.append(Not(condition))
    return True


def _signed(part) -> dict:
    """A condition such as x > 0, as a symbol of that sign."""
    if not (part.lhs.is_Symbol and part.rhs == 0):
        return {}
    sign = {Gt: "positive", Ge: "nonnegative", Lt: "negative", Le: "nonpositive"}[type(part)]
    assumptions = {k: v for k, v in part.lhs.assumptions0.items() if k in ("integer", "real")}
    return {part.lhs: Dummy(part.lhs.name, **{sign: True}, **assumptions)}


def _simplifies(form: Expr) -> bool:
    """SymPy's own simplification, for expressions that have no canonical form here (trigonometry, series)."""
    form = form.replace(Exp, exp)
    # SymPy moves a condition on a bound index out of its sum, so sums are not given to it
    if form.has(Prefix, Sum, Product) or count_ops(form) > 150:
        return False
    return simplify(form) == 0
