"""The editions of the PDF: which pages are in the LaTeX of a book of four, and what a set shows."""

import json

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lmcourse.files.notebooks import to_text
from lmcourse.files.places import ROOT
from lmcourse.site import pdf
from lmcourse.site.extensions.latex import EDITION, NAME, solve

SET = "exercises/01_a/01_a"
FILES = {
    "_config.yml": """
title: Four pages
only_build_toc_files: true
exclude_patterns: [_build]
execute: {execute_notebooks: "off"}
latex: {latex_engine: xelatex}
sphinx: {extra_extensions: [lmcourse.site.extensions.latex]}
""",
    "_toc.yml": """
format: jb-book
root: book/index
parts:
  - caption: "Part I: The measure"
    chapters:
      - file: book/01_a
        sections: [{file: exercises/01_a/01_a}]
  - caption: For instructors
    chapters:
      - file: book/instructors/index
        sections: [{file: book/instructors/01_a}]
""",
    "book/index.md": "# Four pages\n\nFor [teachers](instructors/index.md), and [chapter one](01_a.md).\n",
    "book/01_a.md": "# A chapter\n\nIts lecture is [planned here](instructors/01_a.md).\n",
    "book/instructors/index.md": "# The staff room\n\nWelcome.\n",
    "book/instructors/01_a.md": "# The plan\n\nTell them slowly.\n",
}
SOLVED = """### TASK: Task 1: say it.
### BEGIN SOLUTION
answer = multiplied
### END SOLUTION"""
CHECK = "assert answer > 0\n### BEGIN HIDDEN TESTS\nassert answer == divided\n### END HIDDEN TESTS"


@pytest.fixture
def book(tmp_path):
    """A chapter with its set, solved and unsolved, and two pages for instructors."""
    cells = {
        "exercises": [new_code_cell('raise NotImplementedError("Task 1")')],
        "solutions": [
            new_code_cell(SOLVED),
            new_code_cell(CHECK),
            new_markdown_cell("**Rubric**: all or nothing"),
        ],
    }
    sets = {
        f"{folder}/01_a/01_a.ipynb": to_text(new_notebook(cells=[new_markdown_cell("# The set"), *found]))
        for folder, found in cells.items()
    }
    for name, text in {**FILES, **sets}.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "_build" / ".jupyter_cache").mkdir(parents=True)
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("edition", pdf.EDITIONS)
def test_an_edition_has_its_pages(book, edition, monkeypatch):
    """Students get neither plans nor answers, and no link leads to a page that is left out."""
    monkeypatch.setenv(EDITION, "")  # restored afterwards: write_latex sets it
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    status, log, folder = pdf.write_latex(book, edition)
    assert status == 0, log[-2000:]
    tex = (folder / f"{NAME}.tex").read_text(encoding="utf-8")
    assert "A chapter" in tex and "The set" in tex and "Part I: The measure" in tex
    for words in ("The staff room", "Tell them slowly", "For instructors", "multiplied", "Rubric"):
        assert (words in tex) == (edition == "lecturer"), words
    assert ("NotImplementedError" in tex) == (edition == "student")
    for secret in ("divided", "BEGIN", "TASK:"):
        assert secret not in tex
    assert "planned here" in tex and ("book/instructors/01_a" in tex) == (edition == "lecturer")


class App:
    """What `solve` asks a builder for."""

    srcdir = ROOT

    class builder:
        format = "latex"


def test_every_solved_set_loses_its_markers_and_hidden_checks(monkeypatch):
    """And keeps its answers and its rubric; other pages stay as they are, and for students all do."""
    for path in sorted((ROOT / "solutions").glob("*/*.ipynb")):
        source = ["student"]
        monkeypatch.setenv(EDITION, "student")
        solve(App, f"exercises/{path.stem}/{path.stem}", source)
        assert source == ["student"]
        monkeypatch.setenv(EDITION, "lecturer")
        solve(App, f"book/{path.stem}", source)
        assert source == ["student"]
        solve(App, f"exercises/{path.stem}/{path.stem}", source)
        text = "\n".join("".join(cell["source"]) for cell in json.loads(source[0])["cells"])
        assert "###" not in text.replace("####", "") or "### BEGIN" not in text
        assert "check_hidden" not in text.replace("import check, check_hidden", "") and "### TASK" not in text
        assert "Rubric" in text and "NotImplementedError" not in text
