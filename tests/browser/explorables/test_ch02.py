"""The interactive figures of chapter 02: the library's numbers; what the text asks for can be seen."""

import math

import numpy as np
import pytest
import torch

from lmmetrics.information import cross_entropy
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/02_cross_entropy.html"


def test_the_mean_is_a_cross_entropy(page):
    """Of the shares of the ten words: the favourite's hits, and the two others with the misses."""
    cases = [(c, hits) for c in (0.02, 0.34, 0.7, 0.98) for hits in (1, 4, 7, 9)]
    found = page.evaluate("all => all.map(([c, k]) => Explorables.favourite.mean(c, k, 10, 2))", cases)
    for (c, hits), value in zip(cases, found, strict=True):
        shares = [hits / 10, (10 - hits) / 20, (10 - hits) / 20]
        assert value == pytest.approx(cross_entropy(shares, [c, (1 - c) / 2, (1 - c) / 2]), abs=1e-12)


def test_the_minimum_is_at_the_share_of_hits(page):
    grid = [round(0.02 + 0.01 * k, 2) for k in range(97)]
    for hits in range(1, 10):
        means = page.evaluate(
            "([all, k]) => all.map(c => Explorables.favourite.mean(c, k, 10, 2))", [grid, hits]
        )
        assert grid[int(np.argmin(means))] == hits / 10
        made = page.evaluate("([r, k]) => Explorables.favourite.spread(r, k)", [[1, 1, 0, 1, 0], hits % 5])
        assert sum(made) == hits % 5


def test_keys_move_the_favourite_to_the_minimum(page):
    box = page.locator("[data-explorable=favourite]")
    assert f"{-(0.7 * math.log(0.98) + 0.3 * math.log(0.01)):.3f}" in box.locator(".result").inner_text()
    box.locator("input").nth(0).focus()
    for _ in range(28):
        page.keyboard.press("ArrowLeft")
    assert box.locator("output").nth(0).inner_text() == "0.70"
    words = box.locator(".result").inner_text()
    assert f"{cross_entropy([0.7, 0.15, 0.15], [0.7, 0.15, 0.15]):.3f}" in words and "lowest" in words
    box.locator("input").nth(1).focus()
    page.keyboard.press("ArrowRight")
    assert "above the lowest" in box.locator(".result").inner_text()


def test_the_intervals_are_those_of_a_mean_and_of_a_ratio(page):
    data = page.evaluate(DATA, "draws")
    tales, draws = np.array(data["tales"]), np.array(data["draws"])
    truth = tales[:, 1].sum() / tales[:, 0].sum()
    assert page.evaluate("t => Explorables.draws.expected(t)", data["tales"]) == pytest.approx(
        truth, abs=1e-12
    )
    ask = "([t, all, unit]) => all.map(d => Explorables.draws.interval(t, d, unit))"
    for size in (3, 10, 20):
        count, bits, squares = tales[draws[:, :size]].sum(axis=1).T
        loss = bits / count
        off = tales[draws[:, :size], 1] - loss[:, None] * tales[draws[:, :size], 0]
        error = {
            "token": np.sqrt((squares / count - loss**2) / count),
            "tale": np.sqrt((off**2).sum(axis=1) * size / (size - 1)) / count,
        }
        for unit, expected in error.items():
            found = page.evaluate(ask, [data["tales"], draws[:, :size].tolist(), unit])
            assert [one["loss"] for one in found] == pytest.approx(loss, abs=1e-12)
            widths = [one["high"] - one["low"] for one in found]
            assert widths == pytest.approx(2 * 1.96 * expected, abs=1e-12)


def test_tales_as_draws_miss_less_often(page):
    """What the text asks for: another unit, longer intervals, fewer misses."""
    box = page.locator("[data-explorable=draws]")
    said = lambda: [float(b) for b in box.locator(".result b").all_inner_texts()[1:]]  # noqa: E731
    missed, width = said()
    box.locator("select").select_option("tale")
    fewer, wider = said()
    assert fewer < missed / 2 and wider > 2 * width
    box.locator("input").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert box.locator("output").inner_text() == "20" and said()[1] < wider


def test_the_logits_have_the_loss_and_gradient_of_pytorch(page):
    cases = [[0, 0, 0], [1.5, -0.5, 0.3], [4, -4, 4], [800, 0, -800]]
    target = [0.6, 0.3, 0.1]
    ask = "([all, p]) => all.map(z => [Explorables.logits.loss(z, p), ...Explorables.logits.gradient(z, p)])"
    for z, (loss, *slope) in zip(cases, page.evaluate(ask, [cases, target]), strict=True):
        logits = torch.tensor(z, dtype=torch.float64, requires_grad=True)
        right = torch.nn.functional.cross_entropy(logits, torch.tensor(target, dtype=torch.float64))
        right.backward()
        assert loss == pytest.approx(right.item(), abs=1e-9)
        assert slope == pytest.approx(logits.grad.tolist(), abs=1e-12)


def test_steps_lead_to_the_entropy(page):
    box = page.locator("[data-explorable=logits]")
    above = lambda: float(box.locator(".result b").all_inner_texts()[1])  # noqa: E731
    before = above()
    for _ in range(5):
        box.get_by_role("button", name="one step downhill").click()
        assert above() < before
        before = above()
    for _ in range(100):
        box.get_by_role("button", name="one step downhill").press("Enter")
    assert above() == 0.0 and "Steps: 105" in box.locator(".result").inner_text()
    box.get_by_role("button", name="start again").click()
    assert above() > before and box.locator("output").first.inner_text() == "+1.5"
