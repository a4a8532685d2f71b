"""The list of mistakes: every mistake has its sign, in the catalogue's order."""

import re

from lmcourse.files.places import ROOT
from lmcourse.hints.mistakes import NAMES

LINE = re.compile(r"^(M\d+):(?: (.+?))? \| (.+)$", re.MULTILINE)


def test_every_mistake_of_the_catalogue_has_a_line():
    lines = LINE.findall((ROOT / "book/mistakes.md").read_text(encoding="utf-8"))
    assert [name for name, *_ in lines] == [name for name in NAMES if name.startswith("M")]


def test_a_story_is_one_sentence_and_a_sign_is_short():
    for name, story, sign in LINE.findall((ROOT / "book/mistakes.md").read_text(encoding="utf-8")):
        assert not story or story.endswith("."), name
        assert len(story) < 125 and len(sign) < 90, name
