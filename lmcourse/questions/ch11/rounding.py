"""Chapter 11, rounding: rows as whole numbers, judged by what they lose, and codes of whole bits."""

import heapq
import itertools
from functools import partial

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- eight-bits ------------------------------------------------------------------------------------------


def _kl(row, counts):
    """Bits per symbol that a row loses when it is replaced by counts."""
    there = row > 0
    return (row[there] * np.log2(row[there] * counts.sum() / counts[there])).sum()


def _kl_backwards(row, counts):
    r = counts / counts.sum()
    with np.errstate(divide="ignore"):
        return (r * np.log2(r / row)).sum()


def _on_average(row, counts):
    return np.abs(row - counts / counts.sum()).max()


LOSSES = {
    "right": _kl,
    "M1": lambda row, counts: _kl(row, counts) * np.log(2),
    "M50": _kl_backwards,
    "L7": lambda row, counts: -_kl(row, counts),
    "L9": _on_average,
    "L22": lambda row, counts: -(row * np.log2(counts / counts.sum())).sum(),
    "L8": lambda row, counts: -np.log2(1 - len(row) / counts.sum()),
}
"""What an answer may give as the loss of its counts, by the mistake that it is."""


def _one_and_a_share(row, bits):
    """One for each symbol; the rest is shared out by the row, and the largest remainders get what is left."""
    share = (2**bits - len(row)) * row
    counts = 1 + np.floor(share)
    order = np.argsort(-(share % 1), kind="stable")
    counts[order[: int(2**bits - counts.sum())]] += 1
    return counts


def _nearest(row, bits):
    return np.round(row * 2**bits)


def _nearest_and_one(row, bits):
    return np.maximum(_nearest(row, bits), 1)


def _largest_remainders(row, bits):
    share = row * 2**bits
    counts = np.floor(share)
    order = np.argsort(-(share % 1), kind="stable")
    counts[order[: int(2**bits - counts.sum())]] += 1
    return counts


def quantise(row, bits, counted=_one_and_a_share, loss=_kl):
    """Whole numbers for a row that sum to 2**bits, and what they lose; row (V,)."""
    counts = counted(row, bits)
    with np.errstate(divide="ignore"):
        return {"counts": counts, "loss": loss(row, counts)}


def most_lost(row, bits):
    """The loss that a rule with at least (2**bits - V) q(x) for each symbol cannot exceed."""
    return -np.log2(1 - len(row) / 2**bits)


WHAT_IS_LOST = (
    "How many bits does each symbol need more under the counts than under the row? Take the mean of that "
    "under the row, in which a symbol of probability 0 adds nothing."
)
TOO_MUCH = (
    "your counts sum to 2**bits and keep every symbol, but they lose more than the task allows. From which "
    "symbols have you taken the counts for the rare ones?"
)


def read_counts(answer, row, bits):
    """Counts that keep every symbol, sum to 2**bits and lose little enough become ours, with their loss."""
    answer = plain_data(answer)
    if not isinstance(answer, dict) or set(answer) != {"counts", "loss"}:
        raise Unreadable("your answer must be a dictionary with the keys 'counts' and 'loss'.")
    try:
        counts, given = np.asarray(answer["counts"], dtype=float), float(answer["loss"])
    except (TypeError, ValueError):
        return answer, {}
    good = counts.shape == row.shape and (counts % 1 == 0).all() and (counts >= 1).all()
    if not good or counts.sum() != 2**bits:
        return answer, {}
    ours = _one_and_a_share(row, bits)
    names = (name for name, f in LOSSES.items() if np.isclose(given, f(row, counts), rtol=1e-6, atol=1e-12))
    name = next(names, "")
    value = {"counts": ours, "loss": LOSSES[name](row, ours) if name else given}
    told = {} if name else {"loss": f'"loss": {given:.6g} is not what your counts lose. {WHAT_IS_LOST}'}
    if _kl(row, counts) > most_lost(row, bits) + 1e-12:
        return value | {"counts": counts}, told | {"counts": f'"counts": {TOO_MUCH}'}
    return value, told


