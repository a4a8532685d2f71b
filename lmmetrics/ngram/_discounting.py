"""Discounting: subtract a constant from every count, and give the freed mass to the shorter context."""

import contextlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from lmmetrics._checks import real_number
from lmmetrics._types import Floats, Ints
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._level import Counted, Level
from lmmetrics.ngram._smoothing import Interpolated, MissingStatisticsError, ratio


class AbsoluteDiscounting(Interpolated):
    """Subtract one discount D from each count.

        p(w | h) = max(c(hw) - D, 0) / c(h) + D T(h) / c(h) p(w | h')
        D = n_1 / (n_1 + 2 n_2), at each order

    Source: Ney, Essen and Kneser 1994; interpolated as in Chen and Goodman 1999, section 2.6.

    Parameters
    ----------
    discount : float, optional
        D at every order, above 0 and up to 1. Estimated if not given.
    fallback : float, optional
        D at the orders at which it cannot be estimated; without it, such an order raises an error.

    Attributes
    ----------
    discounts_ : dict
        After `fit`: order to D.

    Notes
    -----
    After an unseen context p(w | h) = p(w | h'). Words that were never seen, such as `<unk>`, get their
    probability from the uniform distribution below order 1. If D cannot be estimated for the unigrams and the
    text contains every word of its vocabulary, the unigrams are not discounted.

    Raises
    ------
    MissingStatisticsError
        By `NGramModel.fit`, if no n-gram of an order occurs once, or none occurs twice.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> model = NGramModel(1, AbsoluteDiscounting()).fit(tokenize(["a a a b\\n", "b c c d"]))
    >>> print(model.smoothing.discounts_)  # d is seen once; </s>, b and c twice: 1 / (1 + 2 * 3)
    {1: 0.14285714285714285}
    """

    by_context = True

    of: Counted = "counts"
    """Which counts are discounted."""
    largest = 1  # this count and all higher ones have the same discount
    example = "0.75"

    def __init__(
        self, discount: float | Sequence[float] | None = None, fallback: float | Sequence[float] | None = None
    ) -> None:
        self.discount = self._checked("discount", discount)
        self.fallback = self._checked("fallback", fallback)

    def prepare(self, counts: NGramCounts) -> None:
        self.discounts_: dict[int, float | Floats] = {}
        self._words = counts.vocabulary.predictable

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        counts = self.counts(level)
        discounts = self.discounts_[level.n] = self._discounts(level)
        taken = np.append(0.0, discounts).take(np.minimum(counts, self.largest))
        total = level.totals(counts)
        return (counts - taken) / level.spread(total), ratio(level.totals(taken), total)

    def counts(self, level: Level) -> Ints:
        """Return the counts that are discounted: int[G]."""
        return level.counted(self.of)

    def estimate(self, n: Ints) -> float | Floats | None:
        """Return D from the counts of counts n[1], n[2]; None if it cannot be estimated."""
        return float(n[1] / (n[1] + 2 * n[2])) if n[1] and n[2] else None

    def _discounts(self, level: Level) -> float | Floats:
        if self.discount is not None:
            return self.discount
        n = level.counts_of_counts(self.of, largest=4)
        found = self.estimate(n)
        if found is None:
            found = self.fallback
        if found is None and (level.followers() == self._words).all():
            return 0.0 * np.ones(self.largest)
        if found is None:
            name = type(self).__name__
            seen = ", ".join(f"{n[r]} with count {r}" for r in range(1, self.largest + 2))
            raise MissingStatisticsError(
                f"{name} cannot estimate its discounts at order {level.n}: it needs n-grams with each of "
                f"the counts 1 to {max(2, self.largest)}, fewer of each higher count, and it found {seen}.",
                "Use a longer text or a lower order; "
                f"give discounts for such orders, {name}(fallback={self.example}); "
                "or use WittenBell(), which needs no counts of counts.",
            )
        return found

    def _checked(self, name: str, value: Any) -> float | Floats | None:
        if value is None:
            return None
        return real_number(name, value, lambda d: 0 < d <= 1, "one number above 0 and up to 1")


