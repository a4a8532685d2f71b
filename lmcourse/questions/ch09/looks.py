"""Chapter 09, many looks at one test text: how good the best of k equal models appears to be."""

import math

import numpy as np
from scipy.special import ndtr, ndtri

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but, then

# --- best-of ---------------------------------------------------------------------------------------------


GRID = np.linspace(-12, 12, 2401)
"""Where a density that vanishes at both ends is summed; as precise as float64."""


def _mean_of_largest(k):
    """The mean of the largest of k standard normal numbers."""
    density = k * np.exp(-(GRID**2) / 2) / math.sqrt(2 * math.pi) * ndtr(GRID) ** (k - 1)
    return float((GRID * density).sum() * (GRID[1] - GRID[0]))


def best_of(k, sigma, gap):
    """What the best of k equal models gains by chance on average, how often, and once in 20."""
    return {
        "optimism": sigma * _mean_of_largest(k),
        "chance": 1 - ndtr(gap / sigma) ** k,
        "needed": sigma * ndtri(0.95 ** (1 / k)),
    }


def _one(entry):
    """An entry for a single model."""
    return lambda k, sigma, gap: best_of(1, sigma, gap)[entry]


def _draw(rng, k=None):
    sigma = float(rng.uniform(0.004, 0.03))
    return k or int(rng.integers(3, 60)), sigma, float(sigma * rng.uniform(1.0, 2.2))


BEST_OF = Question(
    key="09.best-of",
    title="the best of k equal models",
    kind="compute",
    stars=2,
    points=3,
    right=best_of,
    cases=((3, 0.01, 0.012), (20, 0.015, 0.02), (50, 0.02, 0.045)),
    draw=_draw,
    odd=(lambda rng: _draw(rng, k=1),),
    entry_points={"optimism": 1, "chance": 1, "needed": 1},
    precision="Integrate with `quad` instead of drawing random numbers, and do not round.",
    mistakes=(
        Mistake(
            "M79",
            but(best_of, {"chance": _one("chance"), "needed": _one("needed")}),
            "Your 'chance' and 'needed' are those of one model, scored once. The best of k was chosen "
            "*because* its number is the lowest: chance had k opportunities.",
        ),
        Mistake(
            "M79",
            but(best_of, {"optimism": lambda k, sigma, gap: 0.0}),
            "Your 'optimism' is 0, which is right for a single model chosen before the test. The lowest of k "
            "numbers lies below their common mean.",
        ),
        Mistake(
            "M79",
            but(best_of, {"chance": _one("chance")}),
            "Your 'chance' is that of one model, scored once. Any of the k may be the best one.",
        ),
        Mistake(
            "M79",
            but(best_of, {"needed": _one("needed")}),
            "Your 'needed' is for one model, scored once. It does not grow with k.",
        ),
        Mistake(
            "M79",
            but(best_of, {"needed": lambda k, sigma, gap: sigma * ndtri(0.975)}),
            "Your 'needed' is the usual 1.96 times `sigma` of a single model. It does not grow with k.",
        ),
        Mistake(
            "L4",
            but(best_of, {"chance": lambda k, sigma, gap: k * ndtr(-gap / sigma)}),
            "Your 'chance' adds the probabilities of the k models. That is an upper bound, and can be "
            "above 1. The probability that *none* of them gains so much is a product.",
        ),
        Mistake(
            "L4",
            but(best_of, {"needed": lambda k, sigma, gap: -sigma * ndtri(0.05 / k)}),
            "Your 'needed' divides 0.05 by k, which is slightly too strict. For independent models, "
            "multiply the probabilities that each gains less.",
        ),
        Mistake(
            "L7",
            but(best_of, {"chance": lambda k, sigma, gap: ndtr(gap / sigma) ** k}),
            "Your 'chance' is the probability that *no* model gains so much.",
        ),
        Mistake(
            "L7",
            but(best_of, {"chance": lambda k, sigma, gap: ndtr(-gap / sigma) ** k}),
            "Your 'chance' is the probability that *all* k models gain so much. One is enough.",
        ),
        Mistake(
            "L7",
            but(best_of, {"needed": lambda k, sigma, gap: sigma * ndtri(0.05 ** (1 / k))}),
            "The best model gains more than your 'needed' in 95 of 100 cases. It should be in 5.",
        ),
        Mistake(
            "L22",
            but(best_of, {"needed": lambda k, sigma, gap: sigma * ndtri(0.975 ** (1 / k))}),
            "Your 'needed' is exceeded with probability 0.025. The task is one-sided: it asks for 0.05.",
        ),
        Mistake(
            "L30",
            but(best_of, {"optimism": lambda k, sigma, gap: sigma * ndtri(0.5 ** (1 / k))}),
            "Your 'optimism' is the median of what the best model gains. The task asks for the mean, which "
            "is an integral.",
        ),
        Mistake(
            "L25",
            but(best_of, {"optimism": lambda k, sigma, gap: sigma * math.sqrt(2 * math.log(k))}),
            "Your 'optimism' is the bound sigma * sqrt(2 ln k). The mean lies below it, and for small k far "
            "below.",
        ),
        Mistake(
            "L22",
            but(best_of, {"optimism": lambda k, sigma, gap: sigma * ndtri(1 - 1 / k)}),
            "Your 'optimism' is what one model in k exceeds. That is close to the mean of the best of k, but "
            "not equal to it.",
        ),
        Mistake(
            "L8",
            but(best_of, {"optimism": lambda k, sigma, gap: _mean_of_largest(k)}),
            "Your 'optimism' is a multiple of `sigma`. The task asks for nats per token.",
        ),
        Mistake(
            "L8",
            but(best_of, {"needed": lambda k, sigma, gap: ndtri(0.95 ** (1 / k))}),
            "Your 'needed' is a multiple of `sigma`. The task asks for nats per token.",
        ),
        Mistake(
            "L7",
            then(best_of, lambda found: found | {"optimism": -found["optimism"]}),
            "Your 'optimism' is negative. It says by how much the number lies *below* the truth.",
        ),
        Mistake(
            "L26",
            but(
                best_of, {"optimism": lambda k, sigma, gap: best_of(k, sigma, gap)["optimism"] / math.sqrt(k)}
            ),
            "Your 'optimism' divides the error by the square root of k. Nothing is averaged here: each model "
            "was scored once, with the error sigma.",
        ),
        Mistake(
            "L29",
            but(best_of, {"chance": lambda *case: 100 * best_of(*case)["chance"]}),
            "Your 'chance' is a percentage. The task asks for a probability.",
        ),
    ),
    properties=(
        FINITE,
        Property("'chance' is not between 0 and 1", lambda value, *case: 0 <= value["chance"] <= 1),
    ),
    advice="Start from the probability that none of the k models gains x. The density of the best one's gain "
    "is its derivative.",
)

QUESTIONS = (BEST_OF,)
