"""The n-grams of one order, as sorted arrays.

An n-gram is represented by its place in the sorted list of its order. Two more numbers link it to shorter
n-grams: its context (all but the last token) and its suffix (all but the first). So everything that smoothing
needs is a sum over contexts, a count over suffixes, or a look-up through either.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lmmetrics._types import Floats, Ints

Counted = Literal["counts", "continuations"]
"""What smoothing counts: how often an n-gram occurs, or how many tokens come before it."""


class Keys(NamedTuple):
    """What `Level.find` searches, in ascending order: context * base + token of each n-gram."""

    values: Ints
    base: int


@dataclass(eq=False, repr=False)
class Level:
    """All G n-grams of one order in a text, sorted by context and then by last token.

    Parameters
    ----------
    n : int
        The order.
    tokens : int32[G]
        The last token.
    contexts, suffixes : int[G]
        The n-gram without its last, and without its first token: indices into the level of order n - 1. At
        order 1 both are 0, the empty n-gram. `suffixes` is empty in a model that was read from a file.
    counts : int[G]
        How often each n-gram occurs; empty in a model that was read from a file. At order 1 there is an entry
        for each token of the vocabulary, so a count can be 0. The count of `<s>`, which is never predicted,
        is 0.
    contexts_size : int
        Number of n-grams of order n - 1, C.
    longer : Level, optional
        The level of order n + 1; None at the highest order.
    stored_keys : Keys, optional
        Keys that were stored with the level; else they are made when `find` needs them.
    """

    n: int
    tokens: Ints
    contexts: Ints
    suffixes: Ints
    counts: Ints
    contexts_size: int
    longer: Level | None = None
    stored_keys: Keys | None = None

    first = 0
    """The number of the first context: above 0 in a part of a level whose n-grams are in files."""

    def __len__(self) -> int:
        return len(self.tokens)

    def totals(self, values: NDArray) -> Floats:
        """Sum the values of the n-grams of each context: float64[G] or int[G] to float64[C]."""
        found: Any = np.bincount(self.contexts, weights=values, minlength=self.contexts_size)
        return found

    def spread(self, values: NDArray) -> NDArray:
        """Give each n-gram the value of its context: [C] to [G]."""
        return values.take(self.contexts)

    def followers(self) -> Floats:
        """Return the number of different tokens that follow each context, T(h): float64[C]."""
        return self.totals(self.counts > 0)

    def continuations(self) -> Ints:
        """Return the counts that Kneser-Ney smoothing uses: int64[G].

        The number of different tokens that come before the n-gram. At the highest order, and for an n-gram
        that starts with `<s>`, which follows no token, it is the count itself.

        Source: Kneser and Ney 1995; the exception for `<s>` as in Chen and Goodman 1999.
        """
        if self.longer is None:
            return self.counts.astype(np.int64)
        found = np.bincount(self.longer.suffixes, minlength=len(self))
        nothing_before = np.flatnonzero(found == 0)
        found[nothing_before] = self.counts[nothing_before]
        return found

    def counted(self, of: Counted) -> Ints:
        """Return the counts, or what `continuations` returns: int[G]."""
        return self.counts if of == "counts" else self.continuations()

    def counts_of_counts(self, of: Counted = "counts", largest: int | None = None) -> Ints:
        """Return how many n-grams have the count r, for r from 0: int64 array n, with n[0] = 0.

        Parameters
        ----------
        of : {"counts", "continuations"}
            Which counts are counted.
        largest : int, optional
            The largest r; n-grams with a higher count are left out. By default the highest count.
        """
        counts = self.counted(of)
        if largest is None:
            found = np.bincount(counts)
        else:
            found = np.bincount(np.minimum(counts, largest + 1), minlength=largest + 2)[:-1]
        found[:1] = 0
        return found

    def unseen(self, words: int) -> float:
        """Return how many of `words` words do not follow each context that something follows, in all."""
        total, types = self.totals(self.counts), self.followers()
        return float(np.where(total > 0, words - types, 0.0).sum())

    def find(self, contexts: Ints, tokens: Ints) -> Ints:
        """Find n-grams by their context and last token.

        Parameters
        ----------
        contexts : int[Q]
            Indices into the level of order n - 1; -1 for a context that was not found.
        tokens : int[Q]

        Returns
        -------
        int64[Q]
            Indices into this level, -1 if the n-gram is not in it. Sorted queries are fast.
        """
        if self.n == 1:
            return np.where(tokens < len(self), tokens, -1)
        if len(self) == 0:
            return np.full(len(tokens), -1)
        keys, base = self.keys
        wanted = contexts * np.int64(base)  # below every key if the context was not found
        wanted += np.minimum(tokens, base - 1)
        places = keys.searchsorted(wanted)
        places[keys.take(places, mode="clip") != wanted] = -1
        return places

    def children(self, context: int) -> slice:
        """Return the slice of the n-grams of one context, an index into the level of order n - 1."""
        # In the type of the contexts, because NumPy would otherwise convert all contexts.
        bounds = np.array([context, context + 1], dtype=self.contexts.dtype)
        return slice(*np.searchsorted(self.contexts, bounds))

    def starts(self) -> Ints:
        """Return where the n-grams of each context start: int32[C + 1], or int64 for 2**31 n-grams and more.

        Those of context c are the slice from ``starts[c]`` to ``starts[c + 1]``.
        """
        contexts = np.arange(self.contexts_size + 1, dtype=self.contexts.dtype)
        size = np.int32 if len(self) <= np.iinfo(np.int32).max else np.int64
        return self.contexts.searchsorted(contexts).astype(size)

    def make_keys(self) -> None:
        """Make the keys that `find` searches, before threads share them: else each would make its own."""
        _ = self.keys

    @cached_property
    def keys(self) -> Keys:
        """What `find` searches."""
        if self.stored_keys is not None:
            return self.stored_keys
        base = int(self.tokens.max(initial=0)) + 2  # one more than the largest, for tokens not in this level
        return Keys(self.contexts * np.int64(base) + self.tokens, base)

    def parts(self) -> Iterator[Level]:
        """Yield the n-grams as levels that fit into memory, each with all that follow the same contexts."""
        yield self

    def new_values(self) -> Values:
        """Return where `Smoothing.tables` puts the values of these n-grams."""
        return Values()


class Values:
    """The probabilities and the weights of one order: `append` is called for each of `Level.parts`."""

    probs: Floats
    weights: Floats

    def append(self, probs: Floats, weights: Floats) -> None:
        self.probs, self.weights = probs, weights

    def probs_at(self, places: Ints) -> Floats:
        """The probabilities of some n-grams."""
        return self.probs.take(places)

    def tables(self, unseen: float) -> tuple[Floats, Floats]:
        """All probabilities float64[G]; all weights float64[C + 1], that after an unseen context last."""
        return self.probs, np.append(self.weights, unseen)
