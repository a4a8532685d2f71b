"""Chapter 13, what readers prefer: a small blind comparison."""

from functools import partial

import numpy as np
from scipy.stats import binom

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- votes -----------------------------------------------------------------------------------------------

LEVEL = 0.05


def two_sided(most, decided):
    """The probability, if both are equally good, of a result at least as uneven."""
    return np.minimum(1.0, 2 * binom.sf(np.asarray(most) - 1, decided, 0.5))


def votes(a, b, ties, share, beyond=two_sided, decided=None):
    """How surprising a result is, how many votes it takes, and how often they would come."""
    n = a + b if decided is None else decided(a, b, ties)
    least = np.arange(n // 2 + 1, n + 2)
    threshold = int(least[np.argmax((beyond(least, n) <= LEVEL) | (least > n))])
    return {"p": beyond(max(a, b), n), "threshold": threshold, "power": binom.sf(threshold - 1, n, share)}


def _one_sided(most, decided):
    return binom.sf(np.asarray(most) - 1, decided, 0.5)


def _ties_for_a(a, b, ties, share):
    found = votes(a, b, ties, share, decided=lambda a, b, ties: a + b + ties)
    return found | {"p": two_sided(max(a + ties, b), a + b + ties)}


def _draw_votes(rng, even=False):
    while True:
        a, b = (int(v) for v in rng.integers(8, 30, size=2))
        b = a if even else b
        ties, share = int(rng.integers(3, 15)), float(np.round(rng.uniform(0.6, 0.85), 2))
        if even or abs(a - b) >= 2:
            return a, b, ties, share


VOTES = Question(
    key="13.votes",
    title="thirty readers, blind",
    kind="protocol",
    stars=2,
    points=3,
    right=votes,
    cases=((19, 9, 7, 0.7), (12, 26, 4, 0.65)),
    draw=_draw_votes,
    odd=(partial(_draw_votes, even=True), lambda rng: (int(rng.integers(9, 20)), 1, 0, 0.6)),
    entry_points={"p": 1, "threshold": 1, "power": 1},
    mistakes=(
        Mistake(
            "M53",
            _ties_for_a,
            "You count the readers who saw no difference as votes for A. They have not decided: leave them "
            "out of this test, and report how many there were.",
        ),
        Mistake(
            "M53",
            partial(votes, decided=lambda a, b, ties: a + b + ties),
            "Your number of votes includes the readers who saw no difference. They have not decided: leave "
            "them out of this test, and report how many there were.",
        ),
        Mistake(
            "L22",
            partial(votes, beyond=_one_sided),
            "You look at one side. Before the votes nobody knew which system would win, so a result for the "
            "other one would have been as uneven.",
        ),
        Mistake(
            "L23",
            partial(votes, beyond=lambda most, n: np.minimum(1.0, 2 * binom.sf(np.asarray(most), n, 0.5))),
            "You leave out the probability of the result itself: 'at least' begins with it.",
        ),
        Mistake(
            "L23",
            lambda *case: (
                votes(*case) | {"power": binom.sf(votes(*case)["threshold"], case[0] + case[1], case[3])}
            ),
            "Your 'power' is that of more votes than the threshold. Reaching it is enough.",
        ),
        Mistake(
            "L15",
            lambda *case: (
                votes(*case) | {"power": binom.sf(votes(*case)["threshold"] - 1, case[0] + case[1], 0.5)}
            ),
            "Your 'power' is computed for two equally good systems. The argument share says how often A is "
            "preferred.",
        ),
        Mistake(
            "L13",
            but(votes, {"p": lambda a, b, ties, share: min(1.0, 2 * binom.pmf(max(a, b), a + b, 0.5))}),
            "Your 'p' is that of exactly this result. More uneven ones belong to it as well.",
        ),
    ),
    properties=(
        Property(
            "it changes when the systems exchange their names",
            lambda value, second: abs(value["p"] - second["p"]) < 1e-9,
            also=lambda a, b, ties, share: (b, a, ties, share),
        ),
    ),
    alike=(
        ("M53", "M53 (2)", "In the second case B has the most votes, so that A's number does not matter."),
    ),
    advice="Six decided votes: 6 to 0 has p = 2/64, so that the threshold is 6.",
)

QUESTIONS = (VOTES,)
