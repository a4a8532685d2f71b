"""Make the decks: ``notebooks/STEM.ipynb`` -> ``_build/html/slides/STEM.html``.

A lab is its own deck: the slideshow metadata of its cells says what is a slide, a speaker's note or
skipped. A slide whose first cell is tagged ``optional`` is folded away until the lecturer presses A; what is
tagged ``answer`` is left out of the students' handout. The minutes that open a note ("**2 min.**") become the
slide's timing in the speaker's view. Tables of results are set as on the pages. A deck needs neither network
nor server: reveal.js, MathJax and the type are copied beside it. Left out: PDFs (`lmcourse.site.handouts`
prints them).
"""

import importlib.util
import re
import shutil
from pathlib import Path

import nbformat
from jupyter_cache import get_cache
from tqdm import tqdm

from lmcourse.files.notebooks import write_text
from lmcourse.files.places import HTML, ROOT, STATIC, TEMPLATES
from lmcourse.site.extensions import alt_texts
from lmcourse.site.extensions.cache import FOLDER, marked
from lmcourse.site.extensions.results import RESULTS, typeset

LABS = ROOT / "notebooks"
OUT = HTML / "slides"
GLUED = "application/papermill.record/"
MINUTES = re.compile(r"\*\*([\d.]+) min\.\*\*")
FEW = 400
"""A slide with fewer characters of Markdown, and nothing but text, is set in larger type."""
HIDDEN_INPUT = {"remove-input", "hide-input", "remove-cell"}
THEME_TYPE = re.compile(r"^@import url\(\./fonts/.*\);\n", re.MULTILINE)
"""The theme's own type, two million bytes: the decks bring another."""


def build_all(out=OUT, labs=LABS, again=False):
    """Write a deck for each lab, with what the decks share.

    Parameters
    ----------
    out : Path
        The folder to write to; MathJax is expected at ``out/../_static/mathjax`` and copied there
        if the book has not been built.
    labs : Path
        The folder that holds the labs.
    again : bool
        Whether to write also the decks that are up to date.

    Returns
    -------
    list of Path
        The decks.
    """
    out.mkdir(parents=True, exist_ok=True)
    copy_shared(out)
    sources = sorted(labs.glob("[0-9][0-9]_*.ipynb"))
    decks = [build(lab, out, again) for lab in tqdm(sources, desc="slides", unit="deck", disable=None)]
    for stale in {*out.glob("*.html"), *out.glob(".*.html.*")} - set(decks):
        stale.unlink()
    return decks


def build(lab, out, again=False):
    """Write the deck of one lab, unless it is newer than everything it is made from; return its path."""
    deck = out / f"{lab.stem}.html"
    ran = lab.parents[1] / "_build" / "jupyter_execute" / "notebooks" / lab.name
    sources = [lab, ran, Path(__file__), *(TEMPLATES / "slides").iterdir()]
    made_of = max(source.stat().st_mtime for source in sources if source.exists())
    if not again and deck.exists() and deck.stat().st_mtime > made_of:
        return deck
    from nbconvert.exporters import SlidesExporter
    from traitlets.config import Config

    notebook = executed(lab)
    words = glued(notebook)
    time_slides(notebook.cells)
    for cell in notebook.cells:
        prepare(cell, words)
    config = Config()
    config.SlidesExporter.template_name = "slides"
    config.SlidesExporter.extra_template_basedirs = [str(TEMPLATES)]
    config.SlidesExporter.exclude_input_prompt = True
    config.SlidesExporter.exclude_output_prompt = True
    exporter = SlidesExporter(config=config)
    settled = {"name": lab.stem, "title": heading(notebook)}
    html, _ = exporter.from_notebook_node(notebook, {"metadata": settled})
    write_text(deck, html)
    deck.touch()  # even if its text is the same
    return deck


def executed(lab):
    """The lab with its outputs: as the book ran it, or run here if the book has not run this source."""
    root = lab.parents[1]
    source = nbformat.reads(marked(lab.read_text(encoding="utf-8"), lab, root), 4)
    if (root / "_build" / FOLDER).is_dir():
        try:
            return get_cache(str(root / "_build" / FOLDER)).merge_match_into_notebook(source)[1]
        except KeyError:
            pass
    from nbclient import NotebookClient

    NotebookClient(source, timeout=300, resources={"metadata": {"path": str(lab.parent)}}).execute()
    return source


