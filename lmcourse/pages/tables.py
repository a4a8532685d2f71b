"""Results as a table: HTML on a page and a slide, LaTeX on paper, aligned text in a terminal and in tests.

table({"loss (nats)": ".3f", "PPL": ".1f"}, {"counted": (2.31, 10.1), "trained": (2.20, 9.0)}, "On the tales")
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping


class Table:
    """What `table` returns; Jupyter, Sphinx and the decks take from it what they show."""

    def __init__(self, columns: list[str], rows: list[list[str]], caption: str, corner: str):
        self.columns, self.rows, self.caption, self.corner = columns, rows, caption, corner

    def _repr_html_(self) -> str:
        heads = "".join(f'<th scope="col">{html.escape(name)}</th>' for name in (self.corner, *self.columns))
        body = "".join(
            f'<tr><th scope="row">{html.escape(name)}</th>'
            + "".join(f"<td>{html.escape(cell)}</td>" for cell in cells)
            + "</tr>"
            for name, *cells in self.rows
        )
        caption = f"<caption>{html.escape(self.caption)}</caption>" if self.caption else ""
        return f'<table class="results">{caption}<thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'

    def _repr_latex_(self) -> str:
        """An array: what a cell shows as LaTeX is set as mathematics."""
        rows = [[self.corner, *self.columns], *self.rows]
        width = _widest(rows)
        lines = [" & ".join(_cell(cell, width) for cell in row) + r" \\" for row in rows]
        body = "\n".join(lines)
        array = f"\\begin{{array}}{{@{{}}l{'r' * len(self.columns)}}}\n{body}\n\\end{{array}}"
        if self.caption:
            words = rf"\parbox{{0.8\linewidth}}{{{_tex(self.caption)}}}"
            array = f"\\begin{{array}}{{@{{}}l}}\n{words} \\\\[6pt]\n{array}\n\\end{{array}}"
        return f"$$\n{array}\n$$"

    def __repr__(self) -> str:
        whole = [[self.corner, *self.columns], *self.rows]
        first, *others = (max(map(len, column)) for column in zip(*whole, strict=True))
        lines = [
            "  ".join([name.ljust(first), *map(str.rjust, cells, others)]).rstrip() for name, *cells in whole
        ]
        return "\n".join([self.caption, *lines] if self.caption else lines)


def table(
    columns: Mapping[str, str],
    rows: Mapping[str, Iterable],
    caption: str = "",
    corner: str = "",
) -> Table:
    """Make a table.

    Parameters
    ----------
    columns : mapping of str to str
        Heading to format specification, such as ``{"PPL": ".1f"}``; "" for text.
    rows : mapping of str to iterable
        Name of a row to its values, one a column; None leaves a cell empty.
    caption : str
        What the table holds: text, model, unit.
    corner : str
        The heading of the names of the rows.

    Raises
    ------
    ValueError
        If a row has more or fewer values than there are columns.

    Examples
    --------
    >>> table({"nats": ".2f", "PPL": ".1f"}, {"counted": (2.31, 10.07), "trained": (2.2, 9.03)})
             nats   PPL
    counted  2.31  10.1
    trained  2.20   9.0
    """
    lines = []
    for name, values in rows.items():
        values = list(values)
        if len(values) != len(columns):
            raise ValueError(
                f"row {name!r} has {len(values)} values for {len(columns)} columns: {list(columns)}. "
                "Give one value for each column, None for an empty cell."
            )
        pairs = zip(values, columns.values(), strict=True)
        lines.append([name, *("" if value is None else format(value, spec) for value, spec in pairs)])
    return Table(list(columns), lines, caption, corner)


LINE = 84
"""How many characters fit on a line of the page, a little less than were counted."""


def _widest(rows: list[list[str]]) -> int:
    """The number of characters at which long cells break, so that the row fits on the page."""
    columns = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = LINE - 2 * len(columns)
    fits = [width for width in range(8, LINE) if sum(min(width, column) for column in columns) <= room]
    return max(fits, default=8)


def _cell(words: str, width: int) -> str:
    """One cell, in lines of at most so many characters."""
    if len(words) <= width:
        return rf"\text{{{_tex(words)}}}"
    return rf"\parbox[t]{{{width / 2:.1f}em}}{{\raggedright {_tex(words)}\strut}}"


def _tex(words: str) -> str:
    words = words.replace("\\", r"\textbackslash ").replace("^", r"\textasciicircum ")
    words = words.replace("~", r"\textasciitilde ").replace("<", r"\textless ").replace(">", r"\textgreater ")
    return re.sub(r"([&%$#_{}])", r"\\\1", words)
