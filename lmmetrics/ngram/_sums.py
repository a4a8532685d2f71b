"""Whether the probabilities of a model that was read from a file sum to 1 after a context."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lmmetrics._types import Floats, Ints
from lmmetrics.ngram._counts import spelled
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._tables import Tables

TOLERANCE = 0.02
"""Files have logarithms of four digits and more, so a sum may be off by parts of a thousand."""
SAMPLE = SUSPECTS = 4
"""How many contexts of each length are drawn, and how many are taken that seem to be wrong."""


class WrongSum(NamedTuple):
    """A context after which the probabilities do not sum to 1."""

    context: str
    total: float
    lost: bool
    """Whether an n-gram seems to be missing: of the contexts of this length that were tried, only this one is
    wrong, and its sum is below 1."""


def wrong_sum(tables: Tables, thorough: bool = False) -> WrongSum | None:
    """Return one of the shortest contexts that are wrong, or None if there is none among those tried.

    Of each length one context is tried, from the middle of the table. If it is to be thorough, all n-grams
    are looked at for contexts whose sum cannot be 1; these are tried too, with the last one and with a
    sample that is the same each time.
    """
    for level, probs, weights in zip(tables.levels, tables.probs, tables.weights, strict=True):
        if not len(level):
            continue
        places = level.contexts[[len(level) // 2]].astype(np.int64)
        if thorough:
            drawn = np.random.default_rng(0).integers(level.contexts_size, size=SAMPLE)
            places = np.concatenate([places, level.contexts[-1:], drawn, suspects(level, probs, weights)])
        places = places[np.sort(np.unique(places, return_index=True)[1])]  # each once, the middle one first
        wrong = [
            (ids, total)
            for ids in spelled(tables.levels, level.n - 1, places).tolist()
            if not math.isclose(total := float(tables.row(ids).sum()), 1, abs_tol=TOLERANCE)
        ]
        if wrong:
            ids, total = wrong[0]
            words = " ".join(map(tables.vocabulary.token, ids))
            lost = thorough and bool(words) and len(wrong) == 1 and total < 1
            return WrongSum(repr(words) if words else "the empty context", total, lost)
    return None


def suspects(level: Level, probs: Floats, weights: Floats) -> Ints:
    """Return the contexts that differ most from any in which the probabilities sum to 1, the worst first.

    The weight of a context is shared by what it does not list. So the listed probabilities are at most 1, and
    at least 1 with the weight added; where none is listed the weight is 1.
    """
    listed, weights = level.totals(probs), weights[:-1]
    none = np.bincount(level.contexts, minlength=level.contexts_size) == 0
    off = np.maximum(listed - 1, np.where(none, np.abs(weights - 1), 1 - listed - weights))
    many = min(SUSPECTS, len(off))
    worst = np.argpartition(-off, many - 1)[:many]
    return worst[np.argsort(-off[worst], kind="stable")]
