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
    if p < 1:
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


def test_a_temperature_alone_makes_no_symbol_impossible(page):
    q = page.evaluate(DATA, "decoder")["q"]
    count = "([q, o]) => Explorables.decoder.kept(q, o).size"
    for temperature in (0.1, 0.5, 0.7, 1, 2):
        settings = {"temperature": temperature, "k": len(q), "p": 1}
        assert page.evaluate(count, [q, settings]) == len(q), temperature
    assert page.evaluate(count, [q, {"temperature": 0.1, "k": 3, "p": 1}]) == 3
    assert page.evaluate(count, [q, {"temperature": 1, "k": len(q), "p": 0.05}]) == 1


def test_a_rare_symbol_is_told_from_one_that_was_cut(page):
    box = page.locator("[data-explorable=decoder]")
    temperature, k, _ = (box.locator("input").nth(i) for i in range(3))
    temperature.fill("0.1")
    assert f"{k.get_attribute('max')} of {k.get_attribute('max')}" in box.locator(".result").inner_text()
    assert "below 0.01" in box.locator(".result").inner_text()
    assert "< 0.01" in box.locator(".came output").inner_text()
    k.fill("1")
    assert "1 of" in box.locator(".result").inner_text()
    assert "impossible" in box.locator(".result").inner_text()
    assert "cut" in box.locator(".came output").inner_text()


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
    for _ in range(50):
        page.keyboard.press("ArrowRight")
    assert "0%" in box.locator(".result b").nth(1).inner_text()


def test_one_token_in_a_thousand_is_within_reach(page):
    """There, a thousandth of a bit per token leaves every accuracy open."""
    box = page.locator("[data-explorable=frontier]")
    bits, every = box.locator("input").nth(0), box.locator("input").nth(1)
    data = page.evaluate(DATA, "frontier")
    assert data["every"] in page.evaluate("Explorables.frontier.EVERY")
    bits.fill("0.001")
    every.fill(every.get_attribute("max"))
    words = box.locator(".result").inner_text()
    assert "from 0% to 100%" in words and "Perplexity is not shown" in words
