"""Run a cell as a notebook does: with IPython's own syntax, with ``await``, one statement at a time.

An ordinary error stops the cell. An import that fails does not: it costs the names that it would have
defined, and the statements that need one of them. Runs in the worker.
"""

from __future__ import annotations
import __future__

import ast
import asyncio
import contextlib
import inspect
import linecache
import re
import selectors
import types
from collections.abc import Iterator

PROMPT = re.compile(r"\s*In ?\[\d*\]: ")
CELL_MAGIC = re.compile(r"\s*%%(\w+)\b")
CAPTURED = re.compile(r"\s*%%capture\s+(?:--\S+\s+)*([A-Za-z_]\w*)")
FOREIGN_CELL_MAGICS = re.compile(
    "bash|sh|script|sx|system|cmd|writefile|file|html|HTML|svg|SVG|markdown|latex|javascript|js|perl|ruby"
    "|python[23]?|pypy"
)
"""Cell magics whose cell is a text or another program; the cell of any other is code of the notebook."""
LINE_MAGICS_THAT_RUN = ("time", "prun")
OPTIONS = re.compile(r"\s*((-[DlsT]\s*\S+|-[rq])\s+)*")
OPTIONS_OF_TIMEIT = re.compile(r"\s*((-[nrpv]\s*\S+|-[tcqo]+)\s+)*")
BREAKS = "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"
"""Line ends to IPython, and none to Python."""
HIDDEN = {ord(sign): 0xF8E0 + i for i, sign in enumerate(BREAKS)}
SHOWN = {code: sign for sign, code in HIDDEN.items()}
FLAGS, LAST, GUARD = "__future_flags__", "__last_output__", "__guarded_import__"
"""Names in the notebook's namespace: what ``from __future__`` has switched on, what ``_`` was set to, and
what wraps an import in a block."""
CATCHES = re.compile("Error|Exception|suppress")
BLOCKS = (ast.With, ast.AsyncWith, ast.If, ast.For, ast.AsyncFor, ast.While)
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
        If a statement raises anything but `SystemExit` or `KeyboardInterrupt`.
    SyntaxError, ValueError
        If the source is not Python.
    """
    tree, python = read(source, filename)
    # if IPython's lines have the same numbers as those that were typed, errors show these
    same = python.rstrip("\n").count("\n") == source.rstrip("\n").count("\n")
    lines = re.split(r"(?<=\n)", source if same else python)
    linecache.cache[filename] = (len(python), None, lines, filename)
    skipped, value = _Skipped(lines, missing, names), None
    names[GUARD] = skipped.guard
    for statement in _one_import_each(tree.body):
        code = _compiled(statement, filename, names)
        try:
            value = _execute(code, names)
            missing.difference_update(_bound(statement) if missing else ())
        except (SystemExit, KeyboardInterrupt):
            return skipped.entries  # quit() in a notebook: the lines above it have run
        except BaseException as error:
            value = None
            if not _can_be_skipped(statement, error, missing):
                raise Stopped(error, skipped.line(statement.lineno)) from None
            skipped.note(error, statement.lineno, _bound(statement))
    if value is not None:
        _remember(value, names)
    return skipped.entries


class _Skipped:
    """The statements of a cell that were skipped; ``missing`` are the names that they would have defined.

    From then on annotations are not evaluated: they often name what is missing, and an answer needs none.
    """

    def __init__(self, lines: list[str], missing: set[str], names: dict):
        self.lines, self.missing, self.names = lines, missing, names
        self.entries: list[dict] = []

    def line(self, number: int) -> str:
        return self.lines[number - 1].strip()[:200] if number <= len(self.lines) else ""

    def note(self, error: BaseException, number: int, bound: set[str]) -> None:
        self.missing |= bound
        self.names[FLAGS] = self.names.get(FLAGS, 0) | __future__.annotations.compiler_flag
        if len(self.entries) < MOST_SKIPPED:
            entry = {"type": type(error).__name__[:80], "text": str(error)[:200], "line": self.line(number)}
            self.entries.append({**entry, "names": [name[:80] for name in sorted(bound)[:20]]})

    @contextlib.contextmanager
    def guard(self, number: int, bound: tuple[str, ...]) -> Iterator[None]:
        """An import inside a block: the block continues if the import fails."""
        try:
            yield
            self.missing.difference_update(bound)
        except ImportError as error:
            self.note(error, number, set(bound))


class _Guarded(ast.NodeTransformer):
    """Wraps the imports inside a block, except those in a ``try`` of the student's and in definitions."""

    def visit_Import(self, node: ast.Import | ast.ImportFrom) -> list[ast.stmt]:
        return [self._wrapped(single) for single in _one_import_each([node])]

    visit_ImportFrom = visit_Import

    def visit_With(self, node: ast.With | ast.AsyncWith) -> ast.AST:
        catches = any(CATCHES.search(ast.unparse(item)) for item in node.items)
        return node if catches else self.generic_visit(node)

    visit_AsyncWith = visit_With

    def visit_Try(self, node: ast.AST) -> ast.AST:
        return node

    visit_TryStar = visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Try

    @staticmethod
    def _wrapped(node: ast.stmt) -> ast.stmt:
        bound = ast.Tuple([ast.Constant(name) for name in sorted(_bound(node))], ast.Load())
        arguments: list[ast.expr] = [ast.Constant(node.lineno), bound]
        item = ast.withitem(ast.Call(ast.Name(GUARD, ast.Load()), arguments, []))
        return ast.fix_missing_locations(ast.copy_location(ast.With([item], [node]), node))


