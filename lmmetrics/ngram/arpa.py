"""ARPA files: the text format in which the field exchanges counted models.

A file lists the n-grams of each order, one on a line: log10 of the probability, a tab, the tokens, and for
all but the highest order another tab and log10 of the back-off weight. What it leaves out: counts, and how
the model was smoothed.
"""

import math
import re

import numpy as np

from lmmetrics.ngram.counts import spelled
from lmmetrics.ngram.level import Level
from lmmetrics.ngram.tables import Tables
from lmmetrics.text import Vocabulary

ZERO = -99.0
"""What stands for log10 of 0, here as in SRILM: on reading, anything this low is 0."""

BLANK = re.compile(r"[ \t]+")


class ArpaError(ValueError):
    """An ARPA file is malformed. The message gives the line."""


def write_arpa(tables, path):
    """Write `Tables` to a file. See `NGramModel.to_arpa`."""
    tokens = tables.vocabulary.tokens
    wrong = next((token for token in tokens if re.search(r"\s", token, re.ASCII)), None)
    if wrong is not None:
        raise ValueError(
            f"the token {wrong!r} holds a blank, but in an ARPA file blanks separate the tokens. Tokenise "
            "the text in another way, or replace blanks by a visible character first"
        )
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("\n\\data\\\n")
        file.writelines(f"ngram {level.n}={len(level)}\n" for level in tables.levels)
        for level in tables.levels:
            file.write(f"\n\\{level.n}-grams:\n")
            file.writelines(lines_of(tables, level))
        file.write("\n\\end\\\n")


def lines_of(tables, level):
    """Yield the lines of one order."""
    probs, weights = backed_off(tables, level)
    token = tables.vocabulary.tokens.__getitem__
    ngrams = (" ".join(map(token, ids)) for ids in spelled(tables.levels, level.n).tolist())
    if weights is None:
        for logarithm, ngram in zip(log10(probs), ngrams, strict=True):
            yield f"{logarithm:.10g}\t{ngram}\n"
    else:
        for logarithm, ngram, weight in zip(log10(probs), ngrams, log10(weights), strict=True):
            yield f"{logarithm:.10g}\t{ngram}\t{weight:.10g}\n"


def backed_off(tables, level):
    """Return the probabilities and weights of one order as a back-off model needs them.

    A model that spreads its remainder evenly does not use its lower orders, except after `<s>`. With uniform
    lower orders, backing off finds the same probabilities.
    """
    n = level.n
    probs = tables.probs[n - 1]
    weights = tables.weights[n] if n < tables.order else None
    if tables.evenly and weights is not None:
        used = spelled(tables.levels, n)[:, 0] == tables.vocabulary.bos
        probs = np.where(used & (n > 1), probs, tables.uniform)
        if n < tables.order - 1:
            weights = np.where(used, weights, 1.0)
        if n == 1:
            probs[tables.vocabulary.bos] = 0.0
    return probs, weights


def log10(values):
    """Return log10 as a list, with `ZERO` for 0."""
    return np.log10(values, out=np.full(len(values), ZERO), where=values > 0).tolist()


def read_arpa(path):
    """Read `Tables` from a file. See `NGramModel.from_arpa`."""
    with open(path, "rb") as file:
        lines = Lines(path, file)
        sizes = read_header(lines)
        levels, probs, weights = [], [], [np.ones(1)]
        vocabulary = None
        for n, size in enumerate(sizes, 1):
            rows = read_section(lines, n, size, last=n == len(sizes))
            if n == 1:
                vocabulary = vocabulary_of(lines, rows)
            level, order = level_of(lines, levels, vocabulary, rows, n)
            levels.append(level)
            probs.append(rows.powers("probs")[order])
            weights.append(rows.powers("weights")[order])
        probs[0][vocabulary.bos] = 0.0
        return Tables(vocabulary, levels, probs, weights[:-1])


class Lines:
    """The lines of a file that are not blank, with their numbers for error messages."""

    def __init__(self, path, file):
        self.path = path
        self.number = 0
        self._file = file

    def next(self, expected):
        """Return the next line that is not blank, or raise: the file ends before what is expected."""
        for line in self._file:
            self.number += 1
            try:
                line = line.decode("utf-8").strip(" \t\r\n")
            except UnicodeDecodeError:
                raise self.error("this line is not in UTF-8. Convert the file first") from None
            if line:
                return line
        raise self.error(f"the file ends here, but {expected} is expected", max(self.number, 1))

    def error(self, message, number=None):
        """Return the error to raise, at the present line or another."""
        return ArpaError(f"{self.path}, line {self.number if number is None else number}: {message}")


class Rows:
    """One section of the file, column by column."""

    def __init__(self):
        self.numbers, self.ngrams, self.probs, self.weights = [], [], [], []

    def powers(self, column):
        logarithms = np.array(getattr(self, column), dtype=float)
        return np.where(logarithms > ZERO, 10.0**logarithms, 0.0)


