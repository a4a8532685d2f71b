"""Reading ARPA files, the standard text format for counted models.

A file lists the n-grams of each order, one on a line: log10 of the probability, a tab, the tokens, and for
all but the highest order another tab and log10 of the back-off weight. The file contains no counts, and does
not say how the model was smoothed.
"""

from __future__ import annotations

import gzip
import io
import math
import os
import re
import zlib
from array import array
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, count, islice
from typing import BinaryIO

import numpy as np

from lmmetrics._types import Floats, Ints, PathLike
from lmmetrics.ngram._arpa.blocks import Fields, TokenIds, parsed
from lmmetrics.ngram._arpa.write import ZERO
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._tables import Tables
from lmmetrics.text import Vocabulary

BLOCK = 2**21
"""How many bytes are read at a time."""
PACKED = b"\x1f\x8b"
KENLM = b"mmap lm http"
"""How files of gzip and the binary files of KenLM begin."""
Columns = tuple[Ints, Floats, Floats]
"""The ids, the probabilities and the weights of `Rows`."""


class ArpaError(ValueError):
    """An ARPA file is malformed. The message gives the line."""


def read_arpa(path: PathLike) -> Tables:
    """Read `Tables` from a file. See `NGramModel.from_arpa`."""
    with open(path, "rb") as file:
        start = file.peek(len(KENLM))
        if start.startswith(KENLM):
            raise ArpaError(
                f"{path} is a binary file of KenLM, which only KenLM reads. Give the ARPA file from which "
                "build_binary made it."
            )
        try:
            with gzip.open(file, "rb") if start.startswith(PACKED) else file as unpacked:
                return read_lines(Lines(path, unpacked))
        except (gzip.BadGzipFile, EOFError, zlib.error):
            raise ArpaError(
                f"{path} is not a complete file of gzip: it is cut off or damaged. Copy it again."
            ) from None


def read_lines(lines: Lines) -> Tables:
    """Read `Tables` from the lines of a file."""
    sizes = read_header(lines)
    ids: dict[bytes, int] = defaultdict(count().__next__)  # the unigrams get ids in the order of the file
    known: TokenIds | None = None
    levels: list[Level] = []
    probs, weights = [], [np.ones(2)]

    def add(vocabulary: Vocabulary, rows: Rows) -> None:
        level, order = level_of(lines, levels, vocabulary, rows)
        levels.append(level)
        probs.append(powers(rows.probs[order]))
        weights.append(np.append(powers(rows.weights[order]), 1.0))

    with ThreadPoolExecutor(1) as pool:  # one order is sorted while the next is read
        added: Future[None] = pool.submit(lambda: None)
        for n, size in enumerate(sizes, 1):
            try:
                rows = read_section(lines, n, size, ids, known, last=n == len(sizes))
            finally:
                added.result()  # an error in the order before comes first
            if n == 1:
                vocabulary = vocabulary_of(lines, rows, ids)
                rows.ids = np.array([vocabulary[token.decode()] for token in ids], dtype=np.int32)[rows.ids]
                ids = {token.encode(): id for id, token in enumerate(vocabulary)}
                known = TokenIds(ids)
            added = pool.submit(add, vocabulary, rows)
        added.result()
    probs[0][vocabulary.bos] = 0.0
    return Tables(vocabulary, levels, probs, weights[:-1])


class Lines:
    """The lines of a file that are not blank, as lists of fields, with their numbers for error messages.

    The fields are bytes: only ASCII blanks separate them, so a token may contain other kinds of blanks.
    """

    def __init__(self, path: PathLike, file: BinaryIO | gzip.GzipFile) -> None:
        self.path = path
        self.number = 0
        self._file = file
        self._held = io.BytesIO()  # lines that were read from the file and come next

    def __iter__(self) -> Iterator[list[bytes]]:
        while line := self._held.readline() or self._file.readline():
            self.number += 1
            if fields := line.split():
                yield fields

    def take(self) -> bytes:
        """Return the next whole lines as they are, but none from the next heading on; `number` stays."""
        data = self._held.read() or self._file.read(BLOCK)
        if not data.endswith(b"\n"):
            data += self._file.readline()
        heading = -1
        while (heading := data.find(b"\\", heading + 1)) > 0:
            if data.startswith(b"\n", heading - 1):
                break
        if heading >= 0:
            end = len(data[:heading].rstrip(b"\n")) + 1 if data[:heading].strip(b"\n") else 0
            self._held, data = io.BytesIO(data[end:]), data[:end]
        return data

    def put_back(self, data: bytes) -> None:
        """Let the lines that `take` returned last be read again."""
        self._held = io.BytesIO(data + self._held.read())

    def next(self, expected: str) -> str:
        """Return the next line as a string; the argument is for the error if the file ends before it."""
        for fields in self:
            return shown(fields)
        raise self.error(f"The file ends here, but the line {expected} is expected.")

    def error(self, message: str, number: int | None = None) -> ArpaError:
        """Return the error to raise, at the current line or another; the file may be cut off in the last."""
        if number is None and not (self._held.read(1) or self._file.read(1)):
            message += " This is the end of the file: if it is cut off, copy it again."
        return ArpaError(f"{self.path}, line {max(number or self.number, 1)}: {message}")


