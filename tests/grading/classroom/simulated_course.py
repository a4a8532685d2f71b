"""A whole course, simulated: sixty students, three sets and two exams, with marks known before grading.

    python -m tests.grading.classroom.simulated_course --out FOLDER --jobs 2

writes what the students hand in, and into ``FOLDER/deserved.csv`` what each of them deserves, before anything
is graded. It then grades as a lecturer does, fills in the marks by hand, and compares every table with what
was written down. Exit status: 0 if every mark is as deserved; else 1, and each difference is a line.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
import time
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tqdm import tqdm

from lmcourse import exam as exam_command
from lmcourse.files.notebooks import read
from lmcourse.files.places import ROOT
from lmcourse.grading.classroom.tables import read_table, write_table
from lmcourse.grading.outside.limits import Limits
from lmcourse.grading.papers.folder import ExamFolder, variant_seed
from lmcourse.grading.whole_class import grade_class
from tests.grading.classroom.simulated_work import (
    OF_EXAMS,
    OF_SETS,
    SetOfTheBook,
    Subject,
    Work,
    of_paper,
    points_of,
    value_on_paper,
)

COURSE = (
    ("02_cross_entropy", "canvas"),
    ("04_perplexity", "moodle"),
    ("05_ppl_bpc_conversion", "folders"),
    ("midterm", "folders"),
    ("final", "canvas"),
)
"""What is handed out, in order, and the system through which it comes back."""
LIMITS = Limits(call_seconds=10, cell_seconds=20)
"""Shorter than a lecturer's: endless loops wait for them."""
FAMILIES = ("Lovelace", "Turing", "Hopper", "Markov", "Shannon", "Jelinek", "Mercer", "Kneser", "Ney", "Katz")
FAMILIES += ("Good", "Witten", "Bell")
GIVEN = ("Ada", "Alan", "Grace", "Andrei", "Claude", "Máire", "Robert", "Reinhard", "Hermann", "Slava")
GIVEN += ("Irving", "Ian", "Tim", "Zoë")
CHINESE = ["王小明", "李娜", "張偉", "李娜", "刘洋", "陈静", "黃志強", "赵敏", "周杰", "吴芳", "徐磊", "孙丽"]
STRANGE = [("=SUM(A1)", "Eve"), ("O'Neil", "Sinéad"), ("von der Leyen-Müller", "Jörg"), ("X", "Æ")]


@dataclass(frozen=True)
class Student:
    number: int
    family: str
    given: str

    @property
    def sortable(self) -> str:
        return f"{self.family}, {self.given}" if self.given else self.family

    @property
    def full(self) -> str:
        return f"{self.given} {self.family}".strip()

    @property
    def login(self) -> str:
        return f"s{7000 + self.number}"


@dataclass
class Expected:
    """What one student deserves in one assignment; ``total`` counts the marks by hand."""

    kind: str
    status: str
    points: dict[str, int]
    may_crash: set[str]
    by_hand: float
    late: bool
    entry: str = ""
    note: str = ""

    @property
    def total(self) -> float | None:
        return sum(self.points.values()) + self.by_hand if self.status in ("graded", "zero") else None


def people(count: int) -> list[Student]:
    """The class: names in two scripts, one of them twice, and some that a spreadsheet would run."""
    western = [(family, given) for i, given in enumerate(GIVEN) for family in FAMILIES[i % 4 :: 4]]
    names = [(name, "") for name in CHINESE] + STRANGE + western
    return [Student(i, *names[i]) for i in range(count)]


