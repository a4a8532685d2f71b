"""Who is in the class: the roster, and a row for everyone with what was handed in."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from course.grading.cells import GradingError
from course.grading.collecting import Submission
from course.grading.result import Result
from course.grading.tables import read_table

COLUMNS = {
    "student": ("student", "name", "full name", "fullname"),
    "first": ("first name", "firstname", "given name"),
    "last": ("surname", "last name", "lastname", "family name"),
    "id": ("id", "student id", "canvas id"),
    "number": ("sis user id", "id number", "idnumber", "number"),
    "login": ("sis login id", "username", "login", "user"),
    "email": ("email address", "email", "e-mail", "mail"),
    "section": ("section", "group"),
}
"""The names of a roster's columns, in lower case: our own, and those of the exports of Canvas and Moodle."""


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
    def keys(self) -> set[str]:
        """By what a folder may be named for this student."""
        first, comma, last = self["student"].partition(",")
        turned = f"{last} {first}" if comma else ""
        columns = (self[column] for column in ("student", "id", "number", "login", "email"))
        texts = [*columns, self["email"].partition("@")[0], turned, f"{self['first']} {self['last']}"]
        return {key for text in [*texts, f"{self['last']} {self['first']}"] if (key := name_key(text))}


@dataclass
class Row:
    """A student in the tables: on the roster, or with a submission, or both."""

    student: str
    person: Person
    result: Result | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def status(self) -> str:
        """One of "graded", "zero", "could not be run", "not submitted"."""
        if self.result is None:
            return "not submitted"
        statuses = {task.status for task in self.result.tasks if task.status != "by hand"}
        if self.result.problem or statuses == {"could not run"}:
            return "could not be run"
        return "graded" if self.result.points else "zero"

    @property
    def points(self) -> float | None:
        """The total so far; None when there is nothing to give points for."""
        return self.result.points if self.status in ("graded", "zero") else None


def read_roster(path: Path) -> list[Person]:
    """Read a roster: a CSV of your own, or the export of Canvas or Moodle as it is.

    Raises
    ------
    GradingError
        When no column names the students.
    """
    people = []
    for line in read_table(path):
        lower = {name.strip().lower(): text for name, text in line.items()}
        found = {ours: [lower[n] for n in names if lower.get(n)] for ours, names in COLUMNS.items()}
        person = Person({ours: texts[0] for ours, texts in found.items() if texts})
        if person.name and "points possible" not in person.name.lower():
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
    """Bring roster and submissions together: a row for everyone, in the order of the roster."""
    owners: dict[str, list[int]] = {}
    for i, person in enumerate(people):
        for key in person.keys:
            owners.setdefault(key, []).append(i)
    rows = {i: Row(person.name, person) for i, person in enumerate(people)}
    others = []
    for submission in submissions:
        places = next(
            (o for name in (submission.student, *submission.aliases) if (o := owners.get(name_key(name)))), []
        )
        result = results.get(submission.student)
        if len(places) == 1 and rows[places[0]].result is None:
            row = rows[places[0]]
            row.student, row.result = submission.student, result
            continue
        row = Row(submission.student, Person({"student": submission.student}), result)
        if places:
            row.notes.append(
                "not matched: the roster has several of this name, or another submission is theirs"
            )
        elif people:
            row.notes.append("not on the roster")
        others.append(row)
    return [*rows.values(), *others]


def name_key(text: str) -> str:
    """A name without what systems change in it: case, accents' encoding, blanks and punctuation."""
    return re.sub(r"[\W_]+", "", unicodedata.normalize("NFKC", text)).casefold()