@dataclass
class Rows:
    """One section of the file by columns: token ids [n, G] and the two logarithms.

    The numbers of the lines, which only errors need, are in pieces, in the order of the rows.
    """

    line_numbers: list[Sequence[int]]
    ids: Ints
    probs: Floats
    weights: Floats

    def line(self, row: int) -> int:
        """Return the number of the line from which a row was read."""
        return next(islice(chain.from_iterable(self.line_numbers), row, None))


def read_header(lines: Lines) -> list[int]:
    """Read the number of n-grams of each order, from order 1 up."""
    for fields in lines:  # those before the header are comments; an editor may have put a byte-order mark
        if shown(fields).removeprefix("\ufeff") == "\\data\\":
            break
    else:
        raise ArpaError(
            f"{lines.path} is not an ARPA file: it has no line \\data\\, which begins every ARPA file, a "
            "text in UTF-8 that gzip may have packed. Name the model first, and then the texts."
        )
    sizes: list[int] = []
    while True:
        line = lines.next("\\1-grams:")
        if line.startswith("\\") and sizes:
            break
        match = re.fullmatch(r"ngram (\d+) ?= ?(\d+)", line)
        if not match or int(match[1]) != len(sizes) + 1:
            raise lines.error(f"Expected 'ngram {len(sizes) + 1}=' and a number, found {line!r}.")
        sizes.append(int(match[2]))
    expect_heading(lines, line, "\\1-grams:")
    return sizes


def expect_heading(lines: Lines, line: str, heading: str) -> None:
    if line != heading:
        raise lines.error(f"Expected the heading {heading}, found {line!r}.")


def read_section(
    lines: Lines, n: int, size: int, ids: dict[bytes, int], known: TokenIds | None, last: bool
) -> Rows:
    """Read the n-grams of one order and the heading of the next, or the end mark; return `Rows`."""
    ending = "\\end\\" if last else f"\\{n + 1}-grams:"
    blocks = list(read_blocks(lines, n, ids, known))
    line_numbers, tokens, probs, weights = array("q"), array("i"), array("d"), array("d")
    for fields in lines:  # what is left, line by line
        if len(fields) == 1 and fields[0].startswith(b"\\"):
            break
        prob, ngram, weight = entry(lines, fields, n, ids)
        line_numbers.append(lines.number)
        tokens.extend(ngram)
        probs.append(prob)
        weights.append(weight)
    else:
        raise lines.error(f"The file ends here, but the line {ending} is expected.")
    ids_of_rows = np.array(tokens, dtype=np.int32).reshape(-1, n).T
    blocks.append(Rows([line_numbers], ids_of_rows, np.array(probs), np.array(weights)))
    rows = Rows(
        [piece for block in blocks for piece in block.line_numbers],
        np.concatenate([block.ids for block in blocks], axis=1),
        np.concatenate([block.probs for block in blocks]),
        np.concatenate([block.weights for block in blocks]),
    )
    if len(rows.probs) != size:
        raise lines.error(f"Order {n} has {len(rows.probs)} n-grams, but the header announces {size}.")
    expect_heading(lines, shown(fields), ending)
    return rows


def read_blocks(lines: Lines, n: int, ids: dict[bytes, int], known: TokenIds | None) -> Iterator[Rows]:
    """Yield the entries of one order, many lines at a time, up to a line that has to be looked at by itself.

    While some lines are looked at, others are read, and all cores take part; only order 1, which finds the
    vocabulary, goes step by step.
    """
    ahead = 1 if known is None else 1 + (os.cpu_count() or 1)
    waiting: deque[tuple[bytes, Future[Columns | None]]] = deque()
    with ThreadPoolExecutor(ahead) as pool:
        while True:
            while len(waiting) < ahead and (data := lines.take()):
                waiting.append((data, pool.submit(block_of, data, n, ids, known)))
            if not waiting or (columns := waiting[0][1].result()) is None:
                break
            waiting.popleft()
            first, lines.number = lines.number + 1, lines.number + len(columns[1])
            yield Rows([range(first, lines.number + 1)], *columns)
        for data, _ in reversed(waiting):
            lines.put_back(data)


def block_of(data: bytes, n: int, ids: dict[bytes, int], known: TokenIds | None) -> Columns | None:
    """Return what many lines contain, or None if one of them has to be looked at by itself.

    Parameters
    ----------
    data : bytes
        Whole lines.
    n : int
        The order.
    ids : dict
        Gives each token its id. At order 1 it takes up new tokens.
    known : TokenIds, optional
        The same from order 2 on.
    """
    try:
        fields = Fields(data, n)
    except ValueError:
        return None
    probs, weights = fields.probs(), fields.weights()
    if not ((probs <= 0).all() and (weights < math.inf).all()):
        return None
    if known is None:
        tokens = np.array([[ids[token] for token in fields.strings(0)]], dtype=np.int32)
    else:
        tokens = np.stack([known.find(fields.codes, *fields.tokens(k)) for k in range(n)])
    if (tokens < 0).any():
        return None
    return tokens, probs, weights


