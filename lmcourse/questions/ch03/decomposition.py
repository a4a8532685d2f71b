"""Chapter 03, on paper: losses in two parts, scores that are not a distribution, near the truth."""

import math

import numpy as np
from scipy.special import entr, rel_entr, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.divergences import GIBBS
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import but, exchanged

# --- desks -----------------------------------------------------------------------------------------------


def _floor(p, q):
    return entr(p).sum(axis=-1)


def _excess(p, q):
    return rel_entr(p, q).sum(axis=-1)


def _loss(p, q):
    return -xlogy(p, q).sum(axis=-1)


def desks(p, q):
    """Floor and excess of each desk in nats, and the desk that has the most to gain; both (K, n)."""
    return {"floor": _floor(p, q), "excess": _excess(p, q), "work on": _excess(p, q).argmax()}


OTHER_EXCESSES = {
    "reverse": lambda p, q: rel_entr(q, p).sum(axis=-1),
    "positive terms": lambda p, q: np.maximum(rel_entr(p, q), 0).sum(axis=-1),
    "sizes of terms": lambda p, q: abs(rel_entr(p, q)).sum(axis=-1),
}
"""Wrong excesses; on the inputs of the task each of them is largest at the right desk."""


def _with_excess(excess):
    return but(desks, {"excess": excess})


def _work_on(choice):
    return but(desks, {"work on": choice})


def _draw_desks(rng):
    """The desk with the largest excess has neither the largest loss nor the largest share.

    About one draw in three thousand is such, so many are drawn at a time.
    """
    while True:
        p, q = rng.dirichlet(np.full(5, 1.5), size=(2, 500, 4)) * 0.95 + 0.01  # (500, 4, 5) each
        loss, excess = _loss(p, q), _excess(p, q)
        best = excess.argmax(axis=-1)
        rivals = loss.argmax(axis=-1), (excess / loss).argmax(axis=-1), excess.argmin(axis=-1)
        fits = np.all([rival != best for rival in rivals], axis=0)
        fits &= (rivals[0] != rivals[1]) & (rivals[0] != rivals[2]) & (rivals[1] != rivals[2])
        for other in OTHER_EXCESSES.values():
            fits &= other(p, q).argmax(axis=-1) == best
        if fits.any():
            return p[fits.argmax()], q[fits.argmax()]


