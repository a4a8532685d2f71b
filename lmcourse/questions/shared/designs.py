"""Designs: answers that may have many right forms, each judged by what it does.

`by_what_it_does` makes the ``reading`` of such a question. It replaces every entry of an answer by one of our
own examples: the right value if the entry does what is asked, the wrong value of a usual mistake if it
does that. So a design is compared as any other value is, and an example of ours stays what it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

RIGHT = "right"

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
