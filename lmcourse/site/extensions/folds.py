"""A Sphinx extension: collapse whatever interrupts the reading, under a descriptive label.

- ``{fold} Title`` ... ``{end-fold}``, on the top level of a page, fold what is between them: text, glued
  numbers, figures, cells that run. ``{predict} Question`` ... ``{end-fold}`` do the same below a question.
- A section whose title begins with "Going deeper" is folded below its title, with its minutes.
- The first cell of a page, if it imports, is folded as "Imports and set-up".
- The code of a derivation is folded below it. `lmmetrics.derivation` writes into its HTML whether each step
  is proved, or some are only checked in numbers: ``<div class="derivation" data-verdict="proved">``.

A fold is closed on the screen and open on paper. It is an HTML ``details``, which keyboards and screen
readers can open. ``folds.js`` opens one that a link leads into, and remembers what the reader has opened.
"""

import re

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from lmcourse.site.extensions.reading_time import in_words, minutes

DEEPER = "Going deeper"
IMPORTS = re.compile(r"(import|from) ")
VERDICT = re.compile(r'<div class="derivation[^>]* data-verdict="(\w+)"')
VERDICTS = {"proved": "Proved", "checked": "Checked in numbers"}

log = logging.getLogger(__name__)


class Folded(nodes.General, nodes.Element):
    """Content that is closed until a reader opens it: ``summary`` is its label, ``kind`` its look."""


class Mark(nodes.General, nodes.Element):
    """Where a fold begins (with ``kind``), or ends (without)."""


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.add_node(Folded, html=(visit_fold, depart_fold), latex=(visit_fold_on_paper, depart_fold_on_paper))
    app.add_node(HideCodeCellNode, override=True, html=(visit_hidden_code, depart_fold))
    app.add_directive("fold", BeginFold)
    app.add_directive("predict", Predict)
    app.add_directive("end-fold", EndFold)
    app.connect("doctree-read", label_cells)
    app.connect("doctree-read", make_folds)
    app.add_post_transform(CodeBelow)
    app.add_js_file("folds.js")
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


class BeginFold(SphinxDirective):
    """The beginning of a fold; its argument is the title."""

    required_arguments, final_argument_whitespace = 1, True
    kind = "deeper"

    def run(self):
        """Return the mark; its children are the title's."""
        words, messages = self.state.inline_text(self.arguments[0], self.lineno)
        start = Mark("", *words, kind=self.kind)
        self.set_source_info(start)
        return [start, *messages]


class Predict(BeginFold):
    """The beginning of a fold below a question: the reader answers before opening it."""

    kind = "predict"


class EndFold(SphinxDirective):
    """The end of the fold."""

    def run(self):
        """Return the mark."""
        end = Mark("")
        self.set_source_info(end)
        return [end]


def make_folds(app, doctree):
    """Fold what is between two marks, and deeper sections below their titles."""
    for start in list(doctree.findall(Mark)):
        if start.parent is not None and "kind" in start:
            fold_between(start)
    for left in list(doctree.findall(Mark)):
        log.warning("{end-fold} without a fold that begins before it in its section", location=left)
        left.parent.remove(left)
    for section in list(doctree.findall(nodes.section)):
        fold_deeper(section)


def fold_between(start):
    """Put what is between a mark and the next, which must be an end, into a fold."""
    parent, first = start.parent, start.parent.index(start)
    end = next((k for k in range(first + 1, len(parent)) if isinstance(parent[k], Mark)), None)
    if end is None or "kind" in parent[end]:
        log.warning("this fold has no {end-fold} in its section", location=start)
        return
    inside = parent[first + 1 : end]
    parent[first : end + 1] = [Folded("", *inside, summary=start.children, kind=start["kind"])]


def fold_deeper(section):
    """Fold a section below its title if the title says that it goes deeper."""
    title = section.children[0] if section.children else None
    if isinstance(title, nodes.title) and title.astext().startswith(DEEPER):
        inside = section.children[1:]
        part = nodes.section("", *(node.deepcopy() for node in inside))
        words = f"Show this section ({in_words(minutes(part)).removesuffix(' to read')})"
        section[1:] = [Folded("", *inside, summary=[nodes.Text(words)], kind="section")]


def label_cells(app, doctree):
    """Fold the set-up cell of a page and the code of its derivations."""
    cells = [n for n in doctree.findall(nodes.container) if n.get("nb_element") == "cell_code"]
    for number, cell in enumerate(cells):
        source = next((n for n in cell.children if n.get("nb_element") == "cell_code_source"), None)
        if source is None:
            continue
        shown = "".join(raw.astext() for raw in cell.findall(nodes.raw))
        if verdicts := VERDICT.findall(shown):
            verdict = VERDICTS[min(verdicts)]  # "checked" if one of them is only that
            if "<ol>" in shown:
                hide(cell, "proof", f"{verdict}: show the code")
            else:
                hide(cell, "one-line", verdict)
        elif number == 0 and IMPORTS.match(source.astext()):
            hide(cell, "set-up", "Imports and set-up")


def hide(cell, kind, label):
    """Fold a cell's input under a label; ``kind`` becomes its class."""
    cell["hide_mode"] = "input"
    cell["prompt_show"] = cell["prompt_hide"] = label
    cell["classes"].append(f"{kind}-cell")


class CodeBelow(SphinxPostTransform):
    """Put the code of a derivation below what it shows; on paper, leave it out."""

    default_priority = 201  # after the input is hidden

    def run(self, **kwargs):
        """Move the code of derivations."""
        for cell in list(self.document.findall(nodes.container)):
            if {"proof-cell", "one-line-cell"} & set(cell["classes"]) and len(cell) > 1:
                code = cell.children[0]
                cell.remove(code)
                if self.app.builder.format == "html":
                    cell.append(code)


# -- how they are written ----------------------------------------------------------------------------


def visit_fold(self, node):
    """Open a fold; its summary is rendered as any other text."""
    self.body.append(f'<details class="fold fold-{node["kind"]}"><summary>')
    if node["kind"] == "predict":
        self.body.append('<span class="fold-kind">Predict, then see.</span> ')
    for child in node["summary"]:
        child.walkabout(self)
    self.body.append('</summary>\n<div class="fold-body">\n')


def depart_fold(self, node):
    """Close a fold."""
    self.body.append("</div></details>\n")


def visit_hidden_code(self, node):
    """Open the fold of a cell's input."""
    label = "Show the code" if node["prompt_show"].startswith("Show code cell") else node["prompt_show"]
    self.body.append(f'<details class="fold fold-code"><summary>{label}</summary>\n<div class="fold-body">\n')


def visit_fold_on_paper(self, node):
    """Write the title of a fold, which is open on paper; a section has its title already."""
    if node["kind"] == "section":
        return
    self.body.append("\n\\par\\medskip\\noindent\\textbf{")
    if node["kind"] == "predict":
        self.body.append("Predict, then see. ")
    for child in node["summary"]:
        child.walkabout(self)
    self.body.append("}\\par\\smallskip\n")


def depart_fold_on_paper(self, node):
    """Add vertical space after the fold."""
    self.body.append("\n\\medskip\n")
