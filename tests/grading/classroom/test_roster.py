"""Who is in the class: names that fit better win, ties are said, and everything handed in has a row."""

import unicodedata

import pytest

from lmcourse.grading.classroom.collecting import Submission, collect
from lmcourse.grading.classroom.file_names import former_file_name
from lmcourse.grading.classroom.gradebooks import canvas_table, moodle_table, results_table
from lmcourse.grading.classroom.roster import Person, match, read_roster
from lmcourse.grading.notebook.result import Result
from tests.grading.catalogue import SET
from tests.grading.classroom.small_class import ROSTER


@pytest.fixture
def rows(tmp_path):
    """Match submissions with a roster; return the rows by the name of the submission or of the person."""

    def bring_together(roster, *submissions):
        (tmp_path / "r.csv").write_text(roster)
        found = [s if isinstance(s, Submission) else Submission(s, None) for s in submissions]
        results = {s.student: Result(SET, 1) for s in found if not s.empty}
        return match(read_roster(tmp_path / "r.csv"), found, results)

    return bring_together


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ("Lovelace, Ada", "ADA"),
        ("ada", "Ada Lovelace"),
        (Submission("lovelaceada_11", None, ("11", "lovelaceada")), "ADA"),
        ("Ada Lovelace", "lovelace_ada"),
        ("11", "Ada Lovelace"),
    ],
)
def test_the_name_that_fits_better_wins_whatever_the_order(rows, better, worse):
    name = better if isinstance(better, str) else better.student
    for order in ((better, worse), (worse, better)):
        ada, *_, other = rows(ROSTER, *order)
        assert (ada.student, ada.result is not None, ada.notes) == (name, True, [])
        assert other.student == worse and f"{name!r} fits Lovelace, Ada better" in other.notes[0]


def test_letters_that_fold_together_are_two_people_where_the_roster_says_so(rows):
    names = ["straße", "STRASSE", "Strasse"]
    first, second, other = rows("student\nSTRASSE\nstraße\n", *names)
    assert (first.student, second.student, other.student) == ("STRASSE", "straße", "Strasse")
    assert "fits several of the roster (STRASSE, straße)" in other.notes[0] and not first.notes + second.notes
    only, other = rows("student\nstraße\n", "STRASSE", "straße")
    assert only.student == "straße" and "fits straße better" in other.notes[0]


def test_two_that_fit_equally_well_are_not_decided(rows):
    canvas = Submission("lovelaceada_11", None, ("11", "lovelaceada"))
    ada, *_, first, second = rows(ROSTER, "Lovelace, Ada", canvas)
    assert ada.status == first.status == second.status == "open" and ada.points is first.points is None
    exported = [ada, first, second]
    assert [line[0] for line in canvas_table(exported, SET, 10, False)[2:]] == ["Lovelace, Ada"]
    [(*_, grade, why)] = moodle_table(exported, [], SET, False)[1:]
    assert (grade, why) == ("-", ""), "she has submitted, and is not told that she has not"
    assert "none was taken: 'Lovelace, Ada', 'lovelaceada_11'" in ada.notes[0]
    for row in (first, second):
        assert row.result and "fit Lovelace, Ada equally well" in row.notes[0]


def test_the_same_file_twice_is_one_submission():
    ada = Person({"student": "Lovelace, Ada", "login": "ada"})
    twice = [Submission("ada", None), Submission("Lovelace, Ada", None)]
    results = {s.student: Result(SET, 1, digest="5d41") for s in twice}
    row, other = match([ada], twice, results)
    assert row.status != "open" and row.result and "the same file as 'ada', which counts" in other.notes[0]


def test_an_accent_has_one_spelling_and_an_empty_folder_wins_over_nobody(rows):
    name = "José Núñez"
    (row,) = rows(f"student\n{name}\n", unicodedata.normalize("NFD", name))
    assert row.result and not row.notes
    row, other = rows(f"student\n{name}\n", name.upper(), unicodedata.normalize("NFD", name))
    assert other.student == name.upper() and "better" in other.notes[0]
    ada, *_, other = rows(ROSTER, Submission("Lovelace, Ada", None, empty=True), "ADA")
    assert ada.student == "ADA" and ada.result and "not matched" in other.notes[0]


def test_an_id_that_is_somebody_elses_number_needs_the_name(rows):
    roster = "student,id,number\nAda,11,7\nBob,12,11\n"
    ada, bob = rows(roster, Submission("ada_11", None, ("11", "ada")))
    assert ada.result and bob.status == "not submitted"
    *_, other = rows(roster, Submission("x_11", None, ("11", "x")))
    assert "fits several of the roster (Ada, Bob)" in other.notes[0]


def test_a_name_without_a_comma_is_found_turned_and_as_it_is(rows):
    roster = "student,login\nWei Zhang,wz\nKim Lee,klee\nLee Kim,lkim\n"
    assert [row.person.name for row in rows(roster, "zhangwei") if row.submitted] == ["Wei Zhang"]
    assert [row.person.name for row in rows(roster, "Lee Kim") if row.submitted] == ["Lee Kim"]
    *_, other = rows(roster, "leekim")
    assert "fits several of the roster (Kim Lee, Lee Kim)" in other.notes[0]


def test_rows_of_canvas_that_are_nobody_are_left_out(rows):
    roster = 'Student,ID,S1\n    Points Possible,,13\nAda,11,\n"Student, Test",99,\n'
    assert [row.student for row in rows(roster)] == ["Ada"]


