"""A Sphinx extension: the reading path of a chapter, which is what no fold hides, fits into one sitting.

It counts the words of prose and the code cells that are shown; ``tests/browser/test_pages.py`` measures the
height in screens. Folds, tables, formulas and printed outputs do not count.
"""

import re

from docutils import nodes
from sphinx.util import logging

from lmcourse.files.contents import chapters
from lmcourse.site.extensions.folds import Folded

WORDS, CELLS, SCREENS = 3300, 30, 27
NO_PROSE = (Folded, nodes.literal_block, nodes.math, nodes.math_block, nodes.table, nodes.raw, nodes.comment)

log = logging.getLogger(__name__)


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("doctree-read", check, priority=700)  # after the folds are made
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def check(app, doctree):
    """Warn if the reading path of a chapter is too long."""
    page = app.env.docname
    stem = page.rpartition("/")[2]
    if page != f"book/{stem}" or stem not in chapters(app.srcdir):
        return
    words, cells = measure(doctree)
    if words > WORDS:
        log.warning("the path has %d words, more than %d: fold or cut", words, WORDS, location=page)
    if cells > CELLS:
        log.warning("the path shows %d cells, more than %d: fold or cut", cells, CELLS, location=page)


def measure(doctree):
    """Return the words of prose and the number of code cells that the reading path shows."""
    words = sum(
        len(re.findall(r"[\w'’-]+", text)) for text in doctree.findall(nodes.Text) if not _off_the_path(text)
    )
    cells = [
        cell
        for cell in doctree.findall(nodes.container)
        if cell.get("nb_element") == "cell_code"
        and any(part.get("nb_element") == "cell_code_source" for part in cell.children)
        and "hide_mode" not in cell
        and not _off_the_path(cell)
    ]
    return words, len(cells)


def _off_the_path(node):
    while (node := node.parent) is not None:
        if isinstance(node, NO_PROSE) or node.get("nb_element") == "cell_code":
            return True
    return False
