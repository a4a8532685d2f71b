"""Find the submissions of a class in a folder, and the student that each belongs to."""

from __future__ import annotations

import hashlib
import os
import re
from dataclasses import dataclass
from pathlib import Path

from course.grading.cells import GradingError

CANVAS_NAME = re.compile(r"(?P<name>[^_]+)_(?:LATE_)?(?P<id>\d+)_\d+_.+")
MOODLE_NAME = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file_?")
IGNORED = {"__MACOSX", ".ipynb_checkpoints"}


@dataclass(frozen=True)
class Submission:
    """What one student handed in.

    Attributes
    ----------
    student : str
        The name of the folder or file, without what Canvas, Moodle or the set's name add to it.
    path : Path or None
        The notebook; None when there is none to grade, and ``problem`` then says why.
    aliases : tuple of str
        By what else a roster may know the student: a number, or a name alone.
    problem : str
    empty : bool
        Whether nothing at all was handed in.
    """

    student: str
    path: Path | None
    aliases: tuple[str, ...] = ()
    problem: str = ""
    empty: bool = False

    @property
    def slug(self) -> str:
        """A file name that is safe everywhere, and another one for every student."""
        plain = re.sub(r"[^A-Za-z0-9.]+", "-", self.student).strip("-.")[:60]
        if plain == self.student:
            return plain
        digest = hashlib.sha256(self.student.encode("utf-8", "surrogateescape")).hexdigest()
        return f"{plain or 'student'}-{digest[:8]}"


def collect(folder: Path, set_name: str) -> list[Submission]:
    """Find the submissions: a folder per student, or notebooks named by student.

    Links are not followed: a link that was handed in could point to any file of yours.

    Raises
    ------
    GradingError
        When there is no such folder, or nothing in it.
    """
    if not folder.is_dir():
        raise GradingError(f"There is no folder {folder}. Give the folder with the submissions.")
    found: dict[str, Submission] = {}
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if entry.name in IGNORED or entry.name.startswith("."):
            continue
        is_folder = entry.is_dir() and not entry.is_symlink()
        if not is_folder and entry.suffix != ".ipynb":
            continue
        submission = _submission(entry, is_folder, set_name)
        if submission.student in found:
            several = "There is more than one notebook of this student. Keep one."
            submission = Submission(submission.student, None, submission.aliases, several)
        found[submission.student] = submission
    if not found:
        raise GradingError(f"No submission is in {folder}. Put a folder or a notebook per student there.")
    return list(found.values())


def _submission(entry: Path, is_folder: bool, set_name: str) -> Submission:
    name = entry.name if is_folder else entry.stem
    aliases: tuple[str, ...] = ()
    if match := (MOODLE_NAME if is_folder else CANVAS_NAME).fullmatch(name):
        name = f"{match['name']}_{match['id']}"
        aliases = (match["id"], match["name"]) if not is_folder else (match["name"],)
    elif not is_folder:
        name = re.sub(rf"[ _-]*{re.escape(set_name)}$", "", name) or name
    if not is_folder:
        real = entry.is_file() and not entry.is_symlink()
        problem = "" if real else "This is a link, not a file. Hand in the notebook itself."
        return Submission(name, None if problem else entry, aliases, problem)
    path, problem, empty = _notebook_in(entry, set_name)
    return Submission(name, path, aliases, problem, empty)


def _notebook_in(folder: Path, set_name: str) -> tuple[Path | None, str, bool]:
    """The notebook of a student's folder, or why there is none, and whether the folder is empty."""
    files = []
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in IGNORED and not f.startswith("."))
        files += [Path(place, name) for name in sorted(names) if not name.startswith(".")]
    real = [path for path in files if path.suffix == ".ipynb" and path.is_file() and not path.is_symlink()]
    named = [path for path in real if path.stem == set_name]
    if len(named or real) == 1:
        return (named or real)[0], "", False
    if real:
        names = ", ".join(path.name for path in (named or real)[:5])
        return None, f"There are several notebooks ({names}). Keep one, named {set_name}.ipynb.", False
    shown = ", ".join(path.name for path in files[:5])
    return None, f"There is no notebook, but: {shown}." if files else "", not files
