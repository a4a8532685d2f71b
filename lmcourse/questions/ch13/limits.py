"""Chapter 13, what a loss allows: a frontier in SymPy, and counterexamples."""

import numpy as np

from lmcourse.hints.answers import Unreadable, read
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- frontier --------------------------------------------------------------------------------------------


def frontier(s, D, a, c):
    """The lowest accuracy at an extra loss D, the least factor for an accuracy a, and a loss elsewhere."""
    return {"lowest": 1 - D / (s * LN2), "factor": 2 ** (s * (1 - a)), "elsewhere": np.exp((1 - s) * c)}


def _draw_point(rng):
    s = rng.uniform(0.05, 0.4)
    return s, rng.uniform(0.1, 0.9) * s * LN2, rng.uniform(0.1, 0.4), rng.uniform(0.3, 1.5)


FRONTIER = Question(
    key="13.frontier",
    title="which accuracies does a loss allow?",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("s", "D", "a", "c"),
    right=frontier,
    cases=((0.125, 0.03, 0.3, 0.7), (0.3, 0.15, 0.2, 1.1), (0.06, 0.01, 0.4, 0.4)),
    draw=_draw_point,
    entry_points={"lowest": 1, "factor": 1, "elsewhere": 1},
    mistakes=(
        Mistake(
            "M1",
            but(frontier, {"lowest": lambda s, D, a, c: 1 - D / s}),
            "Your 'lowest' counts one for each wrong choice, as if D were in bits. It is in nats, and "
            "one bit is ln 2 nats.",
        ),
        Mistake(
            "L22",
            but(frontier, {"lowest": lambda s, D, a, c: 1 - D / LN2}),
            "Your 'lowest' does not contain s. D is shared out over all tokens, and the choice looks at a "
            "share s of them: on these alone the extra loss is larger.",
        ),
        Mistake(
            "L7",
            but(frontier, {"lowest": lambda s, D, a, c: D / (s * LN2)}),
            "Your 'lowest' is the largest share of *wrong* choices.",
        ),
        Mistake(
            "L34",
            but(frontier, {"lowest": lambda s, D, a, c: 1 - s * LN2 / D}),
            "Your quotient is upside down: with a larger extra loss, a lower accuracy is possible.",
        ),
        Mistake(
            "L7",
            but(frontier, {"factor": lambda s, D, a, c: 2 ** (s * a)}),
            "Your 'factor' grows with the accuracy. Only wrong choices need a loss: their share is 1 - a.",
        ),
        Mistake(
            "M4",
            but(frontier, {"factor": lambda s, D, a, c: s * (1 - a) * LN2}),
            "Your 'factor' is the extra loss in nats per token. The perplexity is multiplied by its "
            "exponential.",
        ),
        Mistake(
            "M2",
            but(frontier, {"factor": lambda s, D, a, c: np.exp(s * (1 - a))}),
            "You raise e to a number of bits: a wrong choice needs a loss of ln 2 nats, and not of 1.",
        ),
        Mistake(
            "L22",
            but(frontier, {"factor": lambda s, D, a, c: 2 ** (1 - a)}),
            "Your 'factor' does not contain s. The other tokens are scored as well, and lose nothing.",
        ),
        Mistake(
            "L34",
            but(frontier, {"factor": lambda s, D, a, c: 2 ** (-s * (1 - a))}),
            "Your 'factor' is below 1, as if wrong choices lowered the perplexity.",
        ),
        Mistake(
            "M1",
            but(frontier, {"elsewhere": lambda s, D, a, c: 2 ** ((1 - s) * c)}),
            "You raise 2 to a number of nats. In 'elsewhere' the loss c is in nats.",
        ),
        Mistake(
            "L22",
            but(frontier, {"elsewhere": lambda s, D, a, c: np.exp(c)}),
            "Your 'elsewhere' loses c on every token. On the tokens of the choice it loses nothing.",
        ),
        Mistake(
            "L7",
            but(frontier, {"elsewhere": lambda s, D, a, c: np.exp(s * c)}),
            "Your 'elsewhere' loses c on the tokens of the choice. It is meant to lose on all the others.",
        ),
        Mistake(
            "M4",
            but(frontier, {"elsewhere": lambda s, D, a, c: (1 - s) * c}),
            "Your 'elsewhere' is a loss in nats per token. The perplexity is multiplied by its exponential.",
        ),
    ),
    properties=(
        Property(
            "'lowest' is not 1 where D is 0, though a model without extra loss makes no mistake",
            lambda value, second: abs(second["lowest"] - 1) < 1e-9,
            also=lambda s, D, a, c: (s, 0.0, a, c),
        ),
    ),
    advice="Of 1000 tokens, 1000 s belong to the choice. Each wrong one gave the right word 1/2 at most. A "
    "loss that rises by x nats per token multiplies the perplexity by exp(x).",
)

# --- bound -----------------------------------------------------------------------------------------------


def loss(rows):
    """The loss in nats; the right candidate stands in column 0."""
    return float(-np.log(np.maximum(rows[:, 0], 1e-300)).mean())


def accuracy(rows, ties=0):
    """The share of rows in which column 0 is the largest; where it ties with another, it counts ``ties``."""
    others = rows[:, 1:].max(axis=1)
    return float(np.where(rows[:, 0] == others, ties, rows[:, 0] > others).mean())


