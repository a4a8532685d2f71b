"""The two node types of canonical forms: an exponential that SymPy does not rewrite, and a sum from 1 on."""

from __future__ import annotations

from functools import cache

from sympy import Dummy, Expr, Function, S, Sum


class Stuck(Exception):
    """The expression has no canonical form: it divides by 0, or its functions are not handled here."""


class Exp(Function):
    """The exponential as a node of its own: SymPy would turn some exponentials into powers and back."""

    nargs = 1

    @classmethod
    def eval(cls, arg: Expr):
        return S.One if arg.is_zero else None

    def fdiff(self, argindex: int = 1) -> Expr:
        return self

    def _eval_is_positive(self):
        return True if self.args[0].is_extended_real else None

    def _eval_is_real(self):
        return True if self.args[0].is_extended_real else None


class Prefix(Expr):
    """The sum of ``body`` over ``k`` = 1 .. ``upper``."""

    is_commutative = True

    def __new__(cls, body: Expr, k: Dummy, upper: Expr):
        return Expr.__new__(cls, body, k, upper)

    @property
    def free_symbols(self):
        return (self.args[0].free_symbols - {self.args[1]}) | self.args[2].free_symbols

    def _eval_is_extended_real(self):
        return True if self.args[0].is_extended_real else None

    def _eval_is_positive(self):
        body, k, upper = self.args
        return True if upper.is_positive and body.xreplace({k: _positive(k)}).is_positive else None

    def _eval_is_nonnegative(self):
        body, k, upper = self.args
        return True if upper.is_nonnegative and body.xreplace({k: _positive(k)}).is_nonnegative else None

    def _eval_derivative(self, v):
        body, k, upper = self.args
        if upper.has(v):
            raise Stuck("derivative with respect to the bound of a sum")
        return Sum(body.diff(v), (k, 1, upper))


@cache
def bound(height: int) -> Dummy:
    """The index of a sum with ``height - 1`` levels of sums inside: equal sums get equal names."""
    return Dummy(f"k{height}", integer=True)


def height(e: Expr) -> int:
    """The number of nested levels of sums in an expression."""
    return max((int(p.args[1].name[1:]) for p in e.atoms(Prefix)), default=0)


@cache
def _positive(k: Dummy) -> Dummy:
    return Dummy(k.name, integer=True, positive=True)