def rosters(folder: Path, students: Sequence[Student], late: set[int] = frozenset()) -> dict[str, Path]:
    """The class as Canvas and Moodle export it, and as a table of one's own."""
    canvas = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section"], ["    Points Possible"]]
    moodle = [["Identifier", "Full name", "Email address", "Status", "Grade", "Maximum Grade"]]
    own = [["student", "login", "email", "number"]]
    for s in students:
        mail = f"{s.login}@university.example"
        canvas.append([s.sortable, 100 + s.number, f"N{s.number}", s.login, "1"])
        state = "Submitted for grading" + " - 2 hours 5 mins late" * (s.number in late)
        moodle.append([f"Participant {500 + s.number}", s.full, mail, state, "", "100.00"])
        own.append([s.sortable, s.login, mail, f"N{s.number}"])
    for name, table in (("canvas", canvas), ("moodle", moodle), ("folders", own)):
        with (folder / f"{name}.csv").open("w", newline="", encoding="utf-8-sig") as stream:
            csv.writer(stream).writerows(table)
    return {name: folder / f"{name}.csv" for name in ("canvas", "moodle", "folders")}


def entry_of(student: Student, name: str, layout: str, late: bool, folder_name: str) -> str:
    """The path at which a submission lies, below the folder of submissions."""
    i = student.number
    if layout == "canvas":
        words = re.sub(r"[^\w]", "", student.sortable.lower())
        return "_".join([words, *(["LATE"] if late else []), str(100 + i), str(9000 + i), f"{name}.ipynb"])
    if layout == "moodle":
        return f"{student.full}_{500 + i}_assignsubmission_file/{'final (1)' if i % 5 == 0 else name}.ipynb"
    suffix = "_LATE" if late else ""
    unique = student.sortable != "李娜"
    ways = [
        f"{folder_name or student.login}{suffix}/{name}.ipynb",
        f"{student.login}{suffix}.ipynb",
        f"{student.full if unique else student.login}{suffix}/my work.ipynb",
        f"{student.login}_{name}{suffix}.ipynb",
    ]
    return ways[i % len(ways)]


