"""The class command: one folder in, tables and pages out, and nobody's work lost."""

import csv
import hashlib
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import unicodedata
from dataclasses import replace
from multiprocessing import get_context

import pytest

from lmcourse.grade_class import main
from lmcourse.grading.classroom import gradebooks, seeds
from lmcourse.grading.classroom import processes as classroom
from lmcourse.grading.classroom.collecting import Submission, collect
from lmcourse.grading.classroom.manual_marks import read_marks
from lmcourse.grading.classroom.processes import grade_all
from lmcourse.grading.classroom.roster import Row, comparable, match, read_roster
from lmcourse.grading.classroom.summary import alt_text, summarise, summary_page
from lmcourse.grading.classroom.tables import read_table, safe, write_table
from lmcourse.grading.errors import GradingError
from lmcourse.grading.notebook.key import Key
from lmcourse.grading.notebook.result import Result, TaskResult
from lmcourse.grading.one_notebook import grade_notebook
from lmcourse.grading.whole_class import _delete_leftovers, grade_class
from tests.grading.catalogue import LIMITS, ROOT, SET, Notebook, write_small_set
from tests.grading.classroom.small_class import ROSTER


def table(path):
    return read_table(path)


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """A class of six, graded twice: everything is looked at in the tests below."""
    root = tmp_path_factory.mktemp("class")
    solutions = write_small_set(root)
    handed = root / "submissions"
    for name, change in {"ada": None, "alan": _wrong, "=grace": _hostile}.items():
        notebook = Notebook()
        if change:
            change(notebook)
        (handed / name).mkdir(parents=True)
        (handed / name / "work.ipynb").write_bytes(notebook.file())
    (handed / "broken.ipynb").write_text("{ no notebook")
    (handed / "empty").mkdir()
    (root / "roster.csv").write_text(ROSTER)
    out = root / "results"

    def grade(**more):
        settings = {"roster": root / "roster.csv", "solutions": solutions, "limits": LIMITS, "jobs": 2}
        return grade_class(handed, SET, out, **{**settings, **more})

    first = grade(seed=20)
    return root, grade, {row.student: row for row in first}


def _wrong(notebook):
    notebook.change("average-surprisal", ("return -log", "return log"))


def _hostile(notebook):
    notebook.change("average-surprisal", ("return -log_probs[real, targets[real]].mean()", "return 1.0"))
    attack = "import os, signal\nos.kill(os.getppid(), 9)\nopen('results.csv', 'w').write('100')\nos._exit(0)"
    notebook.begin("average-surprisal", attack)


def test_every_status_is_told_from_the_others(graded):
    root, _, rows = graded
    lines = {line["student"]: line for line in table(root / "results" / "results.csv")}
    assert (lines["ada"]["status"], lines["ada"]["total"], lines["ada"]["maximum"]) == ("graded", "11", "11")
    assert lines["ada"]["name"] == "Lovelace, Ada" and lines["ada"]["Task 5 (3)"] == ""
    assert (lines["alan"]["total"], lines["alan"]["Task 3 (3)"]) == ("8", "0")
    assert lines["broken"]["status"] == "could not be run" and lines["broken"]["total"] == ""
    assert "not JSON" in lines["broken"]["notes"] and "not on the roster" in lines["broken"]["notes"]
    assert lines["Markov, Andrey"]["status"] == lines["empty"]["status"] == "not submitted"
    hostile = lines["'=grace"]
    assert (hostile["status"], hostile["total"], hostile["Task 3 (3)"]) == ("graded", "8", "")
    assert hostile["name"] == "Hopper, Grace" and "Task 3: could not run" in hostile["notes"]
    seeds = [line["seed"] for line in lines.values() if line["seed"]]
    assert len(set(seeds)) == len(seeds) == 4, "a submission has hidden inputs of its own"
    assert rows["=grace"].status == "graded"


