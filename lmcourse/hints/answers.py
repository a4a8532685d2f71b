"""Read a student's answer as plain data, or say in one sentence why it cannot be read.

Whether an answer is right is decided in `lmcourse.hints.judging`. Hostile objects never get this far: a
grader runs the answers in a process of their own and receives plain data.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from lmcourse.hints.plain_data import Unreadable, of_torch, plain_data

__all__ = ["Unreadable", "agreement", "evaluate", "numbers", "plain_data", "read", "shortened"]

HELD = {"b": "truth values", "U": "text", "O": "objects that are not numbers"}
"""What an array contains if not numbers, by the letter of its type."""

CURES = {
    "mpf": "Use `float(...)`.",
    "DataFrame": 'Use `.to_numpy()` for an array, or `.to_dict("list")` for a dictionary.',
}
CURES |= dict.fromkeys(
    ("generator", "map", "filter", "zip", "range", "deque", "dict_values", "dict_keys"), "Use `list(...)`."
)
"""What to do about a value, by the name of its type."""


class Expected(NamedTuple):
    """What is expected at a place: in words, and the type of a right value there."""

    words: str
    kind: type


ENTRY = Expected("a number", float)
"""What every entry of an array is."""


def read(answer: Any, like: Any, where: str = "your answer") -> Any:
    """Return ``answer`` as plain data in the form of ``like``: float, float64 array, string, or a dict.

    Parameters
    ----------
    answer : object
        What the student gave. NumPy arrays, lists, columns of pandas, and tensors without a gradient count as
        numbers, and so do fractions, decimals and SymPy's numbers.
    like : float, ndarray, str or dict
        A right value. Its form is what is expected: shape, keys, and which entries are text.
    where : str
        How a message names the place.

    Raises
    ------
    Unreadable
        If it cannot be read; the message says what was given, what was expected, and what to do.

    Examples
    --------
    >>> read([1, 2], like=np.zeros(2))
    array([1., 2.])
    >>> read(None, like=0.0)
    Traceback (most recent call last):
    lmcourse.hints.plain_data.Unreadable: your answer is None, but one number is expected. Does the function
    end with `return`?
    """
    return _read(plain_data(answer, where), like, where)


def _read(answer: Any, like: Any, where: str) -> Any:
    if isinstance(like, dict):
        if not isinstance(answer, dict):
            raise _refusal(answer, where, Expected(f"a dictionary with {_keys(like)}", dict))
        if answer.keys() != like.keys():
            raise Unreadable(f"{where} has {_keys(answer)}. Its keys must be exactly {_names(like)}.")
        return {key: _read(answer[key], like[key], f"{where}[{key!r}]") for key in like}
    if isinstance(like, str):
        if not isinstance(answer, str):
            raise _refusal(answer, where, Expected("a string in quotes", str))
        return str(answer).strip()
    return _read_numbers(answer, np.shape(like), where)


def evaluate(answer: Any, names: Sequence[str], point: Sequence[float], where: str = "your answer") -> Any:
    """Put numbers into a SymPy expression, or into each entry of a list or dictionary of expressions.

    Symbols are matched by name, so assumptions such as ``positive=True`` do not matter.

    Examples
    --------
    >>> x = sp.Symbol("x", positive=True)
    >>> evaluate({"square": x**2}, names=["x"], point=[3.0])
    {'square': 9.0}
    """
    return _evaluate(plain_data(answer, where), dict(zip(names, point, strict=True)), where)


def _evaluate(answer: Any, values: dict[str, float], where: str) -> Any:
    if isinstance(answer, dict):
        return {key: _evaluate(value, values, f"{where}[{key!r}]") for key, value in answer.items()}
    if isinstance(answer, (list, tuple, sp.Tuple, sp.MatrixBase)):
        return [_evaluate(value, values, f"{where}[{i}]") for i, value in enumerate(answer)]
    if isinstance(answer, sp.Equality):
        raise Unreadable(f"{where} is an equation. Give the expression on its right-hand side (`.rhs`).")
    if not isinstance(answer, sp.Expr) or isinstance(answer, sp.Lambda):
        no_formula(answer, where)
        return answer
    if answer.has(sp.Order):
        raise Unreadable(f"{where} still has the O-term of its series. Take it away with `.removeO()`.")
    strangers = sorted({symbol.name for symbol in answer.free_symbols} - values.keys())
    if strangers:
        names = ", ".join(values)
        raise Unreadable(f"{where} contains {', '.join(strangers)}. Use only the symbols {names}.")
    return _number_at(answer, values, where)


def no_formula(answer: Any, where: str) -> None:
    """Raise `Unreadable` for a text or a function where an expression is expected."""
    expected = "but a SymPy expression is expected."
    if isinstance(answer, str):
        raise Unreadable(f"{where} is the text {answer[:40]!r}, {expected} Remove the quotes.")
    if isinstance(answer, sp.Lambda) or (callable(answer) and not isinstance(answer, sp.Basic)):
        raise Unreadable(f"{where} is a function, {expected} Give the formula itself.")


def _number_at(answer: sp.Expr, values: dict[str, float], where: str) -> float | complex:
    try:
        found = (
            answer.doit().xreplace({s: sp.Float(values[s.name], 30) for s in answer.free_symbols}).evalf(20)
        )
        number = complex(found)
    except (TypeError, ValueError, AttributeError, NotImplementedError, ArithmeticError):
        raise Unreadable(
            f"{where} does not become a number when numbers are put in. Finish the sum or derivative"
            f" with `.doit()`."
        ) from None
    if np.isnan(number):
        what = "infinite" if found is sp.zoo else "not a number (nan)"
        told = ", ".join(f"{name} = {value:.6g}" for name, value in values.items())
        raise Unreadable(f"{where} is {what}{f' for {told}' if told else ''}. Look for a division by zero.")
    return number.real if abs(number.imag) < 1e-12 else number


def agreement(answer: Any, target: Any, rtol: float, atol: float) -> np.ndarray:
    """Compare two values of the same form number by number, and return one boolean for each number or string.

    Infinities agree with infinities of the same sign, and NaN with NaN: a wrong formula may give them. In
    texts, one blank is as good as several or as a new line.

    Examples
    --------
    >>> agreement({"nats": 1.0, "who": "a"}, {"nats": 1.0, "who": "b"}, rtol=1e-6, atol=0.0)
    array([ True, False])
    """
    with np.errstate(invalid="ignore"):
        close = np.isclose(numbers(answer), numbers(target), rtol=rtol, atol=atol, equal_nan=True)
    same = [a.split() == b.split() for a, b in zip(_texts(answer), _texts(target), strict=True)]
    return np.concatenate([close, np.array(same, dtype=bool)])


def numbers(value: Any) -> np.ndarray:
    """Return all numbers of a value that `read` returned, as one float64 vector."""
    parts = [np.ravel(leaf) for leaf in _leaves(value) if not isinstance(leaf, str)]
    return np.concatenate([np.zeros(0), *parts])


def shortened(value: Any, limit: int = 160) -> str:
    """Return a value on one line and not longer than ``limit`` characters, for use in a message.

    Examples
    --------
    >>> shortened(np.array([0.5, 0.25]))
    '[0.5, 0.25]'
    >>> shortened(np.zeros((20, 30)))
    'array of shape (20, 30)'
    """
    if isinstance(value, np.random.Generator):
        return "a random generator"
    if isinstance(value, dict):
        text = "{" + ", ".join(f"{key!r}: {shortened(entry)}" for key, entry in value.items()) + "}"
    elif isinstance(value, (list, tuple)):
        text = "[" + ", ".join(shortened(entry) for entry in value) + "]"
    elif np.ndim(value):
        text = _short_array(np.asarray(value))
    elif isinstance(value, (float, np.floating)):
        text = f"{value:.6g}"
    else:
        text = str(value)
    return text if len(text) <= limit else text[: limit - 3].rstrip(".") + "..."


def _short_array(array: np.ndarray) -> str:
    if array.size > 24:
        return f"array of shape {array.shape}"
    return "[" + ", ".join(shortened(entry) for entry in array) + "]"


def _leaves(value: Any) -> Iterable:
    if isinstance(value, dict):
        for key in value:
            yield from _leaves(value[key])
    else:
        yield value


def _texts(value: Any) -> list[str]:
    return [leaf for leaf in _leaves(value) if isinstance(leaf, str)]


def _names(keys: Iterable) -> str:
    return ", ".join(repr(key) for key in keys) or "(none)"


def _keys(found: dict) -> str:
    return f"the {'key' if len(found) == 1 else 'keys'} {_names(found)}"


def _refusal(answer: Any, where: str, expected: Expected) -> Unreadable:
    """The error for a value of the wrong type: what it is, and what to do about it."""
    what, cure = f"of the type {type(answer).__name__}", ""
    module = str(type(answer).__module__).partition(".")[0]
    if answer is None:
        what, cure = "None", "Does the function end with `return`?"
    elif answer is Ellipsis:
        what, cure = "still `...`", "Put your result in its place."
    elif isinstance(answer, str):
        what = f"the text {answer[:40]!r}"
        cure = "" if expected.kind is dict else "Give a number without quotes."
    elif isinstance(answer, dict):
        what = f"a dictionary with {_keys(answer)}"
    elif isinstance(answer, (bool, np.bool_)):
        what = str(bool(answer))
    elif isinstance(answer, (complex, np.complexfloating)):
        what, cure = "complex", _why_complex(np.asarray(answer))
    elif module == "torch" and getattr(answer, "requires_grad", False):
        what = "a tensor that still carries its gradient"
        cure = "End with `.item()` for one number, or `.detach()` for several."
    elif callable(answer):
        what, cure = "a function", "Call it, and give what it returns."
    elif isinstance(answer, sp.Basic) or module == "sympy":
        what, cure = "a SymPy object", _cure_of_sympy(type(answer).__name__, expected.kind)
    elif type(answer).__name__ in CURES:
        cure = CURES[type(answer).__name__]
    elif isinstance(answer, tuple) and expected.kind is dict:
        cure = "Give a dictionary; a named tuple becomes one with `._asdict()`."
    elif isinstance(answer, (int, float, np.number)):
        what = "a number"
    return _instead(f"{where} is {what}", expected, cure)


def _instead(given: str, expected: Expected, cure: str = "", array: bool = False) -> Unreadable:
    """The error that says what was given, what is expected, and what to do; ``array`` was given."""
    told = f"{given}, but {expected.words} is expected. {cure}".rstrip()
    return Unreadable(told, of_shape=array or expected.kind is np.ndarray)


def _cure_of_sympy(kind: str, expected: type) -> str:
    if kind == "Dict" and expected is dict:
        return "Use `dict(...)`."
    if expected is np.ndarray and ("Matrix" in kind or "Array" in kind or kind == "Tuple"):
        return "Turn it into an array: `np.array(x, dtype=float)`."
    return "Turn it into a number with `float(...)`."


def _read_numbers(answer: Any, shape: tuple[int, ...], where: str) -> float | np.ndarray:
    expected = Expected("one number", float)
    if shape:
        expected = Expected(f"an array of numbers of shape {shape}", np.ndarray)
    array = _as_array(_numbers_in(answer, where, expected), where, expected)
    if array.dtype.kind == "c":
        raise _instead(f"{where} is complex", expected, _why_complex(array))
    if array.dtype.kind not in "fiu":
        held = HELD.get(array.dtype.kind, f"values of the type {array.dtype}")
        raise _instead(f"{where} contains {held}", expected)
    if array.shape != shape:
        given = f"an array of shape {array.shape}" if array.ndim else "one number"
        raise _instead(f"{where} is {given}", expected, array=array.ndim > 0)
    return array.astype(np.float64) if shape else float(array)


def _numbers_in(answer: Any, where: str, expected: Expected) -> Any:
    """Numbers, arrays and lists of them, with tensors converted; anything else is refused."""
    if isinstance(answer, (list, tuple)):
        place = where if expected is ENTRY else f"an entry of {where}"
        return [_numbers_in(entry, place, ENTRY) for entry in answer]
    if of_torch(answer) and not getattr(answer, "requires_grad", True):
        return (answer.float() if str(answer.dtype) == "torch.bfloat16" else answer).numpy()
    if isinstance(answer, bool) or not isinstance(answer, (int, float, complex, np.number, np.ndarray)):
        raise _refusal(answer, where, expected)
    return answer


def _as_array(answer: Any, where: str, expected: Expected) -> np.ndarray:
    try:
        array = np.asarray(answer)
        return array if array.dtype.kind != "O" else array.astype(np.float64)  # large whole numbers
    except ValueError:
        raise _instead(f"{where} has rows of different lengths", expected) from None
    except OverflowError:
        raise Unreadable(
            f"{where} has a whole number of more than 300 digits. Compute with logarithms."
        ) from None


def _why_complex(array: np.ndarray) -> str:
    """What to look for where an answer is complex."""
    if not np.isfinite(array).all():
        return "It is also infinite or not a number (nan): look for a division by zero."
    if not array.imag.any():
        return "All its imaginary parts are 0, as NumPy's `eig` gives them: take `.real`."
    return "Look for the logarithm or root of a negative number, or for complex eigenvalues."
