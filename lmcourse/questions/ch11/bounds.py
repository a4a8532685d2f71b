"""Chapter 11, how long a code has to be: the two-bit bound, and statements to refute."""

from fractions import Fraction

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.ch11.intervals import shortest_code
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.wrong import but

# --- two-bits --------------------------------------------------------------------------------------------


def _length(w):
    return np.ceil(-np.log2(w)) + 1


def two_bits(a, w):
    """Length and number of a code for the interval from a to a + w, and its bits above the surprisal."""
    k = _length(w)
    return {"length": k, "code": np.floor((a + w / 2) * 2**k) / 2**k, "overhead": k + np.log2(w)}


def _cut(change):
    """A wrong number of the code, from the interval and 2**k."""
    return but(two_bits, {"code": lambda a, w: change(a, w, 2 ** _length(w))})


def read_code(answer, a, w):
    """Any cell of this length that lies inside the interval is as good as ours."""
    if isinstance(answer, dict) and isinstance(answer.get("code"), float):
        lengths = {_length(w)} | ({_length(w) + 1} & {answer.get("length")})  # a wrong length is told once
        if any(_inside(answer["code"], a, w, 2**k) for k in lengths):
            answer = answer | {"code": float(two_bits(a, w)["code"])}
    return answer, {}


def _inside(code, a, w, cells):
    whole = abs(code * cells - round(code * cells)) < 1e-7
    return whole and a - 1e-12 <= code and code + 1 / cells <= a + w + 1e-12


def _shorter(a, w):
    """What follows from a length that has one bit less."""
    k = _length(w) - 1
    return {"length": k, "code": np.floor((a + w / 2) * 2**k) / 2**k, "overhead": k + np.log2(w)}


TOO_WIDE = (
    "With your 'length' a cell is at most as wide as the text's interval, and it may still lie across one of "
    "its ends. Make it at most *half* as wide."
)
TOO_NARROW = "With your 'length' a cell is at most a quarter as wide as the interval. Half is enough."


def _draw_interval(rng):
    """An interval between 0 and 1 whose width is not too near to a power of two."""
    while True:
        w = float(np.exp(rng.uniform(-7, -0.4)))
        if abs(np.log2(w) - np.round(np.log2(w))) > 0.02:
            return float(rng.uniform(0, 1 - w)), w


TWO_BITS = Question(
    key="11.two-bits",
    title="two bits are enough",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("a", "w"),
    right=two_bits,
    cases=((0.153, 0.03), (0.0284, 0.0137), (0.0123, 0.0041)),
    draw=_draw_interval,
    reading=read_code,
    entry_points={"length": 1, "code": 1, "overhead": 1},
    mistakes=(
        Mistake(
            "L23",
            _shorter,
            TOO_WIDE,
            explains="numbers",  # some of these codes do what is asked
        ),
        Mistake("L23", but(two_bits, {"length": lambda a, w: _length(w) - 1}), TOO_WIDE),
        Mistake(
            "L23",
            but(two_bits, {"overhead": lambda a, w: _shorter(a, w)["overhead"]}),
            "Your 'overhead' is that of a code with one bit less. It is the length of *this* code minus the "
            "surprisal.",
        ),
        Mistake(
            "L23",
            but(
                two_bits,
                {
                    "length": lambda a, w: _length(w) + 1,
                    "overhead": lambda a, w: two_bits(a, w)["overhead"] + 1,
                },
            ),
            TOO_NARROW,
            explains="answer",
        ),
        Mistake("L23", but(two_bits, {"length": lambda a, w: _length(w) + 1}), TOO_NARROW),
        Mistake(
            "L23",
            but(two_bits, {"overhead": lambda a, w: two_bits(a, w)["overhead"] + 1}),
            "Your 'overhead' is that of a code with one bit more. It is the length of *this* code minus the "
            "surprisal.",
        ),
        Mistake(
            "L22",
            but(two_bits, {"length": lambda a, w: 1 - np.log2(w)}),
            "Your 'length' is not a whole number. Round it up: `sp.ceiling`.",
        ),
        Mistake(
            "M1",
            but(two_bits, {"length": lambda a, w: np.ceil(-np.log(w)) + 1}),
            "Your 'length' uses the natural logarithm. One more bit halves a cell: the base is 2.",
        ),
        Mistake(
            "L22",
            _cut(lambda a, w, cells: a + w / 2),
            "Your 'code' is the middle of the interval, which has many digits. Truncate it after k "
            "binary places: multiply by 2**k, `sp.floor`, divide.",
        ),
        Mistake(
            "L7",
            _cut(lambda a, w, cells: np.floor(a * cells) / cells),
            "Your 'code' is where the interval begins, truncated, and that lies below it. Start from its "
            "middle.",
        ),
        Mistake(
            "L22",
            _cut(lambda a, w, cells: a),
            "Your 'code' is where the interval begins, which has many digits. A cell begins at a whole "
            "number of 2**(-k).",
        ),
        Mistake(
            "L7",
            _cut(lambda a, w, cells: np.ceil((a + w / 2) * cells) / cells),
            "Your 'code' is the middle, rounded up. For some intervals the cell that begins there ends "
            "beyond the interval.",
            explains="numbers",  # as above
        ),
        Mistake(
            "L22",
            _cut(lambda a, w, cells: np.floor((a + w / 2) * cells)),
            "Your 'code' is the place of a cell among all 2**k. Divide by 2**k: the task asks "
            "where it begins.",
        ),
        Mistake(
            "L7",
            but(two_bits, {"overhead": lambda a, w: -two_bits(a, w)["overhead"]}),
            "Your 'overhead' is the surprisal minus the length. It should be positive.",
        ),
        Mistake(
            "L8",
            but(two_bits, {"overhead": lambda a, w: 2.0}),
            "Your 'overhead' is the bound. The task asks for the overhead of this interval, which is a "
            "formula in w and stays below the bound.",
        ),
        Mistake(
            "M2",
            but(two_bits, {"overhead": lambda a, w: _length(w) + np.log(w)}),
            "Your 'overhead' subtracts a surprisal in nats from a length in bits. Use the logarithm to "
            "base 2.",
        ),
    ),
    properties=(
        Property(
            "your 'code' does not lie inside the interval",
            lambda value, a, w: a <= value["code"] <= a + w,
        ),
    ),
    advice="With k bits a cell has the width 2**(-k). Truncated after k places, the middle moves by less "
    "than that, and the cell that begins there must end before the text's interval does.",
)

