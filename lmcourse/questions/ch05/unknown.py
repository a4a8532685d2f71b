"""Chapter 05, unknown words: three prices for one text, and the exponent that charges for spelling."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import PERPLEXITY
from lmcourse.questions.shared.wrong import but, exchanged

# --- prices ----------------------------------------------------------------------------------------------


def three_prices(
    nats, unknown, M, charge=lambda nats, k, M: np.exp((nats.sum() + k * np.log(M)) / len(nats)), **given
):
    """Perplexity with unknown words left out, for free, and charged as one of M words each."""
    prices = {
        "left out": np.exp(nats[~unknown].mean()),
        "free": np.exp(nats.mean()),
        "charged": charge(nats, unknown.sum(), M),
    }
    return prices | {key.replace("_", " "): value for key, value in given.items()}


def _draw_text(rng, hard=None):
    """A text in which <unk> is cheap, or expensive."""
    size = int(rng.integers(30, 80))
    unknown = rng.permutation(size) < rng.integers(3, 8)
    hard = rng.random() < 0.5 if hard is None else hard
    nats = np.where(unknown, rng.gamma(9.0, 1.0 if hard else 0.2, size=size), rng.gamma(4.0, 1.1, size=size))
    return nats, unknown, int(rng.integers(2_000, 60_000))


def _draw_known_text(rng):
    """Every word is known."""
    nats, unknown, M = _draw_text(rng)
    return nats, np.zeros_like(unknown), M


PRICES = Question(
    key="05.prices",
    title="three prices for unknown words",
    kind="implement",
    stars=2,
    points=2,
    right=three_prices,
    cases=(
        _draw_text(np.random.default_rng(521), hard=False),
        _draw_text(np.random.default_rng(522), hard=True),
    ),
    draw=_draw_text,
    odd=(_draw_known_text,),
    mistakes=(
        Mistake(
            "M28",
            lambda nats, unknown, M: three_prices(nats, unknown, M, free=np.exp(nats[~unknown].mean())),
            "Your 'free' leaves the unknown words out. There <unk> is a word: it is paid, and it counts.",
        ),
        Mistake(
            "L27",
            lambda nats, unknown, M: three_prices(
                nats, unknown, M, left_out=np.exp(nats[~unknown].sum() / len(nats))
            ),
            "Your 'left out' drops the unknown words from the total and counts them all the same.",
        ),
        Mistake(
            "L31",
            exchanged(three_prices, "left out", "free"),
            "Your 'left out' and your 'free' have changed places.",
        ),
        Mistake(
            "M29",
            partial(three_prices, charge=lambda nats, k, M: np.exp(nats.mean())),
            "Your 'charged' charges nothing: <unk> was paid, and nobody said which of the M words it is.",
        ),
        Mistake(
            "M35",
            partial(three_prices, charge=lambda nats, k, M: np.exp(nats.mean()) * M),
            "Your 'charged' is M times your 'free'. Only k of the N tokens choose among M words, and each "
            "choice adds ln M to the total.",
        ),
        Mistake(
            "M35",
            partial(three_prices, charge=lambda nats, k, M: np.exp(nats.mean()) * (1 + M * k / len(nats))),
            "Your 'charged' averages a factor M over the tokens. Add ln M to the nats of each unknown word.",
        ),
        Mistake(
            "L22",
            partial(three_prices, charge=lambda nats, k, M: np.exp((nats.sum() + np.log(M)) / len(nats))),
            "Your 'charged' pays for one unknown word. There are k of them, and each names its word anew.",
        ),
        Mistake(
            "M2",
            partial(
                three_prices, charge=lambda nats, k, M: np.exp((nats.sum() + k * np.log2(M)) / len(nats))
            ),
            "Your 'charged' adds bits to nats: the charge is log2 M, the total is in nats.",
        ),
        Mistake(
            "L27",
            partial(
                three_prices, charge=lambda nats, k, M: np.exp((nats.sum() + k * np.log(M)) / (len(nats) - k))
            ),
            "Your 'charged' pays for the unknown words and does not count them.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "'charged' is below 'free', though it pays for more",
            lambda prices, *case: prices["charged"] >= prices["free"],
        ),
    ),
    advice="Three totals and two counts: which tokens are paid, which are counted? Write both down first.",
)

# --- charge ----------------------------------------------------------------------------------------------


def charge(R, S, N, k, M):
    """The charged perplexity, and where it meets the perplexity S of a model that knows all words."""
    return {
        "charged": R * M ** (k / N),
        "share": np.log(S / R) / np.log(M),
        "candidates": (S / R) ** (N / k),
    }


CHARGE = Question(
    key="05.charge",
    title="what an unknown word may cost",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("R", "S", "N", "k", "M"),
    right=charge,
    cases=((90.0, 160.0, 130.0, 7.0, 30_000.0), (45.0, 130.0, 80.0, 11.0, 2_500.0)),
    draw=lambda rng: (
        rng.uniform(30, 80),
        rng.uniform(100, 200),
        rng.uniform(80, 160),
        rng.uniform(5, 15),
        rng.uniform(3e3, 5e4),
    ),
    mistakes=(
        Mistake(
            "M29",
            but(charge, {"charged": lambda R, S, N, k, M: R}),
            "Your 'charged' is R: nobody has said which of the M words each <unk> is.",
        ),
        Mistake(
            "M35",
            but(charge, {"charged": lambda R, S, N, k, M: R * M}),
            "Your 'charged' is M times R, as if every token were unknown. Put the share k/N in the exponent.",
        ),
        Mistake(
            "M35",
            but(charge, {"charged": lambda R, S, N, k, M: R * M * k / N}),
            "Your 'charged' multiplies by k/N. Shares of tokens are exponents of a perplexity.",
        ),
        Mistake(
            "L1",
            but(charge, {"charged": lambda R, S, N, k, M: R * M**k}),
            "Your 'charged' pays for k choices and does not share them out over the N tokens.",
        ),
        Mistake(
            "L9",
            but(charge, {"share": lambda R, S, N, k, M: (S / R) / M}),
            "Your 'share' is a ratio of perplexities. A share of tokens is a ratio of logarithms.",
        ),
        Mistake(
            "L7",
            but(charge, {"share": lambda R, S, N, k, M: np.log(R / S) / np.log(M)}),
            "Your 'share' is below 0. S is above R, for the other model has no discount.",
        ),
        Mistake(
            "L7",
            but(charge, {"candidates": lambda R, S, N, k, M: (S / R) ** (k / N)}),
            "The exponent of your 'candidates' is upside down: to undo a power k/N, take the power N/k.",
        ),
        Mistake(
            "L9",
            but(charge, {"candidates": lambda R, S, N, k, M: S / R * N / k}),
            "Your 'candidates' multiplies by N/k. It has to undo an exponent.",
        ),
    ),
    properties=(
        Property("'share' does not lie between 0 and 1", lambda value, *case: 0 < value["share"] < 1),
    ),
    advice="N ln R nats, and ln M more for each of k words. Set exp of the mean equal to S, and solve.",
)

QUESTIONS = (PRICES, CHARGE)
