"""Cut a text into batches: for scoring, with each token once, and for training, without end."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Literal, cast, get_args

import numpy as np

from lmmetrics._checks import generator
from lmmetrics._types import Bools, Ints
from lmmetrics.text import TokenizedText

Reach = Literal["carry", "document", "sentence"]
STATES = get_args(Reach)
STEPS = 1024
"""Positions that a recurrent model reads in one call while scoring; the next call continues its state."""


def bounds_of(text: TokenizedText, reach: Reach) -> Ints:
    """Return the positions of context resets, which are the bounds of K non-empty segments: int64[K + 1]."""
    if reach == "carry":
        return np.array([0, len(text)]) if len(text) else np.zeros(1, dtype=np.int64)
    return np.unique(text.document_starts if reach == "document" else text.sentence_starts)


def scoring_batches(
    text: TokenizedText, reach: Reach, batch: int, window: int | None = None, stride: int | None = None
) -> Iterator[tuple[Ints, Bools, bool]]:
    """Yield the batches in which a text is scored; each position of the text is scored exactly once.

    Parameters
    ----------
    text : TokenizedText
    reach : {"carry", "document", "sentence"}
    batch : int
        Number of tokens, padding included; a batch has at least one row.
    window, stride : int, optional
        For a model without a state: it reads a window of `window` inputs, which moves by `stride` tokens.
        Without them the segments are read from start to end.

    Yields
    ------
    positions : int64[B, T]
        Positions in the text. Rows are padded on the right with the last position of their segment.
    scored : bool[B, T]
        Which positions are scored: neither padding nor positions that an earlier window has scored.
    fresh : bool
        Whether the rows start new segments. If not, they continue the rows of the batch before.
    """
    bounds = bounds_of(text, reach)
    starts, stops = bounds[:-1], bounds[1:]
    if window is None:
        firsts, steps = starts, STEPS
    else:
        cuts = [windows(*bound, window, cast(int, stride)) for bound in pairwise(bounds.tolist())]
        starts, stops, firsts = np.array([w for cut in cuts for w in cut]).reshape(-1, 3).T
        steps = window
    order = np.argsort(starts - stops, kind="stable")  # from long to short, which needs little padding
    taken = 0
    while taken < len(order):
        length = int(stops[order[taken]] - starts[order[taken]])
        rows = order[taken : taken + max(1, batch // length)]
        taken += len(rows)
        for offset in range(0, length, steps):
            positions = starts[rows, None] + np.arange(offset, min(offset + steps, length))
            scored = (positions >= firsts[rows, None]) & (positions < stops[rows, None])
            yield np.minimum(positions, stops[rows, None] - 1), scored, offset == 0


def windows(start: int, stop: int, window: int, stride: int) -> list[tuple[int, int, int]]:
    """Return (start, stop, first scored position) of each window of a segment.

    Examples
    --------
    >>> windows(0, 9, window=4, stride=2)
    [(0, 4, 0), (2, 6, 4), (4, 8, 6), (5, 9, 8)]
    """
    cuts = [(start, min(start + window, stop), start)]
    while (done := cuts[-1][1]) < stop:
        end = min(done + stride, stop)
        cuts.append((end - window, end, done))
    return cuts


class TrainingBatches:
    """Batches without end: B rows, each of which reads one segment after the other, in pieces.

    If the state is carried, the text is read as a ring and cut into B equal parts at a random place;
    otherwise the documents or sentences come in random order.

    Parameters
    ----------
    text : TokenizedText
    reach : {"carry", "document", "sentence"}
    batch, length : int
        The number of rows, and of tokens in a piece. A small text has fewer rows.
    seed : int
    """

    def __init__(self, text: TokenizedText, reach: Reach, batch: int, length: int, seed: int) -> None:
        bounds = bounds_of(text, reach)
        self.size, self.length, self.rng = len(text), min(length, len(text)), generator(seed)
        self.ring = reach == "carry"
        self.rows = min(batch, max(1, self.size // self.length)) if self.ring else min(batch, len(bounds) - 1)
        self.starts, self.lengths = bounds[:-1], np.diff(bounds)
        self.queue: list[tuple[int, int]] = []  # segments to come: (start, length)
        self.at = np.zeros(self.rows, dtype=np.int64)  # the position of each row
        self.left = np.zeros(self.rows, dtype=np.int64)  # tokens left in its segment

    def __next__(self) -> tuple[Ints, Bools, Bools]:
        """Return positions int64[B, T], mask bool[B, T] (False: padding), fresh bool[B] (new segment)."""
        fresh = self.left == 0
        for row in np.flatnonzero(fresh):
            self.at[row], self.left[row] = self._segment()
        lengths = np.minimum(self.left, self.length)
        steps = np.arange(lengths.max())
        positions = (self.at[:, None] + steps) % self.size
        self.at, self.left = self.at + lengths, self.left - lengths
        return positions, steps < lengths[:, None], fresh

    def _segment(self) -> tuple[int, int]:
        if not self.queue and self.ring:
            part = self.size // self.rows
            part = max(part - part % self.length, self.length)
            turn = int(self.rng.integers(self.size)) if self.size > self.length else 0
            self.queue = [(turn + row * part, part) for row in range(self.rows)]
        elif not self.queue:
            order = self.rng.permutation(len(self.starts))
            self.queue = [(int(self.starts[i]), int(self.lengths[i])) for i in order]
        return self.queue.pop(0)

    def state_dict(self) -> dict[str, Any]:
        """The state from which `load_state_dict` continues, in plain numbers."""
        plain = {"queue": self.queue, "at": self.at.tolist(), "left": self.left.tolist()}
        return {**plain, "rng": self.rng.bit_generator.state}

    def load_state_dict(self, saved: dict[str, Any]) -> None:
        self.queue = [tuple(pair) for pair in saved["queue"]]
        self.at, self.left = np.array(saved["at"]), np.array(saved["left"])
        self.rng.bit_generator.state = saved["rng"]


def inputs_of(text: TokenizedText) -> Ints:
    """Return the input of each token of a text, int64[N]: the token before it, or `<s>`.

    Examples
    --------
    >>> from lmmetrics.text import tokenize
    >>> text = tokenize(["the cat\\nthe dog\\n"])
    >>> [text.vocabulary.token(id) for id in inputs_of(text)]
    ['<s>', 'the', 'cat', '<s>', 'the', 'dog']
    """
    inputs = np.empty(len(text), dtype=np.int64)
    inputs[1:] = text.ids[:-1]
    inputs[text.sentence_starts[:-1]] = text.vocabulary.bos
    return inputs
