"""Many lines of an ARPA file at once: their numbers and tokens, read with NumPy.

A line is regular if one blank stands between its fields, as every program that we know writes it. What is not
regular is left to the reader that looks at one line at a time, and so is every error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from lmmetrics._types import Floats, Ints

EXACT = 15
"""An integer of so many decimal digits is exact in float64."""
POWERS = np.array([float(10**exponent) for exponent in range(EXACT + 1)])  # NumPy's own may be off by a bit
CHUNK = 8
"""Numbers are read, and tokens compared and copied, by so many bytes at a time."""
INTEGERS = np.array([10**exponent for exponent in range(CHUNK + 1)], dtype=np.uint64)
BITS, BYTE, POINT, NOUGHT = np.uint64(8), np.uint64(0xFF), np.uint64(ord(".")), np.uint64(ord("0"))
MASKS = np.array([(1 << 8 * size) - 1 for size in range(CHUNK + 1)], dtype=np.uint64)
ODD = np.uint64(0x9E3779B97F4A7C15)
"""2^64 divided by the golden ratio: multiplying by it spreads the bits, as in Knuth's Fibonacci hashing."""

Part = tuple[slice | Ints, Ints]
"""Eight bytes, as a number, of each of some tokens, and which tokens they are."""


class Fields:
    """The fields of regular lines.

    Parameters
    ----------
    data : bytes
        Whole lines.
    n : int
        Each line has a number, n tokens, and perhaps a second number.

    Raises
    ------
    ValueError
        If a line is not regular.
    """

    def __init__(self, data: bytes, n: int) -> None:
        self.codes = np.frombuffer(data + bytes(EXACT + CHUNK), dtype=np.uint8)
        blanks = np.flatnonzero(self.codes[: len(data)] <= ord(" "))
        kinds = self.codes.take(blanks)
        ends = np.flatnonzero(kinds == ord("\n"))
        counts = np.diff(ends, prepend=-1)
        self._starts, self._ends = np.append(0, blanks + 1), blanks
        regular = (
            data.endswith(b"\n")
            and ((kinds == ord(" ")) | (kinds == ord("\t")) | (kinds == ord("\n"))).all()
            and ((counts == n + 1) | (counts == n + 2)).all()
            and (self._starts[:-1] < blanks).all()
        )
        if not regular:
            raise ValueError("A line is not regular.")
        self._n, self._first, self._weighted = n, ends - counts + 1, counts == n + 2
        self._width = int(counts[0]) if (counts == counts[0]).all() else 0

    def probs(self) -> Floats:
        """Return the number at the start of each line: float64[G], NaN where there is none."""
        return self._numbers(*self._field(0))

    def weights(self) -> Floats:
        """Return the second number of each line, 0 where it is absent: float64[G], NaN for other text."""
        if self._width == self._n + 2:
            return self._numbers(*self._field(self._n + 1))
        found, which = np.zeros(len(self._first)), (self._first + self._n + 1)[self._weighted]
        found[self._weighted] = self._numbers(self._starts.take(which), self._ends.take(which))
        return found

    def tokens(self, k: int) -> tuple[Ints, Ints]:
        """Return where token k of each line, counted from 0, starts and ends in `codes`."""
        return self._field(k + 1)

    def _field(self, k: int) -> tuple[Ints, Ints]:
        """Return where field k of each line starts and ends."""
        if self._width:
            return self._starts[k : -1 : self._width], self._ends[k :: self._width]
        which = self._first + k
        return self._starts.take(which), self._ends.take(which)

    def strings(self, k: int) -> list[bytes]:
        """Return token k of each line."""
        data = self.codes.tobytes()
        return [data[start:end] for start, end in zip(*map(np.ndarray.tolist, self.tokens(k)), strict=True)]

    def _numbers(self, starts: Ints, ends: Ints) -> Floats:
        """Read numbers, each rounded to the float that is nearest, as `float` does.

        The digits without the point are an integer, which is exact if there are few; one division by a power
        of ten, which is exact too, is the only rounding. What has another form is read one by one.
        """
        windows = chunks_of(self.codes)
        front = windows[starts]
        minus = front & BYTE == ord("-")
        front >>= minus * BITS
        first = starts + minus
        lengths = ends - first
        one, two = (front >> BITS * before & BYTE == POINT for before in (1, 2))
        whole = np.minimum(np.where(one, 1, np.where(two, 2, CHUNK)), lengths)  # digits before the point
        decimals = np.maximum(lengths - whole - 1, 0)
        if (whole == 1).all():
            values = front & BYTE ^ NOUGHT
            regular = values < 10
        else:
            values, regular = digits(front, whole)
        regular &= (whole > 0) & (whole + decimals <= EXACT)
        for done in range(0, EXACT, CHUNK):
            longer = decimals > done
            rows = slice(None) if 2 * np.count_nonzero(longer) > len(longer) else np.flatnonzero(longer)
            left = np.clip(decimals[rows] - done, 0, CHUNK)
            more, well_formed = digits(windows[(first + whole)[rows] + 1 + done], left)
            values[rows] = values[rows] * INTEGERS.take(left) + more
            regular[rows] &= well_formed
        found = values / POWERS.take(decimals, mode="clip")
        np.negative(found, out=found, where=minus)
        for row in np.flatnonzero(~regular).tolist():
            found[row] = parsed(self.codes[starts[row] : ends[row]].tobytes())
        return found


