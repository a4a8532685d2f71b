"""Models that learn from the text while it is coded: encoder and decoder count the same symbols."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from lmmetrics._checks import whole_number
from lmmetrics._predictor import Predictor
from lmmetrics._types import Floats, Ints
from lmmetrics.coding._exact import NextRow
from lmmetrics.ngram import AddK, KneserNey, NGramModel, WittenBell
from lmmetrics.ngram._shared import spelled
from lmmetrics.text import Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import check_text

METHODS = (AddK, WittenBell, KneserNey)


def kt(symbols: int) -> NextRow:
    """Return the row function of Krichevsky and Trofimov: add one half, and learn from the text itself.

        p(next is i | prefix) = (count of i in the prefix + 1/2) / (length of the prefix + symbols / 2)

    The rows are fractions, for `interval` and `ExactCoder`. For two symbols the code of n of them is at most
    ``1/2 log2 n + 1`` bits longer than with the best fixed probabilities, which are those of the text itself.

    Parameters
    ----------
    symbols : int
        How many symbols there are, at least 1: they are 0 to symbols - 1.

    Examples
    --------
    >>> kt(2)((0, 0, 1))  # 2 + 1/2 and 1 + 1/2 of 3 + 1
    [Fraction(5, 8), Fraction(3, 8)]
    >>> from lmmetrics.coding import interval
    >>> interval(kt(2), [0, 0, 1]).width  # 1/2, 3/4, 1/6
    Fraction(1, 16)
    """
    size = whole_number("symbols", symbols, 1)

    def next_row(prefix: tuple[int, ...]) -> list[Fraction]:
        counts = Counter(prefix)
        return [Fraction(2 * counts[id] + 1, 2 * len(prefix) + size) for id in range(size)]

    return next_row


class Adaptive(Predictor):
    """A counted model that goes on counting while it reads: each token is added before the next is predicted.

    After every token it predicts as if it had been fitted to the training text and to what it has read so
    far. Its perplexity is that of a model that has read the beginning of the text on which it is scored: it
    may be compared with that of a model that does not change only if this is said. As a code it is fair,
    because the decoder has read the same tokens.

    Parameters
    ----------
    model : NGramModel
        Fitted, with `AddK`, `WittenBell`, `KneserNey` or `ModifiedKneserNey`; the discounts stay those that
        it has. The model is not changed: every text starts from its counts.

    Attributes
    ----------
    vocabulary : Vocabulary
    order : int
    smoothing : Smoothing

    Examples
    --------
    >>> from lmmetrics import score_text
    >>> from lmmetrics.text import tokenize
    >>> train = tokenize(["the cat sleeps\\n"])
    >>> text = tokenize(["the cat eats\\nthe cat eats\\n"], vocabulary=train.vocabulary)
    >>> model = NGramModel(2, WittenBell()).fit(train)
    >>> print(f"{score_text(model, text).bits:.2f} bits, {score_text(Adaptive(model), text).bits:.2f} bits")
    15.78 bits, 11.95 bits
    """

    context_starts = "text"

    def __init__(self, model: NGramModel) -> None:
        if not isinstance(model, NGramModel) or not hasattr(model, "counts_"):
            raise TypeError(
                f"model is {model!r}; an NGramModel is expected that was fitted to a text. To begin without "
                "one, use Adaptive.cold(order, smoothing, vocabulary)."
            )
        self._begin(model.order, model.smoothing, model.vocabulary, model.spelling)
        for level in model.counts_.levels:
            counts = level.continuations() if isinstance(model.smoothing, KneserNey) else level.counts
            used = np.flatnonzero(counts)
            ngrams = spelled(model.counts_.levels, level.n, used).tolist()
            for ngram, count in zip(ngrams, counts[used].tolist(), strict=True):
                self._counts.setdefault(tuple(ngram[:-1]), {})[ngram[-1]] = count

    @classmethod
    def cold(
        cls, order: int, smoothing: Any, vocabulary: Vocabulary, spelling: Spelling | None = None
    ) -> Adaptive:
        """Return a model that has counted nothing yet. With order 1 and ``AddK(0.5)`` it is that of `kt`.

        Parameters
        ----------
        order : int
        smoothing : Smoothing
            As above. The methods of Kneser and Ney need their discounts, as in
            ``ModifiedKneserNey((0.5, 1, 1.5))``.
        vocabulary : Vocabulary
        spelling : Spelling, optional
            How the tokens are written: ``text.spelling``. Only a BPE vocabulary needs it.
        """
        self = cls.__new__(cls)
        if not isinstance(vocabulary, Vocabulary):
            raise TypeError(
                f"vocabulary is {type(vocabulary).__name__}; a Vocabulary is expected: text.vocabulary."
            )
        self._begin(whole_number("order", order, 1), smoothing, vocabulary, spelling)
        return self

    def _begin(self, order: int, smoothing: Any, vocabulary: Vocabulary, spelling: Spelling | None) -> None:
        self.order, self.smoothing, self.vocabulary = order, smoothing, vocabulary
        if spelling is not None:
            self.spelling = spelling
        if not isinstance(smoothing, METHODS):
            raise TypeError(
                f"The smoothing method is {smoothing!r}; one that can count on while it reads is expected: "
                "AddK(k), WittenBell(), KneserNey() or ModifiedKneserNey()."
            )
        self._discounts = self._fixed_discounts()
        self._counts: dict[tuple[int, ...], dict[int, int]] = {}

    def _fixed_discounts(self) -> list[Floats]:
        """For each order: what is taken from a count of 0, 1, 2, and 3 or more."""
        if not isinstance(self.smoothing, KneserNey):
            return []
        found = []
        for n in range(1, self.order + 1):
            given = getattr(self.smoothing, "discounts_", {}).get(n, self.smoothing.discount)
            given = self.smoothing.fallback if given is None else given
            if given is None:
                raise ValueError(
                    "The discounts are not known, because nothing was counted yet. Give them: "
                    "ModifiedKneserNey((0.5, 1, 1.5)) or KneserNey(0.5)."
                )
            found.append(np.append(0.0, np.broadcast_to(given, 3)))
        return found

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return ln p of each token, given all tokens before it: float64[N].

        Every token takes a row of V probabilities, so this is slower than the `log_probs` of a model that
        does not change.
        """
        check_text("text", text, self.vocabulary)
        starts, found, reader = set(text.document_starts.tolist()), np.empty(len(text)), self.reader()
        for place, id in enumerate(text.ids.tolist()):
            if place in starts:
                reader.start()
            found[place] = reader.row()[id] if id >= 0 else 0.0
            reader.read(id)
        with np.errstate(divide="ignore"):
            return np.log(found)

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) after all tokens of the context were counted: float64[V], by id.

        Parameters
        ----------
        context : list of str
            All tokens from the start of the text, of one document. `<s>` may be left out.
        """
        reader = self.reader()
        reader.start()
        for id in self._ids(context):
            if id != self.vocabulary.bos:
                reader.read(id)
        return reader.row()

    def reader(self, vocabulary: Vocabulary | None = None) -> AdaptiveReader:
        """Return a reader at the start of a text, with counts of its own."""
        return AdaptiveReader(self)

    def __repr__(self) -> str:
        size = sum(map(len, self._counts.values()))
        return f"Adaptive(order={self.order}, smoothing={self.smoothing!r}), starts with {size:,} n-grams"


class AdaptiveReader:
    """Reads one text, token by token: `row` predicts the next one, `read` counts it.

    Parameters
    ----------
    model : Adaptive
    """

    def __init__(self, model: Adaptive) -> None:
        self.model, vocabulary = model, model.vocabulary
        self.counts = {context: dict(found) for context, found in model._counts.items()}
        self.bos, self.eos = vocabulary.bos, vocabulary.eos
        self.uniform = np.full(len(vocabulary), 1 / vocabulary.predictable)
        self.uniform[self.bos] = 0.0
        self.sentence: tuple[int, ...] = (self.bos,)

    def start(self) -> None:
        """Begin a document: the sentence before it is over."""
        self.sentence = (self.bos,)

    def row(self) -> Floats:
        """The probability of each token: float64[V]."""
        smoothing, contexts = self.model.smoothing, self._contexts()
        if isinstance(smoothing, AddK):
            whole = smoothing.k * self.model.vocabulary.predictable
            tokens, counts = _arrays(self.counts.get(contexts[-1], {}))
            row = self.uniform * (whole / (counts.sum() + whole))
            row[tokens] += counts / (counts.sum() + whole)
            return row
        row = self.uniform.copy()
        for n, context in enumerate(contexts):
            if context not in self.counts:  # then no longer one is there either
                break
            tokens, counts = _arrays(self.counts[context])
            if self.model._discounts:
                taken = self.model._discounts[n].take(np.minimum(counts, 3))
                row *= taken.sum() / counts.sum()
                row[tokens] += (counts - taken) / counts.sum()
            else:
                whole = counts.sum() + len(counts)
                row *= len(counts) / whole
                row[tokens] += counts / whole
        return row

    def read(self, id: int) -> None:
        """Count a token, in all its contexts, from the longest to the shortest."""
        distinct = isinstance(self.model.smoothing, KneserNey)
        if id >= 0:
            for context in reversed(self._contexts()):
                found = self.counts.setdefault(context, {})
                new = id not in found
                found[id] = found.get(id, 0) + 1
                if distinct and not new:  # the shorter n-gram has followed this token before
                    break
        self.sentence = (self.bos,) if id == self.eos else (*self.sentence, id)[-self.model.order :]

    def _contexts(self) -> list[tuple[int, ...]]:
        """The contexts of the next token, from the empty one to the longest."""
        longest = min(self.model.order - 1, len(self.sentence))
        return [self.sentence[len(self.sentence) - n :] for n in range(longest + 1)]


def _arrays(found: dict[int, int]) -> tuple[Ints, Ints]:
    """The tokens and the counts of a context."""
    size = len(found)
    return np.fromiter(found.keys(), np.int64, size), np.fromiter(found.values(), np.int64, size)
