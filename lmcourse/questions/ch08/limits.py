"""Chapter 08, limits: smoothing as a prior, where two curves cross, what a table cannot reach."""

import itertools
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- prior -----------------------------------------------------------------------------------------------


def prior(c1, c2, c3, k):
    """What counts and Dirichlet(k, k, k) say of the first symbol; the share of labels smoothed like add-k."""
    total = c1 + c2 + c3
    return {
        "mean": (c1 + k) / (total + 3 * k),
        "mode": (c1 + k - 1) / (total + 3 * (k - 1)),
        "twice": (c1 + k) / (total + 3 * k) * (c1 + k + 1) / (total + 3 * k + 1),
        "share": 3 * k / (total + 3 * k),
    }


PRIOR = Question(
    key="08.prior",
    title="smoothing as a prior",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("c1", "c2", "c3", "k"),
    right=prior,
    cases=((5.0, 3.0, 2.5, 1.7), (1.0, 7.0, 4.0, 2.5), (2.0, 0.5, 6.0, 1.3)),
    draw=lambda rng: (*rng.uniform(0.5, 20.0, size=3), rng.uniform(1.1, 4.0)),
    mistakes=(
        Mistake(
            "L31",
            but(prior, {"mean": lambda *p: prior(*p)["mode"], "mode": lambda *p: prior(*p)["mean"]}),
            "Mean and mode are swapped. The density has the form of a likelihood with c_i + k - 1 "
            "as counts, and it is highest at their relative frequencies.",
            shown_by=("mean", "mode"),
        ),
        Mistake(
            "L31",
            but(prior, {"mean": lambda *p: prior(*p)["mode"]}),
            "Your mean is the mode. The parameters after the counts are c_i + k, and the task says what the "
            "mean is.",
        ),
        Mistake(
            "L31",
            but(prior, {"mode": lambda *p: prior(*p)["mean"]}),
            "Your mode is the mean. The powers of the density are c_i + k - 1, not c_i + k.",
        ),
        Mistake(
            "L22",
            but(prior, {"mode": lambda c1, c2, c3, k: c1 / (c1 + c2 + c3)}),
            "Your mode is the relative frequency, which is right for k = 1 only.",
        ),
        Mistake(
            "L13",
            but(prior, {"mode": lambda c1, c2, c3, k: (c1 + k - 1) / (c1 + c2 + c3 + k - 1)}),
            "Your modes of q1, q2 and q3 add up to more than 1: three counts have grown, not one.",
        ),
        Mistake(
            "L32",
            but(prior, {"twice": lambda *p: prior(*p)["mean"] ** 2}),
            "Your 'twice' squares the mean, as if the second symbol were drawn after nothing was learned. "
            "After the first symbol, its count is one higher.",
        ),
        Mistake(
            "L23",
            but(
                prior,
                {
                    "twice": lambda c1, c2, c3, k: (
                        prior(c1, c2, c3, k)["mean"] * (c1 + k + 1) / (c1 + c2 + c3 + 3 * k)
                    )
                },
            ),
            "In the second factor of your 'twice' the count has grown, but the total of all counts has not.",
        ),
        Mistake(
            "L13",
            but(prior, {"share": lambda c1, c2, c3, k: k / (c1 + c2 + c3 + k)}),
            "Your 'share' leaves out that there are three symbols: k was added to each of them.",
        ),
        Mistake(
            "L31",
            but(prior, {"share": lambda *p: 1 - prior(*p)["share"]}),
            "Your 'share' is that of the counts. The task asks for the part of the target that is spread "
            "evenly.",
        ),
    ),
    advice="After one token of the first kind and k = 1: the mean is 2/4, the mode is 1, and twice is 2/4 "
    "times 3/5.",
)

# --- crossing --------------------------------------------------------------------------------------------


def crossing(sizes, counted, trained):
    """The size at which the two curves cross, on logarithmic axes between the points; perplexities (P,)."""
    ahead = np.log(trained / counted)
    return np.exp(_zero(np.log(sizes), ahead))


def _zero(x, y):
    i = int(np.flatnonzero((y[:-1] > 0) & (y[1:] <= 0))[0])
    return x[i] + (x[i + 1] - x[i]) * y[i] / (y[i] - y[i + 1])


def _draw_crossing(rng, touching=False):
    """Two learning curves; if asked for, they meet in a point."""
    points = int(rng.integers(4, 7))
    sizes = np.cumprod(np.append(rng.integers(500, 2000), rng.uniform(1.8, 3.5, points - 1))).round()
    counted = 200 * (sizes / sizes[0]) ** -rng.uniform(0.15, 0.25)
    middle = np.exp(rng.uniform(np.log(sizes[1]), np.log(sizes[-2])))
    trained = counted * (sizes / middle) ** -rng.uniform(0.2, 0.5) * np.exp(rng.normal(0, 0.01, points))
    counted, trained = counted.round(2), trained.round(2)
    if touching:
        i = np.flatnonzero(trained <= counted)[0]
        trained[i] = counted[i]
    return sizes, counted, trained


