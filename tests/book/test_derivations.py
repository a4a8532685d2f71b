"""The LaTeX of each step of the book's derivations means the expression that SymPy has proved.

`lmmetrics.derivation._proof.written` prints the source of a step, which nothing proves. So every page's
derivations are made again here, their LaTeX is read back by SymPy's parser, and both sides are compared in
numbers.
"""

import linecache
import re

import pytest
import sympy as sp
from sympy.core.function import AppliedUndef
from sympy.parsing.latex import parse_latex

from lmcourse.files.cells import code_cells
from lmcourse.files.places import ROOT
from lmmetrics.derivation import _chain
from lmmetrics.derivation._proof import Facts, exact, prove
from lmmetrics.derivation._proof.latex import latex
from lmmetrics.derivation._proof.written import Written

PAGES = sorted(path for path in ROOT.glob("book/[0-9]*.md") if "Derivation(" in path.read_text("utf-8"))
ASSUMING = [path for path in PAGES if "given=" in path.read_text("utf-8")]
LETTERS = "ABCFGHJKLMPQRSTUVWXYZ"
UNREAD = (sp.Derivative, sp.KroneckerDelta, sp.Piecewise, sp.Limit, sp.Integral, sp.Max, sp.Heaviside)
"""What SymPy's parser does not read, or reads as something else."""


@pytest.fixture
def printed(monkeypatch):
    """The expressions that derivations print from now on, with their LaTeX; the build proves the steps."""
    found = []
    original = Written.expression

    def expression(self, name, value):
        tex = original(self, name, value)
        found.append((value, tex, bool(self._arguments)))
        return tex

    monkeypatch.setattr(Written, "expression", expression)
    monkeypatch.setattr(_chain, "prove", lambda *sides: True)
    monkeypatch.setattr(_chain.Derivation, "_instances", lambda self, *sides: ([], ""))
    return found


@pytest.mark.parametrize("page", PAGES, ids=[path.stem for path in PAGES])
def test_every_step_is_printed_as_what_it_is(page, printed):
    names = run_symbolic_cells(page)
    assert names["derivations made"] > 0 and len(printed) > names["derivations made"]
    unread = 0
    for value, tex, from_source in printed:
        assert from_source, f"the source was not found of {value}"
        if value.has(*UNREAD):
            unread += 1
            continue
        assert same(value, tex), f"{tex}\nis not\n{value}"
    assert unread < len(printed) / 2


@pytest.mark.parametrize("page", ASSUMING, ids=[path.stem for path in ASSUMING])
def test_every_given_is_needed(page, monkeypatch):
    """A fact without which each step is proved as well is left out: it says less than the page claims."""
    chains = {}
    step = _chain.Derivation.step

    def recorded(self, expression, *, because):
        longer = step(self, expression, because=because)
        if self._facts.stated:
            chains.setdefault(id(self._facts), (self, []))[1].append((self.rhs, longer.rhs))
        return longer

    monkeypatch.setattr(_chain.Derivation, "step", recorded)
    monkeypatch.setattr(_chain, "prove", lambda *sides: True)  # as the build has proved
    monkeypatch.setattr(_chain.Derivation, "_instances", lambda self, *sides: ([], ""))
    run_symbolic_cells(page)
    for chain, steps in chains.values():
        assert unneeded(chain, steps) == [], f"take it out of the given of {chain.lhs}"


def test_a_given_that_is_not_needed_is_found():
    x, y = sp.symbols("x y", positive=True)
    chain = _chain.Derivation(x + y, given=[sp.Eq(y, 2), sp.Eq(x, x * y)])
    assert unneeded(chain, [(x + y, x + 2)]) == [sp.Eq(x, x * y)]


def unneeded(chain, steps):
    """The facts of a chain without which each step is proved as well."""
    found = []
    for fact in chain._facts.stated:
        rest = Facts.read([other for other in chain._facts.stated if other is not fact])
        every = rest.every(exact(chain.lhs))
        if all(prove(exact(a), exact(b), rest, every) for a, b in steps):
            found.append(fact)
    return found


@pytest.mark.parametrize(
    ("source", "tex"),
    [
        ("x * (y + z)", r"x \left(y + z\right)"),
        ("(y + z) * x - (y - z)", r"\left(y + z\right) x - \left(y - z\right)"),
        ("-(y + z)", r"-\left(y + z\right)"),
        ("x - -y", r"x - \left(-y\right)"),
        ("z + x", "z + x"),
        ("sp.log(x) * y", r"\ln \left(x\right) y"),
        ("y * sp.log(x)", r"y \ln x"),
        ("sp.log(x * y) / sp.log(2)", r"\frac{\ln \left(x y\right)}{\ln 2}"),
        ("sp.Rational('0.36') * 2 * 3", r"0.36 \cdot 2 \cdot 3"),
        ("(x * y) ** (-1 / z)", r"\left(x y\right)^{-1/z}"),
        ("x ** y ** z", "x^{y^{z}}"),
        ("(x ** y) ** z", r"\left(x^{y}\right)^{z}"),
        ("sp.exp(-x * y)", "e^{-x y}"),
        ("sp.exp(-x / y)", r"\exp\left(-\frac{x}{y}\right)"),
        ("sp.Sum(q[i] - x, (i, 1, 3)) * y", r"\left(\sum_{i=1}^{3} \left(q_{i} - x\right)\right) y"),
        ("-sp.Sum(q[i], (i, 1, 3)) / y", r"-\frac{1}{y} \sum_{i=1}^{3} q_{i}"),
        ("long + x", "z - y + x"),
        ("x.subs(x, y + z)", "y + z"),
    ],
)
def test_terms_keep_their_order_and_brackets(source, tex, printed):
    setting = "import sympy as sp\nfrom lmmetrics.derivation import Derivation\n"
    setting += 'x, y, z = sp.symbols("x y z", positive=True)\ni = sp.symbols("i", integer=True)\n'
    setting += 'q = sp.IndexedBase("q")\nlong = z - y\n'
    run(setting + f"Derivation({source})", {}, "<a cell>")
    assert [tex] == [tex for _, tex, _ in printed]
    assert same(printed[0][0], tex)


