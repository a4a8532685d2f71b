"""Say why a readable answer is wrong: which of its entries, by which usual mistake, or what to try.

Only `lmcourse.hints.judging` uses this. It compares a student's values with what the formulas of the question
give on the same inputs, entry by entry.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from lmcourse.hints.answers import agreement, numbers, read, shortened
from lmcourse.hints.question import Case, Mistake, Property, Question, copied, formula_value, pairs
from lmcourse.hints.wording import UNKNOWN, in_words, short_of, shown_inputs, whole

LOOSE = 1e-3
"""Relative tolerance for naming the mistake behind a rounded number."""

CLOSE = 5
"""A number is called close within this many tolerances of the right one, if that is more than `LOOSE`."""

MOST_NAMED = 6
"""How many wrong entries of an array are named by their places."""

MOST_ASKED = 4
"""For how many cases the properties of a right answer are checked: each may take another call."""

NOT_A_NUMBER = "a result is not a number (nan). Look for 0 / 0, 0 times infinity, or infinity minus infinity."

Mask = list[np.ndarray]
"""For each case, one boolean for each number and string of its value."""


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
        return [self.matches_case(i, formula, rtol) for i in range(len(self.cases))]

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
        return [~np.isin(labels, [*map(str, self.problems)]) for labels in self.labels]

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


class Reason(NamedTuple):
    """Why entries are wrong, and which entries of the catalogue of mistakes explain it.

    ``entries`` are named in front of the text if others have another reason; ``located`` says that the text
    itself names all that are wrong.
    """

    text: str
    mistakes: tuple[str, ...] = ()
    entries: tuple[str, ...] = ()
    located: bool = False

    @property
    def line(self) -> str:
        return f"{', '.join(self.entries)}: {self.text}" if self.entries else self.text


def explain(answer: Answer) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Say in lines why an answer is wrong, and which entries of the catalogue of mistakes explain it."""
    wrong = [label for label, good in answer.entries().items() if not good]
    readable = [label for label in wrong if label not in set(map(str, answer.problems))]
    reasons = _reasons(answer, readable) if readable or not answer.problems else []
    lines = [reason.line for reason in reasons]
    standing = _standing(answer, wrong)
    if standing and reasons and not reasons[0].entries:
        lines[0] = f"{standing} {lines[0][:1].upper()}{lines[0][1:]}"
    else:
        lines.insert(0, standing)
    lines += answer.problems.values()
    if not answer.question.entry_points and not any(reason.located for reason in reasons):
        lines.append(_only(answer, wrong))
    mistakes = dict.fromkeys(i for reason in reasons for i in reason.mistakes)
    return tuple(filter(None, lines)), tuple(mistakes)


def _reasons(answer: Answer, wrong: Sequence[str]) -> list[Reason]:
    """What explains the wrong entries that could be read: all of them together, or each."""
    reason = _reason(answer, answer.everything)
    if reason is None:
        return _by_entry(answer, wrong) or [Reason(_other(answer))]
    fixed = _always_the_same(answer, wrong)
    if fixed and reason.located:  # the mistake would have changed other entries, too
        return [Reason(f"{fixed} {answer.question.advice}")]
    return [reason]


def _always_the_same(answer: Answer, wrong: Sequence[str]) -> str:
    """Which wrong entry is one and the same text in all cases, where the right ones are not; else nothing."""
    if not all(isinstance(value, dict) for value in answer.rights):
        return ""
    for label in wrong:
        given, right = (
            [str(value.get(label)) for value in values] for values in (answer.values, answer.rights)
        )
        text = isinstance(answer.rights[0].get(label), str)
        if text and len(set(given)) == 1 < len(set(right)):
            return f"\"{label}\" is '{shortened(given[0])}' in all {len(given)} cases that were tried."
    return ""


