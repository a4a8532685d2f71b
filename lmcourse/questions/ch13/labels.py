"""Chapter 13, marks on tickets: precision, recall and F1."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import finite
from lmcourse.questions.shared.wrong import but, exchanged, then

# --- f1 --------------------------------------------------------------------------------------------------


def _divided(one, other):
    return one / other if other else 0.0


def f1(urgent, flagged):
    """Precision, recall and F1 of a mark; a quotient 0/0 counts as 0."""
    both = (urgent & flagged).sum()
    return {
        "precision": _divided(both, flagged.sum()),
        "recall": _divided(both, urgent.sum()),
        "F1": _divided(2 * both, flagged.sum() + urgent.sum()),
    }


def _draw_marks(rng):
    """Two marks that agree now and then, with precision, recall and accuracy far apart."""
    while True:
        n = int(rng.integers(15, 40))
        urgent = rng.random(n) < 0.3
        flagged = np.where(rng.random(n) < 0.7, urgent, rng.random(n) < 0.5)
        found = f1(urgent, flagged)
        shares = np.sort([found["precision"], found["recall"], (urgent == flagged).mean()])
        if shares[0] > 0 and np.min(np.diff(shares)) > 0.1 and abs(shares - found["F1"]).min() > 0.02:
            return urgent, flagged


F1 = Question(
    key="13.f1",
    title="urgent, or only flagged",
    kind="compute",
    stars=1,
    points=3,
    right=f1,
    cases=(
        (np.arange(40) < 5, (np.arange(40) < 3) | (np.arange(40) > 30)),
        _draw_marks(np.random.default_rng(1303)),
    ),
    draw=_draw_marks,
    odd=(
        lambda rng: _nothing_flagged(rng),
        lambda rng: _nothing_flagged(rng)[::-1],
    ),
    entry_points={"precision": 1, "recall": 1, "F1": 1},
    mistakes=(
        Mistake(
            "M59",
            exchanged(f1, "precision", "recall"),
            "Precision and recall are swapped. Precision asks about the tickets that were flagged: how many "
            "of them are urgent?",
            explains="answer",
        ),
        Mistake(
            "M59",
            but(f1, {"precision": lambda *case: f1(*case)["recall"]}),
            "Your 'precision' is the recall. Precision asks about the tickets that were flagged: how many of "
            "them are urgent?",
        ),
        Mistake(
            "M59",
            but(f1, {"recall": lambda *case: f1(*case)["precision"]}),
            "Your 'recall' is the precision. Recall asks about the urgent tickets: how many of them were "
            "flagged?",
        ),
        Mistake(
            "M59",
            lambda *case: f1(*case) | {"F1": (f1(*case)["precision"] + f1(*case)["recall"]) / 2},
            "Your 'F1' is the arithmetic mean. Somebody who flags everything would get more than one half. "
            "F1 is the harmonic mean.",
        ),
        Mistake(
            "M54",
            but(f1, {"F1": lambda urgent, flagged: (urgent == flagged).mean()}),
            "Your 'F1' is the accuracy. Most tickets are not urgent, so a program that never flags one has a "
            "high accuracy, and no ticket that is both urgent and flagged.",
        ),
        Mistake(
            "M54",
            but(f1, {"precision": lambda urgent, flagged: (urgent == flagged).mean()}),
            "Your 'precision' is the accuracy: it also counts tickets that were rightly left alone.",
        ),
        Mistake(
            "L7",
            but(
                f1, {"recall": lambda urgent, flagged: _divided((~urgent & ~flagged).sum(), (~urgent).sum())}
            ),
            "Your 'recall' is about the tickets that are not urgent. It asks: of those that are, how many "
            "were flagged?",
        ),
        Mistake(
            "L3",
            then(f1, lambda found: {key: 100 * value for key, value in found.items()}),
            "Your numbers are in per cent. The task asks for shares: 0.25, not 25.",
        ),
        Mistake(
            "L1",
            lambda urgent, flagged: f1(urgent, flagged) | {"F1": (urgent & flagged).sum()},
            "Your 'F1' is a number of tickets. All three values are shares between 0 and 1.",
        ),
    ),
    properties=(
        Property("a value is not a number (nan). Here a quotient 0/0 counts as 0", finite, about_nan=True),
        Property(
            "a share lies between 0 and 1, and one of yours does not",
            lambda value, *case: all(0 <= share <= 1 for share in value.values()),
        ),
    ),
    advice="Count three numbers: tickets that are urgent, flagged, and both.",
)


def _nothing_flagged(rng):
    urgent, flagged = _draw_marks(rng)
    return urgent, np.zeros_like(flagged)


QUESTIONS = (F1,)
