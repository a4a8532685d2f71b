"""Chapter 11, intervals: a text as nested intervals, and a text that is read back from its bits."""

import re
from fractions import Fraction
from functools import partial

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- intervals -------------------------------------------------------------------------------------------


def _scaled(low, width, row, i):
    return low + width * row[:i].sum(), width * row[i]


def nest(rows, ids, step=_scaled):
    """The interval of a text, and its surprisal in bits; rows (T, V), ids (T,)."""
    low, width = 0.0, 1.0
    for row, i in zip(rows, ids, strict=True):
        low, width = step(low, width, row, i)
    return {"low": low, "width": width, "bits": -np.log2(width)}


def _draw_rows(rng, length=None):
    V, T = int(rng.integers(3, 6)), length or int(rng.integers(3, 8))
    rows = rng.dirichlet(np.full(V, 2.0), size=T).round(3) + 0.001
    return rows / rows.sum(axis=1, keepdims=True), rng.integers(0, V, size=T)


def _with_a_certain_symbol(rng):
    rows, ids = _draw_rows(rng, length=4)
    rows[2] = np.eye(rows.shape[1])[ids[2]]
    return rows, ids


INTERVALS = Question(
    key="11.intervals",
    title="a text as an interval",
    kind="implement",
    stars=1,
    points=2,
    right=nest,
    cases=(
        (np.array([[0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.4, 0.4, 0.2]]), np.array([1, 2, 1])),
        (
            np.array(
                [[0.2, 0.1, 0.4, 0.3], [0.25, 0.25, 0.3, 0.2], [0.6, 0.1, 0.2, 0.1], [0.3, 0.2, 0.4, 0.1]]
            ),
            np.array([2, 3, 1, 2]),
        ),
    ),
    draw=_draw_rows,
    odd=(lambda rng: _draw_rows(rng, length=1), _with_a_certain_symbol),
    entry_points={"low": 1, "bits": 1},
    mistakes=(
        Mistake(
            "L10",
            partial(nest, step=lambda low, width, row, i: (low + row[:i].sum(), width * row[i])),
            "Your 'low' adds up the shares of the rows as they are. From the second symbol on, a row divides "
            "the interval that has been reached, so its shares are shares of that width.",
        ),
        Mistake(
            "L40",
            partial(
                nest, step=lambda low, width, row, i: (low + width * row[i] * row[:i].sum(), width * row[i])
            ),
            "You narrow the width before you move 'low', so each symbol's own probability is in its step. "
            "Move 'low' first, or keep the old width.",
        ),
        Mistake(
            "L23",
            partial(nest, step=lambda low, width, row, i: (low + width * row[: i + 1].sum(), width * row[i])),
            "Your 'low' is where each symbol's part ends. It begins after the parts of the symbols *before* "
            "it in the row.",
        ),
        Mistake(
            "L16",
            partial(nest, step=lambda low, width, row, i: (row[:i].sum() + row[i] * low, width * row[i])),
            "Your intervals are nested from the inside: the last symbol makes the first division. The first "
            "symbol divides the whole interval from 0 to 1.",
        ),
        Mistake(
            "M1",
            but(nest, {"bits": lambda rows, ids: -np.log(nest(rows, ids)["width"])}),
            "Your 'bits' are {ratio} = ln 2 times what they should be: they are nats.",
        ),
        Mistake(
            "L23",
            but(nest, {"low": lambda rows, ids: nest(rows, ids)["low"] + nest(rows, ids)["width"]}),
            "Your 'low' is where the interval ends.",
        ),
        Mistake(
            "L22",
            but(nest, {"low": lambda rows, ids: nest(rows, ids)["low"] + nest(rows, ids)["width"] / 2}),
            "Your 'low' is the middle of the interval. The task asks where it begins.",
        ),
        Mistake(
            "M3",
            but(nest, {"bits": lambda rows, ids: -np.log10(nest(rows, ids)["width"])}),
            "Your 'bits' are {ratio} times what they should be: the logarithm has the base 10.",
        ),
        Mistake(
            "M4",
            but(nest, {"bits": lambda rows, ids: 1 / nest(rows, ids)["width"]}),
            "Your 'bits' are one over the width. Take its logarithm to base 2.",
        ),
        Mistake(
            "L1",
            but(nest, {"bits": lambda rows, ids: nest(rows, ids)["bits"] / len(ids)}),
            "Your 'bits' are those of one symbol on average. The task asks for the whole text.",
        ),
        Mistake(
            "M5",
            but(nest, {"bits": lambda rows, ids: -nest(rows, ids)["bits"]}),
            "Your 'bits' are below 0. A width is at most 1, so the minus sign belongs before its logarithm.",
        ),
    ),
    properties=(
        Property(
            "the interval does not lie between 0 and 1",
            lambda value, *case: value["low"] >= 0 and value["low"] + value["width"] <= 1 + 1e-9,
        ),
    ),
    advice="Two symbols under the row (0.5, 0.5): the text (1, 0) has the interval from 0.5 to 0.75.",
)

