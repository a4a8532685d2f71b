r"""Rules for numbers that follow from others: ``$\ln 82 = 4.41$`` is computed, and so is what an answer says.

Equations are looked for in pages, labs and sets. Left out are those with a letter, which has no value here.
"""

import contextlib
import math
import re
from collections.abc import Callable, Iterator

from nbformat import NotebookNode

from lmcourse.files.contents import line_at
from lmcourse.files.notebooks import cell_label, is_answer, is_ungraded_answer
from lmcourse.rules.tree import Tree
from lmcourse.rules.typed import NAMED

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<!\\)\$([^$]+?)(?<!\\)\$", re.DOTALL)
SPACE = re.compile(r"\\[,;:! ]|\\q?quad|~|\\displaystyle|\\(?:left|right|[bB]igg?[lr]?)(?![a-zA-Z])|&|\\\\")
RELATION = re.compile(r"(=|\\approx)|\\(?:leq?|geq?|neq?|to|dots|quad)(?![a-zA-Z])|[<>:;?]")
NUMBER = re.compile(r"(?<![\w.,])\d+(?:(?:,|\{,\})\d{3})*(?:\.\d+)?")
PART = re.compile(
    r"(?P<number>\d+(?:(?:,|\{,\})\d{3})*(?:\.\d+)?|\.\d+)|(?P<name>\\[a-zA-Z]+|e(?=\s*\^))|(?P<sign>[-+/^(){}\[\]_!%])|(?P<other>\S)"
)
BINARY = re.compile(r"0\.[01]{3,}")
FUNCTIONS: dict[str, Callable[[float], float]] = {
    r"\ln": math.log,
    r"\exp": math.exp,
    r"\sqrt": math.sqrt,
}
LOGS: dict[float, Callable[[float], float]] = {2: math.log2, 10: math.log10}


ONE: tuple[Callable[..., float], ...] = (
    math.log,
    math.log2,
    math.exp,
    lambda x: 2**x,
    lambda x: x / math.log(2),
    lambda x: x * math.log(2),
    lambda x: 1 / x,
    lambda x: 1 - x,
)
TWO: tuple[Callable[..., float], ...] = (
    lambda x, y: x / y,
    lambda x, y: x * y,
    lambda x, y: x + y,
    lambda x, y: x - y,
    lambda x, y: 1 - x / y,
    lambda x, y: math.log(x / y),
)
"""What an answer may do with the numbers of a sentence and the one before it without writing a formula."""
POINTS = re.compile(r"^- \d+ points?:", re.MULTILINE)
SMALL = 20


class NotArithmeticError(ValueError):
    """A formula has a letter, or another sign that has no value."""


def equations_of_numbers_hold(tree: Tree) -> Iterator[str]:
    r"""Both sides of an equation between numbers, ``$\ln 82 = 4.41$``, are equal to the digits given."""
    for where, text in _markdown(tree):
        for line, equation, left, right in _unequal(text):
            place = where if ", " in where else f"{where}, line {line}"
            yield f"{place}: {equation!r}: the sides are {left:.6g} and {right:.6g}. Correct one of them."


def numbers_in_answers_follow(tree: Tree) -> Iterator[str]:
    """A number of a model answer is in the set's outputs, code or task, or follows from those beside it."""
    for path, notebook in tree.notebooks("solutions"):
        cells = notebook.cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        held = {x for cell in code for text in (cell.source, *_shown(cell)) for x in _numbers(text)}
        for index, cell in enumerate(cells):
            if cell.cell_type == "markdown" and (is_answer(cell) or is_ungraded_answer(cell)):
                heads = [place for place in range(index) if cells[place].source.startswith("## ")]
                asked = cells[heads[-1] if heads else 0 : index]
                task = {x for before in asked for x in _numbers(before.source)}
                for number in _unfounded(POINTS.sub(" ", NAMED.sub(" ", cell.source)), held | task):
                    cure = "Correct it, write the formula, $... = ...$, or print it in a cell"
                    where = f"{path}, {cell_label(cell, index)}"
                    yield f"{where}: {number} does not follow from anything here. {cure}."


