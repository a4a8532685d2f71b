"""Run a cell as a notebook does: without IPython's own lines, with ``await``, one statement after the other.

An ordinary error stops the cell. An import that fails does not: it costs the names that it would have
defined, and the statements that need one of them. Runs in the process with the answers.
"""

from __future__ import annotations
import __future__

import ast
import asyncio
import inspect
import linecache
import re
import types

MAGIC = re.compile(r"^(?P<indent>\s*)(?:[\w, ]+=\s*)?(?:%|!|\?).*$|^(?P<query>\s*)[\w.]+\?{1,2}\s*$")
CELL_MAGIC_THAT_RUNS = re.compile(r"\s*%%(time|timeit|capture|prun)\b")
MOST_SKIPPED = 20


class Stopped(BaseException):
    """A statement of a cell has raised ``error``; ``statement`` is its first line."""

    def __init__(self, error: BaseException, statement: str):
        super().__init__(error)
        self.error, self.statement = error, statement


def run(source: str, filename: str, names: dict, missing: set[str]) -> list[dict]:
    """Run a cell in ``names``; return what was skipped, and why.

    Parameters
    ----------
    source, filename : str
    names : dict
        The namespace of the notebook; what the cell sets before an error stays in it.
    missing : set of str
        Names that a skipped statement would have defined, here and in the cells above; it grows.

    Raises
    ------
    Stopped
        When a statement raises anything but `SystemExit` or `KeyboardInterrupt`.
    SyntaxError, ValueError
        When the source is no Python.
    """
    try:
        tree = ast.parse(source, filename)
    except (SyntaxError, ValueError):
        source = without_magics(source)
        tree = ast.parse(source, filename)
    lines = source.splitlines(keepends=True)
    linecache.cache[filename] = (len(source), None, lines, filename)
    flags, skipped = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, []
    for statement in tree.body:
        code = compile(ast.Module([statement], []), filename, "exec", flags, dont_inherit=True)
        flags |= code.co_flags & _FUTURE
        try:
            _execute(code, names)
            missing.difference_update(_bound(statement) if missing else ())
        except (SystemExit, KeyboardInterrupt):
            return skipped  # quit() in a notebook: what stands above it has run
        except BaseException as error:
            line = lines[statement.lineno - 1].strip()[:200] if statement.lineno <= len(lines) else ""
            if not _costs_its_own_line(statement, error, missing):
                raise Stopped(error, line) from None
            missing |= _bound(statement)
            if len(skipped) < MOST_SKIPPED:
                told = {"type": type(error).__name__[:80], "text": str(error)[:200], "line": line}
                skipped.append({**told, "names": [name[:80] for name in sorted(_bound(statement))[:20]]})
    return skipped


def without_magics(source: str) -> str:
    """A cell without IPython's ``%`` and ``!`` lines and its questions; every other line keeps its number."""
    lines = source.splitlines()
    if lines and lines[0].lstrip().startswith("%%"):
        if not CELL_MAGIC_THAT_RUNS.match(lines[0]):
            return ""
        lines[0] = ""
    for i, line in enumerate(lines):
        match = MAGIC.match(line)
        if match:
            lines[i] = f"{match['indent'] or match['query'] or ''}pass"
    return "\n".join(lines)


_FUTURE = 0
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag


def _execute(code: types.CodeType, names: dict) -> None:
    if code.co_flags & inspect.CO_COROUTINE:
        asyncio.run(eval(code, names))
    else:
        exec(code, names)


def _costs_its_own_line(statement: ast.stmt, error: BaseException, missing: set[str]) -> bool:
    """Whether a statement is an import that fails, or needs what such an import would have defined."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return isinstance(error, ImportError)
    return isinstance(error, NameError) and getattr(error, "name", None) in missing


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a cell defines, not counting those inside of functions and classes."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return {statement.name}
    bound = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            bound.add(node.name)
    return bound
