"""Tasks of the final exam about sources and counted models: chapters 02, 06 and 08."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import entr

from lmcourse.exams.task import rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- floor: the entropy rate of a source with memory, and what it is without context -----------------------


def _binary(x):
    return (entr(x) + entr(1 - x)) / LN2


def _floor(a, b, share=None):
    share = b / (a + b) if share is None else share
    return {
        "share of A": share,
        "bits per symbol": share * _binary(a) + (1 - share) * _binary(b),
        "perplexity without context": 2 ** _binary(share),
    }


floor = value_builder(
    title="the floor under every model",
    entry_points=(1, 2, 1),
    draw=lambda rng: tuple(round(rng.uniform(0.05, 0.6), 3) for _ in range(2)),
    suits=lambda a, b: abs(a - b) > 0.1,
    right=_floor,
    mistakes=(
        Mistake(
            "L18", partial(_floor, share=0.5), "Half the symbols are A only if both switch equally often."
        ),
        Mistake(
            "L34",
            lambda a, b: _floor(a, b, a / (a + b)),
            "Your share is upside down: a state that is left seldom holds more of the symbols.",
        ),
        Mistake(
            "L24",
            but(_floor, {"bits per symbol": lambda a, b: _binary(b / (a + b))}),
            "That is the entropy of a symbol alone; the one before it is known.",
        ),
        Mistake(
            "M1",
            but(_floor, {"bits per symbol": lambda a, b: _floor(a, b)["bits per symbol"] * LN2}),
            "Your rate is in nats, and bits are asked for.",
        ),
        Mistake(
            "M9",
            but(_floor, {"bits per symbol": lambda a, b: (_binary(a) + _binary(b)) / 2}),
            "You average the two states with equal weights. Weight each with its share of the symbols.",
        ),
    ),
    given="leave_a, leave_b = {a}, {b}",
    text="""
A source writes the symbols A and B. After an A it writes B with probability {a}, after a B it writes A with
probability {b}, and so on for ever.

Set `floor` to a dictionary: `"share of A"` among the symbols in the long run; `"bits per symbol"`, the
least cross-entropy that any model can reach; and `"perplexity without context"`, the lowest that a
model can reach without seeing earlier symbols.
""",
    message="the share of A, the entropy rate in bits, and the best perplexity without context",
    solution="""
h = lambda x: -(x * np.log2(x) + (1 - x) * np.log2(1 - x))
share = leave_b / (leave_a + leave_b)
floor = {
    "share of A": share,
    "bits per symbol": share * h(leave_a) + (1 - share) * h(leave_b),
    "perplexity without context": 2 ** h(share),
}
""",
)

# --- estimated: the Good–Turing count, from counts of counts -----------------------------------------------


def _types(rng):
    first = int(rng.integers(300, 900))
    others = (first * np.array([0.32, 0.16, 0.1]) * rng.uniform(0.8, 1.2, 3)).astype(int)
    seen = np.array([first, *others])
    return seen, int(seen @ [1, 2, 3, 4] * rng.uniform(1.6, 3.0))


def _estimated(n, total, shift=1, turned=1):
    adjusted = [(r + shift) * (n[r] / n[r - 1]) ** turned for r in (1, 2)]
    return {"unseen mass": n[0] / total, "adjusted 1": adjusted[0], "adjusted 2": adjusted[1]}


estimated = value_builder(
    title="what the rare ones tell of the unseen",
    entry_points=(1, 1, 1),
    draw=_types,
    right=_estimated,
    mistakes=(
        Mistake("L23", partial(_estimated, shift=0), "Off by one: the factor before the ratio is r + 1."),
        Mistake(
            "L34",
            partial(_estimated, turned=-1),
            "Your ratio is upside down: the types that came once more often stand above the fraction line.",
        ),
        Mistake(
            "L35",
            but(_estimated, {"unseen mass": lambda n, total: n[0] / n.sum()}),
            "You divide by types. The mass is a share of tokens.",
        ),
    ),
    given="n, total = np.array({n}), {total}  # n[r - 1] types came r times",
    fields=lambda n, total: {"table": rows(range(1, 5), n)},
    text="""
