"""A lecturer's own exam: the example of the guide works from file to marks, and bad ones are refused."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from lmcourse import exam as command
from lmcourse.grade import main as grade_main
from lmcourse.grading.papers.folder import ExamFolder
from lmcourse.grading.whole_class import grade_class

GUIDE = Path(__file__).parents[2] / "book/instructors/exams.md"
EXAMPLE = re.search(r"```python\n(from lmcourse.exams import Exam.+?)```", GUIDE.read_text("utf8"), re.S)[1]


def bank(place, source=EXAMPLE):
    """A bank with one exam."""
    place.mkdir(exist_ok=True)
    (place / "quiz.py").write_text(source, encoding="utf8")
    return place


def arguments(tmp_path):
    out = ["--bank", str(tmp_path / "bank"), "--out", str(tmp_path / "quiz")]
    return ["quiz", *out, "--students", "Ada Lovelace", "王小明"]


def made(tmp_path):
    return command.main(arguments(tmp_path))


@pytest.mark.slow
def test_the_example_of_the_guide(tmp_path, capsys):
    """Made, printed, graded: full marks for the key and none for the blank paper, by both commands."""
    bank(tmp_path / "bank")
    # In a process of its own: Playwright allows no second browser in this one.
    printing = [sys.executable, "-m", "lmcourse.exam", *arguments(tmp_path), "--print"]
    done = subprocess.run(printing, cwd=GUIDE.parents[2], capture_output=True, text=True)
    assert done.returncode == 0 and "2 papers (7 points, 15 minutes)" in done.stdout, done.stderr
    folder = ExamFolder.read(tmp_path / "quiz")
    assert list(folder.place.glob("print/papers/*.html"))
    handed = tmp_path / "handed"
    for student, source in (
        ("Ada Lovelace", folder.solutions_of("Ada Lovelace") / "quiz" / "quiz.ipynb"),
        ("王小明", folder.paper("王小明")),
    ):
        (handed / student).mkdir(parents=True)
        (handed / student / "quiz.ipynb").write_bytes(source.read_bytes())
    (tmp_path / "bank" / "quiz.py").unlink()  # the papers are graded by the copy
    graded = grade_class(handed, None, tmp_path / "results", seed=1, exam_folder=folder)
    assert {row.student: row.points for row in graded} == {"Ada Lovelace": 6, "王小明": 0}
    key = str(handed / "Ada Lovelace" / "quiz.ipynb")
    assert grade_main([key, "--exam", str(folder.place), "--student", "Ada Lovelace"]) == 0
    assert "Total: 6 of 6 points" in capsys.readouterr().out


def test_a_changed_bank_does_not_touch_papers_that_exist(tmp_path, capsys):
    bank(tmp_path / "bank")
    assert made(tmp_path) == 0
    before = {path: path.read_bytes() for path in (tmp_path / "quiz").rglob("*") if path.is_file()}
    bank(tmp_path / "bank", EXAMPLE.replace("40, 400", "50, 500"))
    assert made(tmp_path) == 1
    assert "has changed since the papers" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in (tmp_path / "quiz").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("halved = before / 2**bits", "halved = before / bits", "the solution of halved is not right"),
        ("halved = before / 2**bits", "halved = [before]", "`halved` is"),
        ("halved = before / 2**bits", "halved = befor", "NameError: name 'befor'"),
        ("before * 2**bits,", "before / 2 ** (1.001 * bits),", "agree to 1%"),
        ('Mistake("M5"', 'Mistake("X1"', "mistake 'X1', which is not in the catalogue"),
        ("{bits} bits less", "{bit} bits less", "KeyError: 'bit'"),
        (
            "(round(rng.uniform(40, 400), 1), round(rng.uniform(0.2, 0.9), 2))",
            "(50.0, 0.5)",
            "the same answer",
        ),
        ("minutes=15", "minutes=14", "13 of 14 minutes, and a tenth must be left: at most 12.6"),
        ('TaskTemplate("why"', 'TaskTemplate("Why?"', "'Why?' cannot be the name of a task"),
        ('TaskTemplate("why"', 'TaskTemplate("halved"', "two tasks are called 'halved'"),
        ("minutes=3, points=1", "minutes=3, points=2", "rubric of 'why' do not add up to 2"),
        ("minutes=3, points=1", "minutes=3, points=0.5", "has points=0.5. Give a whole number"),
        ('name="quiz"', 'name="quizz"', "defines the exam 'quizz'"),
        ("EXAM = Exam(", "MY = Exam(", "does not define EXAM"),
        ("EXAM = Exam(", "EXAM = Exam((", "SyntaxError"),
        ("import Mistake", "import Mistakes", "line 4: ImportError"),
    ],
)
def test_what_is_wrong_is_said(tmp_path, capsys, old, new, said):
    """The task, the problem and what to do; nothing is written."""
    assert EXAMPLE.count(old) == 1
    bank(tmp_path / "bank", EXAMPLE.replace(old, new))
    assert made(tmp_path) == 1
    assert said in capsys.readouterr().err
    assert not (tmp_path / "quiz").exists()


def test_a_bank_that_is_not_there(tmp_path, capsys):
    bank(tmp_path / "bank")
    for arguments, said in (
        (["quizz", "--bank", str(tmp_path / "bank")], "quizz.py. Exams in"),
        (["midterm", "--bank", str(tmp_path / "bank")], "The book has an exam 'midterm' itself"),
        (["../quiz", "--bank", str(tmp_path / "bank")], "cannot be the name of an exam"),
    ):
        assert command.main([*arguments, "--students", "Ada", "--out", str(tmp_path / "x")]) == 1
        assert said in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["quiz", "--students", "Ada", "--out", str(tmp_path / "x")])
    assert "or give --bank FOLDER" in capsys.readouterr().err
