"""Collapsed Gibbs sampling: topics learned from counts, one running word at a time."""

from __future__ import annotations

import math
from bisect import bisect_right
from itertools import accumulate
from operator import mul, truediv
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from tqdm import tqdm

from lmmetrics._checks import generator, real_number, whole_number
from lmmetrics._progress import shown
from lmmetrics._types import Floats, Ints, Seed
from lmmetrics.topics._counts import WordCounts, checked_counts
from lmmetrics.topics._model import TopicModel
from lmmetrics.topics._weights import checked_alpha

WIDE = 30
"""Above so many topics the counts of a document, and those of a word, are arrays and not lists."""


def gibbs(
    counts: ArrayLike | WordCounts,
    topics: int,
    *,
    alpha: ArrayLike = 0.1,
    beta: float = 0.1,
    sweeps: int = 200,
    seed: Seed,
    progress: bool = True,
) -> TopicModel:
    """Learn topics by collapsed Gibbs sampling.

    Each running word has a topic z. A sweep draws the topic of each word once, given those of all others:

        p(z = k | the other z) is proportional to (n_dk + alpha_k) (n_kw + beta) / (n_k + V beta)

    where the counts n leave out the word that is drawn. The weights of the documents and the words of the
    topics are integrated out. The result has the topics (n_kw + beta) / (n_k + V beta) of the last sweep.

    Parameters
    ----------
    counts : int[D, V] or WordCounts
        The training documents.
    topics : int
        K, at least 1.
    alpha : float or float[K]
        The prior of a document's weights, above 0.
    beta : float
        The prior of a topic's words, above 0.
    sweeps : int
        How often each running word gets a new topic; at least 1. With 30,000 running words, 200 sweeps take
        about 10 seconds for 5 topics and half a minute for 100.
    seed : int or numpy.random.Generator
        The same seed gives the same topics. Another seed gives others, in another order.
    progress : bool
        Whether to show a progress bar if it takes more than ten seconds.

    Returns
    -------
    TopicModel

    Notes
    -----
    Griffiths and Steyvers 2004. The result is one state of a Markov chain, not an optimum: measure with
    several seeds.

    Examples
    --------
    >>> counts = [[9, 8, 0, 0], [7, 9, 0, 1], [0, 0, 8, 9], [0, 1, 9, 7]]
    >>> model = gibbs(counts, topics=2, sweeps=50, seed=1)
    >>> sorted((model.topics[:, :2].sum(axis=1) > 0.5).tolist())
    [False, True]
    """
    number, total = whole_number("topics", topics, 1), whole_number("sweeps", sweeps, 1)
    array = checked_counts("counts", counts)
    beta = float(real_number("beta", beta, lambda x: 0 < x < math.inf, "a finite number above 0"))
    prior = checked_alpha(alpha, number)
    if not array.any():
        raise ValueError("The counts are all 0, so there is nothing to learn topics from.")
    sampler = GibbsSampler(array, prior, beta, generator(seed))
    for _ in tqdm(range(total), desc="sampling", unit="sweep", delay=10, leave=False, **shown(progress)):
        sampler.sweep()
    of_words = sampler.of_words()
    learned = (of_words + beta) / (of_words.sum(axis=1, keepdims=True) + array.shape[1] * beta)
    return TopicModel.from_components(learned, prior, getattr(counts, "words", None))


def _from_lists(here: list[float], word: list[float], sums: list[float], u: float) -> int:
    """Draw a topic with the probabilities here * word / sums; ``u`` is uniform between 0 and 1."""
    levels = list(accumulate(map(truediv, map(mul, here, word), sums)))
    return bisect_right(levels, u * levels[-1], 0, len(levels) - 1)


def _from_arrays(here: Floats, word: Floats, sums: Floats, u: float) -> int:
    """The same for arrays, which takes less time for many topics, and more for few."""
    levels = (here * word / sums).cumsum()
    return min(int(levels.searchsorted(u * levels[-1], side="right")), len(levels) - 1)


class GibbsSampler:
    """The state of the sampler: the topic of each running word, and the counts that follow from it."""

    def __init__(self, counts: Ints, alpha: Floats, beta: float, rng: np.random.Generator) -> None:
        cells = np.argwhere(counts > 0)
        words = np.repeat(cells, counts[counts > 0], axis=0)
        self.documents, self.words = words[:, 0].tolist(), words[:, 1].tolist()
        self.shape, self.rng = (len(alpha), counts.shape[1]), rng
        self.beta = beta
        self.topics: list[int] = rng.integers(len(alpha), size=len(words)).tolist()
        rows: Any = (np.tile(alpha, (len(counts), 1)), np.full(self.shape[::-1], beta))
        sums: Any = np.full(len(alpha), counts.shape[1] * beta)
        self.draw = _from_arrays if len(alpha) > WIDE else _from_lists
        self.in_document: list[Any]
        self.of_word: list[Any]
        self.in_document, self.of_word = (
            list(table) if len(alpha) > WIDE else table.tolist() for table in rows
        )
        for d, w, k in zip(self.documents, self.words, self.topics, strict=True):
            self.in_document[d][k] += 1
            self.of_word[w][k] += 1
            sums[k] += 1
        self.sums = sums if len(alpha) > WIDE else sums.tolist()

    def sweep(self) -> None:
        """Draw the topic of each running word once, in the order of the documents."""
        sums, topics, draw = self.sums, self.topics, self.draw
        uniform = self.rng.random(len(topics)).tolist()
        for i, (d, w, u) in enumerate(zip(self.documents, self.words, uniform, strict=True)):
            here, word, k = self.in_document[d], self.of_word[w], topics[i]
            here[k] -= 1
            word[k] -= 1
            sums[k] -= 1
            k = draw(here, word, sums, u)
            here[k] += 1
            word[k] += 1
            sums[k] += 1
            topics[i] = k

    def of_words(self) -> Ints:
        """Return how many words of each kind have each topic: int64[K, V]."""
        found = np.zeros(self.shape, dtype=np.int64)
        np.add.at(found, (self.topics, self.words), 1)
        return found
