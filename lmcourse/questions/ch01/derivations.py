"""Chapter 01, chances to end that are to be designed, and the size of an n-gram table."""

import numpy as np
from scipy.special import zeta

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen
from lmcourse.questions.shared.properties import FINITE, not_negative
from lmcourse.questions.shared.wrong import but

# --- endings ---------------------------------------------------------------------------------------------

EARLY, FAR = 10, 20_000
LEAKS, TIGHT = "leaks", "tight"


def going_on(a, c, words):
    """The probability that a text has not ended after so many words, or ever (``np.inf``)."""
    last = FAR if np.isinf(words) else int(words)
    chances = a / (np.arange(1, last + 1) + 1.0) ** c
    rest = np.log1p(-chances).sum()
    if np.isinf(words):
        if c <= 1:  # the chances add up to infinity
            return 0.0
        rest -= a * zeta(c, last + 2.0)  # the logarithms of the other factors, to first order
    return float(np.exp(rest))


def _pair(given):
    """The numbers a and c, or a sentence that says why they cannot be used."""
    given = plain_data(given)
    if isinstance(given, dict) and set(given) == {"a", "c"}:
        given = [given["a"], given["c"]]
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return "give a pair (a, c) of numbers."
    if found.shape != (2,) or not np.isfinite(found).all():
        return "give a pair (a, c) of numbers."
    a, c = found
    if a <= 0:
        return "a has to be above 0, or the text never ends."
    if c < 0:
        return "c has to be 0 or more: below 0, the chance would grow and at some word exceed 1."
    if a >= 2.0**c:
        return f"the chance after the first word, a / 2**c, is {a / 2.0**c:.4g}. It has to be below 1."
    return a, c


def _fades_and_ends(given):
    pair = _pair(given)
    if isinstance(pair, str):
        return pair
    if pair[1] == 0:
        return "this chance is the same after every word; it has to go to 0."
    return LEAKS if going_on(*pair, np.inf) > 0 or pair[1] > 1 else RIGHT


def _late_and_ends(given):
    pair = _pair(given)
    if isinstance(pair, str):
        return pair
    ended = 1 - going_on(*pair, EARLY)
    if ended > 0.01:
        return f"after ten words {ended:.4g} of the mass has ended, which is more than 0.01."
    return LEAKS if pair[1] > 1 else RIGHT


def _early_and_leaks(given):
    pair = _pair(given)
    if isinstance(pair, str):
        return pair
    ended, never = 1 - going_on(*pair, EARLY), going_on(*pair, np.inf)
    if pair[1] <= 1:
        return TIGHT
    if ended < 0.8:
        return f"after ten words only {ended:.4g} of the mass has ended. It has to be at least 0.8."
    return RIGHT if never >= 0.01 else f"only {never:.4g} of the mass never ends. It has to be at least 0.01."


EXAMPLES = {
    "fades and ends": {RIGHT: [0.5, 1.0], LEAKS: [0.5, 2.0], "not read": [0.0, 0.0]},
    "late and ends": {RIGHT: [0.0008, 0.0], LEAKS: [0.005, 3.0], "not read": [0.0, 0.0]},
    "early and leaks": {RIGHT: [3.0, 2.0], TIGHT: [0.5, 0.0], "not read": [0.0, 0.0]},
}

ENDINGS = Question(
    key="01.endings",
    title="three chances to end",
    kind="protocol",
    stars=2,
    points=3,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does(
        {
            "fades and ends": _fades_and_ends,
            "late and ends": _late_and_ends,
            "early and leaks": _early_and_leaks,
        },
        EXAMPLES,
    ),
    entry_points=dict.fromkeys(EXAMPLES, 1),
    mistakes=(
        Mistake(
            "L42",
            but(chosen(EXAMPLES), {"fades and ends": lambda: EXAMPLES["fades and ends"][LEAKS]}),
            "Your chance in 'fades and ends' goes to 0 too fast: some of the mass belongs to texts that "
            "never end. How fast may the chances fall and still add up to infinity?",
        ),
        Mistake(
            "L42",
            but(chosen(EXAMPLES), {"late and ends": lambda: EXAMPLES["late and ends"][LEAKS]}),
            "Your chance in 'late and ends' goes to 0 too fast: some of the mass belongs to texts that "
            "never end. If the chance is small, few texts end early; it need not fall for that.",
        ),
        Mistake(
            "L42",
            but(chosen(EXAMPLES), {"early and leaks": lambda: EXAMPLES["early and leaks"][TIGHT]}),
            "With your 'early and leaks' every text ends sooner or later: the chances add up to infinity. "
            "Only a chance that falls fast enough leaves some mass for texts that never end.",
        ),
    ),
    advice="Multiply the chances of going on, 1 - a / (t + 1)**c, over the first ten words, the first "
    "thousand and the first million, and watch whether the product still falls.",
)