CROSSING = Question(
    key="08.crossing",
    title="where the curves cross",
    kind="implement",
    stars=2,
    points=2,
    right=crossing,
    cases=(
        (np.array([1000.0, 4000.0, 16000.0]), np.array([100.0, 80.0, 64.0]), np.array([200.0, 90.0, 58.0])),
        _draw_crossing(np.random.default_rng(821)),
    ),
    draw=_draw_crossing,
    odd=(lambda rng: _draw_crossing(rng, touching=True),),
    rtol=1e-4,
    mistakes=(
        Mistake(
            "L9",
            lambda n, a, b: _zero(n, np.log(b / a)),
            "You interpolate between two *sizes*. On a logarithmic axis the line goes between their "
            "logarithms; your point lies too far to the right of the middle.",
        ),
        Mistake(
            "L9",
            lambda n, a, b: np.exp(_zero(np.log(n), b - a)),
            "You take the difference between two perplexities. Equal steps of a curve on this axis are "
            "equal ratios: take the logarithm of trained / counted.",
        ),
        Mistake("L9", lambda n, a, b: _zero(n, b - a), "Both axes are logarithmic: sizes and perplexities."),
        Mistake(
            "L23",
            lambda n, a, b: n[np.flatnonzero(b <= a)[0]],
            "That is the first measured size at which the network is ahead. The curves cross before that.",
        ),
    ),
    properties=(FINITE,),
    advice="If ln(trained / counted) is +0.1 at 4,000 and -0.1 at 16,000, they cross at 8,000.",
)

# --- floor -----------------------------------------------------------------------------------------------


def floor(
    subjects, phrase, more, order, shift=1, least=0, per_block=False, nats=False, hard=False, one_bit=False
):
    """Bits per token that the best table of an order loses on the agreement source."""
    beyond = max(least, order - shift - phrase)
    lost = float(beyond == 0) if hard else more**beyond
    bits = 1.0 if one_bit else np.log(subjects) / (1 if nats else LN2)
    return lost * bits / (1 if per_block else phrase + 2 + more / (1 - more))


def _draw_floor(rng):
    phrase = int(rng.integers(3, 7))
    order = phrase + 1 + int(rng.choice([-2, -1, 1, 2]))
    return int(rng.integers(3, 12)), phrase, float(rng.uniform(0.2, 0.8)), order


FLOOR = Question(
    key="08.floor",
    title="what a table cannot see",
    kind="derive",
    stars=2,
    points=2,
    right=floor,
    cases=((5, 3, 0.5, 6), (8, 5, 0.25, 7), (4, 6, 0.4, 3)),
    draw=_draw_floor,
    mistakes=(
        Mistake("L23", partial(floor, shift=0), "Your table of order n sees n words. It sees n - 1."),
        Mistake(
            "L23",
            partial(floor, shift=2),
            "Your exponent is one too low. A table of order n can see the phrase, n - 2 - m fillers and the "
            "subject, so the subject is out of sight if there are at least n - 1 - m fillers.",
        ),
        Mistake(
            "L11",
            partial(floor, least=-np.inf),
            "For a short table your probability that the subject is out of sight is above 1. A table that "
            "does not reach past the phrase never sees it: probability 1.",
        ),
        Mistake(
            "L1", partial(floor, per_block=True), "Those are the bits of a block. Divide by its mean length."
        ),
        Mistake("M1", partial(floor, nats=True), "Those are nats per token. The task asks for bits."),
        Mistake(
            "L22",
            partial(floor, hard=True),
            "You let the table see every subject as soon as it can see past the phrase. With probability r "
            "there is one more filler, then perhaps another, and the subject is out of sight again.",
        ),
        Mistake(
            "L8",
            partial(floor, one_bit=True),
            "You take one bit for a subject that is not seen. There are K of them, equally likely.",
        ),
    ),
    properties=(FINITE,),
    advice="Two subjects, a phrase of 5, r = 1/2, order 7: the table sees past the phrase by one word, so "
    "half of the blocks are lost; 1/2 bit in a block of 8 tokens.",
    alike=(
        ("right", "L11", "the tables of the first two cases reach past the phrase"),
        *(
            (one, other, "the table of the third case does not reach past the phrase")
            for one, other in itertools.combinations(("right", "L23", "L23 (2)", "L22"), 2)
        ),
    ),
)

QUESTIONS = (PRIOR, CROSSING, FLOOR)
