"""Chapter 03, the decomposition on paper: a bill, scores that are not a distribution, near the truth."""

import math

import numpy as np
from scipy.special import entr, rel_entr, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.divergences import GIBBS
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import HINTS, LN2, unit_mistakes
from lmcourse.questions.shared.wrong import but

# --- bill ------------------------------------------------------------------------------------------------


def bill(p, q):
    """Loss, floor and fault in nats, and the fault in bits as well."""
    return _bill(loss=-xlogy(p, q).sum(), floor=entr(p).sum())


def _bill(loss, floor, fault=None):
    """The dictionary as it follows from its first lines, right or wrong."""
    fault = loss - floor if fault is None else fault
    return {"loss": loss, "floor": floor, "fault": fault, "fault in bits": fault / LN2}


def _bill_with(**lines):
    """The bill when some of its lines are computed wrongly and the others follow."""
    right = {"loss": lambda p, q: -xlogy(p, q).sum(), "floor": lambda p, q: entr(p).sum()}
    return lambda p, q: _bill(**{name: line(p, q) for name, line in (right | lines).items()})


def _fault_in(unit):
    return lambda p, q: bill(p, q) | {"fault in bits": (bill(p, q)["loss"] - bill(p, q)["floor"]) * unit}


def _in_bits(*lines):
    return lambda p, q: {k: v / LN2 if k in lines else v for k, v in bill(p, q).items()}


BILL = Question(
    key="03.bill",
    title="a bill with two lines",
    kind="compute",
    stars=1,
    points=2,
    right=bill,
    cases=(
        (np.array([1 / 2, 1 / 8, 1 / 8, 1 / 8, 1 / 8]), np.array([1 / 16, 1 / 2, 1 / 4, 1 / 8, 1 / 16])),
        (np.array([0.12, 0.18, 0.7]), np.array([0.25, 0.15, 0.6])),
    ),
    draw=lambda rng: tuple(rng.dirichlet(np.full(5, 2.0), size=2)),
    mistakes=(
        *unit_mistakes(bill, "M2 M3", only=("loss", "floor", "fault")),
        Mistake("M2", _in_bits("loss", "floor"), HINTS["M2"] + " The fault is right."),
        Mistake(
            "M1", _fault_in(1.0), "The entry 'fault in bits' is {ratio} = ln 2 of it: it still holds nats."
        ),
        Mistake("L3", _fault_in(LN2), "One bit is ln 2 = 0.6931 nats: divide the nats by ln 2."),
        Mistake(
            "M50",
            _bill_with(fault=lambda p, q: rel_entr(q, p).sum()),
            "Your fault is that of the truth, if the model were true. Loss minus floor does not give it: "
            "the factor in front of each logarithm is the true p.",
        ),
        Mistake(
            "M50",
            _bill_with(loss=lambda p, q: -xlogy(q, p).sum()),
            "Your loss lets the model draw and judges the truth. The truth draws the symbols and "
            "comes first; the model is surprised by them.",
        ),
        Mistake(
            "L5",
            _bill_with(floor=lambda p, q: entr(q).sum()),
            "Your floor is the entropy of the model, what it expects to pay. The floor belongs to the truth.",
        ),
        Mistake(
            "M5",
            _bill_with(fault=lambda p, q: -rel_entr(p, q).sum()),
            "Your fault is below 0, and Gibbs' inequality forbids that. In the logarithm stands p / q.",
        ),
        Mistake(
            "M5",
            _bill_with(loss=lambda p, q: xlogy(p, q).sum(), floor=lambda p, q: -entr(p).sum()),
            "Your loss and your floor are below 0. A surprisal is minus the logarithm of a probability.",
        ),
        Mistake(
            "L22",
            _bill_with(fault=lambda p, q: np.maximum(rel_entr(p, q), 0).sum()),
            "You leave out the terms below 0, where the model gives more than the truth. They are real "
            "savings; they never pay for the rest.",
        ),
        Mistake(
            "M5",
            _bill_with(fault=lambda p, q: abs(rel_entr(p, q)).sum()),
            "You take the size of each term. Where the model gives more than the truth the term is below 0, "
            "and it stays so.",
        ),
    ),
    properties=(
        FINITE,
        GIBBS,
        Property(
            "floor and fault do not add up to the loss",
            lambda value, *case: math.isclose(value["floor"] + value["fault"], value["loss"], rel_tol=1e-6),
        ),
    ),
    advice="For p = [1/2, 1/2] and q = [1/4, 3/4] the floor is 1 bit, and the loss a little more.",
)

# --- scores ----------------------------------------------------------------------------------------------


def least_fault(p1, p2, p3, S):
    """The best score, the multiplier and the least 'fault' of scores that sum to S."""
    return {"q1": S * p1, "multiplier": 1 / S, "least": -np.log(S)}


def _scores_point(rng):
    above = rng.uniform(1.2, 2.5) if rng.random() < 0.5 else rng.uniform(0.3, 0.85)
    return (*rng.dirichlet(np.full(3, 3.0)), above)


