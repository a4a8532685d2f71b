"""One step of a chain, and the error for a step that is rejected."""

from __future__ import annotations

from dataclasses import dataclass

from sympy import Expr

POINTS = 20
"""The number of random instances in a numerical check."""
PLACES = 30
"""To how many digits the two sides must agree there."""


class StepError(ValueError):
    """A step of a derivation is not an equality, or could not be shown to be one."""


@dataclass(frozen=True)
class Step:
    """One equality of a chain: the expression reached, its LaTeX, the reason, and how it was checked."""

    expression: Expr
    tex: str
    because: str
    proved: bool

    @property
    def verdict(self) -> str:
        return "proved" if self.proved else f"checked numerically at {POINTS} points to {PLACES} digits"
