"""Grade a class: a folder of submissions becomes a table, a page for every student, and a page of the class.

    python -m course.grade_class submissions/ --set 02_cross_entropy --out results/
    python -m course.grade_class submissions/ --set 02_cross_entropy --out results/ --manual marks.csv
    python -m course.grade_class submissions/ --exam private/midterm --out results/

``submissions/`` holds a folder per student, or notebooks named by student; downloads of Canvas and Moodle can
stay as they are. ``results/`` then holds

    results.csv     a row per student, a column per task, and a status: graded, zero, could not be run,
                    open (it is not known whose it is), not submitted
    feedback/       a page per student
    summary.html    the class: per task the share of full marks and the most frequent mistake
    manual.csv      to fill in: the tasks that a person grades; give it back with --manual
    canvas.csv, moodle.csv   for the import of a gradebook

The same command goes on where it was stopped, and grades again only what has changed.

Exit status: 0 when every submission was graded; 1 when some could not be (the others are) or a table could
not be read; 2 for a wrong command.
"""

from __future__ import annotations

import argparse
import errno
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tqdm import tqdm

from course.grading import byhand, gradebooks, seeds, system
from course.grading.cells import GradingError
from course.grading.collecting import Submission, collect
from course.grading.key import Key
from course.grading.names import former_file_name
from course.grading.node import Limits
from course.grading.report import as_html, plain
from course.grading.result import Result
from course.grading.roster import Row, match, read_roster
from course.grading.tables import write_table
from course.notebooks import write_text

if TYPE_CHECKING:
    from course.exams.folder import ExamFolder

__all__ = ["grade_class", "main"]