SCORES = Question(
    key="03.scores",
    title="scores that sum to something else",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("p1", "p2", "p3", "S"),
    right=least_fault,
    cases=((0.5, 0.3, 0.2, 1.25), (0.15, 0.25, 0.6, 0.7), (0.4, 0.35, 0.25, 1.9)),
    draw=_scores_point,
    mistakes=(
        Mistake(
            "L11",
            but(
                least_fault, {"q1": lambda p1, *_: p1, "multiplier": lambda *_: 1.0, "least": lambda *_: 0.0}
            ),
            "Your scores sum to 1. Here the last equation is q1 + q2 + q3 = S.",
        ),
        Mistake(
            "L12",
            but(least_fault, {"least": lambda *_: 0.0}),
            "Gibbs' inequality gives 0 for a q that sums to 1. Put your own q1, q2, q3 into D.",
        ),
        Mistake(
            "M5",
            but(least_fault, {"least": lambda *point: np.log(point[3])}),
            "With larger scores, q / p grows and every term p ln(p / q) falls. Yours rises.",
        ),
        Mistake(
            "M5",
            but(least_fault, {"multiplier": lambda *point: -1 / point[3]}),
            "Your multiplier has the wrong sign for the Lagrangian of the task, where it stands with a plus.",
        ),
        Mistake(
            "L13",
            lambda p1, p2, p3, S: {"q1": p1 / S, "multiplier": S, "least": np.log(S)},
            "Your scores sum to 1 / S. From -p / q + lambda = 0 follows q = p / lambda; then use the sum.",
        ),
        Mistake(
            "L18",
            but(
                least_fault,
                {
                    "q1": lambda *point: point[3] / 3,
                    "least": lambda *a: -entr(a[:3]).sum() + np.log(3 / a[3]),
                },
            ),
            "You share S out evenly. The best scores follow the truth.",
        ),
        Mistake(
            "M2",
            but(least_fault, {"least": lambda *point: -np.log2(point[3])}),
            "Your least value is {ratio} = 1 / ln 2 times the nats: it is in bits.",
        ),
    ),
    properties=(
        Property(
            "at S = 1 the least value is not 0, as Gibbs' inequality says",
            lambda _, second: abs(second["least"]) < 1e-9,
            also=lambda *point: (*point[:3], 1.0),
        ),
    ),
    advice="Differentiate the Lagrangian by q1, q2, q3 and set each to 0; use q1 + q2 + q3 = S last.",
)

# --- near-truth ------------------------------------------------------------------------------------------


def near_truth(p, q, e):
    """Slope of D in q, its second derivative at q = p, and D for q = p + e to the second order."""
    slope = (q - p) / (q * (1 - q))
    curvature = 1 / (p * (1 - p))
    return {"slope": slope, "curvature": curvature, "near": curvature * e**2 / 2}


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
    mistakes=(
        Mistake(
            "M5",
            but(near_truth, {"slope": lambda p, q, e: (p - q) / (q * (1 - q))}),
            "Your slope says that D falls when the model moves away from the truth.",
        ),
        Mistake(
            "M50",
            but(near_truth, {"slope": lambda p, q, e: np.log(q * (1 - p) / (p * (1 - q)))}),
            "Your slope belongs to D(q || p), where q stands before the logarithm, too. Here it stands "
            "inside only.",
        ),
        Mistake(
            "M50",
            but(near_truth, {"slope": lambda p, q, e: np.log(p * (1 - q) / (q * (1 - p)))}),
            "You differentiate by p. The truth stands still, and the model q moves.",
        ),
        Mistake(
            "L22",
            but(near_truth, {"slope": lambda p, q, e: -p / q}),
            "Your slope has the first outcome only. The second has 1 - q, which moves with q.",
        ),
        Mistake(
            "L10",
            but(near_truth, {"slope": lambda p, q, e: -p / q - (1 - p) / (1 - q)}),
            "Your two terms have one sign. When q rises, 1 - q falls: the inner derivative is -1.",
        ),
        Mistake(
            "L22",
            lambda p, q, e: near_truth(p, q, e) | {"curvature": 1 / p, "near": e**2 / (2 * p)},
            "Your curvature has the first outcome only. Both outcomes bend.",
        ),
        Mistake(
            "M2",
            lambda *point: {key: value / LN2 for key, value in near_truth(*point).items()},
            "Your entries are {ratio} = 1 / ln 2 times the nats: they are in bits.",
        ),
    ),
    properties=(
        Property(
            "'curvature' still moves with q. It is asked at q = p: put p in its place",
            lambda value, second: math.isclose(value["curvature"], second["curvature"]),
            also=lambda p, q, e: (p, (p + q) / 2, e),
        ),
        Property(
            "'near' is twice too large: in Taylor's series the second derivative carries 1/2",
            lambda value, *point: not math.isclose(value["near"], 2 * near_truth(*point)["near"]),
        ),
        Property(
            "'near' does not become four times as large when e doubles. At q = p both D and its slope are 0, "
            "so the square comes first",
            lambda value, second: math.isclose(4 * value["near"], second["near"], rel_tol=1e-6),
            also=lambda p, q, e: (p, q, 2 * e),
        ),
    ),
    advice="Write D with p, q, 1 - p and 1 - q, then sp.diff(D, q), and once more. Put q = p last.",
)

QUESTIONS = (BILL, SCORES, NEAR_TRUTH)
