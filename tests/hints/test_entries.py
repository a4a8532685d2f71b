"""The entries of an answer: each gets its own points and its own hint."""

import dataclasses

import numpy as np
import pytest

from lmcourse.feedback import WrongAnswer, check
from lmcourse.hints.judging import judge
from lmcourse.hints.question import InvalidQuestion, Property
from lmcourse.questions.shared.properties import finite
from tests.hints.small_questions import MEAN, THREE


@pytest.mark.parametrize(
    ("changed", "points", "says"),
    [
        ({}, 5, "right"),
        (
            {"who": "B"},
            3,
            'Right: "bits", "rate". Wrong: "who". L28, a report that is right is accused. It was not B.',
        ),
        ({"rate": [1.5, 0.5]}, 3, 'Wrong: "rate". L23, '),
        ({"bits": 7.0, "rate": [1.5, 0.5]}, 2, "L7, "),
        (
            {"bits": 7.0},
            4,
            'L7, the comparison is the wrong way round. You exchange two. The mistake is in "bits" only.',
        ),
        ({"bits": 3.0 * np.log(2), "who": "B"}, 2, '"bits": M1, '),
        ({"bits": 3.0 * np.log(2), "who": "B"}, 2, '"who": L28, '),
        ({"rate": [1.5, 0.5], "who": "B"}, 1, '"rate": L23, '),
        (
            {"bits": 3.0 * np.log(2), "who": "C"},
            2,
            '"who": not one of the mistakes that this task looks for.',
        ),
        (
            {"bits": 2.0, "who": "C"},
            2,
            "Not the value asked for, and not one of the mistakes that this task looks for",
        ),
        ({"bits": 2.0, "rate": [0.0, 0.0], "who": "C"}, 0, "not the value asked for"),
        ({"rate": [0.5, 9.0]}, 3, 'Wrong: "rate". Not the value asked for'),
    ],
)
def test_right_entries_get_their_points(changed, points, says):
    """Each entry is marked on its own, and a mistake that would change a right entry is not blamed."""
    given = THREE.right() | changed
    verdict = judge(THREE, lambda case: given, THREE.cases)
    assert verdict.right == (points == 5) and verdict.points == points, verdict.message
    assert says in verdict.message
    if not verdict.right:
        with pytest.raises(WrongAnswer) as caught:
            check("99.three", given)
        assert caught.value.points == points
        assert ("of 5 points" in verdict.message) == (points > 0)


def test_without_parts_an_answer_is_right_or_wrong_and_its_wrong_entries_are_named():
    whole = dataclasses.replace(THREE, entry_points=None)
    verdict = judge(whole, lambda case: THREE.right() | {"bits": 2.0}, whole.cases)
    assert verdict.points == 0 and verdict.message.endswith('Try again. Only "bits" is wrong.')
    verdict = judge(whole, lambda case: THREE.right() | {"bits": 2.0, "who": "C"}, whole.cases)
    assert verdict.message.endswith('Only "bits" and "who" are wrong.')
    assert judge(whole, lambda case: THREE.right(), whole.cases).points == 5


def test_a_hint_may_end_with_any_words():
    """The entries that are wrong are named, unless the hint of `_where` has named them."""
    only = dataclasses.replace(THREE.mistakes[3], hint="It is right for A only.")
    whole = dataclasses.replace(THREE, entry_points=None, mistakes=(only,))
    verdict = judge(whole, lambda case: THREE.right() | {"who": "B"}, whole.cases)
    assert verdict.lines[0].endswith("It is right for A only.") and verdict.lines[1] == 'Only "who" is wrong.'


def test_each_wrong_entry_has_a_line_of_its_own():
    verdict = judge(THREE, lambda case: THREE.right() | {"bits": 3.0 * np.log(2), "who": "B"}, THREE.cases)
    assert [line.partition(": ")[0] for line in verdict.lines[1:]] == ['"bits"', '"who"']
    assert verdict.lines[0].startswith("2 of 5 points.")
    verdict = judge(THREE, lambda case: THREE.right() | {"who": "B"}, THREE.cases)
    assert len(verdict.lines) == 1 and verdict.lines[0].startswith("3 of 5 points.")


@pytest.mark.parametrize(("about_nan", "says"), [(True, "an entry is empty"), (False, "a result is not")])
def test_a_property_says_by_itself_whether_it_explains_nan(about_nan, says):
    rule = Property("an entry is empty, as nan is not a number", finite, about_nan=about_nan)
    mean = dataclasses.replace(MEAN, properties=(rule, rule))
    [line] = judge(mean, lambda case: np.array([np.nan, 1.0])[len(case[0]) % 2], mean.cases).lines
    assert line.startswith(says)


def test_the_wrong_places_of_an_array_are_named():
    def right(x):
        return x**2

    squares = dataclasses.replace(MEAN, right=right, cases=((np.arange(5.0),), (np.ones(3),)))
    squares = dataclasses.replace(squares, mistakes=(), properties=())
    verdict = judge(squares, lambda case: case[0] ** 2 + (case[0] == 3) * 0.5, squares.cases)
    assert "The entry [3] is wrong." in verdict.message
    verdict = judge(squares, lambda case: case[0] ** 2 + (case[0] > 2) * 0.5, squares.cases)
    assert "The entries [3], [4] are wrong." in verdict.message


def test_the_parts_of_an_array_are_its_places():
    halves = dataclasses.replace(
        THREE, right=lambda: np.array([0.5, 0.25]), mistakes=(), entry_points={0: 2, 1: 3}, points=5
    )
    verdict = judge(halves, lambda case: [0.5, 1.0], halves.cases)
    assert verdict.points == 2 and "Right: entry [0]. Wrong: entry [1]." in verdict.message


def test_parts_add_up_to_the_points():
    with pytest.raises(InvalidQuestion, match="add up to points"):
        dataclasses.replace(THREE, entry_points={"bits": 1, "rate": 2, "who": 1})
