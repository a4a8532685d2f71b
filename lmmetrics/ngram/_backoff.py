"""Backing off: the shorter context is used only for words that were not seen after the longer one."""

from collections.abc import Sequence

import numpy as np

from lmmetrics._checks import real_number, whole_number
from lmmetrics._types import Floats
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._smoothing import MissingStatisticsError, Smoothing, ratio


class Katz(Smoothing):
    """Katz's back-off, with Good-Turing discounts.

        p(w | h) = d(c) c(hw) / c(h)       where c = c(hw) is at least the minimum count
                 = alpha(h) p(w | h')      elsewhere; alpha(h) makes the sum 1
        d(c) = (c* / c - a) / (1 - a)      for c <= k, and 1 above k
        c* = (c + 1) n_{c+1} / n_c,   a = (k + 1) n_{k+1} / n_1

    Source: Katz 1987.

    Parameters
    ----------
    k : int
        The largest count that is discounted, at least 2. (With k = 1 the formula gives d(1) = 0.)
    min_count : int or sequence of int
        The smallest count that keeps a probability of its own, for order 1, 2 and so on; the last number
        is used for all higher orders. Smaller counts still contribute to c(h). The Good-Turing results
        published for the Penn Treebank use ``Katz(k=7, min_count=(1, 1, 2))``.

    Attributes
    ----------
    discounts_ : dict of float64[k + 1]
        After `fit`: order to d(0), ..., d(k). Order 1 is missing if every word was seen.

    Notes
    -----
    After an unseen context p(w | h) = p(w | h'). Below order 1 is the uniform distribution: words that were
    never seen, such as `<unk>`, share the remainder of the unigrams equally.

    A d(c) above 1, which noise in small counts of counts can cause, is replaced by 1, as in SRILM.

    Two kinds of context are exceptions. If all counts are above k, no mass is left for the words not seen:
    c(h) + 1 then replaces c(h), which is Paul's rule. If every word of the vocabulary was seen after h, no
    remainder is needed, and no count is discounted.

    Raises
    ------
    MissingStatisticsError
        By `NGramModel.fit`, if no n-gram occurs once, or a discount is not above 0.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["a a a b b c c d e f g h"])  # n_1 = 6 with </s>, n_2 = 2, n_3 = 1
    >>> model = NGramModel(1, Katz(k=2)).fit(text)
    >>> model.smoothing.discounts_[1].round(12)  # a = 1/2, 1* = 2/3, 2* = 3/2
    array([0.        , 0.33333333, 0.5       ])
    >>> round(model.prob("<unk>") * 13, 12)  # the mass of n_1 of the 13 tokens
    6.0
    """

    by_context = True

    def __init__(self, k: int = 5, min_count: int | Sequence[int] = 1) -> None:
        self.k, self.min_count = whole_number("k", k, 2), min_count
        least: dict[str, object] = {"min_count": min_count}
        if isinstance(min_count, Sequence) and not isinstance(min_count, str) and min_count:
            least = {f"min_count[{i}]": count for i, count in enumerate(min_count)}
        self._least = [whole_number(name, value, 1) for name, value in least.items()]

    def prepare(self, counts: NGramCounts) -> None:
        self.discounts_: dict[int, Floats] = {}
        self._words = counts.vocabulary.predictable

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        """Return the share of each n-gram (0 if it backs off) and the mass that each context leaves."""
        total, least = level.totals(level.counts), self._least[min(level.n, len(self._least)) - 1]
        lacking = level.totals(level.counts >= least) < self._words
        if lacking[total > 0].any():
            discounts = self.discounts_[level.n] = self._discounts(level, least)
            kept = np.where(level.counts <= self.k, discounts.take(level.counts, mode="clip"), 1.0)
            kept = np.where(level.spread(lacking), kept * level.counts, level.counts)
        else:
            kept = level.counts.astype(float)
        freed = level.totals(level.counts - kept)
        paul = lacking & (freed == 0) & (total > 0)
        total += paul
        return kept / level.spread(total), ratio(freed + paul, total)

    def combine(self, level: Level, own: Floats, left: Floats, shorter: Floats) -> tuple[Floats, Floats]:
        backs_off = own == 0
        unseen = 1 - level.totals(np.where(backs_off, 0.0, shorter))
        weights = np.divide(left, unseen, out=np.zeros(len(left)), where=left > 0)
        return np.where(backs_off, level.spread(weights) * shorter, own), weights

    def _discounts(self, level: Level, least: int) -> Floats:
        n, r = level.counts_of_counts(largest=self.k + 1), np.arange(1, self.k + 1)
        used = (n[1:-1] > 0) & (r >= least)
        common = (self.k + 1) * n[-1] / n[1] if n[1] else 1.0
        discounts = np.zeros(self.k)
        if common < 1:
            stars = np.divide((r + 1) * n[2:], n[1:-1], out=np.zeros(self.k), where=used)
            discounts[used] = ((stars / r - common) / (1 - common))[used]
        if (discounts[used] <= 0).any():
            seen = ", ".join(f"n_{count} = {number}" for count, number in enumerate(n) if count)
            raise MissingStatisticsError(
                f"Katz with k = {self.k} finds no discounts above 0 at order {level.n}: the counts of "
                f"counts ({seen}) do not fall as those of a long text do.",
                "Use a smaller k, a lower order, a longer text, or a method that needs no counts of "
                "counts, such as WittenBell().",
            )
        return np.append(0.0, np.minimum(discounts, 1.0))


class StupidBackoff(Smoothing):
    """A score that backs off with a constant: cheap, but not a probability.

        S(w | h) = c(hw) / c(h)      where hw was seen
                 = alpha S(w | h')   elsewhere, and S(w) = c(w) / N

    Source: Brants and others 2007.

    Parameters
    ----------
    alpha : float
        The factor for each step to a shorter context, above 0 and up to 1.

    Notes
    -----
    The scores of the words after a context do not sum to 1, so they have no perplexity.
    `NGramModel.log_scores` and `next_scores` return them; `log_probs`, `prob` and `next_distribution` raise
    an error. An unseen context multiplies the score by alpha, as an unseen word does. A word that was never
    seen, such as `<unk>`, has the score 0.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> model = NGramModel(2, StupidBackoff()).fit(tokenize(["the cat sleeps\\nthe cat eats\\n"]))
    >>> print(model.next_scores(["cat"]).sum())
    1.3
    """

    by_context = True

    refusal = (
        "the scores of StupidBackoff do not sum to 1 over the vocabulary, so they are not probabilities and "
        "have no perplexity. Use log_scores(text) or next_scores(context) for the scores themselves, or a "
        "method with probabilities, such as ModifiedKneserNey()"
    )

    def __init__(self, alpha: float = 0.4) -> None:
        self.alpha = real_number("alpha", alpha, lambda a: 0 < a <= 1, "a number above 0 and up to 1")

    @property
    def unseen(self) -> float:
        return self.alpha

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        total = level.totals(level.counts)
        return level.counts / level.spread(total), np.full(len(total), self.alpha if level.n > 1 else 0.0)

    def combine(self, level: Level, own: Floats, weights: Floats, shorter: Floats) -> tuple[Floats, Floats]:
        return own, weights
