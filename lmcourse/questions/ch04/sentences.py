"""Chapter 04, the perplexity of one text: from probabilities, from the totals of tools, and ten digits."""

import math
from functools import partial

import numpy as np
from scipy.special import entr

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
            "Your number is the average surprisal in bits. The perplexity is 2 to that power.",
        ),
        Mistake(
            "L1",
            lambda q: 1 / np.prod(q),
            "Your number is one over the probability of the whole sentence: ln r / ln R is {power}, the "
            "number of words. Share the surprisal out over the words first.",
        ),
        Mistake(
            "L2",
            lambda q: 1 / np.mean(q),
            "Your number is one over the mean probability. Take the logarithm of each probability, then the "
            "mean: probabilities multiply, so their mean is a geometric one.",
        ),
        Mistake(
            "M11",
            lambda q: np.mean(1 / q),
            "Your number is the arithmetic mean of 1/q, {ratio} times too large: one bad word governs it. "
            "The perplexity is their geometric mean.",
        ),
        Mistake(
            "L4",
            lambda q: np.sum(q) ** (-1 / len(q)),
            "You take the root of a sum. Probabilities in a chain multiply.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property("it changes when the sentence comes twice", unchanged, also=lambda q: (np.tile(q, 2),)),
    ),
    advice="Three words of probability 1/4 have the perplexity 4. Does your function say so? Do not round.",
)

# --- three-tools -----------------------------------------------------------------------------------------


def from_total(log_prob, base, tokens):
    """The perplexity behind a tool's total log probability."""
    return base ** (-log_prob / tokens)


def _draw_total(rng):
    base = (2.0, math.e, 10.0)[rng.integers(3)]
    tokens = int(rng.integers(8, 60))
    return float(-tokens * math.log(rng.uniform(8, 400)) / math.log(base)), base, tokens


THREE_TOOLS = Question(
    key="04.three-tools",
    title="the totals of three tools",
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
            "You raise e, whatever the tool's base is: ln r / ln R is {power}, one over ln of that base.",
        ),
        Mistake(
            "M1 + M3",
            lambda log_prob, base, tokens: 2 ** (-log_prob / tokens),
            "You raise 2, whatever the tool's base is: ln r / ln R is {power}.",
        ),
        Mistake(
            "L8",
            lambda log_prob, base, tokens: 10 ** (-log_prob / tokens),
            "You raise 10, whatever the tool's base is: ln r / ln R is {power}.",
        ),
        Mistake(
            "L3",
            lambda log_prob, base, tokens: np.exp(-log_prob / np.log(base) / tokens),
            "A logarithm to base b is the natural one divided by ln b. So the way back to nats multiplies.",
        ),
        Mistake(
            "M4",
            lambda log_prob, base, tokens: -log_prob / tokens,
            "Your number is the average surprisal in the tool's unit. It belongs in an exponent.",
        ),
        Mistake(
            "M5",
            lambda log_prob, base, tokens: base ** (log_prob / tokens),
            "Your number is one over the perplexity. A log probability is negative: it needs a minus sign.",
        ),
        Mistake(
            "L1",
            lambda log_prob, base, tokens: base ** (-log_prob),
            "Your number is one over the probability of the whole text: ln r / ln R is {power}, "
            "the number of tokens.",
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
    advice="Ten tokens that cost one bit each have the total -10 to base 2, and the perplexity 2.",
)

# --- digits ----------------------------------------------------------------------------------------------


def digit_perplexities(train, test, test_perplexity=lambda q, test: np.exp(-np.log(q[test]).mean())):
    """How many digits are possible, how many the model expects, and how many the test is worth."""
    counts = np.bincount(train, minlength=10)
    q = counts / counts.sum()
    return {
        "possible": (q > 0).sum(),
        "expected": np.exp(entr(q).sum()),
        "test": test_perplexity(q, test),
    }


def _shares(test):
    return np.bincount(test, minlength=10) / len(test)


def _draw_digits(rng):
    """Skewed digits, each of them seen, and a test text that is not too long."""
    q = rng.dirichlet(np.full(10, 0.3))
    train = np.concatenate([np.arange(rng.integers(5, 11)), rng.choice(10, size=200, p=q)])
    return train, rng.choice(train, size=rng.integers(8, 30))


DIGITS = Question(
    key="04.digits",
    title="ten digits, and hardly a choice",
    kind="compute",
    stars=1,
    points=2,
    right=digit_perplexities,
    cases=(
        (np.repeat(np.arange(10), [91] + [1] * 9), np.array([0, 0, 0, 0, 0, 3, 0, 0, 0, 0])),
        (np.repeat([1, 2, 5, 7], [20, 15, 4, 1]), np.array([1, 5, 1, 2, 7, 2, 1, 1, 5])),
    ),
    draw=_draw_digits,
    mistakes=(
        *perplexity_mistakes(digit_perplexities, "M1 M2 M4 M5", only=("expected", "test")),
        Mistake(
            "L5",
            partial(digit_perplexities, test_perplexity=lambda q, test: np.exp(entr(q).sum())),
            "Your 'test' does not depend on the test digits: it is what the model expects of its own draws.",
        ),
        Mistake(
            "L14",
            partial(digit_perplexities, test_perplexity=lambda q, test: np.exp(entr(_shares(test)).sum())),
            "You score the test digits with their own frequencies, the best model in hindsight. "
            "Take the frequencies of train.",
        ),
        Mistake(
            "L18",
            partial(digit_perplexities, test_perplexity=lambda q, test: (q > 0).sum()),
            "Your 'test' is the number of possible digits. They are not equally likely, and the model knows.",
        ),
        Mistake(
            "L17",
            lambda train, test: digit_perplexities(np.concatenate([train, test]), test),
            "Your model has counted the test digits, too. Count on train alone.",
        ),
        Mistake(
            "L1",
            partial(digit_perplexities, test_perplexity=lambda q, test: 1 / np.prod(q[test])),
            "Your 'test' is one over the probability of the whole test. Share it out over the digits.",
        ),
        Mistake(
            "L2",
            partial(digit_perplexities, test_perplexity=lambda q, test: 1 / q[test].mean()),
            "Take the logarithm of each probability first, then the mean.",
        ),
        Mistake(
            "M11",
            partial(digit_perplexities, test_perplexity=lambda q, test: (1 / q[test]).mean()),
            "You average 1/q, and the rare digit governs the result. The average stands inside the "
            "exponential.",
        ),
    ),
    properties=(PERPLEXITY,),
    advice="Print q: ten frequencies that add up to 1. np.bincount(train, minlength=10) counts the digits.",
)

QUESTIONS = (SENTENCE, THREE_TOOLS, DIGITS)
