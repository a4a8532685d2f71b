"""A source in which a verb agrees with a subject that is too far back for an n-gram model."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lmmetrics._checks import whole_number
from lmmetrics._types import Floats, Ints
from lmmetrics.information import entropy
from lmmetrics.sources._source import Source
from lmmetrics.text import TokenizedText

if TYPE_CHECKING:
    from lmmetrics.derivation import Derivation

PAIRS = {"cat": "sleeps", "cats": "sleep"}
PHRASE = ("by", "the", "old", "stone", "bridge")
FILLERS = ("today", "often", "gladly", "alone")


class AgreementSource(Source):
    """Blocks without end: a subject, a fixed phrase, filler words, and the verb that agrees with the subject.

    "cat by the old stone bridge often alone sleeps cats by the old stone bridge sleep cats by ..."

    In each block the subject is drawn uniformly. One more filler word follows with probability ``more``, each
    time, and is drawn uniformly. The phrase and the verb are then certain. So at least ``len(phrase)`` words
    separate the verb from its subject, and with ``more > 0`` their number is unbounded.

    Parameters
    ----------
    pairs : dict of str to str
        The subjects, and the verb of each. At least two pairs; no two subjects have the same verb.
    phrase : sequence of str
        The words that follow every subject; may be empty.
    fillers : sequence of str
        The filler words, at least one.
    more : float
        The probability of one more filler word, at least 0 and below 1.

    Attributes
    ----------
    symbols, vocabulary
        As in every source, without `</s>` (see `sample`).
    block_length : float
        Expected tokens in a block.
    block_nats : float
        Entropy of a block, in nats.

    Raises
    ------
    ValueError
        If there are too few words, if a word has two roles, or if ``more`` is out of range.

    Notes
    -----
    The rate follows from renewal theory. Let K be the number of subjects, F that of the fillers, m that of
    the words in the phrase, r ``more`` and s = 1 - r. A block consists of a choice among K subjects, followed
    by decisions: stop, with probability s, or continue with one of F fillers, r / F each. After a decision to
    continue, the situation is the same as before it, so a block has V = 1 + r V decisions on average,
    V = 1 / s. All else is certain. By the chain rule the entropy of a block is
    ``ln K + V (-s ln s - r ln(r / F))`` nats, and its expected length is m + 1 + V tokens: the subject, the
    phrase, and one token for each decision, the verb for the last. So ::

        block_nats   = ln K - ln s + r / s * ln(F / r)
        block_length = m + 2 + r / s

    Each block begins with a subject, so a stream can be cut into blocks in one way only, and the blocks are
    independent and identically distributed. The surprisal of a long stream is a sum of block surprisals (and
    those of a part of a block at each end), so by the renewal reward theorem its mean per token tends to
    ``block_nats / block_length``. This is the entropy rate. `rate_derivation` proves the algebra.

    Examples
    --------
    Two subjects, four fillers, and probability 1/2 of one more filler: 5 bits in a block of 8 tokens.

    >>> source = AgreementSource()
    >>> source
    AgreementSource: 2 pairs, at least 5 words between, entropy rate 0.433217 nats per token
    >>> round(source.block_nats / math.log(2), 6), source.block_length
    (5.0, 8.0)
    >>> " ".join(source.sample(18, seed=1).strings())
    'stone bridge often often alone often sleeps cats by the old stone bridge today sleep cats by the'

    A 5-gram model reads four words. It cannot predict the verb, which costs it 1 bit more in every block.

    >>> round(source.excess(order=5) / math.log(2), 6)
    0.125
    """

    def __init__(
        self,
        pairs: Mapping[str, str] = PAIRS,
        phrase: Sequence[str] = PHRASE,
        fillers: Sequence[str] = FILLERS,
        more: float = 0.5,
    ) -> None:
        pairs, phrase, fillers = dict(pairs), tuple(phrase), tuple(fillers)
        words = (*pairs, *phrase, *fillers, *pairs.values())
        if len(pairs) < 2 or not fillers:
            raise ValueError(
                f"There are {len(pairs)} pairs and {len(fillers)} fillers; at least two pairs and one filler "
                "are expected, or there is nothing to agree with."
            )
        twice = next((word for i, word in enumerate(words) if word in words[:i]), None)
        if twice is not None:
            raise ValueError(
                f"The word {twice!r} comes twice; subjects, phrase, fillers and verbs share no word, so that "
                "a word tells its place in the block."
            )
        if not 0 <= more < 1:
            raise ValueError(f"more is {more!r}; a probability is expected, at least 0 and below 1.")
        super().__init__(words)
        self.pairs, self.phrase, self.fillers, self.more = pairs, phrase, fillers, float(more)
        self._mean_fillers = more / (1 - more)
        self._filler_nats = math.log(len(fillers) / more) if more else 0.0  # of one more filler word
        self.block_length = len(phrase) + 2 + self._mean_fillers
        self.block_nats = math.log(len(pairs)) - math.log1p(-more) + self._mean_fillers * self._filler_nats

    def entropy_rate(self) -> float:
        """Return the exact entropy rate in nats per token, ``block_nats / block_length``."""
        return self.block_nats / self.block_length

    def standard_error(self, n: int) -> float:
        """Return the standard error of the mean surprisal of `n` sampled tokens under the source, in nats.

        It is ``sqrt(v / n)``, exact in the limit of large n (central limit theorem for renewal rewards). Here
        ``v = Var(S - h L) / E[L]``, where S is the surprisal and L the length of a block, and h the entropy
        rate. S and L depend only on the number G of fillers: ``S - h L = constant + G (ln(F / r) - h)``, and
        G is geometric, with ``Var(G) = r / (1 - r)**2``.
        """
        deviation = abs(self._filler_nats - self.entropy_rate()) * math.sqrt(self.more) / (1 - self.more)
        return deviation / math.sqrt(self.block_length * whole_number("n", n, 1))

    def excess(self, order: int) -> float:
        """Return the KL rate of the best n-gram model of this order: nats per token above the entropy rate.

        Such a model reads ``order - 1`` tokens. From order 2 on they determine the place in the block, and
        only the subject can be unknown. At the verb it is unknown if the phrase and the fillers fill the
        window, which has probability ``r**max(0, order - 1 - m)``; the verb then costs ln K instead of 0. So
        the excess is ``r**max(0, order - 1 - m) * ln K / block_length``. It decreases with the order, and
        reaches 0 only if ``more`` is 0. At order 1 the excess is the entropy of a token minus the rate.

        Raises
        ------
        ValueError
            If the order is below 1.
        """
        if whole_number("order", order, 1) == 1:
            marginal = entropy(self._place_law) - self._place_law @ self._log_within
            return float(marginal) - self.entropy_rate()
        beyond = max(0, order - 1 - len(self.phrase))
        return self.more**beyond * math.log(len(self.pairs)) / self.block_length

    def log_probs(self, text: TokenizedText) -> Floats:
        """Return the exact natural log of the probability of each token given its past, float64[N].

        A word determines its place in the block. Only the subject can be unknown, if the sentence begins in
        the middle of a block: its first verb then has probability 1 / K. The first token has its stationary
        probability. A token that cannot occur gets ``-inf``.

        Raises
        ------
        ValueError
            If the text has another vocabulary than the source.
        """
        symbols, places = self._read(text)
        pairs, verb = len(self.pairs), len(self.phrase) + 2
        kinds = np.append(self._kinds, verb + 1)[symbols]  # -1 finds the last: not a symbol
        steps = np.log(self._steps, out=np.full_like(self._steps, -np.inf), where=self._steps > 0)
        before = np.where(places == 0, verb + 2, np.roll(kinds, 1))
        result = steps[before, kinds] + np.append(self._log_within, 0.0)[kinds]
        # The verb is certain or impossible if the subject of its block has been seen.
        positions = np.arange(len(symbols))
        subject = np.maximum.accumulate(np.where(kinds == 0, positions, -1))
        seen = np.flatnonzero((kinds == verb) & (subject >= positions - places))
        fits = symbols[subject[seen]] == symbols[seen] - (len(self.symbols) - pairs)
        result[seen] += np.where(fits, math.log(pairs), -np.inf)
        return result

    @staticmethod
    def rate_derivation() -> Derivation:
        """Return the `Derivation` of the entropy rate, with the symbols of the notes of this class."""
        from sympy import Eq, Sum, log, symbols

        from lmmetrics.derivation import Derivation

        i, j, K, F = symbols("i j K F", integer=True, positive=True)
        m = symbols("m", integer=True, nonnegative=True)
        r, s, V = symbols("r s V", positive=True)
        subject = -Sum(log(1 / K) / K, (i, 1, K))
        decision = -s * log(s) - Sum(r / F * log(r / F), (j, 1, F))
        return (
            Derivation((subject + V * decision) / (m + 1 + V), given=[Eq(V, 1 / s), Eq(s, 1 - r)])
            .step(
                (log(K) + V * (-s * log(s) + r * log(F / r))) / (m + 1 + V),
                because="equal choices: K subjects, F fillers",
            )
            .step(
                (log(K) - log(s) + r / s * log(F / r)) / (m + 2 + r / s),
                because="a block has $V = 1 + rV$ decisions on average, and $1/s = 1 + r/s$",
            )
        )

    def __repr__(self) -> str:
        least = "at least " if self.more else ""
        return (
            f"AgreementSource: {len(self.pairs)} pairs, {least}{len(self.phrase)} words between, entropy "
            f"rate {self.entropy_rate():.6f} nats per token"
        )

    def _draw(self, n: int, rng: np.random.Generator) -> Ints:
        """Draw blocks and join them; the first one begins at a place drawn from the stationary law."""
        place = rng.choice(len(self._place_law), p=self._place_law)
        parts = [self._first_block(place, rng)]
        missing = n - len(parts[0])
        while missing > 0:
            count = int(missing / self.block_length) + 1
            parts.append(self._blocks(rng.geometric(1 - self.more, count) - 1, rng))
            missing -= len(parts[-1])
        return np.concatenate(parts)[:n]

    def _first_block(self, place: int, rng: np.random.Generator) -> Ints:
        """The rest of a block from a place on. After a filler, as many follow as in a whole block."""
        extra = int(place == len(self.phrase) + 1)
        block = self._blocks(rng.geometric(1 - self.more, 1) - 1 + extra, rng)
        return block[place:] if place < len(self.phrase) + 2 else block[-1:]

    def _blocks(self, fillers: Ints, rng: np.random.Generator) -> Ints:
        """One block for each number of fillers, joined, as positions in `symbols`."""
        pairs, phrase = len(self.pairs), len(self.phrase)
        ends = np.cumsum(fillers + phrase + 2)
        starts = ends - fillers - phrase - 2
        subjects = rng.integers(pairs, size=len(fillers))
        result = rng.integers(len(self.fillers), size=ends[-1], dtype=np.int32) + np.int32(pairs + phrase)
        result[starts] = subjects
        for i in range(phrase):
            result[starts + 1 + i] = pairs + i
        result[ends - 1] = subjects + len(self.symbols) - pairs
        return result

    # Kinds of symbols, which are the places in a block: 0 subject, 1 .. m phrase, m + 1 filler, m + 2 verb.

    @cached_property
    def _kinds(self) -> Ints:
        """The kind of each symbol."""
        phrase = len(self.phrase)
        sizes = [len(self.pairs), *[1] * phrase, len(self.fillers), len(self.pairs)]
        return np.repeat(np.arange(phrase + 3), sizes)

    @cached_property
    def _place_law(self) -> Floats:
        """The stationary law of the place: the expected visits in a block, divided by its expected length."""
        return np.array([1.0] * (len(self.phrase) + 1) + [self._mean_fillers, 1.0]) / self.block_length

    @cached_property
    def _steps(self) -> Floats:
        """Probabilities from each kind to the next, (m + 5, m + 4).

        Row m + 3 is for the place after a token that is not a symbol, row m + 4 for the start of a sentence.
        """
        phrase = len(self.phrase)
        steps = np.zeros((phrase + 5, phrase + 4))
        steps[np.arange(phrase), np.arange(phrase) + 1] = 1.0
        steps[[phrase, phrase + 1], phrase + 1] = self.more
        steps[[phrase, phrase + 1], phrase + 2] = 1 - self.more
        steps[phrase + 2, 0] = 1.0
        steps[phrase + 4, :-1] = self._place_law
        return steps

    @cached_property
    def _log_within(self) -> Floats:
        """ln of the probability of a symbol among those of its kind, if the subject is unknown."""
        pairs, fillers = -math.log(len(self.pairs)), -math.log(len(self.fillers))
        return np.array([pairs, *[0.0] * len(self.phrase), fillers, pairs])
