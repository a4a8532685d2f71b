"""The notebook that a reader takes home: its first cell names the data that the chapter reads."""

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from lmcourse.site.extensions.reading_time import take_home


@pytest.mark.parametrize(
    ("source", "reads"),
    [('stored = json.loads(Path("reproduced.json").read_text())', True), ("print(1)", False)],
)
def test_only_a_chapter_that_reads_the_stored_results_asks_for_them(source, reads):
    start, cell = take_home(new_notebook(cells=[new_code_cell(source)]), {}).cells
    assert "install it first" in start.source and cell.source == source
    assert ("save it from where this notebook came" in start.source) == reads