A text has {total} tokens. The table gives the number of types that occur $r$ times.

| $r$ | types |
|---|---|
{table}

Set `estimated` to a dictionary: `"unseen mass"` is the Good–Turing estimate of the probability that
the next token is new, and `"adjusted 1"` and `"adjusted 2"` are the adjusted counts of the types that
occur once and twice.
""",
    message="the unseen mass, and the adjusted counts for r = 1 and 2",
    solution="""
estimated = {"unseen mass": n[0] / total, "adjusted 1": 2 * n[1] / n[0], "adjusted 2": 3 * n[2] / n[1]}
""",
)

# --- discounted: one probability of interpolated Kneser–Ney, in its four pieces ----------------------------


def _labels(rng):
    words, contexts = ["tea", "rain", "bread", "light"], ["the", "some", "no", "warm"]
    return {"words": rng.permutation(words).tolist(), "contexts": rng.permutation(contexts).tolist()}


def _bigrams(rng):
    counts = rng.integers(1, 9, (4, 4)) * (rng.random((4, 4)) < 0.6)
    return counts, int(rng.integers(4)), int(rng.integers(4)), round(rng.uniform(0.4, 0.9), 2)


def _all_orders_matter(counts, c, w, discount):
    full = counts[c, w] > 0 and counts.sum(axis=1).min() > 0
    return full and 1 < (counts[:, w] > 0).sum() < 4 and (counts[c] > 0).sum() > 1


def _continuation(counts, c, w):
    return (counts[:, w] > 0).sum() / (counts > 0).sum()


def _discounted(counts, c, w, discount, taken=True, kinds=None, lower=_continuation):
    row = counts[c]
    first = max(row[w] - (discount if taken else 0.0), 0) / row.sum()
    weight = discount * (kinds or (row > 0).sum()) / row.sum()
    below = lower(counts, c, w)
    mass = first + weight * below
    return {"discounted": first, "weight": weight, "continuation": below, "probability": mass}


discounted = value_builder(
    title="a Kneser–Ney probability",
    entry_points=(1, 1, 2, 1),
    words=_labels,
    draw=_bigrams,
    suits=_all_orders_matter,
    right=_discounted,
    mistakes=(
        Mistake(
            "L35",
            partial(_discounted, lower=lambda n, c, w: n[:, w].sum() / n.sum()),
            "Your lower order counts tokens. Kneser–Ney counts in how many contexts a word was seen.",
        ),
        Mistake(
            "L13",
            partial(_discounted, taken=False),
            "You give out the weight, and have not taken the discount off the count: the sum is above 1.",
        ),
        Mistake(
            "L22",
            partial(_discounted, kinds=1),
            "The discount is taken from each word seen in this context: multiply by how many there are.",
        ),
        Mistake(
            "L16",
            partial(_discounted, lower=lambda n, c, w: (n[c] > 0).sum() / (n > 0).sum()),
            "You count the words after this context. Count the contexts before this word.",
        ),
    ),
    given="counts = np.array({counts})\nc, w, D = {c}, {w}, {discount}",
    fields=lambda counts, c, w, discount, words, contexts: {
        "head": " | ".join(words),
        "table": rows(contexts, *counts.T),
        "word": words[w],
        "context": contexts[c],
    },
    text="""
These are all bigrams of a corpus: a row is the first word, a column the second.

| | {head} |
|---|---|---|---|---|
{table}

A bigram model with interpolated Kneser–Ney smoothing subtracts the same discount $D = {discount}$ from every
count above 0. What does it give to *{word}* after *{context}*?

Set `discounted` to a dictionary: `"discounted"` is the first term, `"weight"` the mass that goes to the
lower order, `"continuation"` the lower order's probability of *{word}*, and `"probability"` the whole.
""",
    message="the first term, the weight, the continuation probability, and the whole",
    solution="""
row, seen = counts[c], counts > 0
first = (row[w] - D) / row.sum()
weight = D * seen[c].sum() / row.sum()
lower = seen[:, w].sum() / seen.sum()
mass = first + weight * lower
discounted = {"discounted": first, "weight": weight, "continuation": lower, "probability": mass}
""",
)
