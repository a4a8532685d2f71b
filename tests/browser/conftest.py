"""The browser that opens the book, and what it opens: pages, decks, and small pages with one thing on them.

The browser is the system's Chromium, driven by Playwright; every other host is blocked.
"""

import re
import shutil

import pytest

from lmcourse.files.places import HTML, STATIC
from lmcourse.site.extensions.browser_tools import SCRIPTS, STYLE, markup


def built_pages():
    """Every page of the built book, as paths below ``_build/html``; none before the book is built."""
    if not (HTML / "index.html").exists():
        return []
    unread = {"_static", "_sources", "slides", "index.html"}  # index.html only leads to the landing page
    pages = [page.relative_to(HTML) for page in HTML.rglob("*.html")]
    return sorted(str(page) for page in pages if page.parts[0] not in unread)


def built_decks():
    """Every deck of the built book, as paths below ``_build/html``."""
    return sorted(f"slides/{deck.name}" for deck in (HTML / "slides").glob("*.html"))


needs_book = pytest.mark.skipif(not built_pages(), reason="the book is not built: make book")
PAGES = built_pages() or [pytest.param("", marks=needs_book)]
DECKS = built_decks() or [pytest.param("", marks=needs_book)]


def small_page(body, head=""):
    """The HTML of a page with a heading, this body, and whatever else its head is to hold."""
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A page</title>{head}</head>'
        f'<body><main class="bd-article"><h1>A page</h1>{body}</main></body></html>'
    )


def write_tool(folder, name, data, more=""):
    """Write the page of a tool without the book around it, with its scripts and style; return its address."""
    shutil.copytree(STATIC / "tools", folder / "tools")
    scripts = "".join(f'<script defer src="{script}"></script>' for script in SCRIPTS[f"book/{name}"])
    head = f'<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="{STYLE}">'
    page = folder / f"{name}.html"
    page.write_text(small_page(markup(name, data) + more, head + scripts), encoding="utf8")
    return page.as_uri()


ELSEWHERE = re.compile(r"^(?!file:|data:|blob:|about:)")
"""An address that is neither on this disk nor in the page itself."""
MATHS = "**/mathjax/*.js"
"""What sets the formulas of a deck, for most of the time that a deck takes to load."""


class Visit:
    """A page opened from disk, with what went wrong while it was read."""

    def __init__(self, page):
        self.page, self.problems = page, []
        page.on(
            "console",
            lambda message: message.type == "error" and self.problems.append(f"console: {message.text}"),
        )
        page.on("pageerror", lambda error: self.problems.append(f"script: {error}"))
        page.on("requestfailed", lambda request: self.problems.append(f"not found: {request.url}"))
        page.route(ELSEWHERE, self.refuse)

    def refuse(self, route):
        """Record and refuse what is asked of another host; files and inline data do not come here."""
        self.problems.append(f"asked another host: {route.request.url}")
        route.abort()

    def leave(self):
        """Forget the page, what it has stored and what went wrong: the next reader finds an empty window."""
        if self.page.url.startswith("file:"):
            self.page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        self.page.goto("about:blank")
        self.page.unroute(MATHS)
        self.page.context.clear_cookies()
        self.problems = []

    def open(self, name, fragment="", maths=True):
        """Open a page of the built book and wait until its maths is set, or leave a deck's maths as TeX."""
        if not maths:
            self.page.route(MATHS, lambda route: route.fulfill(body="", content_type="text/javascript"))
        self.page.goto((HTML / name).as_uri() + fragment, wait_until="load")
        if maths:
            self.page.wait_for_function(
                "() => !window.MathJax || (MathJax.startup && MathJax.startup.promise)", timeout=20_000
            )
            self.page.evaluate("() => window.MathJax ? MathJax.startup.promise : null")
        return self.page

    def sideways(self):
        """How many pixels the page can be scrolled sideways."""
        return self.page.evaluate(
            "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )


@pytest.fixture(scope="session")
def windows():
    """Empty windows of the browser: to open another one takes as long as to load a page."""
    return []


@pytest.fixture
def visit(browser, windows):
    """A function that opens a window of a width, light or dark, with nothing in it."""
    used = []

    def at(width=1280, height=900, scheme="light"):
        size = {"width": width, "height": height}
        reader = windows.pop() if windows else Visit(browser.new_context(viewport=size).new_page())
        used.append(reader)
        reader.page.set_viewport_size(size)
        reader.page.emulate_media(color_scheme=scheme)
        return reader

    yield at
    for reader in used:
        reader.leave()
    windows += used


@pytest.fixture
def opened(visit, address):
    """The page at the module's ``address``; its problems are looked at when the test ends."""
    reader = visit()
    reader.page.goto(address)
    yield reader.page
    assert reader.problems == []
