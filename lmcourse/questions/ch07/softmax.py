"""Chapter 07, the last layer: the loss and its gradient through a softmax."""

from functools import partial
from itertools import combinations

import numpy as np
from scipy.special import log_softmax, softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.properties import FINITE, unchanged
from lmcourse.questions.shared.units import unit_mistakes

# --- last-layer ------------------------------------------------------------------------------------------


def last_layer(s1, s2, s3, h, came=1, counted=1.0, through=lambda error, q: error, weight=None, back=None):
    """Derivatives of the loss where word 2 of three comes and the logit of word k is s_k h."""
    s = np.array([s1, s2, s3])
    q = softmax(s * h)
    error = through(q - counted * np.eye(3)[came], q)
    return {
        "z1": error[0],
        "z2": error[1],
        "s2": error[1] * (h if weight is None else weight),
        "h": error @ s if back is None else back(error, q, s),
    }


LAST_LAYER = Question(
    key="07.last-layer",
    title="expected minus counted",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("s1", "s2", "s3", "h"),
    right=last_layer,
    cases=((0.7, -0.4, 1.3, 0.6), (-1.1, 0.9, 0.2, -0.75), (2.0, 1.2, -0.5, 0.9)),
    draw=lambda rng: (*rng.normal(size=3), float(rng.choice([-1, 1]) * rng.uniform(0.3, 0.95))),
    mistakes=(
        Mistake(
            "L22",
            partial(last_layer, counted=0.0),
            "You have what is expected but not what is counted: the loss has a second term, -z_2.",
        ),
        Mistake(
            "M5",
            partial(last_layer, through=lambda error, q: -error),
            "Your sign is wrong: that is the gradient of ln q_2, which training should increase. The loss is "
            "-ln q_2.",
        ),
        Mistake(
            "L23",
            partial(last_layer, came=2),
            "You take word 3 for the word that comes. Python counts from 0, and the task from 1.",
        ),
        Mistake(
            "L23",
            partial(last_layer, came=0),
            "You take word 1 for the word that comes, but in the task it is word 2: z[1] is the logit of "
            "word 2.",
            explains="answer",
        ),
        Mistake(
            "M6",
            partial(last_layer, through=lambda error, q: q[1] * error),
            "You differentiate -q_2. The loss is -ln q_2.",
        ),
        Mistake(
            "L10",
            partial(last_layer, weight=1.0),
            "Your derivative for s_2 stops at the logit. The logit is s_2 times h: by the chain rule of "
            "calculus there is one more factor.",
        ),
        Mistake(
            "L10",
            partial(last_layer, back=lambda error, q, s: error[1] * s[1]),
            "Your derivative for h goes through z_2 alone. h is in every logit: add up the three paths.",
        ),
        Mistake(
            "L10",
            partial(last_layer, back=lambda error, q, s: error.sum()),
            "Your derivative for h is 0 everywhere: the errors add up to 0. Each goes back along its own "
            "weight.",
        ),
        Mistake(
            "L22",
            partial(last_layer, back=lambda error, q, s: q @ s),
            "Your derivative for h lacks what was counted: subtract the weight of word 2.",
        ),
    ),
    properties=(
        Property(
            "the derivatives for z_1 and z_2 have opposite signs, but yours do not",
            lambda value, *_: value["z1"] * value["z2"] < 0,
        ),
    ),
    advice="Write the loss as ln(e^z1 + e^z2 + e^z3) - z2, and let SymPy differentiate; put in s_k h "
    "afterwards.",
)

# --- loss-and-gradient -----------------------------------------------------------------------------------


def loss_and_gradient(logits, targets, logs=lambda z: log_softmax(z, axis=1), loss=None, gradient=None):
    """Mean nats of N targets, and its derivative for each logit; (N, V), (N,)."""
    n, vocabulary = logits.shape
    log_q = logs(logits)
    nats = -log_q[np.arange(n), targets]
    q, came = np.exp(log_q), np.eye(vocabulary)[targets]
    return {
        "loss": (loss or np.mean)(nats),
        "gradient": (q - came) / n if gradient is None else gradient(q, came),
    }


def _softmax_gradient(z):
    return lambda q, came: (softmax(z, axis=1) - came) / len(q)


def _softmax_then_log(logits, targets):
    return loss_and_gradient(logits, targets, wrong.softmax_then_log, gradient=_softmax_gradient(logits))


def _floored(logits, targets):
    return loss_and_gradient(logits, targets, wrong.floored, gradient=_softmax_gradient(logits))


def _draw_rows(rng):
    """Logits; `<s>` in column 1 cannot come; one row is large as a whole, one target trails far behind."""
    n, vocabulary = int(rng.integers(3, 6)), int(rng.integers(4, 7))
    logits = rng.normal(scale=2.0, size=(n, vocabulary))
    logits[:, 1] = -np.inf
    targets = rng.choice([0, *range(2, vocabulary)], size=n)
    logits[0] += rng.uniform(900, 3000)
    logits[1, targets[1]] -= rng.uniform(800, 1500)
    return logits, targets


