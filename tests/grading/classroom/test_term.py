"""The term of ``book/instructors/term.md``: its commands are typed as they stand, and each is stopped once.

The test plays the students, the downloads from Canvas and Moodle, and the lecturer who fills in marks. Only
two things are replaced in a command: the path of Python, and the seed of the appeal, which is drawn.
"""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import zipfile

import pytest

from lmcourse.files.places import ROOT
from lmcourse.grading.classroom.tables import read_table, write_table
from tests.questions.test_ch02 import SET

PAGE = (ROOT / "book" / "instructors" / "term.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```bash\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
NAME = "02_cross_entropy"
ALAN = f"turingalan_LATE_12_99_{NAME}.ipynb"
CANVAS = """Student,ID,SIS User ID,SIS Login ID,Section
    Points Possible,,,,
王小明,11,S11,wxm,1
"Turing, Alan",12,S12,alan,1
"Lovelace, Ada",13,S13,ada,1
李娜,14,S14,ln,1
"""
WORKSHEET = """Identifier,Full name,Email address,Status,Grade
Participant 501,李 娜,na1@u.example,Submitted for grading - 2 hours 5 mins late,
Participant 502,李 娜,na2@u.example,Submitted for grading,
"""


def handed_in(leave=(), **wrong):
    """The student's set, filled in with the solutions, or with another answer where one is given."""
    notebook = json.loads(json.dumps(SET.student))
    for cell in notebook["cells"]:
        name = cell["metadata"].get("nbgrader", {}).get("grade_id", "")
        if name in SET.tasks and name not in leave:
            cell["source"] = wrong.get(name.replace("-", "_"), SET.tasks[name])
        elif name == "two-sentences":
            cell["source"] = "The base is missing. 没有写底数。"
    return json.dumps(notebook, ensure_ascii=False)


WRONG = SET.wrong["three-words"][0][1]
POINTS = sum(question.points for question in SET.questions.values())
LOST = SET.questions["02.three-words"].points


class Term:
    """The home folder of a lecturer who types the blocks of the page one after the other."""

    def __init__(self, home):
        self.home, self.course, self.typed = home, home / "my-course", 0
        self.environment = {**os.environ, "HOME": str(home), "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1"}

    def next_block(self, seed="1234567890"):
        block = BLOCKS[self.typed].replace(".venv/bin/python", sys.executable).replace("1234567890", seed)
        self.typed += 1
        return block

    def type(self, block=None, expect=0, **options):
        done = subprocess.run(
            ["bash", "-ec", block or self.next_block(**options)],
            env=self.environment,
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == expect, done.stdout + done.stderr
        return done.stdout

    def type_and_stop(self, pattern, expect=0):
        """Type the next block, kill it when a file of this pattern is written, and type it again.

        Whatever was there when it was killed must be there unchanged at the end.
        """
        block, before = self.next_block(), self._state(pattern)
        command = ["bash", "-ec", block]
        options = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "start_new_session": True}
        process = subprocess.Popen(command, env=self.environment, cwd=ROOT, **options)
        while process.poll() is None and self._state(pattern) == before:
            time.sleep(0.01)
        assert process.poll() is None, f"it had ended before a new {pattern} was seen"
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        left = self._state(pattern)
        shown = self.type(block, expect)
        now = self._state(pattern)
        assert left.items() <= now.items(), "finished work was done again"
        return shown

    def _state(self, pattern):
        return {path: path.stat().st_mtime_ns for path in self.course.glob(pattern)}

    def download(self, name, **files):
        (self.home / "Downloads").mkdir(exist_ok=True)
        with zipfile.ZipFile(self.home / "Downloads" / name, "w") as archive:
            for path, text in files.items():
                archive.writestr(path, text)

    def rows(self, place):
        return {line["name"]: line for line in read_table(self.course / place / "results" / "results.csv")}

    def mark_by_hand(self, place, points):
        path = self.course / place / "results" / "manual.csv"
        lines = read_table(path)
        for line in lines:
            line["points"], line["comment"] = points, "Say which base. 请写明底数。"
        write_table(path, [list(lines[0]), *(list(line.values()) for line in lines)])


@pytest.mark.slow
def test_a_term_as_the_page_types_it(tmp_path):
    term = Term(tmp_path)
    (tmp_path / "Downloads").mkdir()
    (tmp_path / "Downloads" / "gradebook.csv").write_text(CANVAS, encoding="utf-8-sig")
    (tmp_path / "Downloads" / "worksheet.csv").write_text(WORKSHEET, encoding="utf-8")
    term.type()  # the roster
    assert f"Total: {POINTS} of {POINTS} points." in term.type()  # the solved set
    term.type()  # to hand out
    with zipfile.ZipFile(term.course / f"{NAME}.zip") as archive:
        assert f"{NAME}/{NAME}.ipynb" in archive.namelist()

    wang, ada = f"王小明_11_98_{NAME}.ipynb", f"lovelaceada_13_97_{NAME}.ipynb"
    first = {wang: handed_in(), ALAN: handed_in(three_words=WRONG), ada: handed_in(leave=("claims", "draws"))}
    term.download("submissions.zip", **first)
    term.type()  # collect from Canvas
    folders = [f"李 娜_{number}_assignsubmission_file/{NAME}.ipynb" for number in (501, 502)]
    term.download(
        "moodle.zip", **dict(zip(folders, (handed_in(), handed_in(three_words=WRONG)), strict=True))
    )
    term.type()  # collect from Moodle

    term.type_and_stop("set02/results/graded/*.json")
    rows = term.rows("set02")
    left_out = sum(SET.questions[f"02.{task}"].points for task in ("claims", "draws"))
    assert {name: (r["total"], r["late"]) for name, r in rows.items()} == {
        "王小明": (str(POINTS), ""),
        "Turing, Alan": (str(POINTS - LOST), "late"),
        "Lovelace, Ada": (str(POINTS - left_out), ""),
        "李娜": ("", ""),
    }
    term.type_and_stop("moodle02/results/graded/*.json")
    lines = read_table(term.course / "moodle02" / "results" / "results.csv")
    assert [(r["total"], r["late"]) for r in lines] == [(str(POINTS), "late"), (str(POINTS - LOST), "")]
    with zipfile.ZipFile(term.course / "moodle02" / "results" / "feedback.zip") as archive:
        assert archive.namelist() == [folder.replace(".ipynb", ".html") for folder in folders]

    term.mark_by_hand("set02", "2,5")
    term.type_and_stop("set02/results/manual.csv")
    results = term.course / "set02" / "results"
    with (results / "canvas.csv").open(encoding="utf-8", newline="") as stream:
        grades = {line[0]: line[5] for line in csv.reader(stream)}
    marked = POINTS + 2.5
    assert grades["王小明"] == f"{marked:g}" and grades["Turing, Alan"] == f"{marked - LOST:g}"
    assert grades["李娜"] == "" and grades["    Points Possible"] == str(POINTS + 3)
    with zipfile.ZipFile(results / "feedback.zip") as archive:
        assert sorted(archive.namelist()) == sorted(first)
        notebook = json.loads(archive.read(ALAN))
    (cell,) = notebook["cells"]
    assert "M" in cell["source"] and "请写明底数。" in cell["source"]

    others = {path: path.stat().st_mtime_ns for path in (results / "graded").glob("[!t]*.json")}
    again = {wang: first[wang], f"turingalan_LATE_12_101_{NAME}-1.ipynb": handed_in(), ada: first[ada]}
    term.download("submissions-2.zip", **again)
    term.type_and_stop("set02/results/graded/*.json")  # the resubmission
    assert others == {path: path.stat().st_mtime_ns for path in others}, "only what changed is graded"
    alan = term.rows("set02")["Turing, Alan"]
    assert (alan["total"], alan["late"]) == (f"{marked:g}", "late")
    assert "look at it again" in alan["notes"] and "look at" not in term.rows("set02")["王小明"]["notes"]

    term.type_and_stop("midterm/private/papers/*/*.ipynb")
    private = term.course / "midterm" / "private"
    assert len(list(private.glob("papers/*/midterm.ipynb"))) == 4
    for student, solved in (("王小明", True), ("李娜", False)):
        place = term.course / "midterm" / "submissions" / student / "midterm.ipynb"
        place.parent.mkdir(parents=True)
        shutil.copy(private / "papers" / student / "midterm.ipynb", place)
        if solved:
            answer(place, private / "keys" / student / "midterm" / "midterm.ipynb")
    term.type_and_stop("midterm/results/graded/*.json")
    rows = term.rows("midterm")
    wang_row = rows["王小明"]
    assert wang_row["total"] == wang_row["maximum"] != "0" and rows["李娜"]["total"] == "0"
    assert rows["Lovelace, Ada"]["status"] == "not submitted"

    shutil.copy(term.home / "Downloads" / "submissions.zip", term.home / "before.zip")
    with zipfile.ZipFile(term.home / "before.zip") as archive:  # the appeal is about the first submission
        archive.extract(ALAN, term.course / "set02" / "submissions")
    shown = term.type(seed=alan["seed"])
    assert f"Total: {POINTS - LOST} of {POINTS} points." in shown and alan["seed"] in shown
    assert term.typed == len(BLOCKS)


def answer(paper, key):
    """Fill in a paper with the answers of its key."""
    whole, solved = (json.loads(path.read_text(encoding="utf-8")) for path in (paper, key))
    named = {cell["id"]: cell for cell in solved["cells"]}
    for cell in whole["cells"]:
        settings = cell["metadata"].get("nbgrader", {})
        if settings.get("solution") and not settings.get("grade"):
            cell["source"] = named[cell["id"]]["source"]
    paper.write_text(json.dumps(whole), encoding="utf-8")
