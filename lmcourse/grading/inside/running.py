"""Run a cell as a notebook does: with IPython's own syntax, with ``await``, one statement after the other.

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

PROMPT = re.compile(r"\s*In ?\[\d*\]: ")
CELL_MAGIC_THAT_RUNS = re.compile(r"\s*%%(time|timeit|capture|prun)\b\s*([A-Za-z_]\w*)?")
LINE_MAGICS_THAT_RUN = ("time", "prun")
OPTIONS = re.compile(r"\s*((-[DlsT]\s*\S+|-[rq])\s+)*")
BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Line ends to IPython, and none to Python."""
HIDDEN = {ord(sign): 0xF8E0 + i for i, sign in enumerate(BREAKS)}
SHOWN = {code: sign for sign, code in HIDDEN.items()}
FLAGS, LAST = "__future_flags__", "__last_output__"
"""Names in the notebook's namespace: what ``from __future__`` has switched on, and what ``_`` was set to."""
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
    tree, python = read(source, filename)
    same = python.rstrip("\n").count("\n") == source.rstrip("\n").count(
        "\n"
    )  # then errors show what was typed
    lines = re.split(r"(?<=\n)", source if same else python)
    linecache.cache[filename] = (len(python), None, lines, filename)
    skipped, value = [], None
    for statement in tree.body:
        code = _compiled(statement, filename, names)
        try:
            value = _execute(code, names)
            missing.difference_update(_bound(statement) if missing else ())
        except (SystemExit, KeyboardInterrupt):
            return skipped  # quit() in a notebook: what stands above it has run
        except BaseException as error:
            value = None
            line = lines[statement.lineno - 1].strip()[:200] if statement.lineno <= len(lines) else ""
            if not _costs_its_own_line(statement, error, missing):
                raise Stopped(error, line) from None
            missing |= _bound(statement)
            if len(skipped) < MOST_SKIPPED:
                told = {"type": type(error).__name__[:80], "text": str(error)[:200], "line": line}
                skipped.append({**told, "names": [name[:80] for name in sorted(_bound(statement))[:20]]})
    if value is not None:
        _remember(value, names)
    return skipped


def value_of(source: str, names: dict) -> object:
    """Run code that a magic was given; return the value of its last line, or None."""
    value = None
    for statement in read(source, "<a magic>")[0].body:
        value = _execute(_compiled(statement, "<a magic>", names), names)
    return value


def read(source: str, filename: str) -> tuple[ast.Module, str]:
    """Read a cell as IPython does; return its statements, and the source that they were read from.

    Lines that only IPython understands become calls of ``get_ipython()``. The code behind ``%time`` and
    ``%prun`` becomes statements of the cell.

    Raises
    ------
    SyntaxError, ValueError
        When the cell is no Python to IPython either.
    """
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    try:
        if PROMPT.match(source):
            raise SyntaxError("to Python, a copied prompt is an annotation")
        tree = ast.parse(source, filename)
    except (SyntaxError, ValueError):
        source = as_python(source)
        tree = ast.parse(source, filename)
    if "run_line_magic" in source:
        tree.body = [inner for statement in tree.body for inner in _behind_a_magic(statement)]
    return tree, source


def as_python(source: str) -> str:
    """Return a cell that uses IPython's own syntax as Python; lines keep their numbers where they can."""
    from IPython.core.inputtransformer2 import TransformerManager  # slow, and few cells need it

    lines, empty = source.split("\n"), 0
    for i, line in enumerate(lines):
        match = CELL_MAGIC_THAT_RUNS.match(line)
        if match:
            captured = match[1] == "capture" and match[2]
            lines[i] = f"{match[2]} = get_ipython()" if captured else ""
        elif line.strip():
            break
    while empty < len(lines) and not lines[empty].strip():
        empty += 1
    python = TransformerManager().transform_cell("\n".join(lines[empty:]).translate(HIDDEN))
    return "\n" * empty + python.translate(SHOWN)


def _behind_a_magic(statement: ast.stmt) -> list[ast.stmt]:
    """The statements behind a magic that runs them, to stand in its place; any other statement as it is."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return [statement]
    given = [a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    if call.func.attr != "run_line_magic" or len(given) != 2 or given[0] not in LINE_MAGICS_THAT_RUN:
        return [statement]
    try:
        inner = read(OPTIONS.sub("", given[1], count=1), "<a magic>")[0].body
    except (SyntaxError, ValueError):
        return [statement]
    for node in inner:
        ast.increment_lineno(node, statement.lineno - node.lineno)
    return inner


def _remember(value: object, names: dict) -> None:
    """Bind ``_`` and ``__`` to the last outputs, unless the student uses ``_`` for something else."""
    if "_" not in names or names["_"] is names.get(LAST):
        names["__"] = names.get("_", "")
        names["_"] = names[LAST] = value


_FUTURE = 0
for _feature in __future__.all_feature_names:
    _FUTURE |= getattr(__future__, _feature).compiler_flag


def _compiled(statement: ast.stmt, filename: str, names: dict) -> types.CodeType:
    """Compile a statement, an expression so that it has a value; ``from __future__`` holds from then on."""
    flags = names.get(FLAGS, 0) | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    if isinstance(statement, ast.Expr):
        return compile(ast.Expression(statement.value), filename, "eval", flags, dont_inherit=True)
    code = compile(ast.Module([statement], []), filename, "exec", flags, dont_inherit=True)
    if code.co_flags & _FUTURE:
        names[FLAGS] = names.get(FLAGS, 0) | code.co_flags & _FUTURE
    return code


def _execute(code: types.CodeType, names: dict) -> object:
    value = eval(code, names)
    return asyncio.run(value) if code.co_flags & inspect.CO_COROUTINE else value


def _costs_its_own_line(statement: ast.stmt, error: BaseException, missing: set[str]) -> bool:
    """Whether an import in it has failed, or a name is missing that such an import would have defined."""
    if isinstance(error, ImportError):
        return any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(statement))
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
