"""The inner loop of `Tables.sentence_probs`, compiled by Numba: the same numbers to the last bit.

Only `_tables.py` imports it, and goes on in plain Python where the extra ``fast`` is not installed. The first
import on a machine compiles, for some seconds; Numba keeps the result on the disk.
"""

from __future__ import annotations

from typing import Any

from lmmetrics._types import Floats, Ints
from lmmetrics.extras import need

nb: Any = need("numba", "fast")


def _table(kind: Any) -> Any:
    """A table may be memory-mapped, so that it cannot be written to; one that can is taken, too."""
    return nb.types.Array(kind, 1, "C", readonly=True)


_SIGNATURES = [
    nb.void(
        nb.int64, nb.int64[::1], nb.int64[::1], nb.float64[::1], nb.float64, nb.boolean,
        _table(starts), _table(nb.int32), _table(nb.float64), _table(nb.float64),
    )
    for starts in (nb.int32, nb.int64)
]  # fmt: skip


@nb.njit(_SIGNATURES, cache=True)
def lengthen(
    first: int,
    ids: Ints,
    places: Ints,
    found: Floats,
    uniform: float,
    evenly: bool,
    starts: Ints,
    tokens: Ints,
    probs: Floats,
    weights: Floats,
) -> None:
    """Give the tokens of a sentence their probabilities after contexts that are one token longer.

    Parameters
    ----------
    first : int
        The first token that has a context of this length.
    ids, places, found : int64[N], int64[N], float64[N]
        The sentence; the place of the context of each token, -1 if it is not in the tables; its probability
        after the shorter context. ``places`` and ``found`` are overwritten with those of this order.
    uniform, evenly : float, bool
        As in `Tables`.
    starts, tokens, probs, weights : int32 or int64[C + 1], int32[G], float64[G], float64[C + 1]
        The tables of this order: where the n-grams of each context start, their last tokens, and so on.
    """
    for i in range(len(ids) - 1, first - 1, -1):
        id, context = ids[i], places[i]
        remainder = found[i]
        if evenly:
            remainder = uniform if id >= 0 else 0.0
        place = stop = starts[context + 1] if context >= 0 else 0
        if context >= 0:
            place = starts[context]
            after = stop
            while place < after:
                middle = (place + after) >> 1
                if tokens[middle] < id:
                    place = middle + 1
                else:
                    after = middle
        known = place < stop and tokens[place] == id
        found[i] = probs[place] if known else weights[context] * remainder
        if i + 1 < len(ids):
            places[i + 1] = place if known else -1
