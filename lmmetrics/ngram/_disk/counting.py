"""Counting with a limit of memory: the windows of a text in buckets on the disk.

A bucket holds the windows that start with a range of tokens, or, if one token starts too many windows, with
this token and a range of second tokens. So the n-grams of one bucket come before those of the next, at every
order from 2, and nothing has to be merged. Each bucket is sorted by itself, as `SortedText` sorts a whole
text.

Only the suffix of an n-gram is in another bucket: that of its second token. The windows at places p and p + 1
of the text are in two buckets, and both keep the order of the text. So the k-th window of one bucket that is
followed by one of another is followed by the k-th window of the other that follows one of the first, and the
places of suffixes are exchanged by writing and reading in a row.
"""

from __future__ import annotations

import math
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from lmmetrics._checks import path_of
from lmmetrics._types import Ints, PathLike
from lmmetrics.ngram._disk.files import Column, Raw, Workspace, chunks, remove_left
from lmmetrics.ngram._disk.levels import OnDisk
from lmmetrics.ngram._disk.memory import ResourceLimitError, bytes_of, memory_in_use, with_unit
from lmmetrics.ngram._level import Keys, Level
from lmmetrics.ngram._windows import INT32_LIMIT, counting_sort
from lmmetrics.text import TokenizedText

MOST_ROWS = 1 << 22
"""Windows of a bucket: more make it no faster."""
ROW = 72
"""Bytes that sorting and counting need for each window of a bucket."""
SYMBOL = 64
"""Bytes for each symbol of the vocabulary."""
ROOM = 96_000_000
"""Bytes for chunks, for the pages of mapped files that the last check reads, and for what is left over."""
MOST_BUCKETS = 4000


