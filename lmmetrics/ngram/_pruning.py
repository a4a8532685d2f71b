"""Pruning: a counted model with fewer n-grams, at the least possible rise of its perplexity.

An n-gram that is dropped gets the probability of the shorter one times the weight of its context, and that
weight is computed anew, so that the probabilities after each context sum to 1.

Source: Stolcke 1998, "Entropy-based pruning of backoff language models". As there, each n-gram is judged as
if it were the only one to go, from the highest order down, and the context of a longer one stays.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np

from lmmetrics._types import Bools, Floats, Ints
from lmmetrics.ngram._counts import spelled
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._tables import Tables

LEAST = 1e-12
"""A mass below this is a rounding error."""


def pruned(tables: Tables, threshold: float, min_counts: Mapping[int, int]) -> Tables:
    """Return the tables without some n-grams. See `NGramModel.prune`."""
    ids = [spelled(tables.levels, level.n) for level in tables.levels]
    kept = [np.ones(len(level), dtype=bool) for level in tables.levels]
    for level, of_level in zip(tables.levels[:0:-1], kept[:0:-1], strict=True):
        if level.n in min_counts:
            of_level &= level.counts >= min_counts[level.n]
        if threshold:
            of_level &= np.expm1(losses(tables, level.n, ids[level.n - 1])) >= threshold
        if level.n < tables.order:
            longer = tables.levels[level.n]
            of_level[longer.contexts[kept[level.n]]] = True
    return without(tables, ids, kept)


def losses(tables: Tables, n: int, ids: Ints) -> Floats:
    """Return by how many nats per token the cross-entropy rises if one n-gram is dropped: float64[G].

    It is the KL divergence of the smaller model from the larger one after the n-gram's context, times the
    probability that the larger one gives to that context. The context's `<s>` counts as a `</s>`.

    Parameters
    ----------
    n : int
        The order, at least 2.
    ids : int64[G, n]
        The n-grams of that order.
    """
    level, own = tables.levels[n - 1], tables.probs[n - 1]
    shorter = probs_of(tables, ids[:, 1:])
    left, below = (1 - level.totals(probs) for probs in (own, shorter))
    left, below = (level.spread(np.maximum(mass, 0)) for mass in (left, below))
    with np.errstate(divide="ignore", invalid="ignore"):
        before = np.log(left) - np.log(below)
        after = np.log(left + own) - np.log(below + shorter)
        change = np.where(left > LEAST, left * (after - before), 0.0)
        change += np.where(own > 0, own * (np.log(shorter) + after - np.log(own)), 0.0)
    lost = np.where(np.isnan(change), np.inf, -change)
    return lost * chance(tables, ids[:, :-1])


def chance(tables: Tables, contexts: Ints) -> Floats:
    """Return the probability of each context, int64[G, k], at any place of a text: float64[G]."""
    found = np.ones(len(contexts))
    for end in range(1, contexts.shape[1] + 1):
        part = contexts[:, :end]
        if end == 1:
            part = np.where(part == tables.vocabulary.bos, tables.vocabulary.eos, part)
        found *= probs_of(tables, part)
    return found


def probs_of(tables: Tables, ids: Ints) -> Floats:
    """Return the probability of the last token of each n-gram, int64[G, k], after the others: float64[G]."""
    last = ids[:, -1]
    found = tables.probs[0].take(last)
    for n in range(2, ids.shape[1] + 1):
        contexts: Ints = np.zeros(len(ids), dtype=np.int64)
        for level, column in zip(tables.levels, ids[:, -n:-1].T, strict=False):
            contexts = level.find(contexts, column)
        places = tables.levels[n - 1].find(contexts, last)
        found = tables.weights[n - 1].take(contexts) * found
        listed = places >= 0
        found[listed] = tables.probs[n - 1].take(places[listed])
    return found


def without(tables: Tables, ids: list[Ints], kept: list[Bools]) -> Tables:
    """Return the tables with the n-grams that are kept, and the weights that make each row sum to 1."""
    first = tables.levels[0]
    made = dataclasses.replace(
        tables,
        levels=[
            dataclasses.replace(first, longer=None, suffixes=first.suffixes[:0], counts=first.counts[:0])
        ],
        probs=tables.probs[:1],
        weights=tables.weights[:1],
    )
    none = np.zeros(0, dtype=np.int64)
    for level, stays, rows in zip(tables.levels[1:], kept[1:], ids[1:], strict=True):
        places = np.cumsum(kept[level.n - 2]) - 1  # of the contexts, among those that are kept
        contexts = places[level.contexts[stays]].astype(level.contexts.dtype)
        smaller = Level(level.n, level.tokens[stays], contexts, none, none, len(made.levels[-1]))
        own, shorter = tables.probs[level.n - 1][stays], probs_of(made, rows[stays][:, 1:])
        left, below = (1 - smaller.totals(probs) for probs in (own, shorter))
        old = tables.weights[level.n - 1]
        weights = old[:-1][kept[level.n - 2]].copy()
        np.divide(left, below, out=weights, where=(below > LEAST) & (left > LEAST))
        made = dataclasses.replace(
            made,
            levels=[*made.levels, smaller],
            probs=[*made.probs, own],
            weights=[*made.weights, np.append(weights, old[-1])],
        )
    return made
