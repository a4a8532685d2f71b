"""Writing ARPA files: many lines at once, put together from bytes with NumPy.

A line consists of pieces: a number, the tokens, and perhaps a second number, each with the blank after it. A
piece is copied eight bytes at a time, so up to seven bytes after it are overwritten. They belong to a piece
that is copied later: the numbers that begin the lines are copied last, without a byte too many.
"""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from lmmetrics._errors import AdvisedError, writing
from lmmetrics._types import Floats, Ints, PathLike
from lmmetrics.ngram._arpa.blocks import CHUNK, chunks_of
from lmmetrics.ngram._counts import spelled
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._tables import Tables

LINES = 2**16
"""How many lines are written at a time."""
ZERO = -99.0
"""The value that is written for log10 of 0, as in SRILM. A value as low as this is read as probability 0."""
DECIMALS = 10
"""Logarithms are written with so many decimals: a probability is off by a factor of 1 + 1.2e-10 at most."""


def write_arpa(tables: Tables, path: PathLike) -> None:
    """Write `Tables` to a file. See `NGramModel.to_arpa`."""
    tokens = tables.vocabulary.tokens
    check_blanks(tokens)
    if os.path.isdir(path):
        raise IsADirectoryError(f"{path} is a folder; the name of the ARPA file is expected.")
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    beside = f"{os.fspath(path)}.part"
    packed = os.fspath(path).lower().endswith(".gz")
    try:
        with writing(path), open(beside, "wb") as plain, _packing(plain) if packed else plain as file:
            sizes = "".join(f"ngram {level.n}={len(level)}\n" for level in tables.levels)
            file.write(f"\n\\data\\\n{sizes}".encode())
            names = TokenBytes(tokens)
            for level in tables.levels:
                file.write(f"\n\\{level.n}-grams:\n".encode())
                file.writelines(lines_of(tables, level, names))
            file.write(b"\n\\end\\\n")
        os.replace(beside, path)  # so that an incomplete file is never read as a model
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def _packing(file: BinaryIO) -> gzip.GzipFile:
    """A file that packs what is written to it, without the name and the time, which would differ."""
    return gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0)


def check_blanks(tokens: Sequence[str]) -> None:
    """Raise if an ARPA file cannot contain one of the tokens."""
    wrong = next((token for token in tokens if re.search(r"\s", token, re.ASCII)), None)
    if wrong is not None:
        raise AdvisedError(
            f"The token {wrong!r} contains a blank, but in an ARPA file blanks separate the tokens.",
            "Tokenise the text in another way, or replace blanks by a visible character first; a model that "
            "is saved as a folder can contain such tokens.",
            topic="blank in a token",
        )


def lines_of(tables: Tables, level: Level, names: TokenBytes) -> Iterator[memoryview]:
    """Yield the lines of one order, many at a time."""
    probs, weights = backed_off(tables, level)
    for start in range(0, len(level), LINES):
        part = slice(start, start + LINES)
        ids = spelled(tables.levels, level.n, np.arange(*part.indices(len(level))))
        blanks = [b" "] * (level.n - 1) + [b"\n" if weights is None else b"\t"]
        pieces = [names.pieces(ids[:, k], blank) for k, blank in enumerate(blanks)]
        if weights is not None:
            pieces.append(formatted(log10(weights[part]), b"\n"))
        yield joined(formatted(log10(probs[part]), b"\t"), pieces)


def backed_off(tables: Tables, level: Level) -> tuple[Floats, Floats | None]:
    """Return the probabilities and weights with which a back-off model gives the same probabilities.

    A model that spreads its remainder evenly does not use its lower orders, except after `<s>`. They are
    written as uniform, so that backing off finds the same probabilities.
    """
    n = level.n
    probs = tables.probs[n - 1]
    weights = tables.weights[n][:-1] if n < tables.order else None
    if tables.evenly and weights is not None:
        used = spelled(tables.levels, n)[:, 0] == tables.vocabulary.bos
        probs = np.where(used & (n > 1), probs, tables.uniform)
        if n < tables.order - 1:
            weights = np.where(used, weights, 1.0)
        if n == 1:
            probs[tables.vocabulary.bos] = 0.0
    return probs, weights


def log10(values: Floats) -> Floats:
    """Return log10, with `ZERO` for 0."""
    return np.log10(values, out=np.full(len(values), ZERO), where=values > 0)


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
"""Where in a row of `formatted` the blank after the number stands."""


def formatted(values: Floats, blank: bytes) -> Pieces:
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
