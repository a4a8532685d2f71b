"""What every smoothing method is: a share of its own for each n-gram, and a remainder for each context.

A method says, for each order, what an n-gram gets from its own count and what its context leaves over
(`terms`), and where the remainder goes (`combine`). Most methods are `Interpolated`: every word gets the
shorter context's probability on top. `SpreadEvenly` treats all words alike instead. The methods are in the
modules `additive`, `interpolation`, `discounting` and `backoff`.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._types import Floats
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._tables import Tables


class MissingStatisticsError(ValueError):
    """A method needs numbers that this text does not have, such as the n-grams seen twice."""


class Smoothing:
    """A smoothing method. Give one to `NGramModel`; it is not fitted itself.

    In the doc-strings of the methods: h is a context and h' the context without its first word; c(hw) is how
    often w follows h, c(h) the sum of c(hw) over w, T(h) the number of different words seen after h, n_r the
    number of n-grams seen r times; V is the number of words that can be predicted: the whole vocabulary, with
    `<unk>` and `</s>`, without `<s>`. Below order 1 is the uniform distribution, 1 / V.
    """

    evenly = False  # whether the remainder goes to all words alike
    refusal: str | None = None  # why the values are not probabilities, if they are not

    def prepare(self, counts: NGramCounts) -> None:
        """Estimate what all orders share, before `terms` is called for each of them."""

    @property
    def unseen(self) -> float:
        """The weight of a context that was not seen."""
        return 1.0

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        """Return the share of each n-gram and the weight of the remainder: float64[G], float64[C].

        Parameters
        ----------
        level : Level
            The n-grams of one order.
        """
        raise NotImplementedError

    def combine(self, level: Level, own: Floats, weights: Floats, shorter: Floats) -> tuple[Floats, Floats]:
        """Return the probabilities float64[G] and the weights float64[C] of one order.

        Parameters
        ----------
        level : Level
        own, weights
            What `terms` returned.
        shorter : float64[G]
            The probability of each n-gram without its first word.
        """
        raise NotImplementedError

    def tables(self, counts: NGramCounts, advance: Callable[[], object] = lambda: None) -> Tables:
        """Return the `Tables` of a text's counts."""
        self.prepare(counts)
        vocabulary = counts.vocabulary
        probs: list[Floats] = []
        weights = []
        uniform = np.array([1 / vocabulary.predictable])
        for level in counts.levels:
            shorter = uniform if self.evenly or not probs else probs[-1]
            shorter = shorter.take(level.suffixes) if len(shorter) > 1 else shorter
            own, left = self.terms(level)
            own, left = self.combine(level, own, left, shorter)
            if level.n == 1:
                own[vocabulary.bos] = 0.0  # never predicted
            probs.append(own)
            weights.append(np.append(left, self.unseen))
            advance()
        return Tables(vocabulary, counts.levels, probs, weights, self.evenly)

    def __repr__(self) -> str:
        given = {k: v for k, v in vars(self).items() if v is not None and not (k[0] == "_" or k[-1] == "_")}
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in given.items())})"


class Interpolated(Smoothing):
    """p(w | h) = share(hw) + weight(h) p(w | h'), for words seen after h and for unseen words alike."""

    def combine(self, level: Level, own: Floats, weights: Floats, shorter: Floats) -> tuple[Floats, Floats]:
        own += level.spread(weights) * shorter
        return own, weights


class SpreadEvenly(Interpolated):
    """p(w | h) = share(hw) + weight(h) / V."""

    evenly = True


def ratio(part: ArrayLike, whole: Floats) -> Floats:
    """Divide, with 1 where the whole is 0: a context that nothing follows leaves everything over.

    Examples
    --------
    >>> ratio(np.array([1.0, 0.0]), np.array([4.0, 0.0]))
    array([0.25, 1. ])
    """
    return np.divide(part, whole, out=np.ones(len(whole)), where=whole > 0)