def test_zero_is_not_the_same_as_could_not_be_run():
    def row(*statuses, problem=""):
        tasks = tuple(TaskResult("t", "Task 1", "", 0, 2, status) for status in statuses)
        return Row("x", None, Result(SET, 1, tasks, problem=problem)).status

    assert row("zero", "could not run") == row("not answered") == "zero"
    assert row("could not run", "could not run") == row(problem="no notebook") == "could not be run"


def test_a_page_for_every_student_and_one_for_the_class(graded):
    root, _, _ = graded
    pages = sorted(path.name for path in (root / "results" / "feedback").iterdir())
    assert len(pages) == 4 and {"ada.html", "alan.html", "broken.html"} <= set(pages)
    assert "M5, " in (root / "results" / "feedback" / "alan.html").read_text()
    page = (root / "results" / "summary.html").read_text()
    assert "3 graded, 0 zero, 1 could not be run, 2 not submitted." in page
    assert "M5: the minus sign is lost (1)" in page
    assert re.search(r'<td class="number">1 \(33&nbsp;%\)</td>\s*<td>M5', page)
    assert re.search(r'<img src="data:image/svg\+xml;base64,\w+[^"]*" alt="A bar for each of 4 tasks', page)
    assert not any(name in page for name in ("Lovelace", "Turing", "Hopper", "=grace", "alan"))


def test_finished_work_is_used_again(graded):
    root, grade, first = graded
    stored = {path.name: path.stat().st_mtime_ns for path in (root / "results" / "graded").iterdir()}
    again = {row.student: row for row in grade()}
    seeds = {student: row.result.seed for student, row in first.items() if row.result}
    assert seeds == {student: row.result.seed for student, row in again.items() if row.result}
    now = {path.name: path.stat().st_mtime_ns for path in (root / "results" / "graded").iterdir()}
    assert {name for name in stored if stored[name] != now[name]} == {"broken.json"}
    assert again["alan"].result == first["alan"].result


def test_a_new_submission_or_a_damaged_result_is_graded_again(graded):
    root, grade, _ = graded
    shutil.copytree(root / "results", root / "copy")
    work = root / "submissions" / "alan" / "work.ipynb"
    before = work.read_bytes()
    (root / "results" / "graded" / "ada.json").write_text('{"points": 100')
    work.write_bytes(Notebook().file())
    try:
        rows = {row.student: row for row in grade()}
    finally:
        work.write_bytes(before)
    assert rows["alan"].points == rows["ada"].points == 11
    shutil.rmtree(root / "results")
    shutil.move(root / "copy", root / "results")


def test_marks_by_hand_come_into_every_table(graded):
    root, grade, _ = graded
    to_fill = table(root / "results" / "manual.csv")
    assert [line["student"] for line in to_fill] == ["'=grace", "ada", "alan"]
    assert {line["answer"] for line in to_fill} == {"My two sentences."} and to_fill[1]["points"] == ""
    for line, points in zip(to_fill, ("", "2,5", "0"), strict=True):
        line["points"], line["comment"] = points, "Say which base." if points else ""
    filled = root / "filled.csv"
    lines = [list(to_fill[0]), *(list(line.values()) for line in to_fill)]
    filled.write_text("\n".join(";".join(line) for line in lines), encoding="utf-8-sig")
    rows = {row.student: row for row in grade(manual=filled)}
    assert (rows["ada"].points, rows["alan"].points, rows["=grace"].result.by_hand) == (13.5, 8, 3)
    assert "Say which base." in (root / "results" / "feedback" / "ada.html").read_text()
    canvas = list(csv.reader((root / "results" / "canvas.csv").open(encoding="utf-8")))
    assert canvas[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", SET]
    assert canvas[1][0].strip() == "Points Possible" and canvas[1][5] == "14"
    assert canvas[2] == ["Lovelace, Ada", "11", "S11", "ada", "1", "13.5"]
    assert {line[0]: line[5] for line in canvas[3:]}["Hopper, Grace"] == "", "a mark is missing"
    moodle = {line["Username"]: line for line in table(root / "results" / "moodle.csv")}
    assert moodle["ada"][SET] == "13.5" and moodle["andrey"][SET] == "-"
    assert moodle["andrey"][f"{SET} (Feedback)"] == "not submitted"
    grade()
    kept = {line["student"]: line["points"] for line in table(root / "results" / "manual.csv")}
    assert kept == {"'=grace": "", "ada": "2.5", "alan": "0"}, "marks stay without --manual"
    canvas = list(csv.reader((root / "results" / "canvas.csv").open(encoding="utf-8")))
    assert (canvas[0][5], canvas[1][5], canvas[2][5]) == (f"{SET} machine part", "11", "11")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("ada,words,4", "not a valid mark"),
        ("ada,words,-1", "not a valid mark"),
        ("ada,words,nan", "not a valid mark"),
        ("ada,words,much", "not a valid mark"),
        ("eve,words,1", "no submission under this name"),
        ("ada,other,1", "no such task"),
        ("ada,words,1\nada,words,1", "two marks"),
    ],
)
def test_a_mark_that_cannot_be_meant_is_refused(tmp_path, line, said):
    task = TaskResult("words", "Task 5", "", None, 3, "by hand")
    (tmp_path / "m.csv").write_text(f"student,task,points\n{line}\n")
    with pytest.raises(GradingError, match=said):
        read_marks(tmp_path / "m.csv", {"ada": Result(SET, 1, (task,))})


