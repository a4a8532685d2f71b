"""`Derivation`: a chain of equalities that grows by one checked step at a time."""

from __future__ import annotations

import copy
import sys
from collections.abc import Iterable

import numpy as np
from sympy import Expr, expand, sympify
from sympy.logic.boolalg import Boolean

from lmmetrics.derivation._proof import Facts, check, exact, may_be_reversed, prove
from lmmetrics.derivation._proof.instances import LARGE, Diverges, Instance, Unsupported, instances
from lmmetrics.derivation._proof.written import Written
from lmmetrics.derivation._refusal import hints_for, refusal
from lmmetrics.derivation._rendering import Given, as_html, as_latex, as_text
from lmmetrics.derivation._steps import POINTS, Step, StepError

GUARDS = 4
"""Random instances with which each proof is compared."""


CONVENTION = (
    "for small bounds a range can be reversed here: a sum from a to b below a - 1 is minus the sum from "
    "b + 1 to a - 1, and a product its inverse"
)


class Derivation:
    """A chain ``start = ... = ...`` in which each step is proved. It is displayed as one aligned block.

    Parameters
    ----------
    start : sympy expression
        The left side of the chain. Declare the assumptions of its symbols: logs are split only for
        ``positive=True``; bounds and indices are ``integer=True, positive=True``.
    given : list of equations and inequalities, optional
        Facts that the steps may use.

        - ``Eq(q[i], ...)`` or ``Eq(x, ...)``, an atom alone on one side, is a definition. It is used first,
          inside derivatives too.
        - Any other ``Eq``, such as ``Eq(Sum(p[i], (i, 1, n)), 1)``, is a constraint. It is true at particular
          values only, so it is used only after differentiation.
        - ``k <= n`` bounds an index or a parameter. A derivative with respect to ``z[k]`` needs it to know
          that k is one of 1 .. n.

        An equation is taken to be true for every value of an index that is free neither in ``start`` nor in
        an inequality: ``Eq(p[i], 1/n)`` is then about the whole array, and the block says "for every i".

    Raises
    ------
    TypeError
        If ``start`` is not a SymPy expression.
    ValueError
        If a fact cannot be used, or is false.

    Notes
    -----
    Derivations are immutable: `step` returns a new one, so chain the calls. A decimal stands for an exact
    binary fraction; write ``Rational(1, 10)`` for one tenth.

    The two sides of each proved step are also compared at random numbers that satisfy the facts.

    LaTeX follows the order in which the author wrote an expression, which SymPy does not keep. So the source
    of the call to `Derivation` or `step` is read, and the expressions in it are evaluated a second time, for
    printing only. Arguments should therefore have no side effects.

    Examples
    --------
    Cross-entropy is entropy plus KL divergence, for any number n of outcomes.

    >>> from sympy import IndexedBase, Sum, log, symbols
    >>> i, n = symbols("i n", integer=True, positive=True)
    >>> p, q = IndexedBase("p", positive=True), IndexedBase("q", positive=True)
    >>> entropy = -Sum(p[i] * log(p[i]), (i, 1, n))
    >>> kl = Sum(p[i] * log(p[i] / q[i]), (i, 1, n))
    >>> chain = Derivation(-Sum(p[i] * log(q[i]), (i, 1, n)))
    >>> chain.step(entropy + kl, because="the log of a quotient is a difference")
    -Sum(log(q[i])*p[i], (i, 1, n))
      = Sum(log(p[i]/q[i])*p[i], (i, 1, n)) - Sum(log(p[i])*p[i], (i, 1, n))
          the log of a quotient is a difference (proved)
    >>> chain.step(entropy - kl, because="a sign is wrong")
    Traceback (most recent call last):
    lmmetrics.derivation._steps.StepError: This step is not an equality: ...
    """

    def __init__(self, start: Expr, given: Iterable[Boolean] = ()) -> None:
        self.lhs: Expr = _expression(start)
        self.steps: tuple[Step, ...] = ()
        self._facts = Facts.read(given)
        source = Written(sys._getframe(1))  # the caller's frame, whose source is printed
        self._every = self._facts.every(exact(self.lhs))
        self._tex = source.expression("start", self.lhs)
        self._given = tuple(
            Given(fact, tex, sorted(self._every & fact.free_symbols, key=str))
            for fact, tex in zip(self._facts.stated, source.facts("given", self._facts.stated), strict=True)
        )
        check(self._facts, self._every, exact(self.lhs))

    @property
    def rhs(self) -> Expr:
        """The last expression of the chain."""
        return self.steps[-1].expression if self.steps else self.lhs

    def step(self, expression: Expr, *, because: str) -> Derivation:
        """Add ``= expression`` if it can be proved.

        Parameters
        ----------
        expression : sympy expression
            The next expression, without the equals sign.
        because : str
            The reason in words; text between dollar signs, ``$...$``, is LaTeX.

        Returns
        -------
        Derivation
            A new chain, one step longer.

        Raises
        ------
        StepError
            If the step is not proved. The message shows both sides and a counter-example, if one was found,
            and says what to do.
        """
        new = _expression(expression)
        left, right = exact(self.rhs), exact(new)
        proved = prove(left, right, self._facts, self._every)
        found, problem = self._instances(left, right, GUARDS if proved else POINTS)
        if not proved or problem or not all(instance.agrees for instance in found):
            raise self._rejected(new, found, problem, no_proof=not proved)
        tex = Written(sys._getframe(1)).expression("expression", new)
        return self._with(Step(new, tex, _because(because), proved=True))

    def check_numerically(self, expression: Expr, *, because: str) -> Derivation:
        """Add ``= expression`` if both sides agree at random points. This is evidence, not a proof.

        The block says "checked numerically" beside the step, and to how many digits. Both sides are computed
        with 50 digits, with random bounds n up to 24, and must agree to 30. A smaller difference, or one that
        appears only at larger bounds, is not seen. Parameters and errors are those of `step`.
        """
        new = _expression(expression)
        found, problem = self._instances(exact(self.rhs), exact(new), POINTS, LARGE)
        if problem or len(found) < POINTS or not all(instance.agrees for instance in found):
            problem = problem or "Too few points could be compared."
            raise self._rejected(new, found, problem, no_proof=False)
        rest = expand(exact(self.rhs) - exact(new))
        if rest.is_number and rest.is_zero is False:
            raise self._rejected(new, found, f"The sides differ by the constant {rest}.", no_proof=False)
        tex = Written(sys._getframe(1)).expression("expression", new)
        return self._with(Step(new, tex, _because(because), proved=False))

    def latex(self) -> str:
        """The chain as one LaTeX ``aligned`` environment: the facts, then each step above its reason."""
        return as_latex(self._tex, self.steps, self._given, self._convention())

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def _repr_html_(self) -> str:
        return as_html(self._tex, self.steps, self._given, self._convention())

    def __str__(self) -> str:
        return as_text(self.lhs, self.steps, self._given, self._convention())

    __repr__ = __str__

    def _with(self, step: Step) -> Derivation:
        longer = copy.copy(self)
        longer.steps = (*self.steps, step)
        return longer

    def _convention(self) -> str:
        """What the block says if a sum or product of the chain may end before it starts."""
        expressions = map(exact, (self.lhs, *(step.expression for step in self.steps)))
        return CONVENTION if any(may_be_reversed(e, self._facts) for e in expressions) else ""

    def _instances(self, left: Expr, right: Expr, count: int, most: int = 0) -> tuple[list[Instance], str]:
        """Both sides at random numbers, and the problem if they could not be computed."""
        rng = np.random.default_rng(0)
        try:
            found: list[Instance] = []
            for instance in instances(left, right, self._facts, self._every, count, rng, most):
                found.append(instance)
                if sum(not each.agrees for each in found) == 3:
                    break  # enough counter-examples to choose a short one from
        except Diverges as series:
            return [], (
                f"{series}. State where the series converges: declare the assumptions of its symbols, or "
                "give a fact such as given=[x < 1]."
            )
        except Unsupported as problem:
            return [], "" if count == GUARDS else f"The sides could not be computed: {problem}."
        if not found:
            return [], (
                "No numbers were found at which both sides are defined and the given facts hold: the facts "
                "may contradict each other or the declared assumptions."
            )
        return found, ""

    def _rejected(self, new: Expr, found: list[Instance], problem: str, no_proof: bool) -> StepError:
        hints = hints_for(self.rhs, new, self._facts, self._every)
        return StepError(refusal(self.rhs, new, found, problem, hints, no_proof))


def _expression(value: object) -> Expr:
    """A scalar SymPy expression, or an error that says what was expected."""
    if not isinstance(value, str):
        value = sympify(value)
        if isinstance(value, Expr):
            return value
    raise TypeError(
        f"A derivation consists of SymPy expressions, not of {value!r} ({type(value).__name__}). Pass one "
        "side of the equation, not the equation."
    )


def _because(words: str) -> str:
    if not isinstance(words, str) or not words.strip():
        raise ValueError('Each step needs its reason in words: because="...".')
    return " ".join(words.split())
