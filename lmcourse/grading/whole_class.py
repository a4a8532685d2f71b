"""Grade a class: a folder of submissions becomes tables, a page for each student and one of the class."""

from __future__ import annotations

import io
import re
import sys
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tqdm import tqdm

from lmcourse.files.notebooks import write_bytes, write_text
from lmcourse.grading.classroom import gradebooks, manual_marks, seeds
from lmcourse.grading.classroom.collecting import CANVAS_NAME, Submission, collect
from lmcourse.grading.classroom.file_names import former_file_name
from lmcourse.grading.classroom.roster import Row, match, read_roster
from lmcourse.grading.classroom.tables import write_table
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.key import Key
from lmcourse.grading.notebook.report import as_html, as_notebook, printable
from lmcourse.grading.notebook.result import Result
from lmcourse.grading.outside.limits import Limits

if TYPE_CHECKING:
    from lmcourse.grading.papers.folder import ExamFolder

__all__ = ["grade_class"]

BEGUN = re.compile(
    r"\.(.+\.html|(results|manual|canvas|moodle)\.csv|feedback\.zip|seeds\.json)\.\w+|.+\.json\.\d+"
)
"""The names of files that are being written."""


def grade_class(
    submissions: Path,
    set_name: str | None,
    out: Path,
    *,
    jobs: int = 1,
    seed: int | None = None,
    roster: Path | None = None,
    manual: Path | None = None,
    solutions: Path = Path("solutions"),
    limits: Limits | None = None,
    exam_folder: ExamFolder | None = None,
) -> list[Row]:
    """Grade a folder and write everything to ``out``; return a row per student.

    The hidden inputs of a submission follow from the secret of ``out`` and from the file: see
    `classroom.seeds`. ``seed`` replaces that secret, so that two folders of results agree.

    With ``exam_folder``, each submission is graded by the key of its student's paper, and ``set_name`` and
    ``solutions`` are not used. Without ``roster``, the students of the exam are the class.

    Raises
    ------
    GradingError
        If the set or the folder does not exist, or if the roster or the marks by hand cannot be read.
    """
    if out.resolve().is_relative_to(submissions.resolve()):
        raise GradingError("The results would be among the submissions. Give --out another folder.")
    people = read_roster(roster) if roster else []
    claims = None
    if exam_folder:
        set_name = exam_folder.exam.name
        key = Key(set_name, exam_folder.solutions_of(next(iter(exam_folder.students))))
        people = people or list(exam_folder.people.values())
        claims = exam_folder.claims(collect(submissions, set_name))
        found, solutions = claims.submissions, claims.solutions
    else:
        key = Key(set_name or "", solutions)
        found = collect(submissions, key.name)
    secret, note = seeds.secret_of(out, seed)
    _delete_leftovers(out)
    if note:
        print(note, file=sys.stderr)
    results = _grade(
        found,
        out,
        key.name,
        seed=lambda digest: seeds.seed_of(secret, key.name, digest),
        jobs=jobs,
        solutions=solutions,
        limits=limits,
    )
    results, changed = _with_manual_marks(results, out / "manual.csv", manual)
    rows = match(people, found, results)
    for row in rows:
        row.notes += claims.notes_for(row.student, row.person) if claims else []
        if row.student in changed:
            row.notes.append(
                "the file has changed since it was marked; look at it again, then empty its cell “submission”"
                " in manual.csv"
            )
    _write(rows, found, out, key, manual is not None)
    return rows


def _with_manual_marks(
    results: dict[str, Result], kept: Path, manual: Path | None
) -> tuple[dict[str, Result], list[str]]:
    """Keep all marks by hand in the table ``kept``; return the results with those of ``manual``.

    Also returned are the students who have handed in another file since they got a mark by hand.
    """
    marks = manual_marks.read_marks(manual, results) if manual else {}
    written = (manual_marks.read_marks(kept, results) if kept.exists() else {}) | marks
    changed = manual_marks.outdated(results, written)
    write_table(kept, manual_marks.marks_table(results, written))
    marked = {student: manual_marks.with_marks(student, r, marks) for student, r in results.items()}
    return marked, changed