def _unfounded(answer: str, held: set[float]) -> Iterator[str]:
    """Yield the numbers of an answer that nothing gives; of those in a formula, its results are looked at."""
    answer = re.sub(r"(?<=\d)\\,(?=\d{3}(?!\d))", ",", answer)
    computed = {round(x, 12) for found in FORMULA.finditer(answer) for x in _values(found[1] or found[2])}
    before: set[float] = set()
    given = set(held)
    for sentence in re.split(r"(?<=[.?!])\s+|\n", answer):
        here = {*_numbers(sentence)}
        said = FORMULA.sub(lambda found: _results(found[1] or found[2]), sentence)
        for found in NUMBER.finditer(said):
            number = next(_numbers(found[0]))
            small = number <= SMALL and number.is_integer() and "." not in found[0]
            about = bool(re.search(r"(?:\babout|approx|\bsome|\balmost|\bnearly)\s*$", said[: found.start()]))
            beside = (here | before) - {number}
            if small or number in given or number / 100 in given:
                continue
            if _follows(number, _unit(found[0], about), computed, beside):
                given.add(number)
            else:
                yield found[0]
        before = here


def _results(formula: str) -> str:
    """The sides of a formula that are a number and equal to what stands before."""
    pieces = RELATION.split(formula)
    sides = zip(pieces[1::2], pieces[2::2], strict=True)
    return " ".join(
        f"{relation} {side}" for relation, side in sides if relation and NUMBER.fullmatch(side.strip(" ."))
    )


def _follows(number: float, unit: float, computed: set[float], beside: set[float]) -> bool:
    """Whether a number is one of those computed, or one step from those beside it, to the digits it has."""
    found = [*computed]
    for x in beside:
        steps = [*((one, (x,)) for one in ONE), *((two, (x, y)) for two in TWO for y in beside)]
        for function, given in steps:
            with contextlib.suppress(ArithmeticError, ValueError):
                found.append(function(*given))
    return any(abs(x - number) <= 0.505 * unit for value in found for x in (value, 100 * value))


def _values(formula: str) -> Iterator[float]:
    """Yield the values of the sides of a formula that have one and are not a number themselves."""
    for side in RELATION.split(SPACE.sub(" ", re.sub(r"(?<=\d)\\,(?=\d{3}(?!\d))", "{,}", formula)))[::2]:
        if not NUMBER.fullmatch(side.strip(" .")):
            with contextlib.suppress(NotArithmeticError, ArithmeticError, ValueError):
                yield value(side)


def _numbers(text: str) -> Iterator[float]:
    for found in NUMBER.findall(re.sub(r"(?<=\d)(?:\\,|_)(?=\d{3}(?!\d))", ",", text)):
        yield float(re.sub(r"[{},]", "", found))


def _shown(cell: NotebookNode) -> Iterator[str]:
    """Yield the outputs that a code cell stores, as text."""
    for output in cell.get("outputs", []):
        yield output.get("text", "")
        data = output.get("data", {})
        yield re.sub(r"<[^>]+>", " ", data.get("text/html", "")) + data.get("text/plain", "")
        yield data.get("text/latex", "")


def _markdown(tree: Tree) -> Iterator[tuple[str, str]]:
    yield from tree.texts("book/*.md")
    for path, notebook in tree.notebooks("notebooks", "solutions"):
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                yield f"{path}, {cell_label(cell, index)}", cell.source


def _unequal(text: str) -> Iterator[tuple[int, str, float, float]]:
    for found in FORMULA.finditer(text):
        for left, relation, right in _equations(found[1] or found[2]):
            if BINARY.fullmatch(left.strip()) or BINARY.fullmatch(right.strip()):
                continue
            try:
                one, other = value(left), value(right)
            except (NotArithmeticError, ArithmeticError, ValueError):
                continue
            if abs(one - other) > 0.505 * max(_unit(left, relation), _unit(right, relation)) + 1e-9 * abs(
                one
            ):
                yield line_at(text, found.start()), f"{left.strip()} = {right.strip()}", one, other


