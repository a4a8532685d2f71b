"""Grade your notebook: a score, and a reason for every lost point.

    python -m lmcourse.grade exercises/02_cross_entropy/02_cross_entropy.ipynb
    python -m lmcourse.grade FILE --html feedback.html --json feedback.json --seed 7
    python -m lmcourse.grade FILE --exam private/midterm
    python -m lmcourse.grade FILE --exam private/midterm --student "Ada Lovelace"

The notebook is run from its sources, top to bottom, in a process that sees no solutions; what your editor has
stored as outputs does not count. Hidden inputs are drawn afresh each time; ``--seed`` draws the same again.

Exit status: 0 when the notebook was graded, whatever it got; 1 when it could not be; 2 for a wrong command.
"""

import argparse
import contextlib
import json
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

from lmcourse.files.notebooks import write_text
from lmcourse.grading import system
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.reading import read_file
from lmcourse.grading.notebook.report import as_html, as_table
from lmcourse.grading.notebook.result import Result
from lmcourse.grading.outside.limits import GRACE_SECONDS, Limits

__all__ = ["main"]


class OutOfTime(BaseException):
    """Grading takes too long. It is not an `Exception`, because the marking of a task catches those."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.grade", description="Grade a notebook, with a reason for every lost point."
    )
    parser.add_argument("file", metavar="FILE", help="a notebook made from a set of exercises/")
    parser.add_argument("--html", metavar="OUT", help="write the feedback as a page")
    parser.add_argument("--json", metavar="OUT", help="write the feedback for machines")
    parser.add_argument("--seed", type=int, metavar="N", help="draw the hidden inputs of another grading")
    parser.add_argument("--exam", type=Path, metavar="FOLDER", help="made by python -m lmcourse.exam")
    parser.add_argument("--student", metavar="NAME", help="whose paper it is; by default, its label tells")
    options = parser.parse_args(arguments)
    if options.student is not None and options.exam is None:
        parser.error("--student is for an exam: give its folder with --exam.")
    if sentence := system.why_not():
        print(sentence, file=sys.stderr)
        return 1
    try:
        with _clock(Limits().total_seconds + GRACE_SECONDS):
            result = _grade(options)
    except (GradingError, OutOfTime) as error:
        print(error, file=sys.stderr)
        return 1
    print(as_table(result))
    if options.html:
        write_text(Path(options.html), as_html(result))
    if options.json:
        text = json.dumps(result.as_dict(), ensure_ascii=False, indent=2)
        write_text(Path(options.json), text + "\n")
    return 1 if result.problem else 0


@contextlib.contextmanager
def _clock(seconds: float) -> Iterator[None]:
    """Stop what runs inside if it takes too long: its own limits do not count the grader's own work."""

    def ring(number: int, frame: object) -> None:
        raise OutOfTime(
            f"Grading takes more than {seconds / 60:.0f} minutes and was stopped. Restart your notebook and"
            " run all of its cells: one of them may run for very long."
        )

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _grade(options: argparse.Namespace) -> Result:
    from lmcourse.grading.one_notebook import grade_notebook  # fails at once on a system without forks

    if options.exam is None:
        _refuse_paper(options.file)
        return grade_notebook(options.file, seed=options.seed)
    from lmcourse.grading.papers.folder import ExamFolder

    exam = ExamFolder.read(options.exam)
    try:
        data = read_file(options.file)
    except OSError as error:
        raise GradingError(f"{options.file} cannot be read: {error.strerror}.") from None
    owner = exam.owner(options.student, data)
    remark = exam.remark(owner, data) or f"is graded by the key of paper {exam.students[owner]}"
    print(f"{owner} {remark}.", file=sys.stderr)
    return grade_notebook(options.file, exam.exam.name, seed=options.seed, solutions=exam.solutions_of(owner))


def _refuse_paper(file: str) -> None:
    """Raise a GradingError for a paper of an exam, whose answers are in a key of its own."""
    from lmcourse.grading.papers.owners import exam_of

    try:
        exam, label = exam_of(read_file(file))
    except OSError:
        return  # the grader reports it
    if exam or label:
        what = f"a paper of the {exam}" if exam else f"the paper {label} of an exam"
        raise GradingError(
            f"This is {what}: give --exam FOLDER, the private folder that python -m lmcourse.exam made."
        )


if __name__ == "__main__":
    sys.exit(main())
