"""Two versions of a network, position by position: their forecasts, what changed, and how large they are.

old, new = forecasts(network, text), forecasts(rounded(network, bits=4), text)
change(old, new, text)["kl"].mean()
"""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import Tensor

from lmmetrics.neural import RecurrentLM, inputs_of
from lmmetrics.text import TokenizedText

IMPOSSIBLE = -1e4
"""Stands for ln 0 of `<s>`, which is never predicted: a finite number, so that 0 times it is 0."""
TOGETHER = 8
"""How many documents, of similar length, are read together."""


def forecasts(network: RecurrentLM, text: TokenizedText) -> Tensor:
    """Return ln q of every symbol at each position, float32[N, V]; each document starts afresh."""
    sizes = np.diff(text.document_starts)
    inputs = torch.from_numpy(inputs_of(text)).split(sizes.tolist())
    rows: list[Tensor] = [torch.empty(0)] * len(sizes)
    with torch.no_grad():
        for group in np.array_split(np.argsort(sizes, kind="stable"), -(-len(sizes) // TOGETHER)):
            padded = torch.nn.utils.rnn.pad_sequence([inputs[i] for i in group], batch_first=True)
            for i, logits in zip(group, network.eval()(padded), strict=True):
                rows[i] = logits[: sizes[i]]
    return torch.cat(rows).log_softmax(-1).clamp(min=IMPOSSIBLE)


def change(old: Tensor, new: Tensor, text: TokenizedText) -> dict[str, np.ndarray]:
    """Compare two forecasts at each position.

    Parameters
    ----------
    old, new : Tensor
        ln q of every symbol, [N, V], as from `forecasts`.
    text : TokenizedText
        The N tokens that came.

    Returns
    -------
    dict
        ``nats``: surprisal under the new minus under the old model, float64[N]; ``kl``: D(old || new) in
        nats, float64[N]; ``same``: whether both give the highest probability to the same symbol, bool[N].

    Examples
    --------
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["ab"], by="char")  # and </s>
    >>> network = RecurrentLM(text.vocabulary, width=4, state="document")
    >>> same = forecasts(network, text)
    >>> [float(found.mean()) for found in change(same, same, text).values()]
    [0.0, 0.0, 1.0]
    """
    came = torch.from_numpy(text.ids.astype(np.int64))[:, None]
    ratio = old - new
    return {
        "nats": ratio.gather(1, came)[:, 0].double().numpy(),
        "kl": (old.exp() * ratio).sum(-1).double().numpy(),
        "same": (old.argmax(-1) == new.argmax(-1)).numpy(),
    }


def copied(network: RecurrentLM) -> RecurrentLM:
    """A copy that shares the vocabulary and nothing else."""
    return copy.deepcopy(network, {id(network.vocabulary): network.vocabulary})


def rounded(network: RecurrentLM, bits: int) -> RecurrentLM:
    """A copy whose matrices are rounded row by row to 2**bits - 1 evenly spaced values."""
    new = copied(network)
    for weights in new.parameters():
        if weights.dim() == 2:  # biases stay as they are
            step = weights.data.abs().amax(1, keepdim=True) / (2 ** (bits - 1) - 1)
            weights.data = (weights.data / step).round() * step
    return new


def kilobytes(network: RecurrentLM, bits: int = 32) -> float:
    """Size with matrices of `bits` bits and a scale of 16 bits a row, and biases of 32 bits."""
    total = 0
    for weights in network.parameters():
        matrix = weights.dim() == 2 and bits < 32
        total += weights.numel() * bits + 16 * len(weights) if matrix else weights.numel() * 32
    return total / 8000
