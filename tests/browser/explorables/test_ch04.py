"""The interactive figures of chapter 04: their numbers are the library's, and keys work."""

import itertools
import json
import math

import numpy as np
import pytest

from lmmetrics.information import entropy
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/04_perplexity.html"
COUNT = """([data, options]) =>
  options.map(o => Explorables.counting.count(data.sentences, o, data.symbols).ppl)"""
DEPENDS = COUNT.replace("count(", "dependsOnBatch(").replace(".ppl", "")
PLAIN = {"scoreEnd": True, "countEnd": True, "padding": "none", "batch": 16, "cut": 0, "average": "pooled"}


def test_a_forecast_has_the_library_s_entropy(page):
    rng = np.random.default_rng(0)
    weights = [rng.integers(0, 101, size=n).tolist() for n in (2, 3, 3, 5, 10) * 20]
    weights = [w if sum(w) else [1, *w[1:]] for w in weights]
    found = page.evaluate("all => all.map(w => Explorables.forecast.forecast(w))", weights)
    for given, made in zip(weights, found, strict=True):
        q = np.array(given) / sum(given)
        assert made["entropy"] == pytest.approx(entropy(q), abs=1e-12)
        assert made["choices"] == pytest.approx(math.exp(entropy(q)), rel=1e-12)
    met = page.evaluate("() => Explorables.forecast.met([0.25, 0.75], 0)")
    assert met == pytest.approx({"nats": math.log(4), "choices": 4})


def test_every_way_of_counting_agrees_with_numpy(page):
    data = page.evaluate(DATA, "counting")
    ways = itertools.product(
        (True, False),
        (True, False),
        ("none", "free", "known", "even"),
        (1, 7, 16, 64),
        (0, 10, 25),
        ("pooled", "losses", "perplexities", "sentences"),
    )
    options = [dict(zip(PLAIN, way, strict=True)) for way in ways]
    found = page.evaluate(COUNT, [data, options])
    sentences = [np.array(one) for one in data["sentences"]]
    for option, ppl in zip(options, found, strict=True):
        assert ppl == pytest.approx(counted(sentences, data["symbols"], **option), rel=1e-9), option


def counted(sentences, symbols, scoreEnd, countEnd, padding, batch, cut, average):
    """The perplexity from a padded table: float64[sentences, positions], NaN where nothing is counted."""
    lengths = np.array([len(one) for one in sentences])
    table = np.full((len(sentences), lengths.max()), np.nan)
    for row, one in zip(table, sentences, strict=True):
        row[: len(one)] = one
        row[cut or len(one) : len(one)] = 0.0
        if not scoreEnd:
            row[len(one) - 1] = 0.0
    less = 0 if countEnd else 1
    price = {"free": 0.0, "known": -math.log(0.999), "even": math.log(symbols)}.get(padding)
    group = np.arange(len(sentences)) // (1 if average == "sentences" else batch)
    nats, counts = np.nansum(table, axis=1), lengths - less
    if price is not None:
        missing = np.array([lengths[group == g].max() for g in group]) - lengths
        nats, counts = nats + missing * price, counts + missing
    nats, counts = np.bincount(group, nats), np.bincount(group, counts)
    if average == "pooled":
        return math.exp(nats.sum() / counts.sum())
    losses = nats / counts
    return math.exp(losses.mean()) if average == "losses" else np.exp(losses).mean()


def test_the_page_s_own_table_is_found_again(page):
    data = page.evaluate(DATA, "counting")
    rows = {
        "every token, </s> included": {},
        "</s> neither scored nor counted": {"scoreEnd": False, "countEnd": False},
        "</s> scored, not counted": {"countEnd": False},
        "padding counted, not scored": {"padding": "free"},
        "padding scored at 1/V": {"padding": "even"},
        "mean loss of batches of 16": {"average": "losses"},
        "mean perplexity of sentences": {"average": "sentences"},
    }
    found = page.evaluate(COUNT, [data, [PLAIN | change for change in rows.values()]])
    for name, ppl in zip(rows, found, strict=True):
        cells = page.locator("tr", has=page.locator("th", has_text=name)).first.locator("td")
        assert f"{ppl:.2f}" == cells.first.text_content(), name  # in a closed fold


def test_a_wrong_setting_has_a_name(page):
    words = page.locator("[data-explorable=counting] .result")
    assert "Legitimate: every token" in words.inner_text() and "does not change with" in words.inner_text()
    box = page.locator("[data-explorable=counting]")
    box.locator("input[type=checkbox]").nth(1).uncheck()
    assert "Wrong per token: </s> is scored, but not counted. The value does not" in words.inner_text()
    box.locator("input[type=checkbox]").nth(0).uncheck()
    assert "Legitimate: </s> is neither" in words.inner_text()
    box.locator("select").first.select_option("free")
    assert "Wrong per token: padding is counted. The value changes with" in words.inner_text()


def test_the_settings_that_depend_on_the_batch(page):
    data = page.evaluate(DATA, "counting")
    changes = [{"padding": kind} for kind in ("free", "known", "even")]
    changes += [{"average": kind} for kind in ("losses", "perplexities", "sentences", "pooled")]
    changes += [{"cut": 10}, {"countEnd": False}, {"average": "sentences", "padding": "free"}]
    found = page.evaluate(DEPENDS, [data, [PLAIN | change for change in changes]])
    assert found == [True] * 5 + [False] * 5


def test_keys_move_a_forecast(page):
    box = page.locator("[data-explorable=forecast]")
    before = box.locator(".result").inner_text()
    box.locator("input").nth(2).focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    assert box.locator(".result").inner_text() != before
    assert box.locator("output").nth(2).inner_text() == f"{20 / 110:.2f}"
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    assert "eats" in box.locator(".result").inner_text()


def test_the_data_of_a_page_are_json(page):
    assert json.dumps(page.evaluate(DATA, "forecast")).startswith('{"symbols"')
