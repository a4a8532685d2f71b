"""A printed deck: a page for each slide, and its notes."""

import pytest
from pypdf import PdfReader

from lmcourse.site import handouts
from tests.browser.conftest import HTML, needs_book


@pytest.mark.browser
@needs_book
def test_a_deck_is_printed_with_its_notes(browser, tmp_path):
    """A page for each slide and more for the notes; the words of notes and slides are there."""
    target = tmp_path / "deck.pdf"
    handouts.print_deck(browser, HTML / "slides" / "04_perplexity.html", target)
    pages = [page.extract_text() for page in PdfReader(target).pages]
    text = "\n".join(pages)
    assert len(pages) >= 40 and sum("Speaker notes" in page for page in pages) >= 20
    assert "Guess the next word alongside a model" in text and "Paper, no laptops" in text
    assert list(tmp_path.iterdir()) == [target]
