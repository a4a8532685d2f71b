"""What interprets a result has a claim behind it: each rule finds a fault that is planted in a copy."""

import re
import shutil

import pytest

from lmcourse.files.places import ROOT
from lmcourse.rules import claims
from lmcourse.rules.tree import Tree

PAGE = "book/04_perplexity.md"
RULES = (
    claims.figures_say_what_is_claimed,
    claims.numbers_in_alt_texts_are_computed,
    claims.sentences_about_figures_are_claimed,
    claims.glued_values_are_used,
    claims.mistakes_named_are_tagged,
)


@pytest.fixture
def planted(tmp_path):
    """Write the page with one fault; return what the rules find."""

    def find(old, new):
        text = (ROOT / PAGE).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / "book").mkdir()
        shutil.copy(ROOT / "_toc.yml", tmp_path)
        (tmp_path / PAGE).write_text(text.replace(old, new, 1), encoding="utf-8")
        return [finding for rule in RULES for finding in rule(Tree(tmp_path))]

    return find


def test_the_page_itself_is_sound(planted):
    assert planted("# Perplexity", "# Perplexity") == []


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("{04-size-first} to {04-size-last}", "12 to {04-size-last}", "alt text or caption says 12"),
        ("  # claim: 04-stops", "", "the title .* says 'fall'"),
        ("2 and 3 fall towards", "2 and 3 rise towards", "the title .* says 'rise'"),
        ("{04-order3-starts}", "starts lowest", "says 'lowest'"),
        ("for lengths of 4 and 2", "for lengths of 4 and 9", "alt text or caption says 9"),
        ("{glue:text}`04-cat-ppl` per word", "1.6430 per word", "nothing uses the value '04-cat-ppl'"),
        ("Lower is better**", "Lower is better** (M14)", "names M14"),
        ("They meet at the perplexity.", "They meet below the perplexity.", "says 'below'"),
        ("shows two documents", "shows all documents", "says 'all'"),
    ],
)
def test_a_planted_fault_is_found(planted, old, new, words):
    findings = planted(old, new)
    assert 1 <= len(findings) <= 2  # a number that is typed also leaves its glued value unused
    assert re.search(words, findings[0])
