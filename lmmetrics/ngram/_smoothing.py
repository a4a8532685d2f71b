"""What all smoothing methods have in common: a share for each n-gram, and a remainder for each context.

The methods are in `_additive`, `_interpolation`, `_discounting` and `_backoff`.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._errors import AdvisedError
from lmmetrics._types import Floats
from lmmetrics.ngram._counts import NGramCounts, spelled
from lmmetrics.ngram._level import Level, Values
from lmmetrics.ngram._tables import Tables

SURE = 1e-6
"""How far a sum of probabilities may be from 1: rounding."""


class MissingStatisticsError(AdvisedError):
    """The text lacks the statistics that a method needs: for instance, no n-gram occurs exactly twice."""


class Smoothing:
    """A smoothing method. `NGramModel` takes one and fits a copy of it.

    In the doc-strings of the methods, h is a context and h' the context without its first word; c(hw) is how
    often w follows h, c(h) the sum of c(hw) over w, T(h) the number of different words seen after h, n_r the
    number of n-grams seen r times; V is the number of words that can be predicted: the whole vocabulary, with
    `<unk>` and `</s>`, without `<s>`. Below order 1 is the uniform distribution, 1 / V.

    Notes
    -----
    To write a method of your own, derive it from `Interpolated` or `SpreadEvenly` and define `terms`: the
    share that each n-gram gets from its own count, and the weight that each context leaves to the remainder.
    A method that distributes the remainder in another way derives from `Smoothing` and defines `combine` too.
    `NGramModel.fit` adds up the probabilities after each context of the text, and after one that is not in
    it, and refuses a method if a sum is not 1.

    Examples
    --------
    Dirichlet smoothing, p(w | h) = (c(hw) + mu p(w | h')) / (c(h) + mu).

    >>> from lmmetrics.ngram import Interpolated, NGramModel
    >>> from lmmetrics.text import tokenize
    >>> class Dirichlet(Interpolated):
    ...     def __init__(self, mu):
    ...         self.mu = mu
    ...     def terms(self, level):
    ...         whole = level.totals(level.counts) + self.mu
    ...         return level.counts / level.spread(whole), self.mu / whole
    >>> model = NGramModel(1, Dirichlet(mu=2)).fit(tokenize(["a a a b\\n"]))  # c = 5, V = 4
    >>> round(model.prob("a") * (5 + 2), 12)  # 3 + 2 / 4
    3.5
    """

    evenly = False
    """Whether the remainder goes to all words in equal parts."""
    by_context = False
    """Whether `terms` and `combine` treat each context by itself, and take what they estimate for an order
    from `counts_of_counts` and `unseen` of the level. `NGramModel.fit` with a limit of memory needs that."""
    refusal: str | None = None
    """Why the values are not probabilities; None if they are."""

    def prepare(self, counts: NGramCounts) -> None:
        """Estimate the parameters that all orders share. Called once, before `terms` is called per order."""

    @property
    def unseen(self) -> float:
        """The weight of the remainder after a context that was not seen."""
        return 1.0

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        """Return the share of each n-gram and the weight of the remainder after each context.

        Parameters
        ----------
        level : Level
            The n-grams of one order: G n-grams with C contexts.

        Returns
        -------
        share : float64[G]
        weight : float64[C]
        """
        raise NotImplementedError

    def combine(self, level: Level, own: Floats, weights: Floats, shorter: Floats) -> tuple[Floats, Floats]:
        """Return the probabilities float64[G] and the weights float64[C] of one order.

        Parameters
        ----------
        level : Level
        own, weights : float64[G], float64[C]
            The share and the weight that `terms` returned.
        shorter : float64[G]
            The probability of each n-gram without its first word; 1 / V at order 1.
        """
        raise NotImplementedError

    def tables(self, counts: NGramCounts, advance: Callable[[], object] = lambda: None) -> Tables:
        """Return the `Tables` that score a text; `advance` is called after each order, for a progress bar."""
        self.prepare(counts)
        uniform = np.array([1 / counts.vocabulary.predictable])
        below: Values | None = None  # the values of the order below
        made = []
        for level in counts.levels:
            values = level.new_values()
            for part in level.parts():
                shorter = uniform if self.evenly or below is None else below.probs_at(part.suffixes)
                values.append(*self.smoothed(part, shorter, counts))
            made.append(values.tables(self.unseen))
            below = values
            advance()
        probs, weights = map(list, zip(*made, strict=True))
        return Tables(counts.vocabulary, counts.levels, probs, weights, self.evenly)

    def smoothed(self, level: Level, shorter: Floats, counts: NGramCounts) -> tuple[Floats, Floats]:
        """Return what `combine` makes of `terms`.

        Raises
        ------
        ValueError
            If the probabilities after some context do not sum to 1, and are meant to be probabilities.
        """
        own, left = self.combine(level, *self.terms(level), shorter)
        own, left = np.asarray(own, dtype=np.float64), np.asarray(left, dtype=np.float64)
        if level.n == 1:
            own = own.copy()  # it may be an array that the method keeps
            own[counts.vocabulary.bos] = 0.0  # never predicted
        if self.refusal is None:
            self._check_sums(level, own, left, shorter, counts)
        return own, left

    def _check_sums(
        self, level: Level, own: Floats, left: Floats, shorter: Floats, counts: NGramCounts
    ) -> None:
        """Raise unless the probabilities after each context sum to 1, if those of the shorter ones do."""
        if not math.isclose(self.unseen, 1, rel_tol=SURE):
            self._refuse("a context that is not in the text", self.unseen)
        sums = level.totals(own)
        if level.n > 1:  # at order 1, every word has a probability of its own
            sums = sums + left * (1 - level.totals(np.broadcast_to(shorter, len(level))))
        wrong = np.flatnonzero(~(np.abs(sums - 1) <= SURE))  # nan is wrong, too
        if len(wrong):
            ids = spelled(counts.levels, level.n - 1, wrong[:1] + level.first)[0] if level.n > 1 else []
            words = " ".join(counts.vocabulary.token(int(id)) for id in ids)
            self._refuse(repr(words) if words else "the empty context", sums[wrong[0]])

    def _refuse(self, context: str, total: float) -> None:
        raise ValueError(
            f"After {context}, the probabilities of {self!r} sum to {total:.6g}, not to 1, so a perplexity "
            "would mean nothing. In `terms`, the shares of the n-grams with one context and the weight of "
            "its remainder have to sum to 1; where no n-gram has the context, the weight has to be 1."
        )

    def __repr__(self) -> str:
        given = {k: v for k, v in vars(self).items() if v is not None and not (k[0] == "_" or k[-1] == "_")}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"


class Interpolated(Smoothing):
    """p(w | h) = share(hw) + weight(h) p(w | h'), for all words, whether they were seen after h or not."""

    def combine(self, level: Level, own: Floats, weights: Floats, shorter: Floats) -> tuple[Floats, Floats]:
        probs = level.spread(weights) * shorter
        probs += own
        return probs, weights


class SpreadEvenly(Interpolated):
    """p(w | h) = share(hw) + weight(h) / V: all words get equal parts of the remainder."""

    evenly = True


def ratio(part: ArrayLike, whole: Floats) -> Floats:
    """Divide, with 1 where the whole is 0: a context that nothing follows leaves everything to the remainder.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 1. ])
    """
    return np.divide(part, whole, out=np.ones(len(whole)), where=whole > 0)
