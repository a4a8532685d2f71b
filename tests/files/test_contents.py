"""The contents of the book: a chapter that `CHAPTERS` lacks escapes the rules and tests of chapters."""

from lmcourse.files.contents import CHAPTERS
from lmcourse.files.places import ROOT


def test_every_page_with_a_number_is_a_chapter():
    assert CHAPTERS and sorted(CHAPTERS) == sorted(p.stem for p in ROOT.glob("book/[0-9][0-9]_*.md"))
