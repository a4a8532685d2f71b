"""The results of a class as tables: one for the instructor, and the files that Canvas and Moodle import.

Canvas
    A CSV whose first columns are Student, ID, SIS User ID, SIS Login ID and Section, then a column per
    assignment; a row "Points Possible" may follow the header. Canvas finds a student by ID, else by SIS User
    ID or SIS Login ID, else by name. An empty cell means no score. Sources: ``lib/gradebook_importer.rb`` of
    github.com/instructure/canvas-lms (commit 00b222d), and "Import CSV File to Carmen Grades", Ohio State
    University, teaching.resources.osu.edu. A column that is not named after an assignment makes a new one.
Moodle
    A CSV with a header whose columns you map by hand at the import: one to useridnumber, useremail or
    username, one to the grade item, one to its feedback. Rows without that field are skipped, and a dash
    means no grade. Sources: "Grade import", docs.moodle.org/311/en/Grade_import, and
    ``grade/import/csv/classes/load_data.php`` of github.com/moodle/moodle (commit 0289d8c). Moodle refuses
    more than 100 points, unless its site allows them.
"""

from __future__ import annotations

from collections.abc import Sequence

from lmcourse.grading.classroom.roster import Row
from lmcourse.grading.notebook.key import Task
from lmcourse.grading.notebook.result import TaskResult

OPEN = {"could not run": "could not run", "by hand": "no mark by hand yet"}


def results_table(rows: Sequence[Row], tasks: Sequence[Task]) -> list[list]:
    """A row per student: status, total, a column per task, and why a cell is empty."""
    head = ["student", "name", "status", "late", "total", "maximum"]
    table: list[list] = [[*head, *(f"{t.label} ({t.maximum})" for t in tasks), "notes", "seed", "submission"]]
    for row in rows:
        found = {task.name: task for task in row.result.tasks} if row.result else {}
        maximum = sum(task.maximum for task in found.values() if task.points is not None)
        notes = [f"{t.label}: {OPEN[t.status]}" for t in found.values() if t.status in OPEN]
        notes = [*row.notes, *([row.result.problem] if row.result and row.result.problem else []), *notes]
        cells = [None if (t := found.get(task.name)) is None else _cell(t) for task in tasks]
        known = [row.result.seed, f"sha256:{row.result.digest[:12]}"] if row.result else [None, ""]
        total = [row.points, maximum if row.points is not None else None]
        about = [row.student, row.person.name, row.status, "late" if row.late else ""]
        table.append([*about, *total, *cells, "; ".join(notes), *known])
    return table


def canvas_table(rows: Sequence[Row], title: str, top: int, by_hand: bool) -> list[list]:
    """The import file of Canvas; see the top of this module. No grade is an empty cell."""
    table: list[list] = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]]
    table.append(["    Points Possible", "", "", "", "", top])
    for row in _known(rows):
        person = row.person
        names = [person.name, *(person[c] for c in ("id", "number", "login", "section"))]
        table.append([*names, _grade(row, by_hand)])
    return table


def moodle_table(rows: Sequence[Row], tasks: Sequence[Task], title: str, by_hand: bool) -> list[list]:
    """The import file of Moodle; see the top of this module. No grade is a dash.

    The feedback says why a grade is missing, and contains the comments of the person who marked.
    """
    marked = {task.name for task in tasks if task.by_hand}
    names = ["First name", "Last name", "ID number", "Username", "Email address"]
    table: list[list] = [[*names, title, f"{title} (Feedback)"]]
    for row in _known(rows):
        person, grade = row.person, _grade(row, by_hand)
        results = row.result.tasks if row.result else ()
        first, last = person["first"] or ("" if person["last"] else person.name), person["last"]
        why = [] if row.status in ("graded", "open") else [row.status]
        comments = [t for t in results if t.name in marked and t.status != "by hand" and t.reason]
        why += [f"{t.label}: {' '.join(t.reason.split())}" for t in comments]
        names = [first, last, person["number"], person["login"], person["email"]]
        table.append([*names, "-" if grade is None else grade, "; ".join(why)])
    return table


def _known(rows: Sequence[Row]) -> list[Row]:
    """The rows to export: no gradebook gets a submission whose student is not settled."""
    return [row for row in rows if not (row.open and row.submitted)]


def _cell(task: TaskResult) -> int | float | str | None:
    return None if task.points is None or task.status == "could not run" else task.points


def _grade(row: Row, by_hand: bool) -> float | None:
    """The grade to export: none if marks by hand count and one is missing."""
    missing = by_hand and row.result is not None and row.result.by_hand
    return None if missing else row.points