class Assignment:
    """One set or exam of the course: written, graded and compared."""

    def __init__(self, name: str, layout: str, students: Sequence[Student], place: Path, seed: int):
        self.name, self.layout, self.students, self.place = name, layout, students, place
        self.rng = Random(f"{seed} {name}")
        self.is_exam = not name[0].isdecimal()
        place.mkdir(parents=True, exist_ok=True)
        drawn = Random(f"{seed} {name} late")
        self.late = {s.number for s in students if drawn.random() < 0.15}
        self.rosters = rosters(place, students, self.late)
        self.handed, self.out = place / "submissions", place / "results"
        self.expected: list[Expected] = []

    def subjects(self) -> list[Subject]:
        """What each student gets: the same set, or a paper of their own."""
        if not self.is_exam:
            return [SetOfTheBook(self.name).subject] * len(self.students)
        self.folder = self.place / "private"
        options = ["--roster", str(self.rosters["canvas"]), "--out", str(self.folder)]
        assert exam_command.main([self.name, *options]) == 0
        self.papers = ExamFolder.read(self.folder)
        names = list(self.papers.students)
        found = []
        for name in tqdm(names, unit="paper", desc=f"{self.name}: answers", disable=None):
            variant = variant_seed(self.name, self.papers.seed, name)
            found.append(of_paper(self.papers.exam, variant, read(self.papers.paper(name))))
        return found

    def hand_in(self) -> None:
        """Write every submission, and note what it deserves."""
        kinds = OF_EXAMS if self.is_exam else OF_SETS
        few = len(self.students) < sum(count for _, count in kinds)
        queue = [(kind, i) for kind, count in kinds for i in range(1 if few else count)]
        queue += [queue[0]] * (len(self.students) - len(queue))
        self.rng.shuffle(queue)
        works = []
        for (kind, i), subject in zip(queue, self.subjects(), strict=False):
            work = Work.on(subject)
            kind(work, i, self.rng)
            works.append((kind.__name__, work))
        absent = {i for i, (_, work) in enumerate(works) if work.status == "not submitted"}
        self.late -= {self.students[i].number for i in absent}  # Moodle calls late only what it has
        self.rosters = rosters(self.place, self.students, self.late)
        for student, (kind, work) in zip(self.students, works, strict=True):
            self._note(student, kind, work)
        honest = [i for i, (kind, _) in enumerate(works) if kind == "perfect"]
        if self.is_exam and len(honest) > 2:
            self._hand_in_the_paper_of(works[honest[1]][1], honest[0], works[honest[0]][1].subject)
        for manner, i in zip(("the same", "another"), honest[3:], strict=False):
            self._twice(i, manner, works[i][1])
        lines = [
            [s.sortable, s.login, e.kind, e.status, e.total, *e.points.values(), e.by_hand]
            for s, e in zip(self.students, self.expected, strict=True)
        ]
        tasks = list(works[0][1].subject.questions)
        head = ["student", "login", "kind", "status", "total", *tasks, "by hand"]
        write_table(self.place / "deserved.csv", [head, *lines])

    def _note(self, student: Student, kind: str, work: Work) -> None:
        late = student.number in self.late
        points = {task: work.deserves.get(task, 0) for task in work.subject.questions}
        status = work.status or ("graded" if any(points.values()) else "zero")
        most = sum(work.subject.by_hand.values())
        by_hand = self.rng.choice([0, 1, 1.5, most]) if not work.status else 0
        if by_hand and status == "zero":
            status = "graded"
        folder_name = list(self.papers.folders.values())[student.number] if self.is_exam else ""
        entry = entry_of(student, self.name, self.layout, late, folder_name)
        self.expected.append(Expected(kind, status, points, work.may_crash, by_hand, late, entry))
        if work.status == "not submitted":
            if self.layout == "moodle":
                (self.handed / entry).parent.mkdir(parents=True)
            return
        self._write(entry, work.file())

    def _write(self, entry: str, data: bytes) -> None:
        path = self.handed / entry
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

    def _hand_in_the_paper_of(self, other: Work, i: int, own: Subject) -> None:
        """A student hands in somebody else's paper, and deserves what is right by their own key."""
        expected = self.expected[i]
        for task, source in other.answers.items():
            value = value_on_paper(source, own.variables[task])
            expected.points[task] = points_of(own.questions[task], value)
        expected.note = "hands in paper"
        self._write(expected.entry, other.file())

    def _twice(self, i: int, manner: str, work: Work) -> None:
        """A second file of the same student, with the same content or with another."""
        expected, student = self.expected[i], self.students[i]
        expected.kind += f", twice: {manner}"
        data = work.file() if manner == "the same" else work.file() + b"\n"
        if self.layout == "moodle":
            self._write(str(Path(expected.entry).with_name("copy.ipynb")), data)
        elif self.layout == "canvas":
            self._write(expected.entry.replace(f"_{9000 + i}_", f"_{9500 + i}_"), data)
        else:
            self._write(f"N{student.number}{'_LATE' * expected.late}.ipynb", data)
        if manner == "another" and self.layout != "folders":
            if Path(expected.entry).stem != self.name:  # else the one that is named like the set counts
                expected.status = "could not be run"
        elif manner == "another" and (
            self.is_exam or student.full == student.sortable or student.full not in expected.entry
        ):
            expected.status = "open"  # else the number fits better than a name that the roster turns round

    def grade(self, jobs: int) -> None:
        """Grade, mark by hand, and grade again, as a lecturer does."""
        settings = {"jobs": jobs, "limits": LIMITS}
        if self.is_exam:
            settings["exam_folder"] = ExamFolder.read(self.folder)
        else:
            settings["roster"] = self.rosters[self.layout]
        name = None if self.is_exam else self.name
        rows = grade_class(self.handed, name, self.out, solutions=ROOT / "solutions", **settings)
        marks = {row.student: e for row, e in zip(rows, self.expected, strict=False)}
        to_fill = read_table(self.out / "manual.csv")
        for line in to_fill:
            expected = marks.get(line["student"].removeprefix("'"))
            line["points"] = "" if expected is None else f"{expected.by_hand:g}"
            line["comment"] = "Say which base. 请写明底数。"
        filled = self.place / "marks.csv"
        write_table(filled, [list(to_fill[0]), *(list(line.values()) for line in to_fill)])
        grade_class(self.handed, name, self.out, solutions=ROOT / "solutions", manual=filled, **settings)

    def differences(self) -> list[str]:
        """Where a table is not as deserved; empty if everything is."""
        found = []
        lines = read_table(self.out / "results.csv")
        for student, expected, line in zip(self.students, self.expected, lines, strict=False):
            who = f"{self.name}, {student.sortable} ({expected.kind})"
            for what, is_, deserved in self._pairs(expected, line):
                if is_ != deserved:
                    found.append(f"{who}: {what} is {is_!r}, deserved {deserved!r}; {line['notes']}")
        canvas, moodle = (read_table(self.out / f"{system}.csv") for system in ("canvas", "moodle"))
        for table, column, nobody in ((canvas[1:], 5, ""), (moodle, 5, "-")):
            grades = [list(line.values())[column] for line in table]
            deserved = [nobody if e.total is None else f"{e.total:g}" for e in self.expected]
            if grades[: len(deserved)] != deserved:
                found.append(f"{self.name}: the export has {grades}, deserved {deserved}")
        return found + self._of_the_zip()

    def _of_the_zip(self) -> list[str]:
        with zipfile.ZipFile(self.out / "feedback.zip") as archive:
            there = {name.rpartition(".")[0] for name in archive.namelist()}
        entries = {
            e.entry: e
            for e in self.expected
            if e.status in ("graded", "zero", "could not be run") and "twice" not in e.kind
        }
        wanted = {
            str(Path(entry).with_name(self.name)) if "/" in entry else entry.removesuffix(".ipynb")
            for entry in entries
        }
        return [f"{self.name}: {name} is not in feedback.zip" for name in sorted(wanted - there)]

    def _pairs(self, expected: Expected, line: dict):
        yield "status", line["status"], expected.status
        if expected.status == "open":
            return
        yield "late", line["late"], "late" if expected.late else ""
        yield "total", line["total"], "" if expected.total is None else f"{expected.total:g}"
        if expected.note:
            yield "note", expected.note in line["notes"], True
        if expected.total is None:
            return
        cells = [text for name, text in line.items() if name.startswith("Task ")]
        names = list(expected.points)
        for task, text in zip(names, cells, strict=False):
            empty = text == "" and task in expected.may_crash
            yield task, text if not empty else "0", str(expected.points[task])


def run(out: Path, course=COURSE, count: int = 60, jobs: int = 2, seed: int = 1) -> list[str]:
    """Simulate a course; return where a mark is not as deserved."""
    students, found = people(count), []
    for name, layout in course:
        began = time.monotonic()
        assignment = Assignment(name, layout, students, out / name, seed)
        assignment.hand_in()
        written = time.monotonic()
        assignment.grade(jobs)
        graded = time.monotonic()
        found += assignment.differences()
        print(
            f"{name}: {count} students by {layout}, written in {written - began:.0f} s, graded in"
            f" {graded - written:.0f} s with {jobs} jobs; {len(found)} differences so far",
            flush=True,
        )
    return found


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(description="Simulate a course and compare every mark.")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="an empty folder")
    parser.add_argument("--jobs", type=int, default=2, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="another seed is another class")
    options = parser.parse_args(arguments)
    if options.out.exists() and any(options.out.iterdir()):
        parser.error(f"{options.out} is not empty. Give another folder.")
    found = run(options.out, jobs=options.jobs, seed=options.seed)
    print(*found, sep="\n")
    print("Every mark is as deserved." if not found else f"{len(found)} marks are not as deserved.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
