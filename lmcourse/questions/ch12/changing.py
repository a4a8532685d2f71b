"""Chapter 12, the same perplexity and another model: formulas for two symbols, and statements to refute."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.wrong import but

# --- same-loss -------------------------------------------------------------------------------------------


def same_loss(p, a, b):
    """Change of loss from (a, 1 - a) to (b, 1 - b) under (p, 1 - p), KL, and the p without a change."""
    heads, tails = np.log(a / b), np.log((1 - a) / (1 - b))
    return {
        "change": p * heads + (1 - p) * tails,
        "kl": a * heads + (1 - a) * tails,
        "truth": tails / (tails - heads),
    }


def _kl(a, b):
    return a * np.log(a / b) + (1 - a) * np.log((1 - a) / (1 - b))


SAME_LOSS = Question(
    key="12.same-loss",
    title="no change in the loss, and another model",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("p", "a", "b"),
    right=same_loss,
    cases=((0.35, 0.8, 0.3), (0.7, 0.2, 0.6), (0.45, 0.9, 0.7)),
    draw=lambda rng: (rng.uniform(0.1, 0.9), rng.uniform(0.1, 0.45), rng.uniform(0.55, 0.9)),
    entry_points={"change": 1, "kl": 1, "truth": 1},
    mistakes=(
        Mistake(
            "L7",
            but(same_loss, {"change": lambda p, a, b: -same_loss(p, a, b)["change"]}),
            "Your 'change' is the old loss minus the new one. A rise of the loss is to be positive.",
        ),
        Mistake(
            "M62",
            but(same_loss, {"change": lambda p, a, b: _kl(a, b)}),
            "Your 'change' is the KL divergence. It takes the mean under the old model; what happens to the "
            "loss is a mean under the truth.",
        ),
        Mistake(
            "M4",
            but(same_loss, {"change": lambda p, a, b: np.exp(same_loss(p, a, b)["change"])}),
            "Your 'change' is the ratio of the perplexities, the exponential of what is asked for.",
        ),
        Mistake(
            "M2",
            but(same_loss, {"change": lambda p, a, b: same_loss(p, a, b)["change"] / np.log(2)}),
            "Your 'change' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
        Mistake(
            "L22",
            but(same_loss, {"change": lambda p, a, b: p * np.log(a / b)}),
            "Your 'change' leaves out the second symbol, which has probability 1 - p.",
        ),
        Mistake(
            "M50",
            but(same_loss, {"kl": lambda p, a, b: _kl(b, a)}),
            "Your 'kl' takes the mean under the new model. In the divergence to the *old* model, the old one "
            "stands first.",
        ),
        Mistake(
            "L22",
            but(same_loss, {"kl": lambda p, a, b: a * np.log(a / b)}),
            "Your 'kl' has one term. The second symbol adds another.",
        ),
        Mistake(
            "M50",
            but(same_loss, {"kl": lambda p, a, b: _kl(p, b)}),
            "Your 'kl' is the divergence of the new model from the truth. The task asks how far it is from "
            "the old model.",
        ),
        Mistake(
            "L31",
            but(same_loss, {"truth": lambda p, a, b: 1 - same_loss(p, a, b)["truth"]}),
            "Your 'truth' is the probability of the second symbol.",
        ),
        Mistake(
            "L2",
            but(same_loss, {"truth": lambda p, a, b: (a + b) / 2}),
            "Your 'truth' is half-way between the models. Set the change of the loss equal to 0 and solve "
            "for p: logarithms, not probabilities, are balanced.",
        ),
        Mistake(
            "L8",
            but(same_loss, {"truth": lambda p, a, b: 0.5}),
            "Your 'truth' is one half, whatever the models are. That is right if one model is the mirror "
            "image of the other, b = 1 - a.",
        ),
        Mistake(
            "L34",
            but(same_loss, {"truth": lambda p, a, b: np.log(a / b) / np.log((1 - b) / (1 - a))}),
            "Your 'truth' is the ratio (1 - p) / p. Solve for p itself.",
        ),
    ),
    properties=(
        Property(
            "'kl' is below 0, and Gibbs' inequality forbids that",
            lambda value, *case: value["kl"] >= -1e-12,
        ),
        Property(
            "'truth' does not lie between 0 and 1",
            lambda value, *case: 0 < value["truth"] < 1,
        ),
    ),
    advice="Write ln(a / b) for the first symbol and ln((1 - a) / (1 - b)) for the second. All three "
    "entries are made of these two.",
)

# --- kl-or-loss ------------------------------------------------------------------------------------------

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
    title="always, or give a counterexample",
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

QUESTIONS = (SAME_LOSS, KL_OR_LOSS)