def _delete_leftovers(out: Path) -> None:
    """Delete the unfinished files of a command that was killed more than an hour ago."""
    begun = [*out.glob(".*.*"), *out.glob("feedback/.*.*"), *out.glob("graded/*.json.*")]
    for path in begun:
        if BEGUN.fullmatch(path.name) and time.time() - path.stat().st_mtime > 3600:
            path.unlink(missing_ok=True)


def _grade(found: list[Submission], out: Path, set_name: str, **options: Any) -> dict[str, Result]:
    """Grade the submissions while a bar shows the progress; the options are those of `grade_all`."""
    from lmcourse.grading.classroom.processes import grade_all  # fails at once on a system without forks

    some = [submission for submission in found if not submission.empty]
    with tqdm(total=len(some), unit="submission", disable=None) as bar:

        def finished(submission: Submission, reused: bool) -> None:
            bar.set_postfix_str(printable(submission.student)[:24], refresh=False)
            bar.update()

        return grade_all(found, out, set_name, finished=finished, **options)


def _write(rows: list[Row], found: list[Submission], out: Path, key: Key, by_hand: bool) -> None:
    from lmcourse.grading.classroom.summary import summary_page  # draws

    tasks = list(key.tasks.values())
    write_table(out / "results.csv", gradebooks.results_table(rows, tasks))
    top = sum(task.maximum for task in tasks if by_hand or not task.by_hand)
    title = key.name if by_hand or not any(task.by_hand for task in tasks) else f"{key.name} machine part"
    write_table(out / "canvas.csv", gradebooks.canvas_table(rows, title, top, by_hand), bom=False)
    write_table(out / "moodle.csv", gradebooks.moodle_table(rows, tasks, title, by_hand), bom=False)
    write_text(out / "summary.html", summary_page(key.name, rows, tasks))
    write_bytes(out / "feedback.zip", feedback_zip(rows, found, key.name))
    slugs = {submission.student: submission.slug for submission in found}
    for row in rows:
        if row.result:
            write_text(out / "feedback" / f"{slugs[row.student]}.html", as_html(row.result))
    kept = {slug.casefold() for slug in slugs.values()}
    for former in (name for name in map(former_file_name, slugs) if name.casefold() not in kept):
        for old in (out / "feedback" / f"{former}.html", out / "graded" / f"{former}.json"):
            old.unlink(missing_ok=True)


def feedback_zip(rows: list[Row], found: list[Submission], set_name: str) -> bytes:
    """Return an archive with everybody's feedback under the name of their submission.

    Moodle takes a page in the folder that it gave the submission. Canvas takes a file of exactly the name
    that it gave, and shows the student the name of the file that they handed in: so it gets a notebook. Both
    know the student by the numbers in these names. Sources: ``mod/assign/feedback/file/importziplib.php`` of
    github.com/moodle/moodle (commit 0203d8f), and ``infer_comment_context_from_filename`` in
    ``app/models/abstract_assignment.rb`` of github.com/instructure/canvas-lms (commit 028f76b).
    """
    submissions = {submission.student: submission for submission in found}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for row in rows:
            if row.result is None or row.open:
                continue
            submission = submissions[row.student]
            entry = Path(submission.entry)
            if submission.is_folder:
                name, text = f"{entry}/{set_name}.html", as_html(row.result)
            elif CANVAS_NAME.fullmatch(entry.stem):
                name, text = f"{entry.stem}.ipynb", as_notebook(row.result)
            else:
                name, text = f"{entry.stem}.html", as_html(row.result)
            member = zipfile.ZipInfo(name)  # its time is fixed: the archive changes only with its content
            archive.writestr(member, text, zipfile.ZIP_DEFLATED)
    return stream.getvalue()
