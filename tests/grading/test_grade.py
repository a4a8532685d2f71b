"""The student's command: what it prints, the page and the data that it writes."""

import json
import re

import pytest

from lmcourse.grade import main
from lmcourse.grading.notebook.key import Key, guess_set, student_cell
from lmcourse.grading.notebook.reading import read_cells
from lmcourse.grading.notebook.report import as_html, as_table
from lmcourse.grading.notebook.result import Result, TaskResult
from lmcourse.grading.one_notebook import grade_notebook
from tests.grading.catalogue import LIMITS, Notebook, write_small_set


@pytest.fixture
def project(tmp_path, monkeypatch):
    write_small_set(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_command_prints_a_table_and_writes_page_and_data(project, capsys):
    notebook = Notebook()
    notebook.change("average-surprisal", ("return -log", "return log"))
    (project / "mine.ipynb").write_bytes(notebook.file())
    assert main(["mine.ipynb", "--seed", "7", "--html", "f.html", "--json", "f.json"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"Task 3 +average-surprisal +0 / +3  zero\n +M5, ", shown)
    assert "Total: 8 of 11 points." in shown and "A person grades 3 points more: Task 5." in shown
    assert "Hidden inputs of seed 7. Protection: " in shown
    data = json.loads((project / "f.json").read_text())
    assert (data["points"], data["maximum"], data["by_hand"], data["seed"]) == (8, 11, 3, 7)
    assert data["tasks"][2]["mistakes"] == ["M5"] and data["tasks"][4]["words"] == "My two sentences."
    page = (project / "f.html").read_text()
    assert "M5, " in page and "8 of 11" in page and "<script" not in page


def test_a_file_that_is_not_a_notebook_is_said_in_a_sentence(project, capsys):
    (project / "notes.ipynb").write_text("hello")
    assert main(["notes.ipynb"]) == 1
    assert main(["missing.ipynb"]) == 1
    shown = capsys.readouterr().out
    assert "it is not JSON" in shown and "cannot be read" in shown


def test_a_notebook_of_another_course_is_refused(project, capsys):
    cell = {"cell_type": "code", "source": "print('my own work')", "metadata": {}}
    (project / "own.ipynb").write_text(json.dumps({"cells": [cell], "nbformat": 4, "metadata": {}}))
    assert main(["own.ipynb"]) == 1
    assert "shares no cell with a set" in capsys.readouterr().out


def test_text_of_a_student_is_escaped():
    evil = "<script>alert(1)</script>\x1b[2J\ud800\u202e"
    task = TaskResult("t", "Task 1", evil, 0, 2, "zero", evil, words=evil)
    result = Result("02_small", 1, (task,), "Protection: full.")
    page, table = as_html(result), as_table(result)
    assert "<script" not in page and "&lt;script&gt;" in page
    for text in (page, table):
        assert not set(text) & {"\x1b", "\ud800", "\u202e"}
        text.encode("utf-8")
    assert "<script" not in as_html(Result("", 1, problem=evil))


def test_text_between_backticks_is_code_on_the_page():
    """Even if it contains characters of HTML; a single backtick is kept."""
    reason = '`value["a"]` is `<b>`. Put `x < 1` there: `'
    task = TaskResult("t", "Task 1", "the `total`", 0, 2, "zero", reason)
    page = as_html(Result("02_small", 1, (task,), "Protection: full."))
    assert "the <code>total</code>" in page and "Put <code>x &lt; 1</code> there: `" in page
    assert "<code>value[&#34;a&#34;]</code> is <code>&lt;b&gt;</code>." in page and "<b>" not in page


def test_the_same_seed_gives_the_same_grade_and_the_seed_is_recorded(project):
    """An answer that is right for about half of the inputs: its grade depends only on the seed."""
    notebook = Notebook()
    notebook.change("forecasters", ("return {", "if a[0, 0] > 0.95:\n        return None\n    return {"))
    grades = {}
    for seed in (1, 2, 3, 1, 2, 3):
        result = grade_notebook(notebook.file(), "02_small", seed=seed, limits=LIMITS)
        assert result.seed == seed and len(result.digest) == 64
        grades.setdefault(seed, set()).add(result.tasks[1].status + result.tasks[1].reason)
    assert all(len(found) == 1 for found in grades.values())


def test_the_set_is_found_by_its_cells(project):
    assert guess_set(read_cells(Notebook().file())[0], project / "solutions") == "02_small"


def test_the_key_reads_points_names_and_blanks(project):
    key = Key("02_small", project / "solutions")
    assert [task.maximum for task in key.tasks.values()] == [3, 3, 3, 2, 3]
    assert key.tasks["three-words"].names == ("sentence_cost",)
    assert key.tasks["softmax-gradient"].names == ("gradient",)
    assert key.imports == ["numpy", "sympy", "scipy"]
    assert student_cell(" ### TASK: Do it.\n ### BEGIN SOLUTION\n x\n ### END SOLUTION") == (
        ' # YOUR CODE HERE\n raise NotImplementedError("Do it.")'
    )