def test_a_number_for_a_name_survives_a_spreadsheet(tmp_path):
    task = TaskResult("words", "Task 5", "", None, 3, "by hand")
    (tmp_path / "m.csv").write_text("student,task,points\n42,words,3\n")
    assert ("0042", "words") in read_marks(tmp_path / "m.csv", {"0042": Result(SET, 1, (task,))})


@pytest.mark.parametrize("text", ["=1", "+1", "-1", "@x", " =1", "\t=1", "\r=1", "＝1", "'=1"])
def test_no_text_is_a_formula(tmp_path, text):
    first = safe(text).lstrip("\n")  # a line that is empty begins no formula
    assert first.startswith("'") and first[1:].strip() == text.strip()
    write_table(tmp_path / "t.csv", [["name", "n"], [text, 2.5]])
    assert table(tmp_path / "t.csv")[0]["name"].startswith("'")


def test_downloads_of_canvas_and_moodle_find_their_students(tmp_path):
    folder = tmp_path / "submissions"
    moodle = folder / "Ada Lovelace_657737_assignsubmission_file_"
    moodle.mkdir(parents=True)
    (moodle / "a.ipynb").write_text("{}")
    for name in ("turingalan_LATE_12_99_02_small.ipynb", "grace_02_small.ipynb", "andrey-02_small.ipynb"):
        (folder / name).write_text("{}")
    (tmp_path / "roster.csv").write_text(ROSTER)
    people, found = read_roster(tmp_path / "roster.csv"), collect(folder, SET)
    assert [s.student for s in found] == ["Ada Lovelace_657737", "andrey", "grace", "turingalan_12"]
    rows = match(people, found, {s.student: Result(SET, 1) for s in found})
    assert [row.student for row in rows] == ["Ada Lovelace_657737", "turingalan_12", "grace", "andrey"]
    assert not any(row.notes for row in rows)


def test_the_export_of_moodle_is_a_roster(tmp_path):
    (tmp_path / "r.csv").write_text("First name,Last name,ID number,Email address\n张,伟,7,zhang@u.example\n")
    (person,) = read_roster(tmp_path / "r.csv")
    assert person.name == "张 伟" and {"张伟", "伟张", "7", "zhang"} <= {
        comparable(name) for name in person.names
    }
    (tmp_path / "r.csv").write_text("colour\nred\n")
    with pytest.raises(GradingError, match="lists no student"):
        read_roster(tmp_path / "r.csv")


