"""What the form cell of a paper accepts is judged by its value, and what it refuses is explained in words."""

import numpy as np
import pytest

from lmcourse.exams import EXAMS, find
from lmcourse.exams.forms import check_form
from lmcourse.exams.task import value_task
from lmcourse.grading.notebook.remote_checks import RemoteChecks
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.limits import Limits
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.hints.judging import judge
from lmcourse.hints.question import Mistake

SETUP = """
from decimal import Decimal
from fractions import Fraction
import numpy as np
import sympy as sp
z, p = sp.symbols("z p", positive=True)
"""
FORM = {"bits": float, "verdict": "ABCD", "shares": [float] * 2, "count": float}
GOOD = {"bits": "10.95", "verdict": '"B"', "shares": "[0.25, 0.75]", "count": "8025600"}

NUMBERS = """\
10.95 | 10.949 | np.float64(10.95) | np.float32(10.95) | np.float16(10.95) | np.longdouble(10.95)
np.array(10.95) | sp.Float(10.95) | sp.Rational(219, 20)
sp.sqrt(sp.Integer(2)) * 10.95 / sp.sqrt(2) | Fraction(219, 20) | Decimal("10.95") | "10.95"
" 10.95 " | "1.095e1" | "+10.95" | "10,95" | "10,9500"
"""
WRONG_NUMBERS = """\
11 | np.int64(11) | sp.Integer(11) | sp.log(2) | Fraction(1, 3) | "11" | "-10.95" | "0,123" | -10.95
"""
NO_NUMBERS = """\
None | ... | True | np.bool_(True) | np.array(True) | 10.95j | np.complex128(10.95)
np.array(10.95j) | "" | "about 11" | "10.95 %" | "10.95 bits" | "1,095" | "1.234,5" | "1,234.5"
"nan" | "1_0" | "219/20" | "ln 2" | np.nan | np.inf | sp.oo | sp.nan | sp.zoo | sp.I | z | sp.log(z)
sp.Symbol("x") | sp.true | sp.Eq(z, 1) | np.log | z.subs | lambda: 10.95 | [10.95] | (10.95,)
np.array([10.95]) | {10.95} | {"bits": 10.95} | b"10.95" | object() | float
np.datetime64("2026-11-21") | range(1) | sp.Matrix([10.95]) | np.array(["10.95"])
"""
LETTERS = """\
"B" | "b" | " b " | "(b)" | "B." | np.str_("b") | "B: the padding" | "B:padding" | "b. It counts a total"
"(B) because of\\n(the padding)" | "B) a B" | "B." + chr(10) + "why"
"""
WRONG_LETTERS = """\
"A" | "a" | "D)"
"""
NO_LETTERS = """\
None | "E" | "" | "AB" | "B because" | "Bo" | "b.h." | "b, e" | "A) or B)" | "no" | "B: or D"
2 | sp.Symbol("B") | ["B"] | b"B" | str
"""
LISTS = """\
[0.25, 0.75] | (0.25, 0.75) | np.array([0.25, 0.75]) | ["0.25", "0,75"]
[Fraction(1, 4), sp.Rational(3, 4)] | [np.float32(0.25), Decimal("0.75")]
[[0.25], [0.75]] | [(0.25, "0,75")] | np.array([[0.25], [0.75]], dtype=object)
np.array([[0.25, 0.75]]) | np.array([[0.25], [0.75]]) | sp.Matrix([0.25, 0.75]) | sp.Matrix([["1/4", "3/4"]])
np.array(["0.25", "0.75"]) | [np.array(0.25), 0.75] | np.array([0.25, 0.75], dtype=object)
"""
WRONG_LISTS = "[0.75, 0.25] | [1, 2] | np.array([1, 2])"
NO_LISTS = """\
None | [] | [0.25] | [0.25, 0.75, 0.0] | [0.25, None] | ["a", 0.75] | np.eye(2) | [[]] | [[0.25], 0.75]
"0.25 0.75" | {0.25, 0.75} | {0: 0.25, 1: 0.75} | sp.Matrix([0.25, z]) | 0.25 | z
np.array([True, False]) | np.ones((2, 1, 2)) | sp.eye(2) | sp.Matrix([1, sp.I])
iter([0.25, 0.75]) | np.array([0.25, 0.75j]) | [0.25, np.nan]
"""
COUNTS = """\
8025600 | "8025600" | "8,025,600" | "8 025 600" | "+8,025,600"
"8\\u202f025\\u202f600" | "8\\u00a0025\\u00a0600"
"""
WRONG_COUNTS = '"8,125,600" | "-8,025,600" | "8 025 600 000"'
NO_COUNTS = """\
"8,025 600" | "8,0256,00" | "0,025,600" | "8,025" | "8 025" | "8,025,60" | "80 25600"
"""
KINDS = {
    "right": (NUMBERS, LETTERS, LISTS, COUNTS),
    "wrong": (WRONG_NUMBERS, WRONG_LETTERS, WRONG_LISTS, WRONG_COUNTS),
    "refused": (NO_NUMBERS, NO_LETTERS, NO_LISTS, NO_COUNTS),
}
ENTRIES = [
    (key, code.strip(), kind)
    for kind, lists in KINDS.items()
    for key, texts in zip(FORM, lists, strict=True)
    for line in texts.splitlines()
    for code in line.split(" | ")
]

