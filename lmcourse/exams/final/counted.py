"""Tasks of the final exam about sources and counted models: chapters 02, 06 and 08."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import entr

from lmcourse.exams.part import Part, draw_apart, value_part
from lmcourse.hints.question import Mistake

LN2 = math.log(2)


def floor(rng) -> Part:
    """02 and 08: the entropy rate of a source with memory, and what it is without context."""

    def draw(rng):
        return tuple(round(rng.uniform(0.05, 0.6), 3) for _ in range(2))

    def binary(x):
        return (entr(x) + entr(1 - x)) / LN2

    def three(a, b, share):
        rate = share * binary(a) + (1 - share) * binary(b)
        return {
            "share of A": share,
            "bits per symbol": rate,
            "perplexity without context": 2 ** binary(share),
        }

    def right(a, b):
        return three(a, b, b / (a + b))

    def mixed_up(a, b):
        bits = right(a, b) | {"bits per symbol": binary(b / (a + b))}
        return bits

    mistakes = (
        Mistake(
            "L18", lambda a, b: three(a, b, 0.5), "Half the symbols are A only if both switch equally often."
        ),
        Mistake(
            "L34",
            lambda a, b: three(a, b, a / (a + b)),
            "Your share is upside down: a state that is left seldom holds more of the symbols.",
        ),
        Mistake("L24", mixed_up, "That is the entropy of a symbol alone; the one before it is known."),
        Mistake(
            "M1",
            lambda a, b: right(a, b) | {"bits per symbol": right(a, b)["bits per symbol"] * LN2},
            "Your rate is in nats, and bits are asked for.",
        ),
        Mistake(
            "M9",
            lambda a, b: right(a, b) | {"bits per symbol": (binary(a) + binary(b)) / 2},
            "You average the two states with equal weights. Weight each with its share of the symbols.",
        ),
    )
    a, b = draw_apart(rng, draw, right, mistakes, lambda a, b: abs(a - b) > 0.1)
    return value_part(
        "floor",
        title="the floor under every model",
        chapters="02, 08",
        minutes=8,
        points=4,
        parts=(1, 2, 1),
        right=right,
        case=(a, b),
        mistakes=mistakes,
        given=f"leave_a, leave_b = {a}, {b}",
        text=f"""
A source writes the symbols A and B. After an A it writes B with probability {a}, after a B it writes A with
probability {b}, and so on for ever.

Set `floor` to a dictionary: `"share of A"` among the symbols in the long run; `"bits per symbol"`, the
least cross-entropy that any model can reach; and `"perplexity without context"`, the lowest that a
model can reach without seeing earlier symbols.
""",
        task="the share of A, the entropy rate in bits, and the best perplexity without context",
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


def estimated(rng) -> Part:
    """06: the Good–Turing count, from counts of counts."""

    def draw(rng):
        first = int(rng.integers(300, 900))
        others = (first * np.array([0.32, 0.16, 0.1]) * rng.uniform(0.8, 1.2, 3)).astype(int)
        seen = np.array([first, *others])
        return seen, int(seen @ [1, 2, 3, 4] * rng.uniform(1.6, 3.0))

    def three(n, total, shift=1, turned=1):
        adjusted = [(r + shift) * (n[r] / n[r - 1]) ** turned for r in (1, 2)]
        return {"unseen mass": n[0] / total, "adjusted 1": adjusted[0], "adjusted 2": adjusted[1]}

    mistakes = (
        Mistake(
            "L23", lambda n, t: three(n, t, shift=0), "Off by one: the factor before the ratio is r + 1."
        ),
        Mistake(
            "L34",
            lambda n, t: three(n, t, turned=-1),
            "Your ratio is upside down: the types that came once more often stand above the fraction line.",
        ),
        Mistake(
            "L35",
            lambda n, t: three(n, t) | {"unseen mass": n[0] / n.sum()},
            "You divide by types. The mass is a share of tokens.",
        ),
    )
    n, total = draw_apart(rng, draw, three, mistakes)
    rows = "\n".join(f"| {r} | {x} |" for r, x in enumerate(n.tolist(), 1))
    return value_part(
        "estimated",
        title="what the rare ones tell of the unseen",
        chapters="06",
        minutes=5,
        points=3,
        parts=(1, 1, 1),
        right=three,
        case=(n, total),
        mistakes=mistakes,
        given=f"n, total = np.array({n.tolist()}), {total}  # n[r - 1] types came r times",
        text=f"""
