"""One row after the other: what encoder and decoder must compute by the same calls, in the same order.

A reader predicts the next token (`row`), and is then told which one came (`read`); `start` begins a document.
It never sees a token before it has predicted it, so the decoder can do whatever the encoder did.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any, Protocol

import numpy as np

from lmmetrics._types import Floats
from lmmetrics.coding._adaptive import Adaptive
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import NGramModel
from lmmetrics.ngram._shared import StepByStep
from lmmetrics.text import Vocabulary


class Reader(Protocol):
    """Predicts the tokens of a text, one after the other."""

    def start(self) -> None:
        """Begin a document."""

    def row(self) -> Floats:
        """Return the probability of each token, given those read so far: float64[V]."""

    def read(self, id: int) -> None:
        """Go on to the next token."""


def reader_of(model: Any, vocabulary: Vocabulary) -> Reader:
    """Return a reader for a model, at the start of a text."""
    if isinstance(model, NGramModel):
        return StepByStep(model)
    if isinstance(model, Adaptive):
        return model.reader()
    if isinstance(model, Mixture):
        return Mixed(model, vocabulary)
    if isinstance(model, UnigramCache):
        return Cached(model, vocabulary)
    if is_network(model):
        from lmmetrics.neural._shared import StepByStep as Network

        return Network(model)
    if callable(getattr(model, "next_distribution", None)):
        return Contexts(model, vocabulary)
    raise TypeError(
        f"{type(model).__name__} has no next_distribution(context), so it cannot say which token comes next "
        "before it has come; a model of lmmetrics.ngram, lmmetrics.neural or lmmetrics.mixing is expected, "
        "or an object with that method."
    )


def is_network(model: Any) -> bool:
    """Whether a model is a `NeuralLM`; if none was made, PyTorch need not be there."""
    neural = sys.modules.get("lmmetrics.neural")
    return neural is not None and isinstance(model, neural.NeuralLM)


class Mixed:
    """A mixture of readers, summed in the order of the models, and not by a product of matrices."""

    def __init__(self, model: Mixture, vocabulary: Vocabulary) -> None:
        self.weights = model.weights_in_use.tolist()
        self.readers = [reader_of(part, vocabulary) for part in model.models]

    def start(self) -> None:
        for reader in self.readers:
            reader.start()

    def row(self) -> Floats:
        row = self.weights[0] * self.readers[0].row()
        for weight, reader in zip(self.weights[1:], self.readers[1:], strict=True):
            row += weight * reader.row()
        return row

    def read(self, id: int) -> None:
        for reader in self.readers:
            reader.read(id)


class Cached:
    """The shares of the tokens among the most recent ones; see `UnigramCache`."""

    def __init__(self, model: UnigramCache, vocabulary: Vocabulary) -> None:
        self.model = model
        self.recent: deque[int] = deque()
        self.counts = np.zeros(len(vocabulary))
        self.uniform = np.full(len(vocabulary), 1 / vocabulary.predictable)
        self.uniform[vocabulary.bos] = 0.0

    def start(self) -> None:
        if not self.model.across:
            self.recent.clear()
            self.counts[:] = 0.0

    def row(self) -> Floats:
        return self.counts / len(self.recent) if self.recent else self.uniform

    def read(self, id: int) -> None:
        self.recent.append(id)
        self.counts[id] += 1.0
        if len(self.recent) > self.model.size:
            self.counts[self.recent.popleft()] -= 1.0


class Contexts:
    """Any other model: it is given all tokens of the document so far, with `<s>` before each sentence."""

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
