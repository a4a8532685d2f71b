"""Chapter 13, what is written with a model: a decoder, and the most probable text."""

from functools import partial

import numpy as np
from scipy.special import entr, softmax
from scipy.stats import binom

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- decoders --------------------------------------------------------------------------------------------


def _kept(row, p, crossing=True):
    """The row with only its most probable entries, until they hold p; not yet renormalised."""
    order = np.argsort(-row, kind="stable")
    total = np.cumsum(row[order])
    keep = (total - row[order] < p - 1e-12) if crossing else total <= p + 1e-12
    kept = np.zeros_like(row)
    kept[order[keep]] = row[order[keep]]
    return kept


def _decoded(logits, temperature, p, crossing=True, whole=True):
    kept = _kept(softmax(logits / temperature), p, crossing)
    return kept / kept.sum() if whole else kept


def decoders(logits, ids, temperature, p, decode=_decoded):
    """The row from which a decoder draws, the perplexity of a text, and that of what the decoder writes."""
    q = softmax(logits)
    row = decode(logits, temperature, p)
    return {
        "row": row,
        "test": np.exp(-np.log(q[ids]).mean()),
        "written": np.exp(-(row * np.log(q)).sum()),
    }


def _p_first(logits, temperature, p):
    kept = _kept(softmax(logits), p) ** (1 / temperature)
    return kept / kept.sum()


def _test_by_row(logits, ids, temperature, p):
    with np.errstate(divide="ignore"):
        return np.exp(-np.log(_decoded(logits, temperature, p)[ids]).mean())


def _draw_row(rng, cold=None):
    """A peaked row whose cut is clear, and a text with a token that the decoder never writes."""
    while True:
        V = int(rng.integers(6, 10))
        logits = rng.normal(scale=1.3, size=V)
        temperature = float(np.round(rng.uniform(0.5, 0.8) if cold is None else cold, 2))
        p = float(np.round(rng.uniform(0.6, 0.9), 2))
        row = softmax(logits / temperature)
        held = np.cumsum(np.sort(row)[::-1])
        kept = _kept(row, p) > 0
        clear = np.min(np.abs(held - p)) > 0.02 and 2 <= kept.sum() < V - 1
        again = (_kept(softmax(logits), p) > 0).sum() != kept.sum()
        if clear and again and (_kept(softmax(logits * temperature), p) > 0).sum() != kept.sum():
            cut = int(rng.choice(np.flatnonzero(~kept)))
            return logits, rng.permutation(np.append(rng.integers(V, size=5), cut)), temperature, p


