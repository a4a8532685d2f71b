"""LaTeX in the library's style: ln, logs after their factors, only the necessary brackets."""

from __future__ import annotations

import re
import textwrap

from sympy import Derivative, Expr, Integral, Limit, Mul, Product, S, Sum, Symbol, fraction, log
from sympy.core.function import AppliedUndef
from sympy.printing.latex import LatexPrinter
from sympy.tensor.indexed import Indexed

REASON_WIDTH = 42
"""Characters in a line of a reason, so that a line fits on a phone."""

_SPECIAL = {"\\": r"\backslash ", "{": r"\{", "}": r"\}", "~": r"\sim ", "^": r"\wedge "} | {
    c: "\\" + c for c in "_$%&#"
}


def latex(e: Expr) -> str:
    return _Printer({"ln_notation": True}).doprint(e)


def reason(because: str, verdict: str) -> list[str]:
    """Rows of small text: the reason, in which ``$...$`` is mathematics, and how the step was checked."""
    return small_text(because, f"({verdict})".replace(" ", "\0"))


def small_text(sentence: str, *more: str) -> list[str]:
    """Rows of small text: a sentence, in which ``$...$`` is mathematics, and words that stay together."""
    words = re.findall(r"\$[^$]+\$\S*|\S+", sentence)
    glued = [w.replace(" ", "\0") for w in words]  # mathematics is not broken between rows
    rows = textwrap.wrap(" ".join([*glued, *more]), REASON_WIDTH, break_long_words=False)
    return [r"{\small " + _mixed(row.replace("\0", " ")) + "}" for row in rows]


def _mixed(row: str) -> str:
    parts = re.split(r"\$([^$]+)\$", row)
    return "".join(part if i % 2 else _text(part) for i, part in enumerate(parts))


def _text(words: str) -> str:
    # MathJax ignores escapes inside \text, so special characters are written outside it
    pieces = re.split(r"([\\{}~^_$%&#])", words)
    return "".join(_SPECIAL.get(piece, rf"\text{{{piece}}}") for piece in pieces if piece)


class _Printer(LatexPrinter):
    def _print_Indexed(self, expr):
        return f"{self._print(expr.base)}_{{{','.join(map(self._print, expr.indices))}}}"

    def _print_Sum(self, expr):
        return self._over_limits(r"\sum", expr)

    def _print_Product(self, expr):
        return self._over_limits(r"\prod", expr)

    def _over_limits(self, sign, expr):
        signs = [
            f"{sign}_{{{self._print(i)}={self._print(a)}}}^{{{self._print(b)}}}" for i, a, b in expr.limits
        ]
        body = self._print(expr.function)
        return " ".join([*reversed(signs), rf"\left({body}\right)" if expr.function.is_Add else body])

    def _print_log(self, expr, exp=None):
        arg = expr.args[0]
        tex = self._print(arg)
        plain = isinstance(arg, (Symbol, Indexed, AppliedUndef)) or (arg.is_Integer and arg.is_positive)
        numerator, denominator = fraction(arg)
        split = rf"\frac{{{self._print(numerator)}}}{{{self._print(denominator)}}}"
        if exp is None and (plain or tex == split):
            return rf"\ln {tex}"
        return super()._print_log(expr, exp)

    def _print_Mul(self, expr):
        """Coefficient first, then logs, then one sum: epsilon/V ln x, 1/N sum."""
        if not isinstance(expr, Mul) or expr.args[0] is S.One:
            return super()._print_Mul(expr)
        big = [f for f in expr.args if isinstance(f, (Sum, Product, Integral, Derivative, Limit))]
        logs = [f for f in expr.args if isinstance(f, log)]
        rest = [f for f in expr.args if f not in big and f not in logs]
        below = any(f.is_Pow and f.exp.could_extract_minus_sign() and isinstance(f.base, log) for f in rest)
        if below and logs:
            sign = "-" if expr.could_extract_minus_sign() else ""
            numerator, denominator = fraction(-expr if sign else expr)
            return rf"{sign} \frac{{{self._print(numerator)}}}{{{self._print(denominator)}}}".strip()
        if not (logs or big) or not rest or len(big) > 1 or below:
            return super()._print_Mul(expr)
        factor = Mul(*rest)
        tex = "-" if factor == -1 else self._print(factor)
        if factor != -1 and self._needs_mul_brackets(factor, first=True):
            tex = rf"\left({tex}\right)"
        return " ".join([tex, *(self._print(f) for f in (*sorted(logs, key=str), *big))])

    def _as_ordered_terms(self, expr, order=None):
        """A positive term goes first: q - p, not -p + q."""
        terms = list(super()._as_ordered_terms(expr, order=order))
        if self.order != "none" and terms[0].could_extract_minus_sign():
            first = next((t for t in terms if not t.could_extract_minus_sign()), terms[0])
            terms.remove(first)
            terms.insert(0, first)
        return terms

    def _print_ExpBase(self, expr, exp=None):
        if exp is None and expr.args[0].has(Sum, Product):
            return rf"\exp\left({self._print(expr.args[0])}\right)"
        return super()._print_ExpBase(expr, exp)

    _print_exp = _print_ExpBase
