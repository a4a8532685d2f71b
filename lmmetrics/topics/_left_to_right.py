"""The left-to-right estimate of a document's probability, for any number of topics.

The functions here take checked arguments: counts int64[D, V], topics float64[K, V], alpha float64[K].
"""

import math

import numpy as np

from lmmetrics._types import Floats, Ints

HELD = 1 << 22
"""How many numbers of the particles of a group of documents are held in memory at once, about."""


def left_to_right(
    counts: Ints, topics: Floats, alpha: Floats, particles: int, rng: np.random.Generator
) -> Floats:
    """Estimate -ln p of each document: float64[D]. It is infinite if no topic can give one of its words."""
    possible = (topics > 0).any(axis=0)
    known, columns = counts[:, possible], np.ascontiguousarray(topics[:, possible].T)
    lengths = known.sum(axis=1)
    order = np.argsort(-lengths, kind="stable")
    nats = np.zeros(len(counts))
    size = max(1, HELD // (particles * max(len(topics), lengths.max(initial=1))))
    for start in range(0, len(order), size):
        group = order[start : start + size]
        words = np.zeros((len(group), lengths[group].max(initial=0)), dtype=np.int64)
        for row, own in zip(known[group], words, strict=True):
            own[: row.sum()] = rng.permutation(np.repeat(np.arange(len(row)), row))
        nats[group] = Particles(words, lengths[group], columns, alpha, particles, rng).read()
    nats[(counts[:, ~possible] > 0).any(axis=1)] = math.inf
    return np.maximum(nats, 0.0)


class Particles:
    """Labellings of the words that have been read, some for each document; the longest document is first."""

    def __init__(
        self, words: Ints, lengths: Ints, columns: Floats, alpha: Floats, particles: int,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        documents, longest = words.shape
        self.words, self.lengths, self.columns, self.alpha, self.rng = words, lengths, columns, alpha, rng
        self.labels = np.zeros((longest, documents, particles), dtype=np.int64)
        self.numbers = np.tile(alpha, (documents, particles, 1))  # of words with each label, plus alpha
        self.rows, self.cells = np.arange(documents)[:, None], np.arange(particles)[None]

    def read(self) -> Floats:
        """Predict each word from the labels of the words before it; return -ln p of each document."""
        nats = np.zeros(len(self.words))
        for place in range(self.words.shape[1]):
            left = int((self.lengths > place).sum())  # documents that have a word here
            for earlier in range(place):
                self.numbers[self.rows[:left], self.cells, self.labels[earlier, :left]] -= 1
                self._label(earlier, left)
            given = self._label(place, left)
            nats[:left] -= np.log(given.mean(axis=1) / (place + self.alpha.sum()))
            self._select(given, place + 1, left)
        return nats

    def _label(self, place: int, left: int) -> Floats:
        """Draw the labels of the words at a place; return the probability of each word, not normalised."""
        levels = (self.numbers[:left] * self.columns[self.words[:left, place], None]).cumsum(axis=2)
        points = self.rng.random(levels.shape[:2]) * levels[:, :, -1]
        drawn = np.minimum((levels <= points[:, :, None]).sum(axis=2), levels.shape[2] - 1)
        self.labels[place, :left] = drawn
        self.numbers[self.rows[:left], self.cells, drawn] += 1
        return np.asarray(levels[:, :, -1])

    def _select(self, given: Floats, places: int, left: int) -> None:
        """Draw the particles anew, each in proportion to the probability that it gave the last word."""
        levels, particles = given.cumsum(axis=1), given.shape[1]
        points = (self.cells + self.rng.random((left, 1))) * levels[:, -1:] / particles
        kept = np.array([np.searchsorted(*pair, side="right") for pair in zip(levels, points, strict=True)])
        kept = np.minimum(kept, particles - 1)
        self.numbers[:left] = self.numbers[self.rows[:left], kept]
        self.labels[:places, :left] = np.take_along_axis(self.labels[:places, :left], kept[None], axis=2)
