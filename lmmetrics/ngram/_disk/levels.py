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
from lmmetrics.ngram._disk.files import Column, Workspace, chunks
from lmmetrics.ngram._level import Level


class OnDisk(Level):
    """The n-grams of one order, mapped from files."""

    workspace: Workspace
    columns: dict[str, Column]
    allowed: int

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
        for rows, of in self.parts(files.CHUNK):
            part = self.read("counts", rows) if values is self.counts else values[rows]
            found[of] = np.bincount(
                self.read("contexts", rows) - of.start, weights=part, minlength=of.stop - of.start
            )
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

    def counts_of_counts(self, counts: Ints | None = None, largest: int | None = None) -> Ints:
        if counts is None:
            return self.histogram("counts", largest)
        return super().counts_of_counts(counts, largest)

    def histogram(self, name: str, largest: int | None) -> Ints:
        """The counts of the counts in a column, or of the continuations."""
        found = self._counted("continued" if name == "continuations" else name)
        if largest is None:
            return found
        short = np.zeros(largest + 1, dtype=np.int64)
        short[: len(found)] = found[: largest + 1]
        return short

    def _counted(self, name: str) -> Ints:
        if name not in self._histograms:
            column = self.continued if name == "continued" else self.columns[name]
            found = np.zeros(1, dtype=np.int64)
            for rows in chunks(len(self)):
                more = np.bincount(column.read(rows.start, rows.stop), minlength=len(found))
                more[: len(found)] += found
                found = more
            found[0] = 0
            self._histograms[name] = found
        return self._histograms[name]

    @cached_property
    def _histograms(self) -> dict[str, Ints]:
        return {}

    def unseen(self, words: int) -> float:
        contexts = types = 0
        for rows, of in self.parts(files.CHUNK):
            seen = np.bincount(self.read("contexts", rows) - of.start, self.read("counts", rows))
            contexts += np.count_nonzero(seen)
            types += np.count_nonzero(self.read("counts", rows))
        return float(words * contexts - types)

    def read(self, name: str, rows: slice) -> np.ndarray:
        return self.columns[name].read(rows.start, rows.stop)

    def parts(self, most: int) -> Iterator[tuple[slice, slice]]:
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
    """Some n-grams of a level, with all that follow the same contexts. What is estimated is of all."""

    whole: OnDisk
    rows: slice

    @cached_property
    def _continuations(self) -> Ints:
        return self.whole.continued.read(self.rows.start, self.rows.stop).astype(np.int64)

    def continuations(self) -> Ints:
        return self._continuations

    def counts_of_counts(self, counts: Ints | None = None, largest: int | None = None) -> Ints:
        if counts is None or counts is self.counts:
            return self.whole.histogram("counts", largest)
        if counts is vars(self).get("_continuations"):
            return self.whole.histogram("continuations", largest)
        raise ValueError("Only counts, and what continuations returns, are counted for all contexts at once.")

    def unseen(self, words: int) -> float:
        return self.whole.unseen(words)
