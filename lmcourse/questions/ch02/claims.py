"""Chapter 02, four claims about entropy and cross-entropy: always, or a case that refutes them."""

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.wrong import but

CLOSE = 1e-12
"""A cross-entropy that is nearer to the entropy than this equals it."""

claims = refuted_but("B")

FORMS = {
    "A": "(p, q, r), three lists of probabilities,",
    "B": "(p, q), two lists of probabilities,",
    "C": "(p, q), two lists of probabilities,",
    "D": "(p, text), a list of probabilities and a list of symbols,",
}


def _cross_entropy(p, q):
    return float(-p @ np.log(q))


def _distribution(given, name):
    """Probabilities, or a sentence on what is wrong with them."""
    try:
        q = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        return f"The entries of {name} are not numbers."
    if q.ndim != 1 or len(q) < 2:
        return f"{name} has to be a list of at least two probabilities."
    if not (np.isfinite(q).all() and (q > 0).all()):
        return f"All probabilities of {name} have to be above 0."
    if abs(q.sum() - 1) > 1e-6:
        return f"The probabilities of {name} sum to {q.sum():.7g}."
    return q / q.sum()


def _distributions(given, names):
    """As many distributions over the same symbols, or a sentence."""
    found = [_distribution(row, name) for row, name in zip(given, names, strict=True)]
    wrong = next((row for row in found if isinstance(row, str)), "")
    if wrong:
        return wrong
    return found if len({len(row) for row in found}) == 1 else "The lists have to be of the same length."


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    if len(given) != (3 if key == "A" else 2):
        return f"cannot be used. Give {FORMS[key].rstrip(',')}."
    if key == "D":
        return _refute_with_a_text(*given)
    rows = _distributions(given, "pqr"[: len(given)])
    if isinstance(rows, str):
        return f"cannot be used. {rows}"
    p, q = rows[:2]
    loss, entropy = _cross_entropy(p, q), _cross_entropy(p, p)
    if key == "B":
        below = loss < entropy - CLOSE
        equal = abs(loss - entropy) <= CLOSE and np.abs(p - q).max() > 1e-5
        return "" if below or equal else _no("H(p, q) is {:.6g}, and H(p) is {:.6g}", loss, entropy)
    if key == "C":
        turned = _cross_entropy(q, p)
        return "" if abs(loss - turned) > 1e-6 else _no("H(p, q) is {:.6g}, and so is H(q, p)", loss)
    r = rows[2]
    other = _cross_entropy(p, r)
    if any(np.diff(np.sort(row)[-2:])[0] < 1e-6 for row in (q, r)):
        return "cannot be used. The first guess of a model has to be a single symbol."
    if loss >= other - 1e-9:
        return f"does not meet the premise: H(p, q) is {loss:.6g}, and H(p, r) is {other:.6g}."
    right = float(p[q.argmax()]), float(p[r.argmax()])
    if right[0] < right[1] - 1e-9:
        return ""
    return _no("the first guess of q is right with probability {:.4g}, and that of r with {:.4g}", *right)


def _no(text, *numbers):
    return f"does not refute the statement: {text.format(*numbers)}."


def _refute_with_a_text(p, text):
    p = _distribution(p, "p")
    if isinstance(p, str):
        return f"cannot be used. {p}"
    try:
        symbols = np.asarray(text, dtype=float)
    except (TypeError, ValueError):
        return "cannot be used. The symbols of the text are not numbers."
    if symbols.ndim != 1 or not len(symbols) or not np.isin(symbols, np.arange(len(p))).all():
        return f"cannot be used. Give a list of symbols from 0 to {len(p) - 1}."
    loss, entropy = float(-np.log(p[symbols.astype(int)]).mean()), _cross_entropy(p, p)
    return "" if loss < entropy - 1e-9 else _no("the loss is {:.6g}, and H(p) is {:.6g}", loss, entropy)


CLAIMS = Question(
    key="02.claims",
    title="always true, or a counterexample",
    kind="protocol",
    stars=2,
    points=4,
    form="value",
    right=claims,
    cases=((),),
    reading=always_or_example(FORMS, _refute),
    entry_points=dict.fromkeys("ABCD", 1),
    mistakes=(
        Mistake(
            "L6",
            but(claims, {"A": lambda: "always"}),
            "A: being right often is one thing, and being careful another. Think of the bold forecaster and "
            "the careful one, and let the bold one be right more often.",
        ),
        Mistake(
            "L31",
            but(claims, {"C": lambda: "always"}),
            "C: in H(p, q), p generates the outcomes and q is scored on them. Compute "
            "both cross-entropies for a truth that is nearly certain and a model that is not.",
        ),
        Mistake(
            "L33",
            but(claims, {"D": lambda: "always"}),
            "D: the entropy is an expected value. What is the loss on a text that consists only of the most "
            "probable symbol?",
        ),
        Mistake(
            "L6 + L31 + L33",
            refuted_but("ABCD"),
            "Only one of the four statements always holds. Try each of them with two symbols, one of which "
            "is much more probable than the other.",
            explains="answer",
        ),
    ),
    advice="Try two or three symbols, one of them much more probable than the others.",
)

QUESTIONS = (CLAIMS,)
