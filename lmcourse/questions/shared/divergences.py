"""What every question about a KL divergence shares: its unit, its sign, and Gibbs' inequality."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lmcourse.hints.answers import numbers
from lmcourse.hints.question import Mistake, Property
from lmcourse.questions.shared.units import unit_mistakes

GIBBS = Property(
    "a divergence is below 0, which Gibbs' inequality forbids for distributions",
    lambda value, *case: not np.any(numbers(value) < -1e-9),
)


def divergence_mistakes(right: Callable, only: tuple[str, ...] = ()) -> tuple[Mistake, ...]:
    """Return two mistakes about the nats of ``right``: the answer is in bits (M2); the sign is flipped (M5).

    Parameters
    ----------
    right : callable
        The right formula, in nats.
    only : tuple of str
        Where ``right`` gives a dictionary: the keys that hold nats.
    """
    bits, turned = unit_mistakes(right, "M2 M5", only)
    hint = (
        "Your number has the right size but is below 0, which Gibbs' inequality forbids: take the logarithm "
        "of p / q, the truth over the model."
    )
    return bits, Mistake("M5", turned.wrong, hint)
