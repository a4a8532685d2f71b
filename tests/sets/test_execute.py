"""Execute: a stored set is one full run, without images or traces of the machine; a failing one stays."""

from pathlib import Path

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lmcourse.execute import main
from lmcourse.files.notebooks import NotebookError, canonical, read, to_text
from lmcourse.sets.execution import execute, not_executed

TINY = Path(__file__).with_name("tiny.ipynb")


def store(path, *sources):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(to_text(new_notebook(cells=[new_code_cell(source) for source in sources])))
    return path


def test_a_run_gives_the_stored_bytes_back(tmp_path):
    path = tmp_path / "solutions" / "tiny" / "tiny.ipynb"
    path.parent.mkdir(parents=True)
    notebook = read(TINY)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.execution_count, cell.outputs = None, []
        cell.metadata["execution"] = {"iopub.status.busy": "some time"}
    path.write_text(to_text(notebook))
    assert execute(path)
    assert path.read_bytes() == TINY.read_bytes()
    assert execute(path) is False


def test_what_is_stored_of_each_kind_of_output(tmp_path):
    path = store(
        tmp_path / "a.ipynb",
        "import os, sys, time\n"
        "print('one', flush=True); time.sleep(0.05); print('two'); print('a warning', file=sys.stderr)",
        "from IPython.display import display\n"
        "display({'image/png': 'aGk=', 'text/plain': '<Figure>'}, raw=True)\n"
        "display({'image/jpeg': 'aGk='}, raw=True)",
        "",
        "class Shown:\n"
        "    def _repr_html_(self): return '<b>x</b>'\n"
        "    def _repr_latex_(self): return '$x$'\n"
        "    def __repr__(self): return 'x'\n"
        "Shown()",
        "os.path.basename(os.getcwd()) == " + repr(tmp_path.name),
    )
    execute(path)
    text, pictures, empty, shown, folder = read(path).cells
    assert [(o.name, o.text) for o in text.outputs] == [("stdout", "one\ntwo\n"), ("stderr", "a warning\n")]
    assert [dict(o.data) for o in pictures.outputs] == [{"text/plain": "<Figure>"}]
    assert empty.execution_count is None
    assert shown.execution_count == 3
    assert set(shown.outputs[0].data) == {"text/plain", "text/html", "text/latex"}
    assert folder.outputs[0].data["text/plain"] == "True", "a notebook runs in its own folder"
    assert "image" not in path.read_text().split('"outputs"', 3)[-1]


def test_a_failing_cell_leaves_the_file_and_says_where(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    bad = store(tmp_path / "solutions" / "bad" / "bad.ipynb", "x = 1", "\n1 / 0", "y = 2")
    good = store(tmp_path / "solutions" / "good" / "good.ipynb", "print('fine')")
    before = bad.read_bytes()
    assert main([]) == 1
    errors = capsys.readouterr().err
    assert "solutions/bad/bad.ipynb, cell 2 (1 / 0): ZeroDivisionError: division by zero" in errors
    assert bad.read_bytes() == before
    assert sorted(path.name for path in bad.parent.iterdir()) == ["bad.ipynb"]
    assert not_executed(read(good)) == "", "the next set is run all the same"


def test_an_expected_error_is_stored_without_the_machines_paths(tmp_path):
    path = store(tmp_path / "a.ipynb", "1 / 0")
    notebook = read(path)
    notebook.cells[0].metadata["tags"] = ["raises-exception"]
    path.write_text(to_text(notebook))
    execute(path)
    assert read(path).cells[0].outputs[0].traceback == ["ZeroDivisionError: division by zero"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("import time; time.sleep(30)", "more than 1 seconds"),
        ("import os; os._exit(1)", "kernel died"),
        ("display({'image/svg+xml': '<svg/>'}, raw=True)", "strict nbval"),
    ],
)
def test_a_cell_that_cannot_be_stored(source, words, tmp_path):
    path = store(tmp_path / "a.ipynb", "x = 1", source)
    before = path.read_bytes()
    with pytest.raises(NotebookError, match=rf"a\.ipynb, cell 2 .*{words}"):
        execute(path, timeout=1 if "sleep" in source else 60)
    assert path.read_bytes() == before


def counted(*counts):
    cells = [new_markdown_cell("# Words")]
    cells += [new_code_cell(f"x = {n}", execution_count=n) for n in counts]
    return canonical(new_notebook(cells=cells))


@pytest.mark.parametrize(
    ("counts", "words"),
    [
        ((1, 2, 3), ""),
        ((), ""),
        ((1, None, 2), "not executed"),
        ((1, 3, 2), "has execution count 3 where 2 is expected"),
        ((2, 3), "has execution count 2 where 1 is expected"),
        ((1, 1), "has execution count 1 where 2 is expected"),
    ],
)
def test_what_counts_as_one_full_run(counts, words):
    found = not_executed(counted(*counts))
    assert words in found
    assert bool(found) == bool(words)


def test_an_empty_cell_needs_no_count():
    notebook = counted(1, 2)
    notebook.cells.insert(2, new_code_cell("  \n"))
    assert not_executed(notebook) == ""


def test_check_runs_nothing_and_names_the_command(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    path = store(tmp_path / "solutions" / "a" / "a.ipynb", "1 / 0")
    before = path.read_bytes()
    assert main(["--check"]) == 1
    assert "Run: python -m lmcourse.execute a" in capsys.readouterr().err
    assert path.read_bytes() == before
