"""Print every deck twice: for students, without answers, and for the lecturer, each slide with its notes.

The decks of the built book are opened in Chromium. reveal.js lays the slides out for paper,
``static/handout.js`` puts two of them on a page of A4, and Chromium prints. The results are
``_build/pdf/handouts/students/STEM.pdf`` (the core of the deck without its answers, and lines to write on)
and ``_build/pdf/handouts/lecturer/STEM.pdf`` (all slides).
"""

import html
import re
import sys
import time

from playwright.sync_api import Error, sync_playwright
from tqdm import tqdm

from lmcourse.files.places import HTML, ROOT, STATIC
from lmcourse.site.chromium import BROWSERS, find_browser

OUT = ROOT / "_build" / "pdf" / "handouts"
EDITIONS = {"students": "print-pdf&questions", "lecturer": "print-pdf&all"}
"""What a deck is asked for; see the script at the end of ``templates/slides/index.html.j2``."""
WAIT = 60_000
"""Milliseconds for a deck to lay itself out; a long one takes five seconds."""
LINES = 3
"""To write on, below each slide of the students' handout."""


def make_handouts():
    """Print the decks; return the exit status."""
    decks = sorted((HTML / "slides").glob("[0-9]*.html"))
    browser = find_browser()
    if not decks:
        print("There are no decks yet. Run `make book` first.", file=sys.stderr)
        return 1
    if browser is None:
        print(no_browser(), file=sys.stderr)
        return 1
    start, pages = time.perf_counter(), dict.fromkeys(EDITIONS, 0)
    try:
        with sync_playwright() as playwright:
            instance = playwright.chromium.launch(
                executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
            )
            for deck in tqdm(decks, unit="deck", disable=None):
                for edition in EDITIONS:
                    pages[edition] += print_deck(instance, deck, OUT / edition / f"{deck.stem}.pdf", edition)
            instance.close()
    except Error as error:
        print(f"{browser} could not print: {str(error).splitlines()[0]}", file=sys.stderr)
        return 1
    for edition, count in pages.items():
        print(f"{(OUT / edition).relative_to(ROOT)}/: {len(decks)} decks, {count} pages of A4")
    print(f"The handouts took {time.perf_counter() - start:.0f} s.")
    return 0


def no_browser():
    """Return what to install, for a machine without Chromium."""
    return (
        f"Decks are printed by Chromium, and none of {', '.join(BROWSERS)} was found. On Debian or Ubuntu:"
        " apt install chromium. Or name yours: CHROMIUM=/path/to/it make handouts"
    )


def print_deck(browser, deck, target, edition):
    """Print one deck, two slides a page; return the number of pages.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
    deck, target : Path
    edition : str
        ``students`` or ``lecturer``.
    """
    students = edition == "students"
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{deck.as_uri()}?{EDITIONS[edition]}", wait_until="load")
    page.wait_for_function("() => window.Reveal && Reveal.isReady()", timeout=WAIT)
    page.evaluate("() => window.MathJax && MathJax.startup ? MathJax.startup.promise : null")
    page.wait_for_selector(".pdf-page", state="attached", timeout=WAIT)
    title = page.evaluate((STATIC / "handout.js").read_text(encoding="utf-8"), [students, LINES])
    page.add_style_tag(content=(STATIC / "handout.css").read_text(encoding="utf-8"))
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".part")
    page.pdf(
        path=str(half),
        prefer_css_page_size=True,
        print_background=True,
        display_header_footer=True,
        header_template=in_margin(
            f"{deck.stem[:2]} · {html.escape(title)}",
            "Name: ______________________________" if students else "for the lecturer",
        ),
        footer_template=in_margin(
            "Measuring Language Models", '<span class="pageNumber"></span> / <span class="totalPages"></span>'
        ),
    )
    page.close()
    count = len(re.findall(rb"/Type\s*/Page\b", half.read_bytes()))
    half.replace(target)
    return count


def in_margin(left, right):
    """Return the line above or below a page, as HTML: Chromium gives it neither a size nor a width."""
    return (
        '<div style="font: 9pt sans-serif; width: 100%; margin: 0 15mm; display: flex;'
        f' justify-content: space-between"><span>{left}</span><span>{right}</span></div>'
    )
