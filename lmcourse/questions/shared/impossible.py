"""Texts for a bigram model, some of them with steps that it holds impossible."""

from __future__ import annotations

import numpy as np


def table_with_zeros(rng, size):
    """A table in which some steps never happen, and a start distribution; rows add up to 1."""
    table = rng.dirichlet(np.full(size, 2.0), size=size)
    table[np.arange(size), rng.permutation(size)] = 0.0
    return rng.dirichlet(np.full(size, 2.0)), table / table.sum(axis=1, keepdims=True)


def draw_text(rng, tokens=None, impossible=None):
    """A text that the model can write, and then ``impossible`` steps more that it cannot."""
    size = int(rng.integers(3, 6))
    start, table = table_with_zeros(rng, size)
    text = [int(rng.choice(size, p=start))]
    for _ in range((tokens or int(rng.integers(8, 20))) - 1):
        text.append(int(rng.choice(size, p=table[text[-1]])))
    for _ in range(int(rng.integers(4)) if impossible is None else impossible):
        text.append(int(table[text[-1]].argmin()))
    return start, table, np.array(text)


def begins_with_the_impossible(rng):
    start, table, text = draw_text(rng, 6, 0)
    start = np.where(np.arange(len(start)) == text[0], 0.0, start)
    return start / start.sum(), table, text


def repeats_the_impossible(rng):
    start, table, text = draw_text(rng, 6, 0)
    return start, table, np.concatenate([text, np.tile([text[0], table[text[0]].argmin()], 3)])


def all_but_impossible(rng):
    start, table, text = draw_text(rng, 6, 1)
    table = np.where(table == 0.0, 1e-15, table)
    return start, table / table.sum(axis=1, keepdims=True), text
