"""The interactive figures of chapter 10: their numbers are the library's."""

import itertools
import math

import numpy as np
import pytest
from scipy.special import gammaln, psi

from lmmetrics.topics import TopicModel
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/10_topic_models.html"


def test_two_topics_have_the_library_s_numbers(page):
    topics = page.evaluate(DATA, "twotopics")["topics"]
    model = TopicModel(topics, alpha=1)
    documents = [*itertools.product((0, 1, 6), repeat=4), (90, 90, 90, 90), (90, 0, 0, 0)][1:]
    for document in documents:
        counts = np.array([document])
        made = page.evaluate("a => Explorables.twotopics.numbers(...a)", [list(document), topics, 0.3])
        best, mean = model.best_weights(counts), model.posterior_weights(counts)
        assert made["chosen"] == pytest.approx(model.plug_in(counts, [[0.3, 0.7]]).nats, abs=1e-9)
        assert made["best"] == pytest.approx(model.plug_in(counts, best).nats, abs=1e-6 * counts.sum())
        assert made["meanWeight"] == pytest.approx(mean[0, 0], abs=1e-9)
        assert made["mean"] == pytest.approx(model.plug_in(counts, mean).nats, abs=1e-8)
        assert made["exact"] == pytest.approx(model.exact(counts)[0], abs=1e-9)
        assert made["bound"] == pytest.approx(model.bound(counts)[0], abs=1e-5)
        assert made["best"] <= made["mean"] + 1e-12 <= made["exact"] + 1e-9 <= made["bound"] + 2e-9


def test_the_gamma_functions_are_scipy_s(page):
    grid = [0.1, 0.5, 1, 2.5, 14.9, 15, 40, 81]
    made = page.evaluate(
        "g => g.map(x => [Explorables.twotopics.logGamma(x), Explorables.twotopics.digamma(x)])", grid
    )
    for x, (gamma, slope) in zip(grid, made, strict=True):
        assert gamma == pytest.approx(gammaln(x), abs=1e-11)
        assert slope == pytest.approx(psi(x), abs=1e-11)


def test_longer_documents_bring_the_numbers_together(page):
    """What the text asks readers to try."""
    topics = page.evaluate(DATA, "twotopics")["topics"]
    spans = []
    for n in (1, 3, 10):
        made = page.evaluate("a => Explorables.twotopics.numbers(...a)", [[2 * n, n, n, 0], topics, 0.5])
        spans.append((math.exp(made["bound"] / (4 * n)) / math.exp(made["best"] / (4 * n))) - 1)
    assert spans == sorted(spans, reverse=True) and spans[-1] < spans[0] / 3


def test_the_number_of_topics_is_that_of_the_lowest_point(page):
    data = page.evaluate(DATA, "completion")
    table = np.array(data["completion"])
    assert table.shape == (len(data["read"]), len(data["topics"]))
    chosen = []
    for row in range(len(table)):
        made = page.evaluate("a => Explorables.completion.verdict(...a)", [data, row])
        assert made["topics"] == data["topics"][table[row].argmin()]
        assert made["gain"] == pytest.approx(100 * (1 - table[row].min() / table[row, 0]))
        level = table[row] < 1.01 * table[row].min()
        assert made["level"] == [K for K, within in zip(data["topics"], level, strict=True) if within]
        chosen.append(made["topics"])
    assert len(set(chosen)) > 1  # the answer depends on what was read
    assert np.ptp(table[:, 0]) < 0.02  # one topic has nothing to infer


def test_keys_move_both(page):
    two = page.locator("[data-explorable=twotopics]")
    before = two.locator(".result").inner_text()
    two.locator("input").nth(0).focus()
    page.keyboard.press("ArrowLeft")
    assert two.locator("output").nth(0).inner_text() == "0.74"
    assert two.locator(".result").inner_text() != before
    words = two.locator(".result").inner_text()
    two.locator("input").nth(5).focus()
    page.keyboard.press("End")
    assert "Perplexity of 40 words" in two.locator(".result").inner_text() != words
    for k in range(1, 5):
        two.locator("input").nth(k).focus()
        page.keyboard.press("Home")
    assert "empty" in two.locator(".result").inner_text()
    one = page.locator("[data-explorable=completion]")
    one.locator("input").focus()
    page.keyboard.press("Home")
    assert "Before any word is read" in one.locator(".result").inner_text()
    page.keyboard.press("ArrowRight")
    assert "After at most 1 word," in one.locator(".result").inner_text()
