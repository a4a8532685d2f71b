"""Chapter 06, one step of expectation maximisation: the weights of a mixture, from held-out text."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import exchanged


def _posterior(probs, weights):
    joint = weights[:, None] * probs
    return joint / joint.sum(axis=0)


def _loss(probs, weights):
    return -np.log(weights @ probs).mean()


def em_step(probs, weights, step=lambda probs, weights: _posterior(probs, weights).mean(axis=1), loss=_loss):
    """The loss of a mixture, its weights after one step of EM, and the loss then; (M, N), (M,)."""
    new = step(probs, weights)
    return {"before": loss(probs, weights), "weights": new, "after": loss(probs, new)}


def _winner_takes_all(probs, weights):
    best = (weights[:, None] * probs).argmax(axis=0)
    return (best == np.arange(len(weights))[:, None]).mean(axis=1)


def _draw_mixture(rng, models=None, tokens=None):
    """Probabilities of N tokens under M models; the first is 0 for some tokens."""
    models, tokens = models or int(rng.integers(2, 5)), tokens or int(rng.integers(8, 30))
    probs = np.array([rng.beta(0.4 + m, 4.0, size=tokens) for m in range(models)]) * 0.9 + 0.01
    probs[0, rng.permutation(tokens)[: tokens // 4]] = 0.0
    probs[-1] = 1 / 32
    probs[1:, probs[0].argmin()] *= 1e-8  # a floor in place of 0 is large beside this
    return probs, rng.dirichlet(np.full(models, 4.0))


EM = Question(
    key="06.em",
    title="who said it?",
    kind="implement",
    stars=2,
    points=3,
    right=em_step,
    cases=(
        (np.array([[0.5, 0.0, 0.2, 0.0], [0.1, 0.3, 0.05, 0.1]]), np.array([0.8, 0.2])),
        _draw_mixture(np.random.default_rng(605), 3, 40),
        # no probability is 0, so mixed logarithms are finite
        (np.array([[0.5, 0.3, 0.02, 0.2], [0.1, 0.25, 0.4, 0.05]]), np.array([0.3, 0.7])),
    ),
    draw=_draw_mixture,
    mistakes=(
        *unit_mistakes(em_step, "M2 M3 M5", only=("before", "after")),
        Mistake(
            "L22",
            partial(
                em_step, step=lambda probs, weights: _posterior(probs, np.ones_like(weights)).mean(axis=1)
            ),
            "Your step forgets the weights that it starts from: the posterior is weight times probability, "
            "divided by the sum of these products over the models.",
            shown_by=("weights",),
        ),
        Mistake(
            "L26",
            partial(em_step, step=lambda p, weights: weights * p.sum(axis=1) / (weights @ p).sum()),
            "You add the models' probabilities over the tokens and divide at the end. Divide at each token, "
            "and then take the mean: every token has one vote.",
            shown_by=("weights",),
        ),
        Mistake(
            "L6",
            partial(em_step, step=_winner_takes_all),
            "Your tokens vote only for the more probable model. Each of them splits its vote according to "
            "the posterior.",
            shown_by=("weights",),
        ),
        Mistake(
            "L1",
            partial(em_step, step=lambda probs, weights: _posterior(probs, weights).sum(axis=1)),
            "Your weights sum to the number of tokens. Divide by it: they are shares of the votes.",
            shown_by=("weights",),
        ),
        Mistake(
            "L1",
            partial(em_step, loss=lambda probs, weights: -np.log(weights @ probs).sum()),
            "Your losses are totals. The task asks for nats per token.",
        ),
        Mistake(
            "L30",
            partial(em_step, loss=lambda probs, weights: -(weights @ np.log(probs)).mean()),
            "You mix the logarithms. Mix the probabilities first, and take the logarithm of the mixture: "
            "otherwise one model that gives probability 0 makes the loss infinite.",
        ),
        Mistake(
            "L2",
            partial(em_step, loss=lambda probs, weights: -np.log((weights @ probs).mean())),
            "Your losses are logarithms of a mean over the tokens. The nats of a token are -ln of its "
            "probability under the mixture.",
        ),
        Mistake(
            "L31",
            lambda probs, weights: em_step(probs, weights) | {"after": _loss(probs, weights)},
            "Your 'after' is still the loss of the old weights.",
        ),
        Mistake(
            "L31",
            exchanged(em_step, "before", "after"),
            "'before' and 'after' are swapped.",
            explains="answer",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "another step leaves your 'weights' unchanged: you go on until they converge. The task asks for "
            "one step",
            lambda value, probs, weights: (
                np.min(value["weights"]) <= 0  # a model without weight never gets any
                or not np.allclose(
                    _posterior(probs, value["weights"]).mean(axis=1), value["weights"], rtol=0, atol=1e-8
                )
            ),
        ),
        Property("'weights' does not sum to 1", lambda value, *_: abs(np.sum(value["weights"]) - 1) < 1e-9),
        Property(
            "the loss rises, but a step of EM never makes it worse",
            lambda value, *_: value["after"] <= value["before"] + 1e-9,
        ),
    ),
    advice="joint = weights[:, None] * probs, shape (M, N). Its columns, divided by their sums, are the "
    "posteriors.",
)

QUESTIONS = (EM,)
