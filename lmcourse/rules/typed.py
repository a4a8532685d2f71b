"""Rules for numbers that are typed: a cell computes them, asserts them or takes them as an input.

They hold for the chapters. Whole numbers up to 20, years, and the numbers
of chapters, sections, slides, tasks and mistakes pass; so do numbers of a paragraph that names its source, by
``{cite}`` or a link to another site. Left out: whether a quoted number is the source's, and number words.
"""

import ast
import re
from collections.abc import Iterable, Iterator

from lmcourse.files.contents import line_at
from lmcourse.files.notebooks import cell_label
from lmcourse.rules.tree import CodeCell, Tree

NUMBER = re.compile(
    r"(?<![\w.,^/−-])(?P<value>\d+(?:,\d{3})*(?:\.\d+)?)(?![\w-]|\.\d|,\d{3})(?P<percent>\s?(?:%|per\s+cent\b))?"
)
NAMED = re.compile(
    r"\b(?:(?:[Cc]hapter|[Ss]ection|[Ss]lide|[Tt]ask|[Tt]able|[Ff]igure|[Pp]age|[Ss]et|[Ll]ab|[Vv]ersion)s?"
    r"|PyTorch|Python)\s+(?:\d+[a-z]?(?:(?:,| to| and|, and| or)\s+)?)+|\*\*[\d.]+ min\.\*\*"
    r"|\b95\s?(?:%|per cent)\s+(?:confidence )?intervals?\b"
)
ONE_WORD = (
    r"(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|sixty|seventy|eighty"
    r"|ninety|a\s+hundred|a\s+thousand|a\s+dozen)(?:\s+and\s+a\s+half)?"
)
WORDED = re.compile(
    rf"\b(?:about|almost|nearly|roughly|over|(?:more|less)\s+than)\s+(?:{ONE_WORD}\s+(?:times|per\s+cent)\b"
    r"|(?:twice|half|a\s+third|a\s+quarter|a\s+tenth)\b(?!\s+(?:right|a)\b))",
    re.IGNORECASE,
)
"""A measured factor or share in words, such as "nearly twenty times"; not "seven times in ten"."""
SOURCE = re.compile(r"\{cite(?::\w+)?\}`|\]\(https?://|<https?://|published\.md")
APART = (
    re.compile(r"\A---\n.*?^---\n", re.MULTILINE | re.DOTALL),
    re.compile(r"^(`{3,}) *\{code-cell\}.*?^\1 *$|^(`{3,})\w+\n.*?^\2 *$", re.MULTILINE | re.DOTALL),
    re.compile(r"^(?:%|:[\w-]+:(?! *\S*\?)|\([\w-]+\)=).*$", re.MULTILINE),
    re.compile(r"\$\$.*?\$\$|\$(?:[^$\n]|\n(?!\n))+?\$", re.DOTALL),
    re.compile(r"(?<=\])\([^)]*\)|<[^<>\n]+>"),
    re.compile(r"\{[\w:]+\}`[^`]*`"),
    re.compile(r"(?<!`)(`{1,2})(?!`)[^`]+?\1(?!`)"),
)
"""What is not running words: the head of a page, code, comments, formulas, addresses and roles."""


def numbers_in_prose_are_held(tree: Tree) -> Iterator[str]:
    """A number typed into a page's prose is in the code of its section, or a cell of the page asserts it."""
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in tree.chapters)):
        cells = [cell for cell in tree.code_cells("book") if cell.path == path]
        asserted = _numbers_in(node for cell in cells for node in assertions(cell))
        heads = [line_at(text, match.start()) for match in re.finditer(r"^##? ", text, re.MULTILINE)]
        inputs = {
            head: _numbers_in(cell.syntax() for cell in cells if _head(heads, _line(cell)) == head)
            for head in [0, *heads]
        }
        for line, number in _typed(text):
            if number.matters and not number.among(asserted | inputs[_head(heads, line)]):
                cure = "Glue it, or assert it in a cell of the page"
                yield f"{path}, line {line}: types {number}, which no cell near it has. {cure}."


