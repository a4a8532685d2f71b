"""A Markov chain of any order on any finite set of symbols."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from itertools import product

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csc_array

from lmmetrics._checks import whole_number
from lmmetrics._types import Floats, Ints
from lmmetrics.information import TOLERANCE, entropy
from lmmetrics.sources._chain import Chain
from lmmetrics.sources._source import Source
from lmmetrics.text import TokenizedText


class MarkovSource(Source):
    """A stationary Markov chain: the next symbol depends only on the last `order` symbols.

    Parameters
    ----------
    transitions : dict or array_like
        As an array, shape ``(V,) * order + (V,)``: the last axis runs over the next symbol, the axes before
        it over the context, the oldest symbol first. As a dict, from each context to the law of the next
        symbol, itself a dict or a list; a context is a tuple of `order` symbols, or for order 1 a symbol. A
        symbol that a law does not mention has probability 0. Order 0 means independent draws: an array of
        shape (V,), or a dict with the context ``()``.
    symbols : list of str, optional
        The V symbols. Required for an array; for a dict, the default is the order of first appearance.

    Attributes
    ----------
    order : int
        The number of symbols in a context. (The context of an n-gram model of order n has n - 1 tokens.)
    transitions : float64, shape (V,) * order + (V,)
    stationary : float64, shape (V,) * order
        The stationary law of `order` consecutive symbols; for order 1, of a symbol.
    symbols, vocabulary
        As in every source, without `</s>` (see `sample`).

    Raises
    ------
    ValueError
        If the shape does not fit, a context is missing, an entry is negative or NaN, or a row does not sum
        to 1. Also if the chain has several recurrent classes: each has a stationary law and an entropy rate
        of its own, so the chain as a whole has none.

    Notes
    -----
    The entropy rate is the entropy of a row, averaged over the stationary law of its context (Cover and
    Thomas, Elements of Information Theory, chapter 4). Solving for the stationary law takes memory and time
    that grow faster than the number of contexts: seconds for 4 000 of them, and tens of seconds for 10 000.
    Sampling takes time proportional to the number of tokens, and at most 60 bytes for each token; it is fast
    if the most frequent context recurs often in the sample.

    Examples
    --------
    >>> source = MarkovSource([[0.9, 0.1], [0.5, 0.5]], symbols=["a", "b"])
    >>> source
    MarkovSource: order 1, 2 symbols, entropy rate 0.386427 nats per token
    >>> source.stationary.round(6)
    array([0.833333, 0.166667])
    >>> source.sample(8, seed=1).strings()
    ['a', 'b', 'a', 'a', 'b', 'b', 'a', 'a']
    """

    def __init__(self, transitions: Mapping | ArrayLike, symbols: Sequence[str] | None = None) -> None:
        if isinstance(transitions, Mapping):
            transitions, symbols = _from_dict(transitions, symbols)
        elif symbols is None:
            raise ValueError(
                "symbols is missing: an array of transitions does not name its symbols. Pass symbols=[...]."
            )
        super().__init__(symbols)
        self.transitions = _checked(transitions, self.symbols)
        self.order = self.transitions.ndim - 1
        self._rows = self.transitions.reshape(-1, len(self.symbols))  # (contexts, V)
        self._chain = self._find_chain()
        self.stationary = self._chain.stationary().reshape(self.transitions.shape[:-1])

    def entropy_rate(self) -> float:
        """Return the exact entropy rate in nats per token: ``sum_c pi(c) H(next | c)``."""
        return float(self.stationary.ravel() @ self._row_entropies)

    def standard_error(self, n: int) -> float:
        """Return the standard error of the mean surprisal of `n` sampled tokens under the source, in nats.

        It is ``sqrt(v / n)``, where ``v`` is the variance of one surprisal plus twice its covariance with all
        later ones, summed by Poisson's equation: exact in the limit of large n (central limit theorem for
        Markov chains). The covariances are needed because neighbouring surprisals are correlated.
        """
        return float(np.sqrt(self._variance / whole_number("n", n, 1)))

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return the exact natural log of the probability of each token given its past, float64[N].

        The first tokens of a sentence, whose context is shorter than `order`, follow the stationary law. The
        result is ``-inf`` for a token that cannot occur, such as `</s>`, and for a token whose context cannot
        occur or contains a token that is not a symbol.

        Raises
        ------
        ValueError
            If the text has another vocabulary than the source.
        """
        symbols, places = self._read(text)
        result = np.full(len(text), -np.inf)
        for k in range(self.order + 1):  # k symbols of context; all positions from `order` on have the same
            at = np.flatnonzero(places == k if k < self.order else places >= k)
            block = np.zeros(len(at), dtype=np.int64)
            valid = np.ones(len(at), dtype=bool)
            for back in range(k, -1, -1):
                block = block * len(self.symbols) + symbols[at - back]
                valid &= symbols[at - back] >= 0
            result[at[valid]] = self._log_conditionals(k).ravel()[block[valid]]
        return result

    def block_law(self, length: int) -> Floats:
        """Return the stationary law of `length` consecutive symbols, shape ``(V,) * length``.

        Its entropies are a lower bound for models with a short context: with L symbols of context a model
        needs at least ``H(block of L + 1) - H(block of L)`` nats per token.
        """
        law = self.stationary
        for _ in range(self.order, length):
            law = law[..., None] * self.transitions.reshape(
                (1,) * (law.ndim - self.order) + self.transitions.shape
            )
        return law.sum(axis=tuple(range(length, law.ndim)))

    def __repr__(self) -> str:
        return (
            f"MarkovSource: order {self.order}, {len(self.symbols)} symbols, entropy rate "
            f"{self.entropy_rate():.6f} nats per token"
        )

    # Sampling -----------------------------------------------------------------------------------------------

    def _draw(self, n: int, rng: np.random.Generator) -> Ints:
        """Draw by regeneration: after its most frequent context, the chain starts afresh.

        So its path consists of a first part from a stationary context, then of independent tours from the
        most frequent context back to it. Many tours are simulated in parallel, one symbol of each per step,
        and then joined. The number of steps is the length of the longest tour; the work is proportional to n.
        """
        home = int(np.argmax(self.stationary))
        flat = self.stationary.ravel()
        start = rng.choice(len(flat), p=flat / flat.sum())
        parts: list[Ints] = [np.array(np.unravel_index(start, self.stationary.shape), dtype=np.int64)]
        if start != home:
            parts.append(self._tours(np.array([start]), home, n, rng))
        missing = n - sum(map(len, parts))
        while missing > 0:
            count = int(missing * flat[home]) + 1  # a tour has 1 / flat[home] symbols on average
            parts.append(self._tours(np.full(count, home), home, missing, rng))
            missing -= len(parts[-1])
        return np.concatenate(parts)[:n]

    def _tours(self, contexts: Ints, home: int, limit: int, rng: np.random.Generator) -> Ints:
        """Simulate one tour from each context until it reaches `home`, and join the tours.

        A tour stops after `limit` symbols, because the sample needs no more.
        """
        alive, steps = np.arange(len(contexts)), list[tuple[Ints, Ints]]()
        lengths = np.zeros(len(contexts), dtype=np.int64)
        while len(alive) and len(steps) < limit:
            symbols = self._next(contexts, rng.random(len(alive)))
            steps.append((alive, symbols))
            lengths[alive] += 1
            contexts = (contexts * len(self.symbols) + symbols) % len(self._rows)
            away = contexts != home
            alive, contexts = alive[away], contexts[away]
        result = np.empty(lengths.sum(), dtype=np.int32)
        starts = np.cumsum(lengths) - lengths
        for step, (tours, symbols) in enumerate(steps):
            result[starts[tours] + step] = symbols
        return result

    def _next(self, contexts: Ints, uniform: Floats) -> Ints:
        """The first symbol whose cumulative probability is above `uniform`, by bisection in all rows."""
        low = np.zeros(len(contexts), dtype=np.int64)
        high = np.full(len(contexts), len(self.symbols) - 1)
        for _ in range((len(self.symbols) - 1).bit_length()):
            middle = (low + high) // 2
            above = self._cumulative[contexts, middle] > uniform
            low, high = np.where(above, low, np.minimum(middle + 1, high)), np.where(above, middle, high)
        return low

    @cached_property
    def _cumulative(self) -> Floats:
        sums = np.cumsum(self._rows, axis=1)
        return sums / sums[:, -1:]  # exactly 1 from the last possible symbol on

    # Law and logs -------------------------------------------------------------------------------------------

    def _find_chain(self) -> Chain:
        """The chain of contexts: from each context to those that can follow it."""
        count, size = self._rows.shape
        here, symbol = np.nonzero(self._rows)
        after = (here * size + symbol) % count
        chain = Chain(csc_array((self._rows[here, symbol], (here, after)), shape=(count, count)))
        if len(chain.classes) > 1:
            first, second = (_context(states[0], self.order, self.symbols) for states in chain.classes[:2])
            raise ValueError(
                f"The chain has {len(chain.classes)} recurrent classes: from {first} it never reaches "
                f"{second}, nor the reverse. So neither its stationary law nor its entropy rate is "
                "unique. Connect the classes, or make a source of each."
            )
        return chain

    @cached_property
    def _row_entropies(self) -> Floats:
        return np.asarray(entropy(self._rows, axis=-1))

    @cached_property
    def _variance(self) -> float:
        """The asymptotic variance of the surprisal: see `standard_error`."""
        count, size = self._rows.shape
        after = (np.arange(count)[:, None] * size + np.arange(size)) % count
        rate = self.entropy_rate()
        later = self._chain.later(self._row_entropies - rate)[after]  # (contexts, V)
        excess = np.where(self._rows > 0, -self._log_rows, 0.0) - rate
        weights = self.stationary.reshape(-1, 1) * self._rows
        return max(0.0, float((weights * excess * (excess + 2 * later)).sum()))

    def _log_conditionals(self, k: int) -> Floats:
        """ln p(next | k symbols before), shape (V,) * k + (V,); -inf if the k symbols cannot occur."""
        if k == self.order:
            return self._log_rows
        before, block = self.block_law(k), self.block_law(k + 1)
        ratio = np.divide(block, before[..., None], out=np.zeros_like(block), where=before[..., None] > 0)
        with np.errstate(divide="ignore"):
            return np.log(ratio)

    @cached_property
    def _log_rows(self) -> Floats:
        with np.errstate(divide="ignore"):
            return np.log(self._rows)


