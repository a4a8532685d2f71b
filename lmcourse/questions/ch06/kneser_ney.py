"""Chapter 06, Kneser-Ney: continuation counts, and the table that stands on them."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch06.smoothing import SUMS_TO_ONE, draw_table, ratio, sums_to_one
from lmcourse.questions.shared.properties import FINITE


def _absolute(counts, D, below, weight=None, clip=True):
    """Absolute discounting of rows; counts (..., V)."""
    total, types = counts.sum(axis=-1, keepdims=True), (counts > 0).sum(axis=-1, keepdims=True)
    kept = ratio(np.maximum(counts - D, 0) if clip else counts - D, total)
    table = kept + ratio(D * types if weight is None else weight, total) * below
    return np.where(total > 0, table, below)


def kneser_ney(counts, D, continuations=None, below=None, **how):
    """Continuation counts, and the interpolated Kneser-Ney table with one discount; counts (C, V)."""
    a = (counts > 0).sum(axis=0) if continuations is None else continuations
    below = _absolute(a, D, 1 / len(a)) if below is None else below(a)
    return {"continuations": a, "table": _absolute(counts, D, below, **how)}


def _silent_after_unseen(counts, D):
    right = kneser_ney(counts, D)
    return right | {"table": np.where(counts.sum(axis=1, keepdims=True) > 0, right["table"], 0.0)}


KNESER_NEY = Question(
    key="06.kneser-ney",
    title="in how many places does a word stand?",
    kind="implement",
    stars=3,
    points=3,
    right=kneser_ney,
    cases=(
        (
            np.array([[0, 1, 5, 0, 0], [2, 0, 0, 1, 0], [0, 0, 0, 0, 0], [1, 2, 0, 0, 0], [1, 0, 0, 3, 0]]),
            0.75,
        ),
        (draw_table(np.random.default_rng(603), 6, 6), 0.6),
    ),
    draw=lambda rng: (draw_table(rng, *[int(rng.integers(5, 8))] * 2), float(rng.uniform(0.4, 0.9))),
    mistakes=(
        Mistake(
            "L24",
            lambda counts, D: kneser_ney(counts, D, continuations=counts.sum(axis=0)),
            "Your continuation counts are token counts: this is absolute discounting. Count the contexts "
            "that a word follows, however often it follows each.",
            explains="answer",
        ),
        Mistake(
            "L24",
            lambda counts, D: (
                kneser_ney(counts, D)
                | {"table": kneser_ney(counts, D, continuations=counts.sum(axis=0))["table"]}
            ),
            "Your 'table' does not use the continuation counts: the model below it is made of token counts.",
        ),
        Mistake(
            "L24",
            lambda counts, D: kneser_ney(counts, D) | {"continuations": counts.sum(axis=0)},
            "Your 'continuations' are token counts. Count the contexts that a word follows, however often it "
            "follows each.",
        ),
        Mistake(
            "L16",
            lambda counts, D: kneser_ney(counts, D, continuations=(counts > 0).sum(axis=1)),
            "You count how many words follow a word. The task asks how many come before it.",
        ),
        Mistake(
            "M31",
            partial(kneser_ney, below=lambda a: a / a.sum()),
            "A word that never occurs has probability 0 everywhere. The continuation counts are discounted "
            "too, and the uniform model is below them.",
        ),
        Mistake(
            "M31",
            _silent_after_unseen,
            "After an unseen context all your probabilities are 0. There the model below is used alone.",
        ),
        Mistake(
            "L13",
            partial(kneser_ney, clip=False),
            "Your discount is taken from counts of 0 as well, so unseen words go below 0 before the lower "
            "model's part is added. Nothing can be taken from a count of 0.",
        ),
        Mistake(
            "L13",
            lambda counts, D: kneser_ney(counts, D, weight=D * np.ones((len(counts), 1))),
            "Your rows sum to less than 1: you give back one discount in each row, but T(h) of them were "
            "taken.",
        ),
        Mistake(
            "L18",
            partial(kneser_ney, below=lambda a: np.full(len(a), 1 / len(a))),
            "Your 'table' does not use the continuation counts: the uniform model is directly below it.",
        ),
    ),
    properties=(
        FINITE,
        Property(SUMS_TO_ONE, lambda value, *_: sums_to_one(value["table"])),
        Property(
            "'continuations' is above the number of contexts",
            lambda value, counts, D: (value["continuations"] <= len(counts)).all(),
        ),
    ),
    advice="Write one function that discounts one row of counts with a given model below, and use it twice.",
)

QUESTIONS = (KNESER_NEY,)
