"""The counts of a text, as mappings from n-grams to numbers.

Examples
--------
>>> from lmmetrics.text import tokenize
>>> counts = NGramCounts(tokenize(["the cat sleeps\\nthe cat eats\\nthe dog sleeps\\n"]), order=3)
>>> counts[2]["the", "cat"], counts[2]["the", "mouse"]
(2, 0)
>>> counts[2].counts_of_counts()
array([0, 5, 2, 1])
>>> list(counts[3])[:2]
[('<s>', 'the', 'cat'), ('<s>', 'the', 'dog')]
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from lmmetrics._checks import whole_number
from lmmetrics._types import Ints, PathLike
from lmmetrics.ngram._disk import Counting
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._windows import INT32_LIMIT, SortedText
from lmmetrics.text import Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import check_listed

NGram = tuple[str, ...]


class NGramCounts:
    """The n-grams of a text with their counts, for all orders from 1 to `order`.

    Each sentence is counted separately, as `<s> w .. w </s>`: no n-gram crosses from one to the next.

    Parameters
    ----------
    text : TokenizedText
    order : int
        The highest order, at least 1.
    advance : callable, optional
        Called after each order is counted: for a progress bar.

    Raises
    ------
    ValueError
        If the text is empty, or contains tokens without an id.
    """

    def __init__(self, text: TokenizedText, order: int, advance: Callable[[], object] = lambda: None) -> None:
        self._start(text, order)
        for level, _, _ in SortedText(text, order).levels():
            if self.levels:
                self.levels[-1].longer = level
            self.levels.append(level)
            advance()

    def _start(self, text: TokenizedText, order: int) -> None:
        check_listed("text", text)
        whole_number("order", order, 1)
        if len(text) == 0:
            raise ValueError("The text is empty, so nothing can be counted. Give at least one document.")
        if (text.ids < 0).any():
            raise ValueError(
                f"{text.unknown} tokens of this text are not in its vocabulary, which has no <unk>, so they "
                "cannot be counted. Build the vocabulary from the text that you fit, or with unk=True."
            )
        self.vocabulary = text.vocabulary
        self.spelling = text.spelling
        self.levels: list[Level] = []

    @classmethod
    def on_disk(
        cls,
        text: TokenizedText,
        order: int,
        memory: int | str,
        folder: PathLike | None = None,
        advance: Callable[[], object] = lambda: None,
    ) -> NGramCounts:
        """Count with a limit of memory, as `NGramModel.fit` does: the same counts, in files."""
        made = cls.__new__(cls)
        made._start(text, order)
        made.levels = Counting(text, order, memory, folder, advance).levels()
        return made

    @classmethod
    def merged(cls, parts: Sequence[NGramCounts]) -> NGramCounts:
        """Add the counts of several texts: exactly the counts of one text with all their documents.

        Parameters
        ----------
        parts : list of NGramCounts
            At least one, all of one order. If their vocabularies differ, the merged one has all tokens, in
            order of first appearance, as if the texts followed each other.

        Raises
        ------
        ValueError
            If there are none, or their orders differ, or only some of them have `<unk>`.

        Examples
        --------
        >>> from lmmetrics.text import tokenize
        >>> parts = [NGramCounts(tokenize([text]), order=2) for text in ("the cat", "the dog", "the cat")]
        >>> NGramCounts.merged(parts)[2]["the", "cat"]
        2
        """
        parts = list(parts)
        for i, part in enumerate(parts):
            if not isinstance(part, NGramCounts):
                raise TypeError(f"parts[{i}] is {type(part).__name__}; NGramCounts(text, order) is expected.")
        kinds = {(part.order, part.vocabulary.unk) for part in parts}
        if len(kinds) != 1:
            raise ValueError(
                f"{len(parts)} counts are given, with the orders {sorted({part.order for part in parts})}. "
                "At least one is expected, and all of one order, with <unk> in all vocabularies or in none."
            )
        made = cls.__new__(cls)
        made.vocabulary, made.spelling = _all_tokens(parts)
        made.levels = list(_merged([part.levels for part in parts], _new_ids(parts, made.vocabulary)))
        for shorter, longer in pairwise(made.levels):
            shorter.longer = longer
        return made

    @property
    def order(self) -> int:
        """The highest order that is counted."""
        return len(self.levels)

    def __getitem__(self, n: int) -> OrderCounts:
        """Return the counts of order `n`, as a mapping from tuples of n tokens to int."""
        if not isinstance(n, int | np.integer) or not 1 <= n <= self.order:
            raise KeyError(f"Order {n!r} was not counted: the orders counted are 1 to {self.order}.")
        return OrderCounts(self, self.levels[n - 1])

    def __iter__(self) -> Iterator[int]:
        return iter(range(1, self.order + 1))

    def __len__(self) -> int:
        return self.order

    def __repr__(self) -> str:
        sizes = ", ".join(f"{len(self[n]):,} of order {n}" for n in self)
        return f"NGramCounts: {sizes}"


class OrderCounts:
    """The n-grams of one order and their counts, used like a `dict`; the count of any other n-gram is 0."""

    def __init__(self, counts: NGramCounts, level: Level) -> None:
        self._counts = counts
        self.level = level

    def __getitem__(self, ngram: str | Sequence[str]) -> int:
        tokens = (ngram,) if isinstance(ngram, str) else tuple(ngram)
        if len(tokens) != self.level.n:
            raise KeyError(
                f"{ngram!r} has {len(tokens)} tokens; an n-gram of order {self.level.n} is expected."
            )
        vocabulary = self._counts.vocabulary
        if not all(token in vocabulary for token in tokens):
            return 0
        place = find_ngram(self._counts.levels, [vocabulary[token] for token in tokens])
        return 0 if place < 0 else int(self.level.counts[place])

    def __iter__(self) -> Iterator[NGram]:
        return (ngram for ngram, _ in self.items())

    def __len__(self) -> int:
        return int(np.count_nonzero(self.level.counts))

    def items(self) -> Iterator[tuple[NGram, int]]:
        """Yield each n-gram, a tuple of strings, with its count."""
        return self._of(np.flatnonzero(self.level.counts))

    def most_common(self, k: int = 10) -> list[tuple[NGram, int]]:
        """Return the k most frequent n-grams with their counts, as `collections.Counter` does."""
        order = np.argsort(-self.level.counts.astype(np.int64), kind="stable")
        return list(self._of(order[: min(k, len(self))]))

    def _of(self, places: Ints) -> Iterator[tuple[NGram, int]]:
        """Yield the n-grams at these places of the level, with their counts."""
        token = self._counts.vocabulary.tokens.__getitem__
        ids = spelled(self._counts.levels, self.level.n, places)
        for ngram, count in zip(ids.tolist(), self.level.counts[places].tolist(), strict=True):
            yield tuple(map(token, ngram)), count

    def counts_of_counts(self) -> Ints:
        """Return how many n-grams occur r times, for r = 0, 1, 2 and so on: int64 array, 0 at r = 0."""
        return self.level.counts_of_counts()

    def __repr__(self) -> str:
        shown = ", ".join(f"{' '.join(ngram)!r}: {count}" for ngram, count in self.most_common(5))
        return f"{len(self):,} n-grams of order {self.level.n}: {shown}"


def _all_tokens(parts: list[NGramCounts]) -> tuple[Vocabulary, Spelling]:
    """The vocabulary of merged counts, and how it is written."""
    first = parts[0].vocabulary
    if all(part.vocabulary == first for part in parts):
        return first, parts[0].spelling
    special = 2 if first.unk is None else 3
    tokens = dict.fromkeys(token for part in parts for token in part.vocabulary.tokens[special:])
    vocabulary = Vocabulary(tokens, unk=first.unk is not None)
    return vocabulary, parts[0].spelling._replace(pieces=vocabulary.pieces.strings)


def _new_ids(parts: list[NGramCounts], vocabulary: Vocabulary) -> list[Ints]:
    """For each part, the id of each of its tokens in the merged vocabulary."""
    ids = {token: i for i, token in enumerate(vocabulary.tokens)}
    return [np.array([ids[token] for token in part.vocabulary.tokens], dtype=np.int32) for part in parts]


def _merged(parts: list[list[Level]], ids: list[Ints]) -> Iterator[Level]:
    """Yield the merged levels of each order; `ids` are the new ids of the tokens of each part."""
    size = 1 + max(int(new.max()) for new in ids)
    total = sum(int(levels[0].counts.sum(dtype=np.int64)) for levels in parts)
    kind: type[np.integer] = np.int32 if 2 * total + len(parts[0]) <= INT32_LIMIT else np.int64
    counts = np.zeros(size, dtype=kind)
    for levels, new in zip(parts, ids, strict=True):
        counts[new] += levels[0].counts.astype(kind)
    nothing = np.zeros(size, dtype=kind)
    places: list[Ints] = ids  # where the n-grams of each part are in the merged level
    yield Level(1, np.arange(size, dtype=np.int32), nothing, nothing, counts, contexts_size=1)
    length = size
    for same in zip(*(levels[1:] for levels in parts), strict=True):
        keys = [
            place.take(level.contexts) * np.int64(size) + new.take(level.tokens)
            for level, new, place in zip(same, ids, places, strict=True)
        ]
        found, inverse = np.unique(np.concatenate(keys), return_inverse=True)
        suffixes = np.zeros(len(found), dtype=kind)
        suffixes[inverse] = np.concatenate(
            [place.take(level.suffixes) for level, place in zip(same, places, strict=True)]
        )
        summed = np.zeros(len(found), dtype=kind)
        np.add.at(summed, inverse, np.concatenate([level.counts for level in same]).astype(kind))
        contexts, tokens = (found // size).astype(kind), (found % size).astype(np.int32)
        yield Level(same[0].n, tokens, contexts, suffixes, summed, contexts_size=length)
        places = np.split(inverse, np.cumsum([len(level) for level in same])[:-1])
        length = len(found)


def find_ngram(levels: list[Level], ids: list[int]) -> int:
    """Return the index of one n-gram, a list of token ids, in its level; -1 if it is not in the level."""
    place = 0
    for level, id in zip(levels, ids, strict=False):
        place = int(level.find(np.array([place]), np.array([id]))[0])
    return place


def spelled(levels: list[Level], n: int, places: Ints | None = None) -> Ints:
    """Return the token ids of the n-grams of order n, all or those at some places: int64[G, n]."""
    places = np.arange(len(levels[n - 1])) if places is None else places
    ids = np.empty((len(places), n), dtype=np.int64)
    for level in reversed(levels[:n]):
        ids[:, level.n - 1] = level.tokens.take(places)
        places = level.contexts.take(places)
    return ids
