"""What the visible check accepts the grader accepts; what one refuses the other refuses in the same words.

Every type that a student may return is given as a value, as an entry of a dictionary, a list, a tuple and an
array, as what a function returns, and in place of a SymPy expression.
"""

import re
import textwrap

import numpy as np
import pytest
import sympy as sp

from lmcourse import feedback
from lmcourse.feedback import WrongAnswer, _caller, _precise
from lmcourse.grading.notebook.remote_checks import RemoteChecks
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.limits import Limits
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.hints.answers import Unreadable, evaluate, read
from lmcourse.hints.judging import judge
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions import of_chapter

SETUP = """
import array, collections, decimal, enum, fractions, functools, itertools, types
import numpy as np, sympy as sp, torch
import scipy.sparse
from lmmetrics import Score
x, y = sp.symbols("x y")

class Number(float):
    __eq__ = lambda self, other: True
    __hash__ = float.__hash__

class Colour(enum.IntEnum):
    red = 1

class Letter(str, enum.Enum):
    nats = "nats"

class Point(collections.namedtuple("Point", "a b")):
    pass

class Thing:
    pass

class Called:
    def __call__(self, *case):
        return 1.25

def generate():
    yield 1.25
"""

RIGHT = """
1.25
np.float64(1.25)
np.float32(1.25)
np.float16(1.25)
np.longdouble(1.25)
np.array(1.25)
np.array(1.25, dtype=np.longdouble)
np.array(1.25, dtype=">f8")
np.array(1.25, dtype=object)
Number(1.25)
fractions.Fraction(5, 4)
decimal.Decimal("1.25")
sp.Rational(5, 4)
sp.Float("1.25")
sp.Integer(5) / 4
sp.sqrt(sp.Rational(25, 16))
torch.tensor(1.25)
torch.tensor(1.25, dtype=torch.float64)
torch.tensor(1.25, dtype=torch.bfloat16)
torch.tensor(1.25, dtype=torch.float16)
torch.nn.Parameter(torch.tensor(1.25)).detach()
np.ma.masked_array(1.25, mask=False)
""".strip().splitlines()

