"""The interactive figures of chapter 09: their numbers are those of pooled scores, and the sliders work."""

import itertools
import math

import numpy as np
import pytest

from lmmetrics import Score
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

PAGE = "book/09_evaluation_protocols.html"
pytestmark = [pytest.mark.browser, needs_book]


def test_a_leak_is_worth_what_pooling_says(page):
    """Of 100 tokens, some gain nats: the pooled score has the perplexity of the figure."""
    cases = [[ppl, e / 100, gain] for ppl in (20, 60.4) for e in (0, 1, 5, 30) for gain in (0, 1.7, 2.9)]
    found = page.evaluate("all => all.map(c => Explorables.leak.after(...c))", cases)
    for (ppl, share, gain), value in zip(cases, found, strict=True):
        leaked = round(100 * share)
        loss = math.log(ppl)
        pooled = Score(nats=(100 - leaked) * loss, tokens=100 - leaked)
        if leaked:
            pooled += Score(nats=leaked * (loss - gain), tokens=leaked)
        assert value == pytest.approx(pooled.perplexity, rel=1e-12)


def test_the_share_that_hides_a_difference(page):
    for gain in np.linspace(0.2, 4, 20).tolist():
        share = page.evaluate("g => Explorables.leak.shareFor(66, 60, g)", gain)
        found = page.evaluate("([s, g]) => Explorables.leak.after(66, s, g)", [share, gain])
        assert found == pytest.approx(60)
    assert page.evaluate("() => Explorables.leak.shareFor(50, 60, 1)") == 0


def test_a_mix_is_the_pooled_score(page):
    cases = [[[one, two], k / 20] for one in (4.7, 5.2) for two in (3.5, 3.6) for k in range(21)]
    found = page.evaluate("all => all.map(([l, s]) => Explorables.mixes.whole(l, s))", cases)
    for ((one, two), share), value in zip(cases, found, strict=True):
        first = round(100 * share)
        scores = [Score(nats=n * loss, tokens=n) for n, loss in ((first, one), (100 - first, two)) if n]
        assert value == pytest.approx(sum(scores[1:], start=scores[0]).perplexity, rel=1e-12)


def test_the_two_parts_are_the_difference(page):
    one, other = [4.68, 3.51], [5.17, 3.57]
    for a, b in itertools.product(np.linspace(0, 1, 11).tolist(), repeat=2):
        found = page.evaluate("c => Explorables.mixes.parts(...c)", [one, other, a, b])
        both = [[one, a], [other, b]]
        wholes = page.evaluate("all => all.map(c => Explorables.mixes.whole(...c))", both)
        assert found["between"] + found["texts"] == pytest.approx(math.log(wholes[0] / wholes[1]), abs=1e-12)
        if a == b:
            assert found["texts"] == 0


def test_keys_turn_the_order(page):
    """B begins ahead; with A's share of the tales it falls behind."""
    box = page.locator("[data-explorable=mixes]")
    assert box.locator(".result b").nth(2).inner_text() == "B"
    shares = [model["share"] for model in page.evaluate(DATA, "mixes")["models"]]
    box.locator("input").nth(1).focus()
    for _ in range(round(100 * (shares[0] - shares[1]))):
        page.keyboard.press("ArrowRight")
    assert box.locator(".result b").nth(2).inner_text() == "A"


def test_keys_move_the_share(page):
    box = page.locator("[data-explorable=leak]")
    before = box.locator(".result b").first.inner_text()
    box.locator("input").first.focus()
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert float(box.locator(".result b").first.inner_text()) < float(before)
