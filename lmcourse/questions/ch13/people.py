"""Chapter 13, what readers prefer: a small blind comparison."""

from functools import partial

import numpy as np
from scipy.stats import beta, binom

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- votes -----------------------------------------------------------------------------------------------

TAIL = 0.025


def interval(wins, n, tail=TAIL):
    """The exact interval of Clopper and Pearson for a share, with ``tail`` left out at each end."""
    low = beta.ppf(tail, wins, n - wins + 1) if wins else 0.0
    return np.array([low, beta.ppf(1 - tail, wins + 1, n - wins) if wins < n else 1.0])


def votes(a, b, ties, share, tail=TAIL, wins=lambda a, b, ties: a, decided=lambda a, b, ties: a + b):
    """The interval of A's share, the votes that A needs, and how often they would come."""
    n = decided(a, b, ties)
    least = np.arange(n // 2 + 1, n + 2)
    threshold = int(least[np.argmax((binom.sf(least - 1, n, 0.5) <= tail) | (least > n))])
    found = interval(wins(a, b, ties), n, tail)
    return {"interval": found, "threshold": threshold, "power": binom.sf(threshold - 1, n, share)}


def _later(change):
    """The right answer, whose threshold is changed; the power belongs to the changed one."""

    def wrong(a, b, ties, share):
        found = votes(a, b, ties, share)
        threshold = change(found["threshold"])
        return found | {"threshold": threshold, "power": binom.sf(threshold - 1, a + b, share)}

    return wrong


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
    odd=(partial(_draw_votes, even=True), lambda rng: (int(rng.integers(9, 20)), 0, 0, 0.6)),
    entry_points={"interval": 1, "threshold": 1, "power": 1},
    mistakes=(
        Mistake(
            "M53",
            partial(votes, wins=lambda a, b, ties: a + ties, decided=lambda a, b, ties: a + b + ties),
            "You count the readers who saw no difference as votes for A. They have not decided: leave them "
            "out, and report how many there were.",
            explains="answer",
        ),
        Mistake(
            "M53",
            but(votes, {"interval": lambda a, b, ties, share: interval(a + ties, a + b + ties)}),
            "Your 'interval' counts the readers who saw no difference as votes for A. They have not decided: "
            "leave them out, and report how many there were.",
        ),
        Mistake(
            "L27",
            partial(votes, decided=lambda a, b, ties: a + b + ties),
            "Your number of votes includes the readers who saw no difference, so that each of them counts "
            "against A. They have not decided: leave them out, and report how many there were.",
        ),
        Mistake(
            "L7",
            partial(votes, wins=lambda a, b, ties: b),
            "Your interval is that of B's share.",
        ),
        Mistake(
            "L22",
            partial(votes, tail=0.05),
            "You leave out 5 per cent at one end, as if it had been known before the votes which one would "
            "win. A result for B would have counted as well: 2.5 per cent at each end.",
            explains="answer",
        ),
        Mistake(
            "L22",
            but(votes, {"interval": lambda a, b, ties, share: interval(a, a + b, 0.05)}),
            "Your interval leaves out 5 per cent at each end. An interval of 95 per cent leaves out 2.5.",
        ),
        Mistake(
            "L23",
            _later(lambda threshold: threshold + 1),
            "Your threshold is one too high: with one vote fewer the whole interval lies above 1/2 already.",
            explains="answer",
        ),
        Mistake(
            "L23",
            but(votes, {"threshold": lambda *case: votes(*case)["threshold"] + 1}),
            "Your threshold is one too high: with one vote fewer the whole interval lies above 1/2 already.",
        ),
        Mistake(
            "L23",
            _later(lambda threshold: threshold - 1),
            "Your threshold is one too low: with so many votes the interval still contains 1/2. The "
            "probability of 'at least' begins with the number itself.",
            explains="answer",
        ),
        Mistake(
            "L23",
            but(votes, {"threshold": lambda *case: votes(*case)["threshold"] - 1}),
            "Your threshold is one too low: with so many votes the interval still contains 1/2. Does your "
            "probability of 'at least' begin with the number itself, and is it at most 0.025?",
        ),
        Mistake(
            "L23",
            but(
                votes,
                {"power": lambda a, b, t, share: binom.sf(votes(a, b, t, share)["threshold"], a + b, share)},
            ),
            "Your 'power' asks for one vote more than is needed. Reaching the smallest threshold is enough.",
        ),
        Mistake(
            "L23",
            but(
                votes,
                {
                    "power": lambda a, b, t, share: binom.sf(
                        votes(a, b, t, share)["threshold"] - 2, a + b, share
                    )
                },
            ),
            "Your 'power' counts one vote fewer than is needed. How often does A get the smallest threshold "
            "or more?",
        ),
        Mistake(
            "L15",
            but(
                votes,
                {
                    "power": lambda a, b, t, share: binom.sf(
                        votes(a, b, t, share)["threshold"] - 1, a + b, 0.5
                    )
                },
            ),
            "Your 'power' is computed for two equally good models. The argument share says how often A is "
            "preferred.",
        ),
        Mistake(
            "L5",
            but(
                votes,
                {
                    "power": lambda a, b, t, s: binom.sf(
                        votes(a, b, t, s)["threshold"] - 1, a + b, a / (a + b)
                    )
                },
            ),
            "Your 'power' uses the share of the votes that A got. The task gives another one, the argument "
            "share.",
        ),
    ),
    properties=(
        Property(
            "a share lies between 0 and 1, and an end of your interval does not",
            lambda value, *case: (value["interval"] >= 0).all() and (value["interval"] <= 1).all(),
        ),
        Property(
            "it is not reversed when the models swap names: the share of B is 1 minus that of A",
            lambda value, second: np.allclose(value["interval"], 1 - second["interval"][::-1], atol=1e-6),
            also=lambda a, b, ties, share: (b, a, ties, share),
        ),
    ),
    precision="The interval is the exact one, of Clopper and Pearson. Do not round.",
    advice="binomtest(a, a + b).proportion_ci() gives the exact interval, not Wilson's or the normal one. "
    "Six decided votes: the threshold is 6, because equally good models give 6 of 6 with probability 1/64.",
)

QUESTIONS = (VOTES,)
