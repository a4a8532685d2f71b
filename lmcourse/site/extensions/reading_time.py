"""A Sphinx extension: each page says how long it takes to read, and chapters can be taken home as notebooks.

- Under the title of each page that is not a chapter: its minutes, and for labs and sets links to the chapter,
  the deck, the notebook and the exercises. Chapters have them on a card (`chapters`).
- The minutes on a chapter's card are for working it through; the build adds those for reading alone, and
  warns when the card's are less than one and a half times or more than three times as many.
- Each chapter is written as a notebook without outputs: ``downloads/STEM.ipynb``.
- The notebook behind a page of a lab has the cells of that page, without the speaker's notes.

What it leaves out: search, index and the landing page, which nobody reads from top to bottom.
"""

import hashlib
import json
import re
import shutil
from pathlib import Path

import nbformat
from docutils import nodes
from sphinx.util import logging

from lmcourse.files.places import PACKAGE

CHAPTER = re.compile(r"book/(\d\d_\w+)$")
PRACTICE = re.compile(r"(?:notebooks|exercises/\w+)/(\d\d_\w+)$")
WORDS, HAN = 200, 300
"""English words and Chinese characters read in a minute."""
FORMULA, CODE_LINE, PICTURE = 10, 2, 10
"""Seconds for a displayed formula, a line of code that is shown, and a picture."""
WORKED = (1.5, 3)
"""How many times the minutes of reading it takes to work a chapter through: the least and the most."""

STORED = "book/reproduced.json"
"""Results that pages show without computing them; the file is beside the notebooks."""
INSTALL = "# Away from the project, install it first, and myst-nb."
FETCH = "\n# This chapter reads reproduced.json: save it from where this notebook came."

STATED = " to work through"
"""The words of a chapter's card after its stated minutes."""

CONSULTED = {
    "genindex",
    "book/index",
    *(f"book/{name}" for name in ["bibliography", "clinic", "converter", "glossary", "mistakes"]),
}
"""Pages that one uses or looks things up in, and does not read from the top: they have no minutes."""

log = logging.getLogger(__name__)


def setup(app):
    """Register the extension (called by Sphinx)."""
    app.connect("env-get-outdated", everything_when_the_machinery_changed)
    app.connect("doctree-resolved", put_minutes)
    app.connect("build-finished", write_notebooks)
    app.connect("build-finished", hand_out_labs)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}


def everything_when_the_machinery_changed(app, env, added, changed, removed):
    """Read every page again if an extension of the book, or what it reads the glossary with, has changed."""
    modules = sorted((PACKAGE / "site").rglob("*.py"))
    key = hashlib.sha256(b"".join(path.read_bytes() for path in modules)).hexdigest()
    stale = getattr(env, "lmm_machinery", "") != key
    env.lmm_machinery = key
    return sorted(env.found_docs) if stale else []


# -- minutes -----------------------------------------------------------------------------------------


def minutes(doctree):
    """Return the minutes that a page takes to read, from what it shows.

    Words at 200 and Chinese characters at 300 a minute; a displayed formula or a picture 10 seconds, a line
    of code that is shown 2 seconds. What a cell prints is not counted.
    """
    words = han = seconds = 0
    for node in doctree.findall():
        if isinstance(node, nodes.math_block):
            seconds += FORMULA
        elif isinstance(node, nodes.image):
            seconds += PICTURE
        elif isinstance(node, nodes.literal_block) and not _inside(node, hidden=True):
            seconds += CODE_LINE * sum(bool(line.strip()) for line in node.astext().splitlines())
        elif isinstance(node, nodes.Text) and not _inside(node):
            found = len(re.findall(r"[\u3400-\u9fff]", node))
            han, words = (
                han + found,
                words + len(re.findall(r"[^\W\d_\u3400-\u9fff][\w'’-]*|\d[\d.,]*", node)),
            )
    return words / WORDS + han / HAN + seconds / 60


def _inside(node, hidden=False):
    """Whether a node is not prose; with ``hidden``, whether it is in a folded or printed cell."""
    while (node := node.parent) is not None:
        classes = set(node.get("classes", ()))
        if node.get("nb_element") == "cell_code_output" or classes & {"tag_hide-input", "tag_hide-cell"}:
            return True
        if not hidden and isinstance(
            node, nodes.literal_block | nodes.math | nodes.math_block | nodes.raw | nodes.comment
        ):
            return True
    return False


