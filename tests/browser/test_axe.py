"""Accessibility: axe-core on decks, the colours of code, and whether axe finds what it is for.

Pages of the book are looked at in `test_pages`, which opens each of them anyway.
"""

import re

import pytest

from tests.browser.access import CONTRAST, EVERY, SCROLLING, restore, violations
from tests.browser.conftest import DECKS, HTML, small_page

pytestmark = pytest.mark.browser
FAULTS = {
    "color-contrast": '<p style="color:#aaa;background:#fff">Too pale to read</p>',
    "image-alt": '<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">',
    "button-name": "<button></button>",
    "link-name": '<a href="#x"></a>',
    "scrollable-region-focusable": '<div style="width:90px;height:40px;overflow:auto">'
    "<p style='width:900px;height:300px'>wide, and nothing in it takes the focus</p></div>",
}


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
    page = visit(scheme=scheme).open("book/how_to_use.html")
    style = (HTML / "_static" / "pygments.css").read_text(encoding="utf8")
    kinds = sorted(set(re.findall(r"\.highlight \.(\w+) *\{", style)) - {"hll", "w", "err"})
    ratios = dict(page.evaluate(COLOURS_OF_CODE, kinds))
    pale = {kind: round(ratio, 2) for kind, ratio in ratios.items() if ratio < 4.5}
    assert len(ratios) > 40 and not pale, f"{scheme}: too pale {pale}"


@pytest.mark.parametrize("name", DECKS[: None if EVERY else 2])
def test_axe_finds_nothing_serious_in_a_deck(visit, name):
    """The first slide of a deck, and the deck's own controls."""
    page = visit(width=1280, height=720).open(name)
    page.wait_for_function("() => window.Reveal && Reveal.isReady()")
    assert violations(page) == []


@pytest.mark.parametrize("rule", FAULTS)
def test_axe_names_a_planted_fault(visit, rule):
    """A small page with one fault: the rule that it breaks is named, and no other."""
    page = visit().page
    page.set_content(small_page(FAULTS[rule]))
    assert {line.split(":")[0] for line in violations(page)} == {rule}


def test_axe_is_content_with_a_sound_page(visit):
    """The checks above do not object to everything."""
    page = visit().page
    page.set_content(small_page("<p>With text.</p><button>Go</button>"))
    assert violations(page) == [] == violations(page, only=CONTRAST) == violations(page, only=SCROLLING)


def test_a_page_gets_back_what_axe_does_not_see(visit):
    """Maths and code are as before, and axe has seen neither glyphs nor coloured words."""
    page = visit().page
    page.set_content(
        small_page(
            "<mjx-container><mjx-math>x</mjx-math>x</mjx-container>"
            '<span class="katex">x<span class="katex-html" aria-hidden="true">x</span></span>'
            '<div class="highlight"><pre tabindex="0"><span class="k">import</span> math</pre></div>'
        )
    )
    before = page.inner_html("main")
    violations(page)
    assert page.inner_html("pre") == "import math" and page.inner_html("mjx-math") == ""
    assert page.inner_html(".katex-html") == ""
    restore(page)
    assert page.inner_html("main") == before
