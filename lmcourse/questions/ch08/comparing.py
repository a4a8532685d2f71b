"""Chapter 08, comparing: a difference and its error, how much text is enough, and the difference's parts."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2

# --- paired ----------------------------------------------------------------------------------------------


def paired(a, b, tokens):
    """Difference a - b in bits per token, and its standard error over documents; bits (D,), tokens (D,)."""
    difference = (a - b).sum() / tokens.sum()
    return {"difference": difference, "error": _error(a - b, tokens)}


def _error(bits, tokens, sample=True):
    off = bits - bits.sum() / tokens.sum() * tokens
    D = len(bits)
    return np.sqrt((off**2).sum() * (D / (D - 1) if sample else 1)) / tokens.sum()


def _mean_of_ratios(a, b, tokens):
    ratios = (a - b) / tokens
    return {"difference": ratios.mean(), "error": ratios.std(ddof=1) / np.sqrt(len(ratios))}


def _unpaired(a, b, tokens):
    return paired(a, b, tokens) | {"error": np.hypot(_error(a, tokens), _error(b, tokens))}


def _draw_paired(rng, D=None):
    D = D or int(rng.integers(4, 9))
    tokens = rng.integers(100, 900, size=D)
    hard = rng.uniform(4, 9, size=D)
    a, b = (tokens * (hard + rng.normal(shift, 0.2, size=D)) for shift in rng.uniform(-0.4, 0.4, size=2))
    return a.round(1), b.round(1), tokens


PAIRED = Question(
    key="08.paired",
    title="a difference and its error",
    kind="implement",
    stars=2,
    points=3,
    right=paired,
    cases=(
        (np.array([900.0, 2600.0, 1500.0]), np.array([880.0, 2500.0, 1490.0]), np.array([100, 400, 200])),
        _draw_paired(np.random.default_rng(811)),
    ),
    draw=_draw_paired,
    odd=(lambda rng: _draw_paired(rng, D=2),),
    mistakes=(
        Mistake(
            "M8",
            _mean_of_ratios,
            "You average over documents, so a short one weighs as much as a long one. Totals first, "
            "division last; the error belongs to that ratio.",
        ),
        Mistake(
            "L32",
            _unpaired,
            "Your error is that of two independent texts. Both models have read the same documents: take "
            "the differences first, and their difficulty cancels.",
        ),
        Mistake(
            "L23",
            lambda a, b, tokens: paired(a, b, tokens) | {"error": _error(a - b, tokens, sample=False)},
            "Your error divides by D where D - 1 belongs: one number, the difference itself, was estimated "
            "from the same documents.",
        ),
        Mistake(
            "L7",
            lambda a, b, tokens: paired(b, a, tokens),
            "Your difference is b - a. Negative should mean that a needs fewer bits.",
        ),
        Mistake(
            "L1",
            lambda a, b, tokens: {key: value * tokens.sum() for key, value in paired(a, b, tokens).items()},
            "Those are the bits of the whole text. Divide by the number of tokens.",
        ),
        Mistake(
            "L1",
            lambda a, b, tokens: (
                paired(a, b, tokens)
                | {"error": (a - b - (a - b).sum() / tokens.sum() * tokens).std(ddof=1) / tokens.mean()}
            ),
            "Your error is that of one document, not of a mean over D of them: the square root of D is "
            "missing.",
        ),
        Mistake(
            "L22",
            lambda a, b, tokens: (
                paired(a, b, tokens) | {"error": (a - b).std(ddof=1) / np.sqrt(len(tokens)) / tokens.mean()}
            ),
            "Your error is that of the bits per document, so differences in length add to it. Subtract from "
            "each document's bits what its length alone would give: its tokens times the difference.",
        ),
    ),
    properties=(
        FINITE,
        Property("an error is above 0, but yours is not", lambda value, *_: value["error"] > 0),
    ),
    advice="Two documents of equal length with differences +1 and -1 bit per token: difference 0, error 1.",
)

# --- needed ----------------------------------------------------------------------------------------------


def needed(tokens, difference, error, z):
    """How many tokens until the difference is z errors away from 0."""
    return tokens * (z * error / difference) ** 2


NEEDED = Question(
    key="08.needed",
    title="how much text is enough",
    kind="compute",
    stars=1,
    points=2,
    right=needed,
    cases=((2000, 0.1, 0.05, 3.0), (2740, -0.11, 0.03, 2.8)),
    draw=lambda rng: (
        int(rng.integers(500, 20_000)),
        float(rng.uniform(0.02, 0.4) * rng.choice([-1, 1])),
        float(rng.uniform(0.01, 0.2)),
        float(rng.uniform(1.6, 3.5)),
    ),
    rtol=0.0,
    atol=1.0,  # a whole number of tokens is as good
    precision="Compute the ratio and its square without rounding.",
    mistakes=(
        Mistake(
            "L22",
            lambda n, d, s, z: n * abs(z * s / d),
            "The error falls with the *square root* of the number of tokens, so the ratio has to be squared.",
        ),
        Mistake(
            "L22",
            lambda n, d, s, z: n * z * s / d,
            "The error falls with the *square root* of the number of tokens, so the ratio has to be squared. "
            "Yours can even be below 0.",
        ),
        Mistake(
            "L34",
            lambda n, d, s, z: n * (d / (z * s)) ** 2,
            "Your ratio is upside down: with a larger difference you ask for more text.",
        ),
        Mistake(
            "L8",
            lambda n, d, s, z: n * (1.96 * s / d) ** 2,
            "You have used 1.96. The number of errors is given as z.",
        ),
        Mistake(
            "L22",
            lambda n, d, s, z: (z * s / d) ** 2,
            "That is a multiple of the text that you have. The task asks for a number of tokens.",
        ),
        Mistake(
            "L22",
            lambda n, d, s, z: n * np.sqrt(abs(z * s / d)),
            "You have taken a root where a square belongs: error = s sqrt(N / M), solved for M.",
        ),
    ),
    alike=(("L22", "L22 (2)", "The difference of the first case is above 0."),),
    advice="If the difference is twice the error now, three errors need (3/2) squared times the text.",
)

# --- parts -----------------------------------------------------------------------------------------------


def parts(classes, counted, trained, K):
    """Each class's part of the difference trained - counted, in bits per token; the parts sum to it."""
    d = (trained - counted) / LN2
    return np.bincount(classes, weights=d, minlength=K) / len(d)