def put_minutes(app, doctree, docname):
    """Put the minutes under the page's title; on chapters, check the minutes stated on the card."""
    title = doctree.next_node(nodes.title)
    if app.builder.format != "html" or title is None or docname in CONSULTED:
        return
    computed = minutes(doctree)
    if CHAPTER.match(docname):
        put_on_card(doctree, computed, docname)
        return
    line = nodes.paragraph("", "", classes=["page-minutes"])
    line += nodes.Text(in_words(computed))
    for words, target in companions(docname):
        line += nodes.Text(" · ")
        if target.endswith((".html", ".ipynb")):
            uri = "../" * docname.count("/") + target
        else:
            uri = app.builder.get_relative_uri(docname, target)
        line += nodes.reference(words, words, refuri=uri, internal=True)
    if PRACTICE.match(docname):
        line += nodes.Text(" · To run it here: ")
        line += nodes.literal("make lab", "make lab")
    title.parent.insert(title.parent.index(title) + 1, line)


def in_words(computed):
    """The minutes as a reader wants them.

    Examples
    --------
    >>> in_words(0.3), in_words(6.6)
    ('1 minute to read', '7 minutes to read')
    """
    whole = max(1, round(computed))
    return f"{whole} minute{'s' if whole > 1 else ''} to read"


def companions(docname):
    """Return words and target of the links of a lab or a set; nothing for other pages.

    Examples
    --------
    >>> [words for words, _ in companions("notebooks/02_x")]
    ['Chapter', 'Slides', 'Exercises', 'Download the notebook']
    """
    match = PRACTICE.match(docname)
    if not match:
        return []
    stem = match[1]
    lab, exercises = f"notebooks/{stem}", f"exercises/{stem}/{stem}"
    links = [("Chapter", f"book/{stem}"), ("Lab", lab), ("Slides", f"slides/{stem}.html")]
    links += [("Exercises", exercises), ("Download the notebook", f"_sources/{docname}.ipynb")]
    return [(words, target) for words, target in links if target != docname]


def put_on_card(doctree, computed, docname):
    """Add the computed minutes to a chapter's card, and warn if the stated ones do not fit."""
    for card in doctree.findall(nodes.container):
        if "chapter-card" in card["classes"]:
            fault = card_fault(card.astext(), computed)
            if fault:
                log.warning("%s", fault, location=docname)
            for text in list(card.findall(nodes.Text)):
                if text.startswith(STATED):
                    words = text.replace(STATED, f"{STATED}, {round(computed)} to read", 1)
                    text.parent.replace(text, nodes.Text(words))


def card_fault(card, computed):
    """Return what is wrong with the minutes that a chapter's card states, or nothing.

    Examples
    --------
    >>> card_fault("60 minutes to work through.", computed=30)
    ''
    >>> card_fault("60 minutes to work through.", computed=50)
    'the chapter-card says 60 minutes; reading alone takes 50'
    """
    stated = re.match(r"(\d+) minutes", card)
    if stated and not WORKED[0] <= int(stated[1]) / computed <= WORKED[1]:
        return f"the chapter-card says {stated[1]} minutes; reading alone takes {computed:.0f}"
    return ""


# -- labs as notebooks -------------------------------------------------------------------------------


def hand_out_labs(app, exception):
    """Take the cells that a lab's page leaves out from the notebook that the page offers."""
    if exception or app.builder.format != "html":
        return
    for path in sorted(Path(app.outdir).glob("_sources/notebooks/*.ipynb")):
        stored = path.read_text(encoding="utf-8")
        handed_out = nbformat.writes(handout(nbformat.reads(stored, as_version=4))) + "\n"
        if handed_out != stored:
            path.write_text(handed_out, encoding="utf-8")


def handout(notebook):
    """Return a lab's notebook without the speaker's notes, some of which give an answer away, and the checks.

    Examples
    --------
    >>> from nbformat.v4 import new_markdown_cell, new_notebook
    >>> note = new_markdown_cell("**2 min.** It is 4.", metadata={"tags": ["remove-cell"]})
    >>> [cell.source for cell in handout(new_notebook(cells=[new_markdown_cell("2 + 2 = ?"), note])).cells]
    ['2 + 2 = ?']
    """
    notebook.cells = [cell for cell in notebook.cells if "remove-cell" not in cell.metadata.get("tags", [])]
    return notebook