def _draw_row(rng, bits=None, peaked=False, zero=False):
    """A row whose rare symbols would be rounded to 0."""
    while True:
        V, b = int(rng.integers(4, 24)), bits or int(rng.integers(6, 11))
        row = rng.dirichlet(np.full(V, 0.05 if peaked else 0.4)) + 1e-6
        if zero:
            row[int(rng.integers(V))] = 0.0
        row /= row.sum()
        low = row * 2**b < 0.5
        if low.any() and (zero or 2**b not in (_nearest(row, b).sum(), _nearest_and_one(row, b).sum())):
            return row, b


EIGHT_BITS = Question(
    key="11.eight-bits",
    title="a row in whole numbers",
    kind="implement",
    stars=2,
    points=3,
    right=quantise,
    cases=(
        (np.array([0.6115, 0.2521, 0.12, 0.0154, 0.0008, 0.0002]), 8),
        _draw_row(np.random.default_rng(1191), bits=6),
        _draw_row(np.random.default_rng(1192), bits=8),
    ),
    draw=_draw_row,
    odd=(
        lambda rng: _draw_row(rng, bits=12, peaked=True),
        lambda rng: _draw_row(rng, zero=True),
    ),
    reading=read_counts,
    entry_points={"counts": 2, "loss": 1},
    mistakes=(
        Mistake(
            "L13",
            partial(quantise, counted=_nearest),
            "You round each entry on its own. Then the counts need not sum to 2**bits, and rare symbols get "
            "a count of 0.",
        ),
        Mistake(
            "L13",
            partial(quantise, counted=_nearest_and_one),
            "Your counts keep every symbol, but they do not sum to 2**bits: what you add to the rare symbols "
            "has to be taken from somewhere.",
        ),
        Mistake(
            "M31",
            partial(quantise, counted=_largest_remainders),
            "Your counts sum to 2**bits, and rare symbols have a count of 0. If one of them occurs, there "
            "is no code for it.",
        ),
        Mistake(
            "M1",
            partial(quantise, loss=LOSSES["M1"]),
            "Your 'loss' is {ratio} = ln 2 times what it should be: it is in nats.",
        ),
        Mistake(
            "M50",
            partial(quantise, loss=_kl_backwards),
            "Your 'loss' is D(counts || row). The symbols are drawn from the row, so the row comes first.",
        ),
        Mistake(
            "L7",
            partial(quantise, loss=LOSSES["L7"]),
            "Your 'loss' has the wrong sign: the surprisal under the counts comes first, that under the row "
            "is subtracted.",
        ),
        Mistake(
            "L9",
            partial(quantise, loss=_on_average),
            "Your 'loss' is a difference of probabilities. Bits are logarithms: take the mean of "
            "log2(row / share) under the row.",
        ),
        Mistake(
            "L22",
            partial(quantise, loss=LOSSES["L22"]),
            "Your 'loss' is all that a symbol needs under the counts. Subtract what it needs under the row.",
        ),
        Mistake(
            "L8",
            partial(quantise, loss=LOSSES["L8"]),
            "Your 'loss' is the bound of the task. Your counts lose less than that.",
        ),
    ),
    properties=(
        Property(
            "the counts do not sum to 2**bits",
            lambda value, row, bits: value["counts"].sum() == 2**bits,
        ),
        Property(
            "a symbol has a count below 1",
            lambda value, row, bits: (value["counts"] >= 1).all(),
        ),
    ),
    advice="Give each symbol one count before you look at the row, and share the rest out. What is left "
    "after rounding down can go to any symbols.",
)

# --- huffman ---------------------------------------------------------------------------------------------


def _blocks(row, block):
    return np.array([np.prod(some) for some in itertools.product(row, repeat=block)])