# --- decode ----------------------------------------------------------------------------------------------

WORDS = (".", "the", "wolf", "king", "sleeps")
EIGHTHS = ((0, 4, 1, 2, 1), (0, 0, 5, 3, 0), (2, 1, 0, 1, 4), (1, 2, 1, 0, 4), (5, 2, 0, 1, 0))
"""What follows each word, in eighths: a row for each word before; the first row also begins a text."""
BITS, FLIPPED = "01001110", 2
"""What stands in the archive, and the place of the bit that is flipped."""


def shortest_code(low, width):
    """The first of the shortest strings of bits whose cell lies inside; exact for fractions."""
    length = 0
    while True:
        scale = 2**length
        k = -((-low * scale) // 1)  # the first that begins inside
        if (k + 1) / Fraction(scale) <= low + width:
            return f"{int(k):0{length}b}" if length else ""
        length += 1


def _next(x, shares):
    """The symbol whose part of 0 to 1 holds x, and where in this part x is."""
    low = Fraction(0)
    for symbol, share in enumerate(shares):
        if low <= x < low + share:
            return symbol, (x - low) / share
        low += share
    raise AssertionError("the shares sum to less than 1")


def words_of(bits):
    """The words of the text whose interval holds the number 0.bits."""
    x, before, found = Fraction(int(bits, 2), 2 ** len(bits)), 0, []
    while True:
        before, x = _next(x, [Fraction(n, 8) for n in EIGHTHS[before]])
        if before == 0:
            return " ".join(found)
        found.append(WORDS[before])


def _flip(bits, place):
    return bits[:place] + str(1 - int(bits[place])) + bits[place + 1 :]


def decode(place=FLIPPED):
    """The text of the bits, and the text if one bit of them is flipped."""
    return {"text": words_of(BITS), "flipped": words_of(_flip(BITS, place))}


def read_words(answer):
    """Words as a text or a list, in any case, with or without the end at their end."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != {"text", "flipped"}:
        raise Unreadable("your answer must be a dictionary with the keys 'text' and 'flipped'.")
    return {key: _read_words(given) for key, given in answer.items()}, {}


def _read_words(given):
    if isinstance(given, list | tuple):
        given = " ".join(map(str, given))
    if not isinstance(given, str):
        return given
    words = re.findall(r"[^\W\d]+|[.]", given.lower().replace("</s>", "."))
    while words and words[-1] == "." and words.count(".") == 1:
        words = words[:-1]
    if "." in words:  # it goes on after the end: one form for all lengths
        words = [*words[: words.index(".") + 1], "..."]
    return " ".join(words)


def _endless():
    return {key: f"{text} . ..." for key, text in decode().items()}


DECODE = Question(
    key="11.decode",
    title="eight bits from the archive",
    kind="compute",
    stars=1,
    points=2,
    form="value",
    right=decode,
    cases=((),),
    reading=read_words,
    entry_points={"text": 1, "flipped": 1},
    mistakes=(
        Mistake(
            "M27",
            _endless,
            "You go on after the end of the text. Nothing else tells a decoder where to stop: the bits are "
            "a number, and a number can be divided for ever.",
        ),
        Mistake(
            "L23",
            partial(decode, FLIPPED - 1),
            "Your 'flipped' is the text of the bits in which the second bit is flipped.",
        ),
        Mistake(
            "L23",
            partial(decode, FLIPPED + 1),
            "Your 'flipped' is the text of the bits in which the fourth bit is flipped.",
        ),
        Mistake(
            "L23",
            partial(decode, len(BITS) - FLIPPED - 1),
            "Your 'flipped' is the text of the bits in which the third bit from the right is flipped.",
        ),
        Mistake(
            "L31",
            lambda: {"text": decode()["flipped"], "flipped": decode()["text"]},
            "Your two texts are swapped.",
            explains="answer",
        ),
    ),
    advice="The bits 101 are the number 1/2 + 1/8. In the first row 'the' has the part from 0 to 4/8. If the "
    "number were there, you would multiply it by 8/4 and go to the row of 'the'.",
)

QUESTIONS = (INTERVALS, DECODE)