class Counting:
    """The counting of one text: `levels` returns the n-grams of all orders."""

    def __init__(
        self,
        text: TokenizedText,
        order: int,
        memory: int | str,
        folder: PathLike | None,
        advance: Callable[[], object],
    ) -> None:
        self.text, self.order, self.advance = text, order, advance
        self.bos, self.symbols = text.vocabulary.bos, len(text.vocabulary)
        self.size = len(text.ids) + len(text.sentence_starts) - 1
        self.index: Any = np.int32 if self.size + order <= INT32_LIMIT else np.int64
        self.memory = bytes_of(memory)
        sizes = np.zeros(self.symbols, dtype=np.int64)
        for rows in chunks(len(text.ids)):
            sizes += np.bincount(text.ids[rows], minlength=self.symbols)
        sizes[self.bos] += len(text.sentence_starts) - 1
        self.sizes = sizes
        here = memory_in_use()
        self.allowed = self.memory - here - ROOM - SYMBOL * self.symbols
        least = max(math.ceil(self.size / MOST_BUCKETS), 2 * self.symbols)
        self.rows = max(min(MOST_ROWS, max(self.allowed, 0) // ROW), least)
        least = max(least, self._plan())
        if self.allowed < least * ROW:
            suffices = with_unit(self.memory - self.allowed + least * ROW)
            raise ResourceLimitError(
                f"Counting {len(text):,} tokens to order {order} needs {suffices} of memory, of which "
                f"the text and the rest of this process hold {with_unit(here)} already, and memory "
                f"allows {with_unit(self.memory)}.",
                "Allow more, or free what this process does not need.",
                "memory",
            )
        place = Path(tempfile.gettempdir()) if folder is None else path_of("folder", folder)
        if place.exists() and not place.is_dir():
            raise NotADirectoryError(f"{place} is a file; a folder is expected: folder=...")
        index = np.dtype(self.index).itemsize
        # While counting: the text, windows, places. At the end: the columns of a level and of its tables.
        during = 8 + 4 * order + (4 + 5 * index) * (order - 1)
        needed = self.size * max(during, (28 + 4 * index) * (order - 1)) + 100 * self.symbols
        place.mkdir(parents=True, exist_ok=True)
        remove_left(place)
        free = shutil.disk_usage(place).free
        if free < needed:
            raise ResourceLimitError(
                f"Counting {len(text):,} tokens to order {order} on the disk needs up to {with_unit(needed)} "
                f"in {place}, where {with_unit(free)} are free.",
                "Make room, or name another folder: folder=...",
                "disk",
            )
        self.space = Workspace(folder)

    def levels(self) -> list[Level]:
        self._spread()
        self.columns = [
            {
                "tokens": self._column(n, "tokens", np.int32),
                "contexts": self._column(n, "contexts", np.int32 if n == 2 else self.index),
                "suffixes": self._column(n, "suffixes", np.int32 if n == 2 else self.index),
                "counts": self._column(n, "counts", self.index),
            }
            for n in range(1, self.order + 1)
        ]
        self.keys = {n: self._column(n, "keys", np.int64) for n in range(2, self.order + 1)}
        self._first_level()
        longer = range(3, self.order + 1)
        self.places = {n: Raw(self.space.path / f"{n}.places", self.index) for n in range(2, self.order)}
        self.at = {n: Column(self.space.path / f"{n}.at", self.index) for n in longer}
        self.bounds = {n: [0] for n in range(2, self.order + 1)}
        self.largest = dict.fromkeys(range(2, self.order + 1), 0)
        for bucket in range(self.count):
            if self.starts[bucket] < self.starts[bucket + 1]:
                self._count(bucket)
            for n, bounds in self.bounds.items():
                bounds.append(self.columns[n - 1]["tokens"].size)
            self.advance()
        for file in self.windows:
            file.remove()
        self.before.remove()
        for columns in (*self.at.values(), *(c for level in self.columns for c in level.values())):
            columns.flush()
        for bucket in range(self.count):
            self._link(bucket)
        for n in longer:
            self.at[n].close()
            self.at[n].path.unlink()
        for places in self.places.values():
            places.remove()
        return self._made()

    def _column(self, n: int, name: str, dtype: Any) -> Column:
        return Column(self.space.path / f"{n}.{name}.npy", dtype)

    def _plan(self) -> int:
        """Choose the buckets; return how many windows are in the largest."""
        self.ranges: list[tuple[int, int]] = []  # of first tokens
        self.split: dict[int, tuple[int, Ints]] = {}  # token to its first bucket, and where ranges begin
        sizes: list[int] = []
        seconds = dict(self._seconds()) if self.order > 1 else {}
        for first, end in pairwise(ranges(self.sizes, self.rows)):
            if first in seconds:
                begins, parts = seconds[first]
                self.split[first] = len(sizes), begins
            else:
                parts = [int(self.sizes[first:end].sum())]
            sizes += parts
            self.ranges += [(first, end)] * len(parts)
        self.starts, self.count = np.append(0, np.cumsum(sizes)).tolist(), len(sizes)
        self.bucket_of = np.zeros(self.symbols, dtype=np.uint16)
        for bucket, (first, end) in reversed(list(enumerate(self.ranges))):
            self.bucket_of[first:end] = bucket
        return max(sizes)

    def _seconds(self) -> Iterator[tuple[int, tuple[Ints, list[int]]]]:
        """Yield each token that starts too many windows: where its ranges begin, and their sizes."""
        frequent = np.flatnonzero(self.sizes > self.rows)
        many = max(self.allowed // (16 * self.symbols), 1)  # whose counts fit into half of the memory
        for start in range(0, len(frequent), many):
            for token, counts in self._pairs(frequent[start : start + many]).items():
                begins = np.array(ranges(counts, self.rows)[:-1])
                yield token, (begins, np.add.reduceat(counts, begins).tolist())

    def _pairs(self, frequent: Ints) -> dict[int, Ints]:
        """How often each token follows each of some tokens, in the text as a ring."""
        found: dict[int, Ints] = {int(token): np.zeros(self.symbols, dtype=np.int64) for token in frequent}
        first = last = None
        for part in self._parts() if found else ():
            first = part[0] if first is None else first
            for token, counts in found.items():
                counts += np.bincount(part[1:][part[:-1] == token], minlength=self.symbols)
                if last == token:
                    counts[part[0]] += 1
            last = part[-1]
        if last in found:
            found[last][first] += 1
        return found

    def _buckets(self, firsts: Ints, seconds: Ints) -> Ints:
        """The buckets of windows, given their first two tokens: uint16[G]."""
        found = self.bucket_of.take(firsts)
        for token, (bucket, begins) in self.split.items():
            at = np.flatnonzero(firsts == token)
            found[at] = bucket - 1 + np.searchsorted(begins, seconds.take(at), side="right")
        return found

    def _spread(self) -> None:
        """Write the windows of each bucket, in the order of the text: a file for each token of a window."""
        stream = self._stream()
        self.windows = [Raw(self.space.path / f"{k}.windows", np.int32) for k in range(self.order)]
        self.before = Raw(self.space.path / "before", np.uint16)  # the bucket of the window before
        none = self.count
        # How many windows of a bucket are followed by one of another; the last window, by none.
        pairs = np.zeros(self.count * (none + 1), dtype=np.int64)
        filled = np.array(self.starts[:-1])
        last = none
        for rows in chunks(self.size):
            size = rows.stop - rows.start
            tokens = stream.read(rows.start, rows.stop + self.order)
            own = self._buckets(tokens[:size], tokens[1 : size + 1])
            after = self._buckets(tokens[1 : size + 1], tokens[2 : size + 2])
            if rows.stop == self.size:
                after[-1] = none
            before = np.append(np.uint16(last), own[:-1])
            last = own[-1]
            pairs += np.bincount(own * np.int64(none + 1) + after, minlength=len(pairs))
            chosen, offsets = counting_sort(np.arange(size, dtype=np.int32), own, self.count)
            columns = [tokens[k : k + size].take(chosen) for k in range(self.order)]
            for file, column in zip(
                (*self.windows, self.before), (*columns, before.take(chosen)), strict=True
            ):
                for b in np.flatnonzero(np.diff(offsets)).tolist():
                    file.write(filled[b], column[offsets[b] : offsets[b + 1]])
            filled += np.diff(offsets)
        self.pairs = pairs.reshape(self.count, none + 1)
        stream.remove()

    def _stream(self) -> Raw:
        """The text with `<s>` before each sentence, and its beginning again: it is read as a ring."""
        stream, place = Raw(self.space.path / "stream", np.int32), 0
        for part in self._parts():
            stream.write(place, part)
            place += len(part)
        beginning = stream.read(0, min(self.order, self.size))
        stream.write(place, np.resize(beginning, self.order))
        return stream

    def _parts(self) -> Iterator[Ints]:
        """The text with `<s>` before each sentence, many tokens at a time."""
        starts = self.text.sentence_starts[:-1]
        for rows in chunks(len(self.text.ids)):
            inside = slice(*np.searchsorted(starts, [rows.start, rows.stop]))
            begins = starts[inside] - rows.start
            part = np.full(rows.stop - rows.start + len(begins), self.bos, dtype=np.int32)
            others = np.ones(len(part), dtype=bool)
            others[begins + np.arange(len(begins))] = False
            part[others] = self.text.ids[rows]
            yield part

    def _first_level(self) -> None:
        counts = self.sizes.copy()
        counts[self.bos] = 0  # <s> is never predicted
        nothing = np.zeros(self.symbols, dtype=self.index)
        tokens = np.arange(self.symbols, dtype=np.int32)
        for column, values in zip(self.columns[0].values(), [tokens, nothing, nothing, counts], strict=True):
            column.append(values)

    def _count(self, bucket: int) -> None:
        """Sort the windows of a bucket, and count its n-grams of all orders from 2."""
        start, stop = self.starts[bucket : bucket + 2]
        first_token, end_token = self.ranges[bucket]
        size = stop - start
        if self.order == 1:
            return
        ranked = np.arange(size, dtype=self.index)
        for k in range(self.order - 1, -1, -1):
            if k == 0 and end_token - first_token == 1:
                break  # one first token
            column = self.windows[k].read(start, stop)
            digits = column.take(ranked) if k < self.order - 1 else column
            lowest, symbols = (first_token, end_token - first_token) if k == 0 else (0, self.symbols)
            ranked, _ = counting_sort(ranked, digits - lowest if lowest else digits, symbols)
        del column, digits
        sizes = np.array([size]) if first_token in self.split else self.sizes[first_token:end_token]
        groups = np.repeat(np.arange(first_token, end_token, dtype=np.int32), sizes)
        differs, complete = np.zeros(size, dtype=bool), np.ones(size, dtype=bool)
        differs[np.append(0, np.cumsum(sizes))[:-1][sizes > 0]] = True
        if self.order > 2:
            seconds, thirds = (self.windows[k].read(start, stop) for k in (1, 2))
            after = self._places_of(self._buckets(seconds, thirds), bucket)
            del seconds, thirds
            after = after.take(ranked)
            before = self._places_of(self.before.read(start, stop)).take(ranked)
        for n in range(2, self.order + 1):
            tokens = self.windows[n - 1].read(start, stop).take(ranked)
            complete &= tokens != self.bos
            differs[1:] |= tokens[1:] != tokens[:-1]
            first = np.flatnonzero(differs)
            counts = np.diff(first, append=size)
            whole = complete.take(first)
            first, counts = first[whole], counts[whole]
            columns = self.columns[n - 1]
            tokens = tokens.take(first)
            contexts = groups.take(first)
            if n > 2:
                contexts += self.bounds[n - 1][bucket]
                self.at[n].append(after.take(first))
            for name, values in (("tokens", tokens), ("contexts", contexts), ("counts", counts)):
                columns[name].append(values)
            if n == 2:
                columns["suffixes"].append(tokens)
            self.largest[n] = max(self.largest[n], int(tokens.max(initial=0)))
            if n < self.order:
                groups = np.cumsum(differs & complete, dtype=self.index)
                groups -= 1
                self._exchange(n, bucket, before, groups)

    def _places_of(self, others: Ints, bucket: int | None = None) -> Ints:
        """The place of each window of a bucket, if they are sorted by the bucket of a neighbour."""
        size = len(others)
        if bucket is not None and self.starts[bucket] <= self._last_place < self.starts[bucket + 1]:
            others[self._last_place - self.starts[bucket]] = self.count
        order, _ = counting_sort(np.arange(size, dtype=self.index), others, self.count + 1)
        places = np.empty(size, dtype=self.index)
        places[order] = np.arange(size, dtype=self.index)
        return places

    @cached_property
    def _last_place(self) -> int:
        """Where the last window of the text is: the last one of its bucket."""
        bucket = int(np.flatnonzero(self.pairs[:, -1])[0])
        return self.starts[bucket + 1] - 1

    def _exchange(self, n: int, bucket: int, before: Ints, groups: Ints) -> None:
        """Give the buckets of the windows before these the places of n-grams in this bucket."""
        given = np.empty(len(groups), dtype=self.index)
        given[before] = groups
        done = 0
        for other in np.flatnonzero(self.pairs[:, bucket]).tolist():
            many = int(self.pairs[other, bucket])
            where = self.starts[other] + int(self.pairs[other, :bucket].sum())
            self.places[n].write(where, given[done : done + many])
            done += many

    def _link(self, bucket: int) -> None:
        """Write the suffixes of the n-grams of a bucket, and the keys."""
        start, stop = self.starts[bucket : bucket + 2]
        ends = np.append(0, np.cumsum(self.pairs[bucket, :-1])).tolist()
        for n in range(2, self.order + 1):
            columns, rows = self.columns[n - 1], self.bounds[n][bucket : bucket + 2]
            if n > 2 and rows[0] < rows[1]:
                places = self.places[n - 1].read(start, stop)
                for other, (first, end) in enumerate(pairwise(ends)):
                    places[first:end] += self.bounds[n - 1][other]
                for part in chunks(rows[1] - rows[0]):
                    at = self.at[n].read(rows[0] + part.start, rows[0] + part.stop)
                    columns["suffixes"].append(places.take(at))
            for part in chunks(rows[1] - rows[0]):
                inside = rows[0] + part.start, rows[0] + part.stop
                keys = columns["contexts"].read(*inside) * np.int64(self.largest[n] + 2)
                keys += columns["tokens"].read(*inside)
                self.keys[n].append(keys)

    def _made(self) -> list[Level]:
        levels: list[Level] = []
        for n, columns in enumerate(self.columns, 1):
            for column in columns.values():
                column.close()
            below = len(levels[-1]) if levels else 1
            keys = None
            if n > 1:
                self.keys[n].close()
                keys = Keys(self.keys[n].mapped(), self.largest[n] + 2)
            level = OnDisk(n, columns, below, keys, self.space, self.allowed)
            if levels:
                levels[-1].longer = level
            levels.append(level)
        return levels


def ranges(sizes: Ints, most: int) -> list[int]:
    """Return where ranges begin, and where the last ends; each sums to `most` or less, or has one member."""
    total, edges = np.append(0, np.cumsum(sizes)), [0]
    while edges[-1] < len(sizes):
        reached = int(np.searchsorted(total, total[edges[-1]] + most, side="right")) - 1
        edges.append(max(reached, edges[-1] + 1))
    return edges
