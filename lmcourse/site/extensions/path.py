"""A Sphinx extension: a chapter's path, the part that is not folded, stays short enough for one sitting.

Words of prose and shown cells are counted here, and ``tests/browser/test_pages.py`` measures the screens. Not
counted: what is in a fold, tables, formulas, and what cells print.
"""

import re

from docutils import nodes
from sphinx.util import logging

from lmcourse.site.extensions.folds import Folded

HELD = ("04_perplexity",)
"""The chapters that follow the second pattern; the others come to it one by one."""
WORDS, CELLS, SCREENS = 3300, 30, 27
NO_PROSE = (Folded, nodes.literal_block, nodes.math, nodes.math_block, nodes.table, nodes.raw, nodes.comment)

log = logging.getLogger(__name__)


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("doctree-read", check, priority=700)  # after the folds are made
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def check(app, doctree):
    """Warn if the path of a chapter is too long."""
    stem = app.env.docname.rpartition("/")[2]
    if app.env.docname != f"book/{stem}" or stem not in HELD:
        return
    words, cells = measure(doctree)
    if words > WORDS:
        log.warning("the path has %d words, more than %d: fold or cut", words, WORDS, location=doctree)
    if cells > CELLS:
        log.warning("the path shows %d cells, more than %d: fold or cut", cells, CELLS, location=doctree)


def measure(doctree):
    """Return the words of prose and the number of shown code cells on the path."""
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
