"""Reports that are judged by one number each: the verdict is the suspect whose number is nearest."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.questions.shared.units import EXPONENT


def exponents(names: str, tokens: int, padding: int = 0, sentences: int = 0) -> dict[str, float]:
    """Return ln r / ln R for reports with these counts, by mistake ("none" for a report that is right).

    Examples
    --------
    >>> exponents("none M19 M25", tokens=300, padding=100, sentences=50)
    {'none': 1.0, 'M19': 0.75, 'M25': 1.2}
    """
    counted = {"none": tokens, "M19": tokens + padding, "M25": tokens - sentences, "M26": tokens + sentences}
    return {name: EXPONENT.get(name) or tokens / counted[name] for name in names.split()}


@dataclass(frozen=True)
class Audit:
    """The right formula of a task about reports; a mistake replaces the evidence or the suspects.

    Attributes
    ----------
    name : str
        What the evidence is called in the answer.
    evidence : callable
        A report's number, from which its verdict follows.
    suspects : callable
        From a report to the number of each verdict that it can get, "none" among them.

    Examples
    --------
    >>> Audit("sizes", abs, lambda report: {"none": 1, "M1": 5})([-4, 2])
    {'sizes': array([4, 2]), 'verdicts': 'M1 none'}
    """

    name: str
    evidence: Callable
    suspects: Callable

    def __call__(self, reports) -> dict:
        numbers = [self.evidence(report) for report in reports]
        verdicts = (self._nearest(report, n) for report, n in zip(reports, numbers, strict=True))
        return {self.name: np.array(numbers), "verdicts": " ".join(verdicts)}

    def _nearest(self, report, number: float) -> str:
        suspects = self.suspects(report)
        return min(suspects, key=lambda name: abs(suspects[name] - number))

    def without_acquittal(self) -> Audit:
        """The same without the verdict "none": as if no report could be right."""
        return replace(self, suspects=lambda report: {**self.suspects(report), "none": np.inf})


def read_verdicts(answer: Any, *case: Any) -> tuple[Any, dict]:
    """Read an answer (a question's ``reading``) whose verdicts may be a list, or separated by commas.

    Capitals do not matter: "Accept" is "accept", and "m19" is "M19".
    """
    answer = plain_data(answer)
    given = answer.get("verdicts") if isinstance(answer, dict) else None
    if isinstance(given, list | tuple):
        given = " ".join(map(str, given))
    if isinstance(given, str):
        words = given.replace(",", " ").lower().split()
        answer = answer | {"verdicts": " ".join(map(_as_named, words))}
    return answer, {}


def _as_named(word: str) -> str:
    """A verdict as the tasks write it: mistakes of the catalogue with a capital letter, words without."""
    return word.upper() if re.fullmatch(r"[ml]\d+", word) else word