# -- chapters as notebooks ---------------------------------------------------------------------------


def write_notebooks(app, exception):
    """Write each chapter that was run as a notebook without outputs, unless it is up to date."""
    if exception or app.builder.format != "html":
        return
    executed = Path(getattr(app.env, "mystnb_config", app.config).output_folder)
    folder = Path(app.outdir) / "downloads"
    for docname in sorted(app.env.found_docs):
        source, glued = executed / f"{docname}.ipynb", executed / f"{docname}.glue.json"
        match = CHAPTER.match(docname)
        if not match or not source.exists():
            continue
        target = folder / f"{match[1]}.ipynb"
        newest = max(path.stat().st_mtime for path in (source, glued, Path(__file__)) if path.exists())
        if not target.exists() or target.stat().st_mtime < newest:
            folder.mkdir(exist_ok=True)
            values = json.loads(glued.read_text(encoding="utf-8")) if glued.exists() else {}
            notebook = take_home(nbformat.read(source, as_version=4), values)
            nbformat.write(notebook, target)
    if folder.is_dir():
        shutil.copy(Path(app.srcdir) / STORED, folder)


def take_home(notebook, glued):
    """Return a chapter's notebook as a reader runs it: no outputs, Markdown that Jupyter can show.

    Parameters
    ----------
    notebook : NotebookNode
    glued : dict
        What the chapter's cells glued, as the builder stored it.
    """
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.source, cell.outputs, cell.execution_count = cell.source.strip("\n"), [], None
            cell.metadata = {key: cell.metadata[key] for key in ("tags",) if key in cell.metadata}
        else:
            cell.source, cell.metadata = plain_markdown(cell.source, glued), {}
    reads = any(Path(STORED).name in cell.source for cell in notebook.cells if cell.cell_type == "code")
    start = nbformat.v4.new_code_cell(INSTALL + FETCH * reads, id="install")
    notebook.cells = [start, *(cell for cell in notebook.cells if cell.source.strip())]
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return notebook


def plain_markdown(text, glued):
    """Turn MyST into the Markdown that Jupyter shows.

    Examples
    --------
    >>> text = "(a)=\\n# A {term}`nat <nat>`\\n\\n```{prf:definition} Loss\\n:label: b\\n\\nIt is $L$.\\n```"
    >>> print(plain_markdown(text, {}))
    # A nat
    <BLANKLINE>
    **Definition: Loss**
    <BLANKLINE>
    It is $L$.
    """
    text = re.sub(r"^%.*\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"^\([\w-]+\)=\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"^(`{3,}|:{3,})\{chapter-card\}.*?^\1 *\n?", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(
        r"^(`{3,})\{math\}.*\n((?::.*\n)*)\n*(.*?)^\1 *$", r"$$\n\3$$", text, flags=re.MULTILINE | re.DOTALL
    )
    text = re.sub(
        r"^(?:`{3,}|:{3,})\{([\w:-]+)\} *(.*)\n(?::[\w-]+:.*\n)*", _heading, text, flags=re.MULTILINE
    )
    text = re.sub(r"^(?:`{3,}|:{3,}) *$\n?", "", text, flags=re.MULTILINE)
    text = re.sub(r"\{glue(?::\w+)?\}`([^`]*)`", lambda role: _value(role[1], glued), text)
    text = re.sub(r"\{(?:cite:?\w*)\}`([^`]*)`", r"[\1]", text)
    text = re.sub(r"\{[\w:]+\}`([^`<]*?)\s*<[^`>]*>`", r"\1", text)
    return re.sub(r"\{[\w:]+\}`([^`]*)`", r"*\1*", text).strip()


def _heading(directive):
    """The bold line in place of a directive's first line."""
    kind = directive[1].removeprefix("prf:")
    name = "" if kind == "admonition" else kind.capitalize()
    words = ": ".join(part for part in (name, directive[2].strip()) if part)
    return f"**{words}**\n"


def _value(key, glued):
    """What the cells gave for a glued number, as text; its name if another page glued it."""
    name, _, form = key.partition(":")
    stored = glued.get(name, {}).get("data", {})
    text = str(stored.get("text/plain", f"({key.rpartition('::')[2]})")).strip("'\"")
    try:
        return format(float(text), form) if form and name in glued else text
    except ValueError:
        return text
