"""Chapter 12, rounded weights: a layer with few bits, and what that changes in its forecasts."""

from functools import partial

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but


def _scales(weights, bits):
    """The step of each row: its largest weight is the last of the levels."""
    return np.abs(weights).max(axis=1, keepdims=True) / (2 ** (bits - 1) - 1)


def _rounded(weights, bits, scales=_scales, to_whole=np.round):
    step = scales(weights, bits)
    return step * to_whole(weights / _safe(step))


def _safe(step):
    """The steps, with 1 in place of those that nothing can be divided by."""
    return np.where(step != 0, step, 1.0)


def _changes(weights, other, features):
    """Mean KL divergence from the old to the new forecasts, and the share of equal first guesses."""
    log_q, log_r = (log_softmax(features @ w.T, axis=1) for w in (weights, other))
    return {
        "kl": (np.exp(log_q) * (log_q - log_r)).sum(axis=1).mean(),
        "agreement": (log_q.argmax(axis=1) == log_r.argmax(axis=1)).mean(),
    }


def rounding(weights, features, bits, **options):
    """The weights rounded row by row to ``bits`` bits, and how far the forecasts change; (V, d), (N, d)."""
    other = _rounded(weights, bits, **options)
    return {"weights": other, **_changes(weights, other, features)}


def _forecasts(weights, features, bits):
    return [log_softmax(features @ w.T, axis=1) for w in (weights, _rounded(weights, bits))]


def _kl_backwards(weights, features, bits):
    log_q, log_r = _forecasts(weights, features, bits)
    return (np.exp(log_r) * (log_r - log_q)).sum(axis=1).mean()


def _kl_over_symbols(weights, features, bits):
    log_q, log_r = _forecasts(weights, features, bits)
    return (np.exp(log_q) * (log_q - log_r)).mean()


def _divided_by_zero(weights, features, bits):
    with np.errstate(all="ignore"):
        step = _scales(weights, bits)
        other = step * np.round(weights / step)
        return {"weights": other, **_changes(weights, other, features)}


def _draw_layer(rng, bits=None, dead=False):
    """An output layer whose rows differ in size, and features; some first guesses change."""
    while True:
        V, d, N = int(rng.integers(5, 9)), int(rng.integers(4, 7)), int(rng.integers(25, 40))
        weights = (rng.normal(size=(V, d)) * rng.uniform(0.3, 1.6, size=(V, 1))).round(3)
        if dead:
            weights[int(rng.integers(V))] = 0.0
        features, count = rng.normal(size=(N, d)).round(3), bits or int(rng.integers(2, 5))
        share = rounding(weights, features, count)["agreement"]
        if bits == 8 or 0.5 < share < 1:
            return weights, features, count


ROUNDING = Question(
    key="12.rounding",
    title="weights with few bits",
    kind="implement",
    stars=2,
    points=3,
    right=rounding,
    cases=(
        (
            np.array([[0.9, -0.31, 0.12], [0.2, 0.14, -0.06], [-0.7, 0.55, 0.4]]),
            np.array([[1.0, 0.5, -0.2], [0.1, -1.2, 0.4], [-0.3, 0.9, 1.1], [0.45, 0.3, 0.2]]),
            3,
        ),
        _draw_layer(np.random.default_rng(1231), bits=2),
        _draw_layer(np.random.default_rng(1232), bits=3, dead=True),
    ),
    draw=_draw_layer,
    odd=(
        lambda rng: _draw_layer(rng, bits=3, dead=True),
        lambda rng: _draw_layer(rng, bits=8),
    ),
    entry_points={"weights": 1, "kl": 1, "agreement": 1},
    mistakes=(
        Mistake(
            "L8",
            partial(
                rounding, scales=lambda w, bits: np.full((len(w), 1), np.abs(w).max() / (2 ** (bits - 1) - 1))
            ),
            "All your rows have the same step, that of the largest weight of the matrix, so that small rows "
            "lose nearly everything. Each row has a step of its own.",
            explains="answer",
        ),
        Mistake(
            "L23",
            partial(rounding, scales=lambda w, bits: np.abs(w).max(axis=1, keepdims=True) / (2**bits - 1)),
            "You have too many levels for that number of bits: one bit is the sign, so the whole numbers go "
            "from -(2**(bits - 1) - 1) to 2**(bits - 1) - 1.",
            explains="answer",
        ),
        Mistake(
            "L23",
            partial(rounding, scales=lambda w, bits: np.abs(w).max(axis=1, keepdims=True) / 2 ** (bits - 1)),
            "Your largest weight is at the whole number 2**(bits - 1), for which these bits have no room.",
            explains="answer",
        ),
        Mistake(
            "L16",
            partial(
                rounding, scales=lambda w, bits: np.abs(w).max(axis=0, keepdims=True) / (2 ** (bits - 1) - 1)
            ),
            "Your steps belong to columns. A row is one symbol's weights, and each row has its own step.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(rounding, to_whole=np.trunc),
            "You cut off the digits after the point, which makes every weight smaller. Round to the nearest "
            "whole number.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(rounding, to_whole=np.floor),
            "You round down, which makes every weight smaller. Round to the nearest whole number.",
            explains="answer",
        ),
        Mistake(
            "L38",
            _divided_by_zero,
            "A row of zeros has the step 0, and 0 / 0 is nan. Such a row stays as it is.",
        ),
        Mistake(
            "M50",
            but(rounding, {"kl": _kl_backwards}),
            "Your 'kl' is D(new || old). Here the old model takes the place of the truth: it stands first.",
        ),
        Mistake(
            "M50",
            but(rounding, {"kl": _kl_over_symbols}),
            "Your 'kl' is also averaged over the symbols. Sum over the symbols of a forecast, and take the "
            "mean over the positions only.",
        ),
        Mistake(
            "M2",
            but(rounding, {"kl": lambda *case: rounding(*case)["kl"] / np.log(2)}),
            "Your 'kl' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
        Mistake(
            "L22",
            but(rounding, {"weights": lambda w, features, bits: _rounded(w, bits) / _safe(_scales(w, bits))}),
            "Your 'weights' are the whole numbers. Multiply each row by its step again.",
        ),
        Mistake(
            "L22",
            partial(rounding, scales=lambda w, bits: w.max(axis=1, keepdims=True) / (2 ** (bits - 1) - 1)),
            "Your step comes from the largest weight of a row. A weight far below 0 has to fit, too: take "
            "absolute values.",
            explains="answer",
        ),
        Mistake(
            "L1",
            but(rounding, {"kl": lambda *case: rounding(*case)["kl"] * len(case[1])}),
            "Your 'kl' is the sum over the positions. Divide by their number.",
        ),
        Mistake(
            "L1",
            but(rounding, {"agreement": lambda *case: rounding(*case)["agreement"] * len(case[1])}),
            "Your 'agreement' is a number of positions. Divide by how many there are.",
        ),
        Mistake(
            "L7",
            but(rounding, {"agreement": lambda *case: 1 - rounding(*case)["agreement"]}),
            "Your 'agreement' is the share of positions at which the first guess has *changed*.",
        ),
    ),
    properties=(FINITE,),
    alike=(("right", "L38", "in the first two cases no row is a row of zeros"),),
    advice="A row (0.9, -0.3, 0.1) at 3 bits has the step 0.9 / 3 = 0.3, the whole numbers 3, -1, 0, and "
    "becomes (0.9, -0.3, 0).",
)

QUESTIONS = (ROUNDING,)
