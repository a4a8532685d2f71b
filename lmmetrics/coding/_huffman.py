"""Huffman's code: the best code with one code word for each symbol."""

import heapq
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, TypeVar, overload

Probability = Fraction | float
Symbol = TypeVar("Symbol")


@overload
def huffman(probabilities: Sequence[Probability]) -> list[str]: ...
@overload
def huffman(probabilities: Mapping[Symbol, Probability]) -> dict[Symbol, str]: ...
def huffman(
    probabilities: Sequence[Probability] | Mapping[Symbol, Probability],
) -> list[str] | dict[Symbol, str]:
    """Return a code word for each symbol: the prefix code with the least expected length.

    No code word is the beginning of another. The two least probable symbols are merged until one is left; of
    equal probabilities those that came first are merged first, so the code is the same on every machine.

    Parameters
    ----------
    probabilities : list or dict
        At least one, none negative; they sum to 1. A symbol of probability 0 has a code word too.

    Returns
    -------
    list or dict of str
        Strings of 0 and 1, as a list or as a dict like the probabilities. A single symbol has the empty
        string, because nothing needs to be said.

    Examples
    --------
    >>> huffman({"the": 0.5, "cat": 0.25, "eats": 0.125, "sleeps": 0.125})
    {'the': '0', 'cat': '10', 'eats': '110', 'sleeps': '111'}
    >>> huffman([0.9, 0.1])  # one bit for each, where the entropy is 0.469
    ['0', '1']
    """
    values = _checked_probabilities(probabilities)
    words = [""] * len(values)
    # A group of symbols: its probability, a number that decides between equal ones, and its symbols.
    groups = [(value, place, [place]) for place, value in enumerate(values)]
    heapq.heapify(groups)
    for number in range(len(values), 2 * len(values) - 1):
        one, zero = heapq.heappop(groups), heapq.heappop(groups)
        if zero[2][0] > one[2][0] and zero[0] == one[0]:
            one, zero = zero, one  # of two that are equally probable, the earlier begins with 0
        for bit, group in (("0", zero), ("1", one)):
            for place in group[2]:
                words[place] = bit + words[place]
        heapq.heappush(groups, (one[0] + zero[0], number, zero[2] + one[2]))
    return dict(zip(probabilities, words, strict=True)) if isinstance(probabilities, Mapping) else words


def expected_length(
    probabilities: Sequence[Probability] | Mapping[Symbol, Probability],
    words: Sequence[str] | Mapping[Symbol, str],
) -> Probability:
    """Return the mean number of bits of a symbol: ``sum p(w) len(word of w)``.

    It is a `Fraction` if all probabilities are fractions or whole numbers, else a float. For Huffman's code
    it is at least the entropy, and less than one bit above it (one bit, if only one symbol of several can
    occur).

    Examples
    --------
    >>> half, quarter = Fraction(1, 2), Fraction(1, 4)
    >>> expected_length([half, quarter, quarter], ["0", "10", "11"])
    Fraction(3, 2)
    """
    values = _checked_probabilities(probabilities)
    if isinstance(probabilities, Mapping) != isinstance(words, Mapping) or len(words) != len(values):
        raise ValueError(
            f"There are {len(values)} probabilities and {len(words)} code words; one code word for each is "
            "expected, both as lists or both as dicts with the same keys."
        )
    if isinstance(probabilities, Mapping) and isinstance(words, Mapping):
        if missing := [symbol for symbol in probabilities if symbol not in words]:
            raise ValueError(f"The symbol {missing[0]!r} has no code word.")
        lengths = [len(words[symbol]) for symbol in probabilities]
    else:
        lengths = [len(str(word)) for word in words]
    if all(isinstance(value, Rational) for value in values):
        return sum((Fraction(value) * n for value, n in zip(values, lengths, strict=True)), Fraction(0))
    return math.fsum(float(value) * n for value, n in zip(values, lengths, strict=True))


def _checked_probabilities(probabilities: Any) -> list[Probability]:
    """The probabilities as a list; an error if they are not a distribution."""
    values: list[Any] = list(probabilities.values() if isinstance(probabilities, Mapping) else probabilities)
    for value in values:
        if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
            raise ValueError(f"probabilities has the entry {value!r}; a number of at least 0 is expected.")
    if not values or not abs(sum(values) - 1) <= 1e-9:
        raise ValueError(
            f"The {len(values)} probabilities sum to {float(sum(values)):.9g}; at least one is expected, and "
            "the sum 1. Divide counts by their total."
        )
    return values
