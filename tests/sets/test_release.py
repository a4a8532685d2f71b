"""Release: what students get, that it is always the same, and that a broken set is refused with a reason."""

import copy
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_output
from nbgrader.utils import compute_checksum
from nbgrader.validator import Validator

from lmcourse.files.notebooks import NotebookError, canonical, cell_name, is_answer, read, to_text
from lmcourse.release import main
from lmcourse.sets.release import differences, release, student_set

TINY = Path(__file__).with_name("tiny.ipynb")


@pytest.fixture
def project(tmp_path):
    """A project with one solved set, not yet released."""
    folder = tmp_path / "solutions" / "tiny"
    folder.mkdir(parents=True)
    (folder / "tiny.ipynb").write_bytes(TINY.read_bytes())
    return tmp_path


def cells(notebook):
    return {cell_name(cell): cell for cell in notebook.cells if cell_name(cell)}


# What students get


def test_a_task_may_have_parts_that_are_named_together():
    solved = read(TINY)
    more = "## Task 4a: one\n## Task 4b: another\n## Task 5: a last one, as in Task 4 and Task 4b"
    solved.cells.append(new_markdown_cell(more))
    assert "Task 4b" in to_text(student_set(canonical(solved)))


def test_a_gap_raises_the_task_message_and_keeps_the_rest():
    student = cells(student_set(read(TINY)))
    assert student["bits"].source == (
        'def bits(nats):\n    """Return the bits that `nats` nats are."""\n    # YOUR CODE HERE\n'
        '    raise NotImplementedError("Task 1: turn nats into \\"bits\\".")'
    )
    with pytest.raises(NotImplementedError, match=r'Task 1: turn nats into "bits"\.'):
        exec(student["bits"].source + "\nbits(1)")


def test_hidden_tests_model_answers_outputs_and_tags_are_gone():
    solved = read(TINY)
    student = student_set(solved)
    text = to_text(student)
    for secret in ("BEGIN", "### TASK", "bits(0)", "Probabilities", "Rubric", "1.4427", "hide-input"):
        assert secret in to_text(solved)
        assert secret not in text
    assert cells(student)["why-add"].source == "*Write one sentence here.*"
    assert cells(student)["test-bits"].source.endswith('"Divide by ln 2."')
    assert all(not cell.outputs for cell in student.cells if cell.cell_type == "code")


def test_a_look_back_keeps_its_question_and_loses_its_model_answer():
    """Words and code that nobody grades: the student gets the prompt, in a cell that may be edited."""
    solved = read(TINY)
    for kind, cell in (("", new_markdown_cell("Because.")), (": a figure", new_code_cell("plot(bits)"))):
        cell.metadata["course"] = {"prompt": "# Yours. It is not graded."}
        solved.cells += [new_markdown_cell(f"**Look back{kind}.** What is it?"), cell]
    student = student_set(canonical(solved))
    assert "Because" not in to_text(student) and "plot" not in to_text(student)
    assert student.cells[-4].source == "**Look back.** What is it?"
    for cell in (student.cells[-3], student.cells[-1]):
        assert (cell.source, cell.metadata) == ("# Yours. It is not graded.", {})


def test_graded_cells_are_locked_and_carry_nbgraders_checksums():
    student = cells(student_set(read(TINY)))
    assert student["test-bits"].metadata.editable is False
    assert "editable" not in student["bits"].metadata
    for name, cell in student.items():
        assert cell.metadata.deletable is False
        assert cell.id == name
        assert cell.metadata.nbgrader.checksum == compute_checksum(cell)


def test_the_solved_notebook_is_not_changed():
    solved = read(TINY)
    before = copy.deepcopy(solved)
    student_set(solved)
    assert solved == before


def test_a_cell_may_keep_the_tag_that_allows_an_error():
    solved = read(TINY)
    solved.cells[-1].metadata["tags"] = ["raises-exception", "hide-input"]
    assert student_set(solved).cells[-1].metadata == {"tags": ["raises-exception"]}


# Always the same


def test_releasing_twice_changes_nothing(project):
    (written,) = release(project)
    before = written.read_bytes()
    assert release(project) == []
    assert written.read_bytes() == before
    assert differences(project) == []


