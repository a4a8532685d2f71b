"""Print every deck as a PDF, its speaker notes on pages of their own.

The decks of the built book are opened in Chromium and printed by reveal.js's own layout for paper. The
result is ``_build/pdf/slides/STEM.pdf``.
"""

import sys
import time

from playwright.sync_api import Error, sync_playwright
from tqdm import tqdm

from lmcourse.files.places import HTML, ROOT
from lmcourse.site.chromium import BROWSERS, find_browser

OUT = ROOT / "_build" / "pdf" / "slides"
WAIT = 60_000
"""Milliseconds for a deck to lay itself out; a long one takes five seconds."""


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
    start = time.perf_counter()
    try:
        with sync_playwright() as playwright:
            instance = playwright.chromium.launch(
                executable_path=browser, args=["--no-sandbox", "--disable-gpu"]
            )
            for deck in tqdm(decks, unit="deck", disable=None):
                print_deck(instance, deck, OUT / f"{deck.stem}.pdf")
            instance.close()
    except Error as error:
        print(f"{browser} could not print: {str(error).splitlines()[0]}", file=sys.stderr)
        return 1
    took = time.perf_counter() - start
    print(f"{len(decks)} decks are in {OUT.relative_to(ROOT)}/ ({took:.0f} s).")
    return 0


def no_browser():
    """Return what to install, for a machine without Chromium."""
    return (
        f"Decks are printed by Chromium, and none of {', '.join(BROWSERS)} was found. On Debian or Ubuntu:"
        " apt install chromium. Or name yours: CHROMIUM=/path/to/it make handouts"
    )


def print_deck(browser, deck, target):
    """Print one deck, a page for each slide and one after it for its notes.

    Parameters
    ----------
    browser : playwright.sync_api.Browser
    deck, target : Path
    """
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.goto(f"{deck.as_uri()}?print-pdf&all&showNotes=separate-page", wait_until="load")
    page.wait_for_function("() => window.Reveal && Reveal.isReady()", timeout=WAIT)
    page.evaluate("() => window.MathJax && MathJax.startup ? MathJax.startup.promise : null")
    page.wait_for_selector(".pdf-page", state="attached", timeout=WAIT)
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_suffix(".part")
    page.pdf(path=str(half), prefer_css_page_size=True, print_background=True)
    half.replace(target)
    page.close()
