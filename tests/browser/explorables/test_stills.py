"""Without scripts, each interactive figure of a chapter shows its still picture; a fold is opened first."""

import pytest

from lmcourse.files.contents import chapters
from lmcourse.files.places import ROOT
from tests.browser.conftest import HTML, needs_book

pytestmark = [pytest.mark.browser, needs_book]


@pytest.fixture(scope="module")
def page(browser):
    """A window without scripts, for one chapter after the other."""
    context = browser.new_context(java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize("chapter", chapters(ROOT))
def test_each_figure_has_its_still_picture(page, chapter):
    page.goto((HTML / "book" / f"{chapter}.html").as_uri())
    for fold in page.locator("details:has(.explorable):not([open]) > summary").all():
        fold.click()
    figures = page.locator(".explorable").all()
    stills = page.locator(".explorable .still").all()
    assert 0 < len(figures) == len(stills) and all(still.is_visible() for still in stills)
