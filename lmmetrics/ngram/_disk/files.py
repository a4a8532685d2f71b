"""The files of a fit: a folder that is removed, also after a killed process, and arrays that grow in it."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from lmmetrics._types import Ints, PathLike

try:
    import fcntl
except ImportError:  # Windows: folders that a killed process has left are not recognised
    fcntl = None  # type: ignore[assignment]

PREFIX, SUFFIX = "lmmetrics-", ".fit"
CHUNK = 1 << 18
"""How many tokens are read, or values copied, at a time."""


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


def chunks(size: int, most: int = 0) -> Iterator[slice]:
    """Yield slices that cover a size."""
    most = most or CHUNK
    for start in range(0, size, most):
        yield slice(start, min(start + most, size))


def take_values(column: Column, places: Ints, most: int) -> np.ndarray:
    """Values of a column, at places in any order, with a part of the column at a time."""
    found = np.empty(len(places), dtype=column.dtype)
    for rows in chunks(column.size, most):
        inside = np.flatnonzero((places >= rows.start) & (places < rows.stop))
        if len(inside):
            found[inside] = column.read(rows.start, rows.stop).take(places.take(inside) - rows.start)
    return found
