"""Decks on paper: what students get before the lecture, and what the lecturer takes along."""

import re
import unicodedata

import pytest
from pypdf import PdfReader

from lmcourse.files.notebooks import read
from lmcourse.files.places import ROOT
from lmcourse.site import handouts
from tests.browser.conftest import DECKS, HTML, needs_book

DECK = "04_perplexity"
LEFT = """() => {
  const all = query => [...document.querySelectorAll(query)];
  const asked = all('.slides h3, .slides strong').map(words => words.textContent.match(/^Predict (\\d+)/));
  return {
    numbers: all('section section').map(slide => Number(slide.dataset.number)),
    answers: all('aside.notes, .answer').length,
    steps: all('.fragment').filter(step => !step.textContent.includes('Predict')).length,
    asked: asked.filter(Boolean).map(match => Number(match[1])),
  };
}"""


def words(text):
    """Without what a line break, a ligature or a formula does to a sentence."""
    return re.findall(r"[A-Za-z]{2,}", unicodedata.normalize("NFKC", text))


def printed(browser, folder, edition):
    """The text of each page, after looking at its size."""
    target = folder / "deck.pdf"
    count = handouts.print_deck(browser, HTML / "slides" / f"{DECK}.html", target, edition)
    pages = PdfReader(target).pages
    assert count == len(pages) and [*folder.iterdir()] == [target]
    assert {tuple(round(float(side)) for side in page.mediabox[2:]) for page in pages} == {(595, 842)}
    return [page.extract_text() for page in pages]


def slides():
    """Title, note, and whether it is an answer, of each slide of the core deck."""
    found = []
    for cell in read(ROOT / "notebooks" / f"{DECK}.ipynb").cells:
        kind, tags = cell.metadata["slideshow"]["slide_type"], cell.metadata.get("tags", [])
        if kind in ("slide", "subslide"):
            found.append([cell.source.splitlines()[0].lstrip("# "), "", "answer" in tags, "optional" in tags])
        elif kind == "notes" and found:
            found[-1][1] = cell.source
    return [slide[:3] for slide in found if not slide[3]]


@pytest.mark.browser
@needs_book
def test_students_get_the_questions(browser, tmp_path):
    """Two slides a page, and of an answer neither the slide nor the note nor the table shown by a key."""
    pages = printed(browser, tmp_path, "students")
    text = " ".join(" ".join(words(page)) for page in pages)
    asked = [title for title, _, answer in slides() if not answer]
    assert len(pages) == -(-len(asked) // 2) and all(page.count("Slide ") <= 2 for page in pages)
    for title, note, answer in slides():
        assert (" ".join(words(title)) in text) is not answer, title
        assert " ".join(words(note)[:8]) not in text, note
    assert "Predict" in text and "Lower loss on" not in text and "mean of perplexities exp mean" not in text


@pytest.mark.browser
@needs_book
def test_the_lecturer_gets_each_slide_with_its_note(browser, tmp_path):
    """On the same page, and the optional slides as well."""
    pages = [" ".join(words(page)) for page in printed(browser, tmp_path, "lecturer")]
    for title, note, _ in slides():
        title, opening, end = " ".join(words(title)), " ".join(words(note)[:8]), " ".join(words(note)[-4:])
        assert any(title in page and opening in page and end in page for page in pages), title
    assert sum(page.count("Optional slide") for page in pages) >= 5
    assert len(pages) <= 14


@pytest.mark.browser
@pytest.mark.parametrize("deck", DECKS)
def test_a_deck_with_questions_alone(visit, deck):
    """Every prediction is asked in turn, slides keep the numbers of the core, and no answer is left."""
    found = visit(width=1280, height=720).open(deck, "?questions", maths=False).evaluate(LEFT)
    assert found["answers"] == found["steps"] == 0
    assert found["numbers"] == sorted(set(found["numbers"])) and found["numbers"][0] == 1
    asked = list(dict.fromkeys(found["asked"]))
    assert asked == [*range(1, len(asked) + 1)] and len(asked) >= 5
