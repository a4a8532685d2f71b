"""Huffman's code: the best code with one code word for each symbol."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TypeVar, overload

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
        string: it says nothing.
    """
    raise NotImplementedError


def expected_length(
    probabilities: Sequence[Probability] | Mapping[Symbol, Probability],
    words: Sequence[str] | Mapping[Symbol, str],
) -> Probability:
    """Return the mean number of bits of a symbol: ``sum p(w) len(word of w)``.

    It is a `Fraction` if all probabilities are fractions or whole numbers, else a float. For Huffman's code
    it is at least the entropy, and less than one bit above it.
    """
    raise NotImplementedError
