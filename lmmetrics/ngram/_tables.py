"""The tables that every smoothing method fills: a probability for each n-gram, a weight for each context.

The probability of an n-gram that is not in the tables is the weight of its context times the probability of a
shorter n-gram. This rule is the same for all smoothing methods.
"""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np

from lmmetrics._types import Floats, Ints
from lmmetrics.ngram._level import Level
from lmmetrics.ngram._windows import SortedText
from lmmetrics.text import TokenizedText, Vocabulary

SHORT = 1000
"""The number of tokens up to which a text is scored without sorting."""


@cache
def _compiled() -> Callable[..., None] | None:
    """The compiled loop, if the extra ``fast`` is installed and fits this NumPy."""
    try:
        from lmmetrics.ngram._compiled import lengthen
    except ImportError:
        return None
    return lengthen


@dataclass(frozen=True, eq=False, repr=False)
class Tables:
    """The probabilities of a counted model, and how those of other n-grams follow from them.

    Attributes
    ----------
    vocabulary : Vocabulary
    levels : list of Level
        The n-grams of order 1 to N.
    probs : list of float64[G]
        For each order: the probability of each n-gram, given its context.
    weights : list of float64[C + 1]
        For each order n: the weight of the remainder, for each context of n - 1 tokens; the last
        entry, at the index -1, is for a context that is not in the tables.
    evenly : bool
        How the remainder is distributed. False: like the probabilities after the context without its first
        token. True: in equal parts over all symbols that can be predicted.
    """

    vocabulary: Vocabulary
    levels: list[Level]
    probs: list[Floats]
    weights: list[Floats]
    evenly: bool = False

    @property
    def order(self) -> int:
        return len(self.levels)

    def token_probs(self, text: TokenizedText) -> Floats:
        """Return the probability of each token of a text, given those before it in its sentence: float64[N].

        The n-grams of a long text are sorted, and each distinct one is looked up once. Those of a short text
        are looked up as they come, because sorting takes as many steps as the vocabulary has tokens.
        """
        if len(text) <= SHORT:
            return self._short_text_probs(text)
        windows = SortedText(text, self.order)
        positions = windows.positions
        from_bos = slice(*windows.offsets[[windows.bos, windows.bos + 1]])
        by_position = np.empty(len(positions))
        places: Ints = np.zeros(1, dtype=np.int64)  # of the text's n-grams in the tables, -1 if not found
        probs = np.zeros(1)
        for level, groups, complete in windows.levels():
            places, probs = self._look_up(level, places, probs)
            # A token late in its sentence has a window of the highest order that ends with it. An earlier
            # one has the n-gram that starts with <s>.
            ranks = slice(None) if level.n == self.order else from_bos
            whole = complete[ranks]
            ends = positions[ranks][whole]
            ends += level.n - 1
            by_position[ends] = probs.take(groups[ranks][whole])
        return by_position[~windows.is_bos]

    def _short_text_probs(self, text: TokenizedText) -> Floats:
        """Return `token_probs` without sorting the text: the same numbers."""
        starts = text.sentence_starts[:-1]
        is_bos = np.zeros(len(text) + len(starts), dtype=bool)
        is_bos[starts + np.arange(len(starts))] = True
        stream = np.full(len(is_bos), self.vocabulary.bos)
        stream[~is_bos] = text.ids
        places = self.levels[0].find(stream, stream)  # of the n-gram that ends at each position
        by_position = np.where(places >= 0, self.probs[0].take(places), 0.0)
        even = np.where(places >= 0, self.uniform, 0.0) if self.evenly else None
        inside = ~is_bos
        for level, probs, weights in zip(self.levels[1:], self.probs[1:], self.weights[1:], strict=True):
            if level.n > 2:
                inside[1:] &= inside[:-1]  # the n-gram is in one sentence, `<s>` included
            at = np.flatnonzero(inside)
            contexts = places.take(at - 1)
            found = level.find(contexts, stream.take(at))
            remainder = by_position if even is None else even
            values = weights.take(contexts) * remainder.take(at)
            known = found >= 0
            values[known] = probs.take(found[known])
            by_position[at] = values
            places = np.full(len(stream), -1)
            places[at] = found
        return by_position[~is_bos]

    def sentence_probs(self, ids: Sequence[int]) -> Sequence[float] | Floats:
        """Return the `token_probs` of one sentence, the same numbers: [N].

        For so few tokens a call of NumPy takes longer than what it computes. The n-grams of one context are
        neighbours in the tables, so bisecting them takes few steps: compiled, or in plain Python.
        """
        if lengthen := _compiled():
            found, places = np.empty(len(ids)), np.empty(len(ids), np.int64)
            sentence = np.array(ids, np.int64)
            self.probs[0].take(sentence, out=found, mode="clip")
            found[sentence < 0] = 0.0
            places[0], places[1:] = self.vocabulary.bos, sentence[:-1]
            evenly, uniform = self.evenly, self.uniform
            for first, tables in enumerate(self._arrays):
                lengthen(first, sentence, places, found, uniform, evenly, *tables)
            return found
        unigrams, longer = self._views
        found = [unigrams[id] if id >= 0 else 0.0 for id in ids]
        even = [self.uniform if id >= 0 else 0.0 for id in ids] if self.evenly else None
        before = enumerate([self.vocabulary.bos, *ids[:-1]])
        known = [(i, id) for i, id in before if id >= 0]  # tokens, and the place of the n-gram before each
        for first, (starts, tokens, probs, weights) in enumerate(longer):
            unknown, remainder = weights[-1], even or found
            if even or unknown != 1:  # before the token `first`, the sentence has no n-gram of this order
                found = found[:first] + [unknown * rest for rest in remainder[first:]]
            longer_known = []
            for i, context in known:
                id, stop = ids[i], starts[context + 1]
                place = bisect_left(tokens, id, starts[context], stop)
                if place < stop and tokens[place] == id:
                    found[i] = probs[place]
                    longer_known.append((i + 1, place))
                else:
                    found[i] = weights[context] * remainder[i]
            if longer_known and longer_known[-1][0] == len(ids):
                longer_known.pop()  # no token comes after the last one
            known = longer_known
        return found

    @cached_property
    def _arrays(self) -> list[tuple[Any, ...]]:
        """For each order above 1: where the n-grams of each context start, their last tokens, and so on."""
        longer = zip(self.levels[1:], self.probs[1:], self.weights[1:], strict=True)
        found = [(level.starts(), level.tokens, probs, weights) for level, probs, weights in longer]
        return [tuple(map(np.ascontiguousarray, tables)) for tables in found]  # mapped files as plain arrays

    @cached_property
    def _views(self) -> tuple[Any, list[Any]]:
        """The same as views, which give numbers of Python, faster than an array."""
        return self.probs[0].data, [tuple(array.data for array in arrays) for arrays in self._arrays]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_arrays", "_views")}

    def _look_up(self, level: Level, contexts_places: Ints, shorter_probs: Floats) -> tuple[Ints, Floats]:
        """Return the places in the tables and the probabilities of the n-grams of a text's level."""
        contexts = level.spread(contexts_places)
        places = self.levels[level.n - 1].find(contexts, level.tokens)
        if level.n == 1:
            remainder = np.zeros(len(level))
        elif self.evenly:
            remainder = np.where(level.tokens < len(self.vocabulary), self.uniform, 0.0)
        else:
            remainder = shorter_probs.take(level.suffixes)
        probs = self.weights[level.n - 1].take(contexts)
        probs *= remainder
        found = np.flatnonzero(places >= 0)
        probs[found] = self.probs[level.n - 1].take(places.take(found))
        return places, probs

    def row(self, context: Sequence[int]) -> Floats:
        """Return the probability of every token after a context, a list of token ids: float64[V].

        The id -1 is a token that is not in the vocabulary.
        """
        context = list(context)[max(0, len(context) - self.order + 1) :]
        if self.evenly:
            row = np.full(len(self.vocabulary), self.uniform)
            row[self.vocabulary.bos] = 0.0
            return self.lengthened(row, context)
        row = self.probs[0].copy()
        for length in range(1, len(context) + 1):
            row = self.lengthened(row, context[-length:])
        return row

    def lengthened(self, row: Floats, context: Sequence[int]) -> Floats:
        """Return the row after a context, from the row after the shorter one."""
        place = 0
        for level, id in zip(self.levels, context, strict=False):
            place = int(level.find(np.array([place]), np.array([id]))[0]) if id >= 0 else -1
        row = row * self.weights[len(context)][place]
        if place >= 0:
            level = self.levels[len(context)]
            listed = level.children(place)
            row[level.tokens[listed]] = self.probs[len(context)][listed]
        return row

    @property
    def uniform(self) -> float:
        return 1 / self.vocabulary.predictable
