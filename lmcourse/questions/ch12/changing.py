"""Chapter 12, the same perplexity and another model: statements to refute."""

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.wrong import but

TIE = 1e-6
"""How near two losses have to be to count as the same."""


LEAD = 1e-4
"""The smallest gap of a model: far above what floating point leaves open."""


def losses(p, q, r):
    """The losses of both models under p, and the divergence D(q || r)."""
    return -(p * np.log(q)).sum(), -(p * np.log(r)).sum(), (q * np.log(q / r)).sum()


def _gap(q):
    second, first = np.sort(q)[-2:]
    return first - second


def _same_guess(q, r):
    return q.argmax() == r.argmax()


STATEMENTS = {
    "A": (
        lambda p, q, r: abs(losses(p, q, r)[0] - losses(p, q, r)[1]) <= TIE,
        lambda p, q, r: losses(p, q, r)[2] < 0.1,
        "the losses of q and r under p are {0:.6g} and {1:.6g}, and they may differ by one "
        "millionth of a nat at most",
        "D(q || r) is {2:.4g}, which is below 0.1",
    ),
    "B": (
        lambda p, q, r: np.array_equal(q, r),  # by Gibbs' inequality, and without a rounding error
        lambda p, q, r: abs(losses(p, q, r)[0] - losses(p, q, r)[1]) <= TIE,
        "D(q || r) is {2:.4g}, and it has to be 0",
        "the losses {0:.6g} and {1:.6g} are the same",
    ),
    "C": (
        lambda p, q, r: losses(p, q, r)[1] < losses(p, q, r)[0],
        lambda p, q, r: _same_guess(q, r),
        "the loss of r, {1:.6g}, is not below that of q, {0:.6g}",
        "q and r have the same first guess",
    ),
    "D": (
        lambda p, q, r: losses(p, q, r)[2] < _gap(q) ** 2 / 2,
        lambda p, q, r: _same_guess(q, r),
        "D(q || r) is {2:.4g}, and it has to be below half of the square of the gap of q",
        "q and r have the same first guess",
    ),
}
"""For each statement its premise and conclusion, and what to say of an example that lacks or has them."""


kl_or_loss = refuted_but("BD")


def _distributions(triple):
    """Three distributions over the same symbols, or a sentence on what is wrong with them."""
    try:
        rows = [np.asarray(row, dtype=float) for row in triple]
    except (TypeError, ValueError):
        return "Its entries are not numbers."
    if any(row.ndim != 1 or len(row) != len(rows[0]) or len(row) < 2 for row in rows):
        return "Give three lists of the same length, with at least two probabilities each."
    for name, row in zip("pqr", rows, strict=True):
        if not (np.isfinite(row).all() and (row > 0).all()):
            return f"All probabilities of {name} have to be above 0."
        if abs(row.sum() - 1) > 1e-6:
            return f"The probabilities of {name} sum to {row.sum():.7g}."
    if any(_gap(row) < LEAD for row in rows[1:]):
        return f"The first guess of a model has to lead by {LEAD} at least."
    return [row / row.sum() for row in rows]


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    if len(given) != 3:
        return "cannot be used. Give three distributions (p, q, r)."
    rows = _distributions(given)
    if isinstance(rows, str):
        return f"cannot be used. {rows}"
    premise, conclusion, no_premise, holds = STATEMENTS[key]
    numbers = losses(*rows)
    if not premise(*rows):
        return f"does not meet the premise: {no_premise.format(*numbers)}."
    if conclusion(*rows):
        return f"does not refute the statement: {holds.format(*numbers)}."
    return ""


KL_OR_LOSS = Question(
    key="12.kl-or-loss",
    title="always true, or a counterexample",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=kl_or_loss,
    cases=((),),
    reading=always_or_example(dict.fromkeys(STATEMENTS, "(p, q, r)"), _refute),
    entry_points=dict.fromkeys(STATEMENTS, 1),
    mistakes=(
        Mistake(
            "M62",
            but(kl_or_loss, {"A": lambda: "always"}),
            "A: look for two models that are wrong in opposite ways. With two symbols and p = (1/2, 1/2), "
            "which other model has the loss of q?",
        ),
        Mistake(
            "M62",
            but(kl_or_loss, {"C": lambda: "always"}),
            "C: a better model may well have another first guess, if the first guess of q was wrong.",
        ),
        Mistake(
            "M62",
            refuted_but("ABCD"),
            "A and C speak about the loss only. A loss is one mean under p, and many models share it: look "
            "for two models that are wrong in opposite ways.",
        ),
    ),
    advice="Try two symbols first, and write a loop over q and r with steps of 0.1.",
)

QUESTIONS = (KL_OR_LOSS,)