FULL = "The disk that holds {out} is full. Nothing is lost: make room, and run the same command again."
BEGUN = re.compile(r"\.(.+\.html|(results|manual|canvas|moodle)\.csv|seeds\.json)\.\w+|.+\.json\.\d+")
"""What a file is called while it is written."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m course.grade_class", description="Grade a folder of submissions."
    )
    parser.add_argument("submissions", type=Path, help="a folder per student, or notebooks named by student")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--set", metavar="NAME", help="as in 02_cross_entropy")
    what.add_argument("--exam", type=Path, metavar="FOLDER", help="made by python -m course.exam")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where the results go")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many to grade at a time")
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="in place of the secret that the results folder draws for itself",
    )
    parser.add_argument("--roster", type=Path, metavar="FILE", help="a CSV of the class; see the guide")
    parser.add_argument("--manual", type=Path, metavar="FILE", help="manual.csv, filled in")
    parser.add_argument(
        "--solutions", type=Path, default=Path("solutions"), metavar="FOLDER", help="a private one"
    )
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("--jobs is at least 1.")
    if sentence := system.why_not():
        print(sentence, file=sys.stderr)
        return 1
    try:
        rows = grade_class(
            options.submissions,
            options.set,
            options.out,
            jobs=options.jobs,
            seed=options.seed,
            roster=options.roster,
            manual=options.manual,
            solutions=options.solutions,
            exam=_exam(options.exam),
        )
    except (GradingError, OSError) as error:
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        print(FULL.format(out=options.out) if full else error, file=sys.stderr)
        return 1
    counts = Counter(row.status for row in rows)
    print(f"{', '.join(f'{n} {status}' for status, n in counts.items())}. See {options.out}/summary.html.")
    for row in rows:
        for note in [*row.notes, *([row.result.problem] if row.result and row.result.problem else [])]:
            print(f"{plain(row.student)}: {plain(note)}")
    return 1 if counts["could not be run"] or counts["open"] else 0


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
    exam: ExamFolder | None = None,
) -> list[Row]:
    """Grade a folder and write everything to ``out``; return a row per student.

    The hidden inputs of a submission follow from the secret of ``out`` and from the file: see
    `course.grading.seeds`. ``seed`` takes the place of that secret, so that two folders of results agree.

    With an exam, each submission is graded by the key of its student's paper, and ``set_name`` and
    ``solutions`` are not used. Without ``roster``, its students are the class.

    Raises
    ------
    GradingError
        When there is no such set or folder, or the roster or the marks cannot be read.
    """
    if out.resolve().is_relative_to(submissions.resolve()):
        raise GradingError("The results would lie among the submissions. Give --out another folder.")
    if exam:
        set_name = exam.exam.name
    key = Key(set_name, exam.keys(next(iter(exam.students))) if exam else solutions)
    people = read_roster(roster) if roster else list(exam.people.values()) if exam else []
    found = collect(submissions, set_name)
    claims = exam.claims(found) if exam else None
    if claims:
        found, solutions = claims.submissions, claims.solutions
    secret, note = seeds.secret_of(out, seed)
    _sweep(out)
    if note:
        print(note, file=sys.stderr)
    results = _grade(found, out, key.name, secret, jobs, solutions, limits)
    kept = out / "manual.csv"
    marks = byhand.read_marks(manual, results) if manual else {}
    written = (byhand.read_marks(kept, results) if kept.exists() else {}) | marks
    changed = byhand.outdated(results, written)
    write_table(kept, byhand.marks_table(results, written))
    results = {student: byhand.with_marks(student, r, marks) for student, r in results.items()}
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


def _sweep(out: Path) -> None:
    """Delete what a command that was killed more than an hour ago had begun to write."""
    begun = [*out.glob(".*.*"), *out.glob("feedback/.*.*"), *out.glob("graded/*.json.*")]
    for path in begun:
        if BEGUN.fullmatch(path.name) and time.time() - path.stat().st_mtime > 3600:
            path.unlink(missing_ok=True)


def _exam(folder: Path | None) -> ExamFolder | None:
    if folder is None:
        return None
    from course.exams.folder import ExamFolder  # brings what makes papers

    return ExamFolder.read(folder)


def _grade(
    found: list[Submission],
    out: Path,
    set_name: str,
    secret: str,
    jobs: int,
    solutions: Path | Callable[[Submission], Path],
    limits: Limits | None,
) -> dict[str, Result]:
    from course.grading.classroom import grade_all  # fails at once on a system without forks

    some = [submission for submission in found if not submission.empty]
    with tqdm(total=len(some), unit="submission", disable=None) as bar:

        def finished(submission: Submission, reused: bool) -> None:
            bar.set_postfix_str(plain(submission.student)[:24], refresh=False)
            bar.update()

        return grade_all(
            found,
            out,
            set_name,
            seed=lambda digest: seeds.seed_of(secret, set_name, digest),
            jobs=jobs,
            solutions=solutions,
            limits=limits,
            finished=finished,
        )


def _write(rows: list[Row], found: list[Submission], out: Path, key: Key, marks: bool) -> None:
    from course.grading.summary import summary_page  # draws

    tasks = list(key.tasks.values())
    write_table(out / "results.csv", gradebooks.results_table(rows, tasks))
    top = sum(task.maximum for task in tasks if marks or not task.by_hand)
    title = key.name if marks or not any(task.by_hand for task in tasks) else f"{key.name} machine part"
    write_table(out / "canvas.csv", gradebooks.canvas_table(rows, title, top, marks), mark=False)
    write_table(out / "moodle.csv", gradebooks.moodle_table(rows, title, marks), mark=False)
    write_text(out / "summary.html", summary_page(key.name, rows, tasks))
    slugs = {submission.student: submission.slug for submission in found}
    for row in rows:
        if row.result:
            write_text(out / "feedback" / f"{slugs[row.student]}.html", as_html(row.result))
    kept = {slug.casefold() for slug in slugs.values()}
    for former in (name for name in map(former_file_name, slugs) if name.casefold() not in kept):
        for old in (out / "feedback" / f"{former}.html", out / "graded" / f"{former}.json"):
            old.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
