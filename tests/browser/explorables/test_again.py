"""The page that the tests of a chapter share: what one test has done to it, the next does not see."""

import pytest

from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import AGAIN

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/03_kl_decomposition.html"
STATE = """() => [scrollY, document.activeElement.tagName,
  ...[...document.querySelectorAll("details")].map(fold => fold.open),
  ...[...document.querySelectorAll(".explorable")].map(box => box.className + box.innerHTML),
  ...[...document.querySelectorAll(".explorable input")].map(input => input.value)]"""


def test_the_figures_are_as_nobody_has_touched_them(chapter):
    """As the page itself has started them, after a fold was opened, a slider moved and a figure spoilt."""
    before = chapter.evaluate(STATE)
    chapter.locator("details:has(.explorable)").first.evaluate("fold => { fold.open = true; }")
    chapter.locator("[data-explorable=floorexcess] input").nth(1).focus()
    chapter.keyboard.press("ArrowLeft")
    chapter.evaluate("() => document.querySelector('[data-explorable=onebell] .result').remove()")
    assert chapter.evaluate(STATE) != before
    chapter.evaluate(AGAIN)
    assert chapter.evaluate(STATE) == before