ODD = """
None
...
True
np.bool_(True)
np.array(True)
Colour.red
1
10**25
10**400
-(10**5000)
np.int8(1)
np.uint64(2**64 - 1)
1.25j
1.25 + 0j
np.complex64(1.25)
np.clongdouble(1.25 + 1j)
complex("nan")
float("nan")
float("inf")
np.longdouble("1e4000")
np.float32("nan")
"1.25"
np.str_("1.25")
Letter.nats
b"1.25"
np.bytes_(b"1.25")
bytearray(b"1.25")
memoryview(b"12345678")
[]
[1.25]
[[1.25], [1.25, 2.5]]
[1.25, None]
[1.25, "2.5"]
[True, 1.25]
[np.bool_(True), 1.25]
[1.25, 10**25]
(1.25, 2.5)
[torch.tensor(1.25), torch.tensor(2.5)]
[torch.tensor(1.25), 2.5]
[torch.tensor([1.25]), torch.tensor([2.5])]
[torch.tensor(1.25, requires_grad=True), 2.5]
[torch.tensor([1.25], requires_grad=True), torch.tensor([2.5])]
[fractions.Fraction(5, 4), decimal.Decimal("2.5")]
[sp.Rational(5, 4), sp.Float(2.5)]
[np.longdouble(1.25), np.float16(2.5)]
[np.array(1.25), np.array(2.5)]
[1.25, x]
Point(1.25, 2.5)
collections.deque([1.25, 2.5])
array.array("d", [1.25, 2.5])
{1.25, 2.5}
frozenset({1.25})
range(2)
iter([1.25])
generate()
map(float, [1.25])
zip([1.25], [2.5])
(v for v in [1.25])
{"a": 1}.values()
{"a": 1}.keys()
{}
{"nats": 1.25}
{1: 2, (1, 2): 3, None: 4}
{x: 1.25}
{b"nats": 1.25}
{Letter.nats: 1.25}
{("a", x): 1.25}
collections.Counter("ab")
collections.OrderedDict(nats=1.25)
types.MappingProxyType({"nats": 1.25})
collections.UserDict(nats=1.25)
np.array([1.25, 2.5])
np.array([1.25, 2.5], dtype=np.float32)
np.array([1.25, 2.5], dtype=np.float16)
np.array([1.25, 2.5], dtype=np.longdouble)
np.array([1.25, 2.5], dtype=np.clongdouble)
np.array([1.25, 2.5], dtype=complex)
np.array([1.25, 2.5 + 1e-3j])
np.array([1.25, np.inf], dtype=complex)
np.array([1.25, 2.5], dtype=object)
np.array([fractions.Fraction(5, 4), decimal.Decimal("2.5")])
np.array([sp.Rational(5, 4), 2.5])
np.array([sp.Rational(5, 4), x])
np.array([1.25, None])
np.array([[1.25], [1.25, 2.5]], dtype=object)
np.array(["a", "bc"])
np.array([b"a"])
np.array([True, False])
np.array([1, 2], dtype=">i2")
np.array(["2020-01-01"], dtype="datetime64[D]")
np.array([1], dtype="timedelta64[s]")
np.datetime64("2020-01-01")
np.zeros(2, dtype=[("a", float)])
np.rec.array([(1.25, 2)], dtype=[("a", float), ("b", int)])
np.zeros((0, 2))
np.matrix([1.25, 2.5])
np.ma.masked_array([1.25, 2.5], mask=[False, False])
np.ma.masked_array([1.25, 2.5], mask=[False, True])
np.ma.masked
np.broadcast_to(1.25, (2,))
np.array([1.25, 0, 2.5])[::2]
np.random.default_rng(0)
np.log
np.poly1d([1.25])
torch.tensor([1.25, 2.5])
torch.tensor([1.25, 2.5], dtype=torch.bfloat16)
torch.tensor([1, 2], dtype=torch.uint8)
torch.tensor([True, False])
torch.tensor([1.25, 2.5]) * 1j
torch.tensor([1.25, 2.5], requires_grad=True)
torch.tensor(1.25, requires_grad=True)
torch.nn.Parameter(torch.tensor([1.25, 2.5]))
torch.tensor([1.25, 2.5]).to_sparse()
torch.tensor([1.25, 2.5]).to(torch.float8_e5m2)
torch.tensor([1.25 + 1j]).conj()
torch.quantize_per_tensor(torch.tensor([1.25, 2.5]), 0.25, 0, torch.qint8)
torch.empty(2, device="meta")
torch.nn.Linear(1, 1)
sp.Lambda(x, sp.Rational(5, 4))
torch.Size([1, 2])
torch.float32
scipy.sparse.csr_matrix([[1.25]])
sp.pi
sp.I
sp.zoo
sp.nan
sp.oo
sp.true
sp.Symbol("x")
x * y
x**2
sp.Eq(x, 1)
sp.Poly(x, x)
sp.Matrix([1.25, 2.5])
sp.Matrix([x, 2 * x])
sp.Tuple(x, x)
sp.series(sp.exp(x), x, 0, 3)
sp.Sum(y, (y, 1, x))
sp.Integral(sp.exp(-y**2), (y, 0, 1))
sp.Derivative(sp.Function("f")(x), x)
sp.Function("f")(x)
sp.Interval(0, 1)
sp.log(x - 5)
1 / (x - 2)
[x, x]
(x, sp.Rational(1, 2))
{"nats": x}
np.array([x, 2 * x])
lambda *case: 1.25
len
Called()
Thing()
Thing
type
functools.partial(round, 1.25)
np
ValueError("no")
NotImplemented
slice(1)
Score(2.0, tokens=3)
open("/dev/null")
itertools.count()
""".strip().splitlines()


def question(form, right, symbols=(), cases=((),)):
    wrong = Mistake("M2", lambda *case: right(*case), "No hint.")
    return Question("99.type", "a type", "compute", 1, 1, right, cases, (wrong,), form=form, symbols=symbols)


ARRAY = np.array([1.25, 2.5])
ARGUMENT = ((2.0,), (3.0,))
QUESTIONS = {
    "number": question("value", lambda: 1.25),
    "two": question("value", lambda: ARRAY),
    "entry": question("value", lambda: {"n": 1.25, "a": ARRAY}),
    "listed": question("value", lambda: ARRAY),
    "paired": question("value", lambda: ARRAY),
    "text": question("value", lambda: {"nats": "1.25"}),
    "function": question("function", lambda n: 1.25, cases=ARGUMENT),
    "function_entry": question("function", lambda n: {"n": 1.25, "a": ARRAY}, cases=ARGUMENT),
    "not_a_function": question("function", lambda n: 1.25, cases=ARGUMENT),
    "expression": question("expression", lambda n: n**2, symbols=("x",), cases=ARGUMENT),
    "expressions": question("expression", lambda n: np.array([n, 2 * n]), symbols=("x",), cases=ARGUMENT),
}
CELL = """
number = two = expression = expressions = not_a_function = {0}
entry = {{"n": {0}, "a": {0}}}
listed = [{0}, 2.5]
paired = (2.5, {0})
text = {{"nats": {0}}}
def function(n):
    return {0}
def function_entry(n):
    return {{"a": {0}, "n": 1.25}}
"""


