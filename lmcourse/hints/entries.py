"""The entries of an answer: where they are what a formula of the question gives on the same inputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from lmcourse.hints.answers import agreement, numbers
from lmcourse.hints.question import Case, Question, formula_value


class Mask:
    """For each case, one boolean for each number and string of its value."""

    def __init__(self, cases: Iterable[np.ndarray]):
        self.cases = list(cases)

    def __iter__(self) -> Iterator[np.ndarray]:
        return iter(self.cases)

    def __getitem__(self, i: int) -> np.ndarray:
        return self.cases[i]

    def __invert__(self) -> Mask:
        return Mask(~case for case in self)

    def __and__(self, other: Mask) -> Mask:
        return Mask(one & two for one, two in zip(self, other, strict=True))

    def __or__(self, other: Mask) -> Mask:
        return Mask(one | two for one, two in zip(self, other, strict=True))

    def all(self) -> bool:
        return all(case.all() for case in self)

    def any(self) -> bool:
        return any(case.any() for case in self)


@dataclass
class Answer:
    """A student's values for all cases, and why some entries could not be read."""

    question: Question
    call: Callable[[Case], Any]
    cases: list[Case]
    values: list[Any]
    rights: list[Any]
    problems: dict = field(default_factory=dict)
    computed: dict = field(default_factory=dict)
    compared: dict = field(default_factory=dict)

    def matches(self, formula: Callable, rtol: float = 0.0) -> Mask:
        """Where the formula gives the student's numbers and strings."""
        return Mask(self.matches_case(i, formula, rtol) for i in range(len(self.cases)))

    def matches_case(self, i: int, formula: Callable, rtol: float = 0.0) -> np.ndarray:
        rtol = max(rtol, self.question.rtol)
        if (formula, i, rtol) not in self.compared:
            target = self.value_of(formula, i)
            self.compared[formula, i, rtol] = agreement(self.values[i], target, rtol, self.question.atol)
        return self.compared[formula, i, rtol].copy()

    def value_of(self, formula: Callable, i: int) -> Any:
        """What a formula gives for a case; each is computed once."""
        if (formula, i) not in self.computed:
            self.computed[formula, i] = formula_value(self.question, formula, self.cases[i], self.rights[i])
        return self.computed[formula, i]

    @cached_property
    def right(self) -> Mask:
        return self.matches(self.question.right)

    @cached_property
    def labels(self) -> list[np.ndarray]:
        """The key or place of each number and string; empty texts where entries have no name."""
        return [_labels(self.question, value) for value in self.rights]

    @cached_property
    def everything(self) -> Mask:
        """All entries that could be read."""
        return Mask(~np.isin(labels, [*map(str, self.problems)]) for labels in self.labels)

    @cached_property
    def nan(self) -> Mask:
        """Which numbers that could be read are NaN where the right ones are not; never a text."""
        found = []
        for value, right, readable in zip(self.values, self.rights, self.everything, strict=True):
            nan, expected = np.isnan(numbers(value)), np.isnan(numbers(right))
            if nan.sum() <= expected.sum():  # as many as there should be, perhaps in other places
                nan[:] = False
            elif nan.shape == expected.shape:
                nan &= ~expected
            found.append(np.append(nan, np.zeros(readable.size - nan.size, dtype=bool)) & readable)
        return Mask(found)

    def labels_in(self, mask: Mask) -> list[str]:
        """The labels of what is in the mask, each once."""
        pairs = zip(self.labels, mask, strict=True)
        return list(dict.fromkeys(label for labels, there in pairs for label in labels[there]))

    def labelled(self, some: Iterable[str]) -> Mask:
        """Where the entries with one of these labels stand."""
        wanted = [*some]
        return Mask(np.isin(labels, wanted) for labels in self.labels)

    def entries(self) -> dict[str, bool]:
        """Whether each named entry is right in all cases."""
        found: dict[str, bool] = {}
        for labels, right in zip(self.labels, self.right, strict=True):
            for label in dict.fromkeys(labels.tolist()):
                found[label] = found.get(label, True) and bool(right[labels == label].all())
        found.pop("", None)
        return found

    @property
    def points(self) -> int:
        """What the right entries are worth."""
        worth = self.question.entry_points or {}
        entries = self.entries() if worth else {}
        return sum(points for entry, points in worth.items() if entries[str(entry)])


def _labels(question: Question, value: Any) -> np.ndarray:
    """The label of each number and then of each string, in the order of `agreement`."""
    if isinstance(value, dict):
        items = [(str(key), leaf) for key, entry in value.items() for leaf in _leaves(entry)]
    elif question.form != "function" and np.ndim(value) == 1:
        items = [(str(i), entry) for i, entry in enumerate(value)]
    else:
        items = [("", value)]
    counted = [label for label, leaf in items if not isinstance(leaf, str) for _ in range(np.size(leaf))]
    texts = [label for label, leaf in items if isinstance(leaf, str)]
    return np.array([*counted, *texts], dtype=object)


def _leaves(value: Any) -> list:
    if isinstance(value, dict):
        return [leaf for entry in value.values() for leaf in _leaves(entry)]
    return [value]
