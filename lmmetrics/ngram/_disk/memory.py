"""Sizes of memory: how they are written, and how much this process holds."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from pathlib import Path

import numpy as np

from lmmetrics._errors import AdvisedError

UNITS = {"": 1} | {unit: 1000**i for i, unit in enumerate("KMGT", 1)}
UNITS |= {f"{unit}I": 1024**i for i, unit in enumerate("KMGT", 1)}


class ResourceLimitError(AdvisedError):
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


def with_unit(size: float) -> str:
    """A number of bytes for people, rounded up."""
    if size >= 1e9:
        return f"{math.ceil(size / 1e8) / 10} GB"
    return f"{math.ceil(size / 1e6)} MB" if size >= 1e6 else f"{size / 1e3:g} kB"


def memory_in_use() -> int:
    """Return the bytes of memory that this process holds now."""
    with contextlib.suppress(OSError, ValueError, IndexError):
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    with contextlib.suppress(ImportError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else 1024 * peak
    return 200_000_000
