"""The base class of the models that give the distribution of the next token, and how a text is read by one.

Encoder and decoder must compute a row by the same calls, in the same order: this is what a `Reader` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any, Literal, Protocol

import numpy as np

from lmmetrics._types import Floats
from lmmetrics.text import Vocabulary


class Predictor:
    """A model that gives the distribution of the next token after a context.

    Attributes
    ----------
    vocabulary : Vocabulary
    context_starts : {"anywhere", "text"} or None
        Where the first token of a context is, if it is not `<s>`: anywhere in a text, or at the start of the
        text. None if that is not known. After `<s>` all models predict the start of a sentence.
    """

    vocabulary: Vocabulary
    context_starts: Literal["anywhere", "text"] | None = None

    def next_distribution(self, context: Sequence[str] = ()) -> Floats:
        """Return p(w | context) for every w of the vocabulary: float64[V], by id; it sums to 1."""
        raise NotImplementedError

    def prob(self, word: str, context: Sequence[str] = ()) -> float:
        """Return p(word | context).

        Parameters
        ----------
        word : str
            Scored as `<unk>` if it is not in the vocabulary; 0 if the vocabulary lacks `<unk>`.
        context : list of str
            As in `next_distribution`.
        """
        row, id = self.next_distribution(context), self.vocabulary.id_of(word)
        return float(row[id]) if id >= 0 else 0.0

    def reader(self, vocabulary: Vocabulary | None = None) -> Reader:
        """Return a reader at the start of a text, which predicts a token and is then told which one came.

        Parameters
        ----------
        vocabulary : Vocabulary, optional
            That of the text, for a model that has none itself.
        """
        return ContextReader(self, self.vocabulary if vocabulary is None else vocabulary)

    def _ids(self, context: Sequence[str], name: str = "context") -> list[int]:
        """The ids of the tokens of a context; -1 for a token outside a vocabulary without `<unk>`."""
        if isinstance(context, str):
            raise TypeError(
                f"{name} is a single string; a list of tokens is expected, such as {context.split()!r}."
            )
        if isinstance(context, bytes | Mapping | Set) or not isinstance(context, Iterable):
            raise TypeError(f"{name} is {context!r}; a list of tokens is expected, such as ['the'] or [].")
        return self.vocabulary.ids_of(context)


class Reader(Protocol):
    """Predicts the tokens of a text, one after the other, and sees none before it has predicted it."""

    def start(self) -> None:
        """Begin a document."""

    def row(self) -> Floats:
        """Return the probability of each token, given those read so far: float64[V]."""

    def read(self, id: int) -> None:
        """Go on to the next token."""


class ContextReader:
    """Reads with any model: it is given all tokens of the document, with `<s>` before each sentence."""

    def __init__(self, model: Any, vocabulary: Vocabulary) -> None:
        self.model, self.vocabulary = model, vocabulary
        self.start()

    def start(self) -> None:
        self.context = [self.vocabulary.token(self.vocabulary.bos)]

    def row(self) -> Floats:
        row: Floats = np.asarray(self.model.next_distribution(self.context), dtype=np.float64)
        return row

    def read(self, id: int) -> None:
        self.context.append(self.vocabulary.token(id))
        if id == self.vocabulary.eos:
            self.context.append(self.vocabulary.token(self.vocabulary.bos))


def reader_of(model: Any, vocabulary: Vocabulary) -> Reader:
    """Return a reader for any model, at the start of a text with a vocabulary."""
    if callable(getattr(model, "reader", None)):
        reader: Reader = model.reader(vocabulary)
        return reader
    if callable(getattr(model, "next_distribution", None)):
        return ContextReader(model, vocabulary)
    raise TypeError(
        f"{type(model).__name__} has no next_distribution(context), so it cannot say which token comes next "
        "before it has come; a model of lmmetrics.ngram, lmmetrics.neural or lmmetrics.mixing is expected, "
        "or an object with that method."
    )
