"""Read what `lmcourse.grading.inside.wire` encodes, and nothing else.

Every tag, type and size is checked before a value is built. This file also runs in the worker, so
it imports nothing of the course but `wire`.
"""

from __future__ import annotations

import base64
import math
import sys
from collections.abc import Callable as Function
from typing import Any

import numpy as np

from lmcourse.grading.inside.wire import (
    DEPTH,
    DTYPES,
    NODES,
    RECORDS,
    TENSORS,
    TEXT,
    Callable,
    Formula,
    Other,
    Remote,
    WireError,
)


def decode(data: Any, remote: Function[[Remote], Any] | None = None) -> Any:
    """Return the value that JSON data encodes.

    Parameters
    ----------
    data : object
        What ``json.loads`` made of a message.
    remote : callable, optional
        Turns a `Remote` into its substitute in this process; by default a `Remote` is returned unchanged.

    Raises
    ------
    WireError
        If the data is not exactly of the agreed form.

    Examples
    --------
    >>> from lmcourse.grading.inside.wire import encode
    >>> decode(encode({"nats": np.array([0.5, 1.0])}))
    {'nats': array([0.5, 1. ])}
    >>> decode(["array", "object", [1], "AAAA"])
    Traceback (most recent call last):
    lmcourse.grading.inside.wire.WireError: an array of type 'object' is not supported
    """
    return _Decoder(remote).decode(data, 0)


