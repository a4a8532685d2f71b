"""Counting with a limit of memory: the windows of a text in buckets on the disk.

A bucket holds the windows that start with a range of tokens, so the n-grams of one bucket come before those
of the next, at every order, and nothing has to be merged. Each bucket is sorted by itself, as `SortedText`
sorts a whole text.

Only the suffix of an n-gram is in another bucket: that of its second token. The windows at places p and p + 1
of the text are in two buckets, and both keep the order of the text. So the k-th window of one bucket that is
followed by one of another is followed by the k-th window of the other that follows one of the first, and the
places of suffixes are exchanged by writing and reading in a row.

Smoothing goes through each order in parts that hold whole contexts.
"""

from __future__ import annotations

import contextlib
import math
import os
import re
import shutil
import sys
import tempfile
import weakref
from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lmmetrics._checks import path_of
from lmmetrics._types import Floats, Ints, PathLike
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._tables import Tables
from lmmetrics.ngram._windows import INT32_LIMIT, counting_sort
from lmmetrics.text import TokenizedText

if TYPE_CHECKING:
    from lmmetrics.ngram._smoothing import Smoothing

try:
    import fcntl
except ImportError:  # Windows: folders that a killed process has left are not recognised
    fcntl = None  # type: ignore[assignment]

PREFIX, SUFFIX = "lmmetrics-", ".fit"
UNITS = {"": 1} | {unit: 1000**i for i, unit in enumerate("KMGT", 1)}
UNITS |= {f"{unit}I": 1024**i for i, unit in enumerate("KMGT", 1)}
CHUNK = 1 << 18
"""How many tokens are read, or values copied, at a time."""
MOST_ROWS = 1 << 22
"""Windows of a bucket: more make it no faster."""
ROW = 72
"""Bytes that sorting and counting need for each window of a bucket."""
PART = 160
"""Bytes that smoothing needs for each n-gram of a part."""
SYMBOL = 64
"""Bytes for each symbol of the vocabulary."""
ROOM = 96_000_000
"""Bytes for chunks, for the pages of mapped files that the last check reads, and for what is left over."""
MOST_BUCKETS = 4000


class ResourceLimitError(ValueError):
    """The memory that is allowed, or the disk, does not suffice. The message says how much is needed."""


def bytes_of(memory: int | str) -> int:
    """Return a number of bytes, given as one or as words.

    Examples
    --------
    >>> bytes_of("2GB"), bytes_of("1.5 GiB"), bytes_of(300_000_000)
    (2000000000, 1610612736, 300000000)
    """
    if isinstance(memory, str):
        found = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*(?:([KMGT]I?)?B?)\s*", memory.upper())
        if found and float(found[1]):
            return int(float(found[1]) * UNITS[found[2] or ""])
    elif isinstance(memory, int | np.integer) and not isinstance(memory, bool) and memory > 0:
        return int(memory)
    raise ValueError(f'memory is {memory!r}; a number of bytes is expected, such as "2GB" or 2_000_000_000.')


def shown(size: float) -> str:
    """A number of bytes for people."""
    return f"{math.ceil(size / 1e8) / 10} GB" if size >= 1e9 else f"{math.ceil(size / 1e6)} MB"


