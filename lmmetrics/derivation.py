"""A chain of equalities in which every step is proved by SymPy, or is no step.

The prover (private, in ``_proof``) brings the difference of two expressions to a canonical form and
accepts the step when that form is 0. It knows algebra, exponentials and logs under declared assumptions,
sums and products over an index with symbolic bounds, and derivatives with respect to symbols and to
``q[k]``. It leaves out inequalities, matrices and steps that need an idea: those become several steps.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from sympy import Derivative, Expr, Float, KroneckerDelta, Mul, Sum, Symbol, log, sympify
from sympy.logic.boolalg import Boolean
from sympy.tensor.indexed import Indexed

from lmmetrics._proof import Facts, check, exact, prove
from lmmetrics._proof.instances import Instance, Unsupported, instances, structural
from lmmetrics._proof.latex import latex, reason
from lmmetrics._proof.written import Written

GUARDS, POINTS = 4, 20
"""Random instances that a proof is held against, and that a check in numbers takes."""


class StepError(ValueError):
    """A step of a derivation that is not an equality, or that could not be shown to be one."""


@dataclass(frozen=True)
class Step:
    """One equality of a chain: the expression reached, its LaTeX, the reason, and how it was checked."""

    expression: Expr
    tex: str
    because: str
    proved: bool

    @property
    def verdict(self) -> str:
        return "proved" if self.proved else f"checked numerically at {POINTS} points"


class Derivation:
    """A chain ``start = ... = ...``, each step proved. It shows itself as one aligned block.

    Parameters
    ----------
    start : sympy expression
        The left side of the chain. Declare what its symbols are: ``positive=True`` splits logs, and bounds
        and indices are ``integer=True, positive=True``.
    given : list of equations and inequalities, optional
        Facts that the steps may use.

        - ``Eq(q[i], ...)`` or ``Eq(x, ...)``, an atom alone on one side, is a definition. It is used first,
          inside derivatives too.
        - Any other ``Eq``, such as ``Eq(Sum(p[i], (i, 1, n)), 1)``, is a constraint. It holds at the values
          meant, so it is used after differentiation.
        - ``k <= n`` says where an index or a parameter lies. Without it, a derivative with respect to
          ``z[k]`` cannot know that k is one of 1 .. n.

        An index of a fact that is not free in ``start`` stands for every index: ``Eq(p[i], 1/n)`` then
        speaks of the whole array, and the block says "for every i".

    Raises
    ------
    TypeError
        When ``start`` is not a SymPy expression.
    ValueError
        When a fact cannot be used, or is false.

    Notes
    -----
    A derivation does not change: `step` returns a new one, so chain the calls. Decimals are taken as the
    exact binary fractions that they are; write ``Rational(1, 10)`` for one tenth.

    Every proof is also held against random numbers that satisfy the facts. To number a block in the book,
    glue it and show it with ``{glue:math}`` and a ``:label:``.

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
    lmmetrics.derivation.StepError: This step is not an equality: ...
    """

    def __init__(self, start: Expr, given: Iterable[Boolean] = ()) -> None:
        self.lhs: Expr = _expression(start)
        self.steps: tuple[Step, ...] = ()
        self._facts = Facts.read(given)
        source = Written(sys._getframe(1))
        self._tex = source.expression("start", self.lhs)
        self._given_tex = source.facts("given", self._facts.stated)
        self._every = self._facts.every(exact(self.lhs))
        check(self._facts, self._every, exact(self.lhs))

    @property
    def rhs(self) -> Expr:
        """The last expression of the chain."""
        return self.steps[-1].expression if self.steps else self.lhs

    def step(self, expression: Expr, *, because: str) -> Derivation:
        """Add ``= expression``, when SymPy proves it.

        Parameters
        ----------
        expression : sympy expression
            The next expression, without the equals sign.
        because : str
            The reason in words; ``$...$`` in it is mathematics.

        Returns
        -------
        Derivation
            A new chain, one step longer.

        Raises
        ------
        StepError
            When the step is not proved. The message shows both sides, a counter-example where one was
            found, and what to do.
        """
        new = _expression(expression)
        left, right = exact(self.rhs), exact(new)
        proved = prove(left, right, self._facts, self._every)
        found, problem = self._instances(left, right, GUARDS if proved else POINTS)
        if not proved or problem or not all(instance.agrees for instance in found):
            raise StepError(self._refusal(new, found, problem, proved))
        tex = Written(sys._getframe(1)).expression("expression", new)
        return self._with(Step(new, tex, _because(because), proved=True))

    def check_numerically(self, expression: Expr, *, because: str) -> Derivation:
        """Add ``= expression``, when both sides agree at random points. This is evidence, not a proof.

        The block says "checked numerically" beside the step. Both sides are computed with 50 digits, with
        small random bounds n, and must agree to 30. Parameters and errors are those of `step`.
        """
        new = _expression(expression)
        found, problem = self._instances(exact(self.rhs), exact(new), POINTS)
        if problem or len(found) < POINTS or not all(instance.agrees for instance in found):
            raise StepError(self._refusal(new, found, problem or "Too few points could be compared.", True))
        tex = Written(sys._getframe(1)).expression("expression", new)
        return self._with(Step(new, tex, _because(because), proved=False))

    def latex(self) -> str:
        """The chain as one LaTeX ``aligned`` environment: what is given, then each step over its reason."""
        rows = [rf"& {{\small \text{{given }} {fact}}}" for fact in self._given()]
        rows.append(f"& {self._tex}")
        for s in self.steps:
            rows += [f"& = {s.tex}", *(rf"& \quad {row}" for row in reason(s.because, s.verdict))]
        return "\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}"

    def _repr_latex_(self) -> str:
        return f"$$\n{self.latex()}\n$$"

    def _repr_html_(self) -> str:
        """A list of steps with the reasons beside them; a single step is one equation."""
        given = [f"\\({html.escape(fact)}\\)" for fact in self._given()]
        stated = f'<p class="given">Given {", ".join(given)}.</p>' if given else ""
        if len(self.steps) == 1 and self.steps[0].proved:
            equation = html.escape(f"{self._tex} = {self.steps[0].tex}")
            shown = f"<p>\\(\\displaystyle {equation}\\)</p>"
            return f'<div class="derivation tex2jax_process">{stated}{shown}</div>'
        rows = [f'<li><span class="side">\\(\\displaystyle {html.escape(self._tex)}\\)</span></li>']
        for s in self.steps:
            words = _reason_html(s.because if s.proved else f"{s.because} ({s.verdict})")
            rows.append(
                f'<li><span class="rel">\\(=\\)</span><span class="side">\\(\\displaystyle '
                f'{html.escape(s.tex)}\\)</span><span class="why">{words}</span></li>'
            )
        return f'<div class="derivation tex2jax_process">{stated}<ol>{"".join(rows)}</ol></div>'

    def __str__(self) -> str:
        lines = [str(self.lhs)]
        for s in self.steps:
            lines += [f"  = {s.expression}", f"      {s.because} ({s.verdict})"]
        for fact, indices in self._stated():
            words = f" for every {', '.join(map(str, indices))}" if indices else ""
            left, right = (fact.lhs, fact.rhs)
            lines.append(f"  given {left} {fact.rel_op.replace('==', '=')} {right}{words}")
        return "\n".join(lines)

    __repr__ = __str__

    def _given(self) -> list[str]:
        """The facts in LaTeX, each with the indices that it holds for."""
        found = []
        for (_, indices), tex in zip(self._stated(), self._given_tex, strict=True):
            every = ", ".join(map(latex, indices))
            found.append(rf"{tex} \text{{ for every }} {every}" if indices else tex)
        return found

    def _stated(self):
        """The facts, with the indices that each of them holds for."""
        for fact in self._facts.stated:
            yield fact, sorted(self._every & fact.free_symbols, key=str)

    def _with(self, step: Step) -> Derivation:
        longer = object.__new__(Derivation)
        longer.lhs, longer.steps = self.lhs, (*self.steps, step)
        longer._facts, longer._every = self._facts, self._every
        longer._tex, longer._given_tex = self._tex, self._given_tex
        return longer

    def _instances(self, left: Expr, right: Expr, count: int) -> tuple[list[Instance], str]:
        """Both sides at random numbers, and what went wrong in looking for them."""
        rng = np.random.default_rng(0)
        try:
            found: list[Instance] = []
            for instance in instances(left, right, self._facts, self._every, count, rng):
                found.append(instance)
                if sum(not each.agrees for each in found) == 3:
                    break  # enough to choose a short counter-example
        except Unsupported as problem:
            return [], "" if count == GUARDS else f"The sides could not be computed: {problem}."
        if not found:
            return [], (
                "No numbers were found at which both sides are defined and the given facts hold: the facts "
                "may contradict each other or the declared assumptions."
            )
        return found, ""

    def _refusal(self, new: Expr, found: list[Instance], problem: str, proved: bool) -> str:
        sides = f"\n  left:  {self.rhs}\n  right: {new}\n"
        counter = min((i for i in found if not i.agrees), key=lambda i: len(i.at), default=None)
        if counter is not None:
            hints = [
                f"A counter-example: {counter}.",
                "Look at signs, bounds, factors and bases; or state the fact that is missing as given=[...].",
            ]
            return "This step is not an equality:" + sides + " ".join(hints + self._hints(new))
        hints = [problem] if problem else []
        if not proved:
            hints.append(
                f"SymPy found no proof, and {len(found)} random instances no counter-example. Make the step "
                "smaller, or declare what is positive or an integer. A step that can only be compared in "
                "numbers has to be asked for by name: check_numerically."
            )
        return "This step is not proved:" + sides + " ".join(hints + self._hints(new))

    def _hints(self, new: Expr) -> list[str]:
        """What is often missing: assumptions, ranges, exact numbers."""
        both = self.rhs + new
        hints = []
        factors = {f.as_base_exp()[0] for x in both.atoms(log) for f in Mul.make_args(x.args[0])}
        vague = sorted(
            {str(f) for f in factors if isinstance(f, (Symbol, Indexed)) and f.is_positive is None}
        )
        if vague:
            hints.append(f"Not declared positive, inside a log: {', '.join(vague)}.")
        counts = sorted(str(s) for s in structural([both]) if s.is_integer is None)
        if counts:
            hints.append(f"Not declared integer, as a bound or an index: {', '.join(counts)}.")
        ranged = set().union(*(r.free_symbols for r in self._facts.relations))
        picks = {s for d in both.atoms(Derivative) for v in d.variables for s in v.free_symbols}
        picks |= {s for d in both.atoms(KroneckerDelta) for s in d.free_symbols}
        bare = sorted(str(s) for s in (picks & both.free_symbols) - ranged if s.is_integer)
        bounds = sorted(str(b) for s in both.atoms(Sum) for _, _, b in s.limits)
        if bare and bounds:
            say = f"given=[{bare[0]} <= {bounds[0]}]"
            hints.append(f"If {bare[0]} is one of the indices of a sum, say so: {say}.")
        single = self._facts.about_one_place(self._every)
        if single:
            hints.append(
                f"The fact about {single} speaks of that one place, because its index is free in the start. "
                "With another letter it speaks of every place."
            )
        if both.has(Float):
            hints.append("A decimal is not exact: write Rational(1, 10) for 0.1.")
        return hints


def _expression(value: object) -> Expr:
    """A scalar SymPy expression, or an error that says what was expected."""
    if not isinstance(value, str):
        value = sympify(value)
        if isinstance(value, Expr):
            return value
    raise TypeError(
        f"A derivation is made of SymPy expressions, not of {value!r} ({type(value).__name__}). Pass one "
        "side of the equation, not the equation."
    )


def _because(words: str) -> str:
    if not isinstance(words, str) or not words.strip():
        raise ValueError('Each step needs its reason in words: because="...".')
    return " ".join(words.split())


def _reason_html(words: str) -> str:
    """A reason as HTML: ``$...$`` becomes mathematics."""
    parts = re.split(r"\$([^$]+)\$", words)
    return "".join(rf"\({html.escape(p)}\)" if k % 2 else html.escape(p) for k, p in enumerate(parts))