EXPRESSIONS = """\
z**2 * p + 2 | p * z * z + 2 | (z * p + 2 / z) * z
sp.Symbol("z")**2 * sp.Symbol("p", real=True) + 2 | sp.Derivative(z**3 * p / 3 + 2 * z, z)
sp.Integral(2 * z * p, z) + 2 | sp.exp(2 * sp.log(z)) * p + sp.Float(2.0)
sp.expand((z + 1)**2) * p - 2 * z * p - p + 2 | sp.Piecewise((z**2 * p + 2, z > 0), (0, True))
"""
WRONG_EXPRESSIONS = """\
z**2 | p | 2 | 2.5 | "3" | Fraction(1, 2) | sp.Integer(2) | sp.pi | Decimal("2.5")
sp.Sum(z, (p, 1, 3))
"""
NO_EXPRESSIONS = """\
None | ... | "z**2 * p + 2" | sp.Symbol("x") | z + sp.Symbol("q") | sp.Eq(z, z**2 * p + 2)
[z**2 * p + 2] | sp.Matrix([z]) | sp.log(-z) | sp.Function("f")(z) | sp.oo | sp.zoo | sp.nan
lambda z, p: z | sp.Lambda((z, p), z) | z > 0 | sp.Integral(sp.Function("f")(z), z) | {"slope": z}
True | 1j | z.diff | np.array([1.0]) | sp.Limit | sp.I * z
"""
SLOPES = [
    (code.strip(), kind)
    for kind, texts in (("right", EXPRESSIONS), ("wrong", WRONG_EXPRESSIONS), ("refused", NO_EXPRESSIONS))
    for line in texts.splitlines()
    for code in line.split(" | ")
]


def _task(name, right, case, entry_points=None, **others):
    texts = {"title": "", "chapters": "", "minutes": 1, "text": "", "solution": ""}
    mistakes = (Mistake("L1", lambda *case: right(*case), "the same"),)
    return value_task(
        name=name,
        right=right,
        case=case,
        mistakes=mistakes,
        points=4,
        entry_points=entry_points,
        **others,
        **texts,
    )


VALUE = _task(
    "value",
    lambda: {"bits": 10.95, "verdict": "B", "shares": np.array([0.25, 0.75]), "count": 8025600},
    (),
    (1, 1, 1, 1),
    letters="ABCD",
).question
SLOPE = _task("slope", lambda z, p: z**2 * p + 2, (0.37, 0.31), symbols=("z", "p")).question


@pytest.fixture(scope="module")
def graded():
    """The verdict on each answer, as the grader gets it: the answers live in a process of their own."""
    dictionaries = [
        "{" + ", ".join(f'"{k}": {code if k == key else v}' for k, v in GOOD.items()) + "}"
        for key, code, _ in ENTRIES
    ]
    answers = [*((VALUE, code) for code in dictionaries), *((SLOPE, code) for code, _ in SLOPES)]
    verdicts = []
    with Sandbox(Limits(), ["numpy", "sympy"]) as sandbox:
        sandbox.open({})
        lines = [f"answer_{i} = {code}" for i, (_, code) in enumerate(answers)]
        assert "error" not in (reply := sandbox.run("answers", SETUP + "\n".join(lines))), reply
        with sandbox.probe() as probe:
            for i, (question, _) in enumerate(answers):
                call = RemoteChecks(probe, 1).caller(question, proxies.fetch(probe, f"answer_{i}"))
                verdicts.append(judge(question, call, question.cases))
    return verdicts


