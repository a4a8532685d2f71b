"""Turn a student's answer into plain data, which can be read, and sent to another process.

`answers.read` does this before it reads an answer, and so does a worker (`lmcourse.grading`) before it
sends one. So the visible check and the grader judge the same thing, in the same words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

DEPTH = 25
LONGEST = 12_000
"""The size of the largest whole number that can be sent, in bits."""
SIMPLE = {int, float, bool, complex, str, type(None), type(Ellipsis)}
BUILT_IN: dict[type, Callable[[Any], Any]] = {
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    str: str.__str__,
}
TENSOR_TYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "float16", "float32", "float64"}
TENSOR_TYPES |= {"bfloat16", "complex64", "complex128"}
PANDAS = {"Series", "Index", "ExtensionArray"}
"""The classes of pandas that are one column of values, as NumPy can have them."""


class Unreadable(Exception):
    """An answer that is not plain data of the expected form; the message says why in a sentence.

    ``of_shape`` says that an array was given or expected: its shape may depend on the inputs.
    """

    def __init__(self, message: str, of_shape: bool = False):
        super().__init__(message)
        self.of_shape = of_shape


def plain_data(value: Any, where: str = "your answer", depth: int = 0) -> Any:
    """Return a value in terms of Python's own types and NumPy's usual ones.

    Every mapping becomes a dictionary. NumPy's extended floats become float64. Fractions, decimals and
    SymPy's numbers become floats. Arrays of objects become lists, and so do SymPy's rows and columns of
    numbers. Columns of pandas become arrays. Tensors stay tensors. Anything else, such as a function, stays
    as it is.

    Parameters
    ----------
    value : object
    where : str
        How a message names the place.
    depth : int
        How many lists and dictionaries enclose it.

    Raises
    ------
    Unreadable
        If something cannot be read; the message says what, and what to do.

    Examples
    --------
    >>> from fractions import Fraction
    >>> plain_data({"share": Fraction(1, 4), "counts": np.array([1, 2], dtype=object)})
    {'share': 0.25, 'counts': [1, 2]}
    """
    if isinstance(value, int) and value.bit_length() > LONGEST:
        raise Unreadable(f"{where} has a whole number of thousands of digits. Compute with logarithms.")
    if type(value) in SIMPLE:
        return value
    if isinstance(value, (list, tuple, dict, set, frozenset)) and not isinstance(value, sp.Basic):
        return _container(value, where, depth + 1)
    if isinstance(value, Mapping) and not isinstance(value, sp.Basic):
        return _mapping(value, where, depth)
    if isinstance(value, np.ndarray):
        return _array(value, where, depth)
    if isinstance(value, np.generic):
        return _usual_floats(value) if value.dtype.kind in "fc" else _built_in(value, only=str)
    if isinstance(value, (int, float, complex, str)):
        return _built_in(value)
    if isinstance(value, sp.MatrixBase) and 1 in value.shape and not value.free_symbols:
        return plain_data(list(value), where, depth)
    if isinstance(value, sp.Poly):
        return value.as_expr()
    if isinstance(value, (Fraction, Decimal)):
        return _float(value)
    if isinstance(value, sp.Expr) and not isinstance(value, sp.Lambda) and not value.free_symbols:
        return _float(value)
    if of_torch(value):
        return _tensor(value, where)
    if any(_is_from("pandas", kind) and kind.__name__ in PANDAS for kind in type(value).__mro__):
        return _column(value, where, depth)
    return value


def _container(value: Any, where: str, depth: int) -> Any:
    if depth > DEPTH:
        raise Unreadable(f"{where[:60]} ... is too deeply nested. Give numbers, or a list of numbers.")
    if isinstance(value, dict):
        return {_key(key): _entry(entry, where, key, depth) for key, entry in dict.items(value)}
    if isinstance(value, (set, frozenset)):
        return set(value) if isinstance(value, set) else frozenset(value)
    entries = [_entry(entry, where, i, depth) for i, entry in enumerate(value)]
    return entries if isinstance(value, list) else tuple(entries)


def _mapping(value: Mapping, where: str, depth: int) -> Any:
    """A read-only view, a ``UserDict`` and so on as a dictionary; the object itself if it cannot be read."""
    try:
        found = {key: value[key] for key in value}
    except Exception:
        return value
    return plain_data(found, where, depth)


def _entry(entry: Any, where: str, place: Any, depth: int) -> Any:
    return entry if type(entry) in SIMPLE - {int} else plain_data(entry, f"{where}[{_key(place)!r}]", depth)


def _key(key: Any) -> Any:
    """A key of a dictionary; a key that is not data is replaced by the name of its type."""
    if isinstance(key, tuple):
        return tuple(_key(part) for part in key)
    known = type(key) in SIMPLE or isinstance(key, (int, float, str, np.generic, frozenset))
    return _built_in(key) if known else f"<{type(key).__name__}>"


def _built_in(value: Any, only: type = object) -> Any:
    """A number or text of a class of its own, such as an ``IntEnum``, as Python's number or text."""
    for kind, convert in BUILT_IN.items():
        if isinstance(value, kind) and issubclass(kind, only) and type(value) not in SIMPLE:
            return convert(value)
    return value


