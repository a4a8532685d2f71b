"""Answers in words, choices or lists: functions that return a question's ``reading``."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from lmcourse.hints.answers import plain_data

Reading = Callable[..., tuple[Any, dict]]


def read_choices(words: Iterable[str], other: Mapping[str, str] | None = None) -> Reading:
    """Return a question's ``reading`` of choices among these words, whatever their case and small additions.

    ``other`` has further names for some of the words.

    Examples
    --------
    >>> read_choices(("line", "tale"), {"document": "tale"})({"A": " Lines", "B": "document"})
    ({'A': 'line', 'B': 'tale'}, {})
    """
    words = tuple(words)
    names = {word: word for word in words} | dict(other or {})

    def read_one(key: str, given: Any) -> tuple[str, str]:
        text = re.sub(r"[^a-z]+", " ", given.lower()).split() if isinstance(given, str) else []
        plain = " ".join(word for word in text if word not in ("by", "a", "the", "split", "is"))
        for form in (plain, plain.removesuffix("s")):
            if form in names:
                return names[form], ""
        return "", f'"{key}" is {given!r}. Choose one of the words {", ".join(words)}.'

    return read_entries(read_one)


def read_entries(read_one: Callable[[str, Any], tuple[Any, str]]) -> Reading:
    """Return a ``reading`` that reads each entry of a dictionary: its value, and what cannot be read."""

    def reading(answer: Any, *case: Any) -> tuple[Any, dict]:
        answer = plain_data(answer)
        if not isinstance(answer, dict):
            return answer, {}
        entries = {key: read_one(key, given) for key, given in answer.items()}
        problems = {key: problem for key, (_, problem) in entries.items() if problem}
        return {key: value for key, (value, _) in entries.items()}, problems

    return reading


def read_lists(*keys: str) -> Reading:
    """Return a ``reading`` of texts that may also be lists of texts, or have other blanks or capitals.

    Examples
    --------
    >>> read_lists("verdicts")({"verdicts": ["same", "Text"]})
    ({'verdicts': 'same; text'}, {})
    """

    def reading(answer: Any, *case: Any) -> tuple[Any, dict]:
        answer = plain_data(answer)
        if isinstance(answer, dict):
            answer = {key: _joined(entry) if key in keys else entry for key, entry in answer.items()}
        return answer, {}

    return reading


def _joined(entry: Any) -> Any:
    if isinstance(entry, np.ndarray):
        entry = entry.tolist()
    if isinstance(entry, list | tuple):
        entry = "; ".join(map(str, entry))
    if isinstance(entry, str):
        return "; ".join(part.strip().lower() for part in entry.strip("; \n").split(";"))
    return entry
