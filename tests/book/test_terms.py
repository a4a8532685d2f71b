"""Links to the glossary, the index, minutes and take-home notebooks: in the built book."""

import html
import re
from html.parser import HTMLParser

import nbformat
import pytest

from lmcourse.files.places import ROOT
from lmcourse.rules.tree import code_cells
from lmcourse.site.extensions.reading_time import CONSULTED
from lmcourse.site.glossary import load, uses

HTML = ROOT / "_build" / "html"
CHAPTERS = sorted(page.stem for page in (ROOT / "book").glob("[0-9]*.md"))
needs_book = pytest.mark.skipif(
    not (HTML / "genindex.html").exists(), reason="the book is not built: make book"
)

VOID = {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
BARRED = set(re.findall(r"\w+", "h1 h2 h3 h4 a code pre table figure figcaption script style svg"))
BARRED_CLASSES = {"math", "cell_input", "cell_output", "admonition-title", "pasted-text", "caption"}


class Prose(HTMLParser):
    """Collects a page's prose and its links to the glossary, in order, as (text, whether it is a link)."""

    def __init__(self, page):
        super().__init__()
        self.pieces, self.open, self.inside = [], [], 0
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        classes = set((dict(attributes).get("class") or "").split())
        if tag in VOID:
            return
        kind = "article" if tag == "article" else ""
        if "glossary-term" in classes:
            kind = "link"
        elif tag in BARRED or classes & BARRED_CLASSES:
            kind = "barred"
        self.open.append((tag, kind))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        kinds = [kind for _, kind in self.open]
        if "article" in kinds and "barred" not in kinds:
            self.pieces.append((data, "link" in kinds))


def terms_without_link(page, known):
    """What is wrong with the links of a chapter's page: a term used before its link, or linked twice."""
    linked, faults = set(), []
    for text, is_link in Prose(page).pieces:
        for start, stop, entry in uses(text, known):
            if is_link and (start, stop) == (0, len(text)) and entry.term in linked:
                faults.append(f"{entry.term} is linked twice")
            elif is_link and (start, stop) == (0, len(text)):
                linked.add(entry.term)
            elif not is_link and entry.term not in linked:
                faults.append(f"{entry.term} has no link in: {text[max(0, start - 30) : stop + 30]!r}")
    return faults


def test_each_term_has_its_chinese_names():
    """In both scripts; three terms are written in English in Chinese texts too."""
    bare = {entry.term for entry in load(ROOT) if not (entry.simplified and entry.traditional)}
    assert bare == {"stupid back-off", "Transformer", "UTF-8"}


@needs_book
@pytest.mark.parametrize("stem", CHAPTERS)
def test_each_term_is_linked_at_its_first_use(stem):
    """In the built chapter no use of a term comes before its link; a link taken away is found."""
    page = (HTML / "book" / f"{stem}.html").read_text(encoding="utf8")
    known = load(ROOT)
    assert terms_without_link(page, known) == []
    link = re.search(r'<a class="[^"]*glossary-term[^"]*".*?</a>', page, re.DOTALL)[0]
    bare = page.replace(link, re.sub(r"<[^>]+>", "", link), 1)
    assert terms_without_link(bare, known), "a term whose link was taken away was not missed"


@needs_book
def test_each_page_says_its_minutes():
    """A page that is read has its minutes, under the title or on the chapter's card; tools have none."""
    generated = {"index.html", "genindex.html", "search.html", "prf-prf.html"}
    consulted = {HTML / f"{name}.html" for name in CONSULTED}
    pages = [
        path for folder in ("book", "notebooks", "exercises") for path in (HTML / folder).rglob("*.html")
    ]
    assert len(pages) > 40
    assert len(consulted & {*pages}) > 4
    for path in consulted & {*pages}:
        assert 'class="page-minutes"' not in path.read_text(encoding="utf8"), path
    read = [
        path
        for path in pages
        if path not in consulted and (path.name not in generated or path.parent != HTML)
    ]
    for path in read:
        text = path.read_text(encoding="utf8")
        assert re.search(
            r'<p class="page-minutes">\d+ minute|chapter-card.{0,120} to work through, \d+ to read',
            text,
            re.DOTALL,
        ), path


@needs_book
def test_the_index_has_every_term_in_three_scripts():
    """English, simplified and traditional names, and names of the library, are in the index."""
    text = html.unescape((HTML / "genindex.html").read_text(encoding="utf8"))
    for entry in load(ROOT):
        for name in entry.names:
            assert f"<strong>{name}</strong>" in text, name
        for name in entry.simplified + entry.traditional:
            assert f">{name} ({entry.term})</a>" in text, name
    assert "Score (lmmetrics)" in text and "NGramModel (lmmetrics.ngram)" in text
    landing = (HTML / "book" / "index.html").read_text(encoding="utf8")
    assert 'href="../genindex.html"' in landing


@needs_book
@pytest.mark.parametrize("stem", CHAPTERS)
def test_a_chapter_can_be_taken_home(stem):
    """The notebook is valid, has the page's code in the page's order, no output, and no markup left."""
    notebook = nbformat.read(HTML / "downloads" / f"{stem}.ipynb", as_version=4)
    nbformat.validate(notebook)
    install, *code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert "install it first" in install.source and (HTML / "downloads" / "reproduced.json").is_file()
    reads = any("reproduced.json" in cell.source for cell in code)
    assert ("save it" in install.source) == reads
    page = code_cells(stem, (ROOT / "book" / f"{stem}.md").read_text(encoding="utf8"))
    assert [cell.source for cell in code] == [cell.source for cell in page if cell.source]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert re.findall(r"\{[a-z:]+\}`|^[`:]{3,}\{.*", prose, re.MULTILINE) == []