def read_header(lines):
    """Read the part that says how many n-grams there are; return the numbers, from order 1 up."""
    while lines.next("the line \\data\\") != "\\data\\":
        pass  # whatever stands before is a comment
    sizes = []
    while True:
        line = lines.next("the line \\1-grams:")
        if line.startswith("\\"):
            break
        match = re.fullmatch(r"ngram\s+(\d+)\s*=\s*(\d+)", line)
        if not match or int(match[1]) != len(sizes) + 1:
            raise lines.error(f"expected 'ngram {len(sizes) + 1}=' and a number, found {line!r}")
        sizes.append(int(match[2]))
    if not sizes:
        raise lines.error(f"expected 'ngram 1=' and a number, found {line!r}")
    expect_heading(lines, line, "\\1-grams:")
    return sizes


def expect_heading(lines, line, heading):
    if line != heading:
        raise lines.error(f"expected the heading {heading}, found {line!r}")


def read_section(lines, n, size, last):
    """Read the n-grams of one order and the heading of the next, or the end mark."""
    rows = Rows()
    ending = "\\end\\" if last else f"\\{n + 1}-grams:"
    while True:
        line = lines.next(f"the line {ending}")
        if line[0] == "\\" and len(BLANK.split(line)) == 1:
            break
        fields = BLANK.split(line)
        if len(fields) not in (n + 1, n + 2):
            raise lines.error(
                f"{len(fields)} fields; an entry of order {n} has log10 of the probability, {n} tokens, and "
                "perhaps log10 of the back-off weight"
            )
        rows.numbers.append(lines.number)
        rows.ngrams.append(fields[1 : n + 1])
        rows.probs.append(number(lines, fields[0], "probability", most=0.0))
        rows.weights.append(number(lines, fields[n + 1], "back-off weight") if len(fields) > n + 1 else 0.0)
    if len(rows.numbers) != size:
        raise lines.error(f"order {n} has {len(rows.numbers)} n-grams, but the header announces {size}")
    expect_heading(lines, line, ending)
    return rows


def number(lines, field, what, most=math.inf):
    """Return a logarithm as a number, or raise what is wrong with it."""
    try:
        value = float(field)
    except ValueError:
        value = math.nan
    if math.isnan(value) or value == math.inf:
        raise lines.error(f"log10 of the {what} is expected, found {field!r}")
    if value > most:
        raise lines.error(f"log10 of the {what} is {field}, above 0: a probability above 1")
    return value


def vocabulary_of(lines, rows):
    """Return the vocabulary that the unigrams make."""
    tokens = [ngram[0] for ngram in rows.ngrams]
    for needed in ("<s>", "</s>"):
        if needed not in tokens:
            raise lines.error(f"the unigrams, which end here, have no {needed}")
    twice = len(tokens) - len(set(tokens))
    if twice:
        seen = set()
        for token, at in zip(tokens, rows.numbers, strict=True):
            if token in seen:
                raise lines.error(f"the unigram {token!r} comes a second time", at)
            seen.add(token)
    ordinary = [token for token in tokens if token not in ("<unk>", "<s>", "</s>")]
    return Vocabulary(ordinary, unk="<unk>" in tokens)


def level_of(lines, levels, vocabulary, rows, n):
    """Return the level of one section, and the order of its rows in the file that sorts them."""
    ids = np.empty((len(rows.ngrams), n), dtype=np.int64)
    known = {token: id for id, token in enumerate(vocabulary)}
    for i, ngram in enumerate(rows.ngrams):
        for k, token in enumerate(ngram):
            ids[i, k] = known.get(token, -1)
    if (ids < 0).any():
        row, column = np.argwhere(ids < 0)[0]
        raise lines.error(
            f"the token {rows.ngrams[row][column]!r} is not among the unigrams", rows.numbers[row]
        )
    contexts = np.zeros(len(ids), dtype=np.int64)
    for shorter in levels:
        contexts = shorter.find(contexts, ids[:, shorter.n - 1])
    if (contexts < 0).any():
        row = int(np.argmax(contexts < 0))
        context = " ".join(rows.ngrams[row][:-1])
        raise lines.error(
            f"the context {context!r} of this n-gram is not among those of order {n - 1}", rows.numbers[row]
        )
    order = np.lexsort((ids[:, -1], contexts))
    contexts, tokens = contexts[order], ids[order, -1].astype(np.int32)
    same = (contexts[1:] == contexts[:-1]) & (tokens[1:] == tokens[:-1])
    if same.any():
        row = int(order[1:][same][0])
        raise lines.error(f"the n-gram {' '.join(rows.ngrams[row])!r} comes a second time", rows.numbers[row])
    size = len(levels[-1]) if levels else 1
    return Level(n, tokens, contexts, None, None, contexts_size=size), order
