"""Chapter 09, slices: what the parts of a text say about the whole, and what they do not."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch09.leaks import only_solution
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.wrong import but

# --- slices ----------------------------------------------------------------------------------------------

SAME, OWN = "[(tokens, A, B), ...]", "[(tokens of A, A, tokens of B, B), ...]"
FORMS = {"A": SAME, "B": OWN, "C": SAME, "D": SAME}
"""The form of an example of each statement: a row for each slice."""

slices = refuted_but("AD")

CLEAR = 1e-9
"""Differences of losses below this many nats are rounding."""


def table_of(key, given):
    """Counts and losses of both models, (K,) each, or a sentence on what is wrong with an example."""
    columns = 4 if FORMS[key] == OWN else 3
    form = f"An example of {key} has the form {FORMS[key]}, with one row for each slice."
    try:
        rows = np.asarray([[float(x) for x in row] for row in given])
    except (TypeError, ValueError):
        return form
    if rows.ndim != 2 or rows.shape[1] != columns or not np.isfinite(rows).all():
        return form
    if len(rows) < 2:
        return "A text that is cut into slices has at least two."
    n_a, a, n_b, b = rows.T if columns == 4 else (rows[:, 0], rows[:, 1], rows[:, 0], rows[:, 2])
    if (n_a <= 0).any() or (n_b <= 0).any():
        return "A number of tokens has to be above 0."
    if (a < 1).any() or (b < 1).any():
        return "A perplexity is at least 1."
    return n_a, np.log(a), n_b, np.log(b)


def _pooled(tokens, losses):
    return (tokens * losses).sum() / tokens.sum()


def _lacks(key, n_a, a, n_b, b):
    """What the premise of a statement lacks for this table."""
    if key in "AB" and not (b - a > CLEAR).all():
        return "A's perplexity is not below B's on every slice"
    if key == "C" and not np.exp(b).mean() - np.exp(a).mean() > CLEAR:
        return "the mean of A's perplexities is not below that of B's"
    if key == "D" and not _pooled(n_b, b) - _pooled(n_a, a) > CLEAR:
        return "A's perplexity on the whole text is not below B's"
    return ""


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    table = table_of(key, given)
    if isinstance(table, str):
        return f"cannot be used. {table}"
    lacks = _lacks(key, *table)
    if lacks:
        return f"does not meet the premise: {lacks}."
    n_a, a, n_b, b = table
    whole = _pooled(n_b, b) - _pooled(n_a, a)
    if (whole > CLEAR) if key in "ABC" else (b - a > CLEAR).any():
        both = " and ".join(f"{np.exp(_pooled(n, x)):.4g}" for n, x in ((n_a, a), (n_b, b)))
        return f"does not refute the statement. The perplexities of A and B on the whole text are {both}."
    return ""


SLICES = Question(
    key="09.slices",
    title="always, or give a table against it",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=slices,
    cases=((),),
    reading=always_or_example(FORMS, _refute),
    entry_points=dict.fromkeys(FORMS, 1),
    mistakes=(
        Mistake(
            "M80",
            but(slices, {"B": lambda: "always"}),
            "B: the two models have different texts, so the slices may have different weights. Let most "
            "tokens of A's text be in the slice that is hard for both.",
        ),
        Mistake(
            "M8",
            but(slices, {"C": lambda: "always"}),
            "C: a mean of perplexities gives each slice the same weight, and it is dominated by the "
            "largest of them. Let A be much better on a small, hard slice and slightly worse on a large, "
            "easy one.",
        ),
        Mistake(
            "M80",
            refuted_but("ABCD"),
            "B and C leave the counts out: in B the slices may have other weights on the two sides, in C "
            "a large slice weighs as much as a small one. Put very unequal counts into a table.",
        ),
    ),
    advice="Take two slices, one easy and one hard, and try very unequal counts. Where you find no example, "
    "write the loss of the whole as a weighted mean of the losses of the slices.",
)

# --- two-mixes -------------------------------------------------------------------------------------------


def two_mixes(E, H, r, v, w):
    """Ratio of the pooled perplexities, the share from which A looks worse, and B at A's shares."""
    return {
        "ratio": r * (H / E) ** (w - v),
        "threshold": v - np.log(r) / np.log(H / E),
        "reweighted": E ** (1 - w) * H**w,
    }


def _arithmetic(E, H, share):
    return (1 - share) * E + share * H


def _draw_mixes(rng):
    E = float(rng.uniform(4, 20))
    H = float(E * rng.uniform(2.5, 9))
    v, w = np.sort(rng.uniform(0.05, 0.9, size=2))
    return E, H, float(rng.uniform(0.82, 0.97)), float(v), float(w)


