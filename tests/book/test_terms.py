"""Links to the glossary, the index, minutes and take-home notebooks: a small book, then the built one."""

import html
import re
import subprocess
import sys
from html.parser import HTMLParser

import nbformat
import pytest

from lmcourse.files.places import ROOT
from lmcourse.rules.tree import code_cells
from lmcourse.site import reading as sphinx_pages
from lmcourse.site.glossary import load, uses

HTML = ROOT / "_build" / "html"
CHAPTERS = sorted(page.stem for page in (ROOT / "book").glob("[0-9]*.md"))
needs_book = pytest.mark.skipif(
    not (HTML / "genindex.html").exists(), reason="the book is not built: make book"
)

GLOSSARY = """# Glossary

```{glossary}
entropy
  The mean *surprisal*. (熵)

cross-entropy
  The cost of a model. (交叉熵)

surprisal
  How rare it was. (惊奇度; 驚奇度)

nat
  A unit. (奈特)
```
"""
CHAPTER = """# Entropy of a page

The `nat` and $nat$ are no prose, a [link to entropy](other.md) is none.
Two cross-entropies, then
entropies, and entropy again.

## The nat

By hand: one {term}`nat`. The **surprisal** (惊奇度; 驚奇度) is new. Later a surprisal and a nat.

```python
entropy = "entropy"
```
"""
FILES = {
    "conf.py": 'extensions = ["myst_nb", "lmcourse.site.terms", "lmcourse.site.reading"]\n'
    'nb_execution_mode = "off"\nroot_doc = "index"\n',
    "index.md": "# Start\n\n```{toctree}\nbook/glossary\nbook/01_a\nbook/other\nnotebooks/01_a\n```\n",
    "book/glossary.md": GLOSSARY,
    "book/01_a.md": CHAPTER,
    "book/other.md": "# Other\n\nAn entropy that is not linked.\n",
    "notebooks/01_a.md": "# A lab\n\nWords.\n",
}


def build(folder):
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", str(folder), str(folder / "_html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def page(folder, name):
    return (folder / "_html" / f"{name}.html").read_text(encoding="utf8")


def links(text):
    """The words of the links to the glossary, in order, with their tooltips."""
    found = re.findall(
        r'<a class="[^"]*glossary-term[^"]*" href="[^"]*#term-[^"]*" title="([^"]*)">(.*?)</a>', text
    )
    return [(re.sub(r"<[^>]+>|\s+", " ", words).strip(), html.unescape(title)) for title, words in found]


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    folder = tmp_path_factory.mktemp("book")
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf8")
    build(folder)
    return folder


def test_first_uses_are_linked_and_nothing_else(small):
    """One link a term: plurals too; by hand counts; no heading, code, maths or link."""
    text = page(small, "book/01_a")
    assert links(text) == [
        ("cross-entropies", "The cost of a model."),
        ("entropies", "The mean surprisal."),
        ("nat", "A unit."),
        ("surprisal", "How rare it was."),
    ]
    assert links(page(small, "book/other")) == []


def test_the_glossary_names_the_chapters(small):
    """The entry says where the term is defined and used, with links to the sections."""
    text = re.sub(r"<dt", "\n<dt", page(small, "book/glossary"))
    (entry,) = re.findall(r'<dt id="term-surprisal.*', text.replace("\n", " ").replace(" <dt", "\n<dt"))
    assert 'Defined in chapter <a class="reference internal" href="01_a.html#the-nat"' in entry
    (entry,) = re.findall(r'<dt id="term-entropy.*', text.replace("\n", " ").replace(" <dt", "\n<dt"))
    assert 'Used in <a class="reference internal" href="01_a.html#entropy-of-a-page"' in entry


def test_the_index_has_both_languages_and_sections(small):
    """Terms stand with their sections, Chinese names under one heading."""
    text = page(small, "genindex")
    assert "中文" in text and "驚奇度 (surprisal)" in text and "熵 (entropy)" in text
    assert re.search(r'<a href="book/01_a.html#the-nat"><strong>01 The nat, defined</strong></a>', text)


def test_pages_say_their_minutes(small):
    """Every page but a chapter has the line; a lab leads to its chapter, deck and exercises."""
    assert "1 minute to read" in page(small, "book/other")
    (line,) = re.findall(r'<p class="page-minutes">(.*?)</p>', page(small, "notebooks/01_a"))
    assert '../book/01_a.html">Chapter' in line and '../slides/01_a.html">Slides' in line


def test_a_changed_glossary_is_seen_by_chapters_and_a_changed_chapter_by_the_glossary(small):
    """An incremental build links a new term and lists a new use, as a clean build would."""
    glossary, chapter = small / "book/glossary.md", small / "book/01_a.md"
    glossary.write_text(
        GLOSSARY.replace("nat\n  A unit.", "page\n  Paper.\n\nnat\n  A unit."), encoding="utf8"
    )
    chapter.write_text(CHAPTER.replace("is new", "is new on this page"), encoding="utf8")
    build(small)
    assert ("page", "Paper.") in links(page(small, "book/01_a"))
    glossary.write_text(GLOSSARY.replace("A unit.", "To base e."), encoding="utf8")
    build(small)
    assert ("nat", "To base e.") in links(page(small, "book/01_a"))
    chapter.write_text(CHAPTER.replace("cross-entropies", "costs"), encoding="utf8")
    build(small)
    entry = page(small, "book/glossary").replace("\n", " ").split('id="term-cross-entropy')[1].split("<dt")[0]
    assert "sed in" not in entry


# The built book.


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
    """Every page of the book has its minutes, under the title or on the chapter's card."""
    generated = {"index.html", "genindex.html", "search.html", "prf-prf.html"}
    pages = [
        path for folder in ("book", "notebooks", "exercises") for path in (HTML / folder).rglob("*.html")
    ]
    assert len(pages) > 40
    for path in [path for path in pages if path.name not in generated or path.parent != HTML]:
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
    page = code_cells(stem, (ROOT / "book" / f"{stem}.md").read_text(encoding="utf8"))
    assert [cell.source for cell in code] == [cell.source for cell in page if cell.source]
    assert not any(cell.outputs or cell.execution_count for cell in code)
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert re.findall(r"\{[a-z:]+\}`|^[`:]{3,}\{.*", prose, re.MULTILINE) == []


def test_glued_numbers_stand_in_the_notebook():
    """A number is put in with its format; one of another page keeps its name."""
    glued = {"a": {"data": {"text/plain": "3.14159"}}, "b": {"data": {"text/plain": "'3 000'"}}}
    text = sphinx_pages.plain_markdown(
        "{glue:text}`a:.2f`, {glue:text}`b`, {glue:text}`../x.ipynb::c`", glued
    )
    assert text == "3.14, 3 000, (c)"