def _on_paper(name, code, form):
    """What the form cell says about an answer; empty if the form is right."""
    names: dict = {}
    exec(SETUP, names)
    try:
        check_form(name, eval(code, names), form)
    except AssertionError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("i", range(len(ENTRIES)), ids=[f"{key} {code}" for key, code, _ in ENTRIES])
def test_an_entry_is_judged_as_the_form_cell_reads_it(graded, i, capsys):
    """One entry in an unusual writing: paper and grader agree, and the other entries keep their points."""
    key, code, kind = ENTRIES[i]
    answer = "{" + ", ".join(f'"{k}": {code if k == key else v}' for k, v in GOOD.items()) + "}"
    said, verdict = _on_paper("value", answer, FORM), graded[i]
    assert bool(said) == (kind == "refused"), said
    assert verdict.right == (kind == "right"), verdict.message
    if kind != "right":
        assert verdict.points == 4 - VALUE.entry_points[key], verdict.message
    if kind == "refused":
        assert said.startswith(f'`value["{key}"]') and said.endswith(".")
        assert any(cure in said for cure in ("Write ", "Put your result"))
        assert said.replace("\n", " ") in verdict.message


@pytest.mark.parametrize("i", range(len(SLOPES)), ids=[code for code, _ in SLOPES])
def test_an_expression_is_judged_as_the_form_cell_reads_it(graded, i, capsys):
    """Equal forms are right whatever their symbols assume; both sides report what is not an expression."""
    code, kind = SLOPES[i]
    said, verdict = _on_paper("slope", code, ("z", "p")), graded[len(ENTRIES) + i]
    assert bool(said) == (kind == "refused"), said
    assert verdict.right == (kind == "right"), verdict.message
    if kind == "refused":
        assert "not one of the mistakes that this task looks for" not in verdict.message, (
            "it is not judged by its value"
        )


def test_an_unreadable_entry_is_not_shown_as_a_number():
    """The message about the readable entries does not mention the others."""
    answer = {"bits": 3, "verdict": "B", "shares": "25 %", "count": 8025600}
    verdict = judge(VALUE, lambda case: answer, VALUE.cases)
    assert "nan" not in verdict.message and "You give {'bits': 3}." in verdict.message
    assert verdict.points == 2 and "Write a list of 2 numbers." in verdict.message


def test_what_cannot_be_read_at_all_gets_no_points():
    """A list where a dictionary is asked for, and an answer that was not given."""
    for answer, says in (
        ([10.95, "B"], 'with the keys "bits", "verdict", "shares", "count"'),
        (..., "not answered yet"),
    ):
        verdict = judge(VALUE, lambda case, answer=answer: answer, VALUE.cases)
        assert not verdict.right and verdict.points == 0 and says in verdict.message


KEYS = [
    ({"Bits": 0, " verdict": 1, "SHARES": 2, "c o u n t": 3}, 4, []),
    (
        {"bits": 0, "verdict": 1, "shares": 2, "count": 3, "counts": 3},
        4,
        ["the key 'counts', which is not asked"],
    ),
    (
        {"bits": 0, "verdict": 1, "shares": 2, "count": 3, "Count": 3},
        3,
        ["several times, as 'count' and 'Count'"],
    ),
    ({"bits": 0, "Verdict": 1, 2: 2, "n": 3}, 2, ['no key "shares" or "count" and the key 2, \'n\', which']),
]


@pytest.mark.parametrize(("keys", "points", "says"), KEYS)
def test_keys_are_matched_without_blanks_and_capitals(keys, points, says):
    """An extra key is reported and costs nothing, a key that appears twice costs its points, and all
    missing keys are named in one sentence. The paper and the grader say the same."""
    values = list(GOOD.values())
    code = "{" + ", ".join(f"{key!r}: {values[i]}" for key, i in keys.items()) + "}"
    said, verdict = _on_paper("value", code, FORM), judge(VALUE, lambda case: eval(code), VALUE.cases)
    assert bool(said) == bool(says) and len(said.splitlines()) == len(says)
    assert verdict.right == (points == 4) and (verdict.right or verdict.points == points)
    for sentence in says:
        assert sentence in said
        assert verdict.right or (verdict.message.count(sentence) == 1 and said in verdict.message)


@pytest.mark.parametrize("name", EXAMS)
def test_no_two_keys_of_a_task_differ_by_blanks_and_capitals_alone(name):
    for task in find(name).tasks(1):
        keys = [key for key in (task.question and task.question.entry_points) or () if isinstance(key, str)]
        assert len({"".join(key.split()).casefold() for key in keys}) == len(keys), task.name
