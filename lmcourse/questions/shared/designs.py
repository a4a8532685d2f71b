"""Designs: answers that may have many right forms, each judged by what it does.

`by_what_it_does` makes the ``reading`` of such a question. It replaces every entry of an answer by one of our
own examples: the right value if the entry does what is asked, the wrong value of a usual mistake if it
does that. So a design is compared as any other value is, and an example of ours stays what it is.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data
from lmcourse.hints.plain_data import of_torch

RIGHT = "right"
REFUTED = f"refuted {secrets.token_hex(8)}"
"""How an example that refutes its statement is read; nobody can give it as an answer."""

Look = Callable[[Any], str]
"""Looks at an entry: returns `RIGHT`, the name of an example, or a sentence that says what is wrong."""


def by_what_it_does(
    looks: Mapping[str, Look], examples: Mapping[str, Mapping[str, Any]], one: bool = False
) -> Callable[[Any], tuple[Any, dict]]:
    """Return a ``reading`` (see `lmcourse.hints.question.Question`).

    Parameters
    ----------
    looks : mapping
        For each key of the answer the function that judges its entry.
    examples : mapping
        For each key our examples by the names that ``looks`` returns, `RIGHT` among them.
    one : bool
        Whether one design is the whole answer, which every look is given.
    """

    def reading(given: Any, *case: Any) -> tuple[Any, dict]:
        if one and not isinstance(given, dict):
            given = dict.fromkeys(looks, given)
        if not isinstance(given, dict):
            return given, {None: f"give a dictionary with the keys {', '.join(map(repr, looks))}."}
        if given.keys() != looks.keys():
            names = ", ".join(map(repr, looks))
            return given, {None: f"the keys of the dictionary must be exactly {names}."}
        value, problems = {}, {}
        for key, look in looks.items():
            found = look(given[key])
            value[key] = examples[key].get(found, examples[key]["not read"])
            if found not in examples[key]:
                problems[key] = found if one else f'"{key}": {found}'
        if one and len(set(problems.values())) == 1 and len(problems) == len(looks):
            return given, {None: next(iter(problems.values()))}
        return value, problems

    return reading


def chosen(examples: Mapping[str, Mapping[str, Any]], name: str = RIGHT, *keys: str) -> Callable[[], dict]:
    """Return a formula without inputs: at these keys the example of this name, elsewhere the right one.

    Examples
    --------
    >>> examples = {"rows": {"right": 1, "M54": 2}, "text": {"right": 3}}
    >>> chosen(examples)(), chosen(examples, "M54", "rows")()
    ({'rows': 1, 'text': 3}, {'rows': 2, 'text': 3})
    """
    return lambda: {key: mine[name if key in keys else RIGHT] for key, mine in examples.items()}


def always_or_example(
    forms: Mapping[str, str], refute: Callable[[str, Any], str]
) -> Callable[[Any], tuple[Any, dict]]:
    """Return a ``reading`` for statements that hold always, or are refuted by an example of the student's.

    An example that refutes its statement is read as `REFUTED`.

    Parameters
    ----------
    forms : mapping
        For each statement the form of an example, such as "(p, q, r)".
    refute : callable
        From a statement and an example to what is wrong with the example: the rest of a sentence that begins
        with 'The example of "A"', or "" if it refutes the statement.
    """

    def read(key: str, given: Any) -> tuple[str, str]:
        word = given.strip().strip(".").lower() if isinstance(given, str) else None
        if word in ("always", REFUTED):
            return word, ""
        if of_torch(given):
            given = given.detach().tolist()
        if not isinstance(given, list | tuple | np.ndarray):
            return (
                "",
                f'"{key}" is {given!r}. Write "always", or give an example {forms[key]} that refutes it.',
            )
        told = refute(key, given)
        return ("", f'The example of "{key}" {told}') if told else (REFUTED, "")

    def reading(answer: Any, *case: Any) -> tuple[Any, dict]:
        answer = plain_data(answer)
        if not isinstance(answer, dict) or set(answer) != set(forms):
            keys = ", ".join(map(repr, forms))
            raise Unreadable(
                f'your answer must be a dictionary with the keys {keys}. Each entry is "always", or an '
                "example that refutes the statement."
            )
        found = {key: read(key, answer[key]) for key in forms}
        return {key: word for key, (word, _) in found.items()}, {
            k: told for k, (_, told) in found.items() if told
        }

    return reading


def refuted_but(always: str) -> Callable[[], dict]:
    """Return a formula without inputs: "always" for these of the statements A to D, else `REFUTED`."""
    return lambda: {key: "always" if key in always else REFUTED for key in "ABCD"}
