"""A Kneser-Ney model that goes on counting while it reads, as an adaptive compressor does.

model = NGramModel(7, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(train)
learning = LearningKneserNey(model, train)       # the same forecasts as the model, so far
learning.log_probs(test)                         # each token is counted before the next one is predicted
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from lmmetrics._predictor import Predictor
from lmmetrics.ngram import NGramModel
from lmmetrics.text import TokenizedText


class LearningKneserNey(Predictor):
    """A modified Kneser-Ney model whose counts grow with every token that it has read.

    It has the discounts of a fitted model and keeps them. At the highest order it counts n-grams; a lower
    order counts an n-gram when it is new at the order above, as Kneser-Ney does. So before the first new
    token its forecasts are those of the fitted model.

    Parameters
    ----------
    model : NGramModel
        Fitted, with `ModifiedKneserNey`: order, vocabulary and discounts are taken from it.
    read : TokenizedText, optional
        What has been read before: for the forecasts of ``model``, its training text. By default nothing.

    Examples
    --------
    >>> from lmmetrics.ngram import ModifiedKneserNey
    >>> from lmmetrics.text import tokenize
    >>> train = tokenize(["banana bandana"], by="char")
    >>> model = NGramModel(3, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(train)
    >>> learning = LearningKneserNey(model, train)
    >>> float(np.abs(learning.next_distribution(["<s>", "b"]) - model.next_distribution(["<s>", "b"])).max())
    0.0
    >>> twice = tokenize(["nab nab nab"], by="char", vocabulary=train.vocabulary)
    >>> bool(learning.log_probs(twice).sum() > model.log_probs(twice).sum())
    True
    """

    context_starts = "text"

    def __init__(self, model: NGramModel, read: TokenizedText | None = None) -> None:
        self.vocabulary, self.order = model.vocabulary, model.order
        self._discounts = [
            np.append(0.0, np.broadcast_to(np.asarray(found, dtype=float), 3))
            for _, found in sorted(model.smoothing.discounts_.items())  # type: ignore[attr-defined]
        ]
        self._read = read
        self._restart()

    def log_probs(self, text: TokenizedText) -> np.ndarray:
        """Return ln p of each token, given all tokens before it: float64[N]."""
        self._restart()
        found = np.empty(len(text))
        for position, token in enumerate(text.ids.tolist()):
            found[position] = np.log(self._row()[token])
            self._count(token)
        return found

    def next_distribution(self, context: Sequence[str] = ()) -> np.ndarray:
        """Return p(w | context) for every w of the vocabulary, after the context was counted: float64[V].

        The context is the text from its start; each `</s>` ends a sentence, and `<s>` may be left out.
        """
        ids = [token for token in self._ids(context) if token != self.vocabulary.bos]
        if self._so_far != ids[: len(self._so_far)]:
            self._restart()
        for token in ids[len(self._so_far) :]:
            self._count(token)
        return self._row()

    def _restart(self) -> None:
        """Forget what was read since the training text."""
        self._counts: list[dict[tuple[int, ...], dict[int, int]]] = [{} for _ in range(self.order)]
        self._past: list[int] = []
        self._so_far: list[int] = []
        if self._read is not None:
            ids = self._read.ids.tolist()
            for start, stop in pairwise(self._read.document_starts):
                self._past = []
                for token in ids[start:stop]:
                    self._count(token)
        self._past, self._so_far = [], []

    def _contexts(self) -> list[tuple[int, ...]]:
        """The contexts of the next token, the shortest first; the longest may begin with `<s>`."""
        past = [self.vocabulary.bos, *self._past][-(self.order - 1) :] if self.order > 1 else []
        return [tuple(past[len(past) - size :]) for size in range(len(past) + 1)]

    def _row(self) -> np.ndarray:
        row = np.full(len(self.vocabulary), 1 / self.vocabulary.predictable)
        row[self.vocabulary.bos] = 0.0
        for context, counts, discounts in zip(self._contexts(), self._counts, self._discounts, strict=False):
            found = counts.get(context)
            if not found:
                break
            ids = np.fromiter(found, dtype=np.int64, count=len(found))
            seen = np.fromiter(found.values(), dtype=np.int64, count=len(found))
            taken = discounts[np.minimum(seen, 3)]
            row *= taken.sum() / seen.sum()
            row[ids] += (seen - taken) / seen.sum()
        return row

    def _count(self, token: int) -> None:
        contexts = self._contexts()
        for size in range(len(contexts) - 1, -1, -1):
            found = self._counts[size].setdefault(contexts[size], {})
            found[token] = found.get(token, 0) + 1
            if found[token] > 1:  # not new here, so not counted below
                break
        self._so_far.append(token)
        self._past = [] if token == self.vocabulary.eos else [*self._past[-self.order :], token]
