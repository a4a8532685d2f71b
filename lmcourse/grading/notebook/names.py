"""Which names a piece of code defines, binds and uses; the code is read, not run."""

from __future__ import annotations

import ast
import re

DEFINED = r"(def|class|as|for|import)\s+([\w.]+\s*,\s*)*{0}\b|^([^=\n#(]|(?<!\w)\()*\b{0}\b[^=\n]*=(?!=)"
MOST_SOURCE, MOST_LINE = 200_000, 300
"""Characters of a cell, and of a line in it, in which a definition is looked for."""


def defines(source: str, name: str) -> bool:
    """Whether code seems to define a name; it need not be valid Python.

    Only the beginning of a long line is searched, since the time grows with the square of its length.
    """
    found = re.compile(DEFINED.format(re.escape(name)))
    return any(found.search(line[:MOST_LINE]) for line in source[:MOST_SOURCE].splitlines() if name in line)


def names_used(source: str) -> set[str]:
    """The names that code reads and does not bind itself."""
    nodes = list(ast.walk(tree(source)))
    read = {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}
    return read - names_bound(source)


def names_bound(source: str) -> set[str]:
    """The names that code binds anywhere in it."""
    bound = set()
    for node in ast.walk(tree(source)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            bound |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.arg):
            bound.add(node.arg)
    return bound


def tree(source: str) -> ast.Module:
    """The syntax tree of a set's own cell; IPython's lines count as empty."""
    lines = ["" if line.lstrip().startswith(("%", "!")) else line for line in source.splitlines()]
    return ast.parse("\n".join(lines))