def _from_dict(transitions: Mapping, symbols: Sequence[str] | None) -> tuple[Floats, tuple[str, ...]]:
    """The array and the symbols of a dict from contexts to laws."""
    contexts = {(key,) if isinstance(key, str) else tuple(key): law for key, law in transitions.items()}
    orders = sorted(set(map(len, contexts)))
    if len(orders) != 1:
        raise ValueError(
            f"The contexts have the lengths {orders}; one length is expected, the order of the chain."
        )
    if symbols is None:
        named = [*contexts, *(law for law in contexts.values() if isinstance(law, Mapping))]
        symbols = dict.fromkeys(symbol for symbols in named for symbol in symbols)
    symbols = tuple(symbols)
    place = {symbol: i for i, symbol in enumerate(symbols)}
    missing = next((c for c in product(symbols, repeat=orders[0]) if c not in contexts), None)
    if missing is not None:
        raise ValueError(
            f"The law after {missing} is missing. Give one for every context: {len(symbols)} "
            f"symbols and order {orders[0]} make {len(symbols) ** orders[0]} contexts."
        )
    array = np.zeros((len(symbols),) * (orders[0] + 1))
    for context, law in contexts.items():
        unknown = next(
            (s for s in (*context, *(law if isinstance(law, Mapping) else ())) if s not in place), None
        )
        if unknown is not None:
            raise ValueError(
                f"{unknown!r}, in the law after {context}, is not among the symbols {symbols}. Add it."
            )
        row = array[tuple(place[symbol] for symbol in context)]
        if isinstance(law, Mapping):
            row[[place[symbol] for symbol in law]] = list(law.values())
        elif len(law) == len(symbols):
            row[:] = law
        else:
            raise ValueError(
                f"The law after {context} has {len(law)} entries; one for each of {len(symbols)} symbols is "
                "expected."
            )
    return array, symbols


