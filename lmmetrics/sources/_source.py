"""The base class of all sources: a vocabulary, sampling into a `TokenizedText`, and reading one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

import numpy as np

from lmmetrics._checks import generator, whole_number
from lmmetrics._types import Floats, Ints, Seed
from lmmetrics.text import UNK, Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import check_text


class Source(ABC):
    """A stationary process over symbols, without an end.

    A source never emits `</s>`, so the sentences of its samples are not closed, and a `</s>` in a text has
    the log probability ``-inf``. Score such a text with ``score_text(source, text, eos=False)``; each
    sentence is then treated as a part of the stream, and the probabilities of all strings of one length sum
    to 1.

    Attributes
    ----------
    symbols : tuple of str
    vocabulary : Vocabulary
        The symbols, `<s>` and `</s>`, without `<unk>`. Use it to tokenise a text for this source.
    """

    def __init__(self, symbols: Iterable[str]) -> None:
        self.symbols = _checked(symbols)
        self.vocabulary = Vocabulary(self.symbols, unk=False)

    @abstractmethod
    def entropy_rate(self) -> float:
        """Return the exact entropy rate in nats per token."""

    @abstractmethod
    def standard_error(self, n: int) -> float:
        """Return the standard error of the mean surprisal of `n` sampled tokens, in nats per token."""

    @abstractmethod
    def log_probs(self, text: TokenizedText) -> Floats:
        """Return the exact ln p of each token, given the tokens before it in its sentence: float64[N]."""

    @abstractmethod
    def _draw(self, n: int, rng: np.random.Generator) -> Ints:
        """Return n consecutive symbols, as positions in `symbols`."""

    def sample(self, n: int, seed: Seed, documents: int = 1) -> TokenizedText:
        """Draw `n` consecutive tokens from the stationary source.

        Parameters
        ----------
        n : int
            The total number of tokens.
        seed : int or numpy.random.Generator
            The same seed gives the same text.
        documents : int
            The number of documents into which the sample is cut; their lengths differ by at most one token.
            Neighbouring documents are dependent, because the sample is one stream; each document on its own
            follows the law of the source.

        Returns
        -------
        TokenizedText
            Without `</s>`: each document is one sentence that is not closed. Its words are the tokens, and
            its characters and bytes are those of the symbols with one blank between two symbols.

        Raises
        ------
        ValueError
            If `n` or `documents` is below 1, or there are more documents than tokens.
        """
        n, documents = whole_number("n", n, 1), whole_number("documents", documents, 1)
        if documents > n:
            raise ValueError(
                f"documents is {documents}, but {n} tokens cannot fill more than {n} of them. Ask for fewer."
            )
        symbols = self._draw(n, generator(seed))
        starts = np.arange(documents + 1) * n // documents
        lengths = np.diff(starts)
        blanks = lengths - 1
        counts = {"tokens": lengths, "words": lengths, "unknown": np.zeros_like(lengths)}
        for unit, size in (("chars", len), ("bytes", lambda symbol: len(symbol.encode("utf-8")))):
            sizes = np.array([size(symbol) for symbol in self.symbols])
            counts[unit] = np.add.reduceat(sizes[symbols], starts[:-1]) + blanks
        return TokenizedText(
            ids=(symbols + self._first).astype(np.int32, copy=False),
            vocabulary=self.vocabulary,
            sentence_starts=starts,
            document_starts=starts,
            document_counts=counts,
            terminated=np.zeros(documents, dtype=bool),
            spelling=Spelling(np.array([*self.vocabulary.tokens, UNK], dtype=object), " ", "source"),
        )

    @property
    def _first(self) -> int:
        """The id of the first symbol."""
        return len(self.vocabulary) - len(self.symbols)

    def _read(self, text: TokenizedText) -> tuple[Ints, Ints]:
        """The symbols of a text, -1 for other tokens, and the place of each token in its sentence."""
        check_text("text", text, self.vocabulary)
        lengths = np.diff(text.sentence_starts)
        places = np.arange(len(text)) - np.repeat(text.sentence_starts[:-1], lengths)
        symbols = text.ids.astype(np.int64) - self._first
        return np.where(symbols < 0, -1, symbols), places


def _checked(symbols: Iterable[str]) -> tuple[str, ...]:
    if isinstance(symbols, str):
        raise TypeError(
            "symbols is a single string; a list of strings is expected, such as ['cat', 'sleeps']."
        )
    symbols = tuple(symbols)
    if not symbols:
        raise ValueError("symbols is empty; a source needs at least one.")
    for symbol in symbols:
        if isinstance(symbol, str) and (symbol == UNK or any(map(str.isspace, symbol))):
            raise ValueError(
                f"The symbol {symbol!r} contains a blank or is reserved; symbols are words. Rename it."
            )
    return symbols
