"""LaTeX of an expression as its author wrote it: SymPy sorts terms, and turns 0.36 into 9/25.

`Written` finds the source of the call that has the expression as an argument, and prints its syntax tree. A
part that this module cannot print (a method call, a comprehension) is printed in SymPy's order; so is the
whole expression if its source cannot be found, or no longer gives the value that was passed. A name of
a longer expression is printed as the assignment that made it, if that still gives the same value.
To know these values, each call inside a longer expression is made a second time. Nothing here proves that
the LaTeX means the value; ``tests/book/test_derivations.py`` parses the printed steps and compares.
"""

from __future__ import annotations

import ast
from types import FrameType

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from lmmetrics.derivation._proof.latex import latex
from lmmetrics.derivation._proof.values import Evaluator, has_starred

ADD, NEG, BIG, MUL, POW, ATOM = range(6)
"""How tightly a piece of LaTeX binds; BIG is open at its right end, like a sum or a log."""
Piece = tuple[str, int]


class Written:
    """The LaTeX of the arguments of the call that a frame is in.

    Parameters
    ----------
    frame : frame
        The frame that contains the call.
    """

    def __init__(self, frame: FrameType):
        self._arguments: dict[int | str | None, ast.expr] = {}
        self._writer: _Writer | None = None
        try:
            from executing import Source  # IPython brings it
        except ImportError:
            return
        found = Source.executing(frame)
        if isinstance(found.node, ast.Call) and found.source.tree is not None:
            self._arguments = dict(enumerate(found.node.args))
            self._arguments |= {keyword.arg: keyword.value for keyword in found.node.keywords}
            self._writer = _Writer(frame, found.source.tree)

    def expression(self, name: str, value: sp.Expr) -> str:
        """LaTeX of the first argument, or of the one with this name, whose value is given."""
        return self._tex(self._arguments.get(0, self._arguments.get(name)), value)

    def facts(self, name: str, values: list) -> list[str]:
        """LaTeX of the second argument, or of the one with this name: a list of facts."""
        nodes = getattr(self._arguments.get(1, self._arguments.get(name)), "elts", ())
        nodes = nodes if len(nodes) == len(values) else [None] * len(values)
        return [self._tex(node, value) for node, value in zip(nodes, values, strict=True)]

    def _tex(self, node: ast.expr | None, value: sp.Basic) -> str:
        if node is None or self._writer is None or isinstance(node, ast.Starred):
            return latex(value)
        return self._writer.tex_of(node, value)


