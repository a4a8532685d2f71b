"""With the keyboard alone: every link, button, box and form can be reached, is seen, and lets go again."""

import pytest

from tests.browser.conftest import HTML, needs_book

pytestmark = [pytest.mark.browser, needs_book]

MOST_STOPS = 900

STOP = """() => {
  const e = document.activeElement;
  if (!e || e === document.body) return null;
  if (!e.dataset.stop) e.dataset.stop = String(window.stops = (window.stops || 0) + 1);
  const parts = e.tagName === 'SUMMARY' ? [e, ...e.querySelectorAll('*')] : [e];  // its arrow stands apart
  const area = part => part.getBoundingClientRect().width * part.getBoundingClientRect().height;
  const drawn = parts.filter(part => area(part) > 0);
  const ring = drawn.map(part => getComputedStyle(part)).some(style => style.boxShadow !== 'none' ||
    (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0) ||
    style.textDecorationLine.includes('underline'));
  const words = (e.getAttribute('aria-label') || e.textContent).trim().slice(0, 40);
  return {id: e.dataset.stop, tag: e.tagName, words,
    href: e.getAttribute('href') || '', seen: drawn.length > 0, ring};
}"""


def walk(page, most=MOST_STOPS):
    """Press Tab until the focus comes round; return the stops."""
    stops, seen = [], set()
    for _ in range(most):
        page.keyboard.press("Tab")
        stop = page.evaluate(STOP)
        if stop is None or stop["id"] in seen:
            if stop is None and stops:
                break
            if stop is not None:
                break
            continue
        seen.add(stop["id"])
        stops.append(stop)
    return stops


@pytest.mark.parametrize("name", ["book/02_cross_entropy.html", "book/converter.html", "book/clinic.html"])
def test_tab_goes_through_the_page(visit, name):
    """The first stop skips to the content; each stop is seen and shows the focus; none holds it."""
    page = visit().open(name)
    stops = walk(page)
    assert "skip" in stops[0]["words"].lower() and stops[0]["href"].startswith("#")
    assert 20 < len(stops) < MOST_STOPS, f"{len(stops)} stops: the focus is caught"
    tags = {stop["tag"] for stop in stops}
    assert {"A", "BUTTON"} <= tags
    hidden = [stop for stop in stops if not stop["seen"]]
    assert not hidden, f"focus on what cannot be seen: {hidden[:5]}"
    plain = [stop for stop in stops if not stop["ring"]]
    assert not plain, f"no sign of the focus: {plain[:5]}"


def test_a_chapter_is_used_with_keys(visit):
    """Search opens by its key, the theme turns, hidden code opens, the next page comes."""
    page = visit().open("book/02_cross_entropy.html")
    page.keyboard.press("Control+K")
    page.wait_for_function("() => document.activeElement.matches('input[type=search]')")
    page.keyboard.type("surprisal")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=surprisal*")

    page = visit().open("book/02_cross_entropy.html")
    before = page.evaluate("() => document.documentElement.dataset.mode")
    page.evaluate("() => document.querySelector('button.theme-switch-button').focus()")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.documentElement.dataset.mode") != before
    opened = "() => document.querySelectorAll('.bd-article details[open]').length"
    count = page.evaluate(opened)
    page.evaluate("() => document.querySelector('.bd-article details:not([open]) > summary').focus()")
    page.keyboard.press("Enter")
    assert page.evaluate(opened) == count + 1
    page.evaluate("() => document.querySelector('.prev-next-area a.right-next').focus()")
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: not url.endswith("book/02_cross_entropy.html"))


def test_boxes_that_scroll_take_the_focus(visit):
    """On a phone, what is wider than its box can be focused; and only that."""
    page = visit(width=390, height=844).open("book/02_cross_entropy.html")
    page.wait_for_timeout(500)
    wide = page.evaluate("""() => [...document.querySelectorAll('.bd-article table, .bd-article pre')]
      .filter(e => e.offsetParent && e.scrollWidth > e.clientWidth + 1).map(e => e.tabIndex)""")
    assert len(wide) > 3 and set(wide) == {0}


def test_a_trap_and_a_missing_ring_are_found(visit, tmp_path):
    """The walk itself: a page that holds the focus, and a link that does not show it."""
    trap = "<a href='#a'>one</a><input onkeydown='event.preventDefault()'><a href='#b'>three</a>"
    (tmp_path / "trap.html").write_text(f"<!doctype html><title>t</title>{trap}")
    page = visit().page
    page.goto((tmp_path / "trap.html").as_uri())
    assert [stop["tag"] for stop in walk(page, most=12)] == ["A", "INPUT"]
    bare = "<style>a { outline: none !important; text-decoration: none }</style>"
    bare += "<a href='#a'>one</a><a href='#b'>two</a>"
    (tmp_path / "bare.html").write_text(f"<!doctype html><title>t</title>{bare}")
    page.goto((tmp_path / "bare.html").as_uri())
    assert [stop["ring"] for stop in walk(page, most=5)] == [False, False]
    assert HTML.exists()