def held() -> int:
    """Return the bytes of memory that this process holds now."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return 200_000_000


class Workspace:
    """A folder of files that exists as long as something uses it.

    A process that is killed leaves its folder, without anybody who holds the lock in it; the next workspace
    in the same place removes it.
    """

    def __init__(self, parent: PathLike | None) -> None:
        place = Path(tempfile.gettempdir() if parent is None else parent)
        place.mkdir(parents=True, exist_ok=True)
        remove_left(place)
        self.path = Path(tempfile.mkdtemp(prefix=PREFIX, suffix=SUFFIX, dir=place))
        lock = open(self.path / "lock.new", "w")  # noqa: SIM115  (it is open as long as the folder is)
        if fcntl:
            fcntl.flock(lock, fcntl.LOCK_EX)
        os.rename(self.path / "lock.new", self.path / "lock")
        self.remove = weakref.finalize(self, _remove, self.path, lock, os.getpid())


def _remove(path: Path, lock: Any, owner: int) -> None:
    if os.getpid() == owner:  # and not a process that it has forked
        shutil.rmtree(path, ignore_errors=True)
    lock.close()


def remove_left(place: Path) -> None:
    """Remove the folders that killed processes have left."""
    for path in place.glob(f"{PREFIX}*{SUFFIX}") if fcntl else ():
        with contextlib.suppress(OSError), open(path / "lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path, ignore_errors=True)


class Column:
    """A file of numbers in the format of `numpy.save`, which grows at its end."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self.path, self.dtype, self.size = path, np.dtype(dtype), 0
        self._file = open(path, "wb")  # noqa: SIM115
        self._write_header()
        self.header = self._file.tell()

    def _write_header(self) -> None:
        # NumPy leaves room in the header, so that it is as long for any size.
        about = {"descr": self.dtype.str, "fortran_order": False, "shape": (self.size,)}
        np.lib.format.write_array_header_1_0(self._file, about)

    def append(self, values: np.ndarray) -> None:
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).data)
        self.size += len(values)

    def flush(self) -> None:
        self._file.flush()

    def close(self) -> None:
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def read(self, start: int, stop: int) -> np.ndarray:
        where = self.header + start * self.dtype.itemsize
        return np.fromfile(self.path, self.dtype, stop - start, offset=where)

    def mapped(self) -> np.ndarray:
        return np.asarray(np.load(self.path, mmap_mode="r" if self.size else None))


