"""Whose paper a submission is: every name that a system gives it is known, and nothing is guessed."""

import json
import shutil
import unicodedata

import pytest

from lmcourse import exam as command
from lmcourse.exams import find
from lmcourse.grade import main as grade_main
from lmcourse.grading.classroom.collecting import collect
from lmcourse.grading.classroom.file_names import file_name, former_file_name
from lmcourse.grading.classroom.roster import Person, match
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.reading import MOST_BYTES, read_cells, read_file
from lmcourse.grading.papers.folder import ExamFolder, make
from lmcourse.grading.papers.owners import labels_in

ROSTER = """Student,ID,SIS User ID,SIS Login ID,Email,Section
    Points Possible,,,,,
"Lovelace, Ada",41,0012345,ada,countess@example.org,A1
"Turing, Alan",42,0012346,turing,alan@example.org,A1
"O'Neil, Máire",43,0012347,moneil,maire@example.org,A2
王小明,44,0012348,wxm,wxm@example.org,A2
Kim Lee,45,0012349,klee,klee@example.org,A2
Lee Kim,46,0012350,lkim,lkim@example.org,A2
"Student, Test",99,,testy,,A1
"""
ADA, ALAN, MAIRE, MING, KIM, LEE = [
    "Lovelace, Ada",
    "Turing, Alan",
    "O'Neil, Máire",
    "王小明",
    "Kim Lee",
    "Lee Kim",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A midterm for the class of the roster, read again from its file."""
    place = tmp_path_factory.mktemp("private")
    (place / "class.csv").write_text(ROSTER, encoding="utf-8")
    out = place / "midterm"
    assert command.main(["midterm", "--roster", str(place / "class.csv"), "--out", str(out)]) == 0
    return ExamFolder.read(out)


def _claimed(folder, submissions, names, source=None):
    """Hand in notebooks under these names; return the claims."""
    for name in names:
        path = submissions / name / "midterm.ipynb" if not name.endswith(".ipynb") else submissions / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if source:
            shutil.copy(source, path)
        else:
            path.write_text(json.dumps({"cells": [], "metadata": {}}), encoding="utf-8")
    return folder.claims(collect(submissions, "midterm"))


def test_rows_that_are_not_students_get_no_paper(folder):
    """Canvas's test student and the row of the points have no paper; a Chinese name stays what it is."""
    assert list(folder.students) == [ADA, ALAN, MAIRE, MING, KIM, LEE]
    assert folder.folders[MING] == "王小明" and folder.paper(MING).exists()
    assert folder.folders[ADA].startswith("Lovelace-Ada-")
    assert folder.people[ADA]["login"] == "ada"


@pytest.mark.parametrize(
    ("name", "owner"),
    [
        ("FOLDER", ADA),
        ("FOLDER.ipynb", ADA),
        ("FOLDER_midterm.ipynb", ADA),
        ("LABEL.ipynb", ADA),
        ("ada.ipynb", ADA),
        ("ADA", ADA),
        ("0012345.ipynb", ADA),
        ("countess@example.org.ipynb", ADA),
        ("countess.ipynb", ADA),
        ("Ada Lovelace", ADA),
        ("Lovelace, Ada", ADA),
        ("ada_lovelace-midterm.ipynb", ADA),
        ("lovelaceada_41_77_midterm.ipynb", ADA),
        ("turingalan_LATE_42_99_midterm.ipynb", ALAN),
        ("turingalan_LATE_4711_99_midterm.ipynb", ALAN),
        ("Alan Turing_12345_assignsubmission_file_", ALAN),
        ("Alan Turing_12345_assignsubmission_file", ALAN),
        ("Máire O'Neil_12346_assignsubmission_file_", MAIRE),
        ("oneilmáire_43_98_midterm.ipynb", MAIRE),
        (unicodedata.normalize("NFD", "O'Neil, Máire"), MAIRE),
        ("王小明.ipynb", MING),
        ("王小明_44_97_midterm.ipynb", MING),
        ("wxm", MING),
        ("Kim Lee", KIM),
        ("Lee Kim.ipynb", LEE),
        ("klee.ipynb", KIM),
    ],
)
def test_every_name_of_a_student_is_known(folder, tmp_path, name, owner):
    """The folder that was handed out, login, number, address, and what Canvas and Moodle make of a name."""
    name = name.replace("FOLDER", folder.folders[ADA]).replace("LABEL", folder.students[ADA])
    claims = _claimed(folder, tmp_path, [name])
    (submission,) = claims.submissions
    assert claims.owner == {submission.student: owner}, submission.problem
    assert claims.solutions(submission) == folder.solutions_of(owner)
    assert submission.path is not None and not claims.notes


SEEN = ["ada", "countess", "Lovelace, Ada", "lovelaceada_41_77_midterm", "turingalan_LATE_4711_99_midterm"]
SEEN += ["Máire O'Neil_12346_assignsubmission_file_", "王小明", "Kim Lee", "Lee Kim", "klee", "midterm"]
SEEN += ["kimlee_1_2_midterm", "turingalan_41_99_midterm"]


@pytest.mark.parametrize("name", SEEN)
def test_a_roster_matches_a_file_as_the_exam_does(folder, tmp_path, name):
    """The last two fit several students, so neither gives the file to one of them."""
    (tmp_path / f"{name}.ipynb").write_text("{}", encoding="utf-8")
    [submission] = collect(tmp_path, "midterm")
    fitting = folder.owners.named(submission.student, *submission.aliases)
    rows = match(list(folder.people.values()), [submission], {})
    matched = [row.person.name for row in rows if row.submitted and row.person in folder.people.values()]
    assert matched == (list(fitting) if len(fitting) == 1 else [])


@pytest.mark.parametrize("name", ["midterm.ipynb", "Untitled1.ipynb", "kimlee_1_2_midterm.ipynb", "Group 7"])
def test_the_label_of_the_paper_decides_where_the_name_does_not(folder, tmp_path, name):
    """Where a name says nothing, or fits two students, the paper decides; the instructor gets a note."""
    claims = _claimed(folder, tmp_path, [name], folder.paper(LEE))
    assert list(claims.owner.values()) == [LEE]
    assert folder.students[LEE] in next(iter(claims.notes.values()))


@pytest.mark.parametrize(
    ("names", "source", "says"),
    [
        (["midterm.ipynb"], None, "No paper of this exam was made for 'midterm'"),
        (["kimlee_1_2_midterm.ipynb"], None, "fits several students (Kim Lee, Lee Kim)"),
        (["kimlee_1_2_midterm.ipynb"], ADA, "which belongs to none of them"),
        (["ada_9_9_midterm.ipynb", "Group 7"], ADA, "is theirs by its name. Keep one."),
        (["testy.ipynb"], None, "No paper of this exam was made for 'testy'"),
        (["turingalan_41_99_midterm.ipynb"], None, "fits several students (Lovelace, Ada, Turing, Alan)"),
    ],
)
def test_what_stays_unclear_is_reported(folder, tmp_path, names, source, says):
    """Neither of two students gets a grade that may be the other's."""
    claims = _claimed(folder, tmp_path, names, source and folder.paper(source))
    problems = [submission.problem for submission in claims.submissions if submission.problem]
    assert len(problems) == 1 and says in problems[0] and problems[0].endswith(".")


def test_somebody_elses_paper_is_graded_by_the_students_own_key(folder, tmp_path):
    """The name decides; the note names both papers."""
    claims = _claimed(folder, tmp_path, ["wxm.ipynb"], folder.paper(ADA))
    assert claims.owner == {"wxm": MING}
    assert claims.notes == {
        "wxm": f"hands in paper {folder.students[ADA]}, that of {ADA}; graded by the key of paper"
        f" {folder.students[MING]}"
    }


@pytest.mark.parametrize("besides", [(), ("lkim.ipynb",), ("0012350_midterm.ipynb", "Kim Lee")])
def test_the_student_of_a_paper_that_another_handed_in_has_a_note(tmp_path, folder, besides):
    """A login that looks like somebody else's name: the row of the paper's student has a note, too, also when
    the student of the login has another file besides."""
    claims = _claimed(folder, tmp_path, ["klee.ipynb", *besides], folder.paper(LEE))
    label = folder.students[LEE]
    assert claims.about == {
        LEE: [
            f"paper {label} of this student was handed in as {name!r}, which is the {kind} of Kim Lee;"
            " graded by the key of Kim Lee"
            for name, kind in (("Kim Lee", "name"), ("klee", "login"))
            if name == "klee" or name in besides
        ]
    }
    rows = match(list(folder.people.values()), claims.submissions, {})
    told = {
        row.person.name for row in rows if claims.about[LEE][0] in claims.notes_for(row.student, row.person)
    }
    assert told == {LEE}


def test_a_folder_of_an_earlier_version_goes_on_working(folder, tmp_path):
    """It knows names alone, and its folders have the names of that time. Nothing in it is written again."""
    old = tmp_path / "old"
    names = [MING, "Grace Hopper"]
    made = make(find("midterm"), names, 5, old)
    for kind in ("papers", "keys"):
        for name in names:
            (old / kind / file_name(name)).rename(old / kind / former_file_name(name))
    record = {"exam": "midterm", "seed": 5, "students": made.students}
    (old / "exam.json").write_text(json.dumps(record), encoding="utf-8")
    again = ExamFolder.read(old)
    assert all(again.paper(name).exists() and again.solutions_of(name).exists() for name in names)
    assert again.owner("hoppergrace", b"") == "Grace Hopper"
    before = {path: path.stat().st_mtime_ns for path in old.glob("papers/*/*")}
    more = make(find("midterm"), [*names, "Ada Lovelace"], 5, old)
    assert {path: path.stat().st_mtime_ns for path in before} == before
    assert len(list(old.glob("papers/*/*"))) == 3 and more.paper(MING) == again.paper(MING)


def test_two_students_of_one_name_have_two_papers(tmp_path):
    """Their logins tell them apart; without any, the exam is refused; students who had a paper keep it."""
    first = Person({"student": "Wei Zhang", "login": "wz1"})
    second = Person({"student": "Wei Zhang", "login": "wz2", "email": "zhang@example.org"})
    both = make(find("midterm"), [first, second], 5, tmp_path / "both")
    assert list(both.students) == ["Wei Zhang (wz1)", "Wei Zhang (wz2)"]
    claims = _claimed(both, tmp_path / "in", ["wz1", "zhang@example.org.ipynb"])
    assert claims.owner == {"wz1": "Wei Zhang (wz1)", "zhang@example.org": "Wei Zhang (wz2)"}
    claims = _claimed(both, tmp_path / "open", ["zhangwei_1_2_midterm.ipynb"])
    assert "fits several students" in claims.submissions[0].problem
    claims = _claimed(
        both, tmp_path / "labelled", ["zhangwei_1_2_midterm.ipynb"], both.paper("Wei Zhang (wz2)")
    )
    rows = match([first, second], claims.submissions, {})
    assert [row.submitted for row in rows] == [False, True], "the roster knows whose paper it is"

    make(find("midterm"), [first], 5, tmp_path / "one")
    late = make(find("midterm"), [first, second], 5, tmp_path / "one")
    assert list(late.students) == ["Wei Zhang", "Wei Zhang (wz2)"]
    with pytest.raises(GradingError, match="would be the same student"):
        make(find("midterm"), ["Wei Zhang", "wei zhang"], 5, tmp_path / "none")


def test_one_notebook_needs_no_name(folder, tmp_path, capsys):
    """The paper's label tells whose key it is; without a label the command asks for --student."""
    key = folder.solutions_of(MAIRE) / "midterm" / "midterm.ipynb"
    assert grade_main([str(key), "--exam", str(folder.place)]) == 0
    said = capsys.readouterr()
    marked = sum(task.points for task in find("midterm").tasks(0) if task.question)
    assert f"Total: {marked} of {marked} points" in said.out
    assert f"{MAIRE} is graded by the key of paper {folder.students[MAIRE]}." in said.err
    stripped = json.loads(folder.paper(MAIRE).read_text(encoding="utf-8")) | {"metadata": {}}
    (tmp_path / "stripped.ipynb").write_text(json.dumps(stripped), encoding="utf-8")
    for file, says in (
        (key, "a paper of the midterm"),
        ("stripped", f"the paper {folder.students[MAIRE]} of"),
    ):
        path = tmp_path / "stripped.ipynb" if file == "stripped" else file
        assert grade_main([str(path)]) == 1
        said = capsys.readouterr()
        assert f"This is {says}" in said.err and "give --exam FOLDER" in said.err and not said.out
    bare = tmp_path / "bare.ipynb"
    bare.write_text(json.dumps({"cells": [], "metadata": {}}), encoding="utf-8")
    assert grade_main([str(bare), "--exam", str(folder.place)]) == 1
    assert "Say whose it is with --student" in capsys.readouterr().err
    with pytest.raises(GradingError, match="fits several students"):
        folder.owner("kimlee", b"")
    with pytest.raises(SystemExit):
        grade_main([str(key), "--student", "ada"])
    assert "give its folder with --exam" in capsys.readouterr().err


def test_a_file_of_forty_gigabytes_ends_nobody_elses_grading(tmp_path):
    """Sparse: it takes no disk. Only as much is read as shows that it is too large."""
    path = tmp_path / "Bob.ipynb"
    with path.open("wb") as stream:
        stream.truncate(40 * 10**9)
    assert len(read_file(path)) == MOST_BYTES + 1
    with pytest.raises(GradingError, match="more than 50 MB"):
        read_cells(read_file(path))


def test_a_label_of_another_form_is_not_read():
    stored = {"cells": [], "metadata": {"course": {"paper": "=1+1" + "L" * 1_500_000}}}
    assert labels_in(json.dumps(stored).encode()) == set()