def _reason(answer: Answer, mask: Mask) -> Reason | None:
    """What explains everything that is wrong in the mask."""
    question = answer.question
    nan = np.concatenate(_not_numbers(answer))
    if nan.size and nan.all():
        return Reason(f"{NOT_A_NUMBER} {_shown(answer)}".rstrip())
    mistakes = _usual(answer, question.rtol, mask)
    if not mistakes:
        near = answer.matches(question.right, max(LOOSE, CLOSE * question.rtol))
        if all((fits | ~there).all() for fits, there in zip(near, mask, strict=True)):
            return Reason(f"close, but {short_of(question)}. {question.precision}")
        mistakes = _usual(answer, LOOSE, mask)
    if not mistakes:
        return None
    parts = [f"{mistake.id}, {mistake.name}. {_hint(answer, mistake, mask)}" for mistake in mistakes]
    start = "two mistakes at once. " if len(parts) == 2 else ""
    where = _where(answer, mistakes[0], mask) if len(parts) == 1 else ""
    ids = tuple(i for mistake in mistakes for i in mistake.id.split(" + "))
    return Reason(start + " ".join(filter(None, [*parts, where])), ids, located=bool(where))


def broken(answer: Answer) -> Property | None:
    """The property that an answer lacks although its values agree with the right ones."""
    for rule in answer.question.properties:
        if rule.mistake and _lacks(answer, rule, MOST_ASKED):
            return rule
    return None


def _where(answer: Answer, mistake: Mistake, mask: Mask) -> str:
    """The entries with a mistake that would also change entries that are right here; else nothing.

    Nothing either if an entry outside the mask is wrong: the mistake may then be in that one.
    """
    if any((~right & ~there).any() for right, there in zip(answer.right, mask, strict=True)):
        return ""
    fits = answer.matches(mistake.wrong)
    changes = any((right & ~fit).any() for right, fit in zip(answer.right, fits, strict=True))
    wrong = [
        label
        for labels, right, there in zip(answer.labels, answer.right, mask, strict=True)
        for label in labels[~right & there]
    ]
    if not changes or "" in wrong:
        return ""
    return f"The mistake is in {in_words([_quoted(answer, label) for label in dict.fromkeys(wrong)])} only."


def _by_entry(answer: Answer, wrong: Sequence[str]) -> list[Reason]:
    """What explains each of several wrong entries on its own; nothing if nothing explains any of them."""
    if len(wrong) < 2:
        return []
    nan = np.concatenate(answer.labels)[np.concatenate(_not_numbers(answer))]
    reasons = {
        label: Reason(NOT_A_NUMBER)
        if label in nan
        else _reason(answer, [there == label for there in answer.labels])
        for label in wrong
    }
    if not any(reasons.values()):
        return []
    explained: dict[Reason | None, tuple[str, ...]] = {}
    for label, reason in reasons.items():
        explained[reason] = (*explained.get(reason, ()), _quoted(answer, label))
    found = [
        (reason or Reason(f"{UNKNOWN}."))._replace(entries=labels) for reason, labels in explained.items()
    ]
    if None in explained:
        found[-1] = found[-1]._replace(text=f"{found[-1].text} {answer.question.advice}")
    return found


def _other(answer: Answer) -> str:
    """What to say if no usual mistake gives the numbers: a broken property, or what to try."""
    question, shown = answer.question, _shown(answer)
    nan = any(nan.any() for nan in _not_numbers(answer))
    for rule in question.properties:
        if nan and not rule.about_nan:
            continue
        if _lacks(answer, rule, len(answer.cases)):
            return f"{rule.message}. {shown}".rstrip()
    if nan:
        return f"{NOT_A_NUMBER} {shown}".rstrip()
    wrong = [label for label, good in answer.entries().items() if not good]
    reason = _always_the_same(answer, wrong) or f"not the value asked for, and {UNKNOWN}."
    return " ".join(part for part in (reason, shown, _places(answer), question.advice) if part)


