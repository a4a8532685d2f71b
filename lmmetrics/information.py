"""Entropy, cross-entropy, KL divergence and mutual information of discrete distributions.

Arrays in, floats out. ``p`` is always the truth and ``q`` the model. Everything is computed in float64 and
in nats; ``base`` changes the unit of the result. These functions take probabilities that sum to 1; logits,
log probabilities and continuous densities are not handled.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from numbers import Integral
from typing import Literal, SupportsInt

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import entr, rel_entr, xlogy

from lmmetrics._checks import array_of
from lmmetrics._types import Floats

__all__ = ["TOLERANCE", "cross_entropy", "entropy", "kl_divergence", "mutual_information"]

TOLERANCE = 1e-9
"""How far the sum of a distribution may be from 1: more than float64 rounding, much less than a mistake."""


def entropy(p: ArrayLike, base: float | Literal["e"] = math.e, axis: int = -1) -> float | Floats:
    """Entropy ``H(p) = -sum p ln p``: the expected surprisal under the truth itself.

    Parameters
    ----------
    p : array_like
        Probabilities of any shape; they sum to 1 along ``axis`` (to within `TOLERANCE`). Lists and NumPy
        arrays work; so does a torch tensor on the CPU that does not require a gradient.
    base : {e, 2, 10}
        Unit of the result: ``math.e`` or ``"e"`` for nats (the default), 2 for bits, 10 for hartleys.
    axis : int
        The axis that runs over the outcomes.

    Returns
    -------
    float or ndarray of float64
        An array with the shape of ``p`` without ``axis``; a float if ``p`` has one axis. Outcomes of
        probability 0 contribute 0 (0 ln 0 = 0).

    Raises
    ------
    ValueError
        If an entry is negative or NaN, or if a row does not sum to 1. The message says which entry or row,
        and how far it is off.

    Examples
    --------
    >>> entropy([0.5, 0.5, 0.0], base=2)
    1.0
    >>> entropy([[0.25, 0.25, 0.25, 0.25], [1.0, 0.0, 0.0, 0.0]], base=2)
    array([2., 0.])
    """
    unit = _nats_per_unit(base)
    p = _distribution("p", p, axis)
    return _result(entr(p).sum(axis=axis) / unit)


def cross_entropy(
    p: ArrayLike, q: ArrayLike, base: float | Literal["e"] = math.e, axis: int = -1
) -> float | Floats:
    """Cross-entropy ``H(p, q) = -sum p ln q``: the expected surprisal of the model under the truth.

    Parameters
    ----------
    p, q : array_like
        Truth and model, with the same number of outcomes along ``axis``. The other axes broadcast by NumPy's
        rules, so one truth can be compared with many models. With different numbers of axes, count ``axis``
        from the end (negative).
    base : {e, 2, 10}
        Unit of the result: nats, bits or hartleys.
    axis : int
        The axis that runs over the outcomes.

    Returns
    -------
    float or ndarray of float64
        Infinite, without a warning, if the model gives probability 0 to an outcome with ``p > 0``. An outcome
        with ``p = 0`` contributes 0, for any ``q``.

    Raises
    ------
    ValueError
        As for `entropy`, and if the shapes do not fit.

    Examples
    --------
    >>> cross_entropy([0.5, 0.5], [0.25, 0.75], base=2)  # doctest: +ELLIPSIS
    1.2075187496...
    >>> cross_entropy([0.5, 0.5], [1.0, 0.0])
    inf
    """
    unit = _nats_per_unit(base)
    p, q = _pair(p, q, axis)
    return _result(-xlogy(p, q).sum(axis=axis) / unit)


def kl_divergence(
    p: ArrayLike, q: ArrayLike, base: float | Literal["e"] = math.e, axis: int = -1
) -> float | Floats:
    """KL divergence ``D(p || q) = sum p ln(p / q)``: the excess of the cross-entropy over the entropy.

    Parameters, errors and broadcasting are those of `cross_entropy`.

    Returns
    -------
    float or ndarray of float64
        At least 0 by Gibbs' inequality; exactly 0 for ``q`` equal to ``p``. The sum is not clipped: if ``q``
        equals ``p`` up to rounding, the result can be a value such as -1e-17. Infinite, without a warning, if
        an outcome has ``q = 0 < p``.

    Examples
    --------
    >>> kl_divergence([0.5, 0.5], [0.25, 0.75], base=2)  # doctest: +ELLIPSIS
    0.2075187496...
    >>> kl_divergence([0.25, 0.75], [0.5, 0.5], base=2)  # not symmetric  # doctest: +ELLIPSIS
    0.1887218755...
    """
    unit = _nats_per_unit(base)
    p, q = _pair(p, q, axis)
    return _result(rel_entr(p, q).sum(axis=axis) / unit)


def mutual_information(joint: ArrayLike, base: float | Literal["e"] = math.e) -> float | Floats:
    """Mutual information ``I(X; Y)``: how far a joint distribution is from independence.

    Parameters
    ----------
    joint : array_like
        Shape (..., X, Y). Each table of the last two axes sums to 1 as a whole.
    base : {e, 2, 10}
        Unit of the result: nats, bits or hartleys.

    Returns
    -------
    float or ndarray of float64
        The KL divergence of the joint from the product of its marginals; shape ``joint.shape[:-2]``. Not
        clipped: for independent X and Y rounding can leave a value such as -1e-17.

    Raises
    ------
    ValueError
        As for `entropy`, and if ``joint`` has fewer than two axes.

    Examples
    --------
    >>> mutual_information([[0.5, 0.0], [0.0, 0.5]], base=2)
    1.0
    >>> mutual_information([[0.25, 0.25], [0.25, 0.25]])
    0.0
    """
    unit = _nats_per_unit(base)
    joint = _probabilities("joint", joint)
    if joint.ndim < 2:
        raise ValueError(
            f"The table needs two axes, one for X and one for Y, but its shape is {joint.shape}."
        )
    _check_sums("joint", joint.sum(axis=(-2, -1)), "table")
    x = joint.sum(axis=-1, keepdims=True)
    y = joint.sum(axis=-2, keepdims=True)
    # Logs are subtracted, because the product of two small marginals can underflow to 0.
    terms = xlogy(joint, joint) - xlogy(joint, x) - xlogy(joint, y)
    return _result(terms.sum(axis=(-2, -1)) / unit)


def _nats_per_unit(base: float | Literal["e"]) -> float:
    if base == "e" or base == math.e:
        return 1.0
    if not isinstance(base, (str, bool)) and base in (2, 10):
        return math.log(base)
    raise ValueError(f'base is {base!r}, but it must be 2 (bits), math.e or "e" (nats), or 10 (hartleys).')


def _pair(p: ArrayLike, q: ArrayLike, axis: int) -> tuple[Floats, Floats]:
    """Both distributions, each checked, and their shapes compared."""
    p, q = _distribution("p", p, axis), _distribution("q", q, axis)
    if axis >= 0 and p.ndim != q.ndim:
        raise ValueError(
            f"p has shape {p.shape} and q has shape {q.shape}: with different numbers of axes, axis={axis} "
            "means two different things. Count it from the end, as in axis=-1."
        )
    try:
        np.broadcast_shapes(p.shape, q.shape)
        fits = p.shape[axis] == q.shape[axis]
    except ValueError:
        fits = False
    if not fits:
        raise ValueError(
            f"p has shape {p.shape} and q has shape {q.shape}. They need the same outcomes along axis "
            f"{axis}, and other axes that broadcast."
        )
    return p, q


def _distribution(name: str, values: ArrayLike, axis: int) -> Floats:
    """Float64 probabilities that sum to 1 along the axis, or an error that says which row does not."""
    array = _probabilities(name, values)
    if isinstance(axis, bool) or not isinstance(axis, Integral):
        raise TypeError(f"axis is {axis!r}; a whole number is expected, such as -1 for the last axis.")
    if array.ndim == 0:
        raise ValueError(f"{name} is one number; a list of probabilities is expected, one for each outcome.")
    if not -array.ndim <= axis < array.ndim:
        raise ValueError(
            f"{name} has shape {array.shape}, so it has no axis {axis}. Count from the end: axis=-1."
        )
    _check_sums(name, array.sum(axis=axis), "row")
    return array


def _probabilities(name: str, values: ArrayLike) -> Floats:
    array = array_of(name, values, "an array of probabilities")
    if array.dtype.kind not in "fiu":
        raise ValueError(f"{name} must contain real numbers, but its entries have the type {array.dtype}.")
    array = array.astype(np.float64)
    for wrong, words in ((np.isnan(array), "NaN"), (array < 0, "negative")):
        if wrong.any():
            where = _place(np.argwhere(wrong)[0])
            value = f" ({array[wrong][0]:g})" if words == "negative" else ""
            raise ValueError(
                f"{name}{where} is {words}{value}, but a probability is at least 0. "
                "Pass probabilities, not logs or logits."
            )
    return array


def _check_sums(name: str, sums: Floats, row: str) -> None:
    """Raise if a sum differs from 1; the message names the row that is farthest off."""
    sums = np.asarray(sums)
    error = np.abs(sums - 1.0)
    if not (error > TOLERANCE).any():
        return
    worst = np.unravel_index(np.argmax(error), error.shape)
    what = f"{row} {_place(worst)} of {name}" if sums.ndim else name
    gap = f"{error[worst]:.3g} {'more' if sums[worst] > 1 else 'less'} than 1"
    advice = (
        "It looks rounded: keep float64 from the logits on, or divide by the sum."
        if error[worst] < 1e-3
        else "Divide counts by their total, and check that axis runs over the outcomes."
    )
    raise ValueError(f"{what} sums to {sums[worst]:.10g}, which is {gap}. {advice}")


def _place(index: Iterable[SupportsInt]) -> str:
    return "[" + ", ".join(str(int(i)) for i in index) + "]"


def _result(value: Floats) -> float | Floats:
    # Adding 0.0 turns -0.0 into 0.0.
    return float(value) + 0.0 if np.ndim(value) == 0 else value + 0.0