def test_running_or_saving_the_solved_set_elsewhere_changes_nothing(project):
    (student,) = release(project)
    before = student.read_bytes()
    path = project / "solutions" / "tiny" / "tiny.ipynb"
    data = json.loads(path.read_text())
    data["metadata"]["language_info"] = {"name": "python", "version": "3.99"}
    data["metadata"]["colab"] = {"provenance": []}
    data["nbformat_minor"] = 4
    for number, cell in enumerate(data["cells"]):
        del cell["id"]
        cell["metadata"].update({"execution": {"iopub.execute_input": "now"}, "collapsed": False})
        cell["source"] = "".join(cell["source"])
        if cell["cell_type"] == "code":
            cell["execution_count"] = 100 + number
            cell["outputs"] = [new_output("stream", name="stdout", text="something else\n")]
    path.write_text("\ufeff" + json.dumps(data), encoding="utf-8")  # with a byte-order mark
    assert release(project) == []
    assert student.read_bytes() == before


def test_a_new_cell_changes_no_id_but_those_up_to_the_next_name():
    solved = read(TINY)
    before = [cell.id for cell in solved.cells]
    solved.cells.insert(2, nbformat.v4.new_markdown_cell("A new remark."))
    after = [cell.id for cell in student_set(canonical(solved)).cells]
    assert set(before) < set(after)
    assert before[3:] == after[4:]


# --check


