"""Replaces the student's objects in the grader: each use of a replacement is a request to the worker."""

from __future__ import annotations

from typing import Any

from lmcourse.grading.inside.decoding import decode
from lmcourse.grading.inside.wire import Callable, Formula, Remote, WireError, encode
from lmcourse.grading.outside.limits import Limits, out_of_memory
from lmcourse.grading.outside.worker import Worker
from lmcourse.hints.answers import Unreadable, no_formula

MOST_TEXT = 500


class RemoteError(Exception):
    """An error that a student's function raised; ``kind`` is the name of its type, ``line`` where."""

    def __init__(self, kind: str, text: str, line: str):
        super().__init__(text)
        self.kind, self.line = kind, line


class RemoteFunction:
    """Calls a function of the worker."""

    def __init__(self, probe: Worker, number: int):
        self._probe, self._number = probe, number

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        request = {"do": "call", "number": self._number}
        request |= {"arguments": encode(list(arguments)), "keywords": encode(keywords)}
        return value_of(self._probe, self._probe.ask(request))


def fetch(probe: Worker, name: str) -> Any:
    """Return the value of a name of the student.

    Raises
    ------
    NameError
        If the name is not defined.
    """
    reply = probe.ask({"do": "fetch", "name": name})
    if reply.get("missing"):
        raise NameError(name)
    return value_of(probe, reply)


def evaluate(
    probe: Worker, answer: Any, symbols: tuple[str, ...], point: tuple, where: str = "your answer"
) -> Any:
    """Put numbers into SymPy expressions of the worker, also inside lists and dictionaries."""
    if isinstance(answer, dict):
        return {k: evaluate(probe, v, symbols, point, f"{where}[{k!r}]") for k, v in answer.items()}
    if isinstance(answer, (list, tuple)):
        return [evaluate(probe, v, symbols, point, f"{where}[{i}]") for i, v in enumerate(answer)]
    if not isinstance(answer, _StandIn) or answer.remote is None:
        no_formula(answer, where)
        return answer
    request = {"do": "evaluate", "number": answer.remote, "symbols": list(symbols), "where": where[:200]}
    return value_of(probe, probe.ask(request | {"point": encode([float(x) for x in point])}))


def value_of(probe: Worker, reply: dict) -> Any:
    """Return the value in a reply, or raise the error that it describes.

    Raises
    ------
    Unreadable
        If the value cannot be read as data.
    RemoteError, NotImplementedError
        If the student's code raised an error.
    Lost
        If it ran out of memory.
    """
    if "value" in reply:
        try:
            return decode(reply["value"], lambda remote: _stand_in(probe, remote))
        except (WireError, ValueError, TypeError, OverflowError, RecursionError, MemoryError) as error:
            raise Unreadable(f"your answer cannot be read: {str(error)[:200]}.") from None
    if "unreadable" in reply:
        message = clean_text(reply["unreadable"])  # of `hints.answers`, unless the answer forges it
        raise Unreadable(message if message.startswith("your answer") else f"your answer says: {message}")
    raise error_of(reply, probe.limits)


def error_of(reply: dict, limits: Limits) -> BaseException:
    """Return the error that an untrusted reply describes."""
    error = reply.get("error")
    error = error if isinstance(error, dict) else {}
    kind, what, line = (clean_text(error.get(field, "")) for field in ("type", "text", "line"))
    if kind == "MemoryError":
        return out_of_memory(limits)
    if kind == "WireError":
        return Unreadable(f"your answer cannot be read: {what}.")
    if kind == "NotImplementedError":
        return NotImplementedError(what)
    return RemoteError(kind or "an error", what, line.strip())


def clean_text(value: Any) -> str:
    """Return untrusted text on one line, bounded, without control characters."""
    value = value if isinstance(value, str) else ""
    return "".join(c if c.isprintable() else " " for c in value[:MOST_TEXT])


class _StandIn:
    """An object of the worker that is not data; ``remote`` is the number of a formula."""

    remote: int | None = None


def _stand_in(probe: Worker, remote: Remote) -> Any:
    if isinstance(remote, Callable):
        return RemoteFunction(probe, remote.number)
    formula = isinstance(remote, Formula)
    module = "sympy" if formula else clean_text(remote.module)
    made = type(clean_text(remote.kind) or "object", (_StandIn,), {"__module__": module})()
    made.remote = remote.number if formula else None
    return made
