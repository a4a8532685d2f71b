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
            "You raise e, whatever the base is: ln r / ln R is {power}, one over ln of the base. Raise the "
            "argument base.",
        ),
        Mistake(
            "M1 + M3",
            lambda log_prob, base, tokens: 2 ** (-log_prob / tokens),
            "You raise 2, whatever the base is: ln r / ln R is {power}. Raise the argument base.",
        ),
        Mistake(
            "L8",
            lambda log_prob, base, tokens: 10 ** (-log_prob / tokens),
            "You raise 10, whatever the base is: ln r / ln R is {power}. Raise the argument base.",
        ),
        Mistake(
            "L3",
            lambda log_prob, base, tokens: np.exp(-log_prob / np.log(base) / tokens),
            "You divide by ln of the base. To turn a logarithm to base b into nats, multiply by ln b.",
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

# --- digits ----------------------------------------------------------------------------------------------


def digit_perplexities(train, test, test_perplexity=lambda q, test: np.exp(-np.log(q[test]).mean())):
    """How many digits are possible, the perplexity that the model expects, and that of the test."""
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
    title="ten digits, but not ten choices",
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
            "Your 'test' does not depend on the test digits: it is the exponential of the model's entropy. "
            "Use the probabilities of the digits in test.",
        ),
        Mistake(
            "L14",
            partial(digit_perplexities, test_perplexity=lambda q, test: np.exp(entr(_shares(test)).sum())),
            "You score the test digits with their own frequencies, which the model cannot know. Use their "
            "frequencies in train.",
        ),
        Mistake(
            "L18",
            partial(digit_perplexities, test_perplexity=lambda q, test: (q > 0).sum()),
            "Your 'test' is the number of possible digits. That would be right if the model gave all of "
            "them the same probability.",
        ),
        Mistake(
            "L17",
            lambda train, test: digit_perplexities(np.concatenate([train, test]), test),
            "Your model has also counted the test digits. Count the digits of train only.",
        ),
        Mistake(
            "L1",
            partial(digit_perplexities, test_perplexity=lambda q, test: 1 / np.prod(q[test])),
            "Your 'test' is one over the probability of all test digits together. Divide the total "
            "surprisal by their number before you exponentiate.",
        ),
        Mistake(
            "L2",
            partial(digit_perplexities, test_perplexity=lambda q, test: 1 / q[test].mean()),
            "Your 'test' is one over the mean of q. Take the logarithm of each probability first, then the "
            "mean.",
        ),
        Mistake(
            "M11",
            partial(digit_perplexities, test_perplexity=lambda q, test: (1 / q[test]).mean()),
            "Your 'test' is the mean of 1/q, which a single rare digit dominates. Average the surprisals, "
            "and exponentiate last.",
        ),
    ),
    properties=(PERPLEXITY,),
    advice="np.bincount(train, minlength=10) counts the digits. Print q: its ten entries must add up to 1.",
)

QUESTIONS = (SENTENCE, THREE_TOOLS, DIGITS)
