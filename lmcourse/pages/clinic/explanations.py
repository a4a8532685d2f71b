"""The form of an explanation of the wrong-number clinic, and its expressions as data.

An explanation predicts the number that a mistake produces, from the right number and the counts of the text;
`catalogue` lists them. In an expression ``h`` is the expected nats per unit, ``g`` for those that the
reader got, and every other name for a count (`FIELDS`) or a constant.
"""

from __future__ import annotations

import ast
from dataclasses import asdict, dataclass

from lmcourse.hints.mistakes import NAMES
from lmmetrics.score import LABELS, UNITS

__all__ = ["FIELDS", "Explanation", "Hint", "tree"]

QUANTITIES = ("perplexity", "bits", "nats")
FIELDS = {
    **{field: f"{LABELS[unit]}s" for unit, field in UNITS.items()},
    "ends": "sentence ends",
    "documents": "documents",
    "windows": "windows",
    "pads": "padding positions",
    "kept": "tokens kept by a cut or mask",
    "vocabulary": "symbols in the vocabulary",
    "unknown": "unknown words among the tokens",
    "types": "different unknown words",
    "steps": "accumulation steps or devices",
    "aux": "nats per token of other loss terms",
}
"""The counts that a reader may give, with the words of their labels."""
HINTS = {
    "tokens": "those that the expected number is divided by",
    "ends": "those among the tokens",
    "documents": "each with one start symbol",
    "vocabulary": "all that can be predicted",
    "aux": "KL, auxiliary, regularisation",
}
"""What a label is too short to say."""
DERIVED = {
    "document_mean": "the list of documents",
    "batch_mean": "the list of batches",
    "part_nats": "the list of documents or batches",
}
"""Names that the page computes from a list of parts, and what the reader has to give for them."""
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.Pow: "**"}
FUNCTIONS = {"ln", "exp", "sqrt", "bf16", "fp16"}
EXPRESSIONS = ("nats", "number", "low", "high", "implied", "typical")
CONSTANTS = {"ln2", "ln10", "e", "h", "g"}


@dataclass(frozen=True)
class Explanation:
    """One way in which one mistake shows in a number.

    Attributes
    ----------
    mistake : str
        An id of `lmcourse.hints.mistakes.NAMES`.
    story : str
        What would have happened. ``{x}`` is filled with the implied cost, ``{p}`` with its probability,
        ``{r}`` with the perplexity of a got number that is minus the nats.
    nats : str
        The nats per unit that the mistake reports; the page shows them as the quantity asked for.
    number : str
        In place of ``nats``: the reported number itself.
    low, high : str
        In place of both: an interval for the reported nats per unit, or for ``implied``.
    implied : str
        What the number would imply about a part of the text, to be compared with ``low`` and ``high``.
    typical : str
        The usual value of ``implied``; the explanation that is nearer to it comes first.
    quantities, units : tuple of str
        Where the explanation applies.
    family : str
        What the table says in place of this formula, where many explanations share one.
    rare : bool
        Whether it is seldom met: it comes after the others that fit, and the page says that it is rare.
    estimate : bool
        Whether the number is only estimated, with the average token in place of those that the mistake is
        about: then a miss does not rule the mistake out.
    offered : str
        Where a count is missing: whether the mistake is offered for "any" believable count, for a "usual" one
        only, or "never".
    """

    mistake: str
    story: str
    nats: str = ""
    number: str = ""
    low: str = ""
    high: str = ""
    implied: str = ""
    typical: str = ""
    quantities: tuple[str, ...] = QUANTITIES
    units: tuple[str, ...] = tuple(UNITS)
    family: str = ""
    rare: bool = False
    estimate: bool = False
    offered: str = "any"

    def data(self) -> dict:
        """Return the explanation as the page gets it: texts, and a tree beside each expression."""
        entry = {key: value for key, value in asdict(self).items() if value and key != "family"}
        for key in EXPRESSIONS:
            if key in entry:
                entry[f"{key}_text"], entry[key] = entry[key], tree(entry[key])
        return {**entry, "name": NAMES[self.mistake]}


@dataclass(frozen=True)
class Hint:
    """A mistake that determines no number, and how to look for it.

    Attributes
    ----------
    mistake : str
        An id of `lmcourse.hints.mistakes.NAMES`.
    look : str
        What the reader can check.
    low, high : float
        Where the got nats, divided by the expected ones, usually lie; elsewhere the hint comes later.
    units : tuple of str
        For which units of the expected number it comes at its place; for others it comes later.
    place : tuple of str
        A passage that no tag names: its words, and a target below the root of the project.
    """

    mistake: str
    look: str
    low: float = 0
    high: float = 1e9
    units: tuple[str, ...] = tuple(UNITS)
    place: tuple[str, str] | tuple[()] = ()

    def data(self) -> dict:
        """Return the hint as the page gets it."""
        return {**asdict(self), "name": NAMES[self.mistake]}


def tree(expression: str):
    """Return an expression as nested lists: numbers, names, and [operator, arguments ...].

    Raises
    ------
    ValueError
        If the expression has anything but arithmetic and known names.

    Examples
    --------
    >>> tree("h * tokens / (tokens + pads)")
    ['/', ['*', 'h', 'tokens'], ['+', 'tokens', 'pads']]
    >>> tree("ln(vocabulary)")
    ['ln', 'vocabulary']
    """
    return _nested(ast.parse(expression, mode="eval").body)


def _nested(node):
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if name in FIELDS or name in DERIVED or name in CONSTANTS:
            return name
        case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
            return [OPERATORS[type(op)], _nested(left), _nested(right)]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return ["-", 0, _nested(operand)]
        case ast.Call(func=ast.Name(id=name), args=[argument]) if name in FUNCTIONS:
            return [name, _nested(argument)]
    raise ValueError(
        f"{ast.unparse(node)!r} is not arithmetic of the clinic. Use counts, + - * / ** and "
        + ", ".join(sorted(FUNCTIONS))
    )
