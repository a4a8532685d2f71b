"""Rules for the guides: every path, command, name and heading that they give exists.

Left out: whether a recipe works; for that, somebody has to follow it.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from lmcourse.files.nearest_tests import GUIDE, HEADING, with_tests
from lmcourse.rules.tree import Tree

GUIDES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "lmcourse/AUTHORING.md",
    "lmcourse/benchmarks/SPEED.md",
    "lmmetrics/data/tales/README.md",
    "book/instructors/*.md",
)
ROOTS = "lmcourse|lmmetrics|tests|book|notebooks|solutions|exercises"
PATH = re.compile(rf"(?<![\w/.<-])(?:(?:{ROOTS})/[\w./*-]*|\w+/[\w./]*\.py\b)")
PLACEHOLDERS = {"STEM": "[0-9][0-9]_*", "NN": "[0-9][0-9]", "slug": "*"}
"""What a guide writes where a newcomer fills something in, and which names fit there."""
MADE = {"exercises/02_exam"}
"""What a guide tells its reader to make."""
PACKAGES = ("lmmetrics", "lmcourse")
MODULE = re.compile(r"(?:lmcourse|lmmetrics)(?:\.[A-Za-z_]\w*)+")


def paths_in_guides_exist(tree: Tree) -> Iterator[str]:
    """Each path that a guide names is a file or a folder of the project; STEM and NN stand for chapters."""
    for guide, text in tree.texts(*GUIDES):
        for path in sorted(set(PATH.findall(text.replace("\\", "/")))):
            path = path.rstrip("./-")
            pattern = path
            for placeholder, fits in PLACEHOLDERS.items():
                pattern = re.sub(rf"(?<![A-Z]){placeholder}(?![A-Za-z])", fits, pattern)
            if path not in MADE and not tree.paths(pattern, f"{pattern}/*"):
                yield f"{guide}: names {path}, which does not exist. Name the file that is meant."


def commands_in_guides_exist(tree: Tree) -> Iterator[str]:
    """Each ``make TARGET`` and ``python -m lmcourse.MODULE`` that a guide names can be run."""
    targets = set(re.findall(r"^([a-z][\w-]*):(?!=)", tree.text("Makefile") or "", re.MULTILINE))
    for guide, text in tree.texts(*GUIDES):
        for code in _code(text):
            for words in re.findall(r"(?:^|[;&|]) *make((?: [^\s;&|#]+)+)", code, re.MULTILINE):
                for word in words.split():
                    if re.fullmatch(r"[a-z][\w-]*", word) and word not in targets:
                        yield f"{guide}: names make {word}, which the Makefile lacks. Name a target it has."
            for module in re.findall(r"-m ((?:lmcourse|lmmetrics)[\w.]*)", code):
                name = module.rstrip(".")
                source = tree.text(f"{name.replace('.', '/')}/__main__.py") or _source(tree, name)
                if source is None or "__main__" not in source:
                    yield f"{guide}: names python -m {module}, which cannot be run. Name a module that can."


def names_in_guides_exist(tree: Tree) -> Iterator[str]:
    """Each module, function, class or method that a guide names in full, as code, is defined there."""
    for guide, text in tree.texts(*GUIDES):
        spans = " ".join(_code(text))
        for name in sorted(set(MODULE.findall(spans))):
            if not _is_defined(tree, name):
                yield f"{guide}: names {name}, which is not defined. Name what took its place."


def links_in_guides_lead_somewhere(tree: Tree) -> Iterator[str]:
    """Each link of a guide to a heading finds it, and the contents of CONTRIBUTING.md name every section."""
    label = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
    labels = {name for _, page in tree.texts("book/*.md") for name in label.findall(page)}
    for guide, text in tree.texts(*GUIDES):
        linked = re.findall(r"\]\(([\w/.-]*)#([\w-]+)\)", text)
        for path, anchor in linked:
            target = (PurePosixPath(guide).parent / path).as_posix() if path else guide
            if target in tree.files and anchor not in labels | _anchors(tree.text(target) or ""):
                yield f"{guide}: links to #{anchor}, which {target} lacks. Name a heading that it has."
        if guide == GUIDE:
            for anchor in _anchors(text, "##") - {anchor for _, anchor in linked}:
                yield f"{guide}: nothing links to #{anchor}. Add the section to the contents at the top."


def folders_are_in_the_list_of_places(tree: Tree) -> Iterator[str]:
    """ "Where things are" in CONTRIBUTING.md names each folder of the library and of the course package."""
    text = tree.text(GUIDE) or ""
    named = set(re.findall(r"`((?:lmmetrics|lmcourse)/\w+)/", text.partition(HEADING)[2]))
    folders = {"/".join(path.split("/")[:2]) for path in tree.files if path.count("/") > 1}
    for folder in sorted(folders - named) if HEADING in text else ():
        if folder.startswith(tuple(f"{package}/" for package in PACKAGES)):
            yield f'{GUIDE}: "Where things are" lacks {folder}/. Say there what it has, and its tests.'


def list_of_places_can_be_read(tree: Tree) -> Iterator[str]:
    """In "Where things are", from which ``make check`` takes tests, each arrow has files and tests."""
    text = tree.text(GUIDE) or ""
    if text and HEADING not in text:
        yield f"{GUIDE}: lacks the heading {HEADING.strip()!r}, below which `make check` reads. Restore it."
    for item, places, tests in with_tests(text):
        if not places or not tests:
            words, lacks = " ".join(item.split())[:60], "file before" if not places else "test behind"
            yield f"{GUIDE}: {words!r} has no {lacks} its arrow. Write the whole path, in backticks."


def _anchors(text: str, level: str = "#+") -> set[str]:
    """The anchors that GitHub gives the headings of a page."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    heads = re.findall(rf"^{level} (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", head.lower()).strip().replace(" ", "-") for head in heads}


def _code(text: str) -> list[str]:
    """The code of a page: fenced blocks, indented blocks, and spans in backticks."""
    blocks = re.findall(r"^```.*?\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    blocks += [line.strip() for line in re.findall(r"^    .*$", text, re.MULTILINE)]
    return blocks + re.findall(r"`([^`]+)`", text)


def _is_defined(tree: Tree, name: str) -> bool:
    """Whether a dotted name is a module, or something that a module or its class has by that name."""
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        source = _source(tree, ".".join(parts[:length]))
        if source is not None:
            return _has(tree, ast.parse(source).body, parts[length:])
    return False


def _has(tree: Tree, body: list[ast.stmt], names: list[str]) -> bool:
    """Whether a module or class defines the first name, and the object of that name defines the next."""
    if not names:
        return True
    first, *rest = names
    for node in (inner for statement in body for inner in ast.walk(statement)):
        if isinstance(node, ast.ClassDef) and node.name == first:
            return _has(tree, node.body, rest)
        if isinstance(node, ast.ImportFrom) and first in {alias.asname or alias.name for alias in node.names}:
            return not rest or _is_defined(tree, ".".join([node.module or "", *names]))
        function = isinstance(node, ast.FunctionDef) and node.name == first
        if function or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == first):
            return True
    return False


def _source(tree: Tree, module: str) -> str | None:
    """The text of a module or of a package's ``__init__``; None if the project has no such module."""
    path = module.replace(".", "/")
    found = [file for file in (f"{path}.py", f"{path}/__init__.py") if file in tree.files]
    return tree.text(found[0]) if found else None
