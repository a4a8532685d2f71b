"""Facts that a derivation may use: definitions, constraints, and ranges of indices.

``Eq(q[i], ...)`` and ``Eq(x, ...)``, with one atom on the left, define that atom. It is replaced first,
inside derivatives too. Any other ``Eq`` is a constraint: it is true at particular values only, so it is used
only after differentiation. An inequality bounds an index or a parameter. An index of an equation that is free
neither in the start of the chain nor in an inequality may take every value: ``Eq(q[i], ...)`` then defines
the whole array.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product as cartesian

from sympy import (
    Add,
    And,
    Derivative,
    Dummy,
    Eq,
    Expr,
    Float,
    Ge,
    Gt,
    Le,
    Lt,
    Mul,
    Pow,
    Product,
    Rational,
    S,
    Sum,
    Symbol,
    default_sort_key,
    log,
    sympify,
)
from sympy.concrete.expr_with_limits import ExprWithLimits
from sympy.core.function import AppliedUndef
from sympy.tensor.indexed import Idx, Indexed

from lmmetrics.derivation._proof.nodes import Exp, Prefix
from lmmetrics.derivation._proof.sums import Canonical


@dataclass
class Facts:
    """The facts of a derivation, sorted by use."""

    equations: list[Eq] = field(default_factory=list)
    relations: list = field(default_factory=list)
    stated: list = field(default_factory=list)  # as they were given, for display

    @classmethod
    def read(cls, given) -> Facts:
        facts = cls()
        for item in [given] if isinstance(given, (Eq, And, Le, Lt, Ge, Gt)) else given:
            item = sympify(item)
            for stated in And.make_args(item):
                fact = exact(stated)
                if fact is S.true:
                    continue
                facts.stated.append(stated)
                if isinstance(fact, Eq):
                    facts.equations.append(fact)
                elif isinstance(fact, (Le, Lt, Ge, Gt)):
                    facts.relations.append(fact)
                else:
                    raise ValueError(
                        f"The given fact {item} is neither an equation nor an inequality that can hold. "
                        "Write it as Eq(left, right), or as an inequality such as k <= n."
                    )
        return facts

    def every(self, start: Expr) -> set:
        """The indices of the equations that are free neither in the start nor in an inequality."""
        fixed = set().union(symbols_of(start), *(symbols_of(r) for r in self.relations))
        return {
            s
            for eq in self.equations
            for s in symbols_of(eq) - fixed
            if any(s in _index_symbols(a) for a in eq.atoms(Indexed, AppliedUndef))
        }

    def about_one_place(self, every: set) -> Expr | None:
        """The left side of a definition such as Eq(q[k], ...) that is about this k only."""
        for d in self.split(every)[0]:
            if any(p.is_Symbol and p not in d.every for p in indices_of(d.left)):
                return d.left
        return None

    def split(self, every: set) -> tuple[list[Definition], list[Eq]]:
        """The definitions, and the other equations, among them a second definition of the same place."""
        definitions: list[Definition] = []
        constraints: list[Eq] = []
        for eq in self.equations:
            definition = Definition.read(eq, every)
            if definition and not any(definition.meets(d) for d in definitions):
                definitions.append(definition)
            else:
                constraints.append(eq)
        return definitions, constraints

    def canonical(self, e: Expr) -> Canonical:
        """An algebra that knows the inequalities, and the ranges of the `Idx` objects in ``e``."""
        c = Canonical()
        for i in sorted(e.atoms(Idx), key=str):
            c.relations += [i - i.lower] if i.lower is not None else []
            c.relations += [i.upper - i] if i.upper is not None else []
        for r in self.relations:
            if isinstance(r, (Lt, Gt)):
                c.strict.append(r.gts - r.lts)
            else:
                c.relations.append(r.gts - r.lts)
        return c


@dataclass
class Definition:
    """``left = right``, for every value of the parameters in ``left``."""

    left: Expr
    right: Expr
    every: set

    @classmethod
    def read(cls, eq: Eq, every: set) -> Definition | None:
        for left, right in (eq.args, reversed(eq.args)):
            if isinstance(left, (Symbol, Indexed, AppliedUndef)) and not right.has(head_of(left)):
                return cls(left, fresh(right), every & symbols_of(left))
        return None

    def meets(self, other: Definition) -> bool:
        """Whether both define the same place."""
        one_array = head_of(self.left) == head_of(other.left)
        return one_array and bool(self.left == other.left or self.every or other.every)

    def apply(self, e: Expr) -> Expr:
        """Replace ``left`` in an expression. The bound indices of ``right`` are new, so none is captured."""
        for d in e.atoms(Derivative):
            if any(
                v == self.left or (isinstance(v, Indexed) and head_of(v) == head_of(self.left))
                for v in d.variables
            ):
                raise ValueError(
                    f"The fact about {self.left} cannot be used, because the chain differentiates with "
                    f"respect to {d.variables[0]}. Differentiate in one derivation, and insert the values in "
                    "another."
                )
        if not self.every:
            return e.xreplace({self.left: self.right})
        found = [a for a in e.atoms(type(self.left)) if head_of(a) == head_of(self.left)]
        return e.xreplace({a: right for a in found if (right := self.at(a)) is not None})

    def at(self, a: Expr) -> Expr | None:
        """The right side at the place of ``a``; None if the fact is about another place."""
        values = dict(zip(indices_of(self.left), indices_of(a), strict=True))
        if len(indices_of(self.left)) != len(indices_of(a)) or any(
            p != v for p, v in values.items() if p not in self.every
        ):
            return None
        return fresh(self.right).xreplace(values)


@dataclass
class Rewrite:
    """A constraint solved for one canonical term: ``term`` may be replaced by ``value``."""

    term: Expr
    value: Expr
    every: list

    @classmethod
    def read(cls, constraint: Expr, differentiated: Expr, canonical: Canonical, every: set) -> Rewrite | None:
        """Solve for the most complex term that appears once, with a factor that is not 0."""
        form = canonical.canon(differentiated)
        if form == 0:
            return None
        if form.is_number:
            raise ValueError(f"The given fact {constraint} = 0 is false: the left side is {form}.")
        for term in sorted(_generators(form), key=_rank, reverse=True):
            factor = form.coeff(term)
            rest = canonical.distribute(form - factor * term)
            if not rest.has(term) and not factor.has(term) and factor.is_nonzero:
                value = canonical.distribute(-rest / factor)
                return cls(term, value, sorted(every & term.free_symbols, key=default_sort_key))
        raise ValueError(
            f"The given fact {constraint} = 0 cannot be used, because it cannot be solved for any term. "
            "Write it with one symbol or one sum on the left side."
        )

    def apply(self, e: Expr) -> Expr | None:
        if type(e) is not type(self.term):
            return None
        if e == self.term:
            return self.value
        bound = {p.args[1] for p in self.term.atoms(Prefix)}
        places = {
            i for a in e.atoms(Indexed, AppliedUndef) for i in indices_of(a) if not i.free_symbols & bound
        }
        for chosen in cartesian(sorted(places, key=default_sort_key), repeat=len(self.every)):
            at = dict(zip(self.every, chosen, strict=True))
            if self.every and self.term.xreplace(at) == e:
                return self.value.xreplace(at)
        return None


def exact(e):
    """Replace decimals by the binary fractions that they stand for: rounding must not hide a difference."""
    return e.xreplace({x: Rational(x) for x in e.atoms(Float)})


def fresh(e: Expr) -> Expr:
    """Give every bound variable a new name, so that no replacement captures it or takes it for a free one."""

    def renamed(node):
        names = {}
        for limit in node.limits:
            assumptions = {"integer": True} if isinstance(node, (Sum, Product)) else limit[0].assumptions0
            names[limit[0]] = Dummy(limit[0].name, **assumptions)
        return node.xreplace(names)

    return e.replace(lambda node: isinstance(node, ExprWithLimits), renamed)


def symbols_of(e) -> set:
    """The free symbols and `Idx` objects of an expression, without the names of arrays."""
    return {s for s in e.free_symbols if isinstance(s, (Symbol, Idx))} - {
        a.base.label for a in e.atoms(Indexed)
    }


def _index_symbols(a: Expr) -> set:
    return set().union(*(p.free_symbols for p in indices_of(a)))


def head_of(a: Expr):
    """The array of an element, the function of a call, or the symbol itself."""
    if isinstance(a, Indexed):
        return a.base
    return a.func if isinstance(a, AppliedUndef) else a


def indices_of(a: Expr) -> tuple:
    """The indices of an array element or the arguments of a function; empty for a symbol."""
    if isinstance(a, Indexed):
        return a.indices
    return a.args if isinstance(a, AppliedUndef) else ()


def _generators(form: Expr) -> set:
    return {f for t in Add.make_args(form) for f in Mul.make_args(t) if not f.is_number}


def _rank(e: Expr) -> tuple:
    order = (Prefix, Indexed, AppliedUndef, log, Exp, Pow, Symbol)
    place = next((len(order) - i for i, kind in enumerate(order) if isinstance(e, kind)), 0)
    return place, e.count_ops(), default_sort_key(e)
