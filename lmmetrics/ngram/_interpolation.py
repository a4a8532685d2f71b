"""Mixtures of all orders, with weights from held-out text or from how many words follow a context."""

import contextlib
from collections.abc import Sequence

import numpy as np

from lmmetrics._types import Bools, Floats, Ints
from lmmetrics.ngram._counts import NGramCounts
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._smoothing import Interpolated, ratio
from lmmetrics.ngram._windows import SortedText
from lmmetrics.text import TokenizedText
from lmmetrics.text._shared import check_listed


class WittenBell(Interpolated):
    """Witten and Bell's method C: the more different words followed a context, the likelier is a new one.

        p(w | h) = (c(hw) + T(h) p(w | h')) / (c(h) + T(h))

    Source: Witten and Bell 1991; interpolated as in Chen and Goodman 1999, section 2.5.

    Notes
    -----
    It needs no counts of counts, so it works on any text. After an unseen context p(w | h) = p(w | h'). Words
    that were never seen, such as `<unk>`, get their probability from the uniform distribution below order 1.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> model = NGramModel(1, WittenBell()).fit(tokenize(["a a a b\\n"]))  # c = 5, T = 3, V = 4
    >>> round(model.prob("a") * (5 + 3), 12), round(model.prob("never") * (5 + 3), 12)
    (3.75, 0.75)
    """

    by_context = True

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        types = level.followers()
        whole = level.totals(level.counts) + types
        return level.counts / level.spread(whole), ratio(types, whole)


class JelinekMercer(Interpolated):
    """A mixture of the relative frequencies of all orders, one weight for each order.

        p(w | h) = lambda_n c(hw) / c(h) + (1 - lambda_n) p(w | h')

    Source: Jelinek and Mercer 1980; the weights by expectation maximisation (EM) on held-out text: a token's
    share in lambda_n is the posterior probability that the mixture took it from order n.

    Parameters
    ----------
    heldout : TokenizedText, optional
        The text from which the weights are learned. It must not be the training text, on which the highest
        order would get all the weight.
    weights : sequence of float, optional
        The weights of order 1, 2 and so on, each from 0 to 1, in place of `heldout`.

    Attributes
    ----------
    weights_ : float64[order]
        After `fit`: the weights lambda_1, lambda_2 and so on.

    Notes
    -----
    After a context that was never followed by a word, p(w | h) = p(w | h'). Words that were never seen, such
    as `<unk>`, get their probability from the uniform distribution below order 1. If the held-out text
    contains no seen context of an order, that order keeps the weight 0.5.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["a a a b\\n"])
    >>> model = NGramModel(1, JelinekMercer(weights=[0.8])).fit(text)
    >>> round(model.prob("a"), 12)  # 0.8 * 3/5 + 0.2 * 1/4
    0.53
    """

    by_context = True

    def __init__(self, heldout: TokenizedText | None = None, weights: Sequence[float] | None = None) -> None:
        if (heldout is None) == (weights is None):
            raise ValueError(
                "JelinekMercer needs either heldout, a text other than the training text, or weights, one "
                "number for each order: JelinekMercer(heldout=valid)."
            )
        if heldout is not None:
            check_listed("heldout", heldout)
        self.heldout = heldout
        self.weights = weights

    def prepare(self, counts: NGramCounts) -> None:
        if self.heldout is not None:
            self.weights_ = em_weights(*heldout_frequencies(counts, self.heldout))
            return
        with contextlib.suppress(TypeError, ValueError):  # not numbers, or rows of different lengths
            weights = np.asarray(self.weights, dtype=float)
            if weights.shape == (counts.order,) and ((weights >= 0) & (weights <= 1)).all():
                self.weights_ = weights
                return
        raise ValueError(
            f"weights is {self.weights!r}; expected {counts.order} numbers from 0 to 1, one for each order."
        )

    def terms(self, level: Level) -> tuple[Floats, Floats]:
        weight, total = self.weights_[level.n - 1], level.totals(level.counts)
        return weight * level.counts / level.spread(total), ratio((1 - weight) * total, total)

    def __repr__(self) -> str:
        return f"JelinekMercer({'heldout=...' if self.weights is None else f'weights={self.weights!r}'})"


