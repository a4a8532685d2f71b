"""From features to probabilities: the softmax, and the adaptive softmax for large vocabularies.

Every model has a head. `<s>` is never predicted: every head gives it probability 0.
"""

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import cast

import sympy
import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lmmetrics._types import Ints
from lmmetrics.text import Vocabulary


class Head(nn.Module):
    """Turns features into probabilities."""

    bos: int

    def logits(self, features: Tensor) -> Tensor:
        """[..., H] to [..., V], with ``-inf`` for `<s>`."""
        raise NotImplementedError

    def log_probs(self, features: Tensor) -> Tensor:
        """[M, H] to [M, V]: natural logs, ``-inf`` for `<s>`."""
        return self.logits(features).log_softmax(-1)

    def nats(self, features: Tensor, targets: Tensor) -> Tensor:
        """Surprisals of targets [M], given features [M, H]: [M]."""
        return F.cross_entropy(self.logits(features), targets, reduction="none")


class Softmax(Head):
    """p(w | h) proportional to exp(W[w] h + b[w]), without `<s>`.

    Parameters
    ----------
    width : int
        H, the number of features.
    vocabulary : Vocabulary
    weight : nn.Parameter of shape [V, H], optional
        The embedding matrix, if it is to be shared. By default the head has a matrix of its own, initialised
        uniformly in [-0.1, 0.1].
    """

    def __init__(self, width: int, vocabulary: Vocabulary, weight: nn.Parameter | None = None) -> None:
        super().__init__()
        if weight is None:
            weight = nn.Parameter(torch.empty(len(vocabulary), width).uniform_(-0.1, 0.1))
        self.weight = weight  # [V, H]
        self.bias = nn.Parameter(torch.zeros(len(vocabulary)))  # [V]
        self.bos = vocabulary.bos

    def logits(self, features: Tensor) -> Tensor:
        return without(F.linear(features, self.weight, self.bias), self.bos)


class Identity(Head):
    """The features are the logits, as in a table."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self.bos = vocabulary.bos

    def logits(self, features: Tensor) -> Tensor:
        return without(features, self.bos)


class AdaptiveSoftmax(Head):
    """A softmax in two steps: first over the frequent tokens and the clusters, then over a cluster's tokens.

    The rare tokens are in the clusters, so the sum is short for most tokens. The distribution is normalised
    exactly (Grave et al. 2017). The training text decides which tokens are frequent (`sort_by`).

    Parameters
    ----------
    width : int
    vocabulary : Vocabulary
    cutoffs : list of int
        How many tokens come before each cluster: ``[1000, 5000]`` makes two clusters.
    """

    classes: Tensor
    sorted: Tensor

    def __init__(self, width: int, vocabulary: Vocabulary, cutoffs: Sequence[int]) -> None:
        super().__init__()
        size = vocabulary.predictable
        cutoffs = [int(cutoff) for cutoff in cutoffs]
        if not cutoffs or sorted(set(cutoffs)) != cutoffs or cutoffs[0] < 1 or cutoffs[-1] >= size:
            raise ValueError(
                f"The cut-offs adaptive={cutoffs} cannot be used; rising numbers from 1 to {size - 1} are "
                f"expected, below the vocabulary's {size} predictable tokens, such as "
                f"[{max(1, size // 10)}, {max(2, size // 2)}]."
            )
        if width < 4 ** len(cutoffs):
            raise ValueError(
                f"width is {width}, but the last of {len(cutoffs)} clusters has width / {4 ** len(cutoffs)} "
                "features, which is less than one: take a larger width or fewer cut-offs."
            )
        self.softmax = nn.AdaptiveLogSoftmaxWithLoss(width, size, cutoffs, div_value=4.0, head_bias=True)
        with torch.no_grad():  # so that a fresh model is nearly uniform
            self.softmax.head.bias.zero_()
            for i, clustered in enumerate(self.sizes):
                self.softmax.head.bias[cutoffs[0] + i] = math.log(clustered)
        self.bos = vocabulary.bos
        ids = [id for id in range(len(vocabulary)) if id != self.bos]
        self.register_buffer("classes", torch.zeros(len(vocabulary), dtype=torch.long))  # id to class
        self.register_buffer("sorted", torch.tensor(False))
        self.classes[ids] = torch.arange(size)

    def sort_by(self, counts: Ints) -> None:
        """Give the frequent tokens the first classes. `counts`: int[V], from the training text."""
        order = torch.as_tensor(counts).argsort(descending=True, stable=True)
        order = order[order != self.bos]
        self.classes[order] = torch.arange(len(order))
        self.sorted.fill_(True)

    @property
    def sizes(self) -> list[int]:
        """The number of tokens in each cluster."""
        return [stop - start for start, stop in pairwise(self.softmax.cutoffs)]

    def logits(self, features: Tensor) -> Tensor:
        """[..., H] to [..., V]: the log probabilities, which can serve as logits."""
        rows = self.softmax.log_prob(features.reshape(-1, features.shape[-1]))  # [M, V - 1], by class
        return without(rows[:, self.classes], self.bos).reshape(*features.shape[:-1], -1)

    def log_probs(self, features: Tensor) -> Tensor:
        return self.logits(features)

    def nats(self, features: Tensor, targets: Tensor) -> Tensor:
        return -self.softmax(features, self.classes[targets]).output

    def formula(self, width: sympy.Expr) -> sympy.Expr:
        """The number of parameters as a formula in the width."""
        first = self.softmax.cutoffs[0] + len(self.sizes)
        layers = cast(Iterable[nn.Sequential], self.softmax.tail)
        tails = [(layer[0].out_features, size) for layer, size in zip(layers, self.sizes, strict=True)]
        return first * (width + 1) + sympy.Add(*[small * (width + size) for small, size in tails])


def without(logits: Tensor, bos: int) -> Tensor:
    """Return the logits with -inf for `<s>`, which gives it probability 0."""
    mask = torch.zeros(logits.shape[-1], dtype=torch.bool, device=logits.device)
    mask[bos] = True
    return logits.masked_fill(mask, -torch.inf)


class Embedding(nn.Module):
    """Rows of a matrix [V, width]. The id -1, a token outside the vocabulary, gives zeros."""

    def __init__(self, vocabulary: Vocabulary, width: int, bound: float = 0.1) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(len(vocabulary), width).uniform_(-bound, bound))

    def forward(self, ids: Tensor) -> Tensor:  # [...] to [..., width]
        return F.embedding(ids.clamp(min=0), self.weight) * (ids >= 0).unsqueeze(-1)
