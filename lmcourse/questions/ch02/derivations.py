"""Chapter 02, two derivations: the gradient through softmax, and the floor of the smoothed loss."""

from functools import partial

import numpy as np
from scipy.special import softmax, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but, then

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
            "Your gradient is the one for T = 1, with the new q put in. The logits enter as z / T.",
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
            "You let z_k change only q_k. It changes every q, because all of them share the denominator.",
        ),
        Mistake(
            "M2",
            _in_q_and_p(lambda q, p, T: (q - p) / T / LN2),
            "Your gradient is {ratio} = 1 / ln 2 times the right one: your loss is in bits. Use the natural "
            "logarithm.",
        ),
        Mistake(
            "L34",
            _in_q_and_p(lambda q, p, T: (q - p) * T),
            "You multiply by T. The derivative of z / T with respect to z is 1 / T.",
        ),
        Mistake(
            "L22",
            _in_q_and_p(lambda q, p, T: q / T),
            "Your gradient does not depend on the truth p: it is the derivative of the log of the "
            "denominator alone.",
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
    entry_points={"floor": 1, "exp": 1},
    cases=((0.1, 8.0), (0.3, 50.0), (0.05, 5.0)),
    draw=lambda rng: (rng.uniform(0.02, 0.5), float(rng.integers(3, 200))),
    mistakes=(
        Mistake(
            "L12",
            partial(smoothing_floor, floor=lambda eps, V: 0.0),
            "Even the best model cannot reach 0: a model that is certain of the right symbol has an "
            "infinite surprisal at every other symbol, and smoothing gives each of those the share eps / V.",
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
            "L43",
            lambda eps, V: smoothing_floor(eps, V) | {"exp": round(smoothing_floor(eps, V)["exp"], 2)},
            "Your 'exp' is rounded to two decimal places. Give all its digits.",
        ),
        Mistake(
            "M4",
            lambda eps, V: smoothing_floor(eps, V) | {"exp": _entropy_of_smoothed_target(0.1, 10_000.0)},
            "Your 'exp' is the floor in nats. The task asks for its exponential.",
        ),
        Mistake(
            "M1",
            lambda eps, V: smoothing_floor(eps, V) | {"exp": 2 ** _entropy_of_smoothed_target(0.1, 10_000.0)},
            "Your 'exp' raises 2 to a number of nats. Raise e to it.",
        ),
        Mistake(
            "L5",
            partial(smoothing_floor, floor=lambda eps, V: -np.log(1 - eps + eps / V)),
            "That is the surprisal of the right symbol alone. The smoothed loss averages over the whole "
            "target.",
        ),
        Mistake(
            "M5",
            lambda eps, V: smoothing_floor(eps, V) | {"floor": -_entropy_of_smoothed_target(eps, V)},
            "Your 'floor' has the right size but the wrong sign. A loss is never below 0.",
        ),
        Mistake(
            "L18",
            partial(smoothing_floor, floor=lambda eps, V: np.log(V) + 0 * eps),
            "That is the loss of a model that gives every symbol the same probability. The target is not "
            "uniform, and the best model is the target itself.",
        ),
        Mistake(
            "L22",
            partial(smoothing_floor, floor=lambda eps, V: -xlogy(1 - eps + eps / V, 1 - eps + eps / V)),
            "Your sum includes only the right symbol. The target gives the V - 1 others a probability too.",
        ),
        Mistake(
            "L22",
            partial(
                smoothing_floor,
                floor=lambda eps, V: -xlogy(1 - eps + eps / V, 1 - eps + eps / V) - xlogy(eps / V, eps / V),
            ),
            "Your sum includes the right symbol and one other. The target gives V - 1 others a probability.",
        ),
        Mistake(
            "L13",
            partial(smoothing_floor, floor=lambda eps, V: -xlogy(1 - eps, 1 - eps) - xlogy(eps, eps)),
            "That is the entropy of a coin toss. The share eps is spread over many symbols, and each of "
            "them needs its own term.",
        ),
        Mistake(
            "M2",
            partial(smoothing_floor, floor=then(_entropy_of_smoothed_target, lambda nats: nats / LN2)),
            "Your floor is {ratio} = 1 / ln 2 times the one in nats: it is in bits. Use the natural "
            "logarithm, and raise e to it for 'exp'.",
            explains="answer",
        ),
        Mistake(
            "M2",
            but(smoothing_floor, {"floor": lambda eps, V: _entropy_of_smoothed_target(eps, V) / LN2}),
            "Your 'floor' is {ratio} = 1 / ln 2 times the one in nats: it is in bits. Use the natural "
            "logarithm.",
        ),
        Mistake(
            "M2",
            but(smoothing_floor, {"exp": lambda *_: np.exp(_entropy_of_smoothed_target(0.1, 1e4) / LN2)}),
            "Your 'exp' raises e to a floor in bits. Raise 2 to it, or compute the floor in nats.",
        ),
    ),
    alike=(("right", "L43", "two decimals are as near as a diagnosis looks"),),
    properties=(
        Property(
            "'floor' is below 0 when numbers are put in, but no loss is",
            lambda value, *point: value["floor"] >= 0,
        ),
        Property(
            "'exp' is below 1, but the exponential of a loss never is",
            lambda value, *point: value["exp"] >= 1,
        ),
    ),
    advice="The smallest cross-entropy with a target is the target's entropy. Write the target as V numbers.",
)

QUESTIONS = (SOFTMAX_GRADIENT, SMOOTHING_FLOOR)
