"""Make the student sets from the solved ones: ``solutions/STEM/STEM.ipynb`` -> ``exercises/STEM/STEM.ipynb``.

What a student gets:

- An answer cell loses its ``### TASK: message`` line and its ``### BEGIN SOLUTION`` ... ``### END SOLUTION``
  region; ``raise NotImplementedError("message")`` takes its place.
- A model answer in Markdown is replaced by the ``course.prompt`` of its cell's metadata. So is the model
  answer to a Look back, which is words or code and which nobody grades.
- A test cell loses its hidden part. No cell has outputs.

nbgrader's own preprocessors do the work, called as a library, so that its commands ``validate`` and
``autograde`` accept the files. The result depends on sources, prompts and points alone: executing a solved
set again, or saving it in another editor, changes nothing. ``AUTHORING.md`` says how a set is written.
"""

import copy
import json
import re
from pathlib import Path

from nbformat import NotebookNode
from nbgrader.preprocessors import (
    CheckCellMetadata,
    ClearHiddenTests,
    ClearMarkScheme,
    ClearOutput,
    ClearSolutions,
    ComputeChecksums,
    LockCells,
)

from lmcourse import REPOSITORY
from lmcourse.files.cells import parse
from lmcourse.files.notebooks import (
    NotebookError,
    cell_label,
    is_answer,
    is_ungraded_answer,
    notebooks_in,
    read,
    to_text,
    write_bytes,
)
from lmcourse.sets import authoring

__all__ = ["COMMAND", "differences", "release", "student_set"]

COMMAND = "python -m lmcourse.release"
INSTALL = re.compile(r"\A# On Colab: .*\n# %pip install .*\n")
STUDENT_METADATA = {"deletable", "editable", "nbgrader", "tags"}


def release(root: Path, stems: list[str] | None = None) -> list[Path]:
    """Write the student sets below ``root``; return the files that changed.

    Nothing is written unless every set that was asked for can be released. A file that no solved set gives is
    left alone: a student may have put it there.

    Raises
    ------
    NotebookError
        If a solved set is broken: one line for each fault, with file, cell and what to do.
    """
    files, errors = _student_files(root, stems)
    if errors:
        raise NotebookError("\n".join(errors.values()))
    if not stems:
        files |= _labs(root)
    return [path for path, data in files.items() if write_bytes(path, data)]


def differences(root: Path, stems: list[str] | None = None) -> list[str]:
    """Return one sentence for each student file that is missing, stale, extra or cannot be made."""
    files, errors = _student_files(root, stems)
    found = list(errors.values())
    for path, data in files.items():
        cure = f"Run: {COMMAND} {path.parent.name}"
        if not path.exists():
            found.append(f"{path} is missing. {cure}")
        elif path.read_bytes() != data:
            found.append(f"{path} is stale: its solved set gives something else. {cure}")
    for path, data in {} if stems else _labs(root).items():
        if path.read_bytes() != data:
            found.append(f"{path} is stale: its format or its line for Colab is not ours. Run: {COMMAND}")
    exercises = root / "exercises"
    asked = {path.parent.name for path in files} if stems else None
    for path in sorted(path for path in exercises.rglob("*") if path.is_file() and path not in files):
        parts = path.relative_to(exercises).parts
        hidden = any(part.startswith((".", "__pycache__")) for part in parts)
        if not hidden and parts[0] not in errors and (asked is None or parts[0] in asked):
            found.append(f"{path} is extra: no solved set gives it. Run: rm {path}")
    return found


def student_set(notebook: NotebookNode) -> NotebookNode:
    """Return what students get for a solved set; the argument is not changed.

    Raises
    ------
    NotebookError
        If the solved set is broken: one line for each fault.
    """
    faults = authoring.faults(notebook)
    if faults:
        raise NotebookError("\n".join(faults))
    student = copy.deepcopy(notebook)
    for index, cell in enumerate(student.cells):
        if is_answer(cell):
            _clear_answer(cell, cell_label(cell, index))
        elif is_ungraded_answer(cell):
            cell.source = cell.metadata["course"]["prompt"]
    for preprocessor in (LockCells, ClearOutput, CheckCellMetadata, ClearHiddenTests, ClearMarkScheme):
        student, _ = preprocessor().preprocess(student, {})
    for cell in student.cells:
        cell.source = cell.source.rstrip("\n")
        for key in cell.metadata.keys() - STUDENT_METADATA:
            del cell.metadata[key]
        if "raises-exception" in cell.metadata.pop("tags", []):
            cell.metadata["tags"] = ["raises-exception"]
    first = next(cell for cell in student.cells if cell.cell_type == "code")
    first.source = install_line() + first.source
    student.metadata.pop("course", None)
    student.metadata.pop("mystnb", None)
    student, _ = ComputeChecksums().preprocess(student, {})
    return student


