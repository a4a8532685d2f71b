"""Models that learn from the text while it is coded: encoder and decoder count the same symbols."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lmmetrics._types import Floats
from lmmetrics.coding._exact import NextRow
from lmmetrics.ngram import NGramModel
from lmmetrics.text import TokenizedText, Vocabulary


def kt(symbols: int) -> NextRow:
    """Return the row function of Krichevsky and Trofimov: add one half, and learn from the text itself.

        p(next is i | prefix) = (count of i in the prefix + 1/2) / (length of the prefix + symbols / 2)

    The rows are fractions, for `interval` and `ExactCoder`. For two symbols the code of n of them is at most
    ``1/2 log2 n + 1`` bits longer than with the best fixed probabilities, which are those of the text itself.

    Parameters
    ----------
    symbols : int
        How many symbols there are, at least 1.
    """
    raise NotImplementedError


class Adaptive:
    """A counted model that goes on counting while it reads: each token is added before the next is predicted.

    After every token it predicts as if it had been fitted to the training text and to what it has read so
    far. It has read the beginning of the text that it is scored on, so its perplexity is not to be compared
    with that of a model that stays as it is, unless one says so (M52). As a code it is fair: the decoder has
    read the same tokens.

    Parameters
    ----------
    model : NGramModel
        Fitted, with `AddK` or `WittenBell`. It is not changed: every text starts from its counts.

    Attributes
    ----------
    vocabulary : Vocabulary
    """

    def __init__(self, model: NGramModel) -> None:
        self.model = model

    @classmethod
    def cold(cls, order: int, smoothing: Any, vocabulary: Vocabulary) -> Adaptive:
        """Return a model that has counted nothing yet. With order 1 and ``AddK(0.5)`` it is that of `kt`."""
        raise NotImplementedError

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return ln p of each token, given all tokens before it: float64[N]."""
        raise NotImplementedError

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) after all tokens of the context were counted: float64[V], by id.

        ``context`` is the text from its start; `<s>` may be left out.
        """
        raise NotImplementedError