def _checked(transitions: Mapping | ArrayLike, symbols: tuple[str, ...]) -> Floats:
    array = np.array(transitions, dtype=np.float64)
    size = len(symbols)
    if array.ndim == 0 or array.shape != (size,) * array.ndim:
        raise ValueError(
            f"transitions has the shape {array.shape}; {(size,) * max(1, array.ndim)} is expected for "
            f"{size} symbols: one axis for each symbol of context, and the last for the next symbol."
        )
    rows = array.reshape(-1, size)
    sums = rows.sum(axis=1)
    bad = ~(rows >= 0).all(axis=1) | ~(np.abs(sums - 1) <= TOLERANCE)
    if bad.any():
        row = int(np.argmax(bad))
        after = _context(row, array.ndim - 1, symbols)
        if not (rows[row] >= 0).all():
            raise ValueError(f"The law after {after} is {rows[row]}, but a probability is at least 0.")
        gap = f"{abs(sums[row] - 1):.3g} {'more' if sums[row] > 1 else 'less'} than 1"
        raise ValueError(
            f"The law after {after} sums to {sums[row]:.10g}, which is {gap}. The last axis runs over the "
            "next symbol; divide counts by their total."
        )
    return array


def _context(index: int, order: int, symbols: tuple[str, ...]) -> tuple[str, ...]:
    """The context with this number, oldest symbol first."""
    digits = [(index // len(symbols) ** place) % len(symbols) for place in range(order - 1, -1, -1)]
    return tuple(symbols[digit] for digit in digits)
