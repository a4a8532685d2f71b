"""What a package of the library keeps to itself, by a leading underscore, no other package uses."""

import ast
from pathlib import Path

import pytest

import lmmetrics
from lmcourse.files.places import PACKAGE

LIBRARY = Path(lmmetrics.__file__).parent


OF_A_BASE = {("scoring/_text_score.py", "_counts")}
"""A `TextScore` is a `Score`, and asks other scores what it may ask itself."""


def package_of(path):
    """The package of a file; a module at the top is one by itself."""
    return path.relative_to(LIBRARY).parts[0].removesuffix(".py")


def named_privately(name):
    return name.startswith("_") and not name.startswith("__")


def private_definitions(tree):
    """The private functions, methods and attributes that a module defines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr


def uses(tree, package, defined):
    """Yield the line and the name of each private thing of another package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("lmmetrics."):
            other, *inner = node.module.split(".")[1:]
            names = [name for name in inner if name != "_shared"] + [alias.name for alias in node.names]
            if other != package and (private := [name for name in names if named_privately(name)]):
                yield node.lineno, f"{other}: {'.'.join(private)}"
        elif isinstance(node, ast.Attribute) and node.attr not in defined[package]:
            owners = sorted(other for other in defined if node.attr in defined[other])
            if owners and not of_itself(node.value):
                yield node.lineno, f"{', '.join(owners)}: {node.attr}"


def of_itself(node):
    """Whether an expression is the object or the class whose method it is in."""
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name) and node.id in ("self", "cls", "super")


def found_in(sources):
    """Where files, by path, use what is private in another package."""
    trees = {path: ast.parse(source) for path, source in sources.items()}
    defined = {}
    for path, tree in trees.items():
        names = filter(named_privately, private_definitions(tree))
        defined.setdefault(package_of(path), set()).update(names)
    for path, tree in trees.items():
        for line, name in uses(tree, package_of(path), defined):
            if (path.relative_to(LIBRARY).as_posix(), name.rpartition(" ")[2]) not in OF_A_BASE:
                yield f"{path.relative_to(LIBRARY).as_posix()}:{line} uses {name}"


def test_no_package_uses_what_another_keeps_to_itself():
    """What several use is in a module `_shared`; what all use, in lmmetrics/_checks.py and its neighbours."""
    sources = {path: path.read_text(encoding="utf-8") for path in LIBRARY.rglob("*.py")}
    assert len(sources) > 100 and list(found_in(sources)) == []


def private_imports(source):
    """What a file outside the library imports from it although a part of its name is private."""
    for node in ast.walk(ast.parse(source)):
        names = []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for first, *parts in (name.split(".") for name in names):
            if first == "lmmetrics" and any(map(named_privately, parts)):
                yield ".".join([first, *parts])


def test_the_course_imports_only_what_is_public():
    found = {
        path.relative_to(PACKAGE).as_posix(): names
        for path in PACKAGE.rglob("*.py")
        if (names := [*private_imports(path.read_text(encoding="utf-8"))])
    }
    assert found == {}


@pytest.mark.parametrize(
    "line",
    [
        "from lmmetrics.sources._source import Source",
        "from lmmetrics._checks import whole",
        "from lmmetrics import _checks",
        "import lmmetrics.ngram._model as model",
    ],
)
def test_what_the_course_may_not_import_is_found(line):
    assert len([*private_imports(line)]) == 1
    assert not [
        *private_imports("from lmmetrics.ngram import NGramModel\nimport lmmetrics.text\nimport _ast")
    ]


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("from lmmetrics.ngram._model import NGramModel", "ngram: _model"),
        ("from lmmetrics.ngram import _model", "ngram: _model"),
        ("def f(model):\n    return model._fitted()", "ngram: _fitted"),
    ],
)
def test_what_is_private_is_found(line, says):
    sources = {
        LIBRARY / "ngram" / "_model.py": "class NGramModel:\n    def _fitted(self):\n        pass\n",
        LIBRARY / "coding" / "_rows.py": line,
    }
    (found,) = found_in(sources)
    assert found.startswith("coding/_rows.py:") and found.endswith(says)
