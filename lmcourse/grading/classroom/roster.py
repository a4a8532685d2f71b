"""Who is in the class: the roster, and a row for each student with what they handed in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, TypeVar

from lmcourse.grading.classroom.collecting import Submission, participant
from lmcourse.grading.classroom.tables import read_table
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.result import Result

COLUMNS = {
    "student": ("student", "name", "full name", "fullname"),
    "first": ("first name", "firstname", "given name"),
    "last": ("surname", "last name", "lastname", "family name"),
    "id": ("id", "student id", "canvas id"),
    "number": ("sis user id", "id number", "idnumber", "number"),
    "login": ("sis login id", "username", "login", "user"),
    "email": ("email address", "email", "e-mail", "mail"),
    "section": ("section", "group"),
    "participant": ("identifier",),
    "status": ("status",),
}
"""The names of a roster's columns, in lower case: our own, and those of the exports of Canvas and Moodle.

Moodle's grading worksheet names the number that a submission's folder has ("Participant 657737"), and says of
a submission that it came late ("Submitted for grading - 2 hours late").
"""
Key = TypeVar("Key", bound=Hashable)
IDENTIFYING = ("student", "id", "number", "login", "email", "participant")
TEST_STUDENT = "Student, Test"
"""The test student in Canvas's exports, who is not a person."""


@dataclass(frozen=True)
class Person:
    """A student of the roster: its columns by our names, as in ``COLUMNS``."""

    fields: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "")

    @property
    def name(self) -> str:
        joined = f"{self['first']} {self['last']}".strip()
        return self["student"] or joined or self["login"] or self["email"] or self["number"] or self["id"]

    @property
    def late(self) -> bool:
        """Whether Moodle's grading worksheet says that the submission came late."""
        return re.search(r"\blate\b", self["status"]) is not None

    @property
    def names(self) -> list[str]:
        """The names that this student's folder may have, with the family name first and last."""
        family, comma, given = self["student"].partition(",")
        if not comma:
            given, _, family = self["student"].rpartition(" ")
        turned = f"{given} {family}" if comma else f"{family} {given}"
        columns = (self[column] for column in IDENTIFYING)
        texts = [*columns, self["email"].partition("@")[0], turned, f"{self['first']} {self['last']}"]
        return [*texts, f"{self['last']} {self['first']}"]


@dataclass
class Row:
    """A student in the tables: on the roster, or with a submission, or both.

    If ``open``, somebody has to decide whose submission it is, and the row is not exported.
    """

    student: str
    person: Person
    result: Result | None = None
    notes: list[str] = field(default_factory=list)
    late: bool = False
    submitted: bool = False
    open: bool = False

    @property
    def status(self) -> str:
        """One of "graded", "zero", "could not be run", "open", "not submitted"."""
        if self.open:
            return "open"
        if self.result is None:
            return "not submitted"
        statuses = {task.status for task in self.result.tasks if task.status != "by hand"}
        if self.result.problem or statuses == {"could not run"}:
            return "could not be run"
        return "graded" if self.result.points else "zero"

    @property
    def points(self) -> float | None:
        """The total so far; None if nothing can be given points."""
        return self.result.points if self.result and self.status in ("graded", "zero") else None


def read_roster(path: Path) -> list[Person]:
    """Read a roster: a CSV of your own, or the unchanged export of Canvas or Moodle.

    Raises
    ------
    GradingError
        If no column names the students.
    """
    people = []
    for line in read_table(path):
        lower = {name.strip().lower(): text for name, text in line.items()}
        found = {ours: [lower[n] for n in names if lower.get(n)] for ours, names in COLUMNS.items()}
        fields = {ours: texts[0] for ours, texts in found.items() if texts}
        if number := re.search(r"\d+", fields.get("participant", "")):
            fields["participant"] = participant(number[0])  # a Moodle in another language has another word
        person = Person(fields)
        not_a_student = "points possible" in person.name.lower() or person["student"] == TEST_STUDENT
        if person.name and not not_a_student:
            people.append(person)
    if not people:
        raise GradingError(
            f"{path} lists no student. Give it a header with one of these columns: student, first name and"
            " last name, login, email, id."
        )
    return people


