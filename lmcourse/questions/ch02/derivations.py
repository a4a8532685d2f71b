"""Chapter 02, three derivations: the gradient through softmax, the least cross-entropy, the smoothed loss."""

from functools import partial

import numpy as np
from scipy.special import softmax, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import NOT_NEGATIVE
from lmcourse.questions.shared.units import LN2, unit_mistakes
from lmcourse.questions.shared.wrong import then

# --- softmax-gradient ------------------------------------------------------------------------------------


def gradient(z1, z2, z3, p1, p2, p3, T):
    """The gradient of -sum p ln q with respect to the logits, where q = softmax(z / T)."""
    return (softmax(np.array([z1, z2, z3]) / T) - np.array([p1, p2, p3])) / T


def _in_q_and_p(formula):
    return lambda *point: formula(softmax(np.array(point[:3]) / point[6]), np.array(point[3:6]), point[6])


def _gradient_point(rng):
    return (*rng.normal(size=3), *rng.dirichlet(np.full(3, 2.0)), rng.uniform(0.3, 0.8))


SOFTMAX_GRADIENT = Question(
    key="02.softmax-gradient",
    title="the gradient, with a temperature",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("z1", "z2", "z3", "p1", "p2", "p3", "T"),
    right=gradient,
    cases=tuple(_gradient_point(np.random.default_rng(seed)) for seed in (31, 32, 33)),
    draw=_gradient_point,
    mistakes=(
        Mistake(
            "M5",
            _in_q_and_p(lambda q, p, T: (p - q) / T),
            "Your gradient points downhill. It is the gradient of +sum p ln q; the loss has a minus sign.",
        ),
        Mistake(
            "L10",
            _in_q_and_p(lambda q, p, T: q - p),
            "Your gradient is that for T = 1 with the new q put in. The logits enter as z / T.",
        ),
        Mistake(
            "L10",
            lambda *point: gradient(*point[:6], 1.0),
            "Your gradient is the chapter's, without T. Write the loss with z / T and differentiate.",
        ),
        Mistake(
            "L10",
            _in_q_and_p(lambda q, p, T: -p / q),
            "You differentiate with respect to q. Each q depends on the logits: go on to z.",
        ),
        Mistake(
            "L10",
            _in_q_and_p(lambda q, p, T: -p * (1 - q) / T),
            "You let z_k move q_k only. It moves every q, because all of them share the denominator.",
        ),
        Mistake(
            "L22",
            _in_q_and_p(lambda q, p, T: q / T),
            "Your gradient does not see the truth p: it is the derivative of the log of the denominator.",
        ),
    ),
    properties=(
        Property(
            "the three entries do not add up to 0, but a constant added to all logits changes nothing",
            lambda value, *point: abs(np.sum(value)) < 1e-9,
        ),
    ),
    advice="Let SymPy differentiate: q1, q2, q3 with sp.exp, the loss as a sum, then sp.diff(loss, z1).",
)

# --- least-cross-entropy ---------------------------------------------------------------------------------


def least_cross_entropy(c1, c2, c3):
    """Relative frequency, Lagrange multiplier, and the least value of -sum c ln q in nats."""
    counts = np.array([c1, c2, c3])
    total = counts.sum()
    return {"q1": c1 / total, "multiplier": total, "minimum": -xlogy(counts, counts / total).sum()}


def _least_with(**changes):
    return lambda *c: least_cross_entropy(*c) | {key: change(np.array(c)) for key, change in changes.items()}


