"""Chapter 04, the perplexity of one text: from probabilities, and from the totals of tools."""

import math

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import PERPLEXITY, unchanged
from lmcourse.questions.shared.units import perplexity_mistakes

# --- sentence --------------------------------------------------------------------------------------------


def perplexity(q):
    """The perplexity of a text whose tokens get the probabilities q, shape (N,)."""
    return np.exp(-np.log(q).mean())


SENTENCE = Question(
    key="04.sentence",
    title="the perplexity of a sentence",
    kind="compute",
    stars=1,
    points=2,
    right=perplexity,
    cases=((np.array([0.05, 0.9, 0.8, 0.95]),), (np.array([0.3, 0.6, 0.02, 0.5, 0.9, 0.4]),)),
    draw=lambda rng: (rng.uniform(0.02, 0.95, size=rng.integers(3, 12)),),
    mistakes=(
        *perplexity_mistakes(perplexity),
        Mistake(
            "M4",
            lambda q: -np.log2(q).mean(),
            "Your number is the average surprisal in bits. Raise 2 to that power.",
        ),
        Mistake(
            "L1",
            lambda q: 1 / np.prod(q),
            "Your number is one over the probability of the whole sentence: ln r / ln R is {power}, the "
            "number of words. Divide the total surprisal by this number before you exponentiate.",
        ),
        Mistake(
            "L2",
            lambda q: 1 / np.mean(q),
            "Your number is one over the arithmetic mean of q. The probabilities of a sentence multiply, so "
            "take their geometric mean: the logarithm of each one first, then the mean.",
        ),
        Mistake(
            "M11",
            lambda q: np.mean(1 / q),
            "Your number is the arithmetic mean of 1/q, {ratio} times the right one, because a single "
            "improbable word dominates it. The perplexity is the geometric mean of 1/q.",
        ),
        Mistake(
            "L4",
            lambda q: np.sum(q) ** (-1 / len(q)),
            "You take the root of the sum of the probabilities. Take the root of their product.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "the number changes when the same sentence is given twice in a row",
            unchanged,
            also=lambda q: (np.tile(q, 2),),
        ),
    ),
    advice="Test your function on three words of probability 1/4: their perplexity is 4. Do not round.",
)

# --- three-tools -----------------------------------------------------------------------------------------


def from_total(log_prob, base, tokens):
    """The perplexity per token from a tool's total log probability."""
    return base ** (-log_prob / tokens)


def _draw_total(rng):
    base = (2.0, math.e, 10.0)[rng.integers(3)]
    tokens = int(rng.integers(8, 60))
    return float(-tokens * math.log(rng.uniform(8, 400)) / math.log(base)), base, tokens


THREE_TOOLS = Question(
    key="04.three-tools",
    title="log probabilities from three tools",
    kind="compute",
    stars=1,
    points=2,
    right=from_total,
    cases=((-52.3, math.e, 14), (-61.8, 2.0, 21), (-40.25, 10.0, 17)),
    draw=_draw_total,
    mistakes=(
        Mistake(
            "M2 + M3",
            lambda log_prob, base, tokens: np.exp(-log_prob / tokens),
            "You always raise e to a power, whatever the base: ln r / ln R is {power}, one over the "
            "natural logarithm of the base. Raise the argument `base` instead.",
        ),
        Mistake(
            "M1 + M3",
            lambda log_prob, base, tokens: 2 ** (-log_prob / tokens),
            "You raise 2 to a power, whatever the base is: ln r / ln R is {power}. Raise the argument "
            "`base` instead.",
        ),
        Mistake(
            "L8",
            lambda log_prob, base, tokens: 10 ** (-log_prob / tokens),
            "You raise 10 to a power, whatever the base is: ln r / ln R is {power}. Raise the argument "
            "`base` instead.",
        ),
        Mistake(
            "L3",
            lambda log_prob, base, tokens: np.exp(-log_prob / np.log(base) / tokens),
            "You divide by the natural logarithm of the base. To turn a logarithm to base b into nats, "
            "multiply by ln b.",
        ),
        Mistake(
            "M4",
            lambda log_prob, base, tokens: -log_prob / tokens,
            "Your number is the average surprisal in the unit of the tool. Raise its base to this power.",
        ),
        Mistake(
            "M5",
            lambda log_prob, base, tokens: base ** (log_prob / tokens),
            "Your number is one over the perplexity. The log probability is negative, so the exponent needs "
            "a minus sign.",
        ),
        Mistake(
            "L1",
            lambda log_prob, base, tokens: base ** (-log_prob),
            "Your number is one over the probability of the whole text: ln r / ln R is {power}, "
            "the number of tokens. Divide the total by it.",
        ),
    ),
    alike=(
        ("right", "M2 + M3", "the first total is in nats"),
        ("right", "L3", "the first total is in nats, and ln e = 1"),
        ("M2 + M3", "L3", "the same"),
        ("right", "M1 + M3", "the second total is in bits"),
        ("right", "L8", "the third total is to base 10"),
    ),
    properties=(PERPLEXITY,),
    advice="Test your function on ten tokens of probability 1/2: in base 2 their total is -10, and their "
    "perplexity is 2.",
)

QUESTIONS = (SENTENCE, THREE_TOOLS)
