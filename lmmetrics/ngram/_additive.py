"""Methods without shorter contexts: relative frequencies, and counts adjusted in favour of unseen words."""

import math
from numbers import Real

import numpy as np

from lmmetrics._checks import real_number, whole_number
from lmmetrics._types import Floats
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._smoothing import Interpolated, MissingStatisticsError, SpreadEvenly, ratio


class MaximumLikelihood(Interpolated):
    """Relative frequency: no smoothing.

        p(w | h) = c(hw) / c(h)

    Source: the maximum of the likelihood of the training text, by Lagrange's rule.

    Notes
    -----
    A word that was not seen after h has probability 0, as has an unknown word, so almost every other text has
    an infinite perplexity. For a context that was never followed by a word the formula is 0 / 0; the longest
    suffix of the context that was followed by one is then used instead.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> model = NGramModel(2, MaximumLikelihood()).fit(tokenize(["the cat sleeps\\nthe cat eats\\n"]))
    >>> model.prob("sleeps", ["cat"]), model.prob("the", ["cat"])
    (0.5, 0.0)
    """

    by_context = True

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        total = level.totals(level.counts)
        return level.counts / level.spread(total), ratio(np.zeros(len(total)), total)


class AddK(SpreadEvenly):
    """Add k to every count; k = 1 is Laplace's rule of succession, k = 0.5 Jeffreys'.

        p(w | h) = (c(hw) + k) / (c(h) + k V)

    Source: Lidstone 1920; Laplace 1814 for k = 1. Chen and Goodman 1999, section 2.1.

    Parameters
    ----------
    k : float
        The number that is added to each count, above 0.

    Notes
    -----
    After an unseen context all V words have probability 1 / V. An unknown word is scored as `<unk>`, whose
    count becomes k if it was never seen; without `<unk>` in the vocabulary it has probability 0.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> model = NGramModel(2, AddK(k=1)).fit(tokenize(["the cat sleeps\\nthe cat eats\\n"]))
    >>> round(model.prob("sleeps", ["cat"]) * (2 + 6), 12)  # (1 + 1) / (2 + 6)
    2.0
    """

    by_context = True

    def __init__(self, k: float = 1.0) -> None:
        if isinstance(k, Real) and k == 0:
            raise ValueError(
                "k is 0; a number above 0 is expected. For relative frequencies use MaximumLikelihood()."
            )
        self.k = real_number("k", k, lambda k: 0 < k < math.inf, "a finite number above 0")

    def prepare(self, counts: NGramCounts) -> None:
        self.mass_ = self.k * counts.vocabulary.predictable

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        total = level.totals(level.counts) + self.mass_
        return level.counts / level.spread(total), self.mass_ / total


class GoodTuring(SpreadEvenly):
    """Good-Turing counts, for seen and unseen words.

        c* = (c + 1) n_{c+1} / n_c        for 1 <= c <= k, and c* = c above k
        0* = n_1 / n_0                    with n_0 the number of unseen words, over all seen contexts
        p(w | h) = c*(hw) / sum_v c*(hv)

    Source: Good 1953; the limit k as in Katz 1987. Counts above k are reliable without adjustment.

    Parameters
    ----------
    k : int
        The largest count that is changed, at least 1.

    Attributes
    ----------
    adjusted_ : dict of float64[k + 1]
        After `fit`: order to 0*, 1*, ..., k*.

    Notes
    -----
    After an unseen context all V words have probability 1 / V. `<unk>` is treated like any other word: it has
    the adjusted count 0* if it was never seen. If every word was seen (the unigrams of a closed vocabulary),
    c* = c. This is the estimate on its own; `Katz` combines it with the shorter context.

    Raises
    ------
    MissingStatisticsError
        By `NGramModel.fit`, if no n-gram occurs once, or if n-grams occur c times for a c up to k, but none
        occurs c + 1 times.
    """

    by_context = True

    def __init__(self, k: int = 5) -> None:
        self.k = whole_number("k", k, 1)

    def prepare(self, counts: NGramCounts) -> None:
        self.adjusted_: dict[int, Floats] = {}
        self._words = counts.vocabulary.predictable

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        total, types = level.totals(level.counts), level.followers()
        missing = np.where(total > 0, self._words - types, 0.0)  # unseen words, for each seen context
        adjusted = self.adjusted_[level.n] = self._adjusted(level, level.unseen(self._words))
        low = level.counts <= self.k
        stars = np.where(low, adjusted.take(level.counts, mode="clip"), level.counts)
        whole = level.totals(stars * (level.counts > 0)) + adjusted[0] * missing
        own = np.where(level.counts > 0, stars - adjusted[0], 0.0) / level.spread(whole)
        return own, ratio(adjusted[0] * self._words * (total > 0), whole)

    def _adjusted(self, level: Level, missing: float) -> Floats:
        if missing == 0:  # every word was seen, so no count is adjusted
            return np.arange(self.k + 1.0)
        n = level.counts_of_counts(largest=self.k + 1)
        if n[1] == 0 or ((n[1:-1] > 0) & (n[2:] == 0)).any():
            absent = int(np.flatnonzero(n[1:] == 0)[0]) + 1
            raise MissingStatisticsError(
                f"GoodTuring with k = {self.k} needs n-grams of each count from 1 to {self.k + 1}, but no "
                f"{level.n}-gram of this text occurs {absent} times.",
                "Use a smaller k, a lower order, a longer text, or a method that needs no counts of "
                "counts, such as WittenBell() or AddK().",
            )
        r = np.arange(self.k + 1)
        n[0] = missing
        return np.divide((r + 1) * n[1:], n[:-1], out=np.zeros(self.k + 1), where=n[:-1] > 0)
