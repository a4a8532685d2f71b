"""A model and a text in, a `Score` out. This module imports no model: it needs only ``log_probs``."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from lmmetrics.score import Score

ROUNDING = 1e-12
"""How far above 0 a log probability may lie and still count as rounding of 0."""


class LanguageModel(Protocol):
    """Anything that gives each token of a text the natural log of its probability."""

    def log_probs(self, text) -> np.ndarray:
        """float64[N], one natural log for each token, conditional on the tokens before it."""


def score_text(model: LanguageModel, text, eos: bool = True) -> Score:
    """Score a text with a model: the total nats, and every unit that the text can count.

    Parameters
    ----------
    model : object with ``log_probs(text) -> float64[N]``
        Natural logs, each conditional on its own past. ``-inf`` is allowed and gives an infinite score.
    text : TokenizedText
        The scored stream of N tokens.
    eos : bool
        Whether ``</s>`` is scored. With ``eos=False`` its nats are left out, and it is no token.

    Returns
    -------
    Score
        Its tokens are the scored positions; words, chars and bytes are those of the text. With
        ``eos=False`` the newlines that ``</s>`` stands for are not scored, and so not counted.

    Raises
    ------
    TypeError
        When the model does not return a float64 array.
    ValueError
        When the array has the wrong shape, or holds NaN or a log above 0 (a probability above 1). A value up
        to 1e-12 above 0 is rounding, and counts as 0.
    """
    log_probs = _checked(model.log_probs(text), text)
    scored = np.ones(len(text), dtype=bool) if eos else ~text.is_eos
    newlines = 0 if eos else _newlines(text)
    # fsum rounds once, at the end: the total does not depend on the order of the tokens.
    nats = math.fsum(-np.minimum(log_probs[scored], 0.0))
    return Score(
        nats + 0.0,
        tokens=int(scored.sum()),
        words=text.words,
        chars=None if text.chars is None else text.chars - newlines,
        bytes=None if text.bytes is None else text.bytes - newlines,
    )


def _newlines(text) -> int:
    """How many newlines ``</s>`` stands for: one for each, save where a document ends without one."""
    ends_without = ~text._terminated & (np.diff(text.document_starts) > 0)
    return int(text.is_eos.sum() - ends_without.sum())


def _checked(values, text) -> np.ndarray:
    """The log probabilities as an array, or an error that names the position and the token."""
    log_probs = np.asarray(values)
    if log_probs.dtype != np.float64:
        raise TypeError(
            f"log_probs returned {log_probs.dtype}, but scores are summed in float64. Convert the logits "
            "with .double() or .astype(np.float64) before the log-softmax."
        )
    if log_probs.shape != (len(text),):
        raise ValueError(
            f"log_probs returned the shape {log_probs.shape}, but the text has {len(text)} tokens: expected "
            f"({len(text)},), one number for each token, </s> included and <s> not."
        )
    for wrong, meaning in (
        (np.isnan(log_probs), "which is not a number"),
        (log_probs > ROUNDING, "a probability above 1"),
    ):
        if wrong.any():
            position = int(np.argmax(wrong))
            token = text.vocabulary.token(int(text.ids[position]))
            raise ValueError(
                f"log_probs[{position}], of the token {token!r}, is {log_probs[position]:g}, {meaning}. "
                "Return natural logs of probabilities that sum to 1 over the vocabulary: "
                "no logits, no surprisals."
            )
    return log_probs