def install_line(repository: str | None = None) -> str:
    """Return the comment above the first code of a lab or a student set: how to install the project on Colab.

    Examples
    --------
    >>> print(install_line("ann/book"), end="")
    # On Colab: take the # off the next line and run it once.
    # %pip install -q "measuring-language-models[course] @ git+https://github.com/ann/book" ...
    >>> install_line("")
    ''
    """
    repository = REPOSITORY if repository is None else repository
    if not repository:
        return ""
    address = f"git+https://github.com/{repository}"
    library = f"measuring-language-models[course] @ {address}"
    course = f"measuring-language-models-course @ {address}#subdirectory=lmcourse"
    command = f'%pip install -q "{library}" "{course}"'
    return f"# On Colab: take the # off the next line and run it once.\n# {command}\n"


def lab_with_line(text: str, line: str) -> str:
    """Return a lab with this line above its first code, and with no other one."""
    lab = json.loads(text)
    first = next(cell for cell in lab["cells"] if cell["cell_type"] == "code")
    source = INSTALL.sub("", "".join(first["source"]))
    first["source"] = (line + source).splitlines(keepends=True)
    return json.dumps(lab, indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def _student_files(root: Path, stems: list[str] | None) -> tuple[dict[Path, bytes], dict[str, str]]:
    """Return the bytes of every student file, and the errors of the sets that cannot be made, by stem."""
    if not (root / "solutions").is_dir():
        raise NotebookError("There is no folder solutions/ here. Run this in the project's root folder.")
    files, errors = {}, {}
    for path in notebooks_in(root / "solutions", stems):
        folder = root / "exercises" / path.stem
        try:
            solved = read(path)
            made = {folder / path.name: to_text(student_set(solved)).encode("utf-8")}
            for name in solved.metadata.get("course", {}).get("files", []):
                made[folder / name] = _companion(path.parent, name)
            files.update(made)
        except NotebookError as error:
            lines = str(error).splitlines()
            errors[path.stem] = "\n".join(x if x.startswith(str(path)) else f"{path}: {x}" for x in lines)
    return files, errors


def _labs(root: Path) -> dict[Path, bytes]:
    """Return the bytes of each lab with the line that the project's address asks for."""
    labs = {path: path.read_text(encoding="utf-8") for path in sorted((root / "notebooks").glob("*.ipynb"))}
    return {path: lab_with_line(text, install_line()).encode("utf-8") for path, text in labs.items()}


def _companion(folder: Path, name: str) -> bytes:
    if Path(name).name != name or not (folder / name).is_file():
        raise NotebookError(
            f"the notebook's metadata lists the file {name!r}. "
            "Put it beside the notebook, or take it off the list."
        )
    return (folder / name).read_bytes()


def _clear_answer(cell: NotebookNode, label: str) -> None:
    """Replace the solution by what the student sees instead."""
    if cell.cell_type == "code":
        task = authoring.TASK.search(cell.source)
        assert task  # the set was checked before
        message = json.dumps(task[2].strip(), ensure_ascii=False)
        stub = {"python": f"# YOUR CODE HERE\nraise NotImplementedError({message})"}
        cell.source = authoring.TASK.sub("", cell.source)
        clear = ClearSolutions(code_stub=stub)
    else:
        clear = ClearSolutions(text_stub=cell.metadata["course"]["prompt"])
    clear.preprocess_cell(cell, {"language": "python"}, 0)
    if cell.cell_type == "code":
        try:
            parse(cell.source)
        except SyntaxError as error:
            raise NotebookError(
                f"{label}: what students get is not valid Python (line {error.lineno}: {error.msg}). "
                "Let the region hold whole statements."
            ) from error