# --- one-bit ---------------------------------------------------------------------------------------------


def _surprisal_rounded_up(width):
    """The smallest whole number k with 2**(-k) <= width."""
    k = 0
    while Fraction(1, 2**k) > width:
        k += 1
    return k


def _codes(intervals):
    return [shortest_code(low, width) for low, width in intervals]


def _a(one):
    return len(_codes([one])[0]) <= _surprisal_rounded_up(one[1])


def _b(one):
    return len(_codes([one])[0]) <= _surprisal_rounded_up(one[1]) + 1


def _c(one, other):
    first, second = _codes([one, other])
    return len(first) <= len(second)


def _d(one, other):
    first, second = _codes([one, other])
    return not first.startswith(second) and not second.startswith(first)


STATEMENTS = {"A": (_a, 1), "B": (_b, 1), "C": (_c, 2), "D": (_d, 2)}
"""For each statement whether an example has the conclusion, and of how many intervals an example consists."""


one_bit = refuted_but("BD")


FORMS = {1: "(low, width)", 2: "((low, width), (low, width))"}
"""The form of an example of so many intervals."""


def intervals_of(given, count):
    """The intervals of an example as fractions, or a sentence on what is wrong with them."""
    try:
        numbers = np.asarray(given, dtype=float).reshape(-1)
    except (TypeError, ValueError):
        return f"An example has the form {FORMS[count]}."
    if numbers.shape != (2 * count,) or not np.isfinite(numbers).all():
        return f"An example has the form {FORMS[count]}."
    exact = [Fraction(float(x)).limit_denominator(10**6) for x in numbers]
    intervals = list(zip(exact[::2], exact[1::2], strict=True))
    if any(width <= 0 for _, width in intervals):
        return "A width has to be above 0 (and at least one millionth)."
    if any(low < 0 or low + width > 1 for low, width in intervals):
        return "An interval has to lie between 0 and 1."
    return intervals


def _lacks(key, intervals):
    """What the premise of a statement lacks for these intervals."""
    if len(intervals) == 1:
        return ""
    (low, width), (other_low, other_width) = intervals
    if low < other_low + other_width and other_low < low + width:
        return "the two intervals overlap"
    if key == "C" and width <= other_width:
        return "the first interval is not wider than the second one"
    return ""


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    conclusion, count = STATEMENTS[key]
    intervals = intervals_of(given, count)
    if isinstance(intervals, str):
        return f"cannot be used. {intervals}"
    lacks = _lacks(key, intervals)
    if lacks:
        return f"does not meet the premise: {lacks}."
    if conclusion(*intervals):
        codes = " and ".join(repr(code) for code in _codes(intervals))
        return f"does not refute the statement. Shortest code: {codes}."
    return ""


ONE_BIT = Question(
    key="11.one-bit",
    title="always true, or a counterexample",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=one_bit,
    cases=((),),
    reading=always_or_example({key: FORMS[count] for key, (_, count) in STATEMENTS.items()}, _refute),
    entry_points=dict.fromkeys(STATEMENTS, 1),
    mistakes=(
        Mistake(
            "L22",
            but(one_bit, {"A": lambda: "always"}),
            "A: the width alone does not decide. Take a cell, and move it by half its width.",
        ),
        Mistake(
            "L22",
            but(one_bit, {"C": lambda: "always"}),
            "C: a code is up to two bits longer than the surprisal, and how much depends on where the "
            "interval lies. Compare a cell with a wider interval that lies across two cells.",
        ),
        Mistake(
            "L22",
            refuted_but("ABCD"),
            "A and C forget that cells have fixed places. Draw those of 1, 2 and 3 bits, and move "
            "an interval about: it may lie across several of them.",
        ),
    ),
    advice="Write a loop over low and width in steps of 1/16, and let a program look for the shortest code.",
)

QUESTIONS = (TWO_BITS, ONE_BIT)
