"""Accessibility of the built book: axe-core on every page and deck, light and dark, desktop and phone."""

import pytest

from .access import CONTRAST, violations
from .conftest import built_decks, built_pages

pytestmark = pytest.mark.browser
PAGES = built_pages() or [pytest.param("", marks=pytest.mark.skip(reason="the book is not built: make book"))]
DECKS = built_decks() or [pytest.param("", marks=pytest.mark.skip(reason="no deck is built: make slides"))]

FRAME = '<!doctype html><html lang="en"><head><title>A page</title></head><body><main>{}</main></body></html>'
FAULTS = {
    "color-contrast": '<p style="color:#aaa;background:#fff">Too pale to read</p>',
    "image-alt": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">',
    "button-name": "<button></button>",
    "link-name": '<a href="#x"></a>',
    "scrollable-region-focusable": '<div style="width:90px;height:40px;overflow:auto">'
    "<p style='width:900px;height:300px'>wide, and nothing in it takes the focus</p></div>",
}


@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing_serious(visit, name):
    """Nothing serious or critical: colours in both schemes, everything else at both widths."""
    page = visit().open(name)
    found = {"light, 1280 px": violations(page)}
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    found["dark, 1280 px"] = violations(page, only=CONTRAST)
    page.set_viewport_size({"width": 390, "height": 844})
    found["dark, 390 px"] = violations(page, without=CONTRAST)
    found = {setting: out[:5] for setting, out in found.items() if out}
    assert not found, f"{name}: {found}"


@pytest.mark.parametrize("name", DECKS)
def test_axe_finds_nothing_serious_in_a_deck(visit, name):
    """The first slide of a deck, and the deck's own controls."""
    page = visit(width=1280, height=720).open(name)
    page.wait_for_function("() => window.Reveal && Reveal.isReady()")
    assert violations(page) == []


@pytest.mark.parametrize("rule", FAULTS)
def test_axe_names_a_planted_fault(visit, rule):
    """A small page with one fault: the rule that it breaks is named, and no other."""
    page = visit().page
    page.set_content(FRAME.format(FAULTS[rule]))
    assert {line.split(":")[0] for line in violations(page)} == {rule}


def test_axe_is_content_with_a_sound_page(visit):
    """The checks above do not object to everything."""
    page = visit().page
    page.set_content(FRAME.format("<h1>A page</h1><p>With text.</p><button>Go</button>"))
    assert violations(page) == [] == violations(page, only=CONTRAST) == violations(page, without=CONTRAST)
