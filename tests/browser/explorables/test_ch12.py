"""The interactive figures of chapter 12: their numbers are the library's; every verdict can be reached."""

import itertools
import math
import re

import numpy as np
import pytest
from scipy.stats import t

from lmmetrics.information import cross_entropy, kl_divergence
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/12_models_that_change.html"


def test_two_symbols_have_the_library_s_loss_and_divergence(page):
    grid = [0.02, 0.2, 0.41, 0.5, 0.8, 0.98]
    cases = list(itertools.product(grid, repeat=3))
    found = page.evaluate("all => all.map(c => Explorables.twosymbols.change(...c))", cases)
    for case, made in zip(cases, found, strict=True):
        p, q, r = (np.array([x, 1 - x]) for x in case)
        assert made["loss"] == pytest.approx(cross_entropy(p, r) - cross_entropy(p, q), abs=1e-12)
        assert made["kl"] == pytest.approx(kl_divergence(q, r), abs=1e-12)
        assert (made["before"] == made["after"]) == ((case[1] > 0.5) == (case[2] > 0.5)) or 0.5 in case[1:]


def test_the_interval_is_that_of_a_ratio(page):
    pages = [version["pages"] for version in page.evaluate(DATA, "acceptance")["versions"]]
    cases = [(one, count) for one in pages for count in (2, 3, 10, len(one))]
    found = page.evaluate("all => all.map(c => Explorables.acceptance.measure(...c))", cases)
    for (one, count), made in zip(cases, found, strict=True):
        tokens, bits, kl, same = np.array(one[:count]).T
        difference = bits.sum() / tokens.sum()
        off = bits - difference * tokens
        error = math.sqrt(off @ off * count / (count - 1)) / tokens.sum()
        assert made["difference"] == pytest.approx(difference, abs=1e-12)
        assert made["high"] - made["low"] == pytest.approx(2 * 1.96 * error, abs=1e-12)
        assert made["kl"] == pytest.approx(kl.sum() / tokens.sum(), abs=1e-12)
        assert made["same"] == pytest.approx(same.sum() / tokens.sum(), abs=1e-12)


def test_every_verdict_can_be_reached(page):
    """What the text asks for: the margin decides about 4 bits, and fewer pages give a longer interval."""
    versions = {v["name"]: v["pages"] for v in page.evaluate(DATA, "acceptance")["versions"]}
    four = versions["4 bits"]
    ask = "([pages, n]) => Explorables.acceptance.measure(pages, n)"
    judge = "([low, high, margin]) => Explorables.acceptance.verdict(low, high, margin)"
    whole, part = (page.evaluate(ask, [four, n]) for n in (len(four), 10))
    assert part["high"] - part["low"] > 1.5 * (whole["high"] - whole["low"])
    margins = {
        "accept": whole["high"] + 1e-6,
        "undecided": whole["difference"],
        "reject": whole["low"] - 1e-6,
    }
    for verdict, bits in margins.items():
        assert page.evaluate(judge, [whole["low"], whole["high"], 2**bits - 1]) == verdict


def test_the_margin_of_the_task_needs_the_pages(page):
    """At the first margin, all pages reject 4 bits, and few leave the verdict open."""
    box = page.locator("[data-explorable=acceptance]")
    assert "Reject" in box.locator(".result").inner_text()
    box.locator("input").nth(1).fill("10")
    assert "Undecided" in box.locator(".result").inner_text()


def test_the_interval_is_that_of_the_table(page):
    """Both are Student's; the table draws the pages again, and the figure has a formula."""
    data = page.evaluate(DATA, "acceptance")
    assert data["t"] == pytest.approx([t.ppf(0.975, n - 1) for n in range(2, len(data["t"]) + 2)], abs=1e-4)
    table = page.locator("table.results", has_text="margins 1% and 5%").inner_text()
    box = page.locator("[data-explorable=acceptance]")
    for k, version in enumerate(data["versions"]):
        box.locator("input").nth(0).fill(str(k))
        shown = box.locator(".result").inner_text().replace("−", "-")
        row = next(line for line in table.replace("−", "-").split("\n") if line.startswith(version["name"]))
        in_table = [float(x) for x in re.findall(r"[+-]?\d+\.\d\d", row)[:2]]
        in_figure = [float(x) for x in re.search(r"interval (\S+)% to (\S+)%", shown).groups()]
        assert in_figure == pytest.approx(in_table, abs=0.02 + 0.005 * in_table[1])


def test_few_pages_have_no_verdict(page):
    """Below ten pages nothing is judged; an acceptance names what it did not judge."""
    versions = {v["name"]: v["pages"] for v in page.evaluate(DATA, "acceptance")["versions"]}
    ask = """([pages, n]) => {
        const { measure, conclusion } = Explorables.acceptance;
        return conclusion(measure(pages, n), n, 0.01);
    }"""
    for pages in versions.values():
        assert page.evaluate(ask, [pages, 9]).startswith("Too few pages")
        assert not page.evaluate(ask, [pages, 10]).startswith("Too few")
    eight = versions["8 bits"]
    assert "first guesses" in page.evaluate(ask, [eight, len(eight)])


def test_keys_move_the_new_model(page):
    box = page.locator("[data-explorable=twosymbols]")
    assert "0.832" in box.locator(".result").inner_text()
    box.locator("input").nth(2).focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    assert box.locator("output").nth(2).inner_text() == "0.50"
    assert "−" in box.locator(".result").inner_text()  # the loss falls
    box.locator("input").nth(0).focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    words = box.locator(".result").inner_text()
    loss, kl = f"{0.8 * math.log(1.6) + 0.2 * math.log(0.4):.3f}", words.split("divergence")[1]
    assert f"+{loss}" in words and loss in kl  # the truth is the old model: one curve
