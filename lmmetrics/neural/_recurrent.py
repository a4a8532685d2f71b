"""Recurrent models: RNN, LSTM and GRU, with PyTorch's cells."""

from collections.abc import Sequence
from typing import Literal

import sympy
import torch
from torch import Tensor, nn

from lmmetrics._types import Bools
from lmmetrics.neural._base import Carried, NeuralLM
from lmmetrics.neural._batches import Reach
from lmmetrics.neural._heads import AdaptiveSoftmax, Embedding, Softmax
from lmmetrics.neural._torch import own_seed
from lmmetrics.text import Vocabulary

CELLS = {"rnn": (nn.RNN, 1), "lstm": (nn.LSTM, 4), "gru": (nn.GRU, 3)}
"""PyTorch's layer and its number of pairs of matrices: one for each gate, and one for the new content."""


class RecurrentLM(NeuralLM):
    """Read one token after the other into a state of fixed size, and predict the next token from it.

    Parameters
    ----------
    vocabulary : Vocabulary
    cell : {"rnn", "lstm", "gru"}
    width : int
        The dimension of the embeddings, and the number of units in each layer.
    layers : int
    dropout : float
        The dropout of the embeddings, between layers and before the softmax; in training only.
    tie : bool
        Whether the softmax shares the matrix of the embeddings. The adaptive softmax never does.
    seed : int
        The seed of the initial weights.
    adaptive : list of int, optional
        Cut-offs of an adaptive softmax, for large vocabularies: ``[1000, 4000]``.
    state : {"carry", "document", "sentence"}
        Whether the state is carried over the whole text, or reset to zero at each document or sentence, in
        training and in scoring. A network whose state is carried has a longer context than a counted model,
        whose context starts with the sentence.

    Examples
    --------
    >>> from lmmetrics.text import Vocabulary
    >>> model = RecurrentLM(Vocabulary(["a", "b", "c"]), cell="lstm", width=8)
    >>> model.parameter_formula
    L*(8*d**2 + 8*d) + V*d + V
    >>> model.parameter_formula.subs(model.sizes), model.parameter_count
    (630, 630)
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        cell: Literal["rnn", "lstm", "gru"] = "lstm",
        width: int = 128,
        layers: int = 1,
        dropout: float = 0.0,
        tie: bool = True,
        seed: int = 0,
        adaptive: Sequence[int] | None = None,
        state: Reach = "carry",
    ) -> None:
        adaptive = None if adaptive is None else [int(cutoff) for cutoff in adaptive]
        options = {"cell": cell, "width": width, "layers": layers, "dropout": dropout, "tie": tie}
        super().__init__(vocabulary, state, **options, seed=seed, adaptive=adaptive)
        if cell not in CELLS:
            raise ValueError(f"cell is {cell!r}; it is one of {', '.join(map(repr, CELLS))}.")
        with own_seed(seed):
            self.embedding = Embedding(vocabulary, width)
            between = dropout if layers > 1 else 0.0
            self.cells = CELLS[cell][0](width, width, layers, dropout=between, batch_first=True)
            self.dropout = nn.Dropout(dropout)
            if adaptive is None:
                self.head = Softmax(width, vocabulary, self.embedding.weight if tie else None)
            else:
                self.head = AdaptiveSoftmax(width, vocabulary, adaptive)

    def features(self, inputs: Tensor, carried: Carried = None) -> tuple[Tensor, Carried]:
        embedded = self.dropout(self.embedding(inputs))  # [B, T] to [B, T, width]
        # [B, T, width]; carried: [layers, B, width], two of them in an LSTM
        features, carried = self.cells(embedded, carried)
        return self.dropout(features), carried

    def restart(self, carried: Carried, fresh: Bools) -> Carried:
        keep = ~torch.as_tensor(fresh)[:, None]
        if isinstance(carried, tuple):
            return carried[0] * keep, carried[1] * keep
        return None if carried is None else carried * keep

    @property
    def sizes(self) -> dict[str, int]:
        return {"V": len(self.vocabulary), "d": self.config["width"], "L": self.config["layers"]}

    @property
    def parameter_formula(self) -> sympy.Expr:
        V, d, L = sympy.symbols("V d L")
        gates = CELLS[self.config["cell"]][1]
        cells = L * (2 * gates * d**2 + 2 * gates * d)
        if isinstance(self.head, AdaptiveSoftmax):
            return V * d + cells + self.head.formula(d)
        return V * d + cells + (V if self.config["tie"] else V * d + V)
