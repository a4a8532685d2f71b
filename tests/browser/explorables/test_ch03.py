"""The interactive figures of chapter 03: their numbers are the library's; what the text asks for is there."""

import itertools

import numpy as np
import pytest

from lmmetrics.information import cross_entropy, entropy, kl_divergence
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/03_kl_decomposition.html"


def test_loss_floor_and_excess_are_the_library_s(page):
    cases = list(itertools.product([0.01, 0.02, 0.3, 0.5, 0.87, 0.99], repeat=2))
    found = page.evaluate("all => all.map(c => Explorables.floorexcess.split(...c))", cases)
    for case, made in zip(cases, found, strict=True):
        p, q = (np.array([x, 1 - x]) for x in case)
        assert made["loss"] == pytest.approx(cross_entropy(p, q), abs=1e-12)
        assert made["floor"] == pytest.approx(entropy(p), abs=1e-12)
        assert made["excess"] == pytest.approx(kl_divergence(p, q), abs=1e-12)
        assert made["floor"] + made["excess"] == pytest.approx(made["loss"], abs=1e-12)
        assert made["rain"] + made["dry"] == pytest.approx(made["excess"], abs=1e-12)


def bell(mean, width):
    """A bell curve on the cells of the page, as probabilities."""
    cells = np.linspace(-8, 8, 321)
    weights = np.exp(-((cells - mean) ** 2) / (2 * width**2))
    return weights / weights.sum()


def test_both_directions_are_the_library_s(page):
    data = page.evaluate(DATA, "onebell")
    humps = sum(share * bell(mean, width) for share, mean, width in data["parts"])
    ask = "([cells, parts, mean, width]) => Explorables.onebell.both(cells, parts, mean, width)"
    for mean, width in itertools.product([-4, -2, -0.2, 1, 4], [0.5, 0.7, 2.35, 4]):
        made = page.evaluate(ask, [data["cells"], data["parts"], mean, width])
        q = bell(mean, width)
        assert made["forward"] == pytest.approx(kl_divergence(humps, q), rel=1e-9)
        assert made["reverse"] == pytest.approx(kl_divergence(q, humps), rel=1e-9)


def test_the_lowest_divergences_can_be_reached(page):
    """What the text asks for, on the sliders' own steps; one bell does not have both."""
    data = page.evaluate(DATA, "onebell")
    search = """([cells, parts]) => { const all = [];
      for (let m = -40; m <= 40; m += 1) for (let w = 10; w <= 80; w += 1)
        all.push([m / 10, w / 20, Explorables.onebell.both(cells, parts, m / 10, w / 20)]);
      const best = way => all.reduce((a, b) => (b[2][way] < a[2][way] ? b : a));
      return [best("forward"), best("reverse")]; }"""
    forward, reverse = page.evaluate(search, [data["cells"], data["parts"]])
    assert forward[2]["forward"] < 0.45 and reverse[2]["reverse"] < 0.51
    assert forward[:2] == [-0.2, 2.35] and reverse[:2] == [-2.0, 0.7]
    assert forward[2]["reverse"] > 0.51 and reverse[2]["forward"] > 0.45


def test_keys_move_the_desk_to_the_floor(page):
    box = page.locator("[data-explorable=floorexcess]")
    assert "0.0513" in box.locator(".result").inner_text()
    box.locator("input").nth(1).focus()
    for _ in range(8):
        page.keyboard.press("ArrowLeft")
    assert box.locator("output").nth(1).inner_text() == "0.02"
    assert "excess 0.0000" in box.locator(".result").inner_text()
    for nth in (0, 1):
        box.locator("input").nth(nth).focus()
        for _ in range(28):
            page.keyboard.press("ArrowRight")
    words = box.locator(".result").inner_text()
    assert "Loss 0.6109 = floor 0.6109 + excess 0.0000" in words


def test_keys_move_the_bell(page):
    box = page.locator("[data-explorable=onebell]")
    box.evaluate("box => { box.closest('details').open = true; }")  # it is in a fold
    before = box.locator(".result").inner_text()
    box.locator("input").nth(0).focus()
    for _ in range(12):
        page.keyboard.press("ArrowLeft")
    assert box.locator("output").nth(0).inner_text() == "−0.2"
    assert box.locator(".result").inner_text() != before
