"""Feedback: every answer gets the sentence that helps, and no two formulas can be confused."""

import dataclasses
import itertools
import pkgutil
import re

import numpy as np
import pytest
import sympy as sp
import torch

import lmcourse.questions
from lmcourse import feedback
from lmcourse.feedback import WrongAnswer, check, check_hidden, inputs
from lmcourse.hints.answers import Unreadable, agreement, numbers
from lmcourse.hints.explaining import LOOSE
from lmcourse.hints.judging import judge
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import Mistake, Property, Question, formula_value
from lmcourse.questions import find, of_chapter
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE, PERPLEXITY, unchanged
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import padding_counted

CHAPTERS = {m.name[2:] for m in pkgutil.iter_modules(lmcourse.questions.__path__) if m.name.startswith("ch")}
QUESTIONS = [question for chapter in sorted(CHAPTERS) for question in of_chapter(chapter).values()]
BY_MISTAKE = [
    pytest.param(question, i, id=f"{question.key}-{label}")
    for question in QUESTIONS
    for i, (label, _) in enumerate(question.labelled_formulas()[1:])
]


def mean_nats(nats, real):
    return nats[real].mean()


MEAN = Question(
    key="99.mean",
    title="a mean over real tokens",
    kind="implement",
    stars=1,
    points=2,
    right=mean_nats,
    cases=(
        (np.array([0.5, 2.0, 9.0]), np.array([True, True, False])),
        (np.array([1.0, 4.0, 0.2, 9.0]), np.array([True, True, True, False])),
    ),
    draw=lambda rng: (rng.uniform(0, 3, size=6), np.array([True] * 4 + [False] * 2)),
    mistakes=(
        *unit_mistakes(mean_nats, "M2 M5"),
        Mistake("M19", padding_counted, lambda nats, real: f"Ratio {{ratio}}: {real.sum()} of {real.size}."),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property("it changes when doubled", unchanged, also=lambda *case: tuple(np.tile(a, 2) for a in case)),
    ),
    advice="Try it by hand.",
)

SLOPE = Question(
    key="99.slope",
    title="a derivative",
    kind="derive",
    stars=1,
    points=1,
    form="expression",
    symbols=("x", "a"),
    right=lambda x, a: np.array([2 * a * x, 1 / x]),
    cases=((1.5, 2.0), (0.3, -1.0)),
    mistakes=(Mistake("L10", lambda x, a: np.array([2 * x, 1 / x]), "The factor a is missing."),),
    advice="Differentiate.",
)

VALUE = Question(
    key="99.value",
    title="a perplexity",
    kind="compute",
    stars=1,
    points=1,
    form="value",
    right=lambda: {"perplexity": 8.0, "unit": "token"},
    cases=((),),
    mistakes=(
        Mistake("M1", lambda: {"perplexity": 8.0 ** np.log(2), "unit": "token"}, "ln r / ln R = {power}."),
    ),
    properties=(PERPLEXITY,),
)


THREE = Question(
    key="99.three",
    title="three entries",
    kind="compute",
    stars=1,
    points=5,
    form="value",
    right=lambda: {"bits": 3.0, "rate": np.array([0.5, 1.5]), "who": "A"},
    cases=((),),
    mistakes=(
        Mistake("M1", lambda: THREE.right() | {"bits": 3.0 * np.log(2)}, "Your bits are {ratio} of them."),
        Mistake("L7", lambda: {"bits": 7.0, "rate": np.array([1.5, 0.5]), "who": "A"}, "You exchange two."),
        Mistake("L23", lambda: THREE.right() | {"rate": np.array([1.5, 0.5])}, "Off by one."),
        Mistake("L28", lambda: THREE.right() | {"who": "B"}, "It was not B."),
    ),
    entry_points={"bits": 1, "rate": 2, "who": 2},
    advice="Try again.",
)


@pytest.fixture(autouse=True)
def own_questions(monkeypatch):
    own = {question.key: question for question in (MEAN, SLOPE, VALUE, THREE)}
    monkeypatch.setattr(feedback, "find", lambda key: own.get(key) or find(key))


def message(key, answer):
    """The message that a wrong answer gets."""
    with pytest.raises(WrongAnswer) as caught:
        check(key, answer)
    assert str(caught.value).startswith(f"{key}: ")
    return str(caught.value).removeprefix(f"{key}: ")


# --- what a student meets --------------------------------------------------------------------------------


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


@pytest.mark.parametrize(
    "kind", [float, np.array, np.float64, lambda x: torch.tensor(x, dtype=torch.float64)]
)
def test_every_kind_of_number_is_a_number(kind):
    check("99.mean", lambda nats, real: kind(mean_nats(nats, real)))


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
        (np.array([True]), "holds truth values"),
        (object(), "type object"),
    ],
)
def test_what_is_no_number_is_named(value, says):
    assert says in message("99.mean", lambda nats, real: value)


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


def test_a_dictionary_needs_exactly_its_keys():
    assert "Expected are exactly 'perplexity', 'unit'" in message("99.value", {"perplexity": 8.0})
    assert "your answer is a number, but a dictionary" in message("99.value", 8.0)
    assert "your answer['unit'] is a number, but a string" in message(
        "99.value", {"perplexity": 8.0, "unit": 1}
    )


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
        (lambda nats, real: np.nan, "a number is infinite or not a number (nan)"),
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


# --- the entries of an answer ----------------------------------------------------------------------------


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
            'L7, the comparison is the wrong way round. You exchange two. This is so in "bits" only.',
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
    with pytest.raises(ValueError, match="not 5 in all"):
        dataclasses.replace(THREE, entry_points={"bits": 1, "rate": 2, "who": 1})


# --- expressions -----------------------------------------------------------------------------------------

X, A = sp.symbols("x a")


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


# --- for a grader ----------------------------------------------------------------------------------------


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


# --- every question of the book --------------------------------------------------------------------------


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.key)
def test_no_two_formulas_can_be_confused(question):
    """On each visible case formulas differ by twice the tolerance of a diagnosis, or are listed as a pair."""
    formulas = question.labelled_formulas()
    values = {label: [formula_value(question, f, case) for case in question.cases] for label, f in formulas}
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
    formulas = question.labelled_formulas()
    values = {label: [formula_value(question, f, case) for case in question.cases] for label, f in formulas}
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
    assert verdict.message.startswith(f"{question.key}: {mistake.id}, {mistake.name}. ")
    assert verdict.mistakes == tuple(mistake.id.split(" + "))
    if isinstance(mistake.hint, str):
        assert all(part in verdict.message for part in re.split(r"\{\w+\}", mistake.hint))
    for right in (formula_value(question, question.right, case) for case in question.cases):
        telling = {f"{abs(number):.4f}" for number in numbers(right) if np.isfinite(number) and number % 1}
        constants = {"0.6931", "1.4427", "0.4343"}  # the answer of 02.forensics is such a constant
        assert not any(number in verdict.message for number in telling - constants)


@pytest.mark.parametrize(("question", "i"), BY_MISTAKE)
def test_each_mistake_is_refused_on_fresh_inputs(question, i):
    wrong = question.mistakes[i].wrong
    for seed in (1, 2):
        verdict = judge(
            question, lambda case: formula_value(question, wrong, case), question.fresh_cases(seed)
        )
        assert not verdict.right