def test_check_reports_what_is_missing_stale_and_extra_with_the_cure(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main(["--check"]) == 1
    assert "tiny.ipynb is missing. Run: python -m lmcourse.release tiny" in capsys.readouterr().out
    assert main([]) == 0
    assert main(["--check"]) == 0
    student = project / "exercises" / "tiny" / "tiny.ipynb"
    student.write_text(student.read_text() + "\n")
    (student.parent / "notes.txt").write_text("mine")
    (project / "exercises" / "old").mkdir()
    (project / "exercises" / "old" / "old.ipynb").write_text("{}")
    (student.parent / ".ipynb_checkpoints").mkdir()
    (student.parent / ".ipynb_checkpoints" / "tiny.ipynb").write_text("{}")
    capsys.readouterr()
    assert main(["--check"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [re.search(r"is (\w+)", line)[1] for line in lines] == ["stale", "extra", "extra"]
    assert "rm exercises/old/old.ipynb" in lines[1]
    assert main([]) == 0
    assert (student.parent / "notes.txt").exists(), "a student's own file is never deleted"


def test_check_of_one_set_does_not_speak_of_others(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    main([])
    (project / "exercises" / "old").mkdir()
    (project / "exercises" / "old" / "old.ipynb").write_text("{}")
    assert main(["--check", "tiny"]) == 0
    assert main(["tinny"]) == 1
    assert "Sets here: tiny" in capsys.readouterr().err


def test_outside_the_project_it_says_where_to_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main([]) == 1
    assert "project's root folder" in capsys.readouterr().err


def test_listed_companion_files_are_handed_out(project):
    path = project / "solutions" / "tiny" / "tiny.ipynb"
    solved = read(path)
    solved.metadata["course"] = {"files": ["table.csv"]}
    path.write_text(to_text(solved))
    with pytest.raises(NotebookError, match=r"lists the file 'table\.csv'"):
        release(project)
    (path.parent / "table.csv").write_text("1,2\n")
    (path.parent / "private.csv").write_text("3,4\n")
    release(project)
    assert sorted(p.name for p in (project / "exercises" / "tiny").iterdir()) == ["table.csv", "tiny.ipynb"]
    assert "course" not in read(project / "exercises" / "tiny" / "tiny.ipynb").metadata
    (project / "exercises" / "tiny" / "table.csv").write_text("changed")
    assert "table.csv is stale" in differences(project)[0]


# Broken sets


def edit(name, old, new):
    """Return a change that replaces ``old`` by ``new`` in the source of the cell called ``name``."""

    def change(solved):
        cell = cells(solved)[name]
        assert old in cell.source
        cell.source = cell.source.replace(old, new)

    return change


def settings(name, **changes):
    """Return a change that updates a cell's nbgrader metadata; None takes a key out."""

    def change(solved):
        meta = cells(solved)[name].metadata["nbgrader"]
        meta.update(changes)
        for key in [key for key, value in meta.items() if value is None]:
            del meta[key]

    return change


def drop(name):
    return lambda solved: solved.cells.remove(cells(solved)[name])


def put(text, kind="markdown"):
    make = nbformat.v4.new_markdown_cell if kind == "markdown" else nbformat.v4.new_code_cell
    return lambda solved: solved.cells.insert(1, make(text))


BROKEN = {
    "no end marker": (edit("bits", "    ### END SOLUTION", "    pass"), "unbalanced markers.*END SOLUTION"),
    "no begin marker": (edit("coins", "### BEGIN SOLUTION\n", ""), "unbalanced markers"),
    "two regions": (
        edit("coins", "### END SOLUTION", "### END SOLUTION\n### BEGIN SOLUTION\nx = 1\n### END SOLUTION"),
        "unbalanced markers",
    ),
    "a marker with other words": (edit("coins", "### END SOLUTION", "# END SOLUTION here"), "unbalanced"),
    "no end of the hidden tests": (edit("test-bits", "### END HIDDEN TESTS", ""), "unbalanced.*HIDDEN"),
    "no region": (
        lambda solved: cells(solved)["coins"].update(source="coins = 3"),
        "answer cell without '### BEGIN SOLUTION'",
    ),
    "markers at different depths": (edit("bits", "    ### END", "### END"), "different depths"),
    "no task": (edit("bits", '    ### TASK: Task 1: turn nats into "bits".\n', ""), "no task message"),
    "an empty task": (edit("coins", "Task 2: put the number of bits into `coins`.", " "), "no task message"),
    "a task in the wrong place": (
        edit("coins", "### BEGIN SOLUTION", "half = 1\n### BEGIN SOLUTION"),
        "no task message",
    ),
    "half an expression is left": (
        edit("bits", '    """Return the bits that `nats` nats are."""', "    return ("),
        "is not valid Python",
    ),
    "a region in Markdown": (put("### BEGIN SOLUTION\nWords.\n### END SOLUTION"), "outside code"),
    "a mark scheme": (put("### BEGIN MARK SCHEME\n### END MARK SCHEME"), "outside code"),
    "a region in another cell": (
        put("### BEGIN SOLUTION\n1\n### END SOLUTION", "code"),
        r"cell 2 \(### BEGIN SOLUTION\).*not an answer cell",
    ),
    "hidden tests in an answer": (
        edit("bits", "    return", "    ### BEGIN HIDDEN TESTS\n    ### END HIDDEN TESTS\n    return"),
        "not a test cell",
    ),
    "a name twice": (settings("coins", grade_id="bits"), "'bits' is used in 2 cells"),
    "a name with a capital": (settings("coins", grade_id="Coins"), "grade_id 'Coins'.*lower-case"),
    "no name": (settings("coins", grade_id=None), "grade_id None"),
    "no points": (settings("test-coins", points=None), "points None"),
    "zero points": (settings("test-coins", points=0), "points 0"),
    "half points": (settings("test-coins", points=1.5), "points 1.5"),
    "an old format": (settings("coins", schema_version=2), "nbgrader refuses"),
    "an unknown key": (settings("coins", level=2), "nbgrader refuses.*level"),
    "an nbgrader task cell": (settings("why-add", task=True), "'task' cell"),
    "a test for nothing": (settings("test-coins", grade_id="test-dice"), "'test-dice' has no answer cell"),
    "a test above its answer": (
        lambda solved: solved.cells.insert(
            0, solved.cells.pop(solved.cells.index(cells(solved)["test-coins"]))
        ),
        "no answer cell above",
    ),
    "an answer without test": (drop("test-coins"), "'coins' is never tested"),
    "a trailing value": (edit("test-coins", "assert coins == 3", "coins == 3"), "ends with 'coins == 3'"),
    "a trailing call": (
        edit("test-coins", "assert coins == 3", "assert coins == 3\nprint('Good.')"),
        r"ends with .print\('Good\.'\)",
    ),
    "a trailing value without the hidden part": (
        edit("test-bits", '"Divide by ln 2."', '"Divide by ln 2."\nbits(1)'),
        r"ends with 'bits\(1\)' without its hidden tests",
    ),
    "all tests hidden": (
        edit("test-bits", 'assert abs(bits(math.log(8)) - 3) < 1e-12, "Divide by ln 2."\n', ""),
        "tests nothing without its hidden tests",
    ),
    "a test that is not Python": (edit("test-coins", "assert", "assert assert"), "not valid Python"),
    "an answer that is not Python": (edit("coins", "coins = 3", "coins = = 3"), "not valid Python"),
    "no prompt": (lambda solved: cells(solved)["why-add"].metadata.pop("course"), "no prompt"),
    "a marker in the prompt": (
        lambda solved: cells(solved)["why-add"].metadata["course"].update(prompt="### BEGIN SOLUTION"),
        "marker in its prompt",
    ),
    "a question without a place for an answer": (
        lambda solved: solved.cells.append(new_markdown_cell("**Look back.** It is 3. Why?")),
        r"cell 12 \(\*\*Look back.*nowhere to answer",
    ),
    "an experiment without a place for a design": (
        lambda solved: solved.cells.append(new_markdown_cell("**Look back: an experiment.** Design one.")),
        "nowhere to answer",
    ),
    "a place for an answer to nothing": (
        lambda solved: solved.cells.append(
            new_markdown_cell("Yes.", metadata={"course": {"prompt": "*Here.*"}})
        ),
        r"cell 12 \(Yes\.\).*asks nothing",
    ),
    "a place without a prompt": (
        lambda solved: solved.cells.extend(
            [
                new_markdown_cell("**Look back.** Why?"),
                new_markdown_cell("So.", metadata={"course": {"prompt": ""}}),
            ]
        ),
        r"cell 13 \(So\.\): has no prompt",
    ),
    "a task is put in": (
        put("## Task 1 (★): the new one"),
        r"Task 1 \(★\): bits\): Task 1 comes after Task 1\. Number the tasks in order",
    ),
    "a number is left out": (
        lambda solved: solved.cells.append(new_markdown_cell("## Task 5: more")),
        r"Task 5 comes after Task 3\.",
    ),
    "a letter is left out": (
        lambda solved: solved.cells.extend(
            [new_markdown_cell("## Task 4a: one"), new_markdown_cell("## Task 4c: another")]
        ),
        r"Task 4c comes after Task 4a\.",
    ),
    "the first task is the second": (
        lambda solved: solved.cells.pop(2),
        r"Task 2 comes after no task\.",
    ),
    "the message of another task": (
        edit("coins", "Task 2: put", "Task 3: put"),
        r"its task message is not that of its heading\. Begin it with 'Task 2:'",
    ),
    "a message without a number": (edit("coins", "Task 2: put", "Put"), "Begin it with 'Task 2:'"),
    "a reference to a task that is not there": (
        put("The bits of Task 4 are twice those of Task 1."),
        "names Task 4, which the set lacks",
    ),
    "no rubric": (edit("why-add", "**Rubric**", "**Points**"), "Rubric"),
    "a rubric that does not add up": (edit("why-add", "- 1 point: the l", "- 2 points: the l"), "gives 3"),
    "code graded by hand": (settings("coins", grade=True, points=1), "graded by hand"),
    "a test in Markdown": (
        lambda solved: cells(solved)["why-add"].metadata["nbgrader"].update(solution=False),
        "test cell in Markdown",
    ),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_broken_set_is_refused_and_nothing_is_written(fault, project):
    change, words = BROKEN[fault]
    path = project / "solutions" / "tiny" / "tiny.ipynb"
    solved = read(path)
    change(solved)
    path.write_text(nbformat.writes(solved))
    with pytest.raises(NotebookError) as refused:
        release(project)
    lines = str(refused.value).splitlines()
    assert all(line.startswith(f"{path}: ") for line in lines)
    assert any(re.search(words, line) for line in lines), lines
    assert not (project / "exercises").exists()


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("<<<<<<< HEAD", "not JSON.*git"),
        ("[]", "not a notebook of format 4"),
        ('{"nbformat": 3, "worksheets": []}', "not a notebook of format 4"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [{}]}', "not a valid notebook"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": ["words"]}', "not a valid notebook"),
    ],
)
def test_a_file_that_is_not_a_notebook_is_refused(text, words, project):
    path = project / "solutions" / "tiny" / "tiny.ipynb"
    path.write_text(text)
    with pytest.raises(NotebookError, match=f"{re.escape(str(path))}: {words}"):
        release(project)
    assert re.search(words, differences(project)[0])


def test_one_broken_set_does_not_hide_another(project):
    broken = project / "solutions" / "broken" / "broken.ipynb"
    broken.parent.mkdir()
    broken.write_text("not JSON")
    with pytest.raises(NotebookError, match="not JSON"):
        release(project)
    found = differences(project)
    assert "not JSON" in found[0]
    assert "tiny.ipynb is missing" in found[1]
    assert release(project, ["tiny"])


# nbgrader's own tools accept the files


def answered(student, solved):
    """Return the student set with the answers of the solved set written in."""
    student = copy.deepcopy(student)
    for mine, model in zip(student.cells, solved.cells, strict=True):
        if is_answer(mine):
            mine.source = model.source
    return student


def test_nbgrader_validates_a_right_answer_and_refuses_the_empty_set(tmp_path):
    solved = read(TINY)
    student = student_set(solved)
    (tmp_path / "empty.ipynb").write_text(to_text(student))
    (tmp_path / "right.ipynb").write_text(to_text(answered(student, solved)))
    changed = answered(student, solved)
    cells(changed)["test-coins"].source = "assert True"
    (tmp_path / "changed.ipynb").write_text(to_text(changed))
    empty = Validator().validate(str(tmp_path / "empty.ipynb"))
    assert len(empty["failed"]) == 3, "two tests, and the answer in words that is still the prompt"
    assert re.search(r"NotImplementedError\S*: Task 1: turn nats into", empty["failed"][0]["raw_error"])
    assert Validator().validate(str(tmp_path / "right.ipynb")) == {}
    assert list(Validator().validate(str(tmp_path / "changed.ipynb"))) == ["changed"]


@pytest.mark.slow
def test_nbgrader_autogrades_what_we_release(tmp_path):
    solved = read(TINY)
    student = student_set(solved)
    for folder, notebook in {
        "source/tiny": solved,
        "submitted/ann/tiny": student,
        "submitted/bob/tiny": answered(student, solved),
    }.items():
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "tiny.ipynb").write_text(to_text(notebook))
    (tmp_path / "nbgrader_config.py").write_text("get_config().CourseDirectory.course_id = 'course'\n")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])  # for alembic
    for command in ("generate_assignment", "autograde"):
        subprocess.run(
            [sys.executable, "-m", "nbgrader", command, "tiny"],
            cwd=tmp_path,
            env={**os.environ, "PATH": path},
            check=True,
            capture_output=True,
        )
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{tmp_path}/gradebook.db") as gradebook:
        scores = {name: gradebook.find_submission("tiny", name) for name in ("ann", "bob")}
        assert {name: (s.score, s.max_score) for name, s in scores.items()} == {"ann": (0, 5), "bob": (3, 5)}


def test_labs_and_sets_have_the_line_for_colab_where_the_repository_is_known(project, monkeypatch):
    lab = project / "notebooks" / "01_a.ipynb"
    lab.parent.mkdir(exist_ok=True)
    lab.write_text((TINY).read_text(encoding="utf-8"), encoding="utf-8")
    for repository in ("ann/book", "bob/fork", ""):
        monkeypatch.setattr("lmcourse.sets.release.REPOSITORY", repository)
        faults = differences(project)
        release(project)
        texts = [
            lab.read_text(encoding="utf-8"),
            *(p.read_text() for p in project.glob("exercises/*/*.ipynb")),
        ]
        assert all(f"git+https://github.com/{repository}" in text for text in texts) == bool(repository)
        assert all(text.count("%pip install") == bool(repository) for text in texts)
        assert any("line for Colab" in fault for fault in faults) and differences(project) == []