def test_two_of_one_name_are_not_mixed_up(tmp_path):
    (tmp_path / "r.csv").write_text("student,login\nLi Na,lina1\nLi Na,lina2\n")
    found = [Submission("Li Na", None), Submission("lina2", None)]
    rows = match(read_roster(tmp_path / "r.csv"), found, {s.student: Result(SET, 1) for s in found})
    assert [row.status != "not submitted" for row in rows] == [False, True, True]
    assert "not matched" in rows[2].notes[0]


def test_links_and_several_notebooks_are_not_graded(tmp_path):
    folder = tmp_path / "submissions"
    (folder / "bob").mkdir(parents=True)
    (tmp_path / "secret.ipynb").write_text("{}")
    (folder / "eve.ipynb").symlink_to(tmp_path / "secret.ipynb")
    (folder / "bob" / "x.ipynb").symlink_to(tmp_path / "secret.ipynb")
    for name in ("1.ipynb", "2.ipynb", "notes.pdf"):
        (folder / "zoe").mkdir(exist_ok=True)
        (folder / "zoe" / name).write_text(f"{name}: not a copy of another")
    found = {s.student: s for s in collect(folder, SET)}
    assert all(s.path is None and s.problem and not s.empty for s in found.values()) and len(found) == 3
    assert "1.ipynb, 2.ipynb" in found["zoe"].problem
    (folder / "zoe" / f"{SET}.ipynb").write_text("{}")
    assert {s.student: s for s in collect(folder, SET)}["zoe"].path.name == f"{SET}.ipynb"


def test_no_name_leaves_the_folder_of_results():
    names = ["..", "../../etc", "a/b", "a\\b", "-rf", ".x", "a.", "a b", "a-b", "A" * 300, "\0\n\u202e", "🙂"]
    names += ["Ada", "ada", "Ada-9d5d4b6d", "Lovelace, Ada", "lovelace-ada-9d5d4b6d", "con", "NUL.x", "Com1"]
    names += ["straße", "strasse", "STRASSE", "caf\u00e9", "cafe\u0301", "Ａｄａ", "\udcff", "\udcfe", ""]
    names += ["王小明", "張偉" * 60, "張偉" * 61, "王 小明", "अनिता", "Владимир"]
    slugs = [Submission(name, None).slug for name in names]
    alike = {unicodedata.normalize("NFKC", slug).casefold() for slug in slugs}
    assert len(alike) == len(names), "also where case and the encoding of accents are not told apart"
    for slug in slugs:
        assert all(c in "-._" or unicodedata.category(c)[0] in "LMN" for c in slug)
        assert slug[0] not in "-." and slug[-1] not in "-." and len(slug.encode()) <= 100
        assert slug.split(".")[0].lower() not in ("con", "nul", "com1")
    assert {"ada", "王小明", "अनिता"} <= set(slugs) and slugs[names.index("Владимир")].startswith("Владимир-")
    assert sum(slug.startswith("student") for slug in slugs) == 6, "only names without any letter lose theirs"


def test_a_process_that_does_not_come_back_costs_one_submission(tmp_path, monkeypatch):
    """Reading a pipe that nobody fills takes for ever; a file that is gone is a problem of its own."""
    monkeypatch.setattr(classroom, "GRACE_SECONDS", 0)
    solutions = write_small_set(tmp_path)
    os.mkfifo(tmp_path / "pipe")
    found = [Submission("endless", tmp_path / "pipe"), Submission("gone", tmp_path / "gone.ipynb")]
    quick = replace(LIMITS, total_seconds=6)
    results = grade_all(found, tmp_path / "out", SET, seed=1, jobs=2, solutions=solutions, limits=quick)
    assert "lost or took too long" in results["endless"].problem
    assert "cannot be read" in results["gone"].problem


def test_text_in_the_summary_is_escaped(tmp_path):
    task = TaskResult("three-words", "Task 1", "", 0, 3, "zero", mistakes=("M5", "M5", "<b>"))
    rows = [Row("x", None, Result(SET, 1, (task,), "<script>"))]
    tasks = list(Key(SET, write_small_set(tmp_path)).tasks.values())
    page = summary_page("<script>", rows, tasks)
    assert "<script" not in page
    first, second = summarise(rows, tasks)[:2]
    assert (first.graded, first.share, first.times) == (1, 0.0, 1) and second.graded == 0
    assert alt_text([]) == "" and alt_text([second]) == ""


