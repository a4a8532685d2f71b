"""Rules for the library, the machinery and every text file: size, pins, settings, addresses.

Left out: which module may import which. import-linter checks that, by the contracts in ``pyproject.toml``.
"""

import re
from collections.abc import Iterator

from lmcourse.files import contents
from lmcourse.rules.tree import Tree

MEGABYTE = 1_000_000
TEXT = ("*.py", "*.md", "*.ipynb", "*.txt", "*.bib", "*.json", "*.yml", "*.yaml", "*.toml", "*.cfg", "*.cff")
TEXT += ("*.css", "*.j2", "*.sh", ".ci/run", "Makefile", "LICENSE*")
MACHINE = re.compile(r"/(?:work|farm|root)/[a-z.]|(?<![\w./])/(?:home|tmp|Users)/\w")
PLACEHOLDER = re.compile(
    r"\b(" + "|".join(["TO" + "DO", "FIX" + "ME", "X" + "XX", "lorem" + " ipsum"]) + r")\b"
)
REGISTRY = re.compile(
    r"[\w.-]*(?:pypi\.org|pythonhosted\.org|npmjs\.(?:org|com)|anaconda\.org)\b|https?://\S*/simple/?\b"
)
FETCH = re.compile(
    r"""(?:\bsrc\s*=\s*["']?|@import\s+(?:url\()?["']?|\bfetch\(\s*["'`]|\burl\(\s*["']?|\bimport\s+["']"""
    r"""|<link\b[^>]*\bhref\s*=\s*["']?)((?:https?:)?//[^\s"'`)>]+)"""
)


def requirements_are_pinned(tree: Tree) -> Iterator[str]:
    """Every line of ``requirements*.txt`` pins one version with ``==``."""
    for path, text in tree.texts("requirements*.txt"):
        for number, line in enumerate(text.splitlines(), start=1):
            line = line.split("#")[0].strip()
            if line and not re.fullmatch(r"-r \S+|[\w.-]+(\[[\w,-]+\])?==[\w.+!-]+( *;.*)?", line):
                yield f"{path}, line {number}: {line!r} is not pinned. Write name==version."


def failing_cells_fail_the_build(tree: Tree) -> Iterator[str]:
    """``_config.yml`` asks that a failing cell is an error, and the build asks that a warning is one."""
    config, build = tree.text("_config.yml"), tree.text("lmcourse/site/building.py")
    if "_config.yml" in tree.files and not re.search(
        r"^\s*raise_on_error: *true", config or "", re.MULTILINE
    ):
        yield "_config.yml: a failing cell does not fail the build. Set 'execute: raise_on_error: true'."
    if "lmcourse/site/building.py" in tree.files and '"-W"' not in (build or ""):
        yield 'lmcourse/site/building.py: warnings are not errors. Give the builder "-W".'


def no_path_of_one_machine(tree: Tree) -> Iterator[str]:
    """No path that exists only on its author's machine."""
    yield from _found(tree, MACHINE, TEXT, "is a path of one machine. Write it from the project's root")


def no_conflict_markers(tree: Tree) -> Iterator[str]:
    """No file still contains both sides of a merge."""
    yield from _found(tree, contents.CONFLICT, TEXT, "is left by a merge. Keep one of the two versions")


def no_placeholders(tree: Tree) -> Iterator[str]:
    """No placeholder for work to be done later."""
    yield from _found(
        tree, PLACEHOLDER, TEXT, "is a placeholder. Do it, or open an issue and take the word out"
    )


def no_package_registry(tree: Tree) -> Iterator[str]:
    """No address of a package registry: pip knows its own."""
    yield from _found(
        tree, REGISTRY, TEXT, "is the address of a package registry. Leave it to pip's settings"
    )


def pages_ask_no_other_host(tree: Tree) -> Iterator[str]:
    """Templates, styles and pages fetch nothing from another host when the book is read."""
    own = ("lmcourse/static/*", "lmcourse/templates/*", "book/*.md", "notebooks/*", "exercises/*")
    for path, text in tree.texts(*own):
        for match in FETCH.finditer(text.replace('\\"', '"')):
            yield f"{path}: fetches {match[1]} when it is read. Take the file from an installed package."
        if path.endswith((".md", ".ipynb")):
            for address in re.findall(r"!\[[^\]]*\]\((https?://[^)\s]+)", text):
                yield f"{path}: shows a picture from {address}. Draw it in a cell."


def nothing_big_or_copied(tree: Tree) -> Iterator[str]:
    """No file above a megabyte, and no copy of someone else's code, which comes from packages."""
    for path in tree.files:
        size = (tree.root / path).stat().st_size
        if size > MEGABYTE:
            yield f"{path}: has {size / MEGABYTE:.1f} MB. Download it on first use, or make it smaller."
        if re.search(r"\.min\.(js|css)$|(^|/)(node_modules|vendor|third_party)/", path):
            yield f"{path}: is a copy of somebody else's code. Take it from an installed package."


def _found(tree: Tree, pattern: re.Pattern, paths: tuple[str, ...], what: str) -> Iterator[str]:
    """Yield the first match in each file."""
    for path, text in tree.texts(*paths):
        match = pattern.search(text)
        if match:
            yield f"{path}, line {contents.line_at(text, match.start())}: {match[0]!r} {what}."
