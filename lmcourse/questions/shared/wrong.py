"""Wrong formulas: how to make one from the right formula, and those that several questions use.

Every formula here is *wrong on purpose*: a wrong formula that fits a student's number names the mistake.
Mistakes that belong to one question only are beside that question.

Arrays named ``nats`` hold the surprisal of every position in nats, and ``real`` says which positions are
tokens rather than padding; both have the shape (B, T): B sequences, padded to T positions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import log_softmax, softmax


def but(right: Callable[..., dict], entries: dict[str, Callable]) -> Callable[..., dict]:
    """Return a wrong formula: the right dictionary, but for these entries, each by its own formula.

    Examples
    --------
    >>> right = lambda x: {"sum": x + x, "product": x * x}
    >>> but(right, {"sum": lambda x: x})(3)
    {'sum': 3, 'product': 9}
    """
    return lambda *case: right(*case) | {key: formula(*case) for key, formula in entries.items()}


def then(right: Callable, change: Callable[[Any], Any]) -> Callable:
    """Return a wrong formula: the right value, changed afterwards."""
    return lambda *case: change(right(*case))


def exchanged(right: Callable[..., dict], one: str, other: str) -> Callable[..., dict]:
    """Return a wrong formula: the right dictionary, in which two entries are swapped."""
    return then(right, lambda value: value | {one: value[other], other: value[one]})


def total(nats: np.ndarray, real: np.ndarray) -> float:
    """L1: the sum of the nats, never divided."""
    return nats[real].sum()


def mean_of_means(nats: np.ndarray, real: np.ndarray) -> float:
    """M9: the mean over sequences of each sequence's mean."""
    return np.mean([row[mask].mean() for row, mask in zip(nats, real, strict=True)])


def log_mean_inverse(nats: np.ndarray, real: np.ndarray) -> float:
    """M11: ln of the mean of 1/q; at least the right value, by Jensen's inequality."""
    return np.log(np.exp(nats[real]).mean())


def log_mean(nats: np.ndarray, real: np.ndarray) -> float:
    """L2: -ln of the mean of q; at most the right value, by Jensen's inequality."""
    return -np.log(np.exp(-nats[real]).mean())


def padding_counted(nats: np.ndarray, real: np.ndarray) -> float:
    """M19: the nats of the tokens, divided by the number of all positions."""
    return nats[real].sum() / real.size


def padding_scored(nats: np.ndarray, real: np.ndarray) -> float:
    """M20: the mean over all positions, whatever the model says about padding."""
    return nats.mean()


def smoothed(log_probs: np.ndarray, targets: np.ndarray, epsilon: float) -> np.ndarray:
    """M41: label-smoothed nats of each position; (..., V) and (...) -> (...)."""
    nats = -np.take_along_axis(log_probs, targets[..., None], axis=-1)[..., 0]
    return (1 - epsilon) * nats - epsilon * log_probs.mean(axis=-1)


def logits_as_log_probs(logits: np.ndarray) -> np.ndarray:
    """M6: raw logits go where log probabilities belong; the "loss" can be negative."""
    return logits.astype(np.float64)


def softmax_twice(logits: np.ndarray) -> np.ndarray:
    """M6: probabilities go where logits belong, so every distribution is almost flat."""
    return log_softmax(softmax(logits.astype(np.float64), axis=-1), axis=-1)


def softmax_then_log(logits: np.ndarray) -> np.ndarray:
    """M46: in the precision of the logits a small probability becomes 0, and its logarithm -inf."""
    return np.log(softmax(logits, axis=-1)).astype(np.float64)


def sum_of_large_exponentials(logits: np.ndarray) -> np.ndarray:
    """M45: log-sum-exp without taking out the largest logit."""
    return (logits - np.log(np.exp(logits).sum(axis=-1, keepdims=True))).astype(np.float64)


def ratio_of_large_exponentials(logits: np.ndarray) -> np.ndarray:
    """M45: softmax without taking out the largest logit, so that inf / inf appears."""
    weights = np.exp(logits)
    return np.log(weights / weights.sum(axis=-1, keepdims=True)).astype(np.float64)


def floored(logits: np.ndarray, floor: float = 1e-10) -> np.ndarray:
    """M30: a small constant is added before the logarithm, so no token can cost more than -ln floor."""
    return np.log(softmax(logits.astype(np.float64), axis=-1) + floor)


def log_sum_exp_as_given(logits: np.ndarray) -> np.ndarray:
    """M44: in float32, log-sum-exp keeps only the digits that the largest logit leaves."""
    largest = logits.max(axis=-1, keepdims=True)
    normaliser = np.log(np.exp(logits - largest).sum(axis=-1, keepdims=True)) + largest
    return (logits - normaliser).astype(np.float64)
