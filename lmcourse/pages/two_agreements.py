"""The source of chapter 13: in each block a verb agrees with a subject, and an adverb with another adverb."""

import math
from typing import ClassVar

import numpy as np

from lmmetrics.sources import Source

TIMES = {"once": "then", "today": "now"}
PAIRS = {"cat": "sleeps", "cats": "sleep"}
PHRASE = ("by", "the", "bridge")
FILLERS = ("often", "gladly", "alone", "again")


class TwoAgreements(Source):
    """Blocks without end, such as "once cats by the bridge often alone then sleep".

    The first word of a block (once, today) and the second (cat, cats) are drawn uniformly. A phrase follows,
    and then fillers, drawn uniformly: after each word one more comes with probability 1/2. The last two words
    are certain: an adverb that agrees with the first word, and a verb that agrees with the second. So either
    agreement spans the same number of words.

    A block has 8 tokens on average, and an entropy of 6 bits: 1 for each of the first two words, and 2 for
    each of two decisions, on average, whether a filler comes and which.

    Examples
    --------
    >>> source = TwoAgreements()
    >>> " ".join(source.sample(17, seed=1).strings())
    'once cats by the bridge gladly again gladly gladly then sleep today cats by the bridge now'
    >>> round(source.entropy_rate() / math.log(2), 6), source.block_length
    (0.75, 8)
    """

    agreeing: ClassVar = {"adverb": TIMES, "verb": PAIRS}
    block_length = len(PHRASE) + 5

    def __init__(self):
        super().__init__((*TIMES, *PAIRS, *PHRASE, *FILLERS, *TIMES.values(), *PAIRS.values()))

    def entropy_rate(self):
        """Return the entropy rate in nats per token: that of a block, divided by its mean length."""
        return (2 * math.log(2) + 2 * math.log(2) + math.log(len(FILLERS))) / self.block_length

    def standard_error(self, n):
        """Return the standard error of the mean surprisal of n tokens, as for `AgreementSource`."""
        deviation = abs(math.log(2 * len(FILLERS)) - self.entropy_rate()) * math.sqrt(2)
        return deviation / math.sqrt(self.block_length * n)

    def log_probs(self, text):
        """Return the natural log of the probability of each token of one stream that begins with a block."""
        symbols, _ = self._read(text)
        words, size = np.array(self.symbols)[symbols], math.log(2)
        free = dict.fromkeys([*TIMES, *PAIRS], -size)
        free |= dict.fromkeys(FILLERS, -size - math.log(len(FILLERS))) | dict.fromkeys(TIMES.values(), -size)
        result = np.array([free.get(word, 0.0) for word in words])
        for pairs in self.agreeing.values():
            first = np.flatnonzero(np.isin(words, [*pairs]))
            last = np.flatnonzero(np.isin(words, [*pairs.values()]))
            if any(pairs[words[i]] != words[k] for i, k in zip(first, last, strict=False)):
                raise ValueError("This is not a text of the source.")
        return result

    def kinds(self, text):
        """Whether the words before a token leave a filler or an adverb (0), certain words (1), a verb (2),
        or the first two words of a block (3)."""
        kind = dict.fromkeys([*PAIRS, *PHRASE[:-1]], 1) | dict.fromkeys(TIMES.values(), 2)
        kind |= dict.fromkeys([*PAIRS.values(), *TIMES], 3)
        return np.array([3, *(kind.get(word, 0) for word in text.strings()[:-1])])

    def _draw(self, n, rng):
        """Draw blocks and join them; the first is whole."""
        count = n // (self.block_length - 1) + 1  # a block has at least 7 words
        firsts, fillers = rng.integers(2, size=(count, 2)), rng.geometric(0.5, count) - 1
        named = {word: i for i, word in enumerate(self.symbols)}
        groups = TIMES, PAIRS, PHRASE, FILLERS, TIMES.values(), PAIRS.values()
        numbers = [[named[word] for word in words] for words in groups]
        times, subjects, phrase, filling, adverbs, verbs = map(np.array, numbers)
        drawn = [filling[rng.integers(len(filling), size=more)] for more in fillers]
        blocks = [
            [times[t], subjects[s], *phrase, *between, adverbs[t], verbs[s]]
            for (t, s), between in zip(firsts, drawn, strict=True)
        ]
        return np.concatenate(blocks)[:n]