def _not_numbers(answer: Answer) -> Mask:
    """For each case, which numbers that could be read are NaN where the right ones are not; never a text."""
    found = []
    for value, right, readable in zip(answer.values, answer.rights, answer.everything, strict=True):
        nan, expected = np.isnan(numbers(value)), np.isnan(numbers(right))
        if nan.sum() <= expected.sum():  # as many as there should be, perhaps in other places
            nan[:] = False
        elif nan.shape == expected.shape:
            nan &= ~expected
        found.append(np.append(nan, np.zeros(readable.size - nan.size, dtype=bool)) & readable)
    return found


def _usual(answer: Answer, rtol: float, mask: Mask) -> tuple[Mistake, ...]:
    """The mistake that gives the student's numbers, or the wrong ones among them; or two together."""
    right = answer.matches(answer.question.right, rtol)
    excused = _excused(answer, right, mask)
    fitting, agreeing = [], []
    for mistake in answer.question.mistakes:
        fits = []  # of the cases so far; a formula that one case excludes is not computed for the others
        for i, right_there in enumerate(excused[mistake.explains]):
            fits.append(answer.matches_case(i, mistake.wrong, rtol))
            if rtol > answer.question.rtol:  # what is exactly right was not rounded
                fits[-1] &= ~answer.right[i] | answer.matches_case(i, mistake.wrong)
            if not (fits[-1] | right_there).all():
                break
        else:
            if not _shown_by(answer, mistake, fits):
                continue
            if all(fit.all() for fit in fits):
                return (mistake,)
            fitting.append(mistake)
            if not any((good & ~fit).any() for good, fit in zip(right, fits, strict=True)):
                agreeing.append(mistake)  # it changes no entry that is right
    for some in (fitting, agreeing):
        if len({mistake.id for mistake in some}) == 1:
            return (some[0],)
    both = []
    for pair, formula in pairs(answer.question):
        fits = answer.matches(formula, rtol)
        free = pair[0].explains != "answer"
        if all((fit | (~there & free)).all() for fit, there in zip(fits, mask, strict=True)):
            both += [pair] if _shown_by(answer, pair[0], fits) else []
    return both[0] if len(both) == 1 else ()


def _shown_by(answer: Answer, mistake: Mistake, fits: Mask) -> bool:
    """Whether the entries that show a mistake are as its formula has them, and wrong."""
    right = answer.entries() if mistake.shown_by else {}
    return all(
        not right[entry]
        and all(fit[labels == entry].all() for fit, labels in zip(fits, answer.labels, strict=True))
        for entry in mistake.shown_by
    )


def _excused(answer: Answer, right: Mask, mask: Mask) -> dict[str, Mask]:
    """For each kind of mistake, which numbers and texts its formula need not give: see `Mistake.explains`."""
    numbers = [
        (good & ~chosen) | ~there
        for good, chosen, there in zip(right, _wrong_texts(answer, right, mask), mask, strict=True)
    ]
    pairs = list(zip(answer.labels, right, mask, strict=True))
    wrong = {label for labels, good, there in pairs for label in labels[~good & there]}
    entries = [free & ~np.isin(labels, [*wrong]) for free, labels in zip(numbers, answer.labels, strict=True)]
    answers = [np.zeros(good.shape, dtype=bool) for good in right]
    return {"numbers": numbers, "entries": entries, "answer": answers}


def _wrong_texts(answer: Answer, right: Mask, mask: Mask) -> Mask:
    """Where the entries stand that hold texts, such as a verdict, and are wrong in at least one case.

    There are few verdicts, and a wrong rule gives the right one often. A mistake explains such an entry only
    if it gives the student's text in all cases, those where this text is right included. A question with a
    reading of its own has texts of which many are right.
    """
    if answer.question.reading is not None:
        return [np.zeros(labels.shape, dtype=bool) for labels in answer.labels]
    texts = [
        np.arange(labels.size) >= numbers(value).size
        for labels, value in zip(answer.labels, answer.rights, strict=True)
    ]
    wrong = {
        label
        for labels, good, there, text in zip(answer.labels, right, mask, texts, strict=True)
        for label in labels[~good & there & text]
    }
    return [text & np.isin(labels, [*wrong]) for labels, text in zip(answer.labels, texts, strict=True)]