def _array(array: np.ndarray, where: str, depth: int) -> Any:
    if np.ma.is_masked(array):
        raise Unreadable(
            f"{where} has masked entries. Leave them out with `.compressed()`, or fill them with"
            f" `.filled(...)`."
        )
    array = np.asarray(array)
    if array.dtype.kind == "O":
        return plain_data(array.tolist(), where, depth)
    if array.dtype.kind not in "biufcU":
        raise Unreadable(f"{where} contains values of type {array.dtype}. Give numbers.")
    return _usual_floats(array) if array.dtype.kind in "fc" else array


def _usual_floats(value: Any) -> Any:
    """Extended floats, which no message can carry, as float64."""
    most, kind = (8, np.float64) if value.dtype.kind == "f" else (16, np.complex128)
    if value.dtype.itemsize <= most:
        return value
    with np.errstate(all="ignore"):
        return value.astype(kind)


def _float(number: Any) -> Any:
    try:
        return float(number)
    except (TypeError, ValueError, OverflowError, AttributeError):
        return number


def of_torch(value: Any) -> bool:
    """Whether the class of a value is one of PyTorch's, or derived from one."""
    return any(_is_from("torch", kind) for kind in type(value).__mro__)


def _is_from(package: str, kind: type) -> bool:
    return str(kind.__module__).partition(".")[0] == package


def _column(value: Any, where: str, depth: int) -> Any:
    """A column of pandas as an array, without its labels; the object itself if it cannot be read."""
    try:
        found = value.to_numpy()
    except Exception:
        return value
    return plain_data(found, where, depth) if isinstance(found, np.ndarray) else value


def _tensor(value: Any, where: str) -> Any:
    """A dense tensor on the CPU, of a type that NumPy and messages know; another object unchanged."""
    import torch

    if not isinstance(value, torch.Tensor):
        return value
    try:
        found = value.detach().as_subclass(torch.Tensor)
        found = found.dequantize() if found.is_quantized else found
        found = found if found.layout == torch.strided else found.to_dense()
        found = found.cpu().resolve_conj().resolve_neg()
        if str(found.dtype).removeprefix("torch.") not in TENSOR_TYPES:
            target = torch.float32 if found.is_floating_point() else torch.int64
            found = found.to(torch.complex64 if found.is_complex() else target)
        found.numpy() if found.dtype != torch.bfloat16 else found.float().numpy()
        return found.requires_grad_(value.requires_grad)
    except (RuntimeError, TypeError, ValueError, NotImplementedError):
        raise Unreadable(
            f"{where} is a tensor that cannot be read as numbers ({value.layout}, {value.dtype},"
            f" {value.device}). Give an ordinary tensor, or an array."
        ) from None
