"""The interactive figures of chapter 11: intervals and codes are the library's, and keys work."""

import itertools
import math
from fractions import Fraction

import pytest

from lmmetrics.coding import code_length_bound, expected_length, huffman, interval, shortest_code
from lmmetrics.information import entropy
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/11_compression.html"


def test_intervals_and_codes_are_the_library_s(page):
    data = page.evaluate(DATA, "intervals")
    rows, end = data["rows"], len(data["symbols"]) - 1
    texts = [[], [0], [0, 1]]
    texts += [[*words, end] for n in (1, 2, 3, 5) for words in itertools.product(range(end), repeat=n)]
    found = page.evaluate(
        "([rows, texts]) => texts.map(ids => Explorables.intervals.measure(rows, ids))", [rows, texts]
    )
    for ids, made in zip(texts, found, strict=True):
        low, width = interval(lambda past: row_of(rows[past[-1] if past else -1]), ids)
        assert made["low"] == [str(low.numerator), str(low.denominator)]
        assert made["width"] == [str(width.numerator), str(width.denominator)]
        bits = made["bits"]
        assert bits == shortest_code(low, width)
        first = (Fraction(int(bits or "0", 2), 2 ** len(bits)) - low) / width
        wide = Fraction(1, 2 ** len(bits)) / width
        assert made["cell"] == pytest.approx([float(first), float(wide)], abs=1e-12)
        assert first >= 0 and first + wide <= 1  # the cell lies inside
        assert made["bound"] == code_length_bound(width)
        assert made["surprisal"] == pytest.approx(-math.log2(width), abs=1e-9)


def row_of(weights):
    return [Fraction(weight, sum(weights)) for weight in weights]


def test_huffman_of_a_coin_is_the_library_s(page):
    cases = [[p, n] for p in (0.01, 0.1, 0.3, 0.5, 0.62, 0.9, 0.99) for n in (1, 2, 3, 5, 8)]
    found = page.evaluate("cases => cases.map(([p, n]) => Explorables.wholebits.rate(p, n))", cases)
    for (p, n), made in zip(cases, found, strict=True):
        row = [1.0]
        for _ in range(n):
            row = [x * y for x in row for y in (p, 1 - p)]
        assert made == pytest.approx(expected_length(row, huffman(row)) / n, abs=1e-9)
        assert entropy([p, 1 - p], base=2) <= made + 1e-12 < entropy([p, 1 - p], base=2) + 1 / n


def test_a_key_adds_a_word_and_the_end_closes_the_text(page):
    box = page.locator("[data-explorable=intervals]")
    before = box.locator(".result").inner_text()
    box.get_by_role("button", name="+ .").focus()
    page.keyboard.press("Enter")
    after = box.locator(".result").inner_text()
    assert before != after and "The text has ended" in after
    assert box.get_by_role("button", name="+ cat").is_disabled()
    box.get_by_role("button", name="take one back").click()
    assert box.locator(".result").inner_text() == before


def test_a_full_text_can_still_end_and_its_ends_differ(page):
    box = page.locator("[data-explorable=intervals]")
    for _ in range(6):  # two words stand there already
        box.get_by_role("button", name="+ eats").click()
    assert "no room for more words" in box.locator(".result").inner_text()
    assert box.get_by_role("button", name="+ cat").is_disabled()
    box.get_by_role("button", name="+ .").click()
    assert "The text has ended" in box.locator(".result").inner_text()
    ticks = box.locator("svg text.tick").all_text_contents()
    ends = list(zip(ticks[::2], ticks[1::2], strict=True))
    assert len(ends) == 10 and all(low != high for low, high in ends)
    box.get_by_role("button", name="take one back").click()
    for _ in range(6):
        box.get_by_role("button", name="take one back").click()