def _hint(answer: Answer, mistake: Mistake, mask: Mask) -> str:
    """The mistake's hint, with the numbers of this answer."""
    question = answer.question
    i = next(i for i, right in enumerate(answer.right) if not (right | ~mask[i]).all())
    text = mistake.hint(*copied(answer.cases[i])) if callable(mistake.hint) else mistake.hint
    wrong = numbers(formula_value(question, mistake.wrong, answer.cases[i]))
    right = numbers(formula_value(question, question.right, answer.cases[i]))
    differ = ~np.isclose(wrong, right, rtol=question.rtol, atol=question.atol, equal_nan=True)
    differ &= mask[i][: differ.size]
    if not differ.any():
        return text
    wrong, right = wrong[differ][0], right[differ][0]
    with np.errstate(all="ignore"):
        return text.format(ratio=_digits(wrong / right), power=_digits(np.log(wrong) / np.log(right)))


def _digits(number: float) -> str:
    return f"{number:.4f}".rstrip("0").rstrip(".")


def _lacks(answer: Answer, rule: Property, most: int) -> bool:
    """Whether the answer lacks a property, in any of the first cases or in all of them."""
    enough = any if rule.everywhere else all
    return not enough(_holds(answer, rule, i) for i in range(min(len(answer.cases), most)))


def _holds(answer: Answer, rule: Property, i: int) -> bool:
    value, case = answer.values[i], answer.cases[i]
    if rule.also is None:
        return bool(rule.holds(value, *copied(case)))
    return bool(rule.holds(value, read(answer.call(rule.also(*copied(case))), like=value)))


def _first_wrong(answer: Answer) -> int:
    return next(i for i, right in enumerate(answer.right) if not right.all())


def _shown(answer: Answer) -> str:
    """The student's value for the first case that is wrong; nothing for expressions."""
    i = _first_wrong(answer)
    if answer.question.form == "expression":
        return ""
    if answer.question.form == "value":
        value = answer.values[i]
        if isinstance(value, dict):
            wrong = {label for label, good in answer.entries().items() if not good}
            shown = [key for key in value if key not in answer.problems and str(key) in wrong]
            value = {key: whole(value[key]) for key in shown}
        return f"You give {shortened(whole(value))}."
    return f"For {shown_inputs(answer.question, answer.cases[i])} you return {shortened(answer.values[i])}."


def _standing(answer: Answer, wrong: list[str]) -> str:
    """How many points the right entries are worth, and which they are."""
    if not answer.points:
        return ""
    right = [label for label in answer.entries() if label not in wrong]
    names = [", ".join(_quoted(answer, label) for label in some) for some in (right, wrong)]
    return f"{answer.points} of {answer.question.points} points. Right: {names[0]}. Wrong: {names[1]}."


def _only(answer: Answer, wrong: list[str]) -> str:
    """Which entries are wrong, where others are right."""
    if not isinstance(answer.rights[0], dict) or not 0 < len(wrong) < len(answer.entries()):
        return ""
    names = in_words([_quoted(answer, label) for label in wrong])
    return f"Only {names} {'is' if len(wrong) == 1 else 'are'} wrong."


def _places(answer: Answer) -> str:
    """Which places of an array are wrong in the first case that is wrong, where others are right."""
    i = _first_wrong(answer)
    wrong = ~answer.right[i]
    if isinstance(answer.values[i], dict) or not np.ndim(answer.values[i]) or wrong.all():
        return ""
    if wrong.sum() > MOST_NAMED:
        return f"{wrong.sum()} of {wrong.size} entries are wrong."
    places = np.argwhere(wrong.reshape(np.shape(answer.values[i]))).tolist()
    named = ", ".join(str(place) for place in places)
    return f"The entry {named} is wrong." if len(places) == 1 else f"The entries {named} are wrong."


def _quoted(answer: Answer, label: str) -> str:
    return f'"{label}"' if isinstance(answer.rights[0], dict) else f"entry [{label}]"


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
