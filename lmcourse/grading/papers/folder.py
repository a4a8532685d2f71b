"""The private folder of an exam: papers to hand out, keys to grade with, and a table of answers.

    FOLDER/exam.json                     the exam, its seed, who has which paper, and the roster's columns
    FOLDER/papers/STUDENT/EXAM.ipynb     hand this out
    FOLDER/keys/STUDENT/EXAM/EXAM.ipynb  the solved paper: keep it
    FOLDER/answers.csv                   the right values of every paper
    FOLDER/bank/EXAM.py                  the questions, if they are a lecturer's own

A student's paper follows from exam, seed and name alone, so it does not change when somebody joins. A paper
that is in the folder is not written again: it may have been handed out.
"""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from lmcourse.exams import EXAMS, Exam, find
from lmcourse.exams.bank import BankError, copy_in, use_bank
from lmcourse.exams.paper import answers, in_common, label_of, papers
from lmcourse.files.notebooks import to_text, write_bytes, write_text
from lmcourse.grading.classroom.collecting import Submission
from lmcourse.grading.classroom.file_names import file_name, former_file_name
from lmcourse.grading.classroom.roster import Person, comparable
from lmcourse.grading.classroom.tables import write_table
from lmcourse.grading.errors import GradingError
from lmcourse.grading.papers.owners import Claims, Owners, identifiers, note_on_foreign_paper

__all__ = ["ExamFolder", "make"]

MOST_DRAWS = 100
"""Of how many variants a student's retake is the one that has least in common with the earlier papers."""


def make(
    exam: Exam,
    people: Sequence[str | Person],
    seed: int,
    out: Path,
    progress: Callable[[str], None] = lambda name: None,
    retake_of: Sequence[ExamFolder] = (),
    bank: Path | None = None,
) -> ExamFolder:
    """Write a paper and a key for each student; return the folder.

    Parameters
    ----------
    exam : Exam
    people : sequence of str or Person
        The students: their names, or their rows of a roster.
    seed : int
        Keep it secret: every paper can be computed from it.
    out : Path
        A private folder. If it already has this exam with this seed, students are added.
    progress : callable
        Called with each name whose paper is written.
    retake_of : sequence of ExamFolder
        Earlier papers of the same exam: those who have one there get a paper that shares no number with it.
    bank : Path, optional
        The folder that the exam was read from; the exam's file is copied to ``out``.

    Raises
    ------
    GradingError
        If two names would be the same student's, or if the folder has another exam.
    """
    earlier = ExamFolder.read(out) if (out / "exam.json").exists() else None
    if earlier and (earlier.exam.name, earlier.seed) != (exam.name, seed):
        raise GradingError(
            f"{out} contains the {earlier.exam.name} with another seed or name. Give --out another folder, so"
            " that no paper that was handed out loses its key."
        )
    if other := next((before for before in retake_of if before.exam.name != exam.name), None):
        raise GradingError(
            f"{other.place} contains the {other.exam.name}, so this {exam.name} shares no task with it. Leave"
            " --retake-of out."
        )
    if any(before.place.resolve() == out.resolve() for before in retake_of):
        raise GradingError(f"{out} contains the earlier papers. Give --out another folder for the retake.")
    own = copy_in(bank, exam.name) if bank else b""
    copied = out / "bank" / f"{exam.name}.py"
    if own and copied.exists() and copied.read_bytes() != own:
        raise GradingError(
            f"{bank}/{exam.name}.py has changed since the papers in {out} were made from it. Give --out"
            f" another folder, or undo the change: {copied} is the file as it was."
        )
    folder = _with_students(earlier or ExamFolder(out, exam, seed, {}, {}, {}), people, retake_of)
    out.mkdir(parents=True, exist_ok=True)
    out.chmod(0o700)
    if own:
        write_bytes(copied, own)
    write_text(out / "exam.json", folder.record())
    table: list[list] = [["student", "paper", *(task.name for task in exam.tasks(0))]]
    for name, label in folder.students.items():
        variant = folder.variant(name)
        key = folder.solutions_of(name) / exam.name / f"{exam.name}.ipynb"
        if not (folder.paper(name).exists() and key.exists()):
            paper, solved = papers(exam, variant, label, name)
            write_text(folder.paper(name), to_text(paper))
            write_text(key, to_text(solved))
        table.append([name, label, *answers(exam, variant).values()])
        progress(name)
    write_table(out / "answers.csv", table)
    return folder


