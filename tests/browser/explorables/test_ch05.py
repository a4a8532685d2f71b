"""The interactive figures of chapter 05: their numbers are the library's; what is asked for is there."""

import itertools

import pytest

from lmmetrics import Score
from tests.browser.conftest import needs_book
from tests.browser.explorables.conftest import DATA

pytestmark = [pytest.mark.browser, needs_book]

PAGE = "book/05_ppl_bpc_conversion.html"
UNITS = {"tokens": "token", "words": "word", "chars": "char", "bytes": "byte"}


def test_shares_are_those_of_a_score(page):
    for report in page.evaluate(DATA, "units")["reports"]:
        score = Score(report["nats"], **report["counts"])
        for field, unit in UNITS.items():
            count = page.evaluate("([r, f]) => Explorables.units.divisor(r, f, true)", [report, field])
            if field not in report["counts"]:
                assert count is None
                continue
            made = page.evaluate("([nats, n]) => Explorables.units.share(nats, n)", [report["nats"], count])
            assert made["bits"] == pytest.approx(score.bits_per(unit), rel=1e-12)
            assert made["nats"] == pytest.approx(score.nats_per(unit), rel=1e-12)
            assert made["perplexity"] == pytest.approx(score.perplexity_per(unit), rel=1e-12)
        without = page.evaluate("r => Explorables.units.divisor(r, 'tokens', false)", report)
        known = "tokens" in report["counts"]
        assert without == (report["counts"]["tokens"] - report["ends"] if known else None)


def test_each_printed_number_is_found(page):
    """The digits that a report is said to have printed are those that the form computes."""
    found = 0
    for report in page.evaluate(DATA, "units")["reports"]:
        for field, form, words in report["printed"]:
            made = page.evaluate(
                "([nats, n]) => Explorables.units.share(nats, n)", [report["nats"], report["counts"][field]]
            )
            digits = words.split(",")[0]
            assert f"{made[form]:.{len(digits.partition('.')[2])}f}" == digits
            found += 1
    assert found == 4


def test_the_text_s_tour_by_keyboard(page):
    """Line ends out of the count: 178.9; Llama 2: three numbers, and tokens that nobody counted."""
    box = page.locator("[data-explorable=units]")
    result = box.locator(".result")
    assert "141.2000" in result.inner_text() and "as its authors print it" in result.inner_text()
    box.locator("input[type=checkbox]").focus()
    page.keyboard.press("Space")
    assert "178.9" in result.inner_text() and "not in the count" in result.inner_text()
    report, unit, form = box.locator("select").all()
    report.select_option("1")
    seen = []
    for field, kind in (("words", "perplexity"), ("bytes", "perplexity"), ("bytes", "bits")):
        unit.select_option(field)
        form.select_option(kind)
        seen.append("Printed" in result.inner_text())
    assert all(seen)
    unit.select_option("chars")
    assert "was not given" in result.inner_text()


def test_two_rankings_are_those_of_scores(page):
    cases = list(itertools.product([1.05, 1.5, 2.33, 6], range(1, 7), [1.05, 1.79, 3, 6]))
    found = page.evaluate("all => all.map(c => Explorables.segments.compare(c[0], c[1], c[2], 6))", cases)
    disagree = 0
    for (a, words, b), made in zip(cases, found, strict=True):
        one = Score.from_perplexity(a, tokens=words, chars=6)
        other = Score.from_perplexity(b, tokens=6, chars=6)
        assert made["bits"]["A"] == pytest.approx(one.bits_per("char"), abs=1e-12)
        assert made["bits"]["B"] == pytest.approx(other.bits_per("char"), abs=1e-12)
        assert made["byToken"] == ("A" if a < b else "B" if b < a else "")
        gap = one.nats - other.nats
        assert made["byChar"] == ("" if abs(gap) < 1e-8 else "A" if gap < 0 else "B")
        disagree += made["byToken"] != made["byChar"]
    assert disagree > 5


def test_cutting_everywhere_makes_the_rankings_one(page):
    box = page.locator("[data-explorable=segments]")
    result = box.locator(".result")
    assert "disagree" in result.inner_text() and "4 tokens" in result.inner_text()
    for button in box.locator(".segmented button").all():
        if button.get_attribute("aria-pressed") == "false":
            button.focus()
            page.keyboard.press("Enter")
    assert "6 tokens" in result.inner_text() and "rankings agree" in result.inner_text()
    slider = box.locator("input[type=range]").first
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert box.locator("output").first.inner_text() != "2.33"
