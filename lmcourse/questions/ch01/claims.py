"""Chapter 01, claims that hold always or are refuted by a case: in log space, and of four programs."""

import itertools
import math

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.ch01.strings import NEXT, START
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.wrong import but

TINY = 1e-9
"""What a rounding may do; a case has to be clearer than that."""


def _probabilities(given, many=True):
    """Probabilities above 0, or a sentence on what is wrong with them."""
    try:
        found = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return "Its entries are not numbers."
    if found.ndim != many or (many and not found.size):
        return "Give a list of probabilities." if many else "Give one probability after the list."
    if not ((found > 0) & (found <= 1)).all():
        return "Every probability has to be above 0, and not above 1."
    return found


# --- in-log-space ----------------------------------------------------------------------------------------

in_log_space = refuted_but("BD")

FORMS = {
    "A": "q, a list of word probabilities,",
    "B": "(q, r), a list of word probabilities and the probability of one more word,",
    "C": "(q, r), a list of word probabilities and the probability of one more word,",
    "D": "(a, b), two log probabilities,",
}


def _of_a_text(given):
    q = _probabilities(given)
    if isinstance(q, str):
        return f"cannot be used. {q}"
    product = float(np.prod(q))
    return f"does not refute the statement: np.prod gives {product:.4g}." if product > 0 else ""


def _of_a_longer_text(given, score, name):
    if len(given) != 2:
        return "cannot be used. Give a pair: a list of probabilities, and one probability."
    q, more = _probabilities(given[0]), _probabilities(given[1], many=False)
    if isinstance(q, str) or isinstance(more, str):
        return f"cannot be used. {q if isinstance(q, str) else more}"
    before, after = score(np.log(q)), score(np.log(np.append(q, more)))
    if after > before + TINY:
        return ""
    return f"does not refute the statement: without the word {name} is {before:.6g}, and with it {after:.6g}."


def _of_a_mixture(given):
    try:
        logs = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return "cannot be used. Its entries are not numbers."
    if logs.shape != (2,) or not np.isfinite(logs).all() or (logs > 0).any():
        return "cannot be used. Give two log probabilities: finite numbers, not above 0."
    below = logs.max() - (np.logaddexp(*logs) - math.log(2))
    if below > math.log(2) + TINY:
        return ""
    return f"does not refute the statement: the mixture lies {below:.6g} nats below the better model."


def _refute_in_log_space(key, given):
    if key == "A":
        return _of_a_text(given)
    if key == "D":
        return _of_a_mixture(given)
    return (
        _of_a_longer_text(given, np.sum, "the total")
        if key == "B"
        else _of_a_longer_text(given, np.mean, "the mean")
    )


IN_LOG_SPACE = Question(
    key="01.in-log-space",
    title="always, or a case that refutes it",
    kind="protocol",
    stars=2,
    points=4,
    form="value",
    right=in_log_space,
    cases=((),),
    reading=always_or_example(FORMS, _refute_in_log_space),
    entry_points=dict.fromkeys("ABCD", 1),
    mistakes=(
        Mistake(
            "M45",
            but(in_log_space, {"A": lambda: "always"}),
            "On paper, A always holds. A computer stores a product in float64, which has a smallest "
            "positive number: how long does a text have to be for its product to fall below that?",
        ),
        Mistake(
            "L1",
            but(in_log_space, {"C": lambda: "always"}),
            "C is about the mean, not the sum. What does a word that is more probable than the others do to "
            "the mean?",
        ),
        Mistake(
            "M45 + L1",
            refuted_but("ABCD"),
            "Two of the statements can be refuted. One is true on paper but not in float64; the other "
            "treats a mean as if it were a sum.",
        ),
    ),
    advice="Try short texts, long texts, and words with a probability near 1.",
)

# --- four-programs ---------------------------------------------------------------------------------------

COUNTED = np.array([[0.0, 0.75, 0.25], [0.4, 0.3, 0.3], [0.5, 0.5, 0.0]])
"""A counted table of the three-word language in which two pairs never occur."""


def backwards(words):
    """A: from the last word to the first, each given the word after it."""
    if not words:
        return 1.0
    shares = [START]  # of each word at the first place, the second, ...
    for _ in words[1:]:
        shares.append(shares[-1] @ NEXT)
    product = shares[-1][words[-1]]
    for share, word, after in zip(shares, words, words[1:], strict=False):
        product *= share[word] * NEXT[word, after] / (share @ NEXT[:, after])
    return float(product)


def in_windows(words):
    """B: two words at a time, each window from <s>."""
    product = 1.0
    for i, word in enumerate(words):
        product *= START[word] if i % 2 == 0 else NEXT[words[i - 1], word]
    return float(product)


def without_zeros(words):
    """C: a step of probability 0 is skipped."""
    product = START[words[0]] if words else 1.0
    for context, word in itertools.pairwise(words):
        product *= COUNTED[context, word] or 1.0
    return float(product)


def between_neighbours(words):
    """D: each word given the words on both sides."""
    product = 1.0
    for i, word in enumerate(words):
        fits = START.copy() if i == 0 else NEXT[words[i - 1]].copy()
        if i + 1 < len(words):
            fits = fits * NEXT[:, words[i + 1]]
        product *= fits[word] / fits.sum()
    return float(product)


PROGRAMS = {"A": backwards, "B": in_windows, "C": without_zeros, "D": between_neighbours}

LONGEST = 200
"""Of an example: longer texts are no better, and their products underflow."""

four_programs = refuted_but("AB")


def _refute_program(key, given):
    """What is wrong with a text, or "" if its continuations do not share exactly its probability."""
    try:
        words = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return "cannot be used. Give the numbers of its words: 0, 1 or 2."
    if words.ndim != 1 or not np.isin(words, (0, 1, 2)).all():
        return "cannot be used. Give a list of words: the numbers 0, 1 and 2."
    if len(words) > LONGEST:
        return f"cannot be used. Give a text of at most {LONGEST} words."
    text, program = [int(word) for word in words], PROGRAMS[key]
    whole, parts = program(text), sum(program([*text, word]) for word in range(3))
    if abs(parts - whole) > 1e-6 * whole:
        return ""
    return (
        f"does not refute the statement: the probabilities of its three continuations add up to {parts:.6g}, "
        f"and that of the text is {whole:.6g}."
    )


FOUR_PROGRAMS = Question(
    key="01.four-programs",
    title="which of four programs?",
    kind="debug",
    stars=3,
    points=4,
    form="value",
    right=four_programs,
    cases=((),),
    reading=always_or_example(
        dict.fromkeys("ABCD", "(a text such as [0, 1], or [] for the empty text)"), _refute_program
    ),
    entry_points=dict.fromkeys("ABCD", 1),
    mistakes=(
        Mistake(
            "M32",
            but(four_programs, {"C": lambda: "always"}),
            "C: the empty text is not enough to tell. Try all one-word texts: in which row does the table "
            "have a 0?",
        ),
        Mistake(
            "M47",
            but(four_programs, {"D": lambda: "always"}),
            "D: each of its factors is a conditional probability, but each is also conditioned on the word "
            "that comes after. Add up the probabilities of the three continuations of a one-word text.",
        ),
        Mistake(
            "M32 + M47",
            refuted_but("ABCD"),
            "Two of the programs are not models. Loop over all texts of zero, one and two words, and "
            "compare the probability of each with the sum over its three continuations.",
        ),
    ),
    advice="Loop over all short texts: print the probability of each, and the sum over its continuations.",
)

QUESTIONS = (IN_LOG_SPACE, FOUR_PROGRAMS)
