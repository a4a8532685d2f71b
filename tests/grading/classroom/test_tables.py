"""Tables that go through a spreadsheet: nothing stops the class, nothing is lost or cut in silence."""

import csv
import io
import json
import os
import signal
import zipfile
from multiprocessing import get_context

import pytest

from lmcourse.grading.classroom.collecting import Submission
from lmcourse.grading.classroom.gradebooks import moodle_table
from lmcourse.grading.classroom.manual_marks import HEAD, marks_table, outdated, read_marks
from lmcourse.grading.classroom.roster import Person, Row
from lmcourse.grading.classroom.tables import read_table, unsafe, write_table
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.key import Task
from lmcourse.grading.notebook.result import Result, TaskResult
from lmcourse.grading.whole_class import feedback_zip
from tests.grading.catalogue import SET

IMAGE = "data:image/png;base64," + "iVBORw0KGgo" * 20_000


def one(words="", digest="a" * 64):
    """The results of a class of one, with an answer in words."""
    task = TaskResult("words", "Task 5", "", None, 3, "by hand", words=words)
    return {"ada": Result(SET, 1, (task,), digest=digest)}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"![plot]({IMAGE}) It falls.", "[an image of 220,022 characters: see the submission]) It falls."),
        ("x" * 200_000, "[170,000 characters more: read the rest in the submission]"),
        ("a\0b\n\n=c", "a b\n\n=c"),
        ('Two\r\nlines, "quoted"; and\ttabs', 'Two\nlines, "quoted"; and tabs'),
    ],
)
def test_any_answer_in_words_comes_back_from_the_table(tmp_path, words, said):
    path = tmp_path / "manual.csv"
    write_table(path, marks_table(one(words), {}))
    (line,) = read_table(path)
    assert unsafe(line["answer"]).endswith(said) and len(line["answer"]) < 32_767
    assert read_marks(path, one(words)) == {}


def test_a_table_with_a_huge_cell_is_read(tmp_path):
    """An earlier version wrote the whole answer, and a marker may paste one into a comment."""
    path = tmp_path / "manual.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([HEAD, ["ada", "words", "", 3, 2, "y\nz" * 50_000, IMAGE, ""]])
    mark = read_marks(path, one())["ada", "words"]
    assert mark.points == 2 and len(mark.comment) == 150_000


@pytest.mark.parametrize("text", ["so\n=1+1\n\n+2", "a; =1+1;b", "x;'=1\n'quoted'", '";=1+1;"', "a;-1;;@x"])
@pytest.mark.parametrize("comma", [",", ";"])
def test_no_formula_begins_where_a_spreadsheet_splits_a_line(tmp_path, text, comma):
    path = tmp_path / "manual.csv"
    write_table(path, [["name", "answer"], ["ada", text], ["alan", "1"]])
    for line in path.read_text(encoding="utf-8-sig").splitlines():
        for cell in line.split(comma):
            assert not cell.lstrip(' "').startswith(tuple("=+-@")), cell
    assert unsafe(read_table(path)[0]["answer"]) == text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
@pytest.mark.parametrize("end", ["\r\n", "\n", "\r"])
@pytest.mark.parametrize("comma", [",", ";", "\t"])
def test_a_table_as_spreadsheets_save_it(tmp_path, encoding, end, comma):
    head, line = (
        comma.join(HEAD),
        comma.join(["ada", "words", "", "3", "2.5", '"好, 但;\0 see\n2\t1"', "", ""]),
    )
    (tmp_path / "m.csv").write_bytes(f"{head}{end}{line}{end}".encode(encoding))
    mark = read_marks(tmp_path / "m.csv", one())["ada", "words"]
    assert (mark.points, mark.comment) == (2.5, "好, 但; see\n2\t1")


def test_a_quotation_mark_that_is_missing_is_said_with_its_row(tmp_path):
    lines = [",".join(HEAD), "ada,words,,3,1,fine,,", 'bob,words,,3,2,"not closed,,', "eve,words,,3,3,,,"]
    (tmp_path / "m.csv").write_text("\n".join(lines))
    with pytest.raises(GradingError, match=r"row 3: this row is not valid CSV .* quotation mark"):
        read_table(tmp_path / "m.csv")
    (tmp_path / "m.csv").write_bytes("student\n王".encode("gbk"))
    with pytest.raises(GradingError, match="not in UTF-8"):
        read_table(tmp_path / "m.csv")