def entry(
    lines: Lines, fields: Sequence[bytes], n: int, ids: dict[bytes, int]
) -> tuple[float, list[int], float]:
    """Return log10 of the probability, the token ids and log10 of the weight (0 if there is none)."""
    if not n + 1 <= len(fields) <= n + 2:
        raise lines.error(
            f"{len(fields)} field{'s' * (len(fields) != 1)}; an entry of order {n} has log10 of the "
            f"probability, {n} token{'s' * (n > 1)}, and perhaps log10 of the back-off weight."
        )
    prob, weight = parsed(fields[0]), parsed(fields[n + 1]) if len(fields) > n + 1 else 0.0
    if not prob <= 0:  # NaN is not, either
        raise lines.error(
            f"Log10 of the probability is expected, at most 0, found {shown(fields[:1])!r}: "
            + ("not a number." if math.isnan(prob) else "a probability above 1.")
        )
    if not weight < math.inf:
        raise lines.error(f"Log10 of the back-off weight is expected, found {shown(fields[-1:])!r}.")
    try:
        return prob, [ids[token] for token in fields[1 : n + 1]], weight
    except KeyError as error:
        raise lines.error(f"The token {shown(error.args)!r} is not among the unigrams.") from None


def powers(logarithms: Floats) -> Floats:
    return np.where(logarithms > ZERO, 10.0**logarithms, 0.0)


def shown(fields: Sequence[bytes]) -> str:
    return b" ".join(fields).decode("utf-8", errors="replace")


def vocabulary_of(lines: Lines, rows: Rows, ids: dict[bytes, int]) -> Vocabulary:
    """Return the vocabulary that the unigrams define."""
    tokens = []
    for token, id in ids.items():
        try:
            tokens.append(token.decode("utf-8"))
        except UnicodeDecodeError:
            line = rows.line(int((rows.ids[0] == id).argmax()))
            raise lines.error("This token is not in UTF-8. Convert the file first.", line) from None
    for needed in ("<s>", "</s>"):
        if needed not in tokens:
            raise lines.error(f"The unigrams, which end here, lack {needed}.")
    if "<UNK>" in tokens and "<unk>" not in tokens:
        line = rows.line(int((rows.ids[0] == ids[b"<UNK>"]).argmax()))
        raise lines.error(
            "The unknown word is spelt <UNK> here; replace it by <unk> in the whole file.", line
        )
    ordinary = [token for token in tokens if token not in ("<unk>", "<s>", "</s>")]
    return Vocabulary(ordinary, unk="<unk>" in tokens)


def level_of(lines: Lines, levels: list[Level], vocabulary: Vocabulary, rows: Rows) -> tuple[Level, Ints]:
    """Return the level of one section, and the order of its rows in the file that sorts them."""

    def spell(row: int) -> str:
        return " ".join(vocabulary.token(int(id)) for id in rows.ids[:, row])

    size = np.int64(len(vocabulary))
    order = np.arange(rows.ids.shape[1])
    if levels:  # n-grams that begin alike are neighbours in a level, and found fast if asked for in its order
        begins = rows.ids[0] * size + rows.ids[1]
        if (begins[1:] < begins[:-1]).any():
            order = np.argsort(begins)

    def places_of_contexts(part: Ints) -> Ints:
        places: Ints = np.zeros(len(part), dtype=np.int64)
        for shorter, ids in zip(levels, rows.ids, strict=False):
            places = shorter.find(places, ids.take(part))
        return places

    for shorter in levels:
        shorter.make_keys()
    threads = os.cpu_count() or 1
    with ThreadPoolExecutor(threads) as pool:  # the last order is sorted when nothing is left to be read
        contexts = np.concatenate(list(pool.map(places_of_contexts, np.array_split(order, threads))))
    if (contexts < 0).any():
        row = order[contexts < 0].min()
        raise lines.error(
            f"The n-gram {spell(row)!r} comes without its context: all its tokens but the last are not among "
            f"the n-grams of order {len(levels)}.",
            rows.line(row),
        )
    keys = contexts * size + rows.ids[-1].take(order)
    places = np.argsort(keys)
    keys, order = keys.take(places), order.take(places)
    same = np.flatnonzero(keys[1:] == keys[:-1])
    if len(same):
        row = order[[same[0], same[0] + 1]].max()
        raise lines.error(f"The n-gram {spell(row)!r} comes a second time.", rows.line(row))
    contexts, tokens = np.divmod(keys, size)
    above = len(levels[-1]) if levels else 1
    none = np.zeros(0, dtype=np.int64)
    return Level(len(levels) + 1, tokens.astype(np.int32), contexts, none, none, contexts_size=above), order
