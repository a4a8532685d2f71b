"""Grade one notebook.

result = grade_notebook("02_cross_entropy.ipynb", seed=7)
result.points, result.maximum
"""

from __future__ import annotations

import hashlib
import importlib
import secrets
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.key import Key, guess_set
from lmcourse.grading.notebook.plan import make_plan
from lmcourse.grading.notebook.reading import UnreadableNotebook, read_cells, read_file
from lmcourse.grading.notebook.result import Result
from lmcourse.grading.outside import visible_paths
from lmcourse.grading.outside.limits import Limits
from lmcourse.grading.outside.sandbox import Sandbox

if TYPE_CHECKING:
    from lmcourse.grading.notebook.marking import Marker

__all__ = ["GradingError", "Limits", "Result", "grade_notebook"]


def grade_notebook(
    submission: str | Path | bytes,
    set_name: str | None = None,
    *,
    seed: int | None = None,
    limits: Limits | None = None,
    solutions: str | Path = "solutions",
    protection: str | None = None,
    progress: Callable[[str], None] | None = None,
) -> Result:
    """Grade one notebook.

    Parameters
    ----------
    submission : path or bytes
        The notebook, as any editor saved it.
    set_name : str, optional
        As in ``"02_cross_entropy"``; by default the set with which it shares the most cells.
    seed : int, optional
        Draws the hidden inputs; a random one by default. The result records it: the same seed gives the
        same grade.
    limits : Limits, optional
    solutions : path
        The folder of the solved sets. A private folder works too.
    protection : {"namespaces", "bubblewrap", "limits"}, optional
        The only kind of protection to use; by default the best that this system has.
    progress : callable, optional
        Called with each task's label before it is marked.

    Returns
    -------
    Result
        Also for a file that is not a notebook: its ``problem`` says so.

    Raises
    ------
    GradingError
        If there is no such set, or if answers would see the submission or the solutions: an error of the
        caller.
    """
    seed = secrets.randbelow(2**31) if seed is None else seed
    digest = ""
    try:
        data = submission if isinstance(submission, bytes) else read_file(submission)
        digest = hashlib.sha256(data).hexdigest()
        cells, metadata = read_cells(data)
        if set_name is None:
            set_name = guess_set(cells, Path(solutions))
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror}."
        return Result(set_name or "", seed, problem=problem, digest=digest)
    except UnreadableNotebook as error:
        return Result(set_name or "", seed, problem=str(error), digest=digest)
    key = Key(set_name, Path(solutions))
    if own := own_questions(Path(solutions), key):
        from lmcourse.exams.bank import use_bank

        use_bank(own.parents[1], set_name)
    _refuse_visible(solutions, *([] if isinstance(submission, bytes) else [submission]))
    plan = make_plan(key, cells, metadata)
    with Sandbox(limits or Limits(), key.imports, key.files, protection) as sandbox:
        marker_class = _import_marker(key)  # meanwhile the worker imports its libraries
        marker = marker_class(key, plan, sandbox, seed, progress)
        return Result(key.name, seed, marker.mark(), sandbox.protection, digest=digest)


def own_questions(solutions: Path, key: Key) -> Path | None:
    """Return the file with the questions of a lecturer's own exam, if the key belongs to one."""
    exam, at, _ = key.chapter.partition("@")
    above = solutions.resolve().parents
    path = above[1] / "bank" / f"{exam}.py" if at and len(above) > 1 else None
    return path if path and path.is_file() else None


def _import_marker(key: Key) -> type[Marker]:
    """Import all that marking needs, in this thread and before anything is marked.

    A module that another thread is still importing is in ``sys.modules`` without its names: SciPy finds a
    half-imported PyTorch there and fails. So nothing here is imported in a thread.
    """
    if "torch" in key.imports:
        importlib.import_module("torch")
    from lmcourse.grading.notebook.marking import Marker

    return Marker


def _refuse_visible(*private: str | Path) -> None:
    """Refuse files that are in a folder of the libraries, which every answer can read.

    Raises
    ------
    GradingError
        If the submission or the solutions are there.
    """
    for path in private:
        if folder := visible_paths.visible_folder_of(path):
            raise GradingError(
                f"{path} is in {folder}, which answers can read because Python or its libraries are there."
                " Move it to a folder of its own, and grade it there."
            )