DECODERS = Question(
    key="13.decoders",
    title="the model, and what is written with it",
    kind="implement",
    stars=2,
    points=3,
    right=decoders,
    cases=(_draw_row(np.random.default_rng(1341)), _draw_row(np.random.default_rng(1342))),
    draw=_draw_row,
    odd=(partial(_draw_row, cold=1.6),),
    entry_points={"row": 1, "test": 1, "written": 1},
    mistakes=(
        Mistake(
            "M56",
            but(decoders, {"test": lambda *case: decoders(*case)["written"]}),
            "Your 'test' is the perplexity of what the decoder writes. The text is given as ids, and a "
            "decoder changes neither the text nor the model's probabilities of it.",
        ),
        Mistake(
            "M31",
            but(decoders, {"test": _test_by_row}),
            "Your 'test' is infinite: you score the text with the row of the decoder, which gives 0 to what "
            "was cut off. The model is scored, and it has cut off nothing.",
        ),
        Mistake(
            "L34",
            partial(decoders, decode=lambda logits, temperature, p: _decoded(logits, 1 / temperature, p)),
            "You multiply the logits by the temperature. A temperature below 1 has to sharpen the row.",
        ),
        Mistake(
            "L23",
            partial(decoders, decode=partial(_decoded, crossing=False)),
            "You drop the symbol with which the total reaches p, so that what is left holds less than p.",
        ),
        Mistake(
            "L31",
            partial(decoders, decode=_p_first),
            "You cut first and apply the temperature afterwards. In the task it is the other way round.",
        ),
        Mistake(
            "L22",
            partial(decoders, decode=lambda logits, temperature, p: softmax(logits / temperature)),
            "Nothing is cut off: the second step, top-p, is missing.",
        ),
        Mistake(
            "L8",
            partial(decoders, decode=lambda logits, temperature, p: _decoded(logits, 1.0, p)),
            "The temperature is not used: divide the logits by it before the softmax.",
        ),
        Mistake(
            "M33",
            partial(decoders, decode=partial(_decoded, whole=False)),
            "What is left after the cut is not divided by its total: a distribution sums to 1.",
        ),
        Mistake(
            "L15",
            but(decoders, {"written": lambda logits, *_: np.exp(entr(softmax(logits)).sum())}),
            "Your 'written' is the perplexity of what the *model* would draw. The decoder draws from its own "
            "row, and the model scores that.",
        ),
        Mistake(
            "L5",
            but(
                decoders,
                {"written": lambda *case: np.exp(entr(decoders(*case)["row"]).sum())},
            ),
            "Your 'written' is the decoder's own entropy. It draws from its row, and the surprisals are the "
            "model's.",
        ),
        Mistake(
            "M11",
            but(decoders, {"test": lambda logits, ids, *_: (1 / softmax(logits)[ids]).mean()}),
            "Your 'test' is the mean of 1/q. The mean stands inside the exponential.",
        ),
        Mistake(
            "L1",
            but(decoders, {"test": lambda logits, ids, *_: 1 / softmax(logits)[ids].prod()}),
            "Your 'test' is one over the probability of the whole text. Share its surprisal out among the "
            "tokens.",
        ),
        Mistake(
            "M4",
            but(decoders, {"written": lambda *case: np.log(decoders(*case)["written"])}),
            "Your 'written' is a loss in nats. The task asks for a perplexity.",
        ),
        Mistake(
            "M4",
            but(decoders, {"test": lambda *case: np.log(decoders(*case)["test"])}),
            "Your 'test' is a loss in nats. The task asks for a perplexity.",
        ),
    ),
    properties=(
        Property("the row does not sum to 1", lambda value, *case: abs(value["row"].sum() - 1) < 1e-6),
        Property(
            "'test' changes with the temperature, though no decoder touches a text that is given",
            lambda value, second: abs(value["test"] - second["test"]) < 1e-9,
            also=lambda logits, ids, temperature, p: (logits, ids, temperature / 2, p),
        ),
    ),
    advice="For 'row': divide the logits by the temperature, softmax, sort, cut, divide by the rest. 'test' "
    "needs none of it.",
)

# --- typical ---------------------------------------------------------------------------------------------


def _entropy(a):
    return entr(a) + entr(1 - a)


def _surprisals(a, n):
    """Surprisal per token of a text with k rare symbols, for k = 0 to n."""
    k = np.arange(n + 1)
    return -((n - k) * np.log(a) + k * np.log1p(-a)) / n


def typical(a, n, width):
    """Perplexity and probability of the most probable text, and the probability of the typical ones."""
    near = np.abs(_surprisals(a, n) - _entropy(a)) <= width
    return {"mode": 1 / a, "chance": a**n, "typical": binom.pmf(np.arange(n + 1), n, 1 - a)[near].sum()}


def _within(a, n, near):
    return binom.pmf(np.arange(n + 1), n, 1 - a)[near].sum()


def _draw_coin(rng, n=None):
    """A source of two symbols; no text lies at the edge of the typical ones."""
    while True:
        a, width = np.round(rng.uniform(0.6, 0.9), 2), np.round(rng.uniform(0.05, 0.12), 3)
        n = n or int(rng.integers(20, 60))
        off = np.abs(_surprisals(a, n) - _entropy(a)) - width
        if np.min(np.abs(off)) > 1e-3 and (off < 0).any() and off[0] > 0:
            return float(a), n, float(width)