_OUT = -np.inf


def _draw_low_rows(rng):
    """All rows lie far below 0, at levels of their own."""
    logits, targets = _draw_rows(rng)
    return logits - rng.uniform(4000, 9000, size=(len(logits), 1)), targets


LOSS_AND_GRADIENT = Question(
    key="07.loss-and-gradient",
    title="the loss and its gradient, from logits",
    kind="implement",
    stars=2,
    points=3,
    right=loss_and_gradient,
    cases=(
        (
            # float32 cannot hold these thousands: what it loses here it would lose on fresh inputs
            np.array([[0.5, _OUT, 2.0, -1.0], [1000.1, _OUT, 1001.3, 999.6], [0.0, _OUT, -850.0, 1.0]]),
            np.array([2, 0, 2]),
        ),
        (
            np.array([[1.5, _OUT, 0.0, -0.5], [-900.0, _OUT, 1.0, 0.5], [2500.0, _OUT, 2499.0, 2502.0]]),
            np.array([3, 0, 2]),
        ),
        (np.array([[0.5, _OUT, -1.0], [0.25, _OUT, 1.5]]), np.array([0, 2])),
        # one row is large, and no target is far below the others: only an exponential can overflow
        (np.array([[1200.5, _OUT, 1199.0], [0.75, _OUT, -0.5]]), np.array([2, 0])),
    ),
    alike=tuple(
        (one, other, "the logits of the third case are small")
        for one, other in combinations(("right", "M45", "M45 (2)", "M46", "M30"), 2)
    ),
    draw=_draw_rows,
    odd=(_draw_low_rows,),
    mistakes=(
        *unit_mistakes(loss_and_gradient, "M2 M3 M5", only=("loss",)),
        Mistake(
            "M45",
            partial(loss_and_gradient, logs=wrong.ratio_of_large_exponentials),
            "A row whose logits are in the thousands gives nan: exp overflows to inf, and inf / inf is not "
            "a number. Subtract the largest logit of the row first.",
        ),
        Mistake(
            "M45",
            partial(loss_and_gradient, logs=wrong.sum_of_large_exponentials),
            "Rows with large logits fail: the sum of the exponentials overflows inside the logarithm. "
            "Subtract the largest logit of the row first, and add it back outside.",
        ),
        Mistake(
            "M46",
            _softmax_then_log,
            "Your loss is infinite: a softmax has become 0, and then you took its logarithm. Compute the log "
            "probabilities themselves; the probabilities are their exponentials.",
        ),
        Mistake(
            "M30",
            _floored,
            "None of your tokens has a loss above 23 nats: a small constant is added before the logarithm. "
            "Compute the log probabilities themselves.",
        ),
        Mistake(
            "M6",
            partial(loss_and_gradient, logs=wrong.softmax_twice),
            "You take the softmax of a softmax: all your distributions are almost flat. F.cross_entropy "
            "takes logits.",
        ),
        Mistake(
            "L1",
            partial(loss_and_gradient, loss=np.sum, gradient=lambda q, came: q - came),
            "Your loss is the total, and the task asks for the mean over the rows.",
        ),
        Mistake(
            "L1",
            partial(loss_and_gradient, gradient=lambda q, came: q - came),
            "Your loss is the mean, but your gradient is that of the total. The mean divides by N, and so "
            "do its derivatives.",
        ),
        Mistake(
            "L1",
            partial(loss_and_gradient, gradient=lambda q, came: (q - came) / q.size),
            "You divide the gradient by all N V numbers. The loss is a mean over N rows.",
        ),
        Mistake(
            "M5",
            partial(loss_and_gradient, gradient=lambda q, came: (came - q) / len(q)),
            "Your gradient points down: it is what you would add to the logits. The derivative of the loss "
            "is expected minus counted.",
        ),
        Mistake(
            "L22",
            partial(loss_and_gradient, gradient=lambda q, came: q / len(q)),
            "Your gradient has what is expected but not what came. Subtract 1 at the target.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "a row of 'gradient' does not sum to 0: what the probability of one logit gains, the others lose",
            lambda value, *_: np.abs(value["gradient"].sum(axis=1)).max() < 1e-9,
        ),
        Property(
            "it changes when a constant is added to all logits",
            unchanged,
            also=lambda logits, targets: (logits + 3.0, targets),
        ),
    ),
    advice="Take one row, two symbols, logits [0, 0] and target 0: the loss is ln 2, the gradient ±1/2.",
)

QUESTIONS = (LAST_LAYER, LOSS_AND_GRADIENT)
