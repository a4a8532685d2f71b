"""The built book as its readers open it: from disk, no network, desktop and phone, light and dark."""

import os
import re
from urllib.parse import quote

import pytest

from lmcourse import REPOSITORY
from lmcourse.files.contents import chapters
from lmcourse.files.places import ROOT
from lmcourse.site.extensions import chapter_length
from tests.browser.access import CONTRAST, EVERY, SCROLLING, restore, violations
from tests.browser.conftest import HTML, PAGES

pytestmark = pytest.mark.browser
UNREAD = {"search.html", "prf-prf.html"}
KINDS = (
    "book/index", "book/08_ngram_versus_neural", "book/converter", "book/clinic", "book/glossary",
    "book/bibliography", "book/instructors/exams", "exercises/04_perplexity/04_perplexity",
    "genindex", "search",
)  # fmt: skip
"""One page of each kind: these go through axe."""

RAW_MATHS = """() => {
  const skip = new Set(['SCRIPT', 'STYLE', 'PRE', 'CODE', 'TEXTAREA', 'NOSCRIPT']);
  const found = [];
  const walk = node => {
    if (node.nodeType === Node.TEXT_NODE) {
      const hit = node.textContent.match(/.{0,20}(\\$|\\\\\\(|\\\\\\[|\\\\begin\\{).{0,40}/);
      if (hit) found.push(hit[0]);
    } else if (node.nodeType === Node.ELEMENT_NODE && !skip.has(node.tagName)) node.childNodes.forEach(walk);
  };
  document.querySelectorAll('article, main').forEach(walk);
  return [...new Set(found)];
}"""

BROKEN_IMAGES = """() => [...document.images]
  .filter(image => !image.complete || image.naturalWidth === 0).map(image => image.src.slice(0, 120))"""

TOO_WIDE = """() => {
  const page = document.documentElement.clientWidth;
  const inScrollingBox = element => {
    for (let e = element.parentElement; e && e !== document.body; e = e.parentElement)
      if (['auto', 'scroll', 'hidden'].includes(getComputedStyle(e).overflowX)) return true;
    return false;
  };
  const sticksOut = element => {
    const place = element.getBoundingClientRect();
    return place.width > 0 && place.right > page + 1 && getComputedStyle(element).position !== 'fixed';
  };
  return [...document.querySelectorAll('main *')].filter(e => sticksOut(e) && !inScrollingBox(e))
    .map(e => `${e.tagName}.${e.className} reaches ${Math.round(e.getBoundingClientRect().right)} of ${page}`)
    .slice(0, 5);
}"""


SCREENS = "() => document.documentElement.scrollHeight / 900"
CHAPTER_PAGES = {f"book/{stem}.html" for stem in chapters(ROOT)}
SEARCH_IS_OVER = "() => /found|match/.test(document.querySelector('#search-results p')?.textContent || '')"


@pytest.mark.parametrize("name", PAGES)
def test_page_is_sound(visit, name):
    """No request to another host, no console error, no raw maths, no missing image; then the same page at
    390 px, dark: it does not scroll sideways and nothing sticks out, with open folds either.

    With its folds closed, a chapter has at most the screens of 1280 x 900 that a path may have.

    On the way axe finds nothing serious or critical: everything once, colours in both schemes, and what
    scrolls at both widths. Its other rules ask for names, roles and order, which neither changes.
    """
    reader, axe = visit(), EVERY or name.removesuffix(".html") in KINDS
    page = reader.open(name)
    found = {
        "maths that was not set": page.evaluate(RAW_MATHS),
        "images that do not show": page.evaluate(BROKEN_IMAGES),
        "formulas that are not set": page.locator(".katex-error, script[src*=mathjax]").all_inner_texts(),
        "axe, light, 1280 px": violations(page) if axe else [],
    }
    if name in CHAPTER_PAGES and (screens := page.evaluate(SCREENS)) > chapter_length.SCREENS:
        found["a path that is too long"] = [f"{screens:.1f} screens"]
    page.emulate_media(color_scheme="dark")
    if axe:
        page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
        found["axe, dark, 1280 px"] = violations(page, only=CONTRAST)
        restore(page)
    page.set_viewport_size({"width": 390, "height": 844})
    if name not in UNREAD:
        found["pixels too wide"] = [wide] if (wide := reader.sideways()) > 0 else []
        found["wider than the page"] = page.evaluate(TOO_WIDE)
    if axe:
        page.wait_for_timeout(500)  # the theme and access.js mark what scrolls
        found["axe, dark, 390 px"] = violations(page, only=SCROLLING)
    if name not in UNREAD:
        page.evaluate("() => document.querySelectorAll('article details').forEach(fold => fold.open = true)")
        found["wider with open folds"] = page.evaluate(TOO_WIDE)
    found = {what: each[:5] for what, each in {**found, "problems": reader.problems}.items() if each}
    assert not found, f"{name}: {found}"


