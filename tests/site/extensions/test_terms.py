"""Links to the glossary, the index, minutes and take-home notebooks, in a small book."""

import html
import re

import pytest
from sphinx.cmd.build import build_main

from lmcourse.site.extensions import reading_time

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

```{predict} Which surprisal is larger, that of an entropy?
```

The second.

```{end-fold}
```

The `nat` and $nat$ are not prose, nor is a [link to entropy](other.md).
Two cross-entropies, then
entropies, and entropy again.

## The nat

By hand: one {term}`nat`. The **surprisal** (惊奇度; 驚奇度) is new. Later a surprisal and a nat.

```python
entropy = "entropy"
```
"""
FILES = {
    "conf.py": 'own = "lmcourse.site.extensions."\n'
    'extensions = ["myst_nb", own + "terms", own + "folds", own + "reading_time"]\n'
    'nb_execution_mode = "off"\nroot_doc = "index"\n',
    "index.md": "# Start\n\n```{toctree}\nbook/glossary\nbook/01_a\nbook/other\nnotebooks/01_a\n```\n",
    "book/glossary.md": GLOSSARY,
    "book/01_a.md": CHAPTER,
    "book/other.md": "# Other\n\nAn entropy that is not linked.\n",
    "notebooks/01_a.md": "# A lab\n\nWords.\n",
}


def build(folder):
    assert build_main(["-q", "-W", "-b", "html", str(folder), str(folder / "_html")]) == 0


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
    """One link a term: plurals too; by hand counts; no heading, title of a fold, code, maths or link."""
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
    """Terms are listed with their sections, Chinese names under one heading."""
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


def test_glued_numbers_stand_in_the_notebook():
    """A number is put in with its format; one of another page keeps its name."""
    glued = {"a": {"data": {"text/plain": "3.14159"}}, "b": {"data": {"text/plain": "'3 000'"}}}
    text = reading_time.plain_markdown(
        "{glue:text}`a:.2f`, {glue:text}`b`, {glue:text}`../x.ipynb::c`", glued
    )
    assert text == "3.14, 3 000, (c)"
