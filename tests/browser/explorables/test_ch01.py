"""The interactive figures of chapter 01: their numbers are NumPy's; what the text asks for can be seen."""

import itertools
import math

import numpy as np
import pytest

from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/01_chain_rule.html"


def test_a_text_has_the_product_of_its_rows(page):
    """Each text of up to five words; together they have the mass that the matrix gives."""
    rows = page.evaluate(DATA, "transcripts")["rows"]
    table = np.array(rows)
    assert np.allclose(table.sum(axis=1), 1)
    texts = [list(text) for n in range(1, 6) for text in itertools.product(range(3), repeat=n)]
    found = page.evaluate(
        "([rows, texts]) => texts.map(t => Explorables.transcripts.surprisals(rows, t))", [rows, texts]
    )
    for text, made in zip(texts, found, strict=True):
        steps = [*itertools.pairwise([3, *text])]
        assert made["words"] == pytest.approx([-math.log(table[x, y]) for x, y in steps], abs=1e-12)
        assert made["end"] == pytest.approx(-math.log(table[text[-1], 3]), abs=1e-12)
    whole = sum(math.exp(-sum(made["words"]) - made["end"]) for made in found)
    alive, ended = table[3, :3], 0.0
    for _ in range(5):
        ended += alive @ table[:3, 3]
        alive = alive @ table[:3, :3]
    assert whole == pytest.approx(ended, abs=1e-12)


def test_no_text_beats_its_own_beginning_without_the_end(page):
    rows = page.evaluate(DATA, "transcripts")["rows"]
    ask = "([rows, texts, rule]) => Explorables.transcripts.compare(rows, texts, rule)"
    for text in itertools.product(range(3), repeat=3):
        for length in (1, 2):
            assert page.evaluate(ask, [rows, [text[:length], text], 0])["winner"] == 0
    by_rule = [page.evaluate(ask, [rows, [[0], [0, 1]], rule])["winner"] for rule in range(3)]
    assert by_rule == [0, 1, 1]
    misled = [page.evaluate(ask, [rows, [[1], [0, 1, 0, 1]], rule])["winner"] for rule in range(3)]
    assert misled == [0, 1, 0]  # the mean prefers the less probable text
    assert page.evaluate(ask, [rows, [[0], [0]], 2])["winner"] == -1


@pytest.mark.parametrize("fading", [False, True])
def test_the_mass_of_each_length(page, fading):
    deltas = [0, 0.01, 0.1, 0.25, 0.4, 0.6]
    found = page.evaluate(
        "([all, fading]) => { const { masses, never } = Explorables.endings;"
        " return all.map(d => [masses(d, fading, 400), never(d, fading)]); }",
        [deltas, fading],
    )
    t = np.arange(1, 401)
    for delta, (made, never) in zip(deltas, found, strict=True):
        chance = 4 * delta / (t + 1) ** 2 if fading else np.full(400, delta)
        going_on = np.cumprod(1 - chance)
        assert made["goingOn"] == pytest.approx(going_on, abs=1e-12)
        assert made["ended"] == pytest.approx(np.append(1, going_on[:-1]) * chance, abs=1e-12)
        far = np.arange(1, 1_000_001)
        limit = np.prod(1 - 4 * delta / (far + 1) ** 2) if fading else float(delta == 0)
        assert never == pytest.approx(limit, abs=1e-5)


def test_the_chapter_s_fading_end_leaves_one_half(page):
    assert page.evaluate("Explorables.endings.never(0.25, true)") == pytest.approx(0.5, abs=1e-12)


def test_keys_change_the_rule_and_the_text(page):
    box = page.locator("[data-explorable=transcripts]")
    assert "A wins" in box.locator(".result").inner_text()
    box.get_by_role("button", name="total with the end").press("Enter")
    words = box.locator(".result").inner_text()
    assert "B wins" in words and "0.06 as a whole text" in words and "0.189 as a whole text" in words
    box.get_by_role("button", name="take one word of B back").press("Enter")
    assert "equal" in box.locator(".result").inner_text()
    box.get_by_role("button", name="take one word of B back").press("Enter")
    assert box.get_by_role("button", name="take one word of B back").is_disabled()
    assert "Add a word to B" in box.locator(".result").inner_text()
    for _ in range(6):
        box.get_by_role("button", name="add cat to B").press("Enter")
    assert box.get_by_role("button", name="add cat to B").is_disabled()
    assert "A wins" in box.locator(".result").inner_text()


def test_what_the_page_asks_for_can_be_done(page):
    """Sleeps against cat sleeps cat sleeps: the mean prefers the second, the whole text the first."""
    box = page.locator("[data-explorable=transcripts]")
    for words in ("take one word of A back", "add sleeps to A", "add cat to B", "add sleeps to B"):
        box.get_by_role("button", name=words).press("Enter")
    box.get_by_role("button", name="mean per word").press("Enter")
    assert "B wins" in box.locator(".result").inner_text()
    box.get_by_role("button", name="total with the end").press("Enter")
    assert "A wins" in box.locator(".result").inner_text()


def test_keys_move_the_end(page):
    box = page.locator("[data-explorable=endings]")
    assert "sum to 1" in box.locator(".result").inner_text()
    box.get_by_role("button", name="fading").press("Enter")
    assert "0.500 never ends" in box.locator(".result").inner_text()
    slider = box.locator("input")
    slider.focus()
    page.keyboard.press("Home")
    assert box.locator("output").inner_text() == "0.00"
    assert "1.000 never ends" in box.locator(".result").inner_text()
    page.keyboard.press("ArrowRight")
    assert box.locator("output").inner_text() == "0.01"
