"""Grade a class: a folder of submissions becomes a table, a page for every student, and a page of the class.

    python -m lmcourse.grade_class submissions/ --set 02_cross_entropy --out results/
    python -m lmcourse.grade_class submissions/ --set 02_cross_entropy --out results/ --manual marks.csv
    python -m lmcourse.grade_class submissions/ --exam private/midterm --out results/

``submissions/`` contains a folder per student, or notebooks named by student; downloads of Canvas and Moodle
can stay as they are. ``results/`` then contains

    results.csv     a row per student, a column per task, and a status: graded, zero, could not be run,
                    open (it is not known whose it is), not submitted
    feedback/       a page per student
    feedback.zip    the same under the names of the submissions, to upload to Canvas or Moodle
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
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from lmcourse.grading import system
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.report import printable
from lmcourse.grading.whole_class import grade_class

if TYPE_CHECKING:
    from lmcourse.grading.papers.folder import ExamFolder

FULL = "The disk with {out} is full. Nothing is lost: make room, and run the same command again."


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.grade_class", description="Grade a folder of submissions."
    )
    parser.add_argument("submissions", type=Path, help="a folder per student, or notebooks named by student")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--set", metavar="NAME", help="as in 02_cross_entropy")
    what.add_argument("--exam", type=Path, metavar="FOLDER", help="made by python -m lmcourse.exam")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where the results go")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="how many to grade at a time")
    parser.add_argument("--seed", type=int, metavar="N", help="in place of the secret of the results folder")
    parser.add_argument("--roster", type=Path, metavar="FILE", help="a CSV of the class; see the guide")
    parser.add_argument("--manual", type=Path, metavar="FILE", help="manual.csv, filled in")
    private = "solutions of your own (default: solutions/)"
    parser.add_argument("--solutions", type=Path, default=Path("solutions"), metavar="FOLDER", help=private)
    options = parser.parse_args(arguments)
    if options.jobs < 1:
        parser.error("--jobs is at least 1.")
    return options


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    options = _options(arguments)
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
            exam_folder=_exam(options.exam),
        )
    except (GradingError, OSError) as error:
        full = isinstance(error, OSError) and error.errno == errno.ENOSPC
        print(FULL.format(out=options.out) if full else error, file=sys.stderr)
        return 1
    counts = Counter(row.status for row in rows)
    print(f"{', '.join(f'{n} {status}' for status, n in counts.items())}. See {options.out}/summary.html.")
    for row in rows:
        for note in [*row.notes, *([row.result.problem] if row.result and row.result.problem else [])]:
            print(f"{printable(row.student)}: {printable(note)}")
    return 1 if counts["could not be run"] or counts["open"] else 0


def _exam(folder: Path | None) -> ExamFolder | None:
    if folder is None:
        return None
    from lmcourse.grading.papers.folder import ExamFolder  # brings what makes papers

    return ExamFolder.read(folder)


if __name__ == "__main__":
    sys.exit(main())
