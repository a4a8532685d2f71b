"""Answers that are objects made to deceive the tests."""

from tests.grading.catalogue.hostile import HostileCases

CASES = HostileCases()
case, trap = CASES.case, CASES.trap

trap(
    "an object that equals everything",
    """
class Any(float):
    __eq__ = __le__ = __ge__ = __lt__ = __gt__ = lambda self, other: True
    __sub__ = __rsub__ = __abs__ = lambda self, *other: Any(0.0)
    __hash__ = float.__hash__
return Any(1.0)
""",
)
trap(
    "an array that answers every comparison",
    """
class Any(np.ndarray):
    def __array_ufunc__(self, *a, **k):
        return np.array(True)
    def __array_function__(self, *a, **k):
        return np.array(True)
return np.array(1.0).view(Any)
""",
)
trap(
    "an object whose pickle runs code",
    """
class Bomb:
    def __reduce__(self):
        return (__import__("os").system, ("touch owned",))
return Bomb()
""",
    deserved=("zero", "is of the type Bomb"),
)
trap(
    "an object that claims to be a number of NumPy",
    """
made = type("float64", (), {"__module__": "numpy", "__array__": lambda self, *a: np.array(1.0)})
made.__float__ = lambda self: 1.0
return made()
""",
    deserved=("zero", "of the type float64"),
)
trap("a list nested two hundred deep", "x = []\nfor _ in range(200):\n    x = [x]\nreturn x")
trap("a list that holds itself", "x = []\nx.append(x)\nreturn x", deserved=("zero", "too deeply nested"))
trap("a number with ten thousand digits", "return 10**10_000")
trap("infinity and NaN", "return float('nan')", deserved=("zero", ""))
trap(
    "megabytes as an answer",
    "return np.zeros(2_000_000)",
    deserved=("could not run", "returned more"),
)
trap(
    "many small objects as an answer",
    "return [[i] for i in range(160_000)]",
    deserved=("zero", "too large"),
)
trap(
    "an error whose message is HTML, ANSI codes and a megabyte",
    "raise ValueError('<script>alert(1)</script>\\x1b[2J' + 'x' * 10**6)",
    deserved=("zero", "<script>alert(1)</script> [2Jxxx"),
)
trap("an error that cannot be shown", "class E(Exception):\n    def __str__(self): raise self\nraise E()")


@case("an expression that claims to have the right value", softmax_gradient=("zero", ""))
def _(nb):
    nb.answer(
        "softmax-gradient",
        """
        class Any(sp.Expr):
            free_symbols = set()
            def doit(self, **hints): return self
            def xreplace(self, rule): return self
            def evalf(self, *a, **k): return self
            def __complex__(self): return 0.5 + 0j
        gradient = [Any(), Any(), Any()]
        """,
    )


trap(
    "an error that pretends that another cell has stopped",
    "raise NameError(\"name 'np' is not defined\")",
    deserved=("zero", "raises NameError: name 'np' is not defined"),
)
