"""Smoothing of an order in parts that hold whole contexts, so that one part is in memory at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lmmetrics.ngram._disk import files
from lmmetrics.ngram._disk.files import Column, take_values
from lmmetrics.ngram._disk.levels import Part
from lmmetrics.ngram._tables import Tables

if TYPE_CHECKING:
    from lmmetrics.ngram._smoothing import Smoothing

PART = 160
"""Bytes that smoothing needs for each n-gram of a part."""


def smooth(method: Smoothing, counts: Any, advance: Callable[[], object] = lambda: None) -> Tables:
    """As `Smoothing.tables`, with a part of the n-grams at a time."""
    vocabulary = counts.vocabulary
    method.prepare(counts)
    uniform = np.array([1 / vocabulary.predictable])
    made: list[tuple[Column, Column]] = []
    for level in counts.levels:
        most = min(max(level.allowed // (2 * PART), 1), files.CHUNK)
        probs = Column(level.workspace.path / f"{level.n}.probs.npy", np.float64)
        weights = Column(level.workspace.path / f"{level.n}.weights.npy", np.float64)
        slices = max(files.CHUNK, level.allowed // 2 // 8)
        below: np.ndarray | None = None  # the probabilities of the shorter n-grams, if they fit
        for rows, of in level.parts(most):
            arrays = {name: level.read(name, rows) for name in level.columns}
            arrays["contexts"] -= of.start
            part = Part(level.n, **arrays, contexts_size=of.stop - of.start)
            part.whole, part.rows, part.longer = level, rows, level.longer
            if method.evenly or not made:
                shorter = uniform
            elif made[-1][0].size <= slices:
                if below is None:
                    below = made[-1][0].read(0, made[-1][0].size)
                shorter = below.take(part.suffixes)
            else:
                shorter = take_values(made[-1][0], part.suffixes, slices)
            own, left = method.smoothed(part, shorter, counts, of.start)
            probs.append(own)
            weights.append(left)
        weights.append(np.array([method.unseen]))
        probs.close()
        weights.close()
        made.append((probs, weights))
        advance()
    of_ngrams, of_contexts = ([column.mapped() for column in columns] for columns in zip(*made, strict=True))
    return Tables(vocabulary, counts.levels, of_ngrams, of_contexts, method.evenly)