# --- parameters ------------------------------------------------------------------------------------------


def sparsity(V, n, N):
    """Free numbers of an n-gram table, and the largest share of all n-grams that N tokens can show."""
    return {"free": V ** (n - 1) * (V - 1), "share": (N - n + 1) / V**n}


PARAMETERS = Question(
    key="01.parameters",
    title="how many numbers does an n-gram model need?",
    kind="derive",
    stars=1,
    points=2,
    form="expression",
    symbols=("V", "n", "N"),
    entry_points={"free": 1, "share": 1},
    right=sparsity,
    cases=((3.0, 2.0, 20.0), (5.0, 3.0, 60.0), (4.0, 4.0, 100.0)),
    draw=lambda rng: (
        float(rng.integers(3, 12)),
        float(rng.integers(2, 5)),
        float(rng.integers(20, 100)),
    ),
    mistakes=(
        Mistake(
            "L11",
            but(sparsity, {"free": lambda V, n, N: V**n}),
            "Your 'free' counts every cell of the table. Each row adds up to 1, so its last number is not "
            "free.",
        ),
        Mistake(
            "L19",
            but(sparsity, {"free": lambda V, n, N: V**n - 1}),
            "Your 'free' is right for a joint distribution, which has one constraint. A table of "
            "conditional probabilities has one constraint for each row.",
        ),
        Mistake(
            "L23",
            but(sparsity, {"free": lambda V, n, N: V**n * (V - 1)}),
            "Your 'free' gives an n-gram a context of n words. An n-gram has n words in all: the n - 1 of "
            "its context, and one more.",
        ),
        Mistake(
            "L23",
            but(sparsity, {"share": lambda V, n, N: N / V**n}),
            "Your 'share' counts an n-gram for every token. The first n-gram ends at token n.",
        ),
        Mistake(
            "L23",
            but(sparsity, {"share": lambda V, n, N: (N - n) / V**n}),
            "Your 'share' counts one n-gram too few. How many does a text of n tokens have?",
        ),
        Mistake(
            "L22",
            but(sparsity, {"share": lambda V, n, N: N - n + 1}),
            "Your 'share' is the number of n-grams in the text. Divide by the number of all possible "
            "n-grams.",
        ),
        Mistake(
            "L11",
            but(sparsity, {"free": lambda V, n, N: (V - 1) ** n}),
            "Your 'free' has the factor V - 1 for all n places. Any of the V words is possible at each place "
            "of a context; only the row of next words has a number that follows from the others.",
        ),
        Mistake(
            "L22",
            but(sparsity, {"free": lambda V, n, N: V ** (n - 1)}),
            "Your 'free' is the number of rows. How many numbers of each row can be chosen freely?",
        ),
        Mistake(
            "L4",
            but(sparsity, {"free": lambda V, n, N: n * (V - 1)}),
            "Your 'free' adds up the places. Each of the n - 1 places of a context can be filled by any of "
            "V words: multiply the numbers of choices.",
        ),
        Mistake(
            "L4",
            but(sparsity, {"free": lambda V, n, N: V * (n - 1) * (V - 1)}),
            "Your 'free' adds up the words of a context. Each of the n - 1 places can be filled by any of V "
            "words: multiply the numbers of choices.",
        ),
        Mistake(
            "L34",
            but(sparsity, {"share": lambda V, n, N: V**n / (N - n + 1)}),
            "Your 'share' is upside down. It is a fraction of all n-grams.",
        ),
        Mistake(
            "L24",
            but(sparsity, {"free": lambda V, n, N: V - 1}),
            "Your 'free' is the number for one row. There is a row for every context.",
        ),
        Mistake(
            "L16",
            but(sparsity, {"share": lambda V, n, N: (N - n + 1) / V ** (n - 1)}),
            "Your 'share' divides by the number of contexts. The task asks for the share of all n-grams.",
        ),
    ),
    alike=(
        ("right", "L4 (2)", "for n = 2 a context is a single word"),
        ("L11 (2)", "L4", "2 times 2 is 2 to the power 2"),
    ),
    properties=(FINITE, Property("a count or a share is below 0", not_negative)),
    advice="Draw the table for V = 3 and n = 2: how many rows are there, how many numbers does each row "
    "have, and how many of them are free?",
)

QUESTIONS = (ENDINGS, PARAMETERS)