@pytest.fixture(scope="module")
def sandbox():
    with Sandbox(Limits(), ["numpy", "sympy", "torch", "scipy.sparse"]) as sandbox:
        sandbox.open({})
        sandbox.run("setup", SETUP)
        yield sandbox


@pytest.fixture(scope="module")
def names():
    names = {}
    exec(SETUP, names)
    return names


def checked(name, names):
    """What the visible check says: whether it is right, and its sentence."""
    verdict = judge(QUESTIONS[name], _caller(QUESTIONS[name], names[name]), QUESTIONS[name].cases)
    return verdict.right, verdict.message


def graded(name, probe):
    """What the grader says."""
    try:
        tests = RemoteChecks(probe, 0)
        tests.judge(QUESTIONS[name], proxies.fetch(probe, name), QUESTIONS[name].cases)
    except WrongAnswer as wrong:
        return False, str(wrong)
    except Unreadable as problem:
        return False, f"99.type: {problem}"
    return True, "99.type: right"


@pytest.mark.parametrize("source", RIGHT + ODD)
def test_check_and_grader_say_the_same(source, sandbox, names):
    cell = CELL.format(source)
    own = dict(names)
    exec(textwrap.dedent(cell), own)
    assert sandbox.run("answer", cell) == {"done": True}
    with sandbox.probe() as probe:
        differ = [
            (name, here, there)
            for name in QUESTIONS
            if not (name == "not_a_function" and "Linear" in source)  # a line of torch is named, or none
            and (here := checked(name, own)) != (there := graded(name, probe))
        ]
    assert differ == []


@pytest.mark.parametrize("source", RIGHT)
def test_every_form_of_the_right_number_is_right(source, names):
    own = dict(names)
    exec(CELL.format(source), own)
    for name in ("number", "listed", "function"):
        assert checked(name, own) == (True, "99.type: right"), name


def in_float32(value):
    if isinstance(value, np.ndarray) and value.dtype == np.float64:
        return value.astype(np.float32)
    return type(value)(map(in_float32, value)) if type(value) in (list, tuple) else value


@pytest.mark.parametrize("chapter", ["03", "07", "08"])
def test_what_float32_loses_on_hidden_inputs_the_visible_check_tells(chapter, monkeypatch):
    """The visible inputs are few and round: float32 is often precise enough for those."""
    monkeypatch.setattr(feedback, "DRAWING_SECONDS", 60)
    told = 0
    for key, asked in of_chapter(chapter).items():
        if asked.form != "function" or asked.draw is None:
            continue

        def answer(*case, right=asked.right):
            return right(*map(in_float32, case))

        visible = judge(asked, _caller(asked, answer), asked.cases)
        if visible.right and not _precise(asked, answer).right:
            told += 1
        elif visible.right:
            for seed in range(3):
                assert judge(asked, _caller(asked, answer), asked.fresh_cases(seed)).right, (key, seed)
    assert told


@pytest.mark.parametrize(
    ("answer", "like", "cure"),
    [
        (sp.Array([1, 2]), np.zeros(2), "`np.array(x, dtype=float)`."),
        (sp.Dict({"a": 1}), {"a": 1.0}, "Use `dict(...)`."),
        (map(abs, [1]), np.zeros(1), "Use `list(...)`."),
        ({1: 2}.values(), np.zeros(1), "Use `list(...)`."),
    ],
)
def test_a_refusal_names_the_cure(answer, like, cure):
    with pytest.raises(Unreadable, match=re.escape(cure)):
        read(answer, like)


def test_a_lambda_of_sympy_is_refused_as_an_expression():
    x = sp.Symbol("x")
    with pytest.raises(Unreadable, match="Give the formula itself"):
        evaluate([sp.Lambda(x, x)], ["x"], [3.0])
