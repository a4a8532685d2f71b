"""A hint is said only of what shows the mistake: one number of a table does not, nor one entry of several."""

import dataclasses
from functools import partial

import numpy as np
import pytest

from lmcourse.hints.answers import numbers
from lmcourse.hints.judging import judge
from lmcourse.hints.question import Mistake, formula_value
from lmcourse.questions import find
from tests.hints.small_questions import MEAN

PARTS = [
    ("01.floor-forensics", "Your 'digits' is too large", ["share"]),
    ("01.floor-forensics", "Your 'digits' is for all k", ["with 1e-20"]),
    ("02.three-words", "it is in bits. Use the natural logarithm. The other units", ["bits"]),
    ("02.three-words", "it is in hartleys. Use the natural logarithm. The other units", ["hartleys"]),
    ("02.three-words", "'bits' and 'hartleys' are swapped", ["bits"]),
    ("02.smoothing-floor", "Your floor is", ["exp"]),
    ("02.forensics", "Your exponent is upside down", ["mistake"]),
    ("04.forensics", "Your exponents are upside down", ["verdicts"]),
    ("05.five-numbers", "Your bits are", ["perplexity per word"]),
    ("05.five-numbers", "Your bits are negative", ["perplexity per char"]),
    ("05.converter", "Your bits come from ln", ["perplexity"]),
    ("09.three-logs", "your perplexity is a power of 2", ["unit", "ends"]),
    ("09.three-logs", "Some of these values are in bits", ["measure"]),
    ("09.golden-text", "None of the four changes", ["limit", "mean"]),
    ("09.leaked-tale", "Your positions start at 1", ["copied"]),
    ("09.leaked-tale", "You have swapped the paragraph", ["reworded"]),
]
"""Keys, a part of a hint about several entries, and those of them in which alone the mistake is made."""


def mistake_of(question, says):
    return next(mistake for mistake in question.mistakes if says in str(mistake.hint))


def told(question, values):
    """The verdict on an answer that gives these values, one for each visible case."""
    given = iter(values)
    return judge(question, lambda case: next(given, values[0]), question.cases)


@pytest.mark.parametrize(("key", "says", "entries"), PARTS, ids=[f"{key}-{says}" for key, says, _ in PARTS])
def test_what_is_said_of_several_entries_is_not_said_of_one(key, says, entries):
    question = find(key)
    wrong = mistake_of(question, says).wrong
    values = []
    for case in question.cases:
        right, other = (formula_value(question, formula, case) for formula in (question.right, wrong))
        values.append(right | {entry: other[entry] for entry in entries})
    verdict = told(question, values)
    assert not verdict.right and says not in verdict.message
    assert all(f'"{entry}"' in verdict.message for entry in entries)


def test_a_verdict_that_could_have_many_causes_is_blamed_on_none():
    """A verdict has two or three values, so the one that a mistake would give does not show the mistake."""
    calibration = find("04.calibration")
    padded, values = mistake_of(calibration, "Your means include the padding").wrong, []
    for case in calibration.cases:
        right = formula_value(calibration, calibration.right, case)
        values.append(right | {"expected": 1.7 * right["expected"], "verdict": padded(*case)["verdict"]})
    assert not told(calibration, values).mistakes
    forecasters = find("02.forecasters")
    cases = forecasters.fresh_cases(77)
    for errors in (0, 1, 3):
        verdict = judge(forecasters, partial(hasty, forecasters, errors), cases)
        assert not verdict.right and not {"L5", "L6"} & set(verdict.mistakes), verdict.message


def hasty(question, errors, case):
    """The right answer, with a choice that is settled by so many standard errors, however few the days."""
    right = question.right(*case)
    sure = abs(right["nats"][0] - right["nats"][1]) > errors * right["error"]
    return right | {"choice": "ab"[right["nats"].argmin()] if sure else "not settled"}


ONE_NUMBER = [
    ("01.length-masses", "*at least* that length", 0),
    ("01.length-masses", "up to* each one", -1),
    ("01.bigram-table", "You add 1 to every count", 0),
    ("01.sampling", "*at most* that length", -1),
    ("02.token-nll", "softmax is applied twice", 0),
    ("03.teacher", "but not the student's", 0),
    ("03.worth", "they are in nats", 1),
]
"""Keys, a part of a hint about a whole table, and the one place where the table is as the mistake has it."""


@pytest.mark.parametrize(
    ("key", "says", "place"), ONE_NUMBER, ids=[f"{key}-{says}" for key, says, _ in ONE_NUMBER]
)
def test_one_number_of_a_table_does_not_show_how_the_table_was_made(key, says, place):
    question = find(key)
    wrong = mistake_of(question, says).wrong
    values = []
    for case in question.cases:
        right, other = (formula_value(question, formula, case) for formula in (question.right, wrong))
        changed = right.copy().ravel()
        changed[place] = np.ravel(other)[place]
        values.append(changed.reshape(right.shape))
    verdict = told(question, values)
    assert not verdict.right and says not in verdict.message


def test_the_mistake_of_a_whole_table_is_named_only_for_the_whole_table():
    def doubled(nats, real):
        return 2 * nats

    squares = dataclasses.replace(
        MEAN, right=lambda nats, real: nats, mistakes=(Mistake("L1", doubled, "All of them."),), properties=()
    )
    whole = judge(squares, lambda case: 2 * case[0], squares.cases)
    part = judge(squares, lambda case: case[0] * np.where(np.arange(case[0].size), 1, 2), squares.cases)
    assert whole.mistakes == ("L1",) and part.mistakes == ()
    assert "The entry [0] is wrong." in part.message
    loose = dataclasses.replace(squares, mistakes=(Mistake("L1", doubled, "Some.", explains="numbers"),))
    assert judge(loose, lambda case: case[0] * [2, *[1] * (case[0].size - 1)], loose.cases).mistakes == (
        "L1",
    )


def test_no_sample_below_the_entropy_is_told_as_what_it_is():
    """A total, an entropy of the wrong sign, and one in another unit all give 0: no one of them is blamed."""
    question = find("02.below-entropy")
    verdict = judge(question, lambda case: 0.0, question.cases)
    assert not verdict.mistakes and "none of your samples" in verdict.message


def test_a_ratio_in_a_hint_is_that_of_the_entry_it_is_said_of():
    """ln r / ln R is the share of tokens in a perplexity, and no share in a count."""
    question = find("07.evaluator")
    wrong = mistake_of(question, "all positions").wrong
    for case in question.cases:
        verdict = judge(question, lambda case: formula_value(question, wrong, case), [case])
        assert verdict.mistakes == ("M19",) and "ln r / ln R" not in verdict.message
        assert (numbers(wrong(*case)) > 0).all()


def test_an_infinite_number_of_days_is_not_a_whole_number():
    question = find("03.plan")
    plan = question.right() | {"days": np.inf}
    verdict = judge(question, lambda case: plan, question.cases)
    assert not verdict.right and "has to be a whole number above 0" in verdict.message


def test_the_wrong_entry_of_a_list_is_named():
    question = find("02.softmax-gradient")
    values = [question.right(*case) * [-1, 1, 1] for case in question.cases]
    verdict = told(question, values)
    assert verdict.mistakes == ("M5",) and "The mistake is in entry [0] only." in verdict.message
