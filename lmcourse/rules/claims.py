"""Rules for words that interpret a result: a claim, or a number from a cell, stands behind them.

They hold for the chapters of the second pattern (`CONVERTED`). In a cell, ``# claim: KEY`` ties a title to a
claim, and ``# not claimed: REASON`` exempts the cell; above a paragraph, ``% not claimed: REASON`` does.
"""

import ast
import re
from collections.abc import Iterator

from lmcourse.files.cells import CodeCell
from lmcourse.files.contents import line_at
from lmcourse.rules.tree import Tree
from lmcourse.site.extensions.chapter_length import CONVERTED

COMPARATIVE = re.compile(
    r"\b(?:lowest|highest|least|most|largest|smallest|best|worst|wins?|never|always|half|nearly|rises?|rising"
    r"|falls?|falling|drops?|flat|steep\w*|higher|lower|larger|smaller|better|worse|above|below|throughout"
    r"|leftmost|rightmost|levels? off|jumps?|stops?|about|near|many|few|every|all)\b",
    re.IGNORECASE,
)
COMPUTED = re.compile(r"\{\d\d-[\w-]+\}|\{glue(?::\w+)?\}`[^`]+`")
NUMBER = re.compile(r"(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])")
CELL = re.compile(r"^(`{3,}) *\{code-cell\}[^\n]*\n---\n(.*?)^---\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
EXEMPT = "not claimed: "


def figures_say_what_is_claimed(tree: Tree) -> Iterator[str]:
    """In an alt text, a caption or a title, a comparative comes from a claim."""
    for cell, caption in _figures(tree):
        if f"# {EXEMPT}" in cell.source:
            continue
        for sentence in _sentences(f"{cell.alt} {caption}"):
            if not COMPUTED.search(sentence) and (word := COMPARATIVE.search(sentence)):
                yield f"{cell.where}: {sentence!r} says {word[0]!r}. Take the words from claim(), {{KEY}}."
        named = set(re.findall(r"# claim: (\S+)", cell.source))
        for title in _titles(cell):
            if not named and (word := COMPARATIVE.search(title)):
                cure = "Build it from claim(), or name the claim in a comment, '# claim: KEY'"
                yield f"{cell.where}: the title {title!r} says {word[0]!r}. {cure}."
        for key in sorted(named - _claimed(tree, cell.path)):
            yield f"{cell.where}: '# claim: {key}' names no claim of {cell.path}. Correct the key."


def numbers_in_alt_texts_are_computed(tree: Tree) -> Iterator[str]:
    """A number typed into an alt text is in the code of its figure; any other comes from a cell."""
    for cell, _ in _figures(tree):
        typed = NUMBER.findall(COMPUTED.sub(" ", cell.alt))
        given = set(NUMBER.findall(re.sub(r"[*/()\[\]:=-]", " ", cell.source)))
        for number in typed:
            if number not in given:
                yield f"{cell.where}: the alt text says {number}. Glue the number and write {{KEY}}."


def sentences_about_figures_are_claimed(tree: Tree) -> Iterator[str]:
    """A sentence that refers to a figure and compares takes words or numbers from a cell."""
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in CONVERTED)):
        outside = re.sub(r"^(`{3,})\{code-cell\}.*?^\1 *$", _blank, text, flags=re.MULTILINE | re.DOTALL)
        for paragraph in re.finditer(r"(?:^[^\n]+\n)+", outside, re.MULTILINE):
            if paragraph[0].startswith((f"% {EXEMPT}", "|")):
                continue
            for sentence in _sentences(paragraph[0]):
                refers = "{numref}`fig-" in sentence
                if refers and not COMPUTED.search(sentence) and (word := COMPARATIVE.search(sentence)):
                    where = f"{path}, line {line_at(outside, paragraph.start())}"
                    yield f"{where}: {sentence!r} says {word[0]!r}. Take the words from claim()."


def _figures(tree: Tree) -> Iterator[tuple[CodeCell, str]]:
    """Yield the cells with an alt text, and their captions."""
    captions = {}
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in CONVERTED)):
        for match in CELL.finditer(text):
            if caption := re.search(r"caption: *(\S.*)", match[2]):
                captions[f"{path}, line {line_at(text, match.start())}"] = caption[1].strip("\"'")
    for cell in tree.code_cells("book", "notebooks"):
        if cell.alt and cell.path.rpartition("/")[2].partition(".")[0] in CONVERTED:
            yield cell, captions.get(cell.where, "")


def _titles(cell: CodeCell) -> Iterator[str]:
    """Yield the titles that a cell types out, or the typed parts of one."""
    for node in ast.walk(cell.syntax()):
        if isinstance(node, ast.keyword) and node.arg == "title":
            yield from (
                part.value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def _claimed(tree: Tree, path: str) -> set[str]:
    return {
        key
        for cell in tree.code_cells("book", "notebooks")
        if cell.path == path
        for key in re.findall(r"\bclaim\(\s*\"([^\"]+)\"", cell.source)
    }


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.:;?!])\s+", text) if part.strip()]


def _blank(match: re.Match) -> str:
    return "\n" * match[0].count("\n")
