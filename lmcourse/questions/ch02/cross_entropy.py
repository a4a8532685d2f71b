"""Chapter 02, surprisal and its average: three words in three units, and two forecasters."""

from functools import partial

import numpy as np
from scipy.special import entr

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE
from lmcourse.questions.shared.units import HINTS, LN2, LN10, scaled, unit_mistakes
from lmcourse.questions.shared.wrong import but

# --- three-words -----------------------------------------------------------------------------------------


def sentence_cost(q):
    """Surprisal of each word in three units, the joint probability, and the mean in nats."""
    return _cost_from(-np.log(q), q)


def _cost_from(nats, q):
    """The dictionary as it follows from ``nats``, right or wrong."""
    return {
        "nats": nats,
        "bits": nats / LN2,
        "hartleys": nats / LN10,
        "joint": np.prod(q),
        "nats per word": nats.mean(),
    }


def _cost_negative(q):
    return {key: value if key == "joint" else -value for key, value in sentence_cost(q).items()}


THREE_WORDS = Question(
    key="02.three-words",
    title="three words, three units",
    kind="compute",
    stars=1,
    points=2,
    right=sentence_cost,
    cases=((np.array([0.5, 0.8, 0.9]),), (np.array([0.5, 0.8, 0.05, 0.6]),)),
    draw=lambda rng: (rng.uniform(0.05, 0.95, size=rng.integers(3, 9)),),
    mistakes=(
        *unit_mistakes(sentence_cost, "M2 M3", only=("nats", "nats per word")),
        *(
            Mistake(
                name,
                lambda q, name=name: _cost_from(scaled(name, -np.log(q)), q),
                HINTS[name] + " The other units follow from it.",
            )
            for name in ("M2", "M3")
        ),
        Mistake("M5", _cost_negative, "A surprisal is minus the logarithm: it is never below 0."),
        Mistake(
            "M1",
            but(sentence_cost, {"bits": lambda q: -np.log(q)}),
            "The entry 'bits' is {ratio} = ln 2 times what it should be: it still holds nats.",
        ),
        Mistake(
            "L3",
            but(
                sentence_cost,
                {"bits": lambda q: -np.log(q) * LN2, "hartleys": lambda q: -np.log(q) * LN10},
            ),
            "One bit is ln 2 = 0.6931 nats, so there are more bits than nats: divide by ln 2, and by ln 10.",
        ),
        Mistake(
            "L1",
            but(sentence_cost, {"nats per word": lambda q: -np.log(q).sum()}),
            "Your 'nats per word' is {ratio} times too large, which is the number of words. Divide by it.",
        ),
        Mistake(
            "L2",
            but(sentence_cost, {"nats per word": lambda q: -np.log(np.mean(q))}),
            "Take the logarithm of each probability first, then the mean. Your number is smaller, by "
            "Jensen's inequality.",
        ),
        Mistake(
            "L4",
            but(sentence_cost, {"joint": np.sum}),
            "The probability of the sentence is above 1 or near it. Probabilities in a chain multiply.",
        ),
        Mistake(
            "L4",
            but(sentence_cost, {"joint": np.mean}),
            "The probability of the sentence is larger than that of its least likely word. Probabilities in "
            "a chain multiply.",
        ),
    ),
    properties=(FINITE, NOT_NEGATIVE),
)

# --- forecasters -----------------------------------------------------------------------------------------


def _surprisal_of_outcome(q, outcomes):
    return -np.log(q[np.arange(len(q)), outcomes]).mean()


def compare_forecasters(a, b, outcomes, nats_of=_surprisal_of_outcome, best=np.argmin):
    """Accuracy and mean surprisal of two forecasters; forecasts of shape (N, K), outcomes of shape (N,)."""
    nats = np.array([nats_of(a, outcomes), nats_of(b, outcomes)])
    accuracy = np.array([(q.argmax(axis=1) == outcomes).mean() for q in (a, b)])
    return {"accuracy": accuracy, "nats": nats, "knows more": "ab"[best(nats)]}


def _draw_forecasts(rng):
    days, weathers = rng.integers(10, 30), rng.integers(3, 6)
    a, b = rng.dirichlet(np.ones(weathers), size=days), rng.dirichlet(np.full(weathers, 3.0), size=days)
    return a, b, rng.integers(weathers, size=days)


def _draw_a_surprise(rng):
    """On one day what came was all but impossible for a forecaster."""
    a, b, outcomes = _draw_forecasts(rng)
    b[0] = np.where(np.arange(b.shape[1]) == outcomes[0], 1e-14, b[0])
    return a, b / b.sum(axis=1, keepdims=True), outcomes


FORECASTERS = Question(
    key="02.forecasters",
    title="two forecasters",
    kind="implement",
    stars=1,
    points=2,
    right=compare_forecasters,
    cases=(
        (
            np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5], [0.5, 0.3, 0.2]]),
            np.array(
                [
                    [0.9, 0.08, 0.02],
                    [0.9, 0.06, 0.04],
                    [0.05, 0.9, 0.05],
                    [0.02, 0.04, 0.94],
                    [0.91, 0.07, 0.02],
                ]
            ),
            np.array([0, 0, 1, 2, 2]),
        ),
        (
            np.array([[0.97, 0.03], [0.02, 0.98], [0.95, 0.05], [0.96, 0.04]]),
            np.array([[0.7, 0.3], [0.4, 0.6], [0.8, 0.2], [0.55, 0.45]]),
            np.array([0, 1, 0, 1]),
        ),
    ),
    draw=_draw_forecasts,
    odd=(_draw_a_surprise,),
    mistakes=(
        *unit_mistakes(compare_forecasters, "M2 M3 M5", only=("nats",)),
        Mistake(
            "M5 + L7",
            partial(compare_forecasters, nats_of=lambda q, outcomes: -_surprisal_of_outcome(q, outcomes)),
            "Your nats are negative, so the lowest of them belongs to the forecaster who knows less.",
        ),
        Mistake(
            "L7",
            partial(compare_forecasters, best=np.argmax),
            "The forecaster who is less surprised knows more: the smaller cross-entropy wins.",
        ),
        Mistake(
            "L5",
            partial(compare_forecasters, nats_of=lambda q, outcomes: entr(q).sum(axis=1).mean()),
            "Your number does not depend on the outcomes: it measures how sure a forecaster is, not"
            " how right.",
        ),
        Mistake(
            "L6",
            partial(compare_forecasters, nats_of=lambda q, outcomes: -np.log(q.max(axis=1)).mean()),
            "Your number does not depend on the outcomes: take the probability of what happened, "
            "not the largest one.",
        ),
        Mistake(
            "L1",
            partial(
                compare_forecasters, nats_of=lambda q, outcomes: _surprisal_of_outcome(q, outcomes) * len(q)
            ),
            "Your nats are {ratio} times too large, which is the number of days.",
        ),
        Mistake(
            "L2",
            partial(
                compare_forecasters,
                nats_of=lambda q, outcomes: -np.log(q[np.arange(len(q)), outcomes].mean()),
            ),
            "Take the logarithm of each day's probability first, then the mean.",
        ),
    ),
    properties=(FINITE, NOT_NEGATIVE),
)

QUESTIONS = (THREE_WORDS, FORECASTERS)
