"""Whose paper a submission is: by its name, in any form that a system gives it, or by the paper's own label.

The name decides: a student who hands in somebody else's paper is graded by their own key. The label decides
if the name fits nobody, or several students. What remains unclear is reported, not guessed.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from lmcourse.exams import EXAMS
from lmcourse.grading.classroom.collecting import Submission
from lmcourse.grading.classroom.roster import Finder, Person, comparable
from lmcourse.grading.notebook.reading import UnreadableNotebook, read_cells, read_file

LABEL = re.compile(r"[A-Z2-7]{5}")
PAPER = re.compile(rf"· paper (?P<label>{LABEL.pattern}) ·")
MOST_LOOKED_AT = 2_000_000
"""Bytes of a notebook that are searched for the label of its paper; a paper has less than a tenth of that."""

KINDS = {"login": "login", "number": "student number", "id": "identifier", "email": "email address"}
"""What a note calls the value in a column of the roster."""


class Owners:
    """The students of an exam, who can be found by any of their names.

    Parameters
    ----------
    students : dict of str to str
        The label of each student's paper.
    people : dict of str to Person
        The roster's columns for each student.
    folders : dict of str to str
        The name of the folder that each student was given.
    """

    def __init__(self, students: Mapping[str, str], people: Mapping[str, Person], folders: Mapping[str, str]):
        self.students, self.people = students, people
        self.finder: Finder[str] = Finder()
        for name, label in students.items():
            self.finder.add(name, people[name], name, folders[name], label)

    def named(self, *names: str) -> set[str]:
        """Return the students whom the names fit."""
        return self.finder.find(*names)[1]

    def labelled(self, data: bytes) -> tuple[str, str | None]:
        """Return the label that a notebook carries (empty if none or several), and its student."""
        labels = labels_in(data)
        label = labels.pop() if len(labels) == 1 else ""
        return label, next((name for name, own in self.students.items() if own == label), None)

    def kind(self, owner: str, *names: str) -> str:
        """Return what one of these names is: the student's login, student number, or else a name."""
        person, keys = self.people[owner], {comparable(name) for name in names} - {""}
        if comparable(owner) not in keys:
            for column, kind in KINDS.items():
                if comparable(person[column]) in keys:
                    return kind
        return "name"


def identifiers(person: Person) -> list[str]:
    """Return what distinguishes a student from others of the same name."""
    return [person[column] for column in ("login", "number", "id", "email") if person[column]]


def exam_of(data: bytes) -> tuple[str, str]:
    """Return the exam that a notebook names as its own, and its label; empty texts if it names none."""
    exam = _course(data).get("exam")
    return exam if exam in EXAMS else "", min(labels_in(data), default="")


def labels_in(data: bytes) -> set[str]:
    """The labels of papers in a notebook: near the beginning of its text, or else in its metadata.

    The file is untrusted, and this is the process of the whole class, so only as much is read as a paper has.
    """
    text = data[:MOST_LOOKED_AT].decode(_encoding(data), "ignore").replace("\\u00b7", "·")
    written = {match["label"] for match in PAPER.finditer(text)}
    if written or len(data) > MOST_LOOKED_AT:
        return written
    stored = _course(data).get("paper")
    return {stored} if isinstance(stored, str) and LABEL.fullmatch(stored) else set()


def _course(data: bytes) -> dict:
    """Return what the metadata of a notebook says about its exam; nothing if the file is not a notebook."""
    try:
        course = read_cells(data)[1].get("course")
    except UnreadableNotebook:
        return {}
    return course if isinstance(course, dict) else {}


def _encoding(data: bytes) -> str:
    return "utf-16" if data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8"


