"""Every usual form of an answer is read; what cannot be read is named, and the message says what to do."""

import numpy as np
import pandas as pd
import pytest
import sympy as sp
import torch

from lmcourse.feedback import check
from lmcourse.hints.answers import Unreadable, agreement, read
from tests.hints.small_questions import mean_nats, message

X, A = sp.symbols("x a")


@pytest.mark.parametrize(
    "kind", [float, np.array, np.float64, lambda x: torch.tensor(x, dtype=torch.float64)]
)
def test_every_kind_of_number_is_a_number(kind):
    check("99.mean", lambda nats, real: kind(mean_nats(nats, real)))


@pytest.mark.parametrize("kind", [pd.Series, pd.Index, pd.array])
@pytest.mark.parametrize("dtype", ["float64", "Float64", "Int64", "category", object])
def test_a_column_of_pandas_is_an_array(kind, dtype):
    assert read(kind([1, 2], dtype=dtype), like=np.zeros(2)).tolist() == [1.0, 2.0]
    assert read({"nats": kind([1, 2], dtype=dtype)}, like={"nats": np.zeros(2)})["nats"].sum() == 3


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (pd.DataFrame({"nats": [1.0, 2.0]}), r"DataFrame, but an array of .* Use `.to_numpy\(\)` for"),
        (pd.Series([1.0, 2.0, 3.0]), r"an array of shape \(3,\), but an array of numbers of shape \(2,\)"),
        (pd.Series(["a", "b"]), "an entry of your answer is the text 'a'"),
        (pd.Series(pd.to_datetime(["2024-01-01"] * 2)), "values of type datetime64"),
    ],
)
def test_what_else_pandas_has_is_named(value, says):
    with pytest.raises(Unreadable, match=says):
        read(value, like=np.zeros(2))


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (None, "is None, but one number is expected. Does the function end with `return`?"),
        (..., "still `...`"),
        ("1.25", "the text '1.25', but one number is expected. Give a number without quotes"),
        (1.25j, "is complex"),
        (True, "is True"),
        (torch.tensor(1.25, requires_grad=True), "still carries its gradient"),
        (
            sp.Symbol("x") / 4,
            "is a SymPy object, but one number is expected. Turn it into a number with `float",
        ),
        ([1.25, 1.25], "is an array of shape (2,), but one number is expected"),
        (np.array([1.25 + 0j]), "is complex"),
        ([[1.0], [1.0, 2.0]], "rows of different lengths"),
        ({"nats": 1.25}, "a dictionary with the key 'nats'"),
        (mean_nats, "is a function, but one number is expected. Call it"),
        ([None, 1.0], "an entry of your answer is None"),
        (np.array([True]), "contains truth values"),
        (object(), "type object"),
    ],
)
def test_a_value_that_is_not_a_number_is_named(value, says):
    assert says in message("99.mean", lambda nats, real: value)


def test_the_inputs_are_shown_where_an_array_was_given_or_expected():
    assert "The inputs: nats = [0.5, 2, 9]" in message("99.mean", lambda nats, real: nats)
    assert "The inputs" not in message("99.mean", lambda nats, real: "an array of numbers")


def test_a_dictionary_needs_exactly_its_keys():
    assert "Its keys must be exactly 'perplexity', 'unit'" in message("99.value", {"perplexity": 8.0})
    assert "your answer is a number, but a dictionary" in message("99.value", 8.0)
    assert "your answer['unit'] is a number, but a string" in message(
        "99.value", {"perplexity": 8.0, "unit": 1}
    )


@pytest.mark.parametrize(
    "answer",
    [
        [2 * A * X, 1 / X],
        (sp.diff(A * X**2, X), sp.diff(sp.log(X), X)),
        sp.Matrix([2 * A * X, 1 / X]),
        [sp.Derivative(A * X**2, X), X ** (-1)],
        [2 * A * sp.Symbol("x", positive=True), 1 / sp.Symbol("x", real=True)],
    ],
    ids=["list", "tuple", "matrix", "unevaluated", "assumptions"],
)
def test_an_expression_is_right_in_any_form(answer):
    check("99.slope", answer)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ([2 * sp.Symbol("b") * X, 1 / X], "your answer[0] contains b. Use only the symbols x, a."),
        ([sp.Eq(X, 2 * A * X), 1 / X], "your answer[0] is an equation"),
        ([sp.Function("f")(X), 1 / X], "does not become a number"),
        (2 * A * X, "is one number, but an array of numbers of shape (2,) is expected"),
        ([sp.sqrt(-1 - X**2), 1 / X], "is complex"),
        (None, "not done yet: the answer is None."),
        ([X, X], "not one of the mistakes that this task looks for. Differentiate."),
    ],
)
def test_what_is_wrong_with_an_expression(answer, says):
    assert says in message("99.slope", answer)


def test_a_new_line_between_words_is_a_blank():
    assert agreement("score distribution", "score\n distribution ", rtol=0, atol=0).all()
    assert not agreement("score distribution", "scoredistribution", rtol=0, atol=0).any()