TWO_MIXES = Question(
    key="09.two-mixes",
    title="better on every slice, and worse on the whole",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("E", "H", "r", "v", "w"),
    right=two_mixes,
    cases=((10.0, 60.0, 0.9, 0.2, 0.6), (7.0, 25.0, 0.85, 0.35, 0.55), (16.0, 70.0, 0.95, 0.15, 0.7)),
    draw=_draw_mixes,
    reading=only_solution,
    entry_points={"ratio": 1, "threshold": 1, "reweighted": 1},
    mistakes=(
        Mistake(
            "M8",
            but(two_mixes, {"ratio": lambda E, H, r, v, w: r * _arithmetic(E, H, w) / _arithmetic(E, H, v)}),
            "Your 'ratio' averages perplexities. Average the losses, and exponentiate.",
        ),
        Mistake(
            "M8",
            but(two_mixes, {"reweighted": lambda E, H, r, v, w: _arithmetic(E, H, w)}),
            "Your 'reweighted' averages perplexities. Average the losses, and exponentiate.",
        ),
        Mistake(
            "L7",
            but(two_mixes, {"ratio": lambda E, H, r, v, w: r * (H / E) ** (v - w)}),
            "Your 'ratio' falls when A's text has more hard tokens. Check the sign of the exponent.",
        ),
        Mistake(
            "L34",
            but(two_mixes, {"ratio": lambda E, H, r, v, w: (H / E) ** (v - w) / r}),
            "Your 'ratio' is B's perplexity divided by A's.",
        ),
        Mistake(
            "M80",
            but(two_mixes, {"ratio": lambda E, H, r, v, w: r}),
            "Your 'ratio' is that of each slice. The shares of the slices are not the same on the two sides.",
        ),
        Mistake(
            "L22",
            but(two_mixes, {"ratio": lambda E, H, r, v, w: (H / E) ** (w - v)}),
            "Your 'ratio' leaves out that A is better on both slices.",
        ),
        Mistake(
            "M4",
            but(two_mixes, {"ratio": lambda E, H, r, v, w: np.log(r) + (w - v) * np.log(H / E)}),
            "Your 'ratio' is the difference between the losses. Exponentiate it.",
        ),
        Mistake(
            "M5",
            but(two_mixes, {"threshold": lambda E, H, r, v, w: v + np.log(r) / np.log(H / E)}),
            "Your 'threshold' is below v, but with fewer hard tokens than B nothing can make A look worse. "
            "The logarithm of r is negative.",
        ),
        Mistake(
            "L9",
            but(two_mixes, {"threshold": lambda E, H, r, v, w: v + (1 - r) / (H / E - 1)}),
            "Your 'threshold' uses differences of perplexities. The shares are exponents: take logarithms.",
        ),
        Mistake(
            "L22",
            but(two_mixes, {"threshold": lambda E, H, r, v, w: -np.log(r) / np.log(H / E)}),
            "Your 'threshold' is how far w has to be above v. The task asks for w.",
        ),
        Mistake(
            "L34",
            but(two_mixes, {"threshold": lambda E, H, r, v, w: v - np.log(H / E) / np.log(r)}),
            "In your 'threshold' the quotient of the logarithms is upside down.",
        ),
        Mistake(
            "L31",
            but(two_mixes, {"reweighted": lambda E, H, r, v, w: E ** (1 - v) * H**v}),
            "Your 'reweighted' is what B has reported, with its own shares. Give B the shares of A's text.",
        ),
        Mistake(
            "L31",
            but(two_mixes, {"reweighted": lambda E, H, r, v, w: r * E ** (1 - v) * H**v}),
            "Your 'reweighted' is A's perplexity with B's shares. Give B's perplexity with A's shares.",
        ),
        Mistake(
            "L31",
            but(two_mixes, {"reweighted": lambda E, H, r, v, w: r * E ** (1 - w) * H**w}),
            "Your 'reweighted' is A's own perplexity. Give B's, with A's shares.",
        ),
        Mistake(
            "L31",
            but(two_mixes, {"reweighted": lambda E, H, r, v, w: E**w * H ** (1 - w)}),
            "Your 'reweighted' gives the share w to the easy slice. It is the share of the hard one.",
        ),
        Mistake(
            "M8",
            but(
                two_mixes,
                {
                    "ratio": lambda E, H, r, v, w: r * _arithmetic(E, H, w) / _arithmetic(E, H, v),
                    "reweighted": lambda E, H, r, v, w: _arithmetic(E, H, w),
                    "threshold": lambda E, H, r, v, w: (_arithmetic(E, H, v) / r - E) / (H - E),
                },
            ),
            "You average perplexities with the shares as weights. Average the losses, and exponentiate.",
        ),
    ),
    properties=(
        Property(
            "'threshold' is below v: then A would look worse with fewer hard tokens than B has",
            lambda value, E, H, r, v, w: value["threshold"] >= v,
        ),
    ),
    advice="Write the loss of each model as (1 - share) times its loss on the easy slice plus share times "
    "its loss on the hard one, and subtract.",
)

QUESTIONS = (SLICES, TWO_MIXES)