def test_the_command_says_what_is_wrong(tmp_path, capsys):
    solutions = str(write_small_set(tmp_path))
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "bob.ipynb").write_text("no")

    def run(folder, *more):
        rest = ("--solutions", solutions, *more)
        return main([str(tmp_path / folder), "--set", SET, "--out", str(tmp_path / "out"), *rest])

    assert run("nowhere") == 1 and "There is no folder" in capsys.readouterr().err
    assert run("handed", "--set", "09_no") == 1 and "no set '09_no'" in capsys.readouterr().err
    assert run("handed", "--out", str(tmp_path / "handed" / "r")) == 1
    assert "among the submissions" in capsys.readouterr().err
    assert run("handed") == 1
    shown = capsys.readouterr().out
    assert "1 could not be run" in shown and "bob: The file is not a notebook" in shown
    assert len(json.loads((tmp_path / "out" / "seeds.json").read_text())["secret"]) == 32
    with pytest.raises(SystemExit):
        run("handed", "--jobs", "0")


def test_gradebooks_without_a_roster_hold_the_names_that_are_known():
    rows = [Row("ada", match([], [Submission("ada", None)], {})[0].person)]
    assert gradebooks.canvas_table(rows, SET, 10, False)[2] == ["ada", "", "", "", "", None]
    assert gradebooks.moodle_table(rows, [], SET, False)[1] == ["ada", "", "", "", "", "-", "not submitted"]


@pytest.fixture(scope="module")
def killed(graded, tmp_path_factory):
    """A class with marks that is graded again and killed at its first file, its second, until it ends.

    Yields the folder of results, what each kill left in it, and the last exit status.
    """
    root, grade, _ = graded
    here = tmp_path_factory.mktemp("killed")
    old, marks, out = here / "old.csv", here / "marks.csv", here / "results"
    old.write_text("student,task,points\nada,two-sentences,2.5\nalan,two-sentences,1\n")
    marks.write_text("student,task,points,comment\nada,two-sentences,3,Good.\n")
    grade(manual=old)
    shutil.copytree(root / "results", out)
    settings = {"roster": root / "roster.csv", "solutions": root / "solutions", "limits": LIMITS}
    (root / "submissions" / "broken.ipynb").rename(root / "broken.ipynb")  # it would be run each time
    left = []
    try:
        for step in range(1, 20):
            arguments = (step, root / "submissions", out, marks, settings)
            process = get_context("fork").Process(target=_grade_and_die, args=arguments)
            process.start()
            process.join()
            left.append(_state_of(out))
            if process.exitcode == 0:
                break
    finally:
        (root / "broken.ipynb").rename(root / "submissions" / "broken.ipynb")
    return out, left, process.exitcode


def _grade_and_die(step, submissions, out, marks, settings):
    """Grade the class, and kill this process when it is about to put its file number ``step`` in place."""
    replace_file, files = os.replace, itertools.count(1)

    def counted(*places):
        if next(files) == step:
            os.kill(os.getpid(), signal.SIGKILL)
        replace_file(*places)

    os.replace = counted
    grade_class(submissions, SET, out, manual=marks, **settings)


def _state_of(out):
    """The secret, the columns of each table, the marks by hand, and the number of tasks in each result."""
    wholes = ("results.csv", "manual.csv", "canvas.csv", "moodle.csv")
    columns = [table(out / name)[0].keys() for name in wholes]
    points = {line["student"]: line["points"] for line in table(out / "manual.csv")}
    results = [json.loads(path.read_text()) for path in (out / "graded").glob("[!b]*.json")]
    return (out / "seeds.json").read_text(), columns, points, [len(result["tasks"]) for result in results]


def test_a_kill_between_any_two_files_leaves_whole_files(killed):
    _, left, status = killed
    assert status == 0 and len(left) > 4
    assert len({secret for secret, *_ in left}) == 1
    for _, columns, _, tasks in left:
        assert all({"student", "Student", "First name"} & names for names in columns) and all(tasks)


