"""The Transformer with causal self-attention, in the form of GPT-2 (normalisation first, GELU)."""

import math
from collections.abc import Iterable
from typing import Any

import sympy
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmmetrics._types import Floats
from lmmetrics.neural._base import Carried, NeuralLM
from lmmetrics.neural._batches import Reach
from lmmetrics.neural._heads import Embedding, Softmax
from lmmetrics.neural._torch import own_seed
from lmmetrics.text import TokenizedText, Vocabulary


class TransformerLM(NeuralLM):
    """Predict the next token from all inputs of a window, by attention. The softmax shares the embeddings.

    Parameters
    ----------
    vocabulary : Vocabulary
    context : int
        The number of inputs in a window.
    width : int
        The number of features at each position, a multiple of `heads`.
    heads, layers : int
    dropout : float
        The dropout after the embeddings and after each sublayer; in training only.
    seed : int
        The seed of the initial weights.
    state : {"carry", "document", "sentence"}
        Which tokens a window may contain, in training and in scoring: any tokens, or those of one document
        or of one sentence.

    Attributes
    ----------
    stride : int
        How far the window moves while scoring; context // 2 by default. A token is scored with at least
        context - stride inputs before its own, if the text has that many. A stride of 1 gives every token the
        longest context, and is the slowest.

    Examples
    --------
    >>> from lmmetrics.text import Vocabulary
    >>> model = TransformerLM(Vocabulary(["a", "b", "c"]), context=16, width=8, heads=2)
    >>> model.parameter_formula
    C*d + L*(12*d**2 + 13*d) + V*d + V + 2*d
    >>> model.parameter_formula.subs(model.sizes), model.parameter_count
    (1942, 1942)
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        context: int = 128,
        width: int = 128,
        heads: int = 4,
        layers: int = 2,
        dropout: float = 0.0,
        seed: int = 0,
        state: Reach = "carry",
    ) -> None:
        options = {"context": context, "width": width, "heads": heads, "layers": layers, "dropout": dropout}
        super().__init__(vocabulary, state, **options, seed=seed)
        if width % heads:
            raise ValueError(
                f"Width {width} cannot be shared by {heads} heads: it must be a multiple of heads."
            )
        self.context, self.stride = context, max(1, context // 2)
        with own_seed(seed):
            self.embedding = Embedding(vocabulary, width, bound=0.04)
            self.positions = nn.Parameter(torch.empty(context, width).uniform_(-0.04, 0.04))
            self.blocks = nn.ModuleList(Block(width, heads, dropout) for _ in range(layers))
            self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(width)
            self.head = Softmax(width, vocabulary, self.embedding.weight)

    def features(self, inputs: Tensor, carried: Carried = None) -> tuple[Tensor, Carried]:
        if inputs.shape[1] > self.context:
            raise ValueError(
                f"{inputs.shape[1]} inputs are more than the context of {self.context}. Give fewer, or make "
                "a model with a larger context."
            )
        x = self.embedding(inputs) + self.positions[: inputs.shape[1]]  # [B, T] to [B, T, width]
        x = self.dropout(x)
        for block in self.blocks:
            x = block(x)
        return self.norm(x), None

    def log_probs(
        self, text: TokenizedText, state: Reach | None = None, batch: int = 8192, stride: int | None = None
    ) -> Floats:
        """As `NeuralLM.log_probs`; `stride` replaces ``model.stride`` in this call."""
        if stride is None:
            return super().log_probs(text, state, batch)
        kept, self.stride = self.stride, stride
        try:
            return super().log_probs(text, state, batch)
        finally:
            self.stride = kept

    @property
    def sizes(self) -> dict[str, int]:
        config = self.config
        return {"V": len(self.vocabulary), "C": self.context, "d": config["width"], "L": config["layers"]}

    @property
    def parameter_formula(self) -> sympy.Expr:
        V, C, d, L = sympy.symbols("V C d L")
        return V * d + C * d + L * (12 * d**2 + 13 * d) + 2 * d + V

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "stride" and not 1 <= value <= self.context:
            raise ValueError(f"stride is {value!r}; from 1 to the context of {self.context} is expected.")
        super().__setattr__(name, value)

    def window_and_stride(self) -> tuple[int, int]:
        return self.context, self.stride

    def inputs_after(self, past: Iterable[int]) -> list[int]:
        return super().inputs_after(past)[-self.context :]

    def next_inputs(self, past: list[int], carried: Carried) -> tuple[list[int], Carried]:
        return self.inputs_after(past), None


class Block(nn.Module):
    """x + attention(x), followed by x + network(x), with the same two-layer network at each position."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(2))
        self.attention = Attention(width, heads)
        self.network = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:  # [B, T, width] to [B, T, width]
        x = x + self.dropout(self.attention(self.norms[0](x)))
        return x + self.dropout(self.network(self.norms[1](x)))


class Attention(nn.Module):
    """Each position gets a weighted mean of the values at itself and before; the weights sum to 1."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads, self.size = heads, width // heads
        self.project, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)

    def forward(self, x: Tensor) -> Tensor:  # [B, T, width] to [B, T, width]
        B, T, width = x.shape
        split = self.project(x).view(B, T, 3, self.heads, self.size)
        queries, keys, values = split.permute(2, 0, 3, 1, 4)  # three of [B, heads, T, size]
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(self.size)  # [B, heads, T, T]
        future = torch.ones(T, T, dtype=torch.bool, device=x.device).triu(1)  # True above the diagonal
        weights = F.softmax(scores.masked_fill(future, -torch.inf), dim=-1)  # rows sum to 1
        return self.out((weights @ values).transpose(1, 2).reshape(B, T, width))
