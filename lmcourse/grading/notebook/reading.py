"""Read the cells of any notebook, from any editor and in any format.

The file is untrusted: it is read as JSON, up to a size, and nothing in it is run or believed here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lmcourse.grading.errors import GradingError

MOST_BYTES = 50_000_000
MOST_CELLS = 20_000
MOST_BRACKETS = 1_000_000


class UnreadableNotebook(GradingError):
    """A submission that cannot be graded: it is not a notebook, or it has no cell of a set."""


@dataclass
class Cell:
    """One cell.

    Attributes
    ----------
    kind : {"text", "setup", "answer", "test", "by hand"}
        What its metadata says. Of a submission only "text" and "not text" are used.
    source : str
    name : str
        Its ``grade_id``; empty when it has none.
    id : str
        Its id; empty in old formats.
    points : int
    blank : str
        What students get in its place, where that differs from ``source``.
    """

    kind: str
    source: str
    name: str = ""
    id: str = ""
    points: int = 0
    blank: str = ""


def read_file(path: str | Path) -> bytes:
    """Return the bytes of a file; of a file that is too large, one byte more than the limit."""
    with open(path, "rb") as stream:
        return stream.read(MOST_BYTES + 1)


def read_cells(data: bytes) -> tuple[list[Cell], dict]:
    """Return the cells and the metadata of a notebook of format 2, 3 or 4.

    Parameters
    ----------
    data : bytes
        The file, with a byte-order mark or without.

    Raises
    ------
    UnreadableNotebook
        If it is not a notebook.
    """
    if len(data) > MOST_BYTES:
        raise UnreadableNotebook(
            f"The file has more than {MOST_BYTES // 1_000_000} MB, which is the limit."
            " Clear its outputs and save it again."
        )
    if data.count(b"{") + data.count(b"[") > MOST_BRACKETS:  # read as JSON, each takes 50 times its size
        raise UnreadableNotebook(
            f"The file has more than {MOST_BRACKETS} lists and objects. Clear its outputs and save it again."
        )
    try:
        notebook = json.loads(_text(data))
    except (ValueError, RecursionError):
        raise UnreadableNotebook(
            "The file is not a notebook: it is not JSON. Save it again from JupyterLab, VS Code or Colab."
        ) from None
    cells = _cells(notebook)
    if cells is None:
        raise UnreadableNotebook(
            "The file is JSON but not a notebook: it has no list of cells. Save it again."
        )
    if len(cells) > MOST_CELLS:
        raise UnreadableNotebook(
            f"The notebook has {len(cells)} cells; the limit is {MOST_CELLS}. Delete those that are not"
            " part of your work, and save it again."
        )
    found = [cell for cell in map(_cell, cells) if cell is not None]
    return found, _part(notebook, "metadata")


def normalised(source: str) -> str:
    """Return a source without what editors change: line ends, blanks at line ends, empty lines around it."""
    return "\n".join(line.rstrip() for line in source.expandtabs(4).strip().splitlines())


def _text(data: bytes) -> str:
    for bom, encoding in ((b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(bom):
            return data.decode(encoding)
    return data.decode("utf-8-sig")


def _cells(notebook: Any) -> list | None:
    """The list of cells; up to format 3 it is divided into worksheets."""
    if not isinstance(notebook, dict):
        return None
    if isinstance(notebook.get("cells"), list):
        return notebook["cells"]
    sheets = notebook.get("worksheets")
    if not isinstance(sheets, list) or not sheets:
        return None
    lists = [sheet.get("cells") for sheet in sheets if isinstance(sheet, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells]


def _cell(data: Any) -> Cell | None:
    if not isinstance(data, dict) or not {"cell_type", "source", "input"} & data.keys():
        return None
    code = data.get("cell_type") == "code"
    source = data.get("source", data.get("input", ""))
    if isinstance(source, list):
        source = "".join(line for line in source if isinstance(line, str))
    if not isinstance(source, str):
        source = ""
    metadata = _part(data, "metadata")
    settings = _part(metadata, "nbgrader")
    graded, solved = bool(settings.get("grade")), bool(settings.get("solution"))
    kind = "setup" if code else "text"
    if graded and solved:
        kind = "by hand"
    elif graded and code:
        kind = "test"
    elif solved and code:
        kind = "answer"
    name, number = settings.get("grade_id"), data.get("id")
    points = settings.get("points")
    blank = str(_part(metadata, "course").get("prompt", "")) if kind == "by hand" else ""
    return Cell(
        kind,
        source,
        name if isinstance(name, str) else "",
        number if isinstance(number, str) else "",
        points if isinstance(points, int) else 0,
        blank,
    )


def _part(data: dict, name: str) -> dict:
    """Return a dictionary inside a dictionary; an empty one if something else is there, or nothing."""
    part = data.get(name)
    return part if isinstance(part, dict) else {}
