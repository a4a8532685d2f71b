"""What a piece of code depends on: the modules of this project that it can import, and their data files.

    files = needed_by(["from lmmetrics import corpora"])     paths of modules and data files
    digest(files)                                          changes if one of them does

Imports are read from the syntax, also those inside functions; those for type checkers do not count, and a
relative one raises a ValueError. A module that computes a name to import needs every module of the package
that the name begins with, as a string or as ``__name__``; any other name is assumed to belong to an installed
package. A data file counts when a string in the code is its name, or the name of a folder that contains it.

A module counts by its syntax tree: a comment or a blank line changes no digest, a doc-string does. Installed
packages do not count: their versions are pinned.
"""

from __future__ import annotations

import ast
import functools
import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from lmcourse.files.cells import parse
from lmcourse.files.places import ROOT

PACKAGES = ("lmcourse", "lmmetrics", "tests")
DATA = ("book", "lmcourse/pages", "lmmetrics/data")
"""Folders of the data files that code reads."""
NO_DATA = {".py", ".md", ".pyc"}
IMPORTING = {"import_module", "__import__"}
CHECKERS = {"TYPE_CHECKING", "typing.TYPE_CHECKING"}


def needed_by(code: Iterable[str], root: Path = ROOT, without: Iterable[Path] = ()) -> set[Path]:
    """Return the modules and data files below ``root`` that pieces of Python code can need.

    Parameters
    ----------
    code : iterable of str
        Cells, or statements such as ``"import lmcourse.feedback"``. One that is not Python counts as empty.
    root : Path
        The project.
    without : iterable of Path
        Folders from which the code imports nothing, although it computes names that would fit.
    """
    modules = Modules(root)
    left_out = {path for folder in without for path in folder.rglob("*.py")}
    read = [read_code(text) for text in code]
    found: set[Path] = set()
    waiting = set().union(*(modules.run_by(piece) for piece in read)) - left_out
    while waiting:
        path = waiting.pop()
        found.add(path)
        read.append(read_module(path))
        waiting |= modules.run_by(read[-1], path) - found - left_out
    return found | set(_data(set().union(*(piece.strings for piece in read)), root))


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
        total.update(read_module(path).digest if path.suffix == ".py" else path.read_bytes())
    return total.hexdigest()[:12]


class Code:
    """The imports and strings in the syntax of a module or a cell.

    Attributes
    ----------
    modules, names : set of str
        What is imported, with full names: in ``from a import b``, the module ``a`` and the name ``a.b``. A
        name that ends in ``.*`` means every module of a package.
    bound : dict
        Names that ``from a import b`` binds, to their full names; also those for type checkers alone, which a
        package imports when they are asked for.
    strings : set of str
        The short strings in the code, and their parts between slashes: possible names of data files.
    dynamic : bool
        Whether the code imports names that begin with its own ``__name__``.
    """

    def __init__(self, tree: ast.AST):
        self.modules: set[str] = set()
        self.names: set[str] = set()
        self.bound: dict[str, str] = {}
        self.strings: set[str] = set()
        self.dynamic = False
        self._tree = tree
        self._visit(tree)

    @functools.cached_property
    def digest(self) -> bytes:
        """A hash of the syntax."""
        return hashlib.sha256(ast.dump(self._tree).encode()).digest()

    def _visit(self, node: ast.AST) -> None:
        if isinstance(node, ast.If) and ast.unparse(node.test) in CHECKERS:
            for lazy in (one for one in node.body if isinstance(one, ast.ImportFrom)):
                self.bound |= {name.asname or name.name: f"{lazy.module}.{name.name}" for name in lazy.names}
            for other in node.orelse:
                self._visit(other)
            return
        if isinstance(node, ast.Import):
            self.names |= {name.name for name in node.names}
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{ast.unparse(node)}: a relative import. Write the module's full name.")
            assert node.module  # Python asks for it where there are no dots
            self.modules.add(node.module)
            self.bound |= {name.asname or name.name: f"{node.module}.{name.name}" for name in node.names}
            self.names |= {f"{node.module}.{name.name}" for name in node.names}
        elif isinstance(node, ast.Call) and _last_name(node.func) in IMPORTING:
            for name in [*node.args, *(k.value for k in node.keywords if k.arg == "name")][:1]:
                self._note_imported(name)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and len(node.value) < 200:
            self.strings |= {node.value, *node.value.split("/")}
        for child in ast.iter_child_nodes(node):
            self._visit(child)

    def _note_imported(self, name: ast.expr) -> None:
        """Note the name that a call imports: a string, or an f-string that begins with one."""
        if isinstance(name, ast.Constant):
            self.names.add(str(name.value))
        elif isinstance(name, ast.JoinedStr) and isinstance(name.values[0], ast.Constant):
            self.names.add(str(name.values[0].value).rpartition(".")[0] + ".*")
        else:
            self.dynamic |= "__name__" in ast.unparse(name)


