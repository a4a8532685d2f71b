"""Sorting a text once, so that the n-grams of all orders can be counted.

A window of as many tokens as the highest order starts at each position of a text. If the windows are sorted
in lexicographic order, equal n-grams are neighbours, at every order at the same time.
"""

from collections.abc import Iterator

import numpy as np
import scipy.sparse

from lmmetrics._types import Bools, Ints
from lmmetrics.ngram._level import Level
from lmmetrics.text import TokenizedText

INT32_LIMIT = np.iinfo(np.int32).max
"""Texts with more positions than this are counted in int64."""


class SortedText:
    """The windows of a text in lexicographic order; the rank of a window is its place in that order.

    The stream is the text with `<s>` before each sentence: M tokens. It is read as a ring, so that a window
    starts at every position. A window that contains the `<s>` of the next sentence is incomplete, and is not
    counted as an n-gram.

    Parameters
    ----------
    text : TokenizedText
        The id -1 (a token that is not in a vocabulary without `<unk>`) becomes one past the last id.
    order : int
        Number of tokens of a window, at least 1.

    Attributes
    ----------
    is_bos : bool[M]
        The positions of `<s>` in the stream; the others have the tokens ``text.ids``.
    positions : int[M]
        The position in the stream at which the window of each rank starts.
    following : int[M]
        The rank of the window that starts one token later.
    offsets : int[symbols + 1]
        The windows that start with token v have the ranks from ``offsets[v]`` to ``offsets[v + 1]``.
    """

    def __init__(self, text: TokenizedText, order: int) -> None:
        self.order = order
        self.bos = text.vocabulary.bos
        self.symbols = len(text.vocabulary) + bool((text.ids < 0).any())
        sentences = len(text.sentence_starts) - 1
        size = len(text.ids) + sentences
        self.index_type: type[np.integer] = np.int32 if size + order <= INT32_LIMIT else np.int64
        self.is_bos = np.zeros(size, dtype=bool)
        self.is_bos[text.sentence_starts[:-1] + np.arange(sentences)] = True
        stream = np.full(size + order, self.bos, dtype=np.int32)
        stream[:size][~self.is_bos] = np.where(text.ids < 0, self.symbols - 1, text.ids)
        stream[size:] = stream[:order]
        self._sort(stream, size)

    def _sort(self, stream: Ints, size: int) -> None:
        """Sort by the last token of the windows, then stably by the one before it, and so on to the first."""
        ranked = np.arange(size, dtype=self.index_type)  # positions, sorted by tokens k + 1 to the last
        for k in range(self.order - 1, 0, -1):
            digits = stream[k:].take(ranked) if k < self.order - 1 else stream[k : k + size]
            ranked, _ = counting_sort(ranked, digits, self.symbols)
        # Now by the first token. Before this step the windows are in the order of what follows it, so
        # their places are the ranks of the windows one token later.
        places = np.arange(size, dtype=self.index_type)
        self.following, self.offsets = counting_sort(places, stream.take(ranked), self.symbols)
        self._ranked = ranked

    @property
    def positions(self) -> Ints:
        return self._ranked.take(self.following)

    def levels(self) -> Iterator[tuple[Level, Ints, Bools]]:
        """Yield, for n from 1 to the order, the n-grams and their places.

        Yields
        ------
        level : Level
            All n-grams of this order, sorted, with their counts.
        groups : int[M]
            By rank: the n-gram that the window starts with, an index into `level`. Undefined if the window is
            incomplete.
        complete : bool[M]
            By rank: whether the first n tokens are in one sentence. The next iteration changes the array.
        """
        size, sizes = len(self.following), np.diff(self.offsets)
        tokens = np.repeat(np.arange(self.symbols, dtype=np.int32), sizes)  # the n-th token, by rank
        groups, complete = tokens, np.ones(size, dtype=bool)
        nothing = np.zeros(self.symbols, dtype=self.index_type)
        counts = sizes.astype(self.index_type)
        counts[self.bos] = 0  # <s> is never predicted
        level = Level(1, np.arange(self.symbols, dtype=np.int32), nothing, nothing, counts, contexts_size=1)
        yield level, groups, complete
        differs = np.zeros(size, dtype=bool)  # from the window before it, within the first n tokens
        differs[self.offsets[:-1][sizes > 0]] = True
        for n in range(2, self.order + 1):
            tokens = tokens.take(self.following)
            complete &= tokens != self.bos
            differs[1:] |= tokens[1:] != tokens[:-1]
            first = np.flatnonzero(differs)
            counts = np.diff(first, append=size)
            whole = complete.take(first)
            first, counts = first[whole], counts[whole].astype(self.index_type)
            level = Level(
                n,
                tokens=tokens.take(first),
                contexts=groups.take(first),
                suffixes=groups.take(self.following.take(first)),
                counts=counts,
                contexts_size=len(level),
            )
            groups = np.cumsum(differs & complete, dtype=self.index_type)
            groups -= 1
            yield level, groups, complete


def counting_sort(values: Ints, digits: Ints, symbols: int) -> tuple[Ints, Ints]:
    """Sort values by their digits, stably, in linear time.

    Converting a sparse matrix of one row from the row format to the column format is a counting sort in
    compiled code.

    Parameters
    ----------
    values, digits : int[M]
        Digits from 0 to `symbols` - 1.
    symbols : int

    Returns
    -------
    values : int[M]
        The values in the order of their digits; values with equal digits keep their order.
    offsets : int[symbols + 1]
        The index at which the values of each digit start.

    Examples
    --------
    >>> counting_sort(np.array([10, 11, 12, 13]), np.array([1, 0, 1, 0]), 2)
    (array([11, 13, 10, 12]), array([0, 2, 4]...))
    """
    row = scipy.sparse.csr_array((values, digits, [0, len(values)]), shape=(1, symbols))
    columns = row.tocsc()
    return columns.data, columns.indptr