def test_late_is_kept(tmp_path):
    for name in ("turingalan_LATE_12_99_02_small.ipynb", "lovelaceada_11_98_02_small.ipynb"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "r.csv").write_text(ROSTER)
    found = collect(tmp_path, SET)
    rows = match(read_roster(tmp_path / "r.csv"), found, {s.student: Result(SET, 1) for s in found})
    head, *lines = results_table(rows, [])
    assert [line[head.index("late")] for line in lines] == ["", "late", "", ""]
    alone = results_table(match([], found, {}), [])[1:]
    assert [line[head.index("late")] for line in alone] == ["", "late"]


def test_what_cannot_be_graded_has_a_row_that_says_why(tmp_path):
    folder, secret = tmp_path / "handed", tmp_path / "secret"
    for place in (folder / ".hidden", folder / "inside", folder / "full", secret, folder / ".git"):
        place.mkdir(parents=True)
    for path in (folder / ".eve.ipynb", folder / ".hidden/a.ipynb", folder / "inside/.work.ipynb"):
        path.write_text("{}")
    for path in (
        folder / "zoe.zip",
        folder / "hopper_13_98_work.txt",
        folder / "._mac.ipynb",
        secret / "a.ipynb",
    ):
        path.write_text("{}")
    (folder / "notes.csv").write_text("mine")
    (folder / ".git" / "a.ipynb").write_text("{}")
    (folder / "linked").symlink_to(secret)
    (folder / "gone").symlink_to(tmp_path / "nothing")
    (folder / "full" / "sub").symlink_to(secret)
    for name in ("ada.ipynb", "ada.pdf", "BOB.IPYNB", "eva.ipynb"):
        (folder / name).write_text("{}")
    (folder / "eva").mkdir()
    found = {s.student: s for s in collect(folder, SET)}
    said = {name: s.problem for name, s in found.items() if s.problem}
    assert {name for name in found if name not in said} == {"ada", "BOB", "eva"}
    assert said.keys() == {".eve", ".hidden", "inside", "zoe", "hopper_13", "linked", "gone", "full"}
    assert "begins with a dot" in said[".eve"] and "begins with a dot" in said[".hidden"]
    assert ".work.ipynb. Its name begins with a dot" in said["inside"]
    assert "a link" in said["linked"] and "a link" in said["gone"] and "sub (a link)" in said["full"]
    assert "not a notebook but a file .zip" in said["zoe"] and "file .txt" in said["hopper_13"]
    assert not any(s.path for s in found.values() if s.problem)


def test_the_former_file_name_is_what_earlier_versions_wrote():
    assert former_file_name("王小明").startswith("student-") and former_file_name("Ada") == "Ada"
    assert former_file_name("Lovelace, Ada") == "Lovelace-Ada-9d5d4b6d"


def test_late_is_said_by_the_end_of_a_name_and_by_the_worksheet_of_moodle(tmp_path):
    (tmp_path / "handed" / "alan_LATE").mkdir(parents=True)
    for name in ("ada_02_small_LATE.ipynb", "alan_LATE/work.ipynb", "grace.ipynb"):
        (tmp_path / "handed" / name).write_text("{}")
    found = collect(tmp_path / "handed", SET)
    assert [(s.student, s.late) for s in found] == [("ada", True), ("alan", True), ("grace", False)]
    sheet = "Identifier,Full name,Status\nTeilnehmer/in7,Li Na,Submitted for grading - 3 mins late\n"
    (tmp_path / "r.csv").write_text(sheet + "Teilnehmer/in8,Li Na,Submitted for grading - latest\n")
    for number in (8, 7):
        place = tmp_path / "moodle" / f"Li Na_{number}_assignsubmission_file"
        place.mkdir(parents=True)
        (place / "a.ipynb").write_text("{}")
    found = collect(tmp_path / "moodle", SET)
    rows = match(read_roster(tmp_path / "r.csv"), found, {s.student: Result(SET, 1) for s in found})
    assert [(row.student, row.late, row.notes) for row in rows] == [
        ("Li Na_7", True, []),
        ("Li Na_8", False, []),
    ]


def test_nobody_is_late_who_has_handed_in_nothing(rows):
    (row,) = rows("student,status\nAda,late\n")
    assert row.status == "not submitted" and not row.late


def test_two_files_with_one_content_are_one_submission(tmp_path):
    def collected():
        return {s.student: s.problem for s in collect(tmp_path, SET)}

    (tmp_path / "bob").mkdir()
    names = ["lovelaceada_11_98_a.ipynb", "lovelaceada_11_99_a-1.ipynb", "bob/a.ipynb", "bob/a (1).ipynb"]
    for name in names:
        (tmp_path / name).write_text("{}")
    assert collected() == {"lovelaceada_11": "", "bob": ""}
    for name in names[1::2]:
        (tmp_path / name).write_text("[]")
    said = collected()
    assert "more than one" in said["lovelaceada_11"] and "several notebooks" in said["bob"]
    (tmp_path / "lovelaceada_11_99_a-2.ipynb").write_text("[1]")
    assert "more than one" in collected()["lovelaceada_11"]


def test_a_name_with_an_underscore_is_read_from_canvas(tmp_path):
    for name in ("wang_xm_LATE_11_98_02_small.ipynb", "ada_02_small.ipynb"):
        (tmp_path / name).write_text("{}")
    ada, wang = collect(tmp_path, SET)
    assert (wang.student, wang.aliases, wang.late) == ("wang_xm_11", ("wang_xm", "11"), True)
    assert ada.student == "ada" and not ada.aliases