class _Writer:
    """Prints the syntax trees of expressions that a frame can compute."""

    def __init__(self, frame: FrameType, tree: ast.AST):
        names = {**vars(sp), **frame.f_globals, **frame.f_locals}
        self.value = Evaluator(names).of
        self.trees = [tree]
        for cell in reversed(names.get("In", ())):
            try:
                self.trees.append(ast.parse(cell))
            except SyntaxError:  # a magic command
                continue

    def tex_of(self, node: ast.expr, value: sp.Basic) -> str:
        """LaTeX of a whole argument, whose value was passed; in SymPy's order if the source gives another."""
        written = self._written(node)
        return written[0] if written and self.value(node) == value else latex(value)

    def tex(self, node: ast.expr) -> str:
        return self._piece(node)[0]

    def _piece(self, node: ast.expr, inline: bool = False) -> Piece:
        """LaTeX, and how tightly it binds; ``inline`` writes a quotient with a slash."""
        return self._written(node, inline) or self._as_sympy_prints(node)

    def _written(self, node: ast.expr, inline: bool = False) -> Piece | None:
        """The same for a kind of node that this module can print; otherwise None."""
        method = getattr(self, f"_{type(node).__name__}", None)
        return method(node, inline) if method else None

    def _as_sympy_prints(self, node: ast.expr) -> Piece:
        value = sp.sympify(self.value(node))
        return latex(value), _level(value)

    def _inside(self, node: ast.expr, least: int, inline: bool = False) -> str:
        """A part of a larger expression, in brackets if it needs them."""
        tex, level = self._piece(node, inline)
        return tex if level >= least else _bracketed(tex)

    # -- names and numbers ----------------------------------------------------------------------------

    def _Constant(self, node: ast.Constant, inline: bool) -> Piece:
        return str(node.value), ATOM

    def _Name(self, node: ast.Name, inline: bool) -> Piece | None:
        value = self.value(node)
        if not isinstance(value, sp.Expr) or value.is_Atom:
            return None
        for tree in self.trees:
            for made in reversed([n for n in ast.walk(tree) if isinstance(n, ast.Assign)]):
                if [getattr(target, "id", "") for target in made.targets] == [node.id]:
                    return self._as_assigned(made.value, value, inline)
        return None

    def _as_assigned(self, node: ast.expr, value: sp.Expr, inline: bool) -> Piece | None:
        """The right side of an assignment, if it still gives the value of the name."""
        try:
            written = self._written(node, inline)
            return written if written and self.value(node) == value else None
        except Exception:  # a name that it was made from no longer exists
            return None

    def _Subscript(self, node: ast.Subscript, inline: bool) -> Piece | None:
        base = self.value(node.value)
        if not isinstance(base, sp.IndexedBase):
            return None
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        return f"{latex(base)}_{{{','.join(self._piece(i, True)[0] for i in indices)}}}", ATOM

    # -- operators ------------------------------------------------------------------------------------

    def _UnaryOp(self, node: ast.UnaryOp, inline: bool) -> Piece | None:
        if not isinstance(node.op, ast.USub):
            return None
        return "-" + self._inside(node.operand, BIG, inline), NEG

    def _BinOp(self, node: ast.BinOp, inline: bool) -> Piece | None:
        write = {ast.Add: self._sum, ast.Sub: self._sum, ast.Mult: self._product}
        write |= {ast.Div: self._quotient, ast.Pow: self._power}
        method = write.get(type(node.op))
        return method(node, inline) if method else None

    def _sum(self, node: ast.BinOp, inline: bool) -> Piece:
        left = self._piece(node.left, inline)[0]
        minus = isinstance(node.op, ast.Sub)
        right = self._inside(node.right, BIG, inline)
        return f"{left} {'-' if minus else '+'} {right}", ADD

    def _product(self, node: ast.BinOp, inline: bool) -> Piece:
        nodes = _factors(node)
        factors = [self._factor(f, inline, first=k == 0, last=f is nodes[-1]) for k, f in enumerate(nodes)]
        tex = factors[0][0]
        for text, _ in factors[1:]:
            tex += (r" \cdot " if text[0].isdigit() else " ") + text
        return tex, NEG if tex.startswith("-") else BIG if factors[-1][1] == BIG else MUL

    def _factor(self, node: ast.expr, inline: bool, first: bool, last: bool) -> Piece:
        tex, level = self._piece(node, inline)
        if level == BIG and not last:
            if isinstance(node, ast.Call) and self._is_call(node, sp.log):
                return self._log(node, closed=True)
            return _bracketed(tex), ATOM
        return (tex, level) if level >= BIG or (first and level == NEG) else (_bracketed(tex), ATOM)

    def _quotient(self, node: ast.BinOp, inline: bool) -> Piece:
        above, level = self._piece(node.left, inline)
        sign = "-" if level == NEG else ""
        above = above.removeprefix(sign)
        if inline and r"\sum" not in above and r"\prod" not in above:
            above = _bracketed(above) if level == ADD else above
            return f"{sign}{above}/{self._inside(node.right, POW, True)}", NEG if sign else MUL
        below = self._piece(node.right)[0]
        operator = above.startswith((r"\sum", r"\prod", r"\ln \prod"))
        if operator and level != ADD and r"\sum" not in below:
            return rf"{sign}\frac{{1}}{{{below}}} {above}", NEG if sign else BIG
        return rf"{sign}\frac{{{above}}}{{{below}}}", NEG if sign else MUL

    def _power(self, node: ast.BinOp, inline: bool) -> Piece:
        base = self._inside(node.left, ATOM, inline)
        return f"{base}^{{{self._piece(node.right, True)[0]}}}", POW

    def _Compare(self, node: ast.Compare, inline: bool) -> Piece | None:
        signs = {ast.LtE: r"\le", ast.GtE: r"\ge", ast.Lt: "<", ast.Gt: ">"}
        sign = signs.get(type(node.ops[0]))
        if sign is None or len(node.ops) > 1:
            return None
        return f"{self.tex(node.left)} {sign} {self.tex(node.comparators[0])}", ADD

    # -- functions ------------------------------------------------------------------------------------

    def _Call(self, node: ast.Call, inline: bool) -> Piece | None:
        if node.keywords or has_starred(node.args):
            return None
        try:
            function = self.value(node.func)
        except Exception:
            return None
        if isinstance(function, UndefinedFunction):
            return f"{latex(function)}({', '.join(self._piece(a, True)[0] for a in node.args)})", ATOM
        known = {
            sp.log: self._log,
            sp.exp: self._exp,
            sp.sqrt: lambda n: (rf"\sqrt{{{self.tex(n.args[0])}}}", ATOM),
            sp.Sum: lambda n: self._over_limits(r"\sum", n),
            sp.Product: lambda n: self._over_limits(r"\prod", n),
            sp.Eq: lambda n: (" = ".join(self.tex(a) for a in n.args), ADD),
            sp.Rational: self._number,
            sp.Integer: self._number,
            sp.S: self._number,
        }
        write = known.get(function) if _hashable(function) else None
        return write(node) if write else None

    def _is_call(self, node: ast.expr, function: object) -> bool:
        return isinstance(node, ast.Call) and self.value(node.func) is function

    def _log(self, node: ast.Call, closed: bool = False) -> Piece:
        base = rf"\log_{{{self.tex(node.args[1])}}}" if len(node.args) > 1 else r"\ln"
        tex, level = self._piece(node.args[0])
        whole = level == ATOM or tex.startswith(r"\prod") or _is_fraction(tex)
        if whole and not closed:
            return f"{base} {tex}", BIG
        return f"{base} {_bracketed(tex)}", MUL

    def _exp(self, node: ast.Call) -> Piece:
        tex = self.tex(node.args[0])
        if any(big in tex for big in (r"\sum", r"\prod", r"\frac", r"\left")):
            return rf"\exp{_bracketed(tex)}", MUL
        return f"e^{{{self._piece(node.args[0], True)[0]}}}", POW

    def _over_limits(self, sign: str, node: ast.Call) -> Piece | None:
        signs = []
        for limit in node.args[1:]:
            if not isinstance(limit, ast.Tuple) or len(limit.elts) != 3:
                return None
            index, low, high = (self._piece(part, True)[0] for part in limit.elts)
            signs.append(f"{sign}_{{{index}={low}}}^{{{high}}}")
        return " ".join([*reversed(signs), self._inside(node.args[0], BIG)]), BIG

    def _number(self, node: ast.Call) -> Piece | None:
        values = [getattr(arg, "value", None) for arg in node.args]
        if len(values) == 1 and isinstance(values[0], str | int | float):
            return str(values[0]), ATOM
        return None


