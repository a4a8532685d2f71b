"""The interactive figures of chapter 08: their numbers are right, and the text is legible in the dark."""

import math
import re

import numpy as np
import pytest

from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/08_ngram_versus_neural.html"
COLOURS = """() => [...document.querySelectorAll('.rival-text span')].map(span => {
    const style = getComputedStyle(span);
    return [style.color, style.backgroundColor, getComputedStyle(document.body).backgroundColor];
})"""


def rgba(colour):
    """Red, green, blue from 0 to 1, and the opacity."""
    values = [float(x) for x in re.findall(r"-?\d*\.?\d+(?:e-?\d+)?", colour.replace("srgb", ""))]
    scale = 1 if "color(" in colour else 255
    opacity = values[3] if len(values) > 3 else 1.0
    return np.array(values[:3]) / scale, opacity


def luminance(rgb):
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_the_parts_of_the_classes_add_up(page):
    data = page.evaluate(DATA, "rivals")
    tokens = data["tokens"]
    gaps = np.array([network - table for _, table, network, *_ in tokens])
    for k, sort in enumerate(data["sorts"]):
        found = page.evaluate("a => Explorables.rivals.parts(...a)", [tokens, k, sort["classes"]])
        classes = np.array([token[3 + k] for token in tokens])
        assert sum(one["count"] for one in found) == len(tokens)
        assert sum(one["part"] for one in found) == pytest.approx(gaps.mean(), abs=1e-12)
        for number, one in enumerate(found):
            if one["count"]:
                assert one["mean"] == pytest.approx(gaps[classes == number].mean(), abs=1e-12)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_token_can_be_read(page, theme):
    page.evaluate("theme => { document.documentElement.dataset.theme = theme }", theme)
    for words, behind, paper in page.evaluate(COLOURS):
        (ink, _), (back, opacity), (sheet, _) = map(rgba, (words, behind, paper))
        mixed = opacity * back + (1 - opacity) * sheet
        high, low = sorted((luminance(ink), luminance(mixed)), reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5, (theme, words, behind)


def test_a_crossing_is_on_logarithmic_axes(page):
    for text in page.evaluate(DATA, "curves")["texts"]:
        for table in text["tables"].values():
            for draw in range(len(table[0])):
                amounts, one, two = (
                    np.array(rows)[:, draw] for rows in (text["amounts"], table, text["network"])
                )
                found = page.evaluate(
                    "a => Explorables.curves.crossing(...a)", [x.tolist() for x in (amounts, one, two)]
                )
                ahead = np.log(two / one)
                places = np.flatnonzero(ahead[:-1] * ahead[1:] < 0)
                assert (found is None) == (len(places) == 0)
                if found:
                    at = np.interp(math.log(found), np.log(amounts), ahead)
                    assert at == pytest.approx(0, abs=1e-9)


def test_what_the_text_asks_for_can_be_seen(page):
    box = page.locator("[data-explorable=curves]")
    assert "cross between" in box.locator(".result").inner_text()
    box.locator("select").select_option("1")  # against a table of single words
    assert "cross" in box.locator(".result").inner_text()
    box = page.locator("[data-explorable=rivals]")
    box.locator("button").last.click()
    assert box.locator("button").last.get_attribute("aria-pressed") == "true"
    away = box.locator(".rival-text .away").count()
    assert 0 < away < box.locator(".rival-text span").count()


def test_keys_move_along_the_page(page):
    box = page.locator("[data-explorable=rivals]")
    before = box.locator(".result").inner_text()
    box.locator("input[type=range]").focus()
    page.keyboard.press("ArrowRight")
    assert box.locator(".rival-text span").nth(1).get_attribute("class") == "looked-at"
    assert box.locator(".result").inner_text() != before
