"""A Sphinx extension: what the book needs on paper and not on a screen.

- fonts for Latin, Greek and Chinese in both scripts, with XeLaTeX;
- wide code and long names break, wide equations are set smaller, so that nothing runs off the page;
- a chapter has the number of its file name;
- links that only work on a screen are left out; forms get a sentence in `browser_tools`;
- the students' edition lacks what is for instructors, and the lecturer's has solved sets (`EDITION`).
"""

import os
import re
from pathlib import Path

from docutils import nodes
from sphinx import addnodes

from lmcourse.files.notebooks import read, to_text

NAME = "measuring-language-models"
EDITION = "EDITION"
"""The environment variable that says for whom the PDF is: ``student`` or ``lecturer``."""
FOR_INSTRUCTORS = re.compile(r"book/instructors/")
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n.*?^ *### END HIDDEN TESTS\n?", re.MULTILINE | re.DOTALL)
MARKER = re.compile(r"^ *### (?:TASK:.*|BEGIN SOLUTION|END SOLUTION)\n?", re.MULTILINE)

PREAMBLE = r"""
\usepackage{etoolbox}
\usepackage{xeCJK}
\setCJKmainfont{Noto Serif CJK SC}
\setCJKsansfont{Noto Sans CJK SC}
\setCJKmonofont{Noto Sans Mono CJK SC}
\usepackage{unicode-math}
\hypersetup{pdfencoding=auto,psdextra}
\addto\captionsenglish{\renewcommand{\contentsname}{Contents}}
\xeCJKDeclareCharClass{CJK}{"2605 -> "2606}  % stars, which the Latin fonts lack
\AtBeginEnvironment{tabular}{\footnotesize}
\AtBeginEnvironment{tabulary}{\footnotesize}
\AtBeginEnvironment{longtable}{\footnotesize}
\xeCJKDeclareCharClass{Default}{"2018, "2019, "201C, "201D, "2013, "2014, "2026, "00B7}
\usepackage{newunicodechar}
\newunicodechar{😀}{[grinning face]}
\newunicodechar{👩}{[woman]}
\newunicodechar{🔬}{[microscope]}
\fvset{fontsize=\footnotesize}
\setlength{\emergencystretch}{4em}
\pretocmd{\part}{\setcounter{secnumdepth}{-2}}{}{}  % "Part I" is in its title; the next page sets this again
\allowdisplaybreaks
\AtBeginDocument{\robustify{\hyperlink}\robustify{\DUrole}}  % a citation in a caption goes into a list, too
"""

BLACKBOARD = r"""\ProvidesPackage{bbm}
\providecommand{\mathbbm}[1]{\mathbb{#1}}
"""
"""Replaces a package that the document class loads and the book does not use; it needs 1 GB of fonts."""


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("config-inited", prepare, priority=950)
    app.connect("builder-inited", write_blackboard)
    app.connect("source-read", solve)
    app.connect("doctree-resolved", fit_for_paper)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def prepare(app, config):
    """Set what LaTeX needs, after sphinx-jupyterbook-latex has set its part."""
    config.latex_documents = [(config.root_doc, f"{NAME}.tex", config.project, config.author, "jupyterBook")]
    config.latex_domain_indices = False
    config.latex_elements = {
        "papersize": "a4paper",
        "pointsize": "10pt",
        "figure_align": "htbp",
        "sphinxsetup": "hmargin={25mm,25mm}, vmargin={25mm,28mm}",
        "fncychap": "",
        "preamble": PREAMBLE,
    }


def write_blackboard(app):
    """Put the small package beside the LaTeX source."""
    if app.builder.format == "latex":
        Path(app.outdir).mkdir(parents=True, exist_ok=True)
        (Path(app.outdir) / "bbm.sty").write_text(BLACKBOARD, encoding="utf-8")


