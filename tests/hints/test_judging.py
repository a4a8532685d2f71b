"""What a grader needs: verdicts as data, fresh inputs, and questions found by their keys."""

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check, check_hidden
from lmcourse.hints.answers import Unreadable
from lmcourse.hints.judging import judge
from lmcourse.hints.question import Mistake, Question, formula_value
from lmcourse.questions import find
from lmcourse.questions.shared.wrong import padding_counted
from tests.hints.small_questions import MEAN, SLOPE


def test_judge_meets_the_student_only_through_data():
    """A grader's ``call`` may fail by itself: the sentence becomes the verdict."""

    def call(case):
        raise Unreadable("your function runs longer than 5 seconds.")

    verdict = judge(MEAN, call, MEAN.cases)
    assert not verdict.right
    assert verdict.message == "99.mean: your function runs longer than 5 seconds."


def test_a_verdict_lists_the_catalogue():
    verdict = judge(MEAN, lambda case: padding_counted(*case) / np.log(2), MEAN.cases)
    assert set(verdict.mistakes) == {"M19", "M2"}


def test_fresh_inputs_follow_from_the_seed():
    first, again, other = (MEAN.fresh_cases(seed)[0][0] for seed in (1, 1, 2))
    assert (first == again).all()
    assert not np.allclose(first, other)


def test_what_is_kept_for_the_next_answer_stays_as_it_is():
    """Fresh inputs and values of formulas are computed once; neither their users nor formulas change them."""
    first = MEAN.fresh_cases(1)[0][0]
    before = first.copy()
    first[:] = 0
    assert (MEAN.fresh_cases(1)[0][0] == before).all()

    def emptying(x, a):
        x.clear()
        return np.array([a, 1.0])

    case = ([1.0, 2.0], 3.0)
    for formula in (emptying, lambda x, a: np.array([sum(x), a])):
        value = formula_value(SLOPE, formula, case, right=np.zeros(2))
        assert (value == [3.0, 1.0 if formula is emptying else 3.0]).all() and case == ([1.0, 2.0], 3.0)
        value[:] = 0
        assert formula_value(SLOPE, formula, case, right=np.zeros(2)).all()
    other = formula_value(SLOPE, lambda x, a: np.array([sum(x), a]), ([5.0], 1.0), right=np.zeros(2))
    assert (other == [5.0, 1.0]).all()


def test_an_answer_for_the_visible_cases_only_fails_on_fresh_ones():
    known = {3: 1.25, 4: 26 / 15}
    check("99.mean", lambda nats, real: known[len(nats)])
    with pytest.raises(WrongAnswer):
        check_hidden("99.mean", lambda nats, real: known.get(len(nats), 1.0), seed=3)


def test_an_unknown_key_is_answered_with_the_nearest():
    with pytest.raises(KeyError, match=r"Do you mean '02\.three-words'"):
        find("02.three-word")
    with pytest.raises(KeyError, match="there is no folder lmcourse/questions/ch77"):
        find("77.anything")


def test_a_reading_sees_the_arguments_of_its_case():
    """Where many values are right on each input, the reading turns them into the one of the right formula."""

    def even(given, least):
        return (least + least % 2 if given % 2 == 0 and given >= least else given), {}

    question = Question(
        key="99.even",
        title="an even number that is at least the input",
        kind="implement",
        stars=1,
        points=1,
        right=lambda least: least + least % 2,
        cases=((3,), (6,)),
        reading=even,
        mistakes=(Mistake("L23", lambda least: least + least % 2 - 1, "An odd number."),),
    )
    assert judge(question, lambda case: 2 * case[0], question.cases).right
    assert judge(question, lambda case: case[0] + 1, question.cases[:1]).right
    assert not judge(question, lambda case: 4, question.cases).right
    assert judge(question, lambda case: 2 * ((case[0] + 1) // 2) - 1, question.cases).mistakes == ("L23",)