class Raw:
    """A file of numbers of which the size is known, written in any order."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self.path, self.dtype = path, np.dtype(dtype)
        self._file = open(path, "wb", buffering=0)  # noqa: SIM115

    def write(self, start: int, values: np.ndarray) -> None:
        left = np.ascontiguousarray(values, dtype=self.dtype).data.cast("B") if len(values) else b""
        self._file.seek(start * self.dtype.itemsize)
        while left:
            left = left[self._file.write(left) :]

    def read(self, start: int, stop: int) -> np.ndarray:
        return np.fromfile(self.path, self.dtype, stop - start, offset=start * self.dtype.itemsize)

    def remove(self) -> None:
        self._file.close()
        self.path.unlink()


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
        for rows, of in self.parts(CHUNK):
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
        most = max(CHUNK, self.allowed // 16)
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
        for rows, of in self.parts(CHUNK):
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


def chunks(size: int, most: int = 0) -> Iterator[slice]:
    """Yield slices that cover a size."""
    most = most or CHUNK
    for start in range(0, size, most):
        yield slice(start, min(start + most, size))


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
        here = held()
        self.allowed = self.memory - here - ROOM - SYMBOL * self.symbols
        self.rows = min(MOST_ROWS, max(self.allowed, 0) // ROW)
        least = max(int(sizes.max()), math.ceil(self.size / MOST_BUCKETS), 2 * self.symbols)
        if self.rows < least:
            if self.allowed < least * ROW:
                suffices = shown(self.memory - self.allowed + least * ROW)
                raise ResourceLimitError(
                    f"Counting {len(text):,} tokens to order {order} needs {suffices} of memory, of which "
                    f"the text and the rest of this process hold {shown(here)} already, and memory allows "
                    f"{shown(self.memory)}. Allow more, or let go of what this process does not need."
                )
            self.rows = least
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
                f"Counting {len(text):,} tokens to order {order} on the disk needs up to {shown(needed)} in "
                f"{place}, where {shown(free)} are free. Make room, or name another folder: folder=..."
            )
        self.space = Workspace(folder)

    def levels(self) -> list[Level]:
        self._plan()
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

    def _plan(self) -> None:
        """Choose the buckets: ranges of first tokens."""
        total = np.append(0, np.cumsum(self.sizes))
        firsts = [0]
        while firsts[-1] < self.symbols:
            reached = int(np.searchsorted(total, total[firsts[-1]] + self.rows, side="right")) - 1
            firsts.append(max(reached, firsts[-1] + 1))
        self.firsts, self.starts, self.count = firsts, total[firsts].tolist(), len(firsts) - 1
        self.bucket_of = np.repeat(np.arange(self.count, dtype=np.uint16), np.diff(firsts))

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
            own = self.bucket_of.take(tokens[:size])
            after = self.bucket_of.take(tokens[1 : size + 1])
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
        starts = self.text.sentence_starts[:-1]
        for rows in chunks(len(self.text.ids)):
            inside = slice(*np.searchsorted(starts, [rows.start, rows.stop]))
            begins = starts[inside] - rows.start
            part = np.full(rows.stop - rows.start + len(begins), self.bos, dtype=np.int32)
            others = np.ones(len(part), dtype=bool)
            others[begins + np.arange(len(begins))] = False
            part[others] = self.text.ids[rows]
            stream.write(place, part)
            place += len(part)
        beginning = stream.read(0, min(self.order, self.size))
        stream.write(place, np.resize(beginning, self.order))
        return stream

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
        first_token, end_token = self.firsts[bucket : bucket + 2]
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
        sizes = self.sizes[first_token:end_token]
        groups = np.repeat(np.arange(first_token, end_token, dtype=np.int32), sizes)
        differs, complete = np.zeros(size, dtype=bool), np.ones(size, dtype=bool)
        differs[np.append(0, np.cumsum(sizes))[:-1][sizes > 0]] = True
        if self.order > 2:
            after = self._places_of(self.bucket_of.take(self.windows[1].read(start, stop)), bucket)
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
            arrays: Any = {name: column.mapped() for name, column in columns.items()}
            level = OnDisk(n, **arrays, contexts_size=below)
            level.workspace, level.columns, level.allowed = self.space, columns, self.allowed
            if n > 1:
                self.keys[n].close()
                vars(level).update(_keys=self.keys[n].mapped(), _base=self.largest[n] + 2)
                levels[-1].longer = level
            levels.append(level)
        return levels


def smooth(method: Smoothing, counts: Any, advance: Callable[[], object] = lambda: None) -> Tables:
    """As `Smoothing.tables`, with a part of the n-grams at a time."""
    vocabulary = counts.vocabulary
    method.prepare(counts)
    uniform = np.array([1 / vocabulary.predictable])
    made: list[tuple[Column, Column]] = []
    for level in counts.levels:
        most = min(max(level.allowed // (2 * PART), 1), CHUNK)
        probs = Column(level.workspace.path / f"{level.n}.probs.npy", np.float64)
        weights = Column(level.workspace.path / f"{level.n}.weights.npy", np.float64)
        slices = max(CHUNK, level.allowed // 2 // 8)
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
                shorter = taken(made[-1][0], part.suffixes, slices)
            own, left = method.terms(part)
            own, left = method.combine(part, own, left, shorter)
            if level.n == 1:
                own[vocabulary.bos] = 0.0  # never predicted
            probs.append(own)
            weights.append(left)
        weights.append(np.array([method.unseen]))
        probs.close()
        weights.close()
        made.append((probs, weights))
        advance()
    of_ngrams, of_contexts = ([column.mapped() for column in columns] for columns in zip(*made, strict=True))
    return Tables(vocabulary, counts.levels, of_ngrams, of_contexts, method.evenly)


def taken(column: Column, places: Ints, most: int) -> np.ndarray:
    """Values of a column, at places in any order, with a part of the column at a time."""
    found = np.empty(len(places), dtype=column.dtype)
    for rows in chunks(column.size, most):
        inside = np.flatnonzero((places >= rows.start) & (places < rows.stop))
        if len(inside):
            found[inside] = column.read(rows.start, rows.stop).take(places.take(inside) - rows.start)
    return found
