"""What a set is worth and how it is tested: read from ``solutions/``, never from a submission."""

from __future__ import annotations

import ast
import builtins
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.names import names_bound, names_used, tree
from lmcourse.grading.notebook.reading import Cell, UnreadableNotebook, normalised, read_cells

REGION = re.compile(
    r"^( *)### TASK:(.*)\n *### BEGIN SOLUTION\n.*?^ *### END SOLUTION$", re.MULTILINE | re.DOTALL
)
HEADING = re.compile(r"^#+ (Task \w+)(?: \(.*?\))?: (.*)$", re.MULTILINE)
OURS = {"check", "check_hidden", "inputs"}


@dataclass(frozen=True)
class Task:
    """A task of a set: its tests, or that a person grades it.

    Attributes
    ----------
    name, label, title : str
        As in ``"bigram"``, ``"Task 11a"`` and the title of its heading.
    maximum : int
    tests : tuple of Cell
        Test cells with their points; none when a person grades.
    names : tuple of str
        The student's names that the tests use.
    message : str
        What a student reads when the task is not done.
    """

    name: str
    label: str
    title: str
    maximum: int
    tests: tuple[Cell, ...]
    names: tuple[str, ...]
    message: str

    @property
    def by_hand(self) -> bool:
        return not self.tests


class Key:
    """A solved set.

    Attributes
    ----------
    name : str
        As in ``"02_cross_entropy"``.
    cells : list of Cell
        All cells of the solved set; an answer's ``blank`` is what students get.
    chapter : str
        Where its checks find their questions: the chapter's two digits, or the variant of an exam.
    files : dict of str to str
        Texts of the files beside the notebook, by name.
    """

    def __init__(self, name: str, solutions: Path = Path("solutions")):
        folder = Path(solutions) / name
        path = folder / f"{name}.ipynb"
        try:
            data = path.read_bytes()
        except OSError:
            known = ", ".join(sets_in(solutions)) or "none"
            raise GradingError(f"There is no set {name!r} in {solutions}/. Sets there: {known}.") from None
        self.name = name
        self.cells, metadata = read_cells(data)
        for cell in self.cells:
            if cell.kind == "answer":
                cell.blank = student_cell(cell.source)
        course = metadata.get("course", {})
        self.chapter = course.get("chapter", name[:2])
        listed = course.get("files", [])
        self.files = {file: (folder / file).read_text(encoding="utf-8") for file in listed}

    @cached_property
    def tasks(self) -> dict[str, Task]:
        """The tasks by name, in the order of the set."""
        found, label, title = {}, "", ""
        known = self._trusted_names()
        for cell in self.cells:
            headings = HEADING.findall(cell.source) if cell.kind == "text" else []
            label, title = headings[-1] if headings else (label, title)
            if cell.kind not in ("answer", "by hand"):
                continue
            tests = tuple(
                c
                for c in self.cells
                if c.kind == "test" and re.fullmatch(rf"test-{re.escape(cell.name)}(-\d+)?", c.name)
            )
            message = REGION.findall(cell.source)[0][1].strip() if cell.kind == "answer" else ""
            maximum = sum(test.points for test in tests) or cell.points
            own = names_bound(cell.source) if tests else set()
            used = {name for test in tests for name in names_used(test.source)}
            names = used - OURS - set(dir(builtins)) - (known - own)
            found[cell.name] = Task(
                cell.name, label or cell.name, title, maximum, tests, tuple(sorted(names)), message
            )
        return found

    @cached_property
    def imports(self) -> list[str]:
        """The modules that the set's own cells import, this course's tools left out."""
        modules = []
        for cell in self.cells:
            for node in ast.walk(tree(cell.source)) if cell.kind == "setup" else ():
                if isinstance(node, ast.Import):
                    modules += [alias.name for alias in node.names]
                elif isinstance(node, ast.ImportFrom) and node.module:
                    modules.append(node.module)
        return [m for m in dict.fromkeys(modules) if m.partition(".")[0] != "lmcourse"]

    def _trusted_names(self) -> set[str]:
        """Names that the set's own cells bind."""
        return {name for cell in self.cells if cell.kind == "setup" for name in names_bound(cell.source)}


def sets_in(solutions: Path) -> list[str]:
    """The names of the sets in a folder."""
    return sorted(path.stem for path in Path(solutions).glob("*/*.ipynb") if path.stem == path.parent.name)


def guess_set(cells: list[Cell], solutions: Path) -> str:
    """Return the set that a submission belongs to: the one with which it shares the most cells.

    Raises
    ------
    UnreadableNotebook
        If it shares no cell with any set.
    """
    texts = {normalised(cell.source) for cell in cells if cell.source.strip()}
    names = {cell.name for cell in cells if cell.name}
    shared: dict[str, int] = {}
    for name in sets_in(solutions):
        key = Key(name, solutions)
        same = sum(cell.name in names for cell in key.cells if cell.name)
        shared[name] = same + sum(
            normalised(cell.source) in texts for cell in key.cells if len(cell.source) > 60
        )
    best = max(shared, key=lambda name: shared[name], default="")
    if not shared.get(best):
        raise UnreadableNotebook(
            f"This notebook shares no cell with a set in {solutions}/ ({', '.join(shared) or 'none'})."
            " Grade a set of exercises/, with its cells in it."
        )
    return best


def student_cell(source: str) -> str:
    """Return the answer cell that students get, as ``lmcourse.release`` makes it."""

    def stub(match: re.Match) -> str:
        message = json.dumps(match[2].strip(), ensure_ascii=False)
        return f"{match[1]}# YOUR CODE HERE\n{match[1]}raise NotImplementedError({message})"

    return REGION.sub(stub, source)