def read_module(path: Path) -> Code:
    """Return the imports and strings of a module."""
    return _read_module(path, path.stat().st_mtime_ns)


@functools.lru_cache(maxsize=4096)
def _read_module(path: Path, modified: int) -> Code:
    """Read a module once for each time at which it was modified (the cache keeps the arguments)."""
    return Code(ast.parse(path.read_bytes()))


@functools.lru_cache(maxsize=4096)
def read_code(text: str) -> Code:
    """Return the imports and strings of a cell; none if it is not Python."""
    try:
        return Code(parse(text))
    except SyntaxError:
        return Code(ast.Module(body=[], type_ignores=[]))


def _last_name(function: ast.expr) -> str | None:
    """The name under which a function is called, without the module before it."""
    return getattr(function, "attr", getattr(function, "id", None))


class Modules:
    """The modules of this project's packages below a folder, by their full names.

    `run_by` follows what Python executes, with every package on the way to a module; `named_by` follows what
    the code asks for, through the packages that export a name to the module that defines it.
    """

    def __init__(self, root: Path):
        self.root = root
        paths = (path for package in PACKAGES for path in (root / package).rglob("*.py"))
        self.paths = {_full_name(path.relative_to(root)): path for path in paths}

    def run_by(self, code: Code, path: Path | None = None) -> set[Path]:
        """Return the modules that run if a piece of code does, the packages around them included.

        The ``path`` is that of the code, if it is a module.
        """
        names = code.modules | code.names | self._below_own_name(code, path)
        return {path for name in names for path in self._run_by_import(name)}

    def _below_own_name(self, code: Code, path: Path | None) -> set[str]:
        """The names that begin with a module's own ``__name__``: any module of its package."""
        if not code.dynamic or path is None:
            return set()
        return {".".join(path.parent.relative_to(self.root).parts) + ".*"}

    def _run_by_import(self, name: str) -> Iterator[Path]:
        parts = name.split(".")
        if parts[0] not in PACKAGES:
            return
        for length in range(1, len(parts) + 1):
            if path := self.paths.get(".".join(parts[:length])):
                yield path
        if parts[-1] == "*":
            yield from (path for other, path in self.paths.items() if other.startswith(name[:-1]))

    def named_by(self, path: Path) -> set[Path]:
        """Return the modules from which a module imports a name: those that define the names.

        A package that is imported as a whole counts as every module from which it exports a name. If the name
        of a module is computed, the modules directly in the package count.
        """
        code, found = read_module(path), set()
        for name in code.names | self._below_own_name(code, path):
            package, _, last = name.rpartition(".")
            if last == "*":
                found |= {other for key, other in self.paths.items() if key.rpartition(".")[0] == package}
            elif module := self._defining(name):
                found |= {module, *(self._exported(module) if module.stem == "__init__" else ())}
        return found

    def _exported(self, package: Path) -> set[Path]:
        return {path for path in map(self._defining, read_module(package).bound.values()) if path}

    def _defining(self, name: str) -> Path | None:
        """The module that defines a name, or the module of that name; None for an installed package's."""
        if name in self.paths:
            return self.paths[name]
        module, _, last = name.rpartition(".")
        if module not in self.paths:
            return self._defining(module) if module else None
        exported = read_module(self.paths[module]).bound.get(last)
        return self._defining(exported) if exported else self.paths[module]


def _full_name(path: Path) -> str:
    return ".".join(path.parent.parts if path.stem == "__init__" else path.with_suffix("").parts)


def _data(strings: set[str], root: Path) -> Iterator[Path]:
    """The data files that strings name."""
    for folder in DATA:
        here = root / folder
        for path in here.rglob("*") if strings else ():
            named = path.suffix not in NO_DATA and strings.intersection(path.relative_to(here).parts)
            if named and path.is_file():
                yield path
