"""The error message for a rejected step: both sides, a counter-example, and hints about missing facts."""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Derivative, Expr, Float, KroneckerDelta, Mul, Sum, Symbol, log
from sympy.tensor.indexed import Indexed

from lmmetrics.derivation._proof import Facts
from lmmetrics.derivation._proof.instances import Instance, structural


def refusal(
    left: Expr, right: Expr, found: Sequence[Instance], problem: str, hints: list[str], no_proof: bool
) -> str:
    """The message of a `StepError`.

    Parameters
    ----------
    left, right : sympy expression
        Both sides, as the author wrote them.
    found : list of Instance
        The random numbers at which they were compared.
    problem : str
        Why the comparison failed; empty if it did not.
    hints : list of str
        From `hints_for`.
    no_proof : bool
        Whether a proof was requested and none was found.
    """
    sides = f"\n  left:  {left}\n  right: {right}\n"
    counter = min((i for i in found if not i.agrees), key=lambda i: len(i.at), default=None)
    if counter is not None:
        said = [
            f"A counter-example: {counter}.",
            "Look at signs, bounds, factors and bases; or state the fact that is missing as given=[...].",
        ]
        return "This step is not an equality:" + sides + " ".join(said + hints)
    said = [problem] if problem else []
    if no_proof:
        said.append(
            f"SymPy found no proof, and {len(found)} random instances no counter-example. Make the step "
            "smaller, or declare which symbols are positive or integers. To compare the two sides only at "
            "random numbers, use check_numerically."
        )
    return "This step is not proved:" + sides + " ".join(said + hints)


def hints_for(left: Expr, right: Expr, facts: Facts, every: set[Expr]) -> list[str]:
    """Hints about what is often missing: assumptions, ranges, exact numbers."""
    both = left + right
    single = facts.about_one_place(every)
    found = [
        _not_positive(both),
        _not_integer(both),
        _without_range(both, facts),
        f"The fact about {single} is about that one place, because its index is free in the start. "
        "With another letter it is about every place."
        if single
        else "",
        "A decimal is not exact: write Rational(1, 10) for 0.1." if both.has(Float) else "",
    ]
    return [hint for hint in found if hint]


def _not_positive(both: Expr) -> str:
    factors = {f.as_base_exp()[0] for x in both.atoms(log) for f in Mul.make_args(x.args[0])}
    vague = {str(f) for f in factors if isinstance(f, Symbol | Indexed) and f.is_positive is None}
    return f"Not declared positive, inside a log: {', '.join(sorted(vague))}." if vague else ""


def _not_integer(both: Expr) -> str:
    vague = sorted(str(s) for s in structural([both]) if s.is_integer is None)
    return f"Not declared integer, as a bound or an index: {', '.join(vague)}." if vague else ""


def _without_range(both: Expr, facts: Facts) -> str:
    """Name an index that picks one element, if no fact says that it is within the bounds of a sum."""
    ranged = set().union(*(relation.free_symbols for relation in facts.relations))
    picks = {s for d in both.atoms(Derivative) for v in d.variables for s in v.free_symbols}
    picks |= {s for d in both.atoms(KroneckerDelta) for s in d.free_symbols}
    indices = sorted(str(s) for s in (picks & both.free_symbols) - ranged if s.is_integer)
    bounds = sorted(str(bound) for s in both.atoms(Sum) for _, _, bound in s.limits)
    if not (indices and bounds):
        return ""
    return f"If {indices[0]} is one of the indices of a sum, say so: given=[{indices[0]} <= {bounds[0]}]."