DESKS = Question(
    key="03.desks",
    title="loss in two parts",
    kind="compute",
    stars=1,
    points=3,
    right=desks,
    cases=(
        (
            np.array([[1 / 2, 1 / 4, 1 / 4], [0.97, 0.02, 0.01], [0.6, 0.3, 0.1], [0.85, 0.1, 0.05]]),
            np.array([[1 / 4, 1 / 4, 1 / 2], [0.75, 0.15, 0.1], [0.5, 0.3, 0.2], [0.4, 0.3, 0.3]]),
        ),
        _draw_desks(np.random.default_rng(312)),  # the last desk, so that one further on is none
    ),
    draw=_draw_desks,
    entry_points={"floor": 1, "excess": 1, "work on": 1},
    mistakes=(
        *unit_mistakes(desks, "M2 M3", only=("floor", "excess")),
        Mistake(
            "M50",
            but(desks, {"floor": lambda p, q: entr(q).sum(axis=1), "excess": OTHER_EXCESSES["reverse"]}),
            "You have swapped the truth and the model. The first argument, p, is the truth: it says how "
            "often each outcome occurs, and it is the factor before every logarithm.",
        ),
        Mistake(
            "M50",
            _with_excess(OTHER_EXCESSES["reverse"]),
            "Your 'excess' is D(q || p), the excess that p would have if q were the truth. The factor before "
            "each logarithm has to be the true p.",
        ),
        Mistake(
            "L5",
            but(desks, {"floor": lambda p, q: entr(q).sum(axis=1)}),
            "Your 'floor' is the entropy of the model, which is the loss that the model itself expects. The "
            "floor is the entropy of the truth.",
        ),
        Mistake(
            "L18",
            but(desks, {"floor": lambda p, q: np.full(len(p), np.log(p.shape[1]))}),
            "Your 'floor' is ln n, the entropy of a uniform distribution. The floor is the entropy of the "
            "desk's true shares.",
        ),
        Mistake(
            "L22",
            but(desks, {"floor": _loss}),
            "Your 'floor' is the whole loss of the forecast. The floor is the loss of a perfect forecaster, "
            "who states p.",
        ),
        Mistake(
            "L22",
            _with_excess(_loss),
            "Your 'excess' is the whole loss. Subtract the floor, which even a perfect forecaster has.",
        ),
        Mistake(
            "L1",
            but(
                desks,
                {
                    "floor": lambda p, q: _floor(p, q) / p.shape[1],
                    "excess": lambda p, q: _excess(p, q) / p.shape[1],
                },
            ),
            "Your number is the right one times {ratio}, that is, 1 / n for n outcomes: you take "
            "a mean over the outcomes. The probabilities are already weights, so an expectation is a sum.",
        ),
        Mistake(
            "M5",
            but(desks, {"floor": lambda p, q: -_floor(p, q)}),
            "Your 'floor' is below 0. A surprisal is *minus* the logarithm of a probability.",
        ),
        Mistake(
            "M5",
            _with_excess(lambda p, q: -_excess(p, q)),
            "Your 'excess' is below 0, and Gibbs' inequality forbids that. The ratio in the logarithm is "
            "p / q.",
        ),
        Mistake(
            "L22",
            _with_excess(OTHER_EXCESSES["positive terms"]),
            "Your 'excess' leaves out the terms below 0, in which the model gives an outcome a higher "
            "probability than the truth does. They belong in the sum, although they never outweigh the "
            "others.",
        ),
        Mistake(
            "M5",
            _with_excess(OTHER_EXCESSES["sizes of terms"]),
            "Your 'excess' adds up the absolute values of the terms. A term is below 0 where q is larger "
            "than p: keep its sign.",
        ),
        Mistake(
            "L31",
            exchanged(desks, "floor", "excess"),
            "You give one part of the loss in place of the other. The floor is the part that even a perfect "
            "forecaster has, and the excess is the rest.",
        ),
        Mistake(
            "L7",
            _work_on(lambda p, q: _loss(p, q).argmax()),
            "Your 'work on' is the desk with the largest loss. Which part of a loss can a better forecast "
            "remove?",
        ),
        Mistake(
            "L7",
            _work_on(lambda p, q: (_excess(p, q) / _loss(p, q)).argmax()),
            "Your 'work on' is the desk with the largest excess as a share of its loss. A large share of a "
            "small loss can be only a few nats, and the task counts nats.",
        ),
        Mistake(
            "L7",
            _work_on(lambda p, q: _excess(p, q).argmin()),
            "Your 'work on' is the desk with the smallest excess, which has the least to gain.",
        ),
        Mistake(
            "L23",
            _work_on(lambda p, q: _excess(p, q).argmax() + 1),
            "Your 'work on' counts the desks from 1. They are numbered from 0.",
        ),
    ),
    properties=(
        FINITE,
        GIBBS,
        Property(
            "'floor' and 'excess' do not add up to the loss, -(p * np.log(q)).sum(axis=1)",
            lambda value, p, q: np.allclose(value["floor"] + value["excess"], _loss(p, q), rtol=1e-6),
        ),
        Property(
            "'work on' is not the number of a desk",
            lambda value, p, q: value["work on"] in range(len(p)),
        ),
    ),
    advice="Test your function on one desk, p = [[1/2, 1/2]] and q = [[1/4, 3/4]]: its floor is 1 bit, and "
    "its loss a little more.",
)

# --- scores ----------------------------------------------------------------------------------------------


def least_excess(p1, p2, p3, S):
    """The best score, the multiplier and the least value of D for scores that sum to S."""
    return {"q1": S * p1, "multiplier": 1 / S, "least": -np.log(S)}


