"""Make an exam for a class: a paper with numbers of its own for every student, and the key to each.

    python -m lmcourse.exam midterm --roster class.csv --out private/midterm
    python -m lmcourse.exam final --students "Ada Lovelace" "Alan Turing" --out private/final
    python -m lmcourse.exam practice --roster class.csv --out private/practice

``private/midterm/papers/`` contains what you hand out, ``keys/`` the solved papers and ``answers.csv`` the
right values. The same seed and name give the same paper, so a student who comes late can be added: run the
command again with the new list. Without ``--seed`` a secret one is drawn and kept in the folder, which is
best: anybody who guesses a seed can compute every paper and its answers.

With ``--print``, papers and keys for print are added, as HTML and PDF. With ``--retake-of``, a paper shares
no number with those that the student has in earlier folders. With ``--bank``, the exam is your own:
``FOLDER/NAME.py``. The guide for instructors has an example.

To grade: python -m lmcourse.grade_class submissions/ --exam private/midterm --out results/

Exit status: 0 when all papers were made; 1 when they could not be; 2 for a wrong command.
"""

import argparse
import secrets
import sys
from pathlib import Path

from tqdm import tqdm

from lmcourse.exams import EXAMS, Exam, find
from lmcourse.exams.bank import VARIANTS, BankError, check_exam, read_bank
from lmcourse.exams.task import InvalidTask
from lmcourse.grading.classroom.roster import read_roster
from lmcourse.grading.errors import GradingError
from lmcourse.grading.papers.folder import ExamFolder, make
from lmcourse.site.printed_exams import UnsetFormula, print_exam

__all__ = ["main"]

GUESSED = 2**48
WARNING = (
    "WARNING: this seed is small enough to be guessed. Anybody can try all such seeds, and with the right one"
    " compute every paper and all its answers. Leave --seed out, and a secret one is drawn. If you need your"
    " own, draw it from all numbers up to 2**63."
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lmcourse.exam", description="Make an exam for a class.")
    parser.add_argument("exam", help=f"{', '.join(EXAMS)}, or the name of your own with --bank")
    parser.add_argument("--bank", type=Path, metavar="FOLDER", help="where your own exams are, as NAME.py")
    people = parser.add_mutually_exclusive_group(required=True)
    people.add_argument("--roster", type=Path, metavar="FILE", help="a CSV of the class, as for grading")
    people.add_argument("--students", nargs="+", metavar="NAME", help="their names")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="a private folder")
    parser.add_argument("--seed", type=int, metavar="N", help="secret; by default the folder's, or a new one")
    parser.add_argument(
        "--retake-of",
        nargs="+",
        type=Path,
        default=[],
        metavar="FOLDER",
        help="share nothing with these papers",
    )
    parser.add_argument("--print", action="store_true", help="write papers and keys for print, too")
    options = parser.parse_args(arguments)
    if options.bank is None and options.exam not in EXAMS:
        parser.error(
            f"there is no exam {options.exam!r}: choose from {', '.join(EXAMS)}, or give --bank FOLDER"
        )
    try:
        if options.seed is not None and abs(options.seed) < GUESSED:
            print(WARNING, file=sys.stderr)
        exam = _own(options.bank, options.exam) if options.bank else find(options.exam)
        people = options.students or read_roster(options.roster)
        seed = _seed(options.out) if options.seed is None else options.seed
        with tqdm(total=len(people), unit="paper", disable=None) as bar:
            before = [ExamFolder.read(place) for place in options.retake_of]
            folder = make(exam, people, seed, options.out, lambda name: bar.update(), before, options.bank)
        printed = _print(folder) if options.print else ""
    except (GradingError, BankError, InvalidTask, UnsetFormula, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    points, minutes = folder.exam.points, folder.exam.minutes
    count = len(folder.students)
    papers = "1 paper" if count == 1 else f"{count} papers"
    there = f"{'is' if count == 1 else 'are'} in {options.out}/papers/"
    print(f"{papers} ({points} points, {minutes} minutes) {there}.")
    print(f"Keep {options.out}/keys/, answers.csv and exam.json (seed {seed}) to yourself.")
    if printed:
        print(printed)
    return 0


def _own(bank: Path, name: str) -> Exam:
    """Read an exam of a lecturer's own, and check it on many variants."""
    exam = read_bank(bank, name)
    with tqdm(total=VARIANTS, desc="checking", unit="variant", disable=None) as bar:
        check_exam(exam, bar.update)
    return exam


def _print(folder: ExamFolder) -> str:
    """Write the papers and keys for print; return what is there, in a sentence."""
    students = [(n, folder.variant(n), label, folder.folders[n]) for n, label in folder.students.items()]
    with tqdm(total=len(students), unit="print", disable=None) as bar:
        return print_exam(folder.exam, students, folder.place / "print", lambda name: bar.update())


def _seed(out: Path) -> int:
    """The seed of the folder, so that papers that were handed out stay as they are; else a new one."""
    return ExamFolder.read(out).seed if (out / "exam.json").exists() else secrets.randbelow(2**63)


if __name__ == "__main__":
    sys.exit(main())
