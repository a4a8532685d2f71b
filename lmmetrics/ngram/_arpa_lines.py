"""Many lines of an ARPA file at once: their bytes, put together with NumPy.

A line consists of pieces: a number, the tokens, and perhaps a second number, each with the blank after it. A
piece is copied eight bytes at a time, so up to seven bytes after it are overwritten. They belong to a piece
that is copied later: the numbers that begin the lines are copied last, without a byte too many.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from lmmetrics._types import Floats, Ints
from lmmetrics.ngram._arpa_blocks import CHUNK, chunks_of

DECIMALS = 10
"""Logarithms are written with so many decimals: a probability is off by a factor of 1 + 1.2e-10 at most."""


class Pieces(NamedTuple):
    """One piece for each line: those of `codes` between a start and a start plus a length."""

    codes: Ints
    starts: Ints
    lengths: Ints


def four_bytes(texts: Iterable[bytes]) -> Ints:
    """Return texts of at most four bytes as numbers, blank ones before them: uint32[N]."""
    return np.frombuffer(b"".join(text.rjust(4) for text in texts), dtype="<u4")


FRONT = [sign + (b"%d" % tens if tens else b"") for tens in range(100) for sign in (b"", b"-")]
"""What stands before the last digit of the integer part, for 2 * tens + (1 if negative)."""
FRONTS, FRONT_LENGTHS = four_bytes(FRONT), np.array(list(map(len, FRONT)))
ONES = four_bytes(b"%d.%02d" % divmod(number, 100) for number in range(1000))
"""The last digit of the integer part, the point and two decimals."""
DIGITS = four_bytes(b"%04d" % number for number in range(10_000))
LAST = 16
"""Where in a row of `numbers` the blank after the number stands."""


def numbers(values: Floats, blank: bytes) -> Pieces:
    """Return numbers between -1,000 and 1,000 as text, with a blank after each."""
    units = np.rint(np.abs(values) * 10.0**DECIMALS).astype(np.int64)
    negative = (values < 0) & (units > 0)
    upper, lower = np.divmod(units, 10**8)
    tens, ones = np.divmod(upper.astype(np.int32), 1000)
    high, low = np.divmod(lower.astype(np.int32), 10_000)
    front = 2 * tens + negative
    rows = np.empty((len(values) + 1, 5), dtype="<u4")  # one row more, because copies read beyond the end
    for column, table, which in ((0, FRONTS, front), (1, ONES, ones), (2, DIGITS, high), (3, DIGITS, low)):
        rows[:-1, column] = table.take(which)
    rows[:, 4] = blank[0]
    lengths = FRONT_LENGTHS.take(front) + 13
    starts = np.arange(LAST + 1, LAST + 1 + 20 * len(values), 20) - lengths
    return Pieces(rows.view(np.uint8).reshape(-1), starts, lengths)


class TokenBytes:
    """The tokens of a vocabulary as bytes.

    Parameters
    ----------
    tokens : sequence of str
        Token i has the id i.
    """

    def __init__(self, tokens: Sequence[str]) -> None:
        listed = [token.encode("utf-8") for token in tokens]
        self._codes = np.frombuffer(b" ".join(listed) + b" " + bytes(CHUNK), dtype=np.uint8)
        self._lengths = np.array([len(token) + 1 for token in listed])
        self._ends = np.cumsum(self._lengths)

    def pieces(self, ids: Ints, blank: bytes) -> Pieces:
        """Return tokens with a blank after each."""
        codes = self._codes
        if blank != b" ":
            codes = codes.copy()
            codes[self._ends - 1] = blank[0]
        lengths = self._lengths.take(ids)
        return Pieces(codes, self._ends.take(ids) - lengths, lengths)


def joined(first: Pieces, others: Sequence[Pieces]) -> memoryview:
    """Return all lines, each of which is its pieces, one after the other."""
    lengths = sum((pieces.lengths for pieces in others), first.lengths)
    ends = np.cumsum(lengths)
    out = np.empty(ends[-1] + CHUNK, dtype=np.uint8)
    starts = ends - lengths
    at = starts + first.lengths
    for pieces in others:
        copy(out, at, pieces)
        at += pieces.lengths
    copy_exactly(out, starts, first)
    return out[:-CHUNK].data


def copy(out: Ints, at: Ints, pieces: Pieces) -> None:
    """Copy each piece to a place of its own, with up to seven bytes too many after it."""
    target, source = chunks_of(out), chunks_of(pieces.codes)
    target[at] = source[pieces.starts]
    for done in range(CHUNK, int(pieces.lengths.max()), CHUNK):
        rows = np.flatnonzero(pieces.lengths > done)
        target[at[rows] + done] = source[pieces.starts[rows] + done]


def copy_exactly(out: Ints, at: Ints, pieces: Pieces) -> None:
    """Copy each piece, of eight to sixteen bytes, to a place of its own and nothing else."""
    target, source = chunks_of(out), chunks_of(pieces.codes)
    rest = pieces.lengths - CHUNK
    target[at] = source[pieces.starts]
    target[at + rest] = source[pieces.starts + rest]