def _scores_point(rng):
    above = rng.uniform(1.2, 2.5) if rng.random() < 0.5 else rng.uniform(0.3, 0.85)
    return (*rng.dirichlet(np.full(3, 3.0)), above)


def _least(formula):
    return but(least_excess, {"least": formula})


SCORES = Question(
    key="03.scores",
    title="scores that do not sum to 1",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("p1", "p2", "p3", "S"),
    right=least_excess,
    cases=((0.5, 0.3, 0.2, 1.25), (0.15, 0.25, 0.6, 0.7), (0.4, 0.35, 0.25, 1.9)),
    draw=_scores_point,
    entry_points={"q1": 1, "multiplier": 1, "least": 1},
    mistakes=(
        Mistake(
            "L11",
            but(least_excess, {"q1": lambda p1, *_: p1}),
            "Your 'q1' is p1. With q2 = p2 and q3 = p3 the scores would sum to 1, but here they have to sum "
            "to S.",
        ),
        Mistake(
            "L11",
            but(least_excess, {"multiplier": lambda *_: 1.0}),
            "Your 'multiplier' does not depend on S. Put q = p / lambda into q1 + q2 + q3 = S.",
        ),
        Mistake(
            "L12",
            _least(lambda *_: 0.0),
            "Your 'least' is 0. That is what Gibbs' inequality says of scores that sum to 1: put your own "
            "q1, q2 and q3 into D.",
        ),
        Mistake(
            "M5",
            _least(lambda *point: np.log(point[3])),
            "Your 'least' has the wrong sign. As the scores grow, every term p ln(p / q) falls, but your "
            "expression rises with S.",
        ),
        Mistake(
            "L12",
            _least(lambda *point: 1 - point[3]),
            "Your 'least' is the bound from ln x <= x - 1, which D attains only for S = 1. Put your own q1, "
            "q2 and q3 into D.",
        ),
        Mistake(
            "M5",
            but(least_excess, {"multiplier": lambda *point: -1 / point[3]}),
            "Your 'multiplier' has the wrong sign for the Lagrangian in the task, where it has a plus sign.",
        ),
        Mistake(
            "L34",
            but(least_excess, {"q1": lambda p1, p2, p3, S: p1 / S}),
            "Your 'q1' has S in the denominator: three such scores would sum to 1 / S. The derivative gives "
            "q = p / lambda; then use the sum.",
        ),
        Mistake(
            "L34",
            but(least_excess, {"multiplier": lambda *point: point[3]}),
            "Your 'multiplier' is upside down. The derivative gives q = p / lambda, and the three values of "
            "q sum to S.",
        ),
        Mistake(
            "L18",
            but(least_excess, {"q1": lambda *point: point[3] / 3}),
            "Your 'q1' gives each word the same share of S. The best scores are larger for words with a "
            "larger probability.",
        ),
        Mistake(
            "L18",
            _least(lambda *a: -entr(a[:3]).sum() + np.log(3 / a[3])),
            "Your 'least' is the value of D for three equal scores. The best scores are larger for words "
            "with a larger probability.",
        ),
        Mistake(
            "M2",
            _least(lambda *point: -np.log2(point[3])),
            "Your 'least' is {ratio} = 1 / ln 2 times the value in nats: it is in bits.",
        ),
        Mistake(
            "L22",
            _least(lambda *point: -point[3] * np.log(point[3])),
            "Your 'least' has the factor S before the logarithm. The factors are the true probabilities, "
            "and they sum to 1.",
        ),
    ),
    properties=(
        Property(
            "at S = 1, 'least' is not 0, as Gibbs' inequality says",
            lambda _, second: abs(second["least"]) < 1e-9,
            also=lambda *point: (*point[:3], 1.0),
        ),
    ),
    advice="Differentiate the Lagrangian with respect to q1, q2 and q3, and set each derivative to 0. Use "
    "q1 + q2 + q3 = S last.",
)

# --- near-truth ------------------------------------------------------------------------------------------


def near_truth(p, q, e):
    """Slope of D in q, and D for q = p + e to the second order."""
    return {"slope": (q - p) / (q * (1 - q)), "near": e**2 / (2 * p * (1 - p))}