def numbers_in_notes_are_held(tree: Tree) -> Iterator[str]:
    """An exact number in a speaker's note or a lesson plan is in the code of the lab or the page."""
    for stem in tree.chapters:
        lab, page, plan = f"notebooks/{stem}.ipynb", f"book/{stem}.md", f"book/instructors/{stem}.md"
        cells = [cell for cell in tree.code_cells("book", "notebooks") if cell.path in (lab, page)]
        held = _numbers_in(cell.syntax() for cell in cells)
        texts = [(plan, text) for _, text in tree.texts(plan)]
        notebook = tree.notebook(lab) if lab in tree.files else None
        for index, cell in enumerate(getattr(notebook, "cells", [])):
            if cell.metadata.get("slideshow", {}).get("slide_type") == "notes":
                texts.append((f"{lab}, {cell_label(cell, index)}", cell.source))
        for where, text in texts:
            for line, number in _typed(text):
                if number.exact and not number.among(held):
                    cure = "Assert it in a cell of the lab, or say it roughly"
                    yield f"{where}, line {line}: types {number}, which no cell of lab or page has. {cure}."


def factors_in_words_are_claimed(tree: Tree) -> Iterator[str]:
    """A factor in words, "nearly twenty times" or "more than half", comes from a claim about its numbers."""
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in tree.chapters)):
        for start, end, plain in _unsourced(text):
            for found in WORDED.finditer(plain, start, end):
                words = " ".join(found[0].split())
                where = f"{path}, line {line_at(text, found.start())}"
                yield f"{where}: types {words!r}. Take the words from claim(), with the numbers as its data."


class Typed:
    """A number as it is typed, with its unit if that is per cent."""

    def __init__(self, value: str, percent: bool):
        self.value, self.percent = float(value.replace(",", "")), percent
        self.text = value + "%" * percent

    def __str__(self):
        return self.text

    @property
    def matters(self) -> bool:
        """Whether a page has to hold it: a decimal point, per cent, or more than 20, and not a year."""
        return self.percent or self.exact or 20 < self.value < 1000

    @property
    def exact(self) -> bool:
        """Whether it has a decimal point, or more than three digits and is not a year."""
        year = 1500 <= self.value < 2100 and "," not in self.text
        return "." in self.text or (self.value >= 1000 and not year)

    def among(self, held: set[tuple[float, bool]]) -> bool:
        if self.percent:
            return (self.value, True) in held or (round(self.value / 100, 9), False) in held
        return (self.value, False) in held or (self.value, True) in held


def _line(cell: CodeCell) -> int:
    """The line of its page on which a cell begins."""
    return int(cell.where.rpartition(" ")[2])


def _head(heads: list[int], line: int) -> int:
    """The line of the heading that a line stands under; 0 above the first."""
    return max((head for head in heads if head <= line), default=0)


def _typed(text: str) -> Iterator[tuple[int, Typed]]:
    """Yield line and number, for each number in the running words."""
    for start, end, plain in _unsourced(text):
        for match in NUMBER.finditer(plain, start, end):
            yield line_at(text, match.start()), Typed(match["value"], bool(match["percent"]))


def _unsourced(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield start and end of each sentence without a source, and the text with blanks for what is not words.

    A table belongs to the paragraph before it; a question may name wrong answers.
    """
    plain, sourced = text, False
    for pattern in (*APART, NAMED):
        plain = pattern.sub(_blank, plain)
    for block in re.finditer(r"(?:^[^\n]*\S[^\n]*\n?)+", text, re.MULTILINE):
        if block[0].startswith("% not claimed: "):
            continue
        if block[0].startswith("|"):
            yield from () if sourced or SOURCE.search(block[0]) else [(*block.span(), plain)]
            continue
        sourced = bool(SOURCE.search(block[0]))
        start = block.start()
        for sentence in re.finditer(r"(?:[^.!?]|[.!?](?!\s))+[.!?]*\s*", block[0]):
            if not SOURCE.search(sentence[0]) and not sentence[0].rstrip().endswith("?"):
                yield start + sentence.start(), start + sentence.end(), plain


def _blank(match: re.Match) -> str:
    return re.sub(r"[^\n]", " ", match[0])


def assertions(cell: CodeCell) -> Iterator[ast.AST]:
    """Yield the assertions and the claims of a cell."""
    for node in ast.walk(cell.syntax()):
        claim = isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("claim", "glue", "keep")
        if isinstance(node, ast.Assert) or claim:
            yield node


def _numbers_in(nodes: Iterable[ast.AST]) -> set[tuple[float, bool]]:
    """Return the numbers below some nodes, also those in strings, with whether each is per cent."""
    found = set()
    for node in nodes:
        for part in ast.walk(node):
            if isinstance(part, ast.Constant):
                if isinstance(part.value, str):
                    for match in NUMBER.finditer(part.value):
                        found.add((float(match["value"].replace(",", "")), bool(match["percent"])))
                elif isinstance(part.value, int | float) and not isinstance(part.value, bool):
                    found.add((round(float(part.value), 9), False))
    return found