def test_the_comparison_sees_a_lost_bracket_and_a_wrong_sign():
    x, y, z = sp.symbols("x y z", positive=True)
    assert same(x * (y + z), r"x \left(y + z\right)")
    assert not same(x * (y + z), "x y + z")
    assert not same(x - (y - z), "x - y - z")


@pytest.mark.parametrize(
    ("setting", "source", "tex", "calls"),
    [
        ("", "draw()", "x", 1),
        ("made = draw()", "made", "x", 1),
        ("", "draw() + z", "x + z", 2),
        ("", "z + 2 * (draw() + y)", "2 x + 2 y + z", 2),
    ],
)
def test_what_was_passed_is_printed_and_no_call_is_made_more_than_once_again(
    setting, source, tex, calls, printed
):
    """Each call of draw gives another value: first x, then y."""
    x, y, z = sp.symbols("x y z")
    drawn = []

    def draw():
        drawn.append(1)
        return (x, y, z)[len(drawn) - 1]

    code = f"from lmmetrics.derivation import Derivation\n{setting}\nDerivation({source})"
    run(code, {"draw": draw, "y": y, "z": z}, "<a cell>")
    assert [tex] == [tex for _, tex, _ in printed] and len(drawn) == calls


def test_without_source_sympy_prints(printed):
    eval("Derivation(z + x)", {**vars(_chain), "x": sp.Symbol("x"), "z": sp.Symbol("z")})
    assert [tex for _, tex, _ in printed] == ["x + z"]


def run_symbolic_cells(page):
    """Run the cells of a page that make derivations or what these need; return what they leave."""
    names = {"__name__": "__main__", "In": [], "derivations made": 0}
    for number, cell in enumerate(code_cells(page.name, page.read_text("utf-8"))):
        makes = "Derivation(" in cell.source
        names["In"].append(cell.source)
        if makes or re.search(r"\bsp\.|^import ", cell.source, re.MULTILINE):
            try:
                run(cell.source, names, f"<{page.stem}, cell {number}>")
            except (NameError, FileNotFoundError):  # what the page stores is not needed here
                if makes:
                    raise
            names["derivations made"] += cell.source.count("Derivation(")
    return names


def run(source, names, name):
    """Run code whose source can be found by its name."""
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    exec(compile(source, name, "exec"), names)


def same(value, tex):
    """Whether LaTeX, read by SymPy, is the value, at numbers put in for all that is free."""
    functions = {f.func for f in value.atoms(AppliedUndef)}
    symbols = {s for s in value.free_symbols | bound(value) if isinstance(s, sp.Symbol)}
    things = [*value.atoms(sp.IndexedBase), *functions, *symbols]
    names = dict(zip(sorted({latex(thing) for thing in things}), LETTERS, strict=False))
    letter = {thing: names[latex(thing)] for thing in things}
    tex = rename(tex, names)
    tex = re.sub(r"([A-Z])_\{([^{}]*)\}", r"\1(\2)", tex)
    tex = re.sub(r"(?<=[A-Z])\s*\\left\(", r" \\cdot \\left(", tex)  # a factor, not an argument
    plain = {s: sp.Symbol(letter[s]) for s in symbols}
    value = value.replace(
        lambda e: isinstance(e, sp.Indexed), lambda e: sp.Function(letter[e.base])(*e.indices)
    )
    for function in functions:
        value = value.replace(function, sp.Function(letter[function]))
    read = parse_latex(tex).replace(sp.Function("Gamma"), sp.gamma)  # the parser leaves it undefined
    return bool(abs(number(read) - number(value.xreplace(plain))) < 1e-9)


def bound(value):
    return {index for each in value.atoms(sp.Sum, sp.Product) for index, *_ in each.limits}


def rename(tex, names):
    """LaTeX with its names replaced; other commands stay."""
    longer = sorted((name for name in names if len(name) > 1), key=len, reverse=True)
    parts = [*map(re.escape, longer), r"\\[a-zA-Z]+", *(re.escape(name) for name in names if len(name) == 1)]
    return re.sub("|".join(parts), lambda m: names.get(m[0], m[0]), tex)


def number(e):
    """The value of an expression when letters are small numbers and functions of places are too."""
    e = e.subs(sp.Symbol("e"), sp.E)
    limits = [limit for each in e.atoms(sp.Sum, sp.Product) for limit in each.limits]
    ends = {s for _, low, high in limits for s in (low + high).free_symbols}
    values = {s: 3 if s in ends else sp.Rational(7 + 2 * sum(map(ord, s.name)), 150) for s in e.free_symbols}
    places = {s for f in e.atoms(AppliedUndef) for a in f.args for s in a.free_symbols} & e.free_symbols
    values |= dict.fromkeys(places - ends, 2)
    e = e.subs(values).doit()
    e = e.replace(lambda f: isinstance(f, AppliedUndef), at_place)
    return sp.N(e.doit(), 20)


def at_place(f):
    """A number that tells a function and its arguments from others."""
    return sp.Rational(3 + ord(f.func.__name__) % 7, 11 + sum(k * a for k, a in enumerate(f.args, start=1)))
