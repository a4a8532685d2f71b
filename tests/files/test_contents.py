"""The contents of the book: a chapter that the table lacks escapes the rules and tests of chapters."""

from lmcourse.files.contents import chapters
from lmcourse.files.places import ROOT


def test_every_page_with_a_number_is_a_chapter():
    assert sorted(chapters(ROOT)) == sorted(p.stem for p in ROOT.glob("book/[0-9][0-9]_*.md"))
