"""Drawing text from a model."""

import numpy as np

from lmmetrics._checks import whole_number
from lmmetrics._types import Ints
from lmmetrics.ngram._tables import Tables


def draw(tables: Tables, n: int, rng: np.random.Generator, context: list[int]) -> Ints:
    """Draw the ids of n tokens: int32[n]. Each needs a row of V probabilities, so time grows with n V."""
    n = whole_number("n", n, 0)
    bos, eos = tables.vocabulary.bos, tables.vocabulary.eos
    ids, past = np.empty(n, dtype=np.int32), context
    for i in range(n):
        cumulative = np.cumsum(tables.row(past))
        # The last sum is 1 up to rounding; a draw below it never finds a word of probability 0.
        ids[i] = np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right")
        past = [bos] if ids[i] == eos else [*past, int(ids[i])][-tables.order :]
    return ids