def _equations(formula: str) -> Iterator[tuple[str, bool, str]]:
    """Yield left side, whether it is only about so, and right side, for each equality in a formula."""
    formula = re.sub(r"(?<=\d)\\,(?=\d{3}(?!\d))", "{,}", formula)
    pieces = RELATION.split(SPACE.sub(" ", formula))
    for left, relation, right in zip(pieces[::2], pieces[1::2], pieces[2::2], strict=False):
        if relation:
            yield left, relation != "=", right


def value(formula: str) -> float:
    r"""Return the value of a formula without letters; raises NotArithmeticError or ArithmeticError.

    Examples
    --------
    >>> value(r"\frac13 (\ln \frac23 + 2 \ln \frac43)")
    0.056633...
    >>> value(r"-1000 \log_2 0.99")
    14.4995...
    """
    parser = _Parser(list(PART.finditer(formula)))
    result = parser.sum()
    if parser.rest:
        raise NotArithmeticError(formula)
    return result


class _Parser:
    """Reads sums of products of powers, from left to right."""

    def __init__(self, parts: list[re.Match]):
        self.rest = parts[::-1]
        if any(part["other"] for part in parts):
            raise NotArithmeticError(parts)

    @property
    def next(self) -> str:
        return self.rest[-1][0] if self.rest else ""

    def take(self, *wanted: str) -> str:
        return self.rest.pop()[0] if self.next in wanted else ""

    def sum(self) -> float:
        total = -self.product() if self.take("-") else self.product()
        while sign := self.take("+", "-"):
            total += self.product() if sign == "+" else -self.product()
        return total

    def product(self) -> float:
        result = self.power()
        while self.rest and self.next not in ("+", "-", ")", "}", "]"):
            if self.take("/"):
                result /= self.power()
                if self.rest and self.next not in ("+", "-", ")", "}", "]", "/", r"\cdot", r"\times"):
                    raise NotArithmeticError("a / b c can be read in two ways")
            else:
                self.take(r"\cdot", r"\times")
                result *= self.power()
        return result

    def power(self) -> float:
        base = self.atom()
        while sign := self.take("^", "!", "%"):
            if sign == "^":
                base = base ** self.argument()
            else:
                base = math.factorial(int(base)) if sign == "!" else base / 100
        return float(base)

    def atom(self) -> float:
        if not self.rest:
            raise NotArithmeticError("a side is empty")
        part = self.rest.pop()
        if part["number"]:
            return float(re.sub(r"[{},]", "", part[0]))
        if part[0] in ("(", "{", "["):
            result = self.sum()
            if not self.take({"(": ")", "{": "}", "[": "]"}[part[0]]):
                raise NotArithmeticError("a bracket is open")
            return result
        if part[0] in (r"\frac", r"\tfrac", r"\dfrac"):
            return self.argument() / self.argument()
        if part[0] == r"\log" and self.take("_"):
            base = self.argument()
            return LOGS.get(base, lambda x: math.log(x, base))(self.power())
        if part[0] in FUNCTIONS:
            return FUNCTIONS[part[0]](self.power())
        if part[0] == "e":
            return math.e
        if part[0] == r"\pi":
            return math.pi
        raise NotArithmeticError(part[0])

    def argument(self) -> float:
        """Read what TeX takes as one argument: braces, or one digit."""
        if self.rest and self.rest[-1]["number"]:
            digits = self.rest.pop()
            first, others = digits[0][0], digits[0][1:]
            self.rest += [*PART.finditer(others)]
            return float(first)
        return self.atom()


def _unit(side: str, about: bool) -> float:
    """The place of the last digit of a side that is a number (if it is only about so, that is not 0)."""
    plain = re.sub(r"[{},\s-]", "", side)
    if not re.fullmatch(r"\d*\.?\d+%?", plain):
        return 0.0
    digits = plain.rstrip("%")
    zeros = len(digits) - len(digits.rstrip("0")) if about else 0
    unit = 10.0 ** -len(digits.partition(".")[2]) if "." in digits else 10.0**zeros
    return unit / (100 if plain.endswith("%") else 1)
