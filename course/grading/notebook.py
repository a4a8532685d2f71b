"""Grade one notebook.

result = grade_notebook("02_cross_entropy.ipynb", seed=7)
result.points, result.maximum
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import secrets
import threading
from collections.abc import Callable
from pathlib import Path

from course.grading.cells import GradingError, read_cells
from course.grading.key import Key, guess
from course.grading.node import Limits
from course.grading.result import Result
from course.grading.sandbox import Sandbox
from course.grading.submission import plan

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
    protection : {"namespaces", "inside", "limits"}, optional
        The only kind of protection to use; by default the best that this system has.
    progress : callable, optional
        Is told the label of each task before it is marked.

    Returns
    -------
    Result
        Also for a file that is no notebook: its ``problem`` says so.

    Raises
    ------
    GradingError
        When there is no such set: a fault of the caller.
    """
    seed = secrets.randbelow(2**31) if seed is None else seed
    digest = ""
    try:
        data = submission if isinstance(submission, bytes) else Path(submission).read_bytes()
        digest = hashlib.sha256(data).hexdigest()
        cells, _ = read_cells(data)
        if set_name is None:
            set_name = guess(cells, Path(solutions))
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror}."
        return Result(set_name or "", seed, problem=problem, digest=digest)
    except (GradingError, UnicodeError) as error:
        problem = str(error) if isinstance(error, GradingError) else "The file is no notebook: it is no text."
        return Result(set_name or "", seed, problem=problem, digest=digest)
    key = Key(set_name, Path(solutions))
    found = plan(key, cells)
    with Sandbox(limits or Limits(), key.imports, key.files, protection) as sandbox, _imported_early(key):
        # The process with the answers imports its libraries while this one imports its own.
        from course.grading.marking import Marker

        tasks = Marker(key, found, sandbox, seed, progress).mark()
        return Result(key.name, seed, tasks, sandbox.protection, digest=digest)


@contextlib.contextmanager
def _imported_early(key):
    """Import PyTorch, where a set hands tensors over, while this process waits for the other one."""
    importing = threading.Thread(target=importlib.import_module, args=("torch",))
    if "torch" in key.imports:
        importing.start()
    try:
        yield
    finally:
        if importing.ident is not None:
            importing.join()
