"""The n-grams of one order in files, and the parts of them that are in memory at a time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lmmetrics._types import Floats, Ints
from lmmetrics.ngram._disk import files
from lmmetrics.ngram._disk.files import Column, Workspace, chunks, take_values
from lmmetrics.ngram._level import Counted, Keys, Level, Values

PART = 160
"""Bytes that smoothing needs for each n-gram of a part."""


class OnDisk(Level):
    """The n-grams of one order, mapped from files.

    Parameters
    ----------
    n, contexts_size, stored_keys
        As in `Level`.
    columns : dict
        The files of ``tokens``, ``contexts``, ``suffixes`` and ``counts``.
    workspace : Workspace
        Their folder.
    allowed : int
        Bytes of memory for what is done with them.
    """

    def __init__(
        self,
        n: int,
        columns: dict[str, Column],
        contexts_size: int,
        stored_keys: Keys | None,
        workspace: Workspace,
        allowed: int,
    ) -> None:
        arrays: dict[str, Any] = {name: column.mapped() for name, column in columns.items()}
        super().__init__(n, **arrays, contexts_size=contexts_size, stored_keys=stored_keys)
        self.columns, self.workspace, self.allowed = columns, workspace, allowed
        self._histograms: dict[Counted, Ints] = {}

    def __reduce__(self) -> Any:
        arrays = self.tokens, self.contexts, self.suffixes, self.counts
        return Level, (self.n, *map(np.array, arrays), self.contexts_size, self.longer)

    def copy_file(self, name: str, folder: Path) -> None:
        """Put one of the files into another folder, without a copy where the disk allows that."""
        file = self.workspace.path / name
        try:
            os.link(file, folder / name)
        except OSError:
            shutil.copyfile(file, folder / name)

    def totals(self, values: np.ndarray) -> Floats:
        found = np.zeros(self.contexts_size)
        for rows, of in self._spans(files.CHUNK):
            contexts = self.read("contexts", rows) - of.start
            found[of] = np.bincount(contexts, weights=values[rows], minlength=of.stop - of.start)
        return found

    def continuations(self) -> Ints:
        return self.continued.mapped().astype(np.int64)

    @cached_property
    def continued(self) -> Column:
        """The numbers of `continuations`."""
        if self.longer is None:
            return self.columns["counts"]
        assert isinstance(self.longer, OnDisk)
        column = Column(self.workspace.path / f"{self.n}.continuations.npy", self.counts.dtype)
        most = max(files.CHUNK, self.allowed // 16)
        for start in range(0, len(self), most):
            stop = min(start + most, len(self))
            found = np.zeros(stop - start, dtype=np.int64)
            for rows in chunks(len(self.longer)):
                suffixes = self.longer.read("suffixes", rows)
                if stop - start < len(self):
                    suffixes = suffixes[(suffixes >= start) & (suffixes < stop)]
                np.add.at(found, suffixes - start if start else suffixes, 1)
            nothing_before = np.flatnonzero(found == 0)
            found[nothing_before] = self.read("counts", slice(start, stop)).take(nothing_before)
            column.append(found)
        column.close()
        return column

    def counts_of_counts(self, of: Counted = "counts", largest: int | None = None) -> Ints:
        if of not in self._histograms:
            column = self.columns["counts"] if of == "counts" else self.continued
            found = np.zeros(1, dtype=np.int64)
            for rows in chunks(len(self)):
                more = np.bincount(column.read(rows.start, rows.stop), minlength=len(found))
                more[: len(found)] += found
                found = more
            found[0] = 0
            self._histograms[of] = found
        found = self._histograms[of]
        if largest is None:
            return found.copy()
        short = np.zeros(largest + 1, dtype=np.int64)
        short[: len(found)] = found[: largest + 1]
        return short

    def unseen(self, words: int) -> float:
        contexts = types = 0
        for rows, of in self._spans(files.CHUNK):
            seen = np.bincount(self.read("contexts", rows) - of.start, self.read("counts", rows))
            contexts += np.count_nonzero(seen)
            types += np.count_nonzero(self.read("counts", rows))
        return float(words * contexts - types)

    def read(self, name: str, rows: slice) -> np.ndarray:
        return self.columns[name].read(rows.start, rows.stop)

    def parts(self) -> Iterator[Level]:
        for rows, of in self._spans(min(max(self.allowed // (2 * PART), 1), files.CHUNK)):
            yield Part(self, rows, of)

    def new_values(self) -> Values:
        return ValuesOnDisk(self.workspace, self.n, self.allowed)

    def _spans(self, most: int) -> Iterator[tuple[slice, slice]]:
        """Yield n-grams with all their contexts: slices of this level, and of the one below."""
        # The contexts are read and not mapped, because mapped pages count as memory of the process.
        row = context = 0
        while context < self.contexts_size:
            block = self.read("contexts", slice(row, min(row + most + 1, len(self))))
            beyond = int(block[most]) if len(block) > most else self.contexts_size
            end = max(min(beyond, context + most), context + 1)
            stop = row + int(np.searchsorted(block, end))
            while stop < len(self) and len(block) and block[-1] < end:  # more follow this one context
                block = self.read("contexts", slice(stop, min(stop + most, len(self))))
                stop += int(np.searchsorted(block, end))
            yield slice(row, stop), slice(context, end)
            row, context = stop, end


class Part(Level):
    """Some n-grams of a level, with all that follow the same contexts. What is estimated is of all.

    Parameters
    ----------
    whole : OnDisk
    rows, of : slice
        The n-grams, and their contexts.
    """

    def __init__(self, whole: OnDisk, rows: slice, of: slice) -> None:
        arrays: dict[str, Any] = {name: whole.read(name, rows) for name in whole.columns}
        arrays["contexts"] -= of.start
        super().__init__(whole.n, **arrays, contexts_size=of.stop - of.start, longer=whole.longer)
        self.whole, self.rows, self.first = whole, rows, of.start

    def continuations(self) -> Ints:
        return self.whole.continued.read(self.rows.start, self.rows.stop).astype(np.int64)

    def counts_of_counts(self, of: Counted = "counts", largest: int | None = None) -> Ints:
        return self.whole.counts_of_counts(of, largest)

    def unseen(self, words: int) -> float:
        return self.whole.unseen(words)


class ValuesOnDisk(Values):
    """The probabilities and the weights of one order, in files that grow with each part."""

    def __init__(self, workspace: Workspace, n: int, allowed: int) -> None:
        self._probs = Column(workspace.path / f"{n}.probs.npy", np.float64)
        self._weights = Column(workspace.path / f"{n}.weights.npy", np.float64)
        self._most = max(files.CHUNK, allowed // 2 // 8)

    def append(self, probs: Floats, weights: Floats) -> None:
        self._probs.append(probs)
        self._weights.append(weights)

    def probs_at(self, places: Ints) -> Floats:
        if self._probs.size > self._most:
            return take_values(self._probs, places, self._most)
        return self._all.take(places)

    @cached_property
    def _all(self) -> Floats:
        return self._probs.read(0, self._probs.size)

    def tables(self, unseen: float) -> tuple[Floats, Floats]:
        self._weights.append(np.array([unseen]))
        self._probs.close()
        self._weights.close()
        return self._probs.mapped(), self._weights.mapped()