def _class_means(classes, counted, trained, K):
    return parts(classes, counted, trained, K) * len(classes) / np.bincount(classes, minlength=K)


def _zero_by_zero(classes, counted, trained, K):
    """The mean of each class times its share: nan for a class without a token."""
    found = np.bincount(classes, minlength=K)
    return parts(classes, counted, trained, K) * found / found


def _draw_parts(rng, absent=()):
    """Tokens of K classes; the absent ones have none."""
    K, N = int(rng.integers(3, 6)), int(rng.integers(9, 20))
    there = np.delete(np.arange(K), absent)
    classes = rng.permutation(np.append(there, rng.choice(there, size=N - len(there))))
    return classes, rng.exponential(3.0, N), rng.exponential(3.0, N), K


PARTS = Question(
    key="08.parts",
    title="where each of them wins",
    kind="implement",
    stars=2,
    points=3,
    right=parts,
    cases=(
        (
            np.array([0, 1, 1, 2, 2, 2]),
            np.array([6.0, 2, 3, 1, 1, 1]),
            np.array([4.0, 2.5, 3, 1.5, 2, 1.2]),
            3,
        ),
        _draw_parts(np.random.default_rng(812)),
        (np.array([2, 0, 2, 2, 0]), np.array([3.0, 1, 2, 4, 2]), np.array([2.0, 2, 1.5, 3, 2.5]), 4),
    ),
    draw=_draw_parts,
    odd=tuple(lambda rng, absent=absent: _draw_parts(rng, absent) for absent in ([-1], [0], [1], [0, -1])),
    mistakes=(
        Mistake(
            "L26",
            _class_means,
            "Those are the mean differences of the classes. They do not add up to the whole: each has to be "
            "multiplied by its share of the tokens.",
            explains="numbers",  # the part of a class without tokens may be right
        ),
        Mistake(
            "L38",
            _zero_by_zero,
            "Your mean of a class without a token is 0 / 0. Such a class adds nothing to the difference: "
            "its part is 0.",
        ),
        Mistake(
            "M1",
            lambda classes, a, b, K: parts(classes, a, b, K) * LN2,
            "Those are nats per token. The task asks for bits.",
        ),
        Mistake(
            "L7",
            lambda classes, a, b, K: -parts(classes, a, b, K),
            "Yours is counted - trained. Negative should mean that the network is better.",
        ),
        Mistake(
            "L1",
            lambda classes, a, b, K: parts(classes, a, b, K) * len(a),
            "Those are totals. Divide by the number of *all* tokens.",
        ),
        Mistake(
            "L9",
            lambda classes, a, b, K: np.bincount(classes, weights=b / a, minlength=K) / len(a),
            "You compare surprisals by their ratio. What adds up to the difference between two losses is "
            "their difference.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "the parts do not add up to the difference between the two losses",
            lambda value, classes, a, b, K: np.isclose(np.sum(value), (b - a).mean() / LN2, rtol=1e-9),
        ),
    ),
    alike=(("right", "L38", "In the first two cases every class has a token."),),
    advice="Sum d over the tokens of a class, and divide by the number of all tokens.",
)

QUESTIONS = (PAIRED, NEEDED, PARTS)
