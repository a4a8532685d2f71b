"""The files that the rules look at: those that git tracks, or outside git all of them."""

import ast
import contextlib
import os
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatchcase
from functools import cached_property
from pathlib import Path

from nbformat import NotebookNode

from lmcourse.files import git, notebooks
from lmcourse.files.cells import CodeCell, code_cells
from lmcourse.files.contents import chapters

UNTRACKED = {"_build", "wheels", "results", "__pycache__"}


class Tree:
    """A project's files, read at most once each.

    Parameters
    ----------
    root : Path
        The project's root folder.

    Attributes
    ----------
    files : list of str
        Paths below ``root`` with forward slashes, sorted.
    """

    def __init__(self, root: Path):
        self.root = Path(root)
        self.files = sorted(path for path in _listed(self.root) if (self.root / path).is_file())
        self._texts: dict[str, str | None] = {}
        self._notebooks: dict[str, NotebookNode | str] = {}
        self._cells: dict[tuple[str, ...], list[CodeCell]] = {}
        self._syntax: dict[str, ast.Module | None] = {}

    @cached_property
    def chapters(self) -> list[str]:
        """The stems of the book's chapters, in order."""
        return chapters(self.root)

    def paths(self, *patterns: str) -> list[str]:
        """Return the files that match any pattern; ``*`` also matches slashes."""
        return [path for path in self.files if any(fnmatchcase(path, pattern) for pattern in patterns)]

    def text(self, path: str) -> str | None:
        """Return a file's text, or None if it is not text."""
        if path not in self._texts:
            try:
                self._texts[path] = (self.root / path).read_text(encoding="utf-8-sig")
            except (UnicodeDecodeError, OSError):
                self._texts[path] = None
        return self._texts[path]

    def texts(self, *patterns: str) -> Iterator[tuple[str, str]]:
        """Yield path and text of the matching files that are text."""
        for path in self.paths(*patterns):
            text = self.text(path)
            if text is not None:
                yield path, text

    def notebook(self, path: str) -> NotebookNode | str:
        """Return a notebook, or the sentence that says why it cannot be read."""
        if path not in self._notebooks:
            try:
                self._notebooks[path] = notebooks.read(self.root / path)
            except notebooks.NotebookError as error:
                self._notebooks[path] = str(error).replace(f"{self.root}{os.sep}", "")
        return self._notebooks[path]

    def notebooks(self, *folders: str) -> Iterator[tuple[str, NotebookNode]]:
        """Yield path and notebook below the folders; `are_notebooks` reports files that cannot be read."""
        for path in self.paths(*(f"{folder}/*.ipynb" for folder in folders)):
            notebook = self.notebook(path)
            if not isinstance(notebook, str):
                yield path, notebook

    def syntax(self, path: str) -> ast.Module | None:
        """Return a module's syntax tree, or None if it is not Python (ruff reports that)."""
        if path not in self._syntax:
            try:
                self._syntax[path] = ast.parse(self.text(path) or "")
            except SyntaxError:
                self._syntax[path] = None
        return self._syntax[path]

    def code_cells(self, *folders: str) -> list[CodeCell]:
        """Return the code cells of notebooks and of pages (``*.md``) below the folders."""
        if folders not in self._cells:
            self._cells[folders] = list(self._find_cells(*folders))
        return self._cells[folders]

    def _find_cells(self, *folders: str) -> Iterator[CodeCell]:
        for path, notebook in self.notebooks(*folders):
            for index, cell in enumerate(notebook.cells):
                if cell.cell_type == "code":
                    alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
                    where = f"{path}, {notebooks.cell_label(cell, index)}"
                    yield CodeCell(path, where, cell.source, cell.metadata.get("tags", []), str(alt).strip())
        for path, text in self.texts(*(f"{folder}/*.md" for folder in folders)):
            yield from code_cells(path, text)


def _listed(root: Path) -> list[str]:
    if (root / ".git").exists():
        with contextlib.suppress(OSError, subprocess.CalledProcessError):
            return git.tracked(root)
    found = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if name not in UNTRACKED and not name.startswith(".")]
        found += [(Path(folder) / name).relative_to(root).as_posix() for name in files]
    return found