TYPICAL = Question(
    key="13.typical",
    title="the most probable text is not typical",
    kind="compute",
    stars=2,
    points=3,
    right=typical,
    cases=((0.8, 30, 0.1), (0.7, 40, 0.09)),
    atol=1e-40,
    draw=_draw_coin,
    odd=(partial(_draw_coin, n=100),),
    entry_points={"mode": 1, "chance": 1, "typical": 1},
    mistakes=(
        Mistake(
            "L5",
            but(typical, {"mode": lambda a, n, width: np.exp(_entropy(a))}),
            "Your 'mode' is the perplexity that the source expects of its own texts. The most probable text "
            "has only the frequent symbol.",
        ),
        Mistake(
            "M4",
            but(typical, {"mode": lambda a, n, width: -np.log(a)}),
            "Your 'mode' is a surprisal in nats per token. The task asks for its perplexity.",
        ),
        Mistake(
            "M1",
            but(typical, {"mode": lambda a, n, width: 2 ** -np.log(a)}),
            "Your 'mode' raises 2 to a number of nats.",
        ),
        Mistake(
            "M5",
            but(typical, {"mode": lambda a, n, width: a}),
            "Your 'mode' is below 1, and no perplexity is. It is one over a probability.",
        ),
        Mistake(
            "L1",
            but(typical, {"mode": lambda a, n, width: a**-n}),
            "Your 'mode' is one over the probability of the whole text: take the root, one factor per token.",
        ),
        Mistake(
            "L1",
            but(typical, {"chance": lambda a, n, width: a}),
            "Your 'chance' is that of one token. The text has n of them.",
        ),
        Mistake(
            "L18",
            but(typical, {"chance": lambda a, n, width: 0.5**n}),
            "Your 'chance' treats all texts as equally probable.",
        ),
        Mistake(
            "M2",
            but(
                typical,
                {
                    "typical": lambda a, n, width: _within(
                        a, n, np.abs(_surprisals(a, n) - _entropy(a)) <= width * np.log(2)
                    )
                },
            ),
            "You measure the distance in bits. The width is in nats per token.",
        ),
        Mistake(
            "L22",
            but(
                typical,
                {"typical": lambda a, n, width: _within(a, n, _surprisals(a, n) <= _entropy(a) + width)},
            ),
            "Your 'typical' counts texts that are too probable, the most probable one among them. The "
            "distance goes both ways.",
        ),
        Mistake(
            "L33",
            but(
                typical,
                {"typical": lambda a, n, width: np.mean(np.abs(_surprisals(a, n) - _entropy(a)) <= width)},
            ),
            "Your 'typical' treats all numbers of rare symbols as equally probable. Add their probabilities.",
        ),
        Mistake(
            "L9",
            but(
                typical,
                {
                    "typical": lambda a, n, width: _within(
                        a, n, np.abs(np.arange(n + 1) / n - (1 - a)) <= width
                    )
                },
            ),
            "You compare the share of rare symbols with its mean. The width is a distance of surprisals, "
            "and one more rare symbol changes the surprisal by ln(a / (1 - a)) / n.",
        ),
        Mistake(
            "L22",
            but(
                typical,
                {
                    "typical": lambda a, n, width: np.exp(-n * _surprisals(a, n))[
                        np.abs(_surprisals(a, n) - _entropy(a)) <= width
                    ].sum()
                },
            ),
            "You count one text for each number of rare symbols. There are as many as there are places for "
            "them: the binomial coefficient is missing.",
        ),
    ),
    properties=(
        Property(
            "a probability lies between 0 and 1, and one of yours does not",
            lambda value, *case: all(0 <= value[key] <= 1 + 1e-9 for key in ("chance", "typical")),
        ),
    ),
    advice="A text with k rare symbols has the probability a**(n - k) * (1 - a)**k; there are comb(n, k) of "
    "them. Take all k from 0 to n.",
)

QUESTIONS = (DECODERS, TYPICAL)
