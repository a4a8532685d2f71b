"""Rules for packages: what a reader, student or lecturer runs is installed by ``requirements.txt`` alone, and
the version of the project and the Pythons it runs on are the same wherever they are named."""

import ast
import functools
import re
import sys
from collections.abc import Iterator
from importlib import metadata

from packaging.requirements import Requirement

from lmcourse.files.contents import line_at
from lmcourse.rules.tree import Tree

OWN = {"lmcourse", "lmmetrics", "tests"}
READERS = ("lmcourse/*.py", "lmmetrics/*.py")
FOLDERS = ("book", "notebooks", "solutions", "exercises")
VERSION = {
    "lmmetrics/_version.py": r'^__version__ = "([^"]+)"',
    "CITATION.cff": r'^version: "([^"]+)"',
    "CHANGELOG.md": r"^## (\S+)",
}
"""Where the version of the project is; in the changelog, the newest is the first."""
OLDEST = {
    "README.md": r"Python (3\.\d+) or newer",
    "book/how_to_use.md": r"Python (3\.\d+) or newer",
    "book/instructors/grading.md": r"FROM python:(3\.\d+)|tested with (3\.\d+)",
    "Makefile": r"\((3, \d+)\)|Python (3\.\d+) or newer",
    "lmcourse/install.py": r"use Python (3\.\d+) to",
    "pyproject.toml": r'target-version = "py(3\d+)"',
    "lmcourse/pyproject.toml": r'requires-python = ">=(3\.\d+)"',
    ".github/workflows/*.yml": r'python(?:-version)?: \[?"(3\.\d+)"',
}
"""Where the oldest Python is, besides ``requires-python``; of a list of versions, the oldest is the first."""


def imports_are_installed(tree: Tree) -> Iterator[str]:
    """Pages, labs, sets, decks and commands import only what ``requirements.txt`` brings.

    The packages of ``requirements-dev.txt`` are installed too where this rule runs, so a run of the tests
    does not notice that one is missing. An import that an ``except ImportError`` guards is left alone.
    """
    text = tree.text("requirements.txt")
    if text is None:
        return
    brought = _brought(text)
    for where, syntax in _sources(tree):
        for name in sorted(_packages(syntax) - OWN - sys.stdlib_module_names - brought):
            yield (
                f"{where}: imports {name}, which requirements.txt does not install. Add the package there, "
                "with its version, or do without it."
            )


def one_version(tree: Tree) -> Iterator[str]:
    """The package, the citation and the changelog name one version of the project."""
    texts = {path: tree.text(path) for path in VERSION}
    found = {path: re.findall(words, texts[path] or "", re.M) for path, words in VERSION.items()}
    package, *others = VERSION
    for path in others if found[package] else ():
        ours, theirs = found[package][0], next(iter(found[path]), "no version")
        if texts[path] is not None and theirs != ours:
            yield f"{path}: names {theirs}, and {package} {ours}. Correct one of the two."


def one_oldest_python(tree: Tree) -> Iterator[str]:
    """Each file that names the oldest Python names that of ``requires-python`` in ``pyproject.toml``."""
    required = re.findall(r'^requires-python = ">=(3\.\d+)"', tree.text("pyproject.toml") or "", re.M)
    for pattern, words in OLDEST.items() if required else ():
        for path, text in tree.texts(pattern):
            for match in re.finditer(words, text):
                named = next(filter(None, match.groups())).replace(", ", ".")
                if named.replace(".", "") != required[0].replace(".", ""):
                    where = f"{path}, line {line_at(text, match.start())}"
                    yield f"{where}: names Python {named}, and requires-python is {required[0]}. Correct it."


def _sources(tree: Tree) -> Iterator[tuple[str, ast.Module]]:
    """Yield place and syntax tree of all code that readers run, targets of the Makefile among them."""
    for path in tree.paths(*READERS):
        yield path, tree.syntax(path) or ast.Module([], [])
    for cell in tree.code_cells(*FOLDERS):
        yield cell.where, cell.syntax()
    for target, recipe in re.findall(
        r"^(\w+): \$\(BOOK\).*\n((?:\t.*\n)+)", tree.text("Makefile") or "", re.M
    ):
        modules = re.findall(r"\$\(PY\) -m ([\w.]+)", recipe)
        yield f"Makefile, target {target}", ast.parse("\n".join(f"import {module}" for module in modules))


def _packages(syntax: ast.Module) -> set[str]:
    """The top-level packages that code imports anywhere, except where an import may fail."""
    names: set[str] = set()
    nodes: list[ast.AST] = [syntax]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.Try) and any("ImportError" in _caught(handler) for handler in node.handlers):
            nodes += [*node.handlers, *node.orelse, *node.finalbody]
            continue
        nodes += ast.iter_child_nodes(node)
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    return names


def _caught(handler: ast.ExceptHandler) -> str:
    return "" if handler.type is None else ast.unparse(handler.type)


@functools.cache
def _brought(requirements: str) -> frozenset[str]:
    """The importable names of the distributions that a requirements file installs, dependencies included."""
    waiting = [Requirement(line) for line in re.findall(r"^[^#\s-][^#\n]*", requirements, re.MULTILINE)]
    found: set[tuple[str, str]] = set()
    while waiting:
        wanted = waiting.pop()
        for extra in ("", *wanted.extras):
            name = re.sub(r"[-_.]+", "-", wanted.name).lower()
            if (name, extra) in found:
                continue
            found.add((name, extra))
            waiting += [r for r in _required(name) if not r.marker or r.marker.evaluate({"extra": extra})]
    distributions = {name for name, _ in found}
    importable = metadata.packages_distributions().items()
    return frozenset(
        module
        for module, owners in importable
        if any(re.sub(r"[-_.]+", "-", owner).lower() in distributions for owner in owners)
    )


def _required(name: str) -> list[Requirement]:
    try:
        return [Requirement(line) for line in metadata.requires(name) or ()]
    except metadata.PackageNotFoundError:
        return []
