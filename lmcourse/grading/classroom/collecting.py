"""Find the submissions of a class in a folder, and the student that each belongs to."""

from __future__ import annotations

import filecmp
import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from lmcourse.grading.classroom.file_names import file_name
from lmcourse.grading.errors import GradingError

CANVAS_NAME = re.compile(r"(?P<name>.+?)_(?P<late>LATE_)?(?P<id>\d+)_\d+_.+")
MOODLE_NAME = re.compile(r"(?P<name>.+)_(?P<id>\d+)_assignsubmission_file_?")
IGNORED = re.compile(
    r"__MACOSX|\._.*|\.(ipynb_checkpoints|DS_Store|git.*|Trash.*|Spotlight.*|fseventsd|directory|nfs.*|cache"
    r"|jupyter|ipython|virtual_documents|vscode|idea|venv|pytest_cache|ruff_cache|~lock\..*)",
    re.IGNORECASE,
)
"""What systems and editors leave in folders; it is not part of a submission."""
OTHER_FILES = {".zip", ".rar", ".7z", ".gz", ".tar", ".py", ".html", ".pdf", ".docx", ".json"}
"""What students hand in by mistake in place of a notebook."""
LATE = re.compile(r"(?<=.)_LATE$")
"""What a lecturer adds to the name of a file or folder that came late; Canvas writes it in the middle."""
HIDDEN = "Its name begins with a dot, which hides it. Rename it without the dot."
LINK = "This is a link, not a file. Hand in the notebook itself."


@dataclass(frozen=True)
class Submission:
    """What one student handed in.

    Attributes
    ----------
    student : str
        The name of the folder or file, without what Canvas, Moodle or the set's name add to it.
    path : Path or None
        The notebook; None if no notebook can be graded, and ``problem`` then says why.
    aliases : tuple of str
        Other names under which a roster may list the student: a number, or only the name.
    problem : str
    empty : bool
        Whether nothing at all was handed in.
    late : bool
        Whether the name says so, as Canvas's do.
    entry : str
        The name of the file or folder as it is in the folder of submissions.
    is_folder : bool
        Whether it is a folder.
    """

    student: str
    path: Path | None
    aliases: tuple[str, ...] = ()
    problem: str = ""
    empty: bool = False
    late: bool = False
    entry: str = ""
    is_folder: bool = False

    @property
    def slug(self) -> str:
        """A file name that is safe on every system and unique for each student."""
        return file_name(self.student)


def collect(folder: Path, set_name: str) -> list[Submission]:
    """Find the submissions: a folder per student, or notebooks named by student.

    Links are not followed: a link that was handed in could point to any file of yours.

    Raises
    ------
    GradingError
        If the folder does not exist or is empty.
    """
    if not folder.is_dir():
        raise GradingError(f"There is no folder {folder}. Give the folder with the submissions.")
    found: dict[str, Submission] = {}
    others = []
    for entry in sorted(folder.iterdir(), key=lambda path: path.name):
        if not _handed_in(entry):
            continue
        submission = _submission(entry, set_name)
        if _is_other_file(entry):
            others.append(submission)
            continue
        before = found.get(submission.student)
        if before and submission.empty:
            continue
        if before and not before.empty and not _same(before.path, submission.path):
            several = "There is more than one notebook of this student. Keep one."
            submission = replace(submission, path=None, problem=several)
        found[submission.student] = submission
    for submission in others:  # ignored if the student also handed in a notebook
        found.setdefault(submission.student, submission)
    if not found:
        raise GradingError(f"No submission is in {folder}. Put a folder or a notebook per student there.")
    return list(found.values())


def _handed_in(entry: Path) -> bool:
    """Whether this may be somebody's work and so gets a row, even if it cannot be graded."""
    if IGNORED.fullmatch(entry.name):
        return False
    if entry.is_dir() or entry.suffix.lower() == ".ipynb" or CANVAS_NAME.fullmatch(entry.stem):
        return True
    return _is_other_file(entry) or (entry.is_symlink() and not entry.exists())


def _is_other_file(entry: Path) -> bool:
    is_notebook = entry.suffix.lower() == ".ipynb"
    named = entry.suffix.lower() in OTHER_FILES or CANVAS_NAME.fullmatch(entry.stem)
    return bool(entry.is_file() and not is_notebook and not entry.is_symlink() and named)


def _submission(entry: Path, set_name: str) -> Submission:
    is_folder = entry.is_dir() and not entry.is_symlink()
    name = entry.name if is_folder else entry.stem
    aliases: tuple[str, ...] = ()
    name, ends_late = LATE.subn("", name)
    late = bool(ends_late)
    if match := (MOODLE_NAME if is_folder else CANVAS_NAME).fullmatch(name):
        name = f"{match['name']}_{match['id']}"
        aliases = (match["name"], participant(match["id"]) if is_folder else match["id"])
        late = late or bool(match.groupdict().get("late"))
    elif not is_folder:
        name = re.sub(rf"[ _-]*{re.escape(set_name)}$", "", name) or name
    path, problem, empty = None, _problem(entry), False
    if not problem:
        path, problem, empty = _notebook_in(entry, set_name) if is_folder else (entry, "", False)
    return Submission(name, path, aliases, problem, empty, late, entry.name, is_folder)


def participant(number: str) -> str:
    """Return how Moodle's grading worksheet calls the student whose folder has this number."""
    return f"Participant {number}"


def _same(*paths: Path | None) -> bool:
    """Whether some files that can be graded have the same content."""
    if None in paths or len({path.stat().st_size for path in paths if path}) > 1:
        return False
    first, *others = paths
    return all(filecmp.cmp(first, other, shallow=False) for other in others if first and other)


def _problem(entry: Path) -> str:
    """Return why an entry of the folder of submissions cannot be graded, whatever its content."""
    if entry.is_symlink():
        return LINK
    if entry.name.startswith("."):
        return HIDDEN
    if not entry.is_dir() and entry.suffix.lower() != ".ipynb":
        return (
            f"This is not a notebook but a file {entry.suffix or 'without an ending'}. Hand in the notebook."
        )
    return "" if entry.is_dir() or entry.is_file() else "This is not a file. Hand in the notebook itself."


def _notebook_in(folder: Path, set_name: str) -> tuple[Path | None, str, bool]:
    """Return the notebook in a student's folder, or why none can be graded, and whether it is empty."""
    files = []
    for place, folders, names in os.walk(folder):
        linked = [f for f in folders if Path(place, f).is_symlink()]
        folders[:] = sorted(f for f in folders if not IGNORED.fullmatch(f))
        files += [Path(place, name) for name in sorted([*names, *linked]) if not IGNORED.fullmatch(name)]
    seen = [f for f in files if not any(part.startswith(".") for part in f.relative_to(folder).parts)]
    real = [f for f in seen if f.suffix.lower() == ".ipynb" and f.is_file() and not f.is_symlink()]
    named = [path for path in real if path.stem == set_name]
    if real and _same(*(named or real)):
        return (named or real)[0], "", False
    if real:
        names = ", ".join(path.name for path in (named or real)[:5])
        return None, f"There are several notebooks ({names}). Keep one, named {set_name}.ipynb.", False
    if not files:
        return None, "", True
    shown = ", ".join(f"{f.name} (a link)" if f.is_symlink() else f.name for f in files[:5])
    hidden = f" {HIDDEN}" if any(f not in seen and f.suffix.lower() == ".ipynb" for f in files) else ""
    return None, f"There is no notebook, but: {shown}.{hidden}", False
