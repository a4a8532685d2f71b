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
from lmmetrics.text import Vocabulary

KEPT = 2**25
"""Numbers of rows that `Counted` keeps at most: 256 MiB."""


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
        model._require_probabilities("next_distribution")
        return Counted(model)
    if isinstance(model, Adaptive):
        return model.reader()
    if isinstance(model, Mixture):
        return Mixed(model, vocabulary)
    if isinstance(model, UnigramCache):
        return Cached(model, vocabulary)
    if is_network(model):
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


class Counted:
    """A table. The row of a context is made from that of a shorter context; both are kept."""

    def __init__(self, model: NGramModel) -> None:
        self.tables, vocabulary = model._fitted(), model.vocabulary
        self.bos, self.eos = vocabulary.bos, vocabulary.eos
        self.room = KEPT // len(vocabulary)
        self.kept: dict[tuple[int, ...], Floats] = {}
        self.start()

    def start(self) -> None:
        self.context: tuple[int, ...] = (self.bos,)[: self.tables.order - 1]

    def row(self) -> Floats:
        return self._row(self.context)

    def read(self, id: int) -> None:
        context = (self.bos,) if id == self.eos else (*self.context, id)
        self.context = context[max(0, len(context) - self.tables.order + 1) :]

    def _row(self, context: tuple[int, ...]) -> Floats:
        if context not in self.kept:
            if len(self.kept) >= self.room:
                self.kept.clear()
            if self.tables.evenly or not context:
                row = self.tables.row(context)
            else:
                row = self.tables._lengthened(self._row(context[1:]), context)
            self.kept[context] = row
        return self.kept[context]


class Network:
    """A network, in steps: its state is carried from token to token, or its window read again.

    Rows that are computed for a whole text in one batch differ from these in their last digits, because sums
    are then formed in another order.
    """

    def __init__(self, model: Any) -> None:
        import torch

        from lmmetrics.neural.shared import one_thread

        self.torch, self.one_thread = torch, one_thread
        self.model, self.eos = model, model.vocabulary.eos
        self.scorer = model._scorer()
        self.longest = (
            getattr(model, "context", 1) + 1
        )  # no model looks further back than that, but by its state
        self.past: list[int] = []
        self.inputs, self.memory = model._inputs([]), None

    def start(self) -> None:
        if not self.past:
            return
        if self.model._reach(self.model.state) == "document":
            self.past, self.memory = [], None
            self.inputs = self.model._inputs([])
        elif self.past[-1] != self.eos:  # the sentence before is over, though nothing closed it
            self.past[-1] = self.eos
            self.inputs, self.memory = self.model._after(self.past, self.memory)

    def row(self) -> Floats:
        with self.torch.no_grad(), self.one_thread():
            features, self.after = self.scorer.features(self.torch.tensor([self.inputs]), self.memory)
            row: Floats = self.scorer._row(features)
        return row

    def read(self, id: int) -> None:
        self.past = [*self.past, id][-self.longest :]
        self.inputs, self.memory = self.model._after(self.past, self.after)


class Mixed:
    """A mixture of readers, summed in the order of the models, and not by a product of matrices."""

    def __init__(self, model: Mixture, vocabulary: Vocabulary) -> None:
        self.weights = model._weights.tolist()
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