class KneserNey(AbsoluteDiscounting):
    """Absolute discounting; at the lower orders, counts of the different words before an n-gram.

        p(w | h) = max(a(hw) - D, 0) / a(h) + D T(h) / a(h) p(w | h')
        a = c at the highest order; at lower orders the number of different words seen before hw
        D = n_1 / (n_1 + 2 n_2), at each order, with n_r counted in a

    Source: Kneser and Ney 1995; interpolated as in Chen and Goodman 1999, section 3. Where hw starts with
    `<s>`, which follows no word, a = c.

    Parameters, attributes, notes and errors are those of `AbsoluteDiscounting`.

    Examples
    --------
    "Francisco" is as frequent as "glass", but it follows only one word.

    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["San Francisco\\nSan Francisco\\nred glass\\na glass\\n"])
    >>> model = NGramModel(2, KneserNey(discount=0.5)).fit(text)
    >>> model.prob("Francisco", ["never"]) < model.prob("glass", ["never"])
    True
    """

    of = "continuations"


class ModifiedKneserNey(KneserNey):
    """Kneser-Ney with three discounts: for n-grams counted once, twice, and three times or more.

        p(w | h) = (a(hw) - D(a(hw))) / a(h) + gamma(h) p(w | h')
        D_r = r - (r + 1) Y n_{r+1} / n_r   for r = 1, 2, 3,   Y = n_1 / (n_1 + 2 n_2),   D(a) = D_3 above 3
        gamma(h) = sum over w of D(a(hw)) / a(h)

    Source: Chen and Goodman 1999, section 3; conventions as in KenLM (Heafield and others 2013): unigrams are
    interpolated with 1 / V. On texts of words the perplexities equal KenLM's to six digits. With few symbols
    they differ a little, because KenLM counts the last word of a text in another way.

    Parameters
    ----------
    discount : three floats, optional
        D_1, D_2 and D_3 at every order, D_r above 0 and up to r. Estimated if not given.
    fallback : three floats, optional
        The discounts at the orders at which they cannot be estimated; without it, such an order raises an
        error. KenLM's usual values are 0.5, 1 and 1.5.

    Attributes
    ----------
    discounts_ : dict of float64[3]
        After `fit`: order to D_1, D_2, D_3.

    Notes
    -----
    After an unseen context p(w | h) = p(w | h'). Words that were never seen, such as `<unk>`, get their
    probability from the uniform distribution below order 1.

    Where nothing has the count 4, D_3 is 3, as in KenLM; if ``fallback`` is given, such an order takes it.

    Raises
    ------
    MissingStatisticsError
        By `NGramModel.fit`, if at some order one of the counts 1 to 3 does not occur, or a discount is not
        between 0 and its count.
    """

    largest = 3
    example = "(0.5, 1, 1.5)"

    def estimate(self, n: Ints) -> float | Floats | None:
        if not n[1 : 4 if self.fallback is None else 5].all():
            return None
        r = np.arange(1, 4)
        discounts = r - (r + 1) * n[1] / (n[1] + 2 * n[2]) * n[2:5] / n[1:4]
        return discounts if ((discounts > 0) & (discounts <= r)).all() else None

    def _checked(self, name: str, value: float | Sequence[float] | None) -> float | Floats | None:
        if value is None:
            return None
        with contextlib.suppress(TypeError, ValueError):  # not numbers, or rows of different lengths
            discounts = np.asarray(value, dtype=float)
            if discounts.shape == (3,) and ((discounts > 0) & (discounts <= [1, 2, 3])).all():
                return discounts
        raise ValueError(
            f"{name} is {value!r}; three numbers are expected, for counts of 1, 2, and 3 or more, "
            "each above 0 and at most its count."
        )