def match(
    people: Sequence[Person], submissions: Iterable[Submission], results: dict[str, Result]
) -> list[Row]:
    """Bring roster and submissions together: a row for everyone, in the order of the roster.

    A submission goes to the student whom it fits best: a number, login, address or name as the roster writes
    it comes before a name spelled differently. If two fit equally well, neither is taken, and the rows of
    all say so.
    """
    handed = list(submissions)
    finder: Finder[int] = Finder()
    for i, person in enumerate(people):
        finder.add(i, person)
    rows = [Row(person.name, person) for person in people]
    claims: dict[int, list[tuple[tuple[bool, int], Submission]]] = {}
    unmatched: dict[str, str] = {}  # submission -> why it is not matched
    for submission in handed:
        rank, fitting = finder.find(submission.student, *submission.aliases)
        if len(fitting) == 1:
            claims.setdefault(fitting.pop(), []).append(((submission.empty, rank), submission))
        elif fitting:
            names = ", ".join(sorted(people[i].name for i in fitting))
            unmatched[submission.student] = f"it fits several of the roster ({names}); add a login"
    for i, claimed in claims.items():
        unmatched |= _settle(rows[i], claimed, results)
    taken = {row.student for row in rows if row.submitted}
    others = [
        _outside_the_roster(s, results, unmatched.get(s.student)) for s in handed if s.student not in taken
    ]
    for row in others if people else ():
        row.notes = row.notes or ["not on the roster"]
    return [*rows, *others]


def _settle(row: Row, claimed: list[tuple[tuple[bool, int], Submission]], results: dict) -> dict[str, str]:
    """Give a student the submission that fits best; return why the others are not matched."""
    best = min(rank for rank, _ in claimed)
    first, *more = [submission for rank, submission in claimed if rank == best]
    if not more or len({_content(s, results) for s in (first, *more)}) == 1:
        row.student, row.result, row.submitted = first.student, results.get(first.student), True
        row.late = first.late or row.person.late
        same = f"the same file as {first.student!r}, which counts"
        better = f"{first.student!r} fits {row.person.name} better; keep one of them"
        return {s.student: same if s in more else better for _, s in claimed if s is not first}
    names = ", ".join(repr(submission.student) for submission in (first, *more))
    row.open = True
    row.notes.append(f"several submissions fit equally well, and none was taken: {names}")
    equal = f"{names} fit {row.person.name} equally well; keep one of them"
    return {s.student: equal for _, s in claimed}


def _content(submission: Submission, results: dict[str, Result]) -> str:
    """Return what distinguishes a file from others."""
    result = results.get(submission.student)
    return (result.digest if result else "") or submission.student


def _outside_the_roster(submission: Submission, results: dict[str, Result], unmatched: str | None) -> Row:
    """Return the row of a submission that belongs to no student of the roster, or to an unclear one."""
    row = Row(submission.student, Person({"student": submission.student}), results.get(submission.student))
    row.late, row.submitted = submission.late, True
    if unmatched:
        row.notes.append(f"not matched: {unmatched}")
        row.open = not submission.empty
    return row


class Finder(Generic[Key]):
    """Finds students by their names. An exam and its roster use it, so that both match files in one way.

    A name fits best if it is in a column of the roster, or one that was added for the student. It fits less
    well if it is made from the columns (see `Person.names`), and least if it is only spelled differently (see
    `comparable`).
    """

    def __init__(self) -> None:
        self._tables: tuple[dict[str, set[Key]], ...] = ({}, {}, {})

    def add(self, student: Key, person: Person, *names: str) -> None:
        """Add a student, who is found by the columns of ``person`` and by other names."""
        own = {*names, *(person[column] for column in IDENTIFYING)}
        known = {*own, *person.names}
        for table, convert, texts in zip(self._tables, SPELLINGS, (own, known, known), strict=True):
            for key in {convert(text) for text in texts} - {""}:
                table.setdefault(key, set()).add(student)

    def find(self, *names: str) -> tuple[int, set[Key]]:
        """Return the rank of the best fit (0 is the best, 3 means none), and the students who fit.

        These are the students whom every name fits that fits anyone; if there is none, all whom a name fits.
        """
        found = [fit for name in names if (fit := self._find(name))[1]]
        students = [fitting for _, fitting in found]
        best = min((rank for rank, _ in found), default=len(SPELLINGS))
        return best, (set.intersection(*students) or set.union(*students)) if students else set()

    def _find(self, name: str) -> tuple[int, set[Key]]:
        for rank, (table, convert) in enumerate(zip(self._tables, SPELLINGS, strict=True)):
            if fitting := table.get(convert(name)):
                return rank, fitting
        return len(SPELLINGS), set()


def _composed(text: str) -> str:
    """Return a name with one encoding of accents and single blanks."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def comparable(text: str) -> str:
    """Return a name without the details that systems change: case, accents' encoding, blanks, punctuation."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()


SPELLINGS = (_composed, _composed, comparable)
"""How the names of each rank are compared."""