def _with_students(
    folder: ExamFolder, people: Sequence[str | Person], retake_of: Sequence[ExamFolder]
) -> ExamFolder:
    """Return the folder with more students, and with what the roster now says about the earlier ones."""
    named = [Person({"student": person}) if isinstance(person, str) else person for person in people]
    students, known, folders = dict(folder.students), dict(folder.people), dict(folder.folders)
    draws = dict(folder.draws)
    for name, person in _named(folder, named):
        other = next((n for n in students if comparable(n) == comparable(name) and n != name), None)
        if not comparable(name) or other is not None:
            problem = (
                f"{name!r} and {other!r} would be the same student" if other else f"{name!r} is not a name"
            )
            raise GradingError(f"{problem}. Add a number or a login to the names.")
        if name not in students and (draw := _draw_apart(folder, name, person, retake_of)):
            draws[name] = draw
        variant = variant_seed(folder.exam.name, folder.seed, name, draws.get(name, 0))
        students[name] = label_of(folder.exam.name, variant)
        known[name] = Person({**(known[name].fields if name in known else {}), **person.fields})
        folders.setdefault(name, file_name(name))
    return dataclasses.replace(folder, students=students, people=known, folders=folders, draws=draws)


def _draw_apart(folder: ExamFolder, name: str, person: Person, retake_of: Sequence[ExamFolder]) -> int:
    """Return the draw whose paper has least in common with the student's earlier ones, and no number."""
    taken = []
    for before in retake_of:
        found = before.owners.named(name, person.name, *identifiers(person))
        if len(found) > 1:
            raise GradingError(
                f"{name!r} fits several students of {before.place}: {', '.join(sorted(found))}. Write the"
                " name as it is there, or add a login to the list of the class."
            )
        taken += [folder.exam.tasks(before.variant(found.pop()))] if found else []
    best: tuple[int, int] | None = None
    for draw in range(MOST_DRAWS if taken else 1):
        variant = variant_seed(folder.exam.name, folder.seed, name, draw)
        tasks = folder.exam.tasks(variant) if taken else ()
        shared = [in_common(tasks, other) for other in taken]
        if any(numbers for numbers, _ in shared):
            continue
        best = min(filter(None, (best, (sum(len(choices) for _, choices in shared), draw))))
        if best[0] == 0:
            break
    if best is None:
        raise GradingError(
            f"Each of {MOST_DRAWS} papers for {name} shares a number with an earlier one. Give fewer folders"
            " to --retake-of, or another seed."
        )
    return best[1]


def _named(folder: ExamFolder, people: Sequence[Person]) -> Iterator[tuple[str, Person]]:
    """Yield each student with a name; if two share one, with a login or a number added."""
    counted = Counter(comparable(person.name) for person in people)
    for person in people:
        before = folder.people.get(person.name)
        own = set(identifiers(person))
        known = set(identifiers(before)) if before else set()
        same = before is not None and (own & known or not own or not known)
        alone = before is None and counted[comparable(person.name)] == 1
        yield person.name if same or alone or not own else f"{person.name} ({identifiers(person)[0]})", person