def _merged(probabilities):
    """Expected length of a Huffman code: the sum of the probabilities of all merged nodes."""
    heap, total = list(probabilities), 0.0
    heapq.heapify(heap)
    while len(heap) > 1:
        node = heapq.heappop(heap) + heapq.heappop(heap)
        total += node
        heapq.heappush(heap, node)
    return total


def _entropy(row):
    return -(row * np.log2(row)).sum()


def huffman(row, block, length=_merged, per=lambda block: block):
    """Bits per symbol of a Huffman code of blocks, and what it loses against the entropy; row (V,)."""
    bits = length(_blocks(row, block)) / per(block)
    return {"bits": bits, "loss": bits - _entropy(row)}


def _draw_source(rng, equal=False, dyadic=False):
    if dyadic:
        return np.array([0.5, 0.125, 0.25, 0.125]), int(rng.integers(1, 4))
    V = 2 if equal else int(rng.integers(2, 5))
    first = rng.uniform(0.55, 0.95)
    rest = rng.dirichlet(np.full(V - 1, 3.0)) * (1 - first)
    return np.array([first, *rest]), int(rng.integers(2, 5 if V < 4 else 4))


HUFFMAN = Question(
    key="11.huffman",
    title="whole bits",
    kind="implement",
    stars=2,
    points=2,
    right=huffman,
    cases=(
        (np.array([0.9, 0.1]), 2),
        (np.array([0.62, 0.05, 0.33]), 2),
        (np.array([0.71, 0.16, 0.13]), 3),
    ),
    draw=_draw_source,
    odd=(
        lambda rng: (_draw_source(rng)[0], 1),
        lambda rng: _draw_source(rng, dyadic=True),
        lambda rng: (_draw_source(rng, equal=True)[0], 6),
    ),
    entry_points={"bits": 1, "loss": 1},
    mistakes=(
        Mistake(
            "M77",
            partial(huffman, length=lambda q: (q * np.ceil(-np.log2(q))).sum()),
            "Each of your code words is as long as its surprisal, rounded up. Such a code exists, but "
            "Huffman's is shorter: merge the two least probable nodes until one is left.",
        ),
        Mistake(
            "L8",
            lambda row, block: huffman(row, 1),
            "You code single symbols. A code word belongs to a block of `block` symbols, whose probability "
            "is a product.",
        ),
        Mistake(
            "L1",
            partial(huffman, per=lambda block: 1),
            "Your numbers are those of a whole block. Divide its bits by the number of symbols in it.",
        ),
        Mistake(
            "L18",
            partial(huffman, length=lambda q: np.ceil(np.log2(len(q)))),
            "All your code words have the same length. Frequent blocks should have short ones.",
        ),
        Mistake(
            "M2",
            but(
                huffman,
                {"loss": lambda row, block: huffman(row, block)["bits"] + (row * np.log(row)).sum()},
            ),
            "Your 'loss' subtracts an entropy in nats from a length in bits.",
        ),
        Mistake(
            "L9",
            but(huffman, {"loss": lambda row, block: huffman(row, block)["bits"] / _entropy(row)}),
            "Your 'loss' is a ratio. The task asks for the difference in bits per symbol.",
        ),
        Mistake(
            "L7",
            but(huffman, {"loss": lambda row, block: -huffman(row, block)["loss"]}),
            "Your 'loss' is below 0. No code that gives each block a word is shorter than the entropy.",
        ),
    ),
    properties=(
        Property(
            "'loss' is below 0 for one of the inputs, and no such code is shorter than the entropy. Count "
            "the blocks, and the nodes that you add up",
            lambda value, *case: value["loss"] > -1e-9,
        ),
    ),
    alike=(("L8", "L18", "in the first case there are two symbols, and both give one bit for each"),),
    advice="Blocks of two for (0.9, 0.1) have the probabilities 0.81, 0.09, 0.09 and 0.01. The expected "
    "length is the sum of all nodes that you make by merging.",
)

QUESTIONS = (EIGHT_BITS, HUFFMAN)
