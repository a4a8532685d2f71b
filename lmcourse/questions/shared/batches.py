"""Batches: sequences padded to one length, with logits or log probabilities for every position."""

import numpy as np


def nats_of(log_probs, targets):
    """Surprisal of each target, (..., V) and (...) -> (...); padding is scored as some symbol or other."""
    symbols = targets % log_probs.shape[-1]
    return -np.take_along_axis(log_probs, symbols[..., None], axis=-1)[..., 0]


def is_real(targets, ignore_index):
    """Which positions are tokens, and not padding."""
    return targets != ignore_index


def mean_of_tokens(nats, real):
    """The mean over the positions that are tokens; (B, T), (B, T) -> one number."""
    return nats[real].mean()


def more_padding(logits, targets, ignore_index, *others):
    """The same batch, two positions wider."""
    padding = np.full((len(targets), 2), ignore_index)
    wider = np.concatenate([logits, logits[:, :2]], axis=1)
    return wider, np.concatenate([targets, padding], axis=1), ignore_index, *others


def row_by_row(batches):
    """The same rows, each as a batch of its own; a batch is a pair of arrays that belong together by row."""
    return ([(one[i : i + 1], other[i : i + 1]) for one, other in batches for i in range(len(one))],)
