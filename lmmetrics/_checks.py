"""Checks of arguments that several packages share: each error says what was given and what is expected.

A value of a wrong type is a `TypeError`, one of the right type that does not fit a `ValueError`.
"""

from collections.abc import Callable
from numbers import Integral, Real
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike


def whole_number(name: str, value: object, least: int) -> int:
    """Return a whole number of at least ``least``."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least:  # type: ignore[operator]
        raise (ValueError if whole else TypeError)(
            f"{name} is {value!r}; a whole number of at least {least} is expected."
        )
    return int(value)  # type: ignore[call-overload]


def real_number(name: str, value: Any, fits: Callable[[float], bool], expected: str) -> Any:
    """Return a real number for which ``fits`` is true; ``expected`` describes it in the error."""
    real = isinstance(value, Real) and not isinstance(value, bool)
    if not real or not fits(value):
        raise (ValueError if real else TypeError)(f"{name} is {value!r}; {expected} is expected.")
    try:
        float(value)
    except OverflowError:
        raise ValueError(f"{name} is above 1.8e308, the largest float; {expected} is expected.") from None
    return value


def generator(seed: Any) -> np.random.Generator:
    """Return a generator of random numbers, which the same seed makes again."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"seed is {seed!r}; a whole number of at least 0, or a Generator, is expected."
        ) from None


def path_of(name: str, path: Any) -> Path:
    """Return a path; an error if it is something else."""
    try:
        return Path(path)
    except TypeError:
        raise TypeError(f"{name} is {path!r} ({type(path).__name__}); a file name is expected.") from None


def array_of(name: str, values: ArrayLike, expected: str) -> np.ndarray:
    """Return values as an array; an error if the rows have different lengths, or entries are masked."""
    if np.ma.is_masked(values):
        raise ValueError(
            f"{name} is a masked array, and the masked entries would be used like the others. Leave them out "
            "(.compressed()), or replace them (.filled(0))."
        )
    try:
        return np.asarray(values)
    except ValueError:
        raise ValueError(f"{name} has rows of different lengths; {expected} is expected.") from None