@pytest.mark.parametrize("name", PAGES)
def test_links_inside_the_book_resolve(name):
    """Every link to a page, file or anchor of the book leads somewhere."""
    missing = links_to_nowhere(HTML / name)
    assert not missing, f"{name}: {missing}"


def links_to_nowhere(page):
    """The links of a page whose file or anchor does not exist."""
    missing = []
    for link in set(re.findall(r'(?:href|src)="([^"]+)"', page.read_text(encoding="utf8"))):
        if re.match(r"[a-z]+:|//|#$|\{\{", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path.split("?")[0]).resolve() if path.split("?")[0] else page
        if not target.exists() or (
            anchor and target.suffix == ".html" and f'id="{anchor}"' not in target.read_text(encoding="utf8")
        ):
            missing.append(link)
    return missing


def test_first_page_leads_to_the_landing_page(visit):
    """``_build/html/index.html``, which the README names, opens the book."""
    reader = visit()
    reader.page.goto((HTML / "index.html").as_uri())
    reader.page.wait_for_url("**/book/index.html", timeout=15_000)
    assert "Measuring Language Models" in reader.page.title()


def pages_found(reader, words):
    """The pages that the book's own search, opened from disk, lists for these words."""
    page = reader.open("search.html", f"?q={quote(words)}")
    page.wait_for_function(SEARCH_IS_OVER, timeout=15_000)
    links = page.eval_on_selector_all("#search-results li a", "links => links.map(link => link.href)")
    return {link.split("/html/")[-1].split("#")[0].split("?")[0] for link in links}


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("surprisal", "book/02_cross_entropy.html"),
        ("perplexities", "book/04_perplexity.html"),  # another form of the word
        ("label smoothing", "book/07_neural_models.html"),  # both words
        ("困惑度", "book/04_perplexity.html"),
        ("交叉熵", "book/02_cross_entropy.html"),
        ("平滑", "book/06_ngram_models.html"),  # inside brackets, in an English sentence
        ("循環神經網路", "book/07_neural_models.html"),  # traditional characters
    ],
)
def test_search_finds_the_chapter_of_a_term(visit, words, page):
    """From disk, in English and in both Chinese scripts. Some browsers fetch no summaries from there."""
    reader = visit()
    assert page in pages_found(reader, words)
    refused = ("console: Fetch API cannot load file:", "script: Failed to fetch")
    assert [problem for problem in reader.problems if not problem.startswith(refused)] == []


@pytest.mark.parametrize("words", ["supercalifragilistic", "葡萄酒杯"])
def test_search_does_not_find_what_is_not_there(visit, words):
    """The test above can fail: a word that no page has leads nowhere."""
    assert pages_found(visit(), words) == set()


def test_dark_mode_is_dark(visit):
    """A reader whose system is dark gets a dark page."""
    page = visit(scheme="dark").open("book/index.html")
    red, green, blue = map(
        int, re.findall(r"\d+", page.evaluate("() => getComputedStyle(document.body).backgroundColor"))[:3]
    )
    assert red + green + blue < 200


def test_launch_and_download_buttons(visit):
    """Colab is offered on notebooks alone, and only if the repository is known; a download always."""
    lab = (HTML / "notebooks/02_cross_entropy.html").read_text(encoding="utf8")
    assert ("colab.research.google.com/github/" in lab) == bool(REPOSITORY)
    assert "github.com/" not in lab or REPOSITORY or "GITHUB_REPOSITORY" in os.environ
    assert ".ipynb" in lab and "To run it here" in lab
    chapter = (HTML / "book/02_cross_entropy.html").read_text(encoding="utf8")
    assert "colab.research.google.com" not in chapter


def test_chapter_has_the_number_of_its_file():
    """Chapter 02 is number 2, also while chapter 01 is missing."""
    chapter = (HTML / "book/02_cross_entropy.html").read_text(encoding="utf8")
    assert '<span class="section-number">2. </span>Cross-entropy' in chapter
    assert '<span class="section-number">2.1. </span>' in chapter
