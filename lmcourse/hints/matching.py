"""Which usual mistake of a question gives the student's numbers, or the wrong ones among them."""

from __future__ import annotations

import numpy as np

from lmcourse.hints.answers import numbers
from lmcourse.hints.entries import Answer, Mask
from lmcourse.hints.question import Mistake, pairs

LOOSE = 1e-3
"""Relative tolerance for naming the mistake behind a rounded number."""


def usual_mistakes(answer: Answer, rtol: float, mask: Mask) -> tuple[Mistake, ...]:
    """The mistake that gives the student's numbers, or the wrong ones among them; or two together."""
    right = answer.matches(answer.question.right, rtol)
    excused = _excused(answer, right, mask)
    fitting, agreeing = [], []
    for mistake in answer.question.mistakes:
        fits = []  # of the cases so far; a formula that one case excludes is not computed for the others
        for i, free in enumerate(excused[mistake.explains]):
            fits.append(answer.matches_case(i, mistake.wrong, rtol))
            if rtol > answer.question.rtol:  # what is exactly right was not rounded
                fits[-1] &= ~answer.right[i] | answer.matches_case(i, mistake.wrong)
            if not (fits[-1] | free).all():
                break
        else:
            fit = Mask(fits)
            if not _shown_by(answer, mistake, fit):
                continue
            if fit.all():
                return (mistake,)
            fitting.append(mistake)
            if not (right & ~fit).any():
                agreeing.append(mistake)  # it changes no entry that is right
    for some in (fitting, agreeing):
        if len({mistake.id for mistake in some}) == 1:
            return (some[0],)
    both = []
    for pair, formula in pairs(answer.question):
        fit = answer.matches(formula, rtol)
        asked = fit if pair[0].explains == "answer" else fit | ~mask
        if asked.all() and _shown_by(answer, pair[0], fit):
            both.append(pair)
    return both[0] if len(both) == 1 else ()


def _shown_by(answer: Answer, mistake: Mistake, fit: Mask) -> bool:
    """Whether the entries that show a mistake are as its formula has them, and wrong."""
    right = answer.entries() if mistake.shown_by else {}
    return all(not right[entry] and (fit | ~answer.labelled([entry])).all() for entry in mistake.shown_by)


def _excused(answer: Answer, right: Mask, mask: Mask) -> dict[str, Mask]:
    """For each kind of mistake, which numbers and texts its formula need not give: see `Mistake.explains`."""
    numbers = (right & ~_wrong_texts(answer, right, mask)) | ~mask
    entries = numbers & ~answer.labelled(answer.labels_in(~right & mask))
    return {"numbers": numbers, "entries": entries, "answer": right & ~right}


def _wrong_texts(answer: Answer, right: Mask, mask: Mask) -> Mask:
    """Where the entries stand that hold texts, such as a verdict, and are wrong in at least one case.

    There are few verdicts, and a wrong rule gives the right one often. A mistake explains such an entry only
    if it gives the student's text in all cases, those where this text is right included. A question with a
    reading of its own has texts of which many are right.
    """
    if answer.question.reading is not None:
        return right & ~right
    texts = Mask(
        np.arange(labels.size) >= numbers(value).size
        for labels, value in zip(answer.labels, answer.rights, strict=True)
    )
    return texts & answer.labelled(answer.labels_in(~right & mask & texts))