def _rows(given, ndim):
    """An array of distributions, or a sentence that says why it is not one."""
    if given is None:
        return "it is None. Put your rows in its place."
    try:
        array = np.asarray(given, dtype=float)
        array = np.asarray(read(given, like=np.zeros(array.shape)))
    except (Unreadable, TypeError, ValueError):
        return "it is not an array of numbers whose rows all have the same length."
    if array.ndim != ndim or array.shape[-1] < 2 or 0 in array.shape or (ndim == 3 and len(array) != 2):
        shape = "(2, N, K)" if ndim == 3 else "(N, K)"
        return f"an array of shape {shape} is expected, with K of at least 2, and yours has {array.shape}."
    if (array < 0).any():
        return "a probability is below 0."
    return array


def _look_at(ndim, judge):
    """A look at probabilities: a text in place of an array says that there are none."""

    def look(given):
        if isinstance(given, str):
            return (
                "here you say that nothing refutes the claim, and something does. Try two tokens, or three "
                "candidates."
            )
        rows = _rows(given, ndim)
        if isinstance(rows, str):
            return rows
        if not np.allclose(rows.sum(axis=-1), 1, rtol=0, atol=1e-6):
            return "M33"
        return judge(rows)

    return look


def _never_right(rows):
    if accuracy(rows) > 0:
        return "the model is right on some token: there column 0 is the largest."
    return RIGHT if loss(rows) < np.log(rows.shape[1]) - 1e-9 else "M54"


def _all_right(rows):
    if accuracy(rows) < 1:
        return (
            "M53"
            if accuracy(rows, ties=1) == 1
            else "the model is wrong on some token: there column 0 is not the largest."
        )
    if loss(rows) < LN2 - 1e-9:
        return (
            f"the model is always right, and its loss is only {loss(rows):.3f} nats. With more than two "
            "candidates the right one can lead with less than 1/2."
        )
    return RIGHT


def _lower_loss(pair):
    first, second = pair
    if loss(first) < loss(second) - 1e-9 and accuracy(first) < accuracy(second, ties=0):
        return RIGHT
    if loss(second) < loss(first) - 1e-9 and accuracy(second) < accuracy(first):
        return "L7"
    if accuracy(first) == accuracy(second):
        return "both models have the same accuracy."
    return "the model with the lower loss has the higher accuracy as well."


def _below_one_bit(given):
    if not isinstance(given, str):
        wanted = "give rows that refute the claim, or the text 'none' in quotes."
        return wanted if isinstance(_rows(given, 2), str) else "refuted"
    if given.strip().strip("\"'.").lower() == "none":
        return RIGHT
    return "give rows that refute the claim, or the text 'none'."


_FIRST, _SECOND = [[0.95, 0.05], [0.45, 0.55]], [[0.6, 0.4], [0.6, 0.4]]
EXAMPLES = {
    "lower loss": {
        RIGHT: np.array([_FIRST, _SECOND]),
        "L7": np.array([_SECOND, _FIRST]),
        "M33": np.array([[[0.9, 0.9], [0.4, 0.5]], _SECOND]),
        "not read": np.zeros((2, 2, 2)),
    },
    "never right": {
        RIGHT: np.array([[0.4, 0.5, 0.1]]),
        "M54": np.array([[0.2, 0.5, 0.3]]),
        "M33": np.array([[0.4, 0.7, 0.5]]),
        "not read": np.zeros((1, 3)),
    },
    "all right": {
        RIGHT: np.array([[0.4, 0.3, 0.3]]),
        "M53": np.array([[0.5, 0.5, 0.0]]),
        "M33": np.array([[0.4, 0.2, 0.1]]),
        "not read": np.zeros((1, 3)),
    },
    "below one bit": {RIGHT: "none", "refuted": "refuted", "not read": ""},
}
LOOKS = {
    "lower loss": _look_at(3, _lower_loss),
    "never right": _look_at(2, _never_right),
    "all right": _look_at(2, _all_right),
    "below one bit": lambda given: "refuted" if given == "refuted" else _below_one_bit(given),
}


BOUND = Question(
    key="13.bound",
    title="refute it, or let it stand",
    kind="derive",
    stars=3,
    points=4,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does(LOOKS, EXAMPLES),
    entry_points=dict.fromkeys(EXAMPLES, 1),
    mistakes=(
        Mistake(
            "L7",
            chosen(EXAMPLES, "L7", "lower loss"),
            "Your two models are an example, in the wrong order: the one with the lower loss comes first.",
        ),
        Mistake(
            "M54",
            chosen(EXAMPLES, "M54", "never right"),
            "Your model is never right, and its loss is not below that of the uniform model, ln K. Give the "
            "right candidate nearly as much as the favourite: with K = 3 there is room.",
        ),
        Mistake(
            "M53",
            chosen(EXAMPLES, "M53", "all right"),
            "The right candidate ties with another one, and here it counts as right only if it is larger "
            "than every other.",
        ),
        Mistake(
            "L12",
            chosen(EXAMPLES, "refuted", "below one bit"),
            "No such rows exist. If no choice is right, no right candidate has more than 1/2: what is the "
            "least loss then?",
        ),
        *(
            Mistake(
                "M33",
                chosen(EXAMPLES, "M33", key),
                "A row does not sum to 1, so it is not a distribution over the candidates.",
            )
            for key in ("lower loss", "never right", "all right")
        ),
    ),
    advice="Try one or two rows, and print loss and accuracy of each.",
)

QUESTIONS = (FRONTIER, BOUND)
