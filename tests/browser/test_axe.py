"""Accessibility of the built book: axe-core on every page and deck, light and dark, desktop and phone."""

import os
import re

import pytest

from .access import CONTRAST, SCROLLING, violations
from .conftest import HTML, built_decks, built_pages

pytestmark = pytest.mark.browser
EVERY = os.environ.get("AXE") == "all"
"""Whether every page is looked at, as in the weekly workflow: that takes nine minutes of a core. Otherwise
one page of each kind is."""
KINDS = (
    "book/index", "book/08_ngram_versus_neural", "book/converter", "book/clinic", "book/glossary",
    "book/bibliography", "book/instructors/exams", "exercises/04_perplexity/04_perplexity",
    "genindex", "search",
)  # fmt: skip
PAGES = [page for page in built_pages() if EVERY or page.removesuffix(".html") in KINDS]
PAGES = PAGES or [pytest.param("", marks=pytest.mark.skip(reason="the book is not built: make book"))]
DECKS = built_decks()[: None if EVERY else 2] or [
    pytest.param("", marks=pytest.mark.skip(reason="no deck is built: make slides"))
]

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
    """Nothing serious or critical: everything once, colours in both schemes, and what scrolls at both widths.

    The other rules ask for names, roles and order, which neither scheme nor width changes.
    """
    page = visit().open(name)
    found = {"light, 1280 px": violations(page)}
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    found["dark, 1280 px"] = violations(page, only=CONTRAST)
    page.set_viewport_size({"width": 390, "height": 844})
    page.wait_for_timeout(500)  # the theme and access.js mark what scrolls
    found["dark, 390 px"] = violations(page, only=SCROLLING)
    found = {setting: out[:5] for setting, out in found.items() if out}
    assert not found, f"{name}: {found}"


COLOURS_OF_CODE = """classes => {
  const box = document.querySelector('div.highlight pre');
  const parse = colour => (colour.match(/[\\d.]+/g) || []).map(Number);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, a = 1] = parse(getComputedStyle(e).backgroundColor);
      if (a > 0.99) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const light = rgb => {
    const [r, g, b] = rgb.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  return classes.map(name => {
    const word = document.createElement('span');
    word.className = name;
    word.textContent = 'x';
    box.append(word);
    const [a, b] = [light(parse(getComputedStyle(word).color).slice(0, 3)), light(ground(word))];
    return [name, (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)];
  });
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_of_code(visit, scheme):
    """Every kind of word in a code block has 4.5 to 1 on its ground."""
    page = visit(scheme=scheme).open("book/02_cross_entropy.html")
    style = (HTML / "_static" / "pygments.css").read_text(encoding="utf8")
    kinds = sorted(set(re.findall(r"\.highlight \.(\w+) *\{", style)) - {"hll", "w", "err"})
    ratios = dict(page.evaluate(COLOURS_OF_CODE, kinds))
    pale = {kind: round(ratio, 2) for kind, ratio in ratios.items() if ratio < 4.5}
    assert len(ratios) > 40 and not pale, f"{scheme}: too pale {pale}"


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
    assert violations(page) == [] == violations(page, only=CONTRAST) == violations(page, only=SCROLLING)