def _one_import_each(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Return the statements, with one import for each name and with the imports in blocks guarded."""
    for statement in statements:
        if isinstance(statement, ast.Import):
            yield from (ast.copy_location(ast.Import([alias]), statement) for alias in statement.names)
        elif isinstance(statement, ast.ImportFrom):
            module, level = statement.module, statement.level
            yield from (
                ast.copy_location(ast.ImportFrom(module, [alias], level), statement)
                for alias in statement.names
            )
        else:
            yield _Guarded().visit(statement) if isinstance(statement, BLOCKS) else statement


def value_of(source: str, names: dict) -> object:
    """Run code that a magic was given; return the value of its last line, or None."""
    value = None
    for statement in read(source, "<a magic>")[0].body:
        value = _execute(_compiled(statement, "<a magic>", names), names)
    return value


def read(source: str, filename: str) -> tuple[ast.Module, str]:
    """Read a cell as IPython does; return its statements, and the source they come from.

    Lines that only IPython understands become calls of ``get_ipython()``. The code behind ``%time`` and
    ``%prun`` becomes statements of the cell.

    Raises
    ------
    SyntaxError, ValueError
        If the cell is not Python to IPython either.
    """
    source = re.sub("\r+\n", "\n", source.removeprefix("\ufeff")).replace("\r", "\n")
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
        match = CELL_MAGIC.match(line)
        if match and not FOREIGN_CELL_MAGICS.fullmatch(match[1]):
            captured = CAPTURED.match(line)
            lines[i] = f"{captured[1]} = get_ipython()" if captured else ""
            if match[1] == "timeit":
                lines[i] = OPTIONS_OF_TIMEIT.sub("", line[match.end() :] + " ", count=1)
        elif line.strip():
            break
    while empty < len(lines) and not lines[empty].strip():
        empty += 1
    python = TransformerManager().transform_cell("\n".join(lines[empty:]).translate(HIDDEN))
    return "\n" * empty + python.translate(SHOWN)


def _behind_a_magic(statement: ast.stmt) -> list[ast.stmt]:
    """Return the statements that a magic runs, to replace it; any other statement unchanged."""
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
    return event_loop().run_until_complete(value) if code.co_flags & inspect.CO_COROUTINE else value


_loops: list[asyncio.AbstractEventLoop] = []


def event_loop() -> asyncio.AbstractEventLoop:
    """The loop that runs now, else the notebook's own: one for all cells."""
    running = asyncio._get_running_loop()
    if running is not None:
        return running
    if not _loops or _loops[-1].is_closed():
        _loops.append(asyncio.SelectorEventLoop(selectors.SelectSelector()))
    asyncio.set_event_loop(_loops[-1])
    return _loops[-1]


def _can_be_skipped(statement: ast.stmt, error: BaseException, missing: set[str]) -> bool:
    """Whether a package is missing, or a name that an import of one would have defined.

    A cell that imports a hidden module of the course is stopped instead.
    """
    if isinstance(error, ImportError) and any(
        isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.walk(statement)
    ):
        return True
    if isinstance(error, ModuleNotFoundError):
        simple = not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        return simple and not (error.name or "").startswith("lmcourse")
    return isinstance(error, NameError) and getattr(error, "name", None) in missing


def _bound(statement: ast.stmt) -> set[str]:
    """The names that a statement of a cell defines, not counting those inside functions and classes."""
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
