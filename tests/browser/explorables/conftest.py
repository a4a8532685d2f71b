"""What the tests of interactive figures share: the page of a chapter, and the data in it."""

import pytest

DATA = "name => JSON.parse(document.querySelector(`[data-explorable=${name}] script`).textContent)"
"""A function for the browser: the data of an interactive figure."""


@pytest.fixture
def page(request, visit):
    """The page that the test's module names, with its first figure at work."""
    page = visit(width=1280, height=900).open(request.module.PAGE)
    page.wait_for_selector(".explorable.live")
    return page
