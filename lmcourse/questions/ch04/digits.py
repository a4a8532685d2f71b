"""Chapter 04, two designs: a forecast of ten digits with a given perplexity, and an overconfident one."""

import numpy as np
from scipy.optimize import brentq
from scipy.special import entr

from lmcourse.hints.answers import Unreadable, read
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen

CHOICES, WITHIN = 2.0, 0.001
NOT_SUMMED = "M33"


def _expected(q):
    """The perplexity that a forecast expects."""
    return float(np.exp(entr(q).sum()))


def _forecast(top):
    """One digit with the probability ``top``; the other nine share the rest."""
    return np.append(top, np.full(9, (1 - top) / 9))


def _with(perplexity):
    """Such a forecast that expects this perplexity."""
    return _forecast(brentq(lambda top: _expected(_forecast(top)) - perplexity, 0.1, 1 - 1e-9))


MISREAD = {"M1": np.e, "M2": 2 ** np.log(2), "M4": np.exp(2)}
"""The perplexity that is really expected where 2 was reached in a wrong base, or is the entropy in nats."""


def _numbers(given, what):
    """A list of numbers as an array, or a sentence that says why it is not one."""
    if given is None:
        return f"{what} is None."
    if isinstance(given, str):
        return f"{what} is a string, in quotation marks. Give a list of numbers, such as [3, 1, 4]."
    try:
        array = np.asarray(given, dtype=float)
        array = np.asarray(read(array, like=np.zeros(array.shape)))
    except (Unreadable, TypeError, ValueError):
        return f"{what} is not a list or an array of numbers."
    return array if np.isfinite(array).all() else f"{what} has an entry that is infinite or nan."


def _probabilities(given):
    """A forecast of ten digits, a sentence, or the mark of one that does not sum to 1."""
    q = _numbers(given, "q")
    if isinstance(q, str):
        return q
    if q.shape != (10,):
        return f"q has the shape {q.shape}; ten probabilities have the shape (10,)."
    if (q <= 0).any():
        return "a probability is not above 0, so one of the ten digits is not possible."
    return q if abs(q.sum() - 1) < 1e-6 else NOT_SUMMED


def _two_choices(given):
    q = _probabilities(given)
    if isinstance(q, str):
        return q
    expected = _expected(q)
    if abs(expected - CHOICES) <= WITHIN + 1e-9:
        return RIGHT
    near = (name for name, other in MISREAD.items() if abs(expected - other) < 2 * WITHIN * other)
    return next(near, f"your q expects a perplexity of {expected:.4f}.")


def _overconfident(given):
    if isinstance(given, np.ndarray) and given.size == 20:
        given = tuple(given.reshape(2, 10))  # q and then ten digits, as in our examples
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        return "give a pair (q, test): two lists of numbers."
    q, test = _probabilities(given[0]), _numbers(given[1], "test")
    if isinstance(q, str) or isinstance(test, str):
        return q if isinstance(q, str) else test
    if test.ndim != 1:
        return f"test has the shape {test.shape}; a list of ten digits has the shape (10,)."
    if len(test) < 10:
        return "test has fewer than ten digits."
    if not np.isin(test, np.arange(10)).all():
        return "test has an entry that is not a digit from 0 to 9."
    expected, data = _expected(q), float(np.exp(-np.log(q[test.astype(int)]).mean()))
    if expected >= CHOICES:
        return f"your q expects a perplexity of {expected:.4f}, which is not below 2."
    return RIGHT if data > 10 else f"your q has a perplexity of {data:.4f} on test, which is not above 10."


_SURE, _ONES = _forecast(0.91), np.ones(10)
EXAMPLES = {
    "two choices": {
        RIGHT: _with(CHOICES),
        **{name: _with(other) for name, other in MISREAD.items()},
        NOT_SUMMED: 1.5 * _with(CHOICES),
        "not read": np.zeros(10),
    },
    "overconfident": {
        RIGHT: np.append(_SURE, _ONES),
        NOT_SUMMED: np.append(2 * _SURE, _ONES),
        "not read": np.zeros(20),
    },
}


DIGITS = Question(
    key="04.digits",
    title="ten digits, two designs",
    kind="compute",
    stars=2,
    points=2,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does({"two choices": _two_choices, "overconfident": _overconfident}, EXAMPLES),
    entry_points={"two choices": 1, "overconfident": 1},
    mistakes=(
        Mistake(
            "M1",
            chosen(EXAMPLES, "M1", "two choices"),
            "Your q has an entropy of 1 nat. With an entropy in nats, the perplexity is a power of e.",
        ),
        Mistake(
            "M2",
            chosen(EXAMPLES, "M2", "two choices"),
            "You raised e to an entropy in bits. With an entropy in bits, the perplexity is a power of 2.",
        ),
        Mistake(
            "M4",
            chosen(EXAMPLES, "M4", "two choices"),
            "The *entropy* of your q is 2 nats. Its exponential has to be 2.",
        ),
        *(
            Mistake(
                NOT_SUMMED,
                chosen(EXAMPLES, NOT_SUMMED, key),
                "Your q does not sum to 1, so it is not a forecast. Divide it by its sum, and look again.",
            )
            for key in EXAMPLES
        ),
    ),
    advice="Give one digit the probability a, and let the other nine share the rest. Print the expected "
    "perplexity for several a.",
)

QUESTIONS = (DIGITS,)
