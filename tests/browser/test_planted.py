"""Each check of the built book finds the fault that it is for: small pages with one fault each."""

import pytest

from tests.browser.conftest import small_page
from tests.browser.test_pages import BROKEN_IMAGES, RAW_MATHS, TOO_WIDE, links_to_nowhere
from tests.browser.test_slides import CUT_OFF, NOTE_SHOWS, OVERPRINTED, WITHOUT_NOTE
from tests.browser.test_weight import PAGE_KB, weight

pytestmark = pytest.mark.browser

SOUND = "<p>Words, and <code>$x$</code> in code.</p>"

FAULTS = [
    (RAW_MATHS, r"<p>The loss is $\ln 2$ nats.</p>", "$"),
    (RAW_MATHS, r"<p>\begin{align} a \end{align}</p>", r"\begin{"),
    (BROKEN_IMAGES, '<img alt="x" src="gone.svg">', "gone.svg"),
    (TOO_WIDE, '<div style="width:700px">wide</div>', "DIV"),
]

SLIDE = """<div class="reveal">
<section id="now" style="width:1280px;height:720px;position:relative">{}</section></div>
<script>window.Reveal = {{getCurrentSlide: () => document.getElementById('now'),
  getSlides: () => [document.getElementById('now')], getScale: () => 1}};</script>"""

SLIDE_FAULTS = [
    (CUT_OFF, '<p style="position:absolute;top:700px;height:90px">below the edge</p>', "P reaches"),
    (CUT_OFF, '<pre style="width:300px;overflow-x:auto">' + "x" * 200 + "</pre>", "PRE hides"),
    (WITHOUT_NOTE, "<p>A slide that nobody speaks about</p>", "A slide that nobody"),
    (OVERPRINTED, '<mjx-utext style="display:inline-block;width:0">words</mjx-utext>', "words"),
]


def opened(visit, tmp_path, body, width=390):
    """A reader of a page with this body."""
    (tmp_path / "page.html").write_text(small_page(body), encoding="utf8")
    reader = visit(width=width, height=844)
    reader.page.goto((tmp_path / "page.html").as_uri(), wait_until="load")
    return reader


@pytest.mark.parametrize(("check", "body", "said"), FAULTS)
def test_a_fault_on_a_page_is_found(visit, tmp_path, check, body, said):
    found = opened(visit, tmp_path, body).page.evaluate(check)
    assert found and said in found[0]
    assert opened(visit, tmp_path, SOUND).page.evaluate(check) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("<script>console.error('a mishap')</script>", "console: a mishap"),
        ("<script>nowhere.to.be = 1</script>", "script: nowhere is not defined"),
        ('<img alt="x" src="https://example.org/x.png">', "asked another host: https://example.org/x.png"),
        ('<script src="gone.js"></script>', "not found: "),
    ],
)
def test_a_page_that_misbehaves_is_heard(visit, tmp_path, body, said):
    """What `test_page_is_sound` listens to."""
    assert any(problem.startswith(said) for problem in opened(visit, tmp_path, body).problems)
    assert opened(visit, tmp_path, SOUND).problems == []


def test_links_to_nowhere_are_found(tmp_path):
    """A missing file, and an anchor that is missing here or on another page."""
    (tmp_path / "other.html").write_text('<p id="there">')
    page = tmp_path / "page.html"
    links = ("other.html#there", "#here", "https://example.org/", "gone.html", "other.html#gone", "#gone")
    page.write_text('<p id="here">' + "".join(f'<a href="{link}">x</a>' for link in links))
    assert sorted(links_to_nowhere(page)) == ["#gone", "gone.html", "other.html#gone"]


def test_a_heavy_page_is_found(tmp_path):
    (tmp_path / "page.html").write_text("x" * (PAGE_KB * 1000 + 1))
    assert weight(tmp_path / "page.html") > PAGE_KB * 1000


@pytest.mark.parametrize(("check", "body", "said"), SLIDE_FAULTS)
def test_a_fault_on_a_slide_is_found(visit, tmp_path, check, body, said):
    found = opened(visit, tmp_path, SLIDE.format(body), width=1280).page.evaluate(check)
    assert found and said in found[0]
    sound = '<p>Words.</p><aside class="notes" style="display:none">Say this.</aside>'
    assert opened(visit, tmp_path, SLIDE.format(sound), width=1280).page.evaluate(check) == []


def test_a_note_on_a_slide_is_found(visit, tmp_path):
    body = SLIDE.format('<aside class="notes">For the speaker</aside>')
    assert opened(visit, tmp_path, body, width=1280).page.evaluate(NOTE_SHOWS)


def test_a_window_that_was_used_is_empty(visit, tmp_path):
    """For the next reader: no page, nothing stored, nothing gone wrong."""
    reader = opened(visit, tmp_path, "<script>localStorage.theme = 'dark'; nowhere.to.be = 1</script>")
    assert reader.problems and reader.page.evaluate("() => localStorage.length") == 1
    reader.leave()
    assert reader.page.url == "about:blank" and reader.problems == []
    (tmp_path / "page.html").write_text(small_page(SOUND), encoding="utf8")
    reader.page.goto((tmp_path / "page.html").as_uri())
    assert reader.page.evaluate("() => localStorage.length") == 0 and reader.problems == []
