"""Chapter 01, two derivations: the mass of all finite strings, and the size of an n-gram table."""

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE
from lmcourse.questions.shared.wrong import but

# --- finite-strings --------------------------------------------------------------------------------------


def finite_strings(e, n):
    """Mass of strings by length; each step ends with probability e, or 2/((t + 2)(t + 3)) after t words."""
    return {
        "exactly": (1 - e) ** n * e,
        "at most": 1 - (1 - e) ** (n + 1),
        "leaking, at most": 2 * (n + 1) / (3 * (n + 2)),
        "leaking, all": 2 / 3,
    }


FINITE_STRINGS = Question(
    key="01.finite-strings",
    title="the mass of all finite strings",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("e", "n"),
    right=finite_strings,
    cases=((0.3, 2.0), (0.1, 5.0), (0.55, 1.0)),
    draw=lambda rng: (rng.uniform(0.05, 0.7), float(rng.integers(1, 9))),
    mistakes=(
        Mistake(
            "L21",
            but(finite_strings, {"exactly": lambda e, n: (1 - e) ** n}),
            "After n words, the string still has to end. Without that factor you have all strings of n words "
            "*or more*.",
        ),
        Mistake(
            "L23",
            but(finite_strings, {"exactly": lambda e, n: (1 - e) ** (n - 1) * e}),
            "Your 'exactly' is right if </s> counts as a word. Put n = 0 in: the empty string has the "
            "probability e.",
        ),
        Mistake(
            "L23",
            but(finite_strings, {"at most": lambda e, n: 1 - (1 - e) ** n}),
            "Your 'at most' is the mass of fewer than n words. The empty string is one of those that are "
            "added up, so there are n + 1 terms.",
        ),
        Mistake(
            "L13",
            but(finite_strings, {"leaking, all": lambda e, n: 1.0}),
            "An end symbol does not make the mass 1 by itself. Take the limit of your 'leaking, at most'.",
        ),
        Mistake(
            "L4",
            but(
                finite_strings,
                {
                    "leaking, at most": lambda e, n: (n + 1) / (n + 3),
                    "leaking, all": lambda e, n: 1.0,
                },
            ),
            "You add the chances to end. To end after t words, the string must first have gone on t times: "
            "multiply the chances to go on.",
        ),
        Mistake(
            "L22",
            but(finite_strings, {"leaking, at most": lambda e, n: 2 * n / (3 * (n + 1))}),
            "Your product has n factors. After 0, 1, ..., n words there are n + 1 chances to end.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property(
            "a mass is above 1 when numbers are put in",
            lambda value, *point: all(mass <= 1 for mass in value.values()),
        ),
    ),
    advice="A string has more than n words when it goes on after 0, 1, ..., n words. 'At most' is the rest.",
)

# --- parameters ------------------------------------------------------------------------------------------


def sparsity(V, n, N):
    """Free numbers of an n-gram table, and the largest share of all n-grams that N tokens can show."""
    return {"free": V ** (n - 1) * (V - 1), "share": (N - n + 1) / V**n}


PARAMETERS = Question(
    key="01.parameters",
    title="how many numbers is an n-gram model?",
    kind="derive",
    stars=1,
    points=2,
    form="expression",
    symbols=("V", "n", "N"),
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
            "That is every cell of the table. Each row adds up to 1, so its last number is not free.",
        ),
        Mistake(
            "L19",
            but(sparsity, {"free": lambda V, n, N: V**n - 1}),
            "That is the number for the joint distribution, which has one constraint. A table of "
            "conditionals has one for each row.",
        ),
        Mistake(
            "L23",
            but(sparsity, {"free": lambda V, n, N: V**n * (V - 1)}),
            "You give an n-gram a context of n words. It has n words in all: n - 1 of context, and one more.",
        ),
        Mistake(
            "L23",
            but(sparsity, {"share": lambda V, n, N: N / V**n}),
            "A text of N tokens has fewer n-grams than tokens: the first one ends at token n.",
        ),
        Mistake(
            "L24",
            but(sparsity, {"free": lambda V, n, N: V - 1}),
            "That is one row. There is a row for every context.",
        ),
        Mistake(
            "L16",
            but(sparsity, {"share": lambda V, n, N: (N - n + 1) / V ** (n - 1)}),
            "You divide by the number of contexts. The task asks for the share of the n-grams themselves.",
        ),
    ),
    properties=(FINITE, NOT_NEGATIVE),
    advice="Draw the table for V = 3 and n = 2: how many rows, how many numbers in a row, how many are free?",
)

QUESTIONS = (FINITE_STRINGS, PARAMETERS)
