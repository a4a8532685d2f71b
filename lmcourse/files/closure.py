"""What a piece of code depends on: the modules of this project that it can import, and their data files.

    files = needed_by(["from lmmetrics import corpora"])     paths of modules and data files
    digest(files)                                          changes if one of them does

Imports are read from the syntax, also those inside functions; those for type checkers do not count, and a
relative one raises a ValueError. A module that computes a name to import needs every module of the package
that the name begins with, as a string or as ``__name__``; any other name is assumed to belong to an installed
package. A data file counts when a string in the code is its name, or the name of a folder that contains it.

A module counts by its syntax tree: a comment or a blank line changes no digest, a doc-string does. Left out:
installed packages, whose versions are pinned.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from lmcourse.files.cells import parse
from lmcourse.files.places import ROOT

PACKAGES = ("lmcourse", "lmmetrics", "tests")
DATA = ("book", "lmmetrics/data")
"""Folders of the data files that code reads."""
NO_DATA = {".py", ".md", ".pyc"}
IMPORTING = re.compile(r"\b(import_module|__import__)$")


def needed_by(code: Iterable[str], root: Path = ROOT) -> set[Path]:
    """Return the modules and data files below ``root`` that pieces of Python code can need.

    Parameters
    ----------
    code : iterable of str
        Cells, or statements such as ``"import lmcourse.feedback"``. One that is not Python counts as empty.
    root : Path
        The project.
    """
    imports, strings = set(), set()
    for text in code:
        found = _read(text)
        imports |= found.imports
        strings |= found.strings
    modules: set[Path] = set()
    waiting = {path for name in imports for path in _files_of(name, root)}
    while waiting:
        path = waiting.pop()
        modules.add(path)
        found = _of_module(path, path.stat().st_mtime_ns)
        strings |= found.strings
        names = found.imports | ({_package(path, root) + ".*"} if found.dynamic else set())
        waiting |= {other for name in names for other in _files_of(name, root)} - modules
    return modules | set(_data(strings, root))


def modules_named(code: str, root: Path = ROOT) -> set[Path]:
    """Return the modules that a piece of code imports by itself, without the packages around them."""
    found = (list(_files_of(name, root)) for name in _read(code).imports)
    return {paths[-1] for paths in found if paths}


def digest(files: Iterable[Path], root: Path = ROOT) -> str:
    """Return a short hash of modules, by their syntax, and data files, by their bytes.

    Examples
    --------
    >>> len(digest(needed_by(["import lmmetrics"])))
    12
    """
    total = hashlib.sha256()
    for path in sorted(files):
        total.update(path.relative_to(root).as_posix().encode())
        total.update(
            _of_module(path, path.stat().st_mtime_ns).digest if path.suffix == ".py" else path.read_bytes()
        )
    return total.hexdigest()[:12]


class _Code:
    """The imports and strings in the syntax of a module or a cell."""

    def __init__(self, tree: ast.AST):
        self.imports: set[str] = set()
        self.strings: set[str] = set()
        self.dynamic = False
        self._visit(tree)

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for other in node.orelse:
                self._visit(other)
            return
        if isinstance(node, ast.Import):
            self.imports |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{ast.unparse(node)}: a relative import. Write the module's full name.")
            self.imports |= {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
        elif isinstance(node, ast.Call) and IMPORTING.search(ast.unparse(node.func)):
            named = [keyword.value for keyword in node.keywords if keyword.arg == "name"]
            self._computed([*node.args, *named][0])
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            self.strings |= {node.value, *node.value.split("/")}
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _computed(self, name: ast.expr) -> None:
        """Note the name that a call imports: a string, or an f-string that begins with one."""
        if isinstance(name, ast.Constant):
            self.imports.add(str(name.value))
        elif isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
            self.imports.add(name.values[0].value.rpartition(".")[0] + ".*")
        else:
            self.dynamic |= "__name__" in ast.unparse(name)


class _Module(_Code):
    def __init__(self, tree: ast.AST):
        super().__init__(tree)
        self.digest = hashlib.sha256(ast.dump(tree).encode()).digest()


@functools.lru_cache(maxsize=4096)
def _of_module(path: Path, modified: int) -> _Module:
    """Read a module once for each time at which it was modified (the cache keeps the arguments)."""
    return _Module(ast.parse(path.read_bytes()))


@functools.lru_cache(maxsize=4096)
def _read(text: str) -> _Code:
    try:
        return _Code(parse(text))
    except SyntaxError:
        return _Code(ast.Module(body=[], type_ignores=[]))


def _files_of(name: str, root: Path) -> Iterator[Path]:
    """The files that run when a module is imported: its own, and those of the packages around it."""
    parts = name.split(".")
    if parts[0] not in PACKAGES:
        return
    here = root
    for part in parts:
        if part == "*":
            yield from here.rglob("*.py")
            return
        here = here / part
        if here.is_dir():
            if (path := here / "__init__.py").is_file():
                yield path
        elif (path := here.with_suffix(".py")).is_file():
            yield path
            return
        else:
            return  # a name in the module


def _package(path: Path, root: Path) -> str:
    return ".".join(path.parent.relative_to(root).parts)


def _data(strings: set[str], root: Path) -> Iterator[Path]:
    """The data files that strings name."""
    for folder in DATA:
        here = root / folder
        for path in here.rglob("*") if strings else ():
            named = path.suffix not in NO_DATA and strings.intersection(path.relative_to(here).parts)
            if named and path.is_file():
                yield path
