"""Run solved sets from top to bottom in a fresh kernel and store them in canonical form.

Text, HTML and LaTeX outputs are stored. Images are not, because they bloat the history; their text form
("<Figure ...>") is kept. So figures must be PNG or JPEG, which strict nbval does not compare: it would miss
an SVG that is not stored. What differs from run to run by chance (times, kernel version, paths in a
traceback, the pieces in which printed text arrives) is left out as well.
"""

import re
from pathlib import Path

from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
from nbformat import NotebookNode

from lmcourse.files.notebooks import NotebookError, canonical, cell_label, read, to_text, write_text

__all__ = ["COMMAND", "execute", "not_executed"]

COMMAND = "python -m lmcourse.execute"
TIMEOUT = 300
"""Seconds that one cell may take."""
DROPPED = ("image/png", "image/jpeg")
REFUSED = ("image/svg+xml", "image/gif", "application/pdf")
ANSI_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def execute(path: Path, timeout: int = TIMEOUT) -> bool:
    """Run the notebook at ``path`` in its own folder and store it; return whether the file changed.

    Raises
    ------
    NotebookError
        If a cell fails, takes more than ``timeout`` seconds, ends the kernel or draws an SVG. The message has
        the file, the cell and the error, and the file is left as it was.
    """
    notebook = read(path)
    _run(notebook, path, timeout)
    canonical(notebook)
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            try:
                cell.outputs = [output for output in map(_stored, cell.outputs) if output]
            except NotebookError as error:
                raise NotebookError(f"{path}, {cell_label(cell, index)}: {error}") from error
    return write_text(path, to_text(notebook))


def _run(notebook: NotebookNode, path: Path, timeout: int) -> None:
    """Run a notebook, or raise a `NotebookError` with the cell that failed and the reason."""
    running = [0]
    client = NotebookClient(
        notebook,
        timeout=timeout,
        kernel_name="python3",
        resources={"metadata": {"path": str(path.parent)}},
        record_timing=False,
        coalesce_streams=True,
        extra_arguments=["--log-level=40"],  # errors only: ipykernel warns about local sockets
        on_cell_start=lambda cell, cell_index: running.__setitem__(0, cell_index),
    )
    try:
        client.execute()
    except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
        if isinstance(error, CellExecutionError):
            reason = ANSI_COLOURS.sub("", f"{error.ename}: {error.evalue}")
        elif isinstance(error, CellTimeoutError):
            reason = f"it took more than {timeout} seconds"
        else:
            reason = "the kernel died, perhaps for lack of memory"
        index = running[0]
        where = cell_label(notebook.cells[index], index)
        raise NotebookError(f"{path}, {where}: {reason}\n    Nothing was stored.") from error


def not_executed(notebook: NotebookNode) -> str:
    """Return why a stored notebook is not one run from top to bottom in a fresh kernel, or an empty string.

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> cells = [new_code_cell("1", execution_count=2), new_code_cell("2", execution_count=1)]
    >>> not_executed(new_notebook(cells=cells))
    'cell 1 (1) has execution count 2 where 1 is expected.'
    """
    cells = [(index, cell) for index, cell in enumerate(notebook.cells) if cell.cell_type == "code"]
    cells = [(index, cell) for index, cell in cells if cell.source.strip()]
    for expected, (index, cell) in enumerate(cells, start=1):
        if cell.execution_count is None:
            return f"{cell_label(cell, index)} is not executed."
        if cell.execution_count != expected:
            return (
                f"{cell_label(cell, index)} has execution count {cell.execution_count} "
                f"where {expected} is expected."
            )
    return ""


def _stored(output: NotebookNode) -> NotebookNode | None:
    """Return what is kept of an output; None if it was only an image."""
    if output.output_type == "error":
        output.traceback = [f"{output.ename}: {output.evalue}"]
    if "data" not in output:
        return output
    for kind in REFUSED:
        if kind in output.data:
            raise NotebookError(
                f"it draws {kind}, which strict nbval compares and a solved set does not store. "
                "Draw PNG here: no figure_formats in a solved set."
            )
    for kind in DROPPED:
        output.data.pop(kind, None)
    output.metadata = {}
    return output if output.data else None
