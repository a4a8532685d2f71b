"""An exam of a class in a private folder: papers to hand out, keys to grade with, and a table of answers.

    FOLDER/exam.json                     the exam, its seed, and who has which paper
    FOLDER/papers/STUDENT/EXAM.ipynb     hand this out
    FOLDER/keys/STUDENT/EXAM/EXAM.ipynb  the solved paper: keep it
    FOLDER/answers.csv                   the right values of every paper

A student's paper follows from exam, seed and name alone, so it does not change when somebody joins.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path

from course.exams import EXAMS, Exam, find
from course.exams.paper import answers, label_of, papers
from course.grading.cells import GradingError, read_cells
from course.grading.collecting import Submission
from course.grading.roster import name_key
from course.grading.tables import write_table
from course.notebooks import to_text, write_text

__all__ = ["ExamFolder", "make"]

PAPER = re.compile(r"· paper (?P<label>[A-Z2-7]{5}) ·")


def make(
    exam: Exam,
    names: Sequence[str],
    seed: int,
    out: Path,
    told: Callable[[str], None] = lambda name: None,
) -> ExamFolder:
    """Write a paper and a key for each student; return the folder.

    Parameters
    ----------
    exam : Exam
    names : sequence of str
        The students, as the roster names them.
    seed : int
        Secret: whoever has it can compute every paper.
    out : Path
        A private folder. When it holds this exam with this seed, students are added.
    told : callable
        Is told each name whose paper is written.

    Raises
    ------
    GradingError
        When two names would be one student's, or the folder holds another exam.
    """
    there = ExamFolder.read(out) if (out / "exam.json").exists() else None
    if there and (there.exam.name, there.seed) != (exam.name, seed):
        raise GradingError(
            f"{out} holds the {there.exam.name} with another seed or name. Give --out another folder, so that"
            " no paper that was handed out loses its key."
        )
    students = dict(there.students) if there else {}
    for name in names:
        other = next((n for n in students if name_key(n) == name_key(name) and n != name), None)
        if not name_key(name) or other is not None:
            problem = f"{name!r} and {other!r} would be the same student" if other else f"{name!r} is no name"
            raise GradingError(f"{problem}. Add a number or a login to the names.")
        students[name] = label_of(exam.name, variant_seed(exam.name, seed, name))
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)
    folder = ExamFolder(out, exam, seed, students)
    table = [["student", "paper", *(part.name for part in exam.parts(0))]]
    for name, label in students.items():
        variant = variant_seed(exam.name, seed, name)
        paper, key = papers(exam, variant, label, name)
        write_text(folder.paper(name), to_text(paper))
        write_text(folder.keys(name) / exam.name / f"{exam.name}.ipynb", to_text(key))
        table.append([name, label, *answers(exam, variant).values()])
        told(name)
    write_table(out / "answers.csv", table)
    record = {"exam": exam.name, "seed": seed, "students": students}
    write_text(out / "exam.json", json.dumps(record, ensure_ascii=False, indent=1) + "\n")
    return folder


def variant_seed(exam: str, seed: int, name: str) -> int:
    """The seed of a student's paper, from which nobody finds that of the class."""
    digest = hashlib.sha256(f"{exam}\n{seed}\n{name_key(name)}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


@dataclasses.dataclass(frozen=True)
class ExamFolder:
    """A private folder with the papers and keys of a class.

    Attributes
    ----------
    place : Path
    exam : Exam
    seed : int
    students : dict of str to str
        The label of each student's paper.
    """

    place: Path
    exam: Exam
    seed: int
    students: dict[str, str]

    @classmethod
    def read(cls, place: Path) -> ExamFolder:
        """Read a folder that `make` has written.

        Raises
        ------
        GradingError
            When there is none.
        """
        try:
            data = json.loads((place / "exam.json").read_text(encoding="utf-8"))
            exam, seed, students = data["exam"], int(data["seed"]), dict(data["students"])
        except (OSError, ValueError, KeyError, TypeError):
            raise GradingError(
                f"{place} is no folder of an exam: its exam.json is missing or cannot be read. Make one with"
                " python -m course.exam make."
            ) from None
        if exam not in EXAMS:
            raise GradingError(f"{place} holds the exam {exam!r}, which is not one of {', '.join(EXAMS)}.")
        return cls(place, find(exam), seed, students)

    def paper(self, name: str) -> Path:
        """Where a student's paper lies."""
        return self.place / "papers" / self._slug(name) / f"{self.exam.name}.ipynb"

    def keys(self, name: str) -> Path:
        """The folder that stands for ``solutions/`` when this student is graded."""
        return self.place / "keys" / self._slug(name)

    def owner(self, *names: str) -> str | None:
        """The student of one of these names, in whatever spelling systems give it."""
        wanted = {name_key(name) for name in names}
        return next((name for name in self.students if name_key(name) in wanted), None)

    def claim(self, submission: Submission) -> Submission:
        """The submission, or why it has no key."""
        if submission.empty or submission.problem:
            return submission
        if self.owner(submission.student, *submission.aliases) is None:
            problem = f"No paper of this exam was made for {submission.student!r}, so there is no key."
            return dataclasses.replace(submission, path=None, problem=problem)
        return submission

    def solutions(self, submission: Submission) -> Path:
        """The folder with the key of a submission that has one."""
        return self.keys(self.owner(submission.student, *submission.aliases))

    def remark(self, student: str, data: bytes) -> str:
        """Say so when a student hands in the paper of somebody else; else nothing."""
        try:
            cells, _ = read_cells(data)
        except (GradingError, UnicodeError):
            return ""
        found = {m["label"] for cell in cells if cell.kind == "text" for m in PAPER.finditer(cell.source)}
        if not found or self.students[student] in found:
            return ""
        owners = [name for name, label in self.students.items() if label in found]
        whose = f"that of {owners[0]}" if owners else "of nobody here"
        return f"hands in paper {min(found)}, {whose}; graded by the key of paper {self.students[student]}"

    def _slug(self, name: str) -> str:
        return Submission(name, None).slug