def _slope(formula):
    return but(near_truth, {"slope": formula})


def _near(formula):
    return but(near_truth, {"near": formula})


NEAR_TRUTH = Question(
    key="03.near-truth",
    title="near the truth",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("p", "q", "e"),
    right=near_truth,
    cases=((0.3, 0.45, 0.02), (0.85, 0.6, -0.05), (0.2, 0.07, 0.01)),
    draw=lambda rng: (*rng.uniform(0.1, 0.9, size=2), rng.uniform(0.01, 0.05)),
    entry_points={"slope": 1, "near": 1},
    mistakes=(
        Mistake(
            "M5",
            _slope(lambda p, q, e: (p - q) / (q * (1 - q))),
            "Your 'slope' has the wrong sign: it says that D falls when the model moves away from the truth.",
        ),
        Mistake(
            "M50",
            _slope(lambda p, q, e: np.log(q * (1 - p) / (p * (1 - q)))),
            "Your 'slope' belongs to D(q || p), in which q also appears before the logarithm. Here q "
            "appears only inside it.",
        ),
        Mistake(
            "M50",
            _slope(lambda p, q, e: np.log(p * (1 - q) / (q * (1 - p)))),
            "Your 'slope' is the derivative with respect to p. The truth is fixed, and the model q varies.",
        ),
        Mistake(
            "L22",
            _slope(lambda p, q, e: -p / q),
            "Your 'slope' covers only the first outcome. The probability of the second is 1 - q, which "
            "changes with q.",
        ),
        Mistake(
            "L10",
            _slope(lambda p, q, e: -p / q - (1 - p) / (1 - q)),
            "Both terms of your 'slope' have the same sign. When q rises, 1 - q falls: its derivative is -1.",
        ),
        Mistake(
            "L22",
            _near(lambda p, q, e: e**2 / (2 * p)),
            "Your 'near' covers only the second derivative for the first outcome. The second outcome adds "
            "its own.",
        ),
        Mistake(
            "L10",
            _near(lambda p, q, e: (1 / p - 1 / (1 - p)) * e**2 / 2),
            "Your 'near' subtracts the second derivative for the second outcome. The derivative of "
            "the inner function is -1, and it enters twice.",
        ),
        Mistake(
            "L34",
            _near(lambda p, q, e: p * (1 - p) * e**2 / 2),
            "Your 'near' has the second derivative upside down. The divergence grows fastest where p is near "
            "0 or 1.",
        ),
        Mistake(
            "L8",
            _slope(lambda p, q, e: 0.0),
            "Your 'slope' is 0, which is right only at q = p. The task asks for the slope at any q.",
        ),
        *unit_mistakes(near_truth, "M2", only=("slope", "near")),
        Mistake(
            "L22",
            _near(lambda p, q, e: e**2 / (p * (1 - p))),
            "Your 'near' is too large by a factor of 2: in Taylor's series the second derivative is halved.",
        ),
        Mistake(
            "L22",
            _near(lambda p, q, e: e / (p * (1 - p))),
            "Your 'near' is proportional to e. Both D and its slope are 0 at q = p, so the series begins "
            "with the square.",
        ),
    ),
    properties=(
        Property(
            "'near' contains q. Substitute p + e for it, and keep the terms up to the square of e",
            lambda value, second: math.isclose(value["near"], second["near"]),
            also=lambda p, q, e: (p, (p + q) / 2, e),
        ),
        Property(
            "'near' does not become four times as large when e doubles. At q = p both D and its slope are "
            "0, and the task asks for no power above the square",
            lambda value, second: math.isclose(4 * value["near"], second["near"], rel_tol=1e-6),
            also=lambda p, q, e: (p, q, 2 * e),
        ),
    ),
    advice="Write D in terms of p, q, 1 - p and 1 - q, then take sp.diff(D, q) and sp.diff(D, q, 2). "
    "Substitute p for q last.",
)

QUESTIONS = (DESKS, SCORES, NEAR_TRUTH)
