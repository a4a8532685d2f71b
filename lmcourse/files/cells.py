"""Code cells of pages and notebooks: their sources, and their syntax."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property

from IPython.core.inputtransformer2 import TransformerManager

from lmcourse.files.contents import line_at


def parse(source: str) -> ast.Module:
    """Return the syntax tree of a cell, IPython's ``%`` and ``!`` lines included; raises SyntaxError."""
    try:
        return ast.parse(source)
    except SyntaxError:
        return ast.parse(TransformerManager().transform_cell(source))


class CodeCell:
    """A code cell of a notebook or a page: its place, source and tags, and the alt text of its figure."""

    def __init__(self, path: str, where: str, source: str, tags: list[str], alt: str):
        self.path, self.where, self.source, self.tags, self.alt = path, where, source, tags, alt

    def syntax(self) -> ast.Module:
        """Return the syntax tree; an empty one if the cell is not Python (running it raises the error)."""
        return self._syntax

    @cached_property
    def _syntax(self) -> ast.Module:
        try:
            return parse(self.source)
        except SyntaxError:
            return ast.Module(body=[], type_ignores=[])


def code_cells(path: str, page: str) -> Iterator[CodeCell]:
    """Yield the ``code-cell`` directives of a MyST page.

    Examples
    --------
    >>> page = "```{code-cell}\\n:tags: [hide-input]\\nx = 1\\n```\\n"
    >>> [(cell.where, cell.source, cell.tags) for cell in code_cells("a.md", page)]
    [('a.md, line 1', 'x = 1', ['hide-input'])]
    """
    pattern = r"^(?P<fence>`{3,}|:{3,}) *\{code-cell\}[^\n]*\n(?P<body>.*?)^(?P=fence) *$"
    for match in re.finditer(pattern, page, re.MULTILINE | re.DOTALL):
        body = match["body"]
        found = re.match(r"---\n.*?^---\n|(?::[\w-]+:[^\n]*\n)*", body, re.MULTILINE | re.DOTALL)
        header = found[0] if found else ""
        tags = re.search(r"\btags: *\[(.*?)\]", header)
        alt = re.search(r"\balt: *(\S.*)", header)
        yield CodeCell(
            path,
            f"{path}, line {line_at(page, match.start())}",
            body[len(header) :].strip("\n"),
            re.split(r"[\s,]+", tags[1].strip()) if tags else [],
            alt[1].strip("\"' ") if alt else "",
        )