class Claims:
    """The submissions of a class, each with the student whose key grades it.

    Attributes
    ----------
    submissions : list of Submission
        Those without a key have a ``problem``.
    notes : dict of str to str
        Notes for the instructor, by the submission's name.
    about : dict of str to list of str
        Notes for the instructor on students whose paper somebody else handed in, by the student's name in
        the exam.
    """

    def __init__(
        self, owners: Owners, solutions_of: Callable[[str], Path], submissions: Sequence[Submission]
    ):
        self.owners, self.solutions_of = owners, solutions_of
        self.owner: dict[str, str] = {}
        self.notes: dict[str, str] = {}
        self.about: dict[str, list[str]] = {}
        self.by_name = {s.student: owners.named(s.student, *s.aliases) for s in submissions}
        self.taken = {next(iter(fit)): s for s in submissions if len(fit := self.by_name[s.student]) == 1}
        self.submissions = [self._claim(submission) for submission in submissions]

    def solutions(self, submission: Submission) -> Path:
        """Return the folder with the key of a submission that has one."""
        return self.solutions_of(self.owner[submission.student])

    def notes_for(self, student: str, person: Person) -> list[str]:
        """Return the notes for a row of the class: on its submission, and on the student's own paper."""
        own = [self.notes[student]] if student in self.notes else []
        names = (person.name, *identifiers(person))
        fitting = {self.owner[student]} if student in self.owner else self.owners.named(*names)
        return own + (self.about.get(next(iter(fitting)), []) if len(fitting) == 1 else [])

    def _claim(self, submission: Submission) -> Submission:
        """Return the submission with its student's name, or with the reason that it has no key."""
        fitting = self.by_name[submission.student]
        if submission.empty or submission.problem:
            return submission
        label, labelled = self.owners.labelled(_data(submission.path))
        if len(fitting) == 1:
            (owner,) = fitting
            own = self.owners.students[owner]
            if label and label != own:
                self.notes[submission.student] = note_on_foreign_paper(label, labelled, own)
                self._tell(label, labelled, submission, owner)
            return self._owned(submission, owner)
        if labelled is None or (fitting and labelled not in fitting):
            return dataclasses.replace(submission, path=None, problem=_unknown(submission, fitting, label))
        if labelled in self.taken:
            other = self.taken[labelled].student
            problem = (
                f"This is the paper {label} of {labelled}, but {other!r} is theirs by its name. Keep one."
            )
            return dataclasses.replace(submission, path=None, problem=problem)
        self.notes[submission.student] = f"known by the label {label} of the paper as {labelled}"
        return self._owned(submission, labelled)

    def _tell(self, label: str, labelled: str | None, submission: Submission, owner: str) -> None:
        """Add a note for the student whose paper was handed in under the name of somebody else."""
        if labelled is None:
            return
        kind = self.owners.kind(owner, submission.student, *submission.aliases)
        self.about.setdefault(labelled, []).append(
            f"paper {label} of this student was handed in as {submission.student!r}, which is the {kind} of"
            f" {owner}; graded by the key of {owner}"
        )

    def _owned(self, submission: Submission, owner: str) -> Submission:
        self.owner[submission.student] = owner
        known = (owner, *identifiers(self.owners.people[owner]))
        return dataclasses.replace(submission, aliases=(*submission.aliases, *known))


def note_on_foreign_paper(label: str, owner: str | None, own: str) -> str:
    """Return a note on a paper that belongs to somebody else."""
    whose = f"that of {owner}" if owner else "of nobody here"
    return f"hands in paper {label}, {whose}; graded by the key of paper {own}"


def _unknown(submission: Submission, fitting: set[str], label: str) -> str:
    """Return why a submission has no key, and what to do."""
    whose = "none of them" if fitting else "nobody here"
    carries = (
        f"carries the label {label}, which belongs to {whose}" if label else "carries no label of a paper"
    )
    if fitting:
        return (
            f"The name {submission.student!r} fits several students ({', '.join(sorted(fitting))}), and the"
            f" notebook {carries}. Rename it by the label of the student's paper."
        )
    return (
        f"No paper of this exam was made for {submission.student!r}, and the notebook {carries}. Rename it by"
        " the student's name, login or paper label."
    )


def _data(path: Path | None) -> bytes:
    try:
        return read_file(path) if path else b""
    except OSError:
        return b""