def solve(app, docname, source):
    """Put the solved set in the place of the student's, without hidden checks and markers."""
    if app.builder.format != "latex" or os.environ.get(EDITION) != "lecturer":
        return
    if docname.startswith("exercises/"):
        notebook = read(Path(app.srcdir) / f"{docname.replace('exercises', 'solutions', 1)}.ipynb")
        for cell in notebook.cells:
            cell.source = MARKER.sub("", HIDDEN.sub("", cell.source)).rstrip()
        source[0] = to_text(notebook)


def fit_for_paper(app, doctree, docname):
    """Change a document that LaTeX sets."""
    if app.builder.format == "latex":
        if os.environ.get(EDITION) == "student":
            leave_out(doctree, FOR_INSTRUCTORS)
        give_widths(doctree)
        drop_html(doctree)
        number_chapters(doctree)


def leave_out(doctree, left_out):
    """Remove the documents whose name matches, the heading of a part that has no other, and links to them."""
    for start in list(doctree.findall(addnodes.start_of_file)):
        if start.parent is not None and left_out.match(start["docname"]):
            around = start.parent
            around.remove(start)
            while around.parent is not None and all(
                isinstance(left, nodes.title) for left in around.children
            ):
                empty, around = around, around.parent
                around.remove(empty)
    for link in list(doctree.findall(nodes.reference)):
        if left_out.match(link.get("refuri", "").lstrip("%")):
            link.replace_self(link.children)


def give_widths(doctree):
    """Set the widths of tables' columns, so that lines break in their cells."""
    for table in doctree.findall(nodes.table):
        group = next(table.findall(nodes.tgroup))
        rows = list(group.findall(nodes.row))
        columns = list(group.findall(nodes.colspec))
        if any(entry.get("morecols") for entry in group.findall(nodes.entry)):
            continue
        texts = [[as_set(cell) for cell in row] for row in rows]
        for column, width in zip(columns, widths(texts), strict=True):
            column["colwidth"] = width
        others = [name for name in table["classes"] if not name.startswith("colwidths")]
        table["classes"] = [*others, "colwidths-given"]


def as_set(cell):
    """A cell's text, about as long as it is in print: formulas without commands, code a quarter longer."""
    words = []
    for text in cell.findall(nodes.Text):
        plain = text.astext()
        if isinstance(text.parent, nodes.math):
            plain = re.sub(r"\\[a-zA-Z]+|[{}_^$ ]", "", plain) + "x"
        if isinstance(text.parent, nodes.literal):
            plain += "x" * (len(plain) // 4)
        words.append(plain)
    return " ".join(words)


def widths(rows):
    """Return a width in per cent for each column: enough for its longest word, more for longer cells.

    Examples
    --------
    >>> widths([["id", "mistake"], ["M1", "nats are read as bits, and nobody notices it"]])
    [15, 85]
    """
    columns = list(zip(*rows, strict=True))
    longest = [max(len(word) for text in column for word in (text.split() or [""])) for column in columns]
    whole = [max(map(len, column)) for column in columns]
    wanted = [max(3 + word, text**0.6 * 3) for word, text in zip(longest, whole, strict=True)]
    shares = [max(1, round(100 * x / sum(wanted))) for x in wanted]
    shares[-1] += 100 - sum(shares)
    return shares


def drop_html(doctree):
    """Remove raw HTML, such as the links of a chapter's card, which lead nowhere on paper."""
    for raw in list(doctree.findall(nodes.raw)):
        if raw.get("format") == "html":
            raw.parent.remove(raw)


def number_chapters(doctree):
    """Number a chapter as its file name does, and leave front and back matter without a number."""
    for start in doctree.findall(addnodes.start_of_file):
        chapter = re.fullmatch(r"book/(\d\d)_\w+", start["docname"])
        if chapter:
            code = rf"\setcounter{{secnumdepth}}{{2}}\setcounter{{chapter}}{{{int(chapter[1]) - 1}}}"
        elif re.fullmatch(r"book/\w+|book/instructors/index|genindex", start["docname"]):
            code = r"\setcounter{secnumdepth}{-1}"
        else:
            continue
        start.insert(0, nodes.raw("", code, format="latex"))