A text has {total} tokens. The table gives the number of types that occur $r$ times.

| $r$ | types |
|---|---|
{rows}

Set `estimated` to a dictionary: `"unseen mass"` is the Good–Turing estimate of the probability that
the next token is new, and `"adjusted 1"` and `"adjusted 2"` are the adjusted counts of the types that
occur once and twice.
""",
        task="the unseen mass, and the adjusted counts for r = 1 and 2",
        solution="""
estimated = {"unseen mass": n[0] / total, "adjusted 1": 2 * n[1] / n[0], "adjusted 2": 3 * n[2] / n[1]}
""",
    )


def discounted(rng) -> Part:
    """06: one probability of interpolated Kneser-Ney, in its four pieces."""
    words = [str(word) for word in rng.permutation(["tea", "rain", "bread", "light"])]
    contexts = [str(word) for word in rng.permutation(["the", "some", "no", "warm"])]

    def draw(rng):
        counts = rng.integers(1, 9, (4, 4)) * (rng.random((4, 4)) < 0.6)
        return counts, int(rng.integers(4)), int(rng.integers(4)), round(rng.uniform(0.4, 0.9), 2)

    def pieces(counts, c, w, discount, keep=0.0, continuation=None, kinds=None):
        row = counts[c]
        first = max(row[w] - (discount if keep == 0.0 else 0.0), 0) / row.sum()
        weight = discount * ((row > 0).sum() if kinds is None else kinds) / row.sum()
        lower = (counts[:, w] > 0).sum() / (counts > 0).sum() if continuation is None else continuation
        return {
            "discounted": first,
            "weight": weight,
            "continuation": lower,
            "probability": first + weight * lower,
        }

    mistakes = (
        Mistake(
            "L35",
            lambda n, c, w, d: pieces(n, c, w, d, continuation=n[:, w].sum() / n.sum()),
            "Your lower order counts tokens. Kneser–Ney counts in how many contexts a word was seen.",
        ),
        Mistake(
            "L13",
            lambda n, c, w, d: pieces(n, c, w, d, keep=1.0),
            "You give out the weight, and have not taken the discount off the count: the sum is above 1.",
        ),
        Mistake(
            "L22",
            lambda n, c, w, d: pieces(n, c, w, d, kinds=1),
            "The discount is taken from each word seen in this context: multiply by how many there are.",
        ),
        Mistake(
            "L16",
            lambda n, c, w, d: pieces(n, c, w, d, continuation=(n[c] > 0).sum() / (n > 0).sum()),
            "You count the words after this context. Count the contexts before this word.",
        ),
    )

    def suits(n, c, w, d):
        return (
            n[c, w] > 0 and n.sum(axis=1).min() > 0 and 1 < (n[:, w] > 0).sum() < 4 and (n[c] > 0).sum() > 1
        )

    counts, c, w, discount = draw_apart(rng, draw, pieces, mistakes, suits)
    rows = "\n".join(
        f"| {name} | {' | '.join(map(str, row))} |"
        for name, row in zip(contexts, counts.tolist(), strict=True)
    )
    return value_part(
        "discounted",
        title="a Kneser–Ney probability",
        chapters="06",
        minutes=12,
        points=5,
        parts=(1, 1, 2, 1),
        right=pieces,
        case=(counts, c, w, discount),
        mistakes=mistakes,
        given=f"counts = np.array({counts.tolist()})\nc, w, D = {c}, {w}, {discount}",
        text=f"""
These are all bigrams of a corpus: a row is the first word, a column the second.

| | {" | ".join(words)} |
|---|{"---|" * 4}
{rows}

A bigram model with interpolated Kneser–Ney smoothing subtracts the same discount $D = {discount}$ from every
count above 0. What does it give to *{words[w]}* after *{contexts[c]}*?

Set `discounted` to a dictionary: `"discounted"` is the first term, `"weight"` the mass that goes to the
lower order, `"continuation"` the lower order's probability of *{words[w]}*, and `"probability"` the whole.
""",
        task="the first term, the weight, the continuation probability, and the whole",
        solution="""
row, seen = counts[c], counts > 0
first = (row[w] - D) / row.sum()
weight = D * seen[c].sum() / row.sum()
lower = seen[:, w].sum() / seen.sum()
mass = first + weight * lower
discounted = {"discounted": first, "weight": weight, "continuation": lower, "probability": mass}
""",
    )