def digits(windows: Ints, counts: Ints) -> tuple[Ints, Ints]:
    """Return the number that the first digits of each window are, and whether all of them are digits.

    Parameters
    ----------
    windows : uint64[G]
        Eight bytes, the first in the lowest bits.
    counts : int64[G]
        How many of them to read, from 0 to 8.
    """
    values = windows ^ np.uint64(0x3030303030303030)  # a digit becomes its value
    values <<= BITS * (CHUNK - counts).astype(np.uint64)  # zeros stand before it
    wrong = values + np.uint64(0x0606060606060606)
    wrong |= values
    wrong &= np.uint64(0xF0F0F0F0F0F0F0F0)
    # Neighbours become one number: of two digits, of four, of eight.
    values = values * np.uint64(10 << 8 | 1) >> np.uint64(8) & np.uint64(0x00FF00FF00FF00FF)
    values = values * np.uint64(100 << 16 | 1) >> np.uint64(16) & np.uint64(0x0000FFFF0000FFFF)
    values = values * np.uint64(10_000 << 32 | 1) >> np.uint64(32)
    return values, wrong == 0


def parsed(field: bytes) -> float:
    """Return the number that is written in a field, NaN if it is none."""
    if b"_" in field:  # Python reads -1_0 as -10
        return math.nan
    try:
        return float(field)
    except ValueError:
        return math.nan


class TokenIds:
    """The ids of tokens that are given by their bytes, for many tokens at a time.

    Parameters
    ----------
    tokens : iterable of bytes
        All different; token i gets the id i.
    """

    def __init__(self, tokens: Iterable[bytes]) -> None:
        listed = list(tokens)
        codes = np.frombuffer(b"".join(listed) + bytes(CHUNK), dtype=np.uint8)
        starts = np.cumsum([0, *map(len, listed)])
        lengths = np.diff(starts)
        parts = list(chunks(codes, starts[:-1], lengths))
        hashes = hashed(parts)
        order = np.argsort(hashes, kind="stable").astype(np.int32)
        # In the order of their hashes, and after the last one a token that equals no other.
        self._ids = np.append(order, np.int32(-1))
        self._hashes = np.append(hashes[order], np.uint64(2**64 - 1))
        self._starts, self._lengths = np.append(starts[order], 0), np.append(lengths[order], -1)
        self._windows, self._begins = chunks_of(codes), np.append(parts[0][1][order], np.uint64(0))
        # Hashes are spread evenly, so their first bits say nearly where one stands in the sorted list.
        bits = max(len(listed).bit_length() + 1, 1)
        self._shift = np.uint64(64 - bits)
        self._near = np.searchsorted(self._hashes[:-1], np.arange(2**bits, dtype=np.uint64) << self._shift)

    def find(self, codes: Ints, starts: Ints, ends: Ints) -> Ints:
        """Return the ids of the tokens that stand between starts and ends: int32[G], -1 if unknown.

        There must be seven bytes more after the last token. The file may be sorted, so that a token stands in
        many lines one after the other: it is looked up once.
        """
        lengths = ends - starts
        parts = list(chunks(codes, starts, lengths))
        rows = np.flatnonzero(changes(lengths, parts))
        if 2 * len(rows) < len(lengths):
            found = self.find(codes, starts.take(rows), ends.take(rows))
            return found.repeat(np.diff(rows, append=len(lengths)))
        wanted = hashed(parts)
        places = self._near.take(wanted >> self._shift)
        late = np.flatnonzero(self._hashes.take(places) < wanted)
        while len(late):
            places[late] += 1
            late = late[self._hashes.take(places[late]) < wanted[late]]
        same = self._lengths.take(places) == lengths
        same &= self._begins.take(places) == parts[0][1]
        for done, (_, part) in enumerate(parts[1:], 1):
            rows = np.flatnonzero(lengths > done * CHUNK)
            alike = same[rows]
            rows, part = rows[alike], part[alike]
            ours = self._windows[self._starts[places[rows]] + done * CHUNK]
            same[rows] = ours & MASKS.take(lengths[rows] - done * CHUNK, mode="clip") == part
        return np.where(same, self._ids.take(places), np.int32(-1))


def changes(lengths: Ints, parts: Iterable[Part]) -> NDArray[np.bool_]:
    """Return for each of several tokens whether it differs from the one before: bool[G]."""
    found = np.append(True, lengths[1:] != lengths[:-1])[: len(lengths)]
    for rows, part in parts:
        values = np.zeros(len(lengths), dtype=np.uint64)
        values[rows] = part
        found[1:] |= values[1:] != values[:-1]
    return found


def hashed(parts: Iterable[Part]) -> Ints:
    """Return a number for each token that depends on all its `chunks`: uint64[G]."""
    found = np.zeros(0, dtype=np.uint64)
    for first, (rows, part) in enumerate(parts):
        mixed = found[rows] ^ part if first else part.copy()
        mixed *= ODD
        mixed ^= mixed >> np.uint64(32)
        mixed *= ODD
        if first:
            found[rows] = mixed
        else:
            found = mixed
    return found


def chunks(codes: Ints, starts: Ints, lengths: Ints) -> Iterator[Part]:
    """Yield the bytes of tokens as numbers, eight bytes at a time, with the rows that have so many."""
    windows = chunks_of(codes)
    yield slice(None), windows[starts] & MASKS.take(lengths, mode="clip")
    for done in range(CHUNK, int(lengths.max(initial=0)), CHUNK):
        rows = np.flatnonzero(lengths > done)
        yield rows, windows[starts[rows] + done] & MASKS.take(lengths[rows] - done, mode="clip")


def chunks_of(codes: Ints) -> Ints:
    """Return a view in which element i is the eight bytes from byte i on."""
    return np.ndarray((len(codes) - CHUNK + 1,), dtype="<u8", buffer=codes, strides=(1,))
