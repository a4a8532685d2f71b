"""ManualMarks that a person gives: a table to fill in, and its way back into the results."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from lmcourse.grading.classroom.tables import read_table, safe, unsafe
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.result import Result, TaskResult

HEAD = ["student", "task", "label", "maximum", "points", "comment", "answer", "submission"]
MOST_WORDS = 30_000
"""Characters of an answer in the table: a cell of a spreadsheet holds 32 767."""
IMAGE = re.compile(r"data:[\w.+/-]+;base64,[A-Za-z0-9+/=]{100,}")


@dataclass(frozen=True)
class ManualMark:
    """The points that a person gives (None while they are open), a comment, and the file that was marked."""

    points: float | None
    comment: str
    submission: str


ManualMarks = dict[tuple[str, str], ManualMark]
"""ManualMarks by student and task."""


def read_marks(path: Path, results: Mapping[str, Result]) -> ManualMarks:
    """Read the table that was filled in.

    Raises
    ------
    GradingError
        If a mark is not a number from 0 to the maximum, or if it belongs to no student. No row is ignored.
    """
    students = {name.lstrip("0"): name for name in results}  # spreadsheets drop the zeros of numbers
    students |= {name: name for name in results} | {safe(name): name for name in results}
    marks: ManualMarks = {}
    for number, line in enumerate(read_table(path), start=2):
        name, task = line.get("student", ""), line.get("task", "")
        written = line.get("points", "").replace(",", ".")
        comment = unsafe(line.get("comment", ""))
        if not written and not comment:
            continue
        place = f"{path}, row {number} ({name}, {task})"
        student = students.get(name)
        if student is None:
            raise GradingError(
                f"{place}: there is no submission under this name now. If the student has handed in under"
                " another name, write that name here, and the mark is kept; else delete the row."
            )
        known = {t.name: t for t in results[student].tasks if t.status == "by hand"}
        if results[student].tasks and task not in known:
            raise GradingError(
                f"{place}: the set has no such task to grade by hand, only: {', '.join(known) or 'none'}."
            )
        if (student, task) in marks:
            raise GradingError(f"{place}: this task has two marks. Delete one of the rows.")
        points = _points(written, known[task].maximum if known else math.inf, place)
        marks[student, task] = ManualMark(points, comment, line.get("submission", ""))
    return marks


def marks_table(results: Mapping[str, Result], marks: ManualMarks) -> Iterable[list]:
    """Return the table to fill in, with all marks given so far."""
    yield HEAD
    for (student, name), mark in marks.items():
        if not results[student].tasks:
            yield [student, name, "", None, mark.points, mark.comment, "", mark.submission]
    for student, result in results.items():
        for task in result.tasks:
            if task.status == "by hand":
                mark = marks.get((student, task.name), ManualMark(None, "", ""))
                marked = mark.submission if mark.points is not None else ""
                known = [student, task.name, task.label, task.maximum]
                yield [*known, mark.points, mark.comment, _shortened(task.words), marked or _file(result)]


def with_marks(student: str, result: Result, marks: ManualMarks) -> Result:
    """Return the result with the marks by hand in it."""
    tasks = []
    for task in result.tasks:
        mark = marks.get((student, task.name))
        if mark is not None and mark.points is not None and task.status == "by hand":
            task = _marked(task, mark.points, mark.comment)
        tasks.append(task)
    return replace(result, tasks=tuple(tasks))


def outdated(results: Mapping[str, Result], marks: ManualMarks) -> list[str]:
    """Return the students who have handed in another file since a person marked the earlier one."""
    changed = {
        student
        for (student, _), mark in marks.items()
        if mark.submission and mark.submission != _file(results[student])
    }
    return sorted(changed)


def _shortened(words: str) -> str:
    """Shorten an answer so that it fits into a cell, with a note on what is left out."""
    words = IMAGE.sub(lambda found: f"[an image of {len(found[0]):,} characters: see the submission]", words)
    if len(words) <= MOST_WORDS:
        return words
    left = len(words) - MOST_WORDS
    return f"{words[:MOST_WORDS]}\n[{left:,} characters more: read the rest in the submission]"


def _marked(task: TaskResult, given: float, comment: str) -> TaskResult:
    points = int(given) if given == int(given) else given
    status = "full" if points == task.maximum else "partial" if points else "zero"
    return replace(task, points=points, status=status, reason=comment)


def _file(result: Result) -> str:
    """Return a name for the file that no spreadsheet mistakes for a number."""
    return f"sha256:{result.digest[:12]}"


def _points(written: str, maximum: float, place: str) -> float | None:
    if not written:
        return None
    try:
        points = float(written)
    except ValueError:
        points = math.nan
    if not 0 <= points <= maximum:
        raise GradingError(
            f"{place}: {written!r} is not a valid mark. Give a number from 0 to {maximum}, or nothing."
        )
    return points