@pytest.mark.parametrize("comment", ["'Surprisal' is the word.", "=1+1", "'=1", "- no unit", "plain"])
def test_a_comment_stays_what_the_marker_typed(tmp_path, comment):
    path = tmp_path / "manual.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([HEAD, ["ada", "words", "", 3, 2, comment, "", ""]])
    first = read_marks(path, one())
    for _ in range(3):
        marks = read_marks(path, one())
        assert marks["ada", "words"].comment == first["ada", "words"].comment
        write_table(path, marks_table(one(), marks))
    assert marks["ada", "words"].comment == (comment if comment != "'=1" else "=1")


def test_a_mark_remembers_the_file_that_it_was_given_for(tmp_path):
    path, now = tmp_path / "manual.csv", one(digest="b" * 64)
    path.write_text(f"student,task,points,submission\nada,words,2,sha256:{'a' * 12}\n")
    for _ in range(2):
        marks = read_marks(path, now)
        assert outdated(now, marks) == ["ada"], "also when the table was written again meanwhile"
        write_table(path, marks_table(now, marks))
    path.write_text(path.read_text().replace(f"sha256:{'a' * 12}", ""))
    assert outdated(now, read_marks(path, now)) == []


def test_a_kill_leaves_the_old_table_or_the_new_one(tmp_path):
    path = tmp_path / "manual.csv"
    write_table(path, marks_table(one("before"), {}))
    before = path.read_bytes()

    def die(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    def write_and_die(step):
        setattr(os, step, die)
        write_table(path, marks_table(one("after" * 100_000), {}))

    for step in ("fdopen", "chmod", "replace"):
        process = get_context("fork").Process(target=write_and_die, args=(step,))
        process.start()
        process.join()
        assert process.exitcode == -signal.SIGKILL and path.read_bytes() == before
    write_table(path, marks_table(one("after"), {}))
    assert read_table(path)[0]["answer"] == "after"


def test_the_comments_of_the_marker_are_in_the_feedback_for_moodle():
    task = Task("words", "Task 5", "", 3, (), (), "")
    wrong = TaskResult("three-words", "Task 1", "", 0, 2, "zero", "M5, the sign")
    right = TaskResult("two", "Task 2", "", 2, 2, "full")
    marked = TaskResult("words", "Task 5", "", 2, 3, "partial", "Say\n which base.")
    unmarked = TaskResult("words", "Task 5", "", None, 3, "by hand", "A person grades this.")
    for result, told in ((marked, "Task 5: Say which base."), (unmarked, "")):
        row = Row("ada", Person({"student": "Ada"}), Result(SET, 1, (wrong, right, result)))
        assert moodle_table([row], [task], SET, True)[1][-1] == told


def test_feedback_goes_back_under_the_names_of_the_submissions():
    """Moodle reads the number in the folder's name, Canvas those in the file's name."""
    attack = "`x` ```\n</pre><script>alert(1)</script>"
    result = Result(SET, 1, (TaskResult("a", "Task 1", "", 0, 2, "zero", attack),))
    moodle, canvas = "Ada Lovelace_7_assignsubmission_file_", "王小明_LATE_11_98_02_small.ipynb"
    found = [
        Submission("Ada Lovelace_7", None, entry=moodle, is_folder=True),
        Submission("王小明_11", None, entry=canvas),
        Submission("eve", None, entry="eve.ipynb"),
        Submission("open", None, entry="open.ipynb"),
    ]
    rows = [Row(s.student, Person({}), result) for s in found]
    rows[-1].open = True
    data = feedback_zip([*rows, Row("nobody", Person({}))], found, SET)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == [f"{moodle}/{SET}.html", canvas, "eve.html"]
        assert "<script" not in archive.read("eve.html").decode()
        (cell,) = json.loads(archive.read(canvas))["cells"]
        assert {(m.date_time[0], m.external_attr >> 16) for m in archive.infolist()} == {(1980, 0o600)}
    head, *lines = cell["source"].splitlines()
    assert head == "# Feedback" and "alert(1)" in cell["source"]
    assert all(line.startswith("    ") for line in lines if line.strip()), "nothing in it is markup"
    assert data == feedback_zip(rows, found, SET), "the same feedback is the same file"
