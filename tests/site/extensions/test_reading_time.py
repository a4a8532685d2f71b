"""The notebooks that a reader takes home.

That of a chapter names in its first cell the data that the chapter reads. That of a lab has no speaker's
notes, and runs without the cells that were taken out.
"""

import ast
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lmcourse.files.places import HTML, ROOT
from lmcourse.site.extensions.reading_time import companions, hand_out_labs, handout, take_home

LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))
NOTE = "**2 min.** They will say 3; it is 4."


@pytest.mark.parametrize(
    ("source", "reads"),
    [('stored = json.loads(Path("reproduced.json").read_text())', True), ("print(1)", False)],
)
def test_only_a_chapter_that_reads_the_stored_results_asks_for_them(source, reads):
    start, cell = take_home(new_notebook(cells=[new_code_cell(source)]), {}).cells
    assert "install it first" in start.source and cell.source == source
    assert ("save it from where this notebook came" in start.source) == reads


def test_a_note_is_not_in_the_download_of_a_lab(tmp_path):
    (download,) = [target for words, target in companions("notebooks/02_x") if words.startswith("Download")]
    note = new_markdown_cell(NOTE, metadata={"slideshow": {"slide_type": "notes"}, "tags": ["remove-cell"]})
    check = new_code_cell("assert 2 + 2 == 4", metadata={"tags": ["remove-cell"]})
    question = new_markdown_cell("### Predict 1\n\nWhat is 2 + 2?")
    (tmp_path / download).parent.mkdir(parents=True)
    nbformat.write(new_notebook(cells=[question, note, check]), tmp_path / download)
    app = SimpleNamespace(outdir=tmp_path, builder=SimpleNamespace(format="html"))
    for _ in range(2):  # the second build finds the file as the first left it
        hand_out_labs(app, None)
        assert [cell.source for cell in nbformat.read(tmp_path / download, 4).cells] == [question.source]


def names(cells):
    """The names that code cells bind, and those that they read."""
    bound, read = set(), set()
    for cell in cells:
        for node in ast.walk(ast.parse(cell.source if cell.cell_type == "code" else "")):
            match node:
                case ast.Name(id=name, ctx=ast.Load()):
                    read.add(name)
                case ast.Name(id=name) | ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    bound.add(name)
                case ast.alias(name=name, asname=other):
                    bound.add(other or name)
    return bound, read


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_the_download_of_a_lab_has_no_notes_and_needs_nothing_that_was_taken_out(path):
    lab = nbformat.read(path, 4)
    removed = [cell for cell in lab.cells if "remove-cell" in cell.metadata.get("tags", [])]
    handed_out = handout(lab).cells
    assert removed and len(handed_out) > 30
    assert not [cell.source for cell in handed_out if cell.metadata.slideshow.slide_type == "notes"]
    bound, read = names(handed_out)
    assert not read & names(removed)[0] - bound


@pytest.mark.skipif(not (HTML / "_sources/notebooks").exists(), reason="the book is not built: make book")
@pytest.mark.parametrize("path", LABS, ids=lambda path: path.stem)
def test_the_built_book_offers_the_lab_without_its_notes(path):
    offered = nbformat.read(HTML / "_sources/notebooks" / path.name, 4)
    assert "remove-cell" not in [tag for cell in offered.cells for tag in cell.metadata.get("tags", [])]
