"""What the tests of interactive figures share: the page of a chapter, and the data in it."""

import pytest

from tests.browser.conftest import Visit

DATA = "name => JSON.parse(document.querySelector(`[data-explorable=${name}] script`).textContent)"
"""A function for the browser: the data of an interactive figure."""

KEEP = """() => {
  const listen = document.addEventListener;
  document.addEventListener = function (event, listener, ...rest) {
    if (/explorables.start[.]js/.test(document.currentScript?.src)) window.startFigures = listener;
    return listen.call(this, event, listener, ...rest);
  };
  listen.call(document, "DOMContentLoaded", () => {
    window.atFirst = [...document.querySelectorAll(".explorable")].map(box => box.cloneNode(true));
    window.foldsAtFirst = [...document.querySelectorAll("details")].map(fold => [fold, fold.open]);
  });
}"""
"""Before the page's own scripts: keep its figures as they are written, and what starts them."""

AGAIN = """async () => {
  document.activeElement?.blur();
  document.querySelectorAll(".explorable").forEach((box, i) => box.replaceWith(atFirst[i].cloneNode(true)));
  foldsAtFirst.forEach(([fold, open]) => { fold.open = open; });
  startFigures();
  const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  await drawn();  // a window that is still on its way to the focus would go on
  scrollTo({top: 0, behavior: "instant"});
  await drawn();
}"""
"""Put the figures back as they are written, and start them as the page does."""


@pytest.fixture(scope="session")
def reader(browser):
    """A window for one chapter after the other: in a new one, a page takes twice as long to open."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    reader = Visit(context.new_page())
    reader.page.add_init_script(f"({KEEP})()")
    yield reader
    context.close()


@pytest.fixture(scope="module")
def chapter(request, reader):
    """The page that the test's module names, opened once for all of its tests, with its figures at work."""
    page = reader.open(request.module.PAGE)
    page.wait_for_selector(".explorable.live")
    yield page
    reader.leave()


@pytest.fixture
def page(chapter):
    """The page of the module, with all of its figures at work and as nobody has touched them."""
    chapter.evaluate(AGAIN)
    chapter.wait_for_selector(".explorable.live")
    return chapter
