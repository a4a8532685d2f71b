"""Chapter 14, digits: what a sum in float32 loses, and in which order it loses least."""

import math

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.plain_data import of_torch
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but, then

# --- float-sum -------------------------------------------------------------------------------------------

UNIT = 2.0**-24
"""The largest relative error of one rounding to float32."""

FITS, AS_GIVEN, LARGEST = "fits", "as given", "largest first"
"""What an order of the values does; it is read as one of three orders that do the same."""


def running(values):
    """The sum that results from adding one number after the other in float32."""
    return float(np.cumsum(values, dtype=np.float32)[-1])


def float_sum(values):
    """What a running sum in float32 loses, a bound on that, the spacing at its end, and a better order."""
    exact = math.fsum(values.tolist())
    return {
        "lost": exact - running(values),
        "bound": (len(values) - 1) * UNIT * exact,
        "gap": float(np.spacing(np.float32(exact))),
        "order": np.sort(values).astype(np.float64),
    }


def read_order(answer, values):
    """Read an answer's order as one of ours that does what it does."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or "order" not in answer:
        return answer, {}
    given = answer["order"]
    if of_torch(given):
        given = given.detach().tolist()
    try:
        order = np.asarray(given, dtype=np.float64).ravel()
    except (TypeError, ValueError):
        order = np.zeros(0)
    if order.shape != values.shape or not np.array_equal(np.sort(order), np.sort(values).astype(np.float64)):
        told = '"order": give the values themselves, each as often as it occurs, in another order.'
        return answer | {"order": np.zeros(values.shape)}, {"order": told}
    return answer | {"order": _ours(_kind(order.astype(np.float32), values), values)}, {}


def _ours(kind, values):
    """An order of this kind."""
    given, rising = values.astype(np.float64), np.sort(values).astype(np.float64)
    return {FITS: rising, AS_GIVEN: given, LARGEST: rising[::-1]}[kind]


def _kind(order, values):
    exact = math.fsum(values.tolist())
    if abs(running(order) - exact) <= 2 * UNIT * exact:
        return FITS
    return LARGEST if (np.diff(order) <= 0).all() and not np.array_equal(order, values) else AS_GIVEN


def _draw_values(rng):
    n = int(rng.integers(150, 300))
    large = rng.uniform(1.75e7, 3.2e7, size=2)
    return (np.concatenate([large, rng.uniform(0.05, 1.5, size=n)]).astype(np.float32),)


def _lost(add):
    """The right answer, but for what is lost when the values are added in this way."""
    return but(float_sum, {"lost": lambda values: math.fsum(values.tolist()) - add(values)})


def _bound(factor):
    return but(float_sum, {"bound": lambda values: factor(len(values)) * math.fsum(values.tolist())})


FLOAT_SUM = Question(
    key="14.float-sum",
    title="how many digits of a sum are right?",
    kind="compute",
    stars=2,
    points=4,
    right=float_sum,
    cases=(
        _draw_values(np.random.default_rng(1441)),
        _draw_values(np.random.default_rng(1442)),
    ),
    draw=_draw_values,
    atol=3e-7,
    precision="Take the exact sum in float64, or with math.fsum, and do not round.",
    reading=read_order,
    entry_points={"lost": 1, "bound": 1, "gap": 1, "order": 1},
    mistakes=(
        Mistake(
            "M44",
            _lost(lambda values: math.fsum(values.tolist())),
            "You lose nothing: your total is a float64, or it is compared with itself. In a running sum in "
            "float32 the total is rounded to float32 after every addition.",
        ),
        Mistake(
            "L11",
            _lost(lambda values: running(np.sort(values))),
            "Your 'lost' belongs to a sum that begins with the smallest value. Add the values in the order "
            "in which they come.",
        ),
        Mistake(
            "M44",
            but(
                float_sum,
                {"lost": lambda values: float(np.float32(math.fsum(values.tolist()))) - running(values)},
            ),
            "Your difference is one of two float32 numbers. A Python float minus a np.float32 is a "
            "np.float32: turn the running sum into a float before you subtract.",
        ),
        Mistake(
            "L7",
            then(float_sum, lambda found: found | {"lost": -found["lost"]}),
            "Your 'lost' is the running sum minus the exact one. It is positive where something is lost.",
        ),
        Mistake(
            "L26",
            but(float_sum, {"lost": lambda v: (math.fsum(v.tolist()) - running(v)) / math.fsum(v.tolist())}),
            "Your 'lost' is a share of the sum. The difference itself is asked for, in nats.",
        ),
        Mistake(
            "L34",
            _bound(lambda n: (n - 1) * 2 * UNIT),
            "Your 'bound' takes the distance between two neighbouring float32 numbers, 2**-23 at 1, for the "
            "rounding error. Rounding is off by at most half that distance.",
        ),
        Mistake(
            "L23",
            _bound(lambda n: n * UNIT),
            "Your 'bound' counts one addition too many. How many additions does a sum of n numbers need?",
        ),
        Mistake(
            "L22",
            _bound(lambda n: UNIT),
            "Your 'bound' is the error of a single rounding. Each addition makes one.",
        ),
        Mistake(
            "L31",
            _bound(lambda n: (n - 1) * 2.0**-53),
            "Your 'bound' is that of float64.",
        ),
        Mistake(
            "L9",
            but(float_sum, {"gap": lambda values: 2 * UNIT * math.fsum(values.tolist())}),
            "Your 'gap' is 2**-23 times the sum. Neighbours are equally far apart from one power of 2 "
            "to the next: it depends on the power of 2 below the sum.",
        ),
        Mistake(
            "L34",
            but(float_sum, {"gap": lambda values: float_sum(values)["gap"] / 2}),
            "Your 'gap' is the largest rounding error. Two neighbours are twice as far apart.",
        ),
        Mistake(
            "L8",
            but(float_sum, {"gap": lambda values: 2 * UNIT}),
            "Your 'gap' is far too small: it is the gap between float32 numbers at 1, or between float64 "
            "numbers. Here a float32 holds a sum of some ten million.",
        ),
        Mistake(
            "L11",
            but(float_sum, {"order": lambda values: _ours(AS_GIVEN, values)}),
            "In your order the running sum is still too far from the exact one. A small number that meets a "
            "large total is rounded away: how large should the total be when the small numbers are added?",
        ),
        Mistake(
            "L7",
            but(float_sum, {"order": lambda values: _ours(LARGEST, values)}),
            "Your order begins with the largest values, so every small one meets a large total and is "
            "rounded away.",
        ),
    ),
    properties=(FINITE,),
    advice="Print the total after each of the first ten additions. What does np.float32(2**25) + "
    "np.float32(1) give?",
)

QUESTIONS = (FLOAT_SUM,)