def heldout_frequencies(counts: NGramCounts, heldout: TokenizedText) -> tuple[Floats, Bools]:
    """Return the relative frequency of each held-out token at each order, and whether it is defined.

    Parameters
    ----------
    counts : NGramCounts
        Of the training text.
    heldout : TokenizedText
        N tokens, with the same vocabulary.

    Returns
    -------
    frequencies : float64[order + 1, N]
        Row n: c(hw) / c(h) for the context h of n - 1 tokens. Row 0: 1 / V.
    seen : bool[order + 1, N]
        Whether c(h) > 0, and h is within the sentence.

    Raises
    ------
    ValueError
        If the text has another vocabulary, or is the training text.
    """
    if heldout.vocabulary is not counts.vocabulary and heldout.vocabulary != counts.vocabulary:
        raise ValueError(
            "The held-out text has another vocabulary than the training text. Tokenise it with the training "
            "text's: tokenize(documents, vocabulary=train.vocabulary)."
        )
    windows = SortedText(heldout, counts.order)
    positions = windows.positions
    frequencies = np.zeros((counts.order + 1, len(positions)))
    seen = np.zeros(frequencies.shape, dtype=bool)
    places: Ints = np.zeros(1, dtype=np.int64)
    for (level, groups, complete), trained in zip(windows.levels(), counts.levels, strict=True):
        contexts = level.spread(places)
        totals = np.append(trained.totals(trained.counts), 0).take(contexts)  # index -1 is the last
        places = trained.find(contexts, level.tokens)
        found = np.where(places >= 0, trained.counts.take(places), 0)
        if level.n == counts.order and len(level) == len(trained) and (found == level.counts).all():
            raise ValueError(
                "The held-out text has the n-grams of the training text, on which the highest order would "
                "get all the weight. Give a text that the model is not fitted to: the validation text."
            )
        ends, group = positions[complete] + level.n - 1, groups[complete]
        frequencies[level.n, ends] = ratio(found, totals).take(group)
        seen[level.n, ends] = (totals > 0).take(group)
    frequencies[0], seen[0] = 1 / counts.vocabulary.predictable, True
    known = ~windows.is_bos
    known[known] = heldout.ids >= 0
    return frequencies[:, known], seen[:, known]


def em_weights(frequencies: Floats, seen: Bools, tolerance: float = 1e-6, most: int = 1000) -> Floats:
    """Return the weights lambda_1, ..., lambda_N with the highest likelihood: float64[N].

    No step increases the held-out cross-entropy. The iteration stops after a step that changes no weight by
    more than `tolerance`, or after `most` steps.
    """
    order = len(frequencies) - 1
    weights = np.full(order, 0.5)
    mixtures = np.empty(frequencies.shape)
    mixtures[0] = frequencies[0]
    for _ in range(most):
        for n in range(1, order + 1):
            mixed = weights[n - 1] * frequencies[n] + (1 - weights[n - 1]) * mixtures[n - 1]
            mixtures[n] = np.where(seen[n], mixed, mixtures[n - 1])
        new = weights.copy()
        reached = np.ones(frequencies.shape[1])  # probability that the mixture reaches order n
        for n in range(order, 0, -1):
            stopped = np.where(seen[n], weights[n - 1] * frequencies[n] / mixtures[n], 0.0) * reached
            if (here := reached[seen[n]].sum()) > 0:
                new[n - 1] = stopped.sum() / here
            reached -= stopped
        weights, moved = new, np.abs(new - weights).max(initial=0.0)
        if moved <= tolerance:
            break
    return weights
