"""The form in which the grader and the worker send each other data: JSON with a tag on every value.

No pickle: to decode a message runs no code of its sender. `lmcourse.grading.inside.decoding` accepts
exactly the forms that `encode` makes and refuses everything else. This file also runs in the worker, so it
imports nothing of the course.

Of an object without such a form only the name of its type is sent: a function becomes a `Callable`, a SymPy
expression a `Formula`, and any other object an `Other`. The two sides agree on a number for the first two, so
that the grader can ask for a call or for a value at a point.
"""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Callable as Function
from dataclasses import dataclass
from typing import Any

import numpy as np

DEPTH = 30
NODES = 300_000
TEXT = 1_000_000
DTYPES = {"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"} | {
    "float16", "float32", "float64", "complex64", "complex128",
}  # fmt: skip
TENSORS = DTYPES - {"uint16", "uint32", "uint64"} | {"bfloat16"}
RECORDS = {"Score": ("lmmetrics.score", ("nats", "tokens", "words", "chars", "bytes"))}
"""Frozen classes that are rebuilt by their own constructor, which checks the fields: module, and fields."""


class WireError(ValueError):
    """A value that cannot be sent, or a message that is not of the agreed form."""


@dataclass(frozen=True)
class Remote:
    """An object that stays in the other process: the name of its type, its module, and its number there."""

    kind: str
    module: str
    number: int


class Callable(Remote):
    """A function, or another object that can be called."""


class Formula(Remote):
    """A SymPy expression."""


class Other(Remote):
    """Anything else; it has no number."""


def encode(value: Any, keep: Function[[Any], int] | None = None) -> Any:
    """Return JSON data for a value.

    Parameters
    ----------
    value : object
    keep : callable, optional
        Stores an object that stays here and returns its number; without it such an object is an error.

    Raises
    ------
    WireError
        If the value is too large or too deep.

    Examples
    --------
    >>> encode((1, "a"))
    ['tuple', [['int', 1], ['str', 'a']]]
    """
    return _Encoder(keep).encode(value, 0)


class _Encoder:
    def __init__(self, keep):
        self.keep, self.nodes = keep, 0

    def encode(self, value, depth):
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            raise WireError("the value is too large or too deeply nested")
        kind = type(value)
        if value is None or value is Ellipsis:
            return ["none"] if value is None else ["ellipsis"]
        if kind is bool:
            return ["bool", value]
        if isinstance(value, np.generic):
            return self._scalar(value)
        if isinstance(value, int):
            return ["int", int(value)] if int(value).bit_length() < 13_000 else self._other(value)
        if isinstance(value, float):
            return ["float", _as_text(float(value))]
        if isinstance(value, complex):
            return ["complex", _as_text(value.real), _as_text(value.imag)]
        if isinstance(value, str):
            if len(value) > TEXT:
                raise WireError("a text is too long")
            return ["str", str.__str__(value)]
        if isinstance(value, (list, tuple, set, frozenset)) and not _of(value, "sympy"):
            tag = next(c.__name__ for c in (list, tuple, set, frozenset) if isinstance(value, c))
            return [tag, [self.encode(entry, depth + 1) for entry in value]]
        if isinstance(value, dict) and not _of(value, "sympy"):
            items = dict.items(value)
            return ["dict", [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in items]]
        if isinstance(value, np.ndarray):
            return self._array(np.asarray(value))
        if isinstance(value, np.random.Generator):
            return ["generator", value.bit_generator.state]
        return self._rare(value, kind, depth)

    def _rare(self, value, kind, depth):
        torch = sys.modules.get("torch")
        if torch is not None and isinstance(value, torch.Tensor):
            dtype = str(value.dtype).removeprefix("torch.")
            on_cpu = value.detach().cpu()
            array = (on_cpu.float() if dtype == "bfloat16" else on_cpu).numpy()
            return ["tensor", dtype, bool(value.requires_grad), self._array(array)]
        record = RECORDS.get(kind.__name__)
        if record and kind.__module__ == record[0]:
            return ["record", kind.__name__, [self.encode(getattr(value, f), depth + 1) for f in record[1]]]
        sympy = sys.modules.get("sympy")
        if sympy is not None and isinstance(value, (sympy.Basic, sympy.MatrixBase)):
            return self._remote("callable" if isinstance(value, sympy.Lambda) else "formula", value)
        return self._remote("callable", value) if callable(value) else self._other(value)

    def _scalar(self, value):
        if isinstance(value, np.str_):
            return ["str", str(value)]
        if value.dtype.name not in DTYPES:
            return self._other(value)
        return ["scalar", self._array(np.asarray(value))]

    def _array(self, array):
        if array.dtype.kind == "U":
            self.nodes += array.size
            if self.nodes > NODES:
                raise WireError("an array of texts is too large")
            return ["texts", list(array.shape), [str(text) for text in array.ravel()]]
        name = array.dtype.name
        if name not in DTYPES:
            return self._other(array)
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        return ["array", name, list(array.shape), base64.b64encode(little.tobytes()).decode("ascii")]

    def _remote(self, tag, value):
        if self.keep is None:
            raise WireError(f"a value of type {type(value).__name__} cannot be sent to the grader")
        return [tag, type(value).__name__[:80], str(type(value).__module__)[:80], self.keep(value)]

    def _other(self, value):
        return ["other", type(value).__name__[:80], str(type(value).__module__)[:80], 0]


def _of(value, package):
    return str(type(value).__module__).partition(".")[0] == package


def _as_text(value: float) -> float | str:
    """JSON has no infinities and no NaN."""
    return value if math.isfinite(value) else repr(value)
