"""The values of the parts of an expression, computed again from its source."""

from __future__ import annotations

import ast
import operator
from typing import Any

OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}


class Evaluator:
    """Evaluates nodes of a syntax tree, given the names that they use; no node is evaluated twice."""

    def __init__(self, names: dict[str, object]) -> None:
        self._names = names
        self._known: dict[ast.expr, Any] = {}

    def of(self, node: ast.expr) -> Any:
        """The value of a node, from the values of its parts."""
        if node not in self._known:
            self._known[node] = self._computed(node)
        return self._known[node]

    def _computed(self, node: ast.expr) -> Any:
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return OPERATORS[type(node.op)](self.of(node.left), self.of(node.right))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return -self.of(node.operand)
        if isinstance(node, ast.Tuple) and not has_starred(node.elts):
            return tuple(map(self.of, node.elts))
        if isinstance(node, ast.Call) and not node.keywords and not has_starred(node.args):
            return self.of(node.func)(*map(self.of, node.args))
        code = compile(ast.fix_missing_locations(ast.Expression(node)), "<derivation>", "eval")
        return eval(code, dict(self._names))


def has_starred(nodes: list[ast.expr]) -> bool:
    return any(isinstance(node, ast.Starred) for node in nodes)
