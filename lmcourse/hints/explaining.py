"""Say why a readable answer is wrong: which of its entries, by which usual mistake, or what to try.

Only `lmcourse.hints.judging` uses this. It compares a student's values with what the formulas of the question
give on the same inputs, entry by entry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lmcourse.hints.answers import numbers, read, shortened
from lmcourse.hints.entries import Answer, Mask
from lmcourse.hints.matching import LOOSE, usual_mistakes
from lmcourse.hints.question import Mistake, Property, copied, formula_value
from lmcourse.hints.wording import UNKNOWN, in_words, short_of, shown_inputs, whole

CLOSE = 5
"""A number is called close within this many tolerances of the right one, if that is more than `LOOSE`."""

MOST_NAMED = 6
"""How many wrong entries of an array are named by their places."""

MOST_ASKED = 4
"""For how many cases the properties of a right answer are checked: each may take another call."""

NOT_A_NUMBER = "a result is not a number (nan). Look for 0 / 0, 0 times infinity, or infinity minus infinity."


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
    if answer.nan.any() and answer.nan.all():
        return Reason(f"{NOT_A_NUMBER} {_shown(answer)}".rstrip())
    mistakes = usual_mistakes(answer, question.rtol, mask)
    if not mistakes:
        near = answer.matches(question.right, max(LOOSE, CLOSE * question.rtol))
        if (near | ~mask).all():
            return Reason(f"close, but {short_of(question)}. {question.precision}")
        mistakes = usual_mistakes(answer, LOOSE, mask)
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
    if (~answer.right & ~mask).any():
        return ""
    changes = (answer.right & ~answer.matches(mistake.wrong)).any()
    wrong = answer.labels_in(~answer.right & mask)
    if not changes or "" in wrong:
        return ""
    return f"The mistake is in {in_words([_quoted(answer, label) for label in wrong])} only."


def _by_entry(answer: Answer, wrong: Sequence[str]) -> list[Reason]:
    """What explains each of several wrong entries on its own; nothing if nothing explains any of them."""
    if len(wrong) < 2:
        return []
    nan = answer.labels_in(answer.nan)
    reasons = {
        label: Reason(NOT_A_NUMBER) if label in nan else _reason(answer, answer.labelled([label]))
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
    for rule in question.properties:
        if answer.nan.any() and not rule.about_nan:
            continue
        if _lacks(answer, rule, len(answer.cases)):
            return f"{rule.message}. {shown}".rstrip()
    if answer.nan.any():
        return f"{NOT_A_NUMBER} {shown}".rstrip()
    wrong = [label for label, good in answer.entries().items() if not good]
    reason = _always_the_same(answer, wrong) or f"not the value asked for, and {UNKNOWN}."
    return " ".join(part for part in (reason, shown, _places(answer), question.advice) if part)


def _hint(answer: Answer, mistake: Mistake, mask: Mask) -> str:
    """The mistake's hint, with the numbers of this answer."""
    question = answer.question
    i = next(i for i, right in enumerate(answer.right | ~mask) if not right.all())
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
