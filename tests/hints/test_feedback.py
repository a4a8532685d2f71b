"""Feedback: a wrong answer gets the sentence that helps."""

import numpy as np
import pytest
import sympy as sp

from lmcourse.feedback import check, check_hidden, inputs
from lmcourse.questions.shared.wrong import padding_counted
from tests.hints.small_questions import mean_nats, message


def test_a_right_answer_prints_one_line(capsys):
    check("99.mean", mean_nats)
    check("99.value", {"perplexity": 8, "unit": "token"})
    check_hidden("99.mean", mean_nats, seed=1)
    check_hidden("99.value", {"perplexity": 8.0, "unit": "token"}, seed=1)
    assert capsys.readouterr().out.splitlines() == [
        "99.mean: right (2 points)",
        "99.value: right (1 point)",
        "99.mean: right on 8 fresh inputs",
        "99.value: right on 1 input",
    ]


def test_an_undone_task_says_its_own_message():
    def undone(nats, real):
        raise NotImplementedError("Task 3: average the nats.")

    assert message("99.mean", undone) == "not done yet. Task 3: average the nats."


def test_an_exception_shows_the_line_and_the_inputs():
    def broken(nats, real):
        return nats[7]

    text = message("99.mean", broken)
    assert "your function raises IndexError" in text
    assert "at `return nats[7]`" in text
    assert "nats = [0.5, 2, 9]" in text


def test_a_function_with_other_arguments_is_an_exception():
    assert "raises TypeError" in message("99.mean", lambda nats: 1.0)


def test_a_called_function_is_named():
    assert "pass the function itself instead of calling it" in message("99.mean", 1.25)


def test_the_students_function_may_change_its_inputs():
    def in_place(nats, real):
        nats *= real
        return nats.sum() / real.sum()

    check("99.mean", in_place)
    assert inputs("99.mean")[0][0][2] == 9.0


def test_a_mistake_is_named_with_its_numbers():
    text = message("99.mean", padding_counted)
    assert text == "M19, padding is counted. Ratio 0.6667: 2 of 3."
    assert "ln r / ln R = 0.6931." in message("99.value", {"perplexity": 8.0 ** np.log(2), "unit": "token"})


def test_a_rounded_mistake_is_still_named():
    assert message("99.mean", lambda *case: round(padding_counted(*case), 4)).startswith("M19")


def test_one_wrong_entry_is_enough_to_name_a_mistake():
    assert message("99.slope", [2 * sp.Symbol("x"), 1 / sp.Symbol("x")]).startswith("L10")


def test_two_mistakes_at_once():
    text = message("99.mean", lambda *case: padding_counted(*case) / np.log(2))
    assert text.startswith("two mistakes at once. M19, padding is counted. Ratio 0.6667")
    assert "M2, bits are read as nats. Your number is 1.4427" in text


def test_a_rounded_right_answer_is_told_so():
    assert message("99.mean", lambda *case: round(mean_nats(*case), 3)).startswith(
        "close, but not within one part in a million of the value"
    )


@pytest.mark.parametrize(
    ("formula", "says"),
    [
        (lambda nats, real: np.inf, "a number is infinite"),
        (lambda nats, real: np.nan, "a result is not a number (nan)"),
        (lambda nats, real: -7.0, "a number is negative"),
        (lambda nats, real: float(len(nats)), "it changes when doubled"),
    ],
)
def test_a_broken_property_is_named(formula, says):
    text = message("99.mean", formula)
    assert text.startswith(says)
    assert "For nats = [0.5, 2, 9], real = " in text


def test_a_perplexity_below_one_is_refused():
    assert message("99.value", {"perplexity": 0.5, "unit": "token"}).startswith("a perplexity is below 1")


def test_anything_else_shows_the_value_and_what_to_try():
    text = message("99.mean", lambda nats, real: 3.0)
    assert text.startswith(
        "not the value asked for, and not one of the mistakes that this task looks for. "
        "For nats = [0.5, 2, 9]"
    )
    assert text.endswith("you return 3. Try it by hand.")


def test_the_message_comes_without_a_traceback():
    with pytest.raises(AssertionError) as caught:
        check("99.mean", padding_counted)
    assert caught.value._render_traceback_() == [str(caught.value)]
    assert caught.value.__suppress_context__
