"""Rounding a row of probabilities to whole numbers, as every fast coder does, and what it costs."""

from numpy.typing import ArrayLike

from lmmetrics._types import Ints


def quantise(row: ArrayLike, bits: int) -> Ints:
    """Return whole numbers that stand for the probabilities of a row: they sum to ``2 ** bits``, each >= 1.

    Every symbol gets 1, and its share of what is left, rounded down; the units that rounding leaves over go
    to the symbols that lost most. So ``counts[i] / 2 ** bits >= row[i] * (1 - n / 2 ** bits)`` for each
    of the n symbols, and no symbol costs more than ``-log2(1 - n / 2 ** bits)`` bits above its surprisal:
    about ``n / 2 ** bits * log2 e``.

    Parameters
    ----------
    row : float[n]
        Probabilities, none negative; their sum is 1 up to 1e-6, and is divided out.
    bits : int
        From 1 to 32, with ``n <= 2 ** bits``.

    Returns
    -------
    int64[n]
    """
    raise NotImplementedError


def quantisation_loss(row: ArrayLike, counts: ArrayLike) -> float:
    """Return what the rounded row costs per symbol, in bits: D(row || counts / sum of the counts).

    It is the KL divergence, infinite if a count is 0 where the probability is not.
    """
    raise NotImplementedError
