"""Every question of the book is well formed, and no two of its formulas can be confused."""

import itertools
import pkgutil
import re

import numpy as np
import pytest

import lmcourse.questions
from lmcourse.hints.answers import agreement, numbers
from lmcourse.hints.judging import judge
from lmcourse.hints.matching import LOOSE
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import formula_value
from lmcourse.questions import of_chapter
from tests.questions.exercise_sets import explanation

CHAPTERS = {m.name[2:] for m in pkgutil.iter_modules(lmcourse.questions.__path__) if m.name.startswith("ch")}
QUESTIONS = [question for chapter in sorted(CHAPTERS) for question in of_chapter(chapter).values()]
BY_MISTAKE = [
    pytest.param(question, i, id=f"{question.key}-{label}")
    for question in QUESTIONS
    for i, (label, _) in enumerate(question.labelled_formulas()[1:])
]


def _values(question):
    """What each formula gives for each visible case, by the formula's label."""
    formulas = question.labelled_formulas()
    return {label: [formula_value(question, f, case) for case in question.cases] for label, f in formulas}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_no_two_formulas_can_be_confused(question):
    """On each visible case formulas differ by twice the tolerance of a diagnosis, or are listed as a pair."""
    values = _values(question)
    rtol, atol = 2 * max(question.rtol, LOOSE), 2 * question.atol
    same = {
        frozenset(pair)
        for pair in itertools.combinations(values, 2)
        for one, two in zip(*(values[label] for label in pair), strict=True)
        if agreement(one, two, rtol, atol).all()
    }
    listed = {frozenset(pair[:2]) for pair in question.alike}
    assert same == listed
    assert all(reason for *_, reason in question.alike)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_no_two_formulas_agree_on_all_visible_cases(question):
    """Even a listed pair is told apart by some case, at the tolerance of a right answer."""
    values = _values(question)
    for pair in itertools.combinations(values, 2):
        same = [
            agreement(one, two, question.rtol, question.atol).all()
            for one, two in zip(*(values[label] for label in pair), strict=True)
        ]
        assert not all(same), pair


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_a_question_is_well_formed(question):
    assert len(question.cases) >= (1 if question.form == "value" else 2)
    assert question.form == "value" or question.draw
    assert question.mistakes and question.points > 0 and question.stars in (1, 2, 3)
    assert set(" + ".join(mistake.id for mistake in question.mistakes).split(" + ")) <= NAMES.keys()
    asked = {rule.mistake for rule in question.properties if rule.mistake}
    for cases in (question.cases, question.fresh_cases(1), question.fresh_cases(2)):
        verdict = judge(question, lambda case: question.right(*case), cases)
        # where an answer must be drawn, the exact value of the right formula agrees, and is not one
        assert verdict.right or (set(verdict.mistakes) <= asked and verdict.mistakes), verdict.message


@pytest.mark.parametrize(("question", "i"), BY_MISTAKE)
def test_each_mistake_gets_its_own_hint(question, i):
    mistake = question.mistakes[i]
    verdict = judge(question, lambda case: formula_value(question, mistake.wrong, case), question.cases)
    assert not verdict.right
    assert explanation(verdict.message).startswith(f"{question.key}: {mistake.id}, {mistake.name}. ")
    assert verdict.mistakes == tuple(mistake.id.split(" + "))
    if isinstance(mistake.hint, str):
        assert all(part in verdict.message for part in re.split(r"\{\w+\}", mistake.hint))
    for right in (formula_value(question, question.right, case) for case in question.cases):
        telling = {f"{abs(number):.4f}" for number in numbers(right) if np.isfinite(number) and number % 1}
        constants = {"0.6931", "1.4427", "0.4343"}  # the answer of 02.forensics is such a constant
        assert not any(number in verdict.message for number in telling - constants)


def _fixed_texts():
    """Each question with an entry that holds a text, that entry, and one of its right values."""
    for question in QUESTIONS:
        rights = [formula_value(question, question.right, case) for case in question.cases]
        for key, right in rights[0].items() if isinstance(rights[0], dict) else ():
            texts = {str(value[key]) for value in rights} if isinstance(right, str) else set()
            for text in sorted(texts) if len(rights) > 1 else ():
                yield pytest.param(question, key, text, id=f"{question.key}-{key}-{text[:12]}")


@pytest.mark.parametrize(("question", "key", "text"), list(_fixed_texts()))
def test_a_text_that_never_changes_is_refused_and_blamed_on_no_formula(question, key, text):
    """A student who always returns one verdict has not made any of the catalogue's mistakes."""
    verdict = judge(
        question, lambda case: formula_value(question, question.right, case) | {key: text}, question.cases
    )
    assert not verdict.right and not verdict.mistakes, verdict.message


def _with_nan(value):
    """The same value with NaN in the place of each number."""
    if isinstance(value, dict):
        return {key: _with_nan(entry) for key, entry in value.items()}
    return value if isinstance(value, str) else np.full(np.shape(value), np.nan)


@pytest.mark.parametrize(
    "question",
    [
        question
        for question in QUESTIONS
        if question.form != "expression"
        and question.reading is None  # which says of itself what it cannot read
        and np.isfinite(numbers(formula_value(question, question.right, question.cases[0]))).any()
    ],
    ids=lambda question: question.key,
)
def test_nan_is_called_nan(question):
    verdict = judge(
        question, lambda case: _with_nan(formula_value(question, question.right, case)), question.cases
    )
    assert not verdict.right and not verdict.mistakes
    assert "not a number (nan)" in verdict.message and "is below 1" not in verdict.message


@pytest.mark.parametrize(("question", "i"), BY_MISTAKE)
def test_each_mistake_is_refused_on_fresh_inputs(question, i):
    wrong = question.mistakes[i].wrong
    for seed in (1, 2):
        verdict = judge(
            question, lambda case: formula_value(question, wrong, case), question.fresh_cases(seed)
        )
        assert not verdict.right