LEAST_CROSS_ENTROPY = Question(
    key="02.least-cross-entropy",
    title="the best model of three counts",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("c1", "c2", "c3"),
    right=least_cross_entropy,
    cases=((5.0, 3.0, 2.5), (1.0, 7.0, 4.0), (2.0, 0.5, 6.0)),
    draw=lambda rng: tuple(rng.uniform(0.5, 20.0, size=3)),
    mistakes=(
        *unit_mistakes(least_cross_entropy, "M2", only=("minimum",)),
        Mistake(
            "M5",
            _least_with(multiplier=lambda c: -c.sum()),
            "Your multiplier has the wrong sign for the Lagrangian of the task, where it stands with a plus.",
        ),
        Mistake(
            "L11",
            _least_with(q1=lambda c: c[0], multiplier=lambda c: 1.0, minimum=lambda c: -xlogy(c, c).sum()),
            "Your q1, q2, q3 add up to the counts' total, not to 1: the third equation, sum q = 1, "
            "is not used.",
        ),
        Mistake(
            "L12",
            _least_with(minimum=lambda c: 0.0),
            "The best model still pays for what cannot be known. Put your q1, q2, q3 into the loss.",
        ),
        Mistake(
            "L1",
            _least_with(minimum=lambda c: -xlogy(c, c / c.sum()).sum() / c.sum()),
            "Your minimum is {ratio} of the one asked for: you divide by the number of observations, "
            "the loss of the task does not.",
        ),
        Mistake(
            "L18",
            _least_with(q1=lambda c: 1 / 3, minimum=lambda c: c.sum() * np.log(3)),
            "A model that gives 1/3 to everything has the largest entropy. The task asks for the "
            "smallest cross-entropy.",
        ),
    ),
    properties=(
        Property(
            "q1 is not a probability when numbers are put in", lambda value, *counts: 0 <= value["q1"] <= 1
        ),
        NOT_NEGATIVE,
    ),
    advice="Differentiate the Lagrangian by q1, q2, q3, set each to 0, and use q1 + q2 + q3 = 1 last.",
)

# --- smoothing-floor -------------------------------------------------------------------------------------


def _entropy_of_smoothed_target(eps, V):
    right, other = 1 - eps + eps / V, eps / V
    return -xlogy(right, right) - (V - 1) * xlogy(other, other)


def smoothing_floor(eps, V, floor=_entropy_of_smoothed_target):
    """The entropy of the smoothed target in nats, and its exponential for eps 0.1 and V 10 000."""
    return {"floor": floor(eps, V), "exp": np.exp(floor(0.1, 10_000.0))}


SMOOTHING_FLOOR = Question(
    key="02.smoothing-floor",
    title="the floor of a smoothed loss",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("eps", "V"),
    right=smoothing_floor,
    cases=((0.1, 8.0), (0.3, 50.0), (0.05, 5.0)),
    draw=lambda rng: (rng.uniform(0.02, 0.5), float(rng.integers(3, 200))),
    mistakes=(
        Mistake(
            "L12",
            partial(smoothing_floor, floor=lambda eps, V: 0.0),
            "Even the best model cannot get there: a model that is certain of the right symbol pays an "
            "infinite price for the share eps / V that smoothing puts on each other symbol.",
        ),
        Mistake(
            "L13",
            partial(
                smoothing_floor,
                floor=lambda eps, V: -xlogy(1 - eps, 1 - eps) - (V - 1) * xlogy(eps / V, eps / V),
            ),
            "Your smoothed target adds up to 1 - eps / V: the right symbol gets its share of eps too.",
        ),
        Mistake(
            "L13",
            partial(
                smoothing_floor, floor=lambda eps, V: -xlogy(1 - eps, 1 - eps) - eps * np.log(eps / (V - 1))
            ),
            "You spread eps over the V - 1 wrong symbols. The task, like PyTorch, spreads it over all V.",
        ),
        Mistake(
            "L22",
            partial(smoothing_floor, floor=lambda eps, V: -xlogy(1 - eps + eps / V, 1 - eps + eps / V)),
            "Your sum has the right symbol only. The V - 1 others have probability, too.",
        ),
        Mistake(
            "L13",
            partial(smoothing_floor, floor=lambda eps, V: -xlogy(1 - eps, 1 - eps) - xlogy(eps, eps)),
            "That is the entropy of a coin. The share eps is spread over many symbols, and each "
            "term needs its own.",
        ),
        Mistake(
            "M2",
            partial(smoothing_floor, floor=then(_entropy_of_smoothed_target, lambda nats: nats / LN2)),
            "Your number is {ratio} = 1 / ln 2 times the nats: it is in bits.",
        ),
    ),
    properties=(NOT_NEGATIVE,),
    advice="The least cross-entropy with a target is the target's entropy. Write the target as V numbers.",
)

QUESTIONS = (SOFTMAX_GRADIENT, LEAST_CROSS_ENTROPY, SMOOTHING_FLOOR)