def heading(notebook):
    """The first heading of a notebook, as the browser's title."""
    found = re.search(r"^# (.+)$", notebook.cells[0].source, re.MULTILINE)
    return found[1] if found else ""


def glued(notebook):
    """What the cells of a notebook have glued: key to words."""
    words = {}
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "scrapbook" in output.get("metadata", {}):
                data = {mime.removeprefix(GLUED): value for mime, value in output["data"].items()}
                words[output["metadata"]["scrapbook"]["name"]] = alt_texts.plain(data)
    return words


def time_slides(cells):
    """Give the cell that begins a slide its seconds, read from its note, and its classes, from its tags.

    A slide with nothing but a few words is set in larger type (the class ``words``).
    """
    slides = []
    for cell in cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind in ("slide", "subslide"):
            slides.append([cell])
            tags = {"answer", "optional"} & set(cell.metadata.get("tags", []))
            cell.metadata["classes"] = " ".join(sorted(tags))
        elif kind == "notes" and slides and (minutes := MINUTES.match(cell.source)):
            slides[-1][0].metadata["seconds"] = round(60 * float(minutes[1]))
        elif kind not in ("notes", "skip") and slides:
            slides[-1].append(cell)
    for first, *others in slides:
        if few_words([first, *others]):
            first.metadata["classes"] = f"{first.metadata['classes']} words".strip()


def few_words(cells):
    """Say whether cells contain little text and nothing else: no code, table, figure, HTML or formula line.

    Examples
    --------
    >>> few_words([nbformat.v4.new_markdown_cell("## Write the line again")])
    True
    >>> few_words([nbformat.v4.new_markdown_cell("$$a + b$$")])
    False
    """
    if any(cell.cell_type != "markdown" for cell in cells):
        return False
    said = "\n".join(cell.source for cell in cells)
    return len(said) < FEW and not re.search(r"^ *(?:\||```|!\[)|<|\$\$", said, re.MULTILINE)


def prepare(cell, words):
    """Fit a cell to its slide: drop glued values and input that is tagged as hidden; link to built pages."""
    if cell.cell_type != "code":
        cell.source = re.sub(r"(\]\(\.\.?/[^)#\s]+)\.(?:md|ipynb)(?=[)#])", r"\1.html", cell.source)
        return
    cell.outputs = [output for output in cell.outputs if not is_glue(output)]
    for output in cell.outputs:
        if "text/html" in output.get("data", {}):
            output["data"]["text/html"] = RESULTS.sub(typeset, output["data"]["text/html"])
    image = cell.metadata.get("mystnb", {}).get("image", {})
    if "alt" in image:
        image["alt"] = alt_texts.filled(image["alt"], words)
    if HIDDEN_INPUT & set(cell.metadata.get("tags", [])):
        cell.metadata["transient"] = {"remove_source": True}
    if "remove-cell" in cell.metadata.get("tags", []):
        cell.metadata["slideshow"] = {"slide_type": "skip"}


def is_glue(output):
    """Whether an output only carries a number to another page."""
    data = output.get("data", {})
    return bool(data) and all(mime.startswith(GLUED) for mime in data)


def copy_shared(out):
    """Copy reveal.js, the decks' style and type, and (without a built book) MathJax to where decks look."""
    reveal = package_folder("sphinx_revealjs") / "_static" / "revealjs"
    unused = shutil.ignore_patterns("*.map", "theme")
    for part in ("dist", "plugin/notes"):
        shutil.copytree(reveal / part, out / "reveal" / part, dirs_exist_ok=True, ignore=unused)
    shutil.rmtree(out / "reveal/dist/theme", ignore_errors=True)  # where an earlier version copied it whole
    theme = (reveal / "dist/theme/white.css").read_text(encoding="utf-8")
    write_text(out / "reveal/dist/theme/white.css", THEME_TYPE.sub("", theme))
    shutil.copyfile(STATIC / "deck.css", out / "deck.css")
    serif = shutil.ignore_patterns("*serif*")
    shutil.copytree(STATIC / "fonts", out / "fonts", dirs_exist_ok=True, ignore=serif)
    if not (out.parent / "index.html").exists():  # a built book has it
        mathjax = package_folder("sphinx-mathjax-offline") / "static" / "mathjax"
        shutil.copytree(mathjax, out.parent / "_static" / "mathjax", dirs_exist_ok=True)


def package_folder(name):
    """The folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"the package {name} is missing: run `make slides`, which installs it")
    return Path(spec.submodule_search_locations[0])