class _Decoder:
    def __init__(self, remote):
        self.remote, self.nodes, self.left = remote, 0, 10 * NODES

    def decode(self, data, depth):
        self.nodes += 1
        if depth > DEPTH or self.nodes > NODES:
            raise WireError("a message is too large or too deeply nested")
        _expect(type(data) is list and len(data) > 0 and type(data[0]) is str, "a value without a tag")
        _expect(data[0] in _SIZES, f"the tag {data[0][:40]!r}")
        method = getattr(self, f"_{data[0]}")
        _expect(len(data) == _SIZES[data[0]], f"a value {data[0]!r} of the wrong length")
        return method(depth, *data[1:])

    def _spend(self, letters, what):
        """Take memory, in letters of 4 bytes, from the budget of the whole message.

        Some values become much larger than their form in the message. So the length of a message
        alone does not bound the memory that an answer can make the grader use.
        """
        self.left -= letters
        _expect(self.left >= 0, what)

    def _none(self, depth):
        return None

    def _ellipsis(self, depth):
        return Ellipsis

    def _bool(self, depth, value):
        _expect(type(value) is bool, "a truth value")
        return value

    def _int(self, depth, value):
        _expect(type(value) is int, "a whole number")
        return value

    def _float(self, depth, value):
        return _number(value)

    def _complex(self, depth, real, imaginary):
        return complex(_number(real), _number(imaginary))

    def _str(self, depth, value):
        _expect(type(value) is str and len(value) <= TEXT, "a text")
        return value

    def _list(self, depth, entries):
        _expect(type(entries) is list, "a list")
        return [self.decode(entry, depth + 1) for entry in entries]

    def _tuple(self, depth, entries):
        return tuple(self._list(depth, entries))

    def _set(self, depth, entries):
        return set(self._keys(self._list(depth, entries)))

    def _frozenset(self, depth, entries):
        return frozenset(self._set(depth, entries))

    def _dict(self, depth, items):
        _expect(type(items) is list and all(type(i) is list and len(i) == 2 for i in items), "a dictionary")
        keys = self._keys([self.decode(k, depth + 1) for k, _ in items])
        return dict(zip(keys, [self.decode(v, depth + 1) for _, v in items], strict=True))

    def _keys(self, keys):
        """Dictionary keys, limited in number so that deliberate hash collisions stay cheap."""
        many = sum(type(key) is not str for key in keys)
        _expect(many <= KEYS, f"a set or dictionary with more than {KEYS} keys other than texts")
        return [_hashable(key) for key in keys]

    def _scalar(self, depth, array):
        value = self.decode(array, depth + 1)
        _expect(type(value) is np.ndarray and value.shape == (), "a NumPy number")
        return value[()]

    def _array(self, depth, name, shape, text):
        _expect(type(name) is str and name in DTYPES, f"an array of type {str(name)[:40]!r}")
        count = self._count(shape)
        _expect(type(text) is str and text.isascii(), "the encoding of an array")
        try:
            raw = base64.b64decode(text, validate=True)
        except ValueError:
            raise WireError("the encoding of an array is not supported") from None
        dtype = np.dtype(name).newbyteorder("<")
        _expect(len(raw) == count * dtype.itemsize, "an array whose size is not its shape's")
        if name == "bool":
            _expect(set(raw) <= {0, 1}, "an array of truth values")
        return np.frombuffer(raw, dtype).reshape(shape).astype(np.dtype(name))

    def _texts(self, depth, shape, texts):
        _expect(type(texts) is list and all(type(text) is str for text in texts), "an array of texts")
        _expect(self._count(shape) == len(texts), "an array whose size is not its shape's")
        longest = max(map(len, texts), default=0)
        self._spend(longest * len(texts), "a large array of texts")
        return np.array(texts, dtype=f"U{max(1, longest)}").reshape(shape)

    def _count(self, shape):
        _expect(type(shape) is list and len(shape) <= 16, "an array's shape")
        _expect(all(type(n) is int and 0 <= n < 2**40 for n in shape), "an array's shape")
        return math.prod(shape)

    def _tensor(self, depth, dtype, gradient, array):
        import torch  # a second and a half: only for those who hand tensors over

        _expect(type(dtype) is str and dtype in TENSORS and type(gradient) is bool, "a tensor")
        values = self.decode(array, depth + 1)
        _expect(type(values) is np.ndarray, "a tensor")
        _expect(values.dtype.name == ("float32" if dtype == "bfloat16" else dtype), "a tensor")
        tensor = torch.from_numpy(values.copy()).to(getattr(torch, dtype))
        _expect(not gradient or tensor.is_floating_point() or tensor.is_complex(), "a tensor")
        return tensor.requires_grad_(gradient)

    def _generator(self, depth, state):
        self._spend(OBJECT, "a message with that many random generators")
        try:
            generator = np.random.default_rng(state["state"]["state"])  # for `spawn`, which goes by the seed
            generator.bit_generator.state = state
        except (ValueError, TypeError, KeyError, OverflowError) as error:
            raise WireError(f"a random generator is not supported ({type(error).__name__})") from None
        return generator

    def _record(self, depth, name, fields):
        _expect(type(name) is str and name in RECORDS and type(fields) is list, "a record")
        module, names = RECORDS[name]
        _expect(len(fields) == len(names), "a record")
        __import__(module)
        values = [self.decode(field, depth + 1) for field in fields]
        try:
            return getattr(sys.modules[module], name)(**dict(zip(names, values, strict=True)))
        except (TypeError, ValueError, OverflowError) as error:
            raise WireError(f"a {name} cannot be made: {error}") from None

    def _formula(self, depth, *description):
        return self._make(Formula, *description)

    def _callable(self, depth, *description):
        return self._make(Callable, *description)

    def _other(self, depth, *description):
        return self._make(Other, *description)

    def _make(self, kind, name, module, number):
        _expect(all(type(text) is str and len(text) <= 80 for text in (name, module)), "a name")
        _expect(type(number) is int and 0 <= number < 2**31, "a number of an object")
        self._spend(OBJECT, "a message with that many objects")
        found = kind(name, module, number)
        return found if self.remote is None else self.remote(found)


_SIZES = {"none": 1, "ellipsis": 1, "bool": 2, "int": 2, "float": 2, "complex": 3, "str": 2, "list": 2} | {
    "tuple": 2, "set": 2, "frozenset": 2, "dict": 2, "scalar": 2, "array": 4, "texts": 3, "tensor": 4,
    "generator": 2, "record": 3, "formula": 4, "callable": 4, "other": 4,
}  # fmt: skip


KEYS, LARGEST_KEY = 2_000, 2**60
"""How many keys other than texts a set or dictionary may have, and a bound on whole numbers among them."""
OBJECT = 500
"""The memory of an object that a few letters of a message create, in letters of 4 bytes."""
NOT_FINITE = {"inf", "-inf", "nan"}


def _number(value: Any) -> float:
    _expect(type(value) in (int, float) or (type(value) is str and value in NOT_FINITE), "a number")
    try:
        return float(value)
    except OverflowError:
        raise WireError("a number is not supported") from None


def _hashable(value: Any) -> Any:
    _expect(type(value) is not int or abs(value) < LARGEST_KEY, "a key as large as 2**60")
    try:
        hash(value)
    except TypeError:
        raise WireError("a key is not supported") from None
    return value


def _expect(condition: bool, what: str) -> None:
    if not condition:
        raise WireError(f"{what} is not supported")
