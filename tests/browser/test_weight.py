"""How heavy the book is: a page with its formulas and before fonts, and the whole site."""

import re

from tests.browser.conftest import HTML, built_pages, needs_book

PAGE_KB, SITE_MB = 1000, 50


def weight(page):
    """Bytes of a page and of the pictures that it shows; fonts are shared and come once."""
    html = page.read_text(encoding="utf-8")
    pictures = {(page.parent / src).resolve() for src in re.findall(r'<img[^>]*?src="([^":]+)"', html)}
    return page.stat().st_size + sum(path.stat().st_size for path in pictures if path.is_file())


def total(folder):
    """Bytes of all files below a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@needs_book
def test_every_page_is_light():
    heavy = {name: weight(HTML / name) for name in built_pages() if weight(HTML / name) > PAGE_KB * 1000}
    assert not heavy, f"more than {PAGE_KB} kB: {heavy}"


@needs_book
def test_the_site_is_light():
    assert total(HTML) <= SITE_MB * 1e6


def test_pictures_count_once(tmp_path):
    """The measure itself: a page with the same picture twice, one that is missing, and one elsewhere."""
    (tmp_path / "figure.svg").write_bytes(b"x" * 5000)
    html = '<img src="figure.svg"><img alt="" src="figure.svg"><img src="gone.svg"><img src="data:,x">'
    (tmp_path / "page.html").write_text(html)
    assert weight(tmp_path / "page.html") == len(html) + 5000
    assert total(tmp_path) == len(html) + 5000