def test_a_kill_between_any_two_files_loses_no_mark(killed):
    out, left, _ = killed
    for _, _, points, _ in left:
        assert points["ada"] in ("2.5", "3") and points["alan"] == "1"
    assert left[-1][2]["ada"] == "3"
    assert {line["student"]: line["total"] for line in table(out / "results.csv")}["ada"] == "14"


def test_what_a_kill_leaves_unfinished_is_deleted_later(killed):
    out, left, _ = killed
    begun = [path for path in out.rglob(".*") if path.is_file()]
    assert len(begun) == len(left) - 1, "each kill leaves what it was about to put in place"
    (out / ".notes").touch()
    for path in (*begun, out / ".notes", out / "graded" / "ada.json.77"):
        path.touch()
        os.utime(path, (1e9, 1e9))
    _delete_leftovers(out)
    assert [path.name for path in out.rglob(".*") if path.is_file()] == [".notes"]
    assert not (out / "graded" / "ada.json.77").exists()


def test_the_seed_that_a_student_sees_is_not_that_of_a_changed_file(graded):
    root, _, first = graded
    secret = json.loads((root / "results" / "seeds.json").read_text())["secret"]
    shown = [path.read_text() for path in (root / "results").rglob("*.html")]
    assert len(shown) == 5 and not any(secret in page for page in shown)
    pages = root / "results" / "feedback"
    assert f"seed {first['alan'].result.seed}." in (pages / "alan.html").read_text()
    work = root / "submissions" / "alan" / "work.ipynb"
    changed = work.read_bytes() + b"\n"
    digests = [hashlib.sha256(data).hexdigest() for data in (work.read_bytes(), changed)]
    now, later = (seeds.seed_of(secret, SET, digest) for digest in digests)
    assert now == first["alan"].result.seed != later != seeds.seed_of(secret, "02_other", digests[1])
    alone = grade_notebook(work, SET, seed=now, limits=LIMITS, solutions=root / "solutions")
    assert alone == first["alan"].result, "the seed of the row repeats the grade"


def test_a_folder_keeps_its_secret_and_an_old_folder_gets_one(tmp_path, capsys):
    secret, note = seeds.secret_of(tmp_path / "new")
    assert len(secret) == 32 and not note and seeds.secret_of(tmp_path / "new") == (secret, "")
    assert seeds.secret_of(tmp_path / "other")[0] != secret
    given, _ = seeds.secret_of(tmp_path / "new", 7)
    assert (
        seeds.secret_of(tmp_path / "new") == (given, "") and seeds.secret_of(tmp_path / "two", 7)[0] == given
    )
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "seeds.json").write_text('{"02_small": 20}')
    secret, note = seeds.secret_of(tmp_path / "old")
    assert "graded again" in note and seeds.secret_of(tmp_path / "old") == (secret, "")
    (tmp_path / "old" / "seeds.json").write_text('{"secret": ')
    with pytest.raises(GradingError, match="It has the secret"):
        seeds.secret_of(tmp_path / "old")


@pytest.mark.parametrize(
    "command",
    [("lmcourse.grade", "a.ipynb"), ("lmcourse.grade_class", "handed", "--set", SET, "--out", "results")],
)
def test_on_windows_one_sentence_says_what_works(command):
    """The modules that Windows lacks are removed, and the platform is set to Windows."""
    start = """
import sys, runpy, subprocess, tempfile, multiprocessing.connection, numpy, tqdm, nbformat, jinja2, asyncio
sys.argv = sys.argv[1:]
sys.modules["resource"] = sys.modules["fcntl"] = sys.modules["pwd"] = None
sys.platform = "win32"
runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=False)
"""
    done = subprocess.run([sys.executable, "-c", start, *command], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 1 and not done.stdout
    assert done.stderr.startswith("The grader needs Linux or macOS.") and done.stderr.count("\n") == 1
