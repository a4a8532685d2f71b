"""Read, name and store notebooks so that the same content always gives the same bytes.

A stored notebook keeps only what a reader or a tool of this course needs: no editor settings, execution times
or kernel version, and cell ids that follow from the content instead of from chance.
``AUTHORING.md`` says how a set is written. This module neither runs notebooks nor turns solved sets into
student sets: see `lmcourse.sets`.
"""

import json
import os
import re
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from lmmetrics.extras import need

if TYPE_CHECKING:
    import nbformat
    from nbformat import NotebookNode
else:
    nbformat = need("nbformat", "course")
    NotebookNode = nbformat.NotebookNode

NAME = re.compile(r"(?=.{1,50}$)[a-z0-9]+(-[a-z0-9]+)*")  # a task's name; the ids below rest on this form
KEPT_CELL_METADATA = {"course", "deletable", "editable", "mystnb", "nbgrader", "slideshow", "tags"}
KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
LANGUAGE = {"name": "python", "pygments_lexer": "ipython3"}


class NotebookError(Exception):
    """A notebook that cannot be used as it is. The message names the file, the cell and what to do."""


def read(path: str | Path) -> NotebookNode:
    """Return the notebook at ``path`` in format 4.5, in canonical form.

    Raises
    ------
    NotebookError
        If the file is not a notebook: not JSON, without cells, or refused by ``nbformat``.
    """
    path = Path(path)
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise NotebookError(f"{path}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise NotebookError(
            f"{path}: not JSON ({error}). Restore the last good version, for example with git."
        ) from error
    if not isinstance(data, dict) or not isinstance(data.get("cells"), list) or data.get("nbformat") != 4:
        raise NotebookError(f"{path}: not a notebook of format 4. Open it in JupyterLab and save it again.")
    try:
        notebook = canonical(nbformat.v4.to_notebook(data))
        nbformat.validate(notebook)
    except (nbformat.ValidationError, AttributeError, KeyError, TypeError) as error:
        reason = str(getattr(error, "message", error)).splitlines()[0]
        raise NotebookError(f"{path}: not a valid notebook ({reason}).") from error
    return notebook


def canonical(notebook: NotebookNode) -> NotebookNode:
    """Drop what editors and kernels add, and give every cell the id that follows from its place.

    A cell with a name (its ``grade_id``) has that name as its id; the cells after it are ``NAME--1``,
    ``NAME--2`` and so on. So an inserted cell changes only the ids up to the next name.
    """
    kept = {key: value for key, value in notebook.metadata.items() if key in ("course", "mystnb")}
    notebook.metadata = nbformat.from_dict({**kept, "kernelspec": KERNEL, "language_info": LANGUAGE})
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    last, distance, used = "_start", 0, set()
    for cell in notebook.cells:
        kept = {key: value for key, value in cell.metadata.items() if key in KEPT_CELL_METADATA}
        cell.metadata = nbformat.from_dict(kept)
        name = cell_name(cell)
        if name and NAME.fullmatch(name) and name not in used:
            last, distance, cell.id = name, 0, name
            used.add(name)
        else:
            distance += 1
            cell.id = f"{last}--{distance}"
    return notebook


def to_text(notebook: NotebookNode) -> str:
    """Return the notebook as the text that is stored: sorted keys, one newline at the end."""
    return nbformat.writes(notebook).rstrip("\n") + "\n"


def write_text(path: Path, text: str) -> bool:
    """Write ``text`` to ``path`` in one step, so that half a file is never read; return if it changed."""
    return write_bytes(Path(path), text.encode("utf-8"))


def write_bytes(path: Path, data: bytes) -> bool:
    """Write ``data`` to ``path`` in one step; return whether the file changed."""
    if path.exists() and path.read_bytes() == data:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    return True


def notebooks_in(folder: str | Path, stems: list[str] | None = None) -> list[Path]:
    """Return ``FOLDER/STEM/STEM.ipynb`` for every stem, or for the stems that are asked for.

    Raises
    ------
    NotebookError
        If a stem that was asked for has no notebook.
    """
    folder = Path(folder)
    there = {path.stem: path for path in sorted(folder.glob("*/*.ipynb")) if path.stem == path.parent.name}
    wanted = [Path(stem).stem for stem in stems or there]
    missing = [stem for stem in wanted if stem not in there]
    if missing:
        known = ", ".join(there) or "none"
        raise NotebookError(f"{folder}/{missing[0]}/{missing[0]}.ipynb does not exist. Sets here: {known}.")
    return [there[stem] for stem in wanted]


def cell_name(cell: NotebookNode) -> str | None:
    """Return the name of an answer or test cell (nbgrader's ``grade_id``), or None for any other cell."""
    return cell.metadata.get("nbgrader", {}).get("grade_id") or None


def cell_label(cell: NotebookNode, index: int) -> str:
    """Return a label of the cell: its place counted from 1, and its name or its first line."""
    first_line = next((line.strip() for line in cell.source.splitlines() if line.strip()), "empty")
    return f"cell {index + 1} ({cell_name(cell) or first_line[:40]})"


def is_answer(cell: NotebookNode) -> bool:
    """Whether students write in this cell."""
    return bool(cell.metadata.get("nbgrader", {}).get("solution"))


def is_ungraded_answer(cell: NotebookNode) -> bool:
    """Whether students may write in this cell, although nobody grades it: the place below a Look back."""
    return not cell.metadata.get("nbgrader") and "prompt" in cell.metadata.get("course", {})


def checks_answer(cell: NotebookNode) -> bool:
    """Whether this cell tests an answer and gives points for it."""
    settings = cell.metadata.get("nbgrader", {})
    return bool(settings.get("grade")) and not settings.get("solution")


def is_graded_by_hand(cell: NotebookNode) -> bool:
    """Whether this cell is an answer in words, which a person grades."""
    settings = cell.metadata.get("nbgrader", {})
    return bool(settings.get("grade") and settings.get("solution"))
