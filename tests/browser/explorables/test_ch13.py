"""The interactive figures of chapter 13: their numbers follow the page's formulas, and the sliders work."""

import itertools

import numpy as np
import pytest

from lmmetrics.information import entropy
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

PAGE = "book/13_limits_of_perplexity.html"
pytestmark = [pytest.mark.browser, needs_book]


def test_the_frontier_is_that_of_the_theorem(page):
    """A wrong choice needs one bit at one token in `every`."""
    cases = [[bits, every] for bits in np.linspace(0, 1, 21).tolist() for every in (1, 2, 8, 64)]
    found = page.evaluate("all => all.map(([b, k]) => Explorables.frontier.range(b, k))", cases)
    for (bits, every), (low, high) in zip(cases, found, strict=True):
        assert high == 1
        assert low == pytest.approx(max(0, 1 - bits / (1 / every)), abs=1e-12)


def test_every_measured_model_is_possible(page):
    data = page.evaluate(DATA, "frontier")
    assert len(data["models"]) == 4
    for model in data["models"]:  # a tie counts half on the page, and the text is a sample
        assert model["accuracy"] >= 1 - model["bits"] * data["every"] - 0.02, model


def decoded(q, temperature, k, p):
    """As the page's code does it: temperature, then the k most probable, then the fewest that hold p."""
    r = (q / q.max()) ** (1 / temperature)
    order = np.argsort(-r, kind="stable")[:k]
    held = np.cumsum(r[order] / r[order].sum())
    order = order[: np.searchsorted(held, p - 1e-12) + 1]
    kept = np.zeros_like(r)
    kept[order] = r[order]
    return kept / kept.sum()


def test_a_decoder_agrees_with_numpy(page):
    q = np.array(page.evaluate(DATA, "decoder")["q"])
    rng = np.random.default_rng(0)
    rows = [q, *rng.dirichlet(np.full(12, 0.5), size=5)]
    settings = [
        {"temperature": temperature, "k": k, "p": p}
        for temperature, k, p in itertools.product((0.1, 0.7, 1, 2), (1, 3, 12), (0.05, 0.5, 0.9, 1))
    ]
    for row in rows:
        found = page.evaluate(
            "([q, all]) => all.map(o => Explorables.decoder.decode(q, o))", [row.tolist(), settings]
        )
        for options, made in zip(settings, found, strict=True):
            assert made == pytest.approx(decoded(row, **options).tolist(), abs=1e-9), options
    bits = page.evaluate("q => Explorables.decoder.entropy(q)", rows[1].tolist())
    assert bits == pytest.approx(entropy(rows[1]) / np.log(2))


def test_the_model_s_surprisal_does_not_move(page):
    box = page.locator("[data-explorable=decoder]")
    said = box.locator(".result b").last
    before, words = said.inner_text(), box.locator(".result").inner_text()
    box.locator("input").first.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    assert box.locator(".result").inner_text() != words
    assert said.inner_text() == before


def test_keys_move_the_budget(page):
    box = page.locator("[data-explorable=frontier]")
    box.locator("input").first.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert "0%" in box.locator(".result b").nth(1).inner_text()