def _level(value: sp.Expr) -> int:
    """How tightly SymPy's LaTeX of a value binds."""
    if value.is_Add or isinstance(value, sp.core.relational.Relational):
        return ADD
    if value.could_extract_minus_sign():
        return NEG
    if isinstance(value, sp.Sum | sp.Product | sp.Integral | sp.Derivative | sp.Limit | sp.log):
        return BIG
    if value.is_Mul or (value.is_Rational and not value.is_Integer):
        return BIG if value.has(sp.Sum, sp.Product, sp.Derivative, sp.log) else MUL
    if value.is_Pow or isinstance(value, sp.exp):
        return POW
    return ATOM if value.is_Atom or isinstance(value, sp.Indexed | AppliedUndef) else MUL


def _factors(node: ast.expr) -> list[ast.expr]:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return [*_factors(node.left), node.right]
    return [node]


def _is_fraction(tex: str) -> bool:
    """Whether the LaTeX consists of a single fraction."""
    depth = closed = 0
    for place, sign in enumerate(tex):
        depth += (sign == "{") - (sign == "}")
        closed += sign == "}" and depth == 0
        if closed == 2:
            return tex.startswith(r"\frac{") and place == len(tex) - 1
    return False


def _bracketed(tex: str) -> str:
    return rf"\left({tex}\right)"


def _hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
