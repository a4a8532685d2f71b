"""Chapter 08, a model that learns while it is tested."""

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE


def adapt(ids, V, k):
    """Nats of a text under an add-k unigram model that learns each token after it has scored it."""
    nats, counts = 0.0, np.zeros(V)
    for t, token in enumerate(ids):
        nats -= np.log((counts[token] + k) / (t + k * V))
        counts[token] += 1
    return nats


def _learns_first(ids, V, k):
    nats, counts = 0.0, np.zeros(V)
    for t, token in enumerate(ids):
        counts[token] += 1
        nats -= np.log((counts[token] + k) / (t + 1 + k * V))
    return nats


def _learned_before(ids, V, k):
    counts = np.bincount(ids, minlength=V)
    return -np.log((counts[ids] + k) / (len(ids) + k * V)).sum()


def _second_pass(ids, V, k):
    return adapt(np.append(ids, ids), V, k) - adapt(ids, V, k)


def _mass_lost(ids, V, k):
    return adapt(ids, V, k) + sum(np.log((t + k) / (t + k * V)) for t in range(len(ids)))


def _draw_adapt(rng):
    V = int(rng.integers(4, 8))
    return (
        rng.choice(V, size=int(rng.integers(8, 20)), p=rng.dirichlet(np.full(V, 0.8))),
        V,
        float(rng.uniform(0.2, 1.5)),
    )


ADAPT = Question(
    key="08.adapt",
    title="score first, then learn",
    kind="implement",
    stars=3,
    points=3,
    right=adapt,
    cases=((np.array([0, 0, 1, 0]), 3, 1.0), _draw_adapt(np.random.default_rng(803))),
    draw=_draw_adapt,
    mistakes=(
        Mistake(
            "L17",
            _learns_first,
            "Your model learns a token and then scores it. Your total is too low, and no forecast could "
            "reach it: your probability for the next token cannot be known before that token is.",
        ),
        Mistake(
            "L14",
            _learned_before,
            "Your model has the counts of the whole text from the start: it was trained on the test.",
        ),
        Mistake(
            "M52",
            _second_pass,
            "That is a second pass: the model has learned the whole text once before it scores it.",
        ),
        Mistake(
            "L18",
            lambda ids, V, k: len(ids) * np.log(V),
            "Your model never learns: the surprisal of each token is ln V. Count each token after scoring "
            "it.",
        ),
        Mistake(
            "L13",
            _mass_lost,
            "There are V symbols, and each gets k more. The denominator grows by k V, not by k.",
        ),
        Mistake(
            "L1",
            lambda ids, V, k: adapt(ids, V, k) / len(ids),
            "That is the mean per token. The task asks for the nats of the whole text.",
        ),
    ),
    properties=(FINITE,),
    advice="The text 0 0 with V = 3 and k = 1: the first token gets 1/3, the second (1 + 1)/(1 + 3).",
)

QUESTIONS = (ADAPT,)
