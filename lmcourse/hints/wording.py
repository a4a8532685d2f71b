"""Phrases of the feedback: what a close number lacks, and how inputs and whole numbers are shown."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np

from lmcourse.hints.answers import shortened
from lmcourse.hints.question import Case, Question

EXACT = 1e-9
"""A tolerance that is meant for counts: they are right or wrong."""

SHARES = {
    1e-3: "one part in a thousand",
    1e-4: "one part in ten thousand",
    1e-5: "one part in a hundred thousand",
    1e-6: "one part in a million",
}
"""Relative tolerances in words; any other is given as a number times the value."""

UNKNOWN = "not one of the mistakes that this task looks for"


def short_of(question: Question) -> str:
    """How a number that is close to the right one differs from it."""
    if max(question.rtol, question.atol) <= EXACT:
        return "a count must be exact"
    if not question.rtol:
        return f"more than {question.atol:g} away from the value"
    share = next((words for rtol, words in SHARES.items() if np.isclose(rtol, question.rtol)), "")
    return f"not within {share or f'{question.rtol:g} times the size'} of the value"


def in_words(names: Sequence[str]) -> str:
    """Names in one phrase: a, b and c."""
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:])))


def whole(value: Any) -> Any:
    """A whole number as one, so that all its digits are shown; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def shown_inputs(question: Question, case: Case) -> str:
    """The arguments of a case, for a message."""
    names = inspect.signature(question.right).parameters
    return ", ".join(f"{name} = {shortened(value)}" for name, value in zip(names, case, strict=False))