def variant_seed(exam: str, seed: int, name: str, draw: int = 0) -> int:
    """Return the seed of a student's paper; it does not reveal the seed of the class.

    ``draw`` is above 0 for a retake whose first draws share something with an earlier paper.
    """
    again = f"\n{draw}" if draw else ""
    digest = hashlib.sha256(f"{exam}\n{seed}\n{comparable(name)}{again}".encode()).digest()
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
    people : dict of str to Person
        The roster's columns for each student.
    folders : dict of str to str
        The name of each student's folder in ``papers/`` and ``keys/``.
    draws : dict of str to int
        Which draw each paper of a retake is, where it is not the first.
    """

    place: Path
    exam: Exam
    seed: int
    students: dict[str, str]
    people: dict[str, Person]
    folders: dict[str, str]
    draws: dict[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def read(cls, place: Path) -> ExamFolder:
        """Read a folder that `make` has written.

        Raises
        ------
        GradingError
            If it is missing or cannot be read.
        """
        try:
            data = json.loads((place / "exam.json").read_text(encoding="utf-8"))
            exam, seed, students = data["exam"], int(data["seed"]), dict(data["students"])
            people = {n: Person(dict(data.get("people", {}).get(n, {"student": n}))) for n in students}
            folders = {n: data.get("folders", {}).get(n) or _old_folder(place, n) for n in students}
            draws = {n: int(draw) for n, draw in data.get("draws", {}).items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise GradingError(
                f"{place} is not the folder of an exam: its exam.json is missing or cannot be read. Make one"
                " with python -m lmcourse.exam."
            ) from None
        try:
            if exam not in EXAMS and use_bank(place, exam) is None:
                raise GradingError(
                    f"{place} contains the exam {exam!r}, which is not one of {', '.join(EXAMS)}, and there"
                    f" is no {place}/bank/{exam}.py."
                )
        except BankError as error:
            raise GradingError(str(error)) from None
        return cls(place, find(exam), seed, students, people, folders, draws)

    def record(self) -> str:
        """What `read` reads."""
        people = {name: person.fields for name, person in self.people.items()}
        known = {"students": self.students, "people": people, "folders": self.folders}
        known |= {"draws": self.draws} if self.draws else {}
        data = {"exam": self.exam.name, "seed": self.seed, **known}
        return json.dumps(data, ensure_ascii=False, indent=1) + "\n"

    def paper(self, name: str) -> Path:
        """Return the path of a student's paper."""
        return self.place / "papers" / self.folders[name] / f"{self.exam.name}.ipynb"

    def solutions_of(self, name: str) -> Path:
        """Return the folder that replaces ``solutions/`` when this student is graded."""
        return self.place / "keys" / self.folders[name]

    def variant(self, name: str) -> int:
        """Return the seed of a student's paper."""
        return variant_seed(self.exam.name, self.seed, name, self.draws.get(name, 0))

    @functools.cached_property
    def owners(self) -> Owners:
        """Return what finds the students by any of their names."""
        return Owners(self.students, self.people, self.folders)

    def claims(self, submissions: Sequence[Submission]) -> Claims:
        """Return which student's key grades each submission."""
        return Claims(self.owners, self.solutions_of, submissions)

    def owner(self, name: str | None, data: bytes) -> str:
        """Return the student of this name, or without a name the student whose paper the notebook is.

        Raises
        ------
        GradingError
            If no student fits, or several do.
        """
        if name is None:
            label, owner = self.owners.labelled(data)
            if owner is None:
                what = (
                    f"the paper {label}, which is of nobody here" if label else "without the label of a paper"
                )
                raise GradingError(f"The notebook is {what}. Say whose it is with --student.")
            return owner
        found = self.owners.named(name)
        if len(found) == 1:
            return found.pop()
        if found:
            raise GradingError(
                f"{name!r} fits several students: {', '.join(sorted(found))}. Give more of the name."
            )
        raise GradingError(f"No paper of {self.place} is {name!r}'s. Papers: {', '.join(self.students)}.")

    def remark(self, student: str, data: bytes) -> str:
        """Return a note if a notebook is the paper of somebody else; else an empty text."""
        label, owner = self.owners.labelled(data)
        if not label or label == self.students[student]:
            return ""
        return note_on_foreign_paper(label, owner, self.students[student])


def _old_folder(place: Path, name: str) -> str:
    """Return the name of a student's folder in an exam that an earlier version made."""
    former = former_file_name(name)
    return former if (place / "keys" / former).exists() else file_name(name)
