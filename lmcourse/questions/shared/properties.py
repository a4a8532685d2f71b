"""Properties of right answers, which several questions use."""

from __future__ import annotations

from typing import Any

import numpy as np

from lmcourse.hints.answers import agreement, numbers
from lmcourse.hints.question import Property


def finite(value: Any, *case: Any) -> bool:
    """A property: no number is NaN or infinite."""
    return bool(np.isfinite(numbers(value)).all())


def not_negative(value: Any, *case: Any) -> bool:
    """A property: no number is below 0."""
    return not (numbers(value) < 0).any()


def unchanged(value: Any, second: Any) -> bool:
    """A property of two calls: they give the same numbers."""
    return bool(agreement(value, second, rtol=1e-6, atol=1e-9).all())


FINITE = Property("a number is infinite", finite)
NOT_NEGATIVE = Property(
    "a number is negative, but no surprisal is below 0, because no probability is above 1", not_negative
)
BELOW_ONE = "a perplexity is below 1, but even a perfect model has a perplexity of 1"
PERPLEXITY = Property(BELOW_ONE, lambda value, *case: (numbers(value) >= 1).all())
