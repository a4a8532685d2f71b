"""The converter computes what Score computes, refuses what Score refuses, and can be used without a mouse."""

import math
import re
from fractions import Fraction
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pytest

from lmcourse.pages import known_texts
from lmcourse.site.extensions import browser_tools
from lmmetrics import Score, corpora
from lmmetrics.score import UNITS, UnitError
from lmmetrics.text import tokenize
from tests.browser.conftest import HTML, needs_book, write_tool

pytestmark = pytest.mark.browser
CASES = 400
IN_FORM = 10
KINDS = ("perplexity", "bits", "nats", "total-bits", "total-nats")
ROWS = """() => [...document.querySelectorAll('#converter-tool tbody tr')].map(row => [...row.cells].map(
  cell => cell.innerText.trim()))"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The converter's page on disk."""
    return write_tool(tmp_path_factory.mktemp("converter"), "converter", browser_tools.converter_data())


def random_cases():
    """Conversions with a seed: every kind, every unit, some counts missing, some values huge or tiny."""
    rng = np.random.default_rng(20260504)
    for number in range(CASES):
        kind = KINDS[number % len(KINDS)]
        unit = list(UNITS)[rng.integers(4)]
        chars = int(10 ** rng.uniform(1, 9))
        counts = {
            "chars": chars,
            "bytes": int(chars * rng.uniform(1, 4)),
            "words": max(1, int(chars * rng.uniform(0.1, 0.6))),
            "tokens": max(1, int(chars * rng.uniform(0.1, 1.2))),
        }
        for field in [field for field in counts if rng.random() < 0.25]:
            del counts[field]
        per_unit = 10 ** rng.uniform(-3, 1.2)
        scale = counts.get("chars", 1000) if kind.startswith("total") else 1
        value = {"perplexity": math.exp(per_unit)}.get(kind, per_unit * scale)
        yield {"kind": kind, "unit": unit, "value": value, "counts": counts}


def by_score(case):
    """What the library says: (kind, unit) -> value, or None where it refuses."""
    kind, unit, value, counts = case["kind"], case["unit"], case["value"], case["counts"]
    nats = {"perplexity": math.log(value) if value >= 1 else None, "nats": value, "total-nats": value}.get(
        kind, value * math.log(2)
    )
    if kind.startswith("total"):
        score = Score(nats, **counts)
    elif UNITS[unit] not in counts:  # within the unit itself no count is needed: one unit is enough
        alone = Score(nats, **{UNITS[unit]: 1})
        return {key: number if key[1] == unit else None for key, number in all_units(alone).items()}
    elif kind == "perplexity":
        score = Score.from_perplexity(value, per=unit, **counts)
    else:
        score = Score(nats * counts[UNITS[unit]], **counts)
    return all_units(score)


def all_units(score):
    """Every unit of a Score."""
    found = {("total-nats", ""): score.nats, ("total-bits", ""): score.bits}
    for unit in UNITS:
        for kind, method in (
            ("perplexity", score.perplexity_per),
            ("bits", score.bits_per),
            ("nats", score.nats_per),
        ):
            try:
                found[kind, unit] = method(unit)
            except UnitError:
                found[kind, unit] = None
    return found


def fill(page, case):
    """Type a case into the form, as a reader would."""
    page.select_option("#converter-kind", case["kind"])
    if not case["kind"].startswith("total"):
        page.select_option("#converter-unit", case["unit"])
    page.fill("#converter-value", repr(case["value"]))
    for field in UNITS.values():
        page.fill(f"#converter-{field}", str(case["counts"].get(field, "")))


def test_random_conversions_agree_with_score(opened):
    """400 conversions by the page's own function, to 1e-9; what Score refuses, the page refuses."""
    cases = list(random_cases())
    answers = opened.evaluate("cases => cases.map(LMM.units.convert)", cases)
    compared = refused = 0
    for case, rows in zip(cases, answers, strict=True):
        expected = by_score(case)
        assert len(rows) == len(expected) == 14
        for row in rows:
            right = expected[row["kind"], row["unit"]]
            if right is None:
                refused += 1
                assert set(row["missing"]).isdisjoint(case["counts"]), (case, row)
            else:
                compared += 1
                assert row["value"] == pytest.approx(right, rel=1e-9), (case, row)
    assert compared > 2000 and refused > 500


def test_random_conversions_in_the_form(opened):
    """Two of each kind typed into the form: the table shows what Score computes, to its digits."""
    opened.select_option("#converter-digits", "15")
    names = opened.evaluate("() => LMM.units.convert({kind: 'nats', unit: 'token', value: 1, counts: {}})")
    for case in list(random_cases())[:IN_FORM]:
        fill(opened, case)
        expected = by_score(case)
        rows = opened.evaluate(ROWS)
        assert len(rows) == 14, (case, rows)
        for row, name in zip(rows, names, strict=True):
            right = expected[name["kind"], name["unit"]]
            if right is None:
                assert row[1].startswith("Refused: needs the number of"), (case, row)
            else:
                assert float(row[1]) == pytest.approx(right, rel=1e-9), (case, row)


def test_formulas_compute_the_value(opened):
    """The formula with the numbers filled in, evaluated as arithmetic, is the value beside it."""
    names = {"ln": math.log, "log2": math.log2, "exp": math.exp, "LN2": math.log(2)}
    seen = set()
    for case in list(random_cases())[:100]:
        case["value"] = float(f"{case['value']:.15g}")
        for row in opened.evaluate("LMM.units.convert", case):
            if "missing" in row:
                continue
            text = row["numbers"].replace("ln 2", "LN2").replace("×", "*").replace("^", "**")
            assert eval(text, names) == pytest.approx(row["value"], rel=1e-9), (case, row)
            seen.add(row["formula"])
    assert len(seen) > 60


@pytest.mark.parametrize(
    "typed, said",
    [
        ({"value": "0.8"}, "0.8 cannot be the perplexity of a discrete model"),
        ({"value": "0"}, "0 cannot be the perplexity of a discrete model"),
        ({"value": "-3", "kind": "bits"}, "-3 is below 0, but a surprisal is at least 0"),
        ({"value": "many"}, "The value is not a number"),
        ({"value": "1,5"}, "write a decimal point"),
        ({"value": "inf"}, "some scored token had probability 0"),
        ({"value": "1e999"}, "is beyond the largest number"),
        ({"value": "20", "tokens": "-5"}, "The number of tokens is -5, but a count is at least 0"),
        ({"value": "20", "tokens": "0"}, "The text has 0 tokens"),
        ({"value": "20", "words": "ten"}, "The number of words is not a number"),
        ({"value": "20", "words": "10.5"}, "must be a whole number"),
        ({"value": "20", "chars": "100", "bytes": "50"}, "50 bytes cannot hold 100 characters"),
        ({"value": "20", "chars": "100", "bytes": "500"}, "in UTF-8 a character has at most 4 bytes"),
        (
            {"value": "20", "chars": "100", "words": "101"},
            "100 characters cannot hold 101 words: a word has at least one character",
        ),
    ],
)
def test_impossible_input_is_explained(opened, typed, said):
    """The sentence appears in the result and beside the field, the field is marked, nothing is converted."""
    for name, text in typed.items():
        target = f"#converter-{name}"
        opened.select_option(target, text) if name == "kind" else opened.fill(target, text)
    status = opened.inner_text("#converter-status")
    assert status.startswith("Nothing is converted.") and said in status
    assert opened.locator("#converter-tool tbody tr").count() == 0
    field = opened.locator("[aria-invalid=true]").first
    described = field.get_attribute("aria-describedby").split()
    assert said in " ".join(opened.inner_text(f"#{id}") for id in described)


def test_refusals_name_the_missing_count(opened):
    """20 per token and no count: only the token's own row; with tokens, the words are still missing."""
    opened.fill("#converter-value", "20")
    rows = opened.evaluate(ROWS)
    assert ["perplexity per word", "Refused: needs the number of tokens and of words"] in rows
    assert ["bits in all", "Refused: needs the number of tokens"] in rows
    assert "Converted into 3 of 14" in opened.inner_text("#converter-status")
    opened.fill("#converter-tokens", "1000")
    assert ["perplexity per word", "Refused: needs the number of words"] in opened.evaluate(ROWS)


def test_known_text_reproduces_the_published_line(opened):
    """The Kneser-Ney line of the Penn Treebank, from the list of test sets."""
    opened.fill("#converter-value", "141.2")
    opened.select_option("#converter-text", "ptb-test")
    assert opened.input_value("#converter-tokens") == "82430"
    rows = {row[0]: row[1:] for row in opened.evaluate(ROWS)}
    line = Score.from_perplexity(141.2, tokens=82_430, chars=442_423)
    assert rows["bits per character"][0] == f"{line.bits_per('char'):.5f}" == "1.33059"
    assert "log2(141.2) × 82430 / 442423" in rows["bits per character"][1]
    assert rows["bits per byte"] == ["Refused: needs the number of bytes"]
    assert "78 669 words" in opened.inner_text("#converter-about")
    opened.fill("#converter-words", "78670")
    assert opened.input_value("#converter-text") == "", "edited counts are no longer those of the test set"


@pytest.mark.parametrize(
    "value, kind, digits, shown",
    [
        ("1e300", "bits", "4", "1e300"),
        ("1500", "nats", "4", "10^651.4"),
        ("0.00000012345678", "bits", "6", "1.23457e-7"),
        ("12345678901", "total-bits", "4", "1.235e10"),
    ],
)
def test_huge_and_tiny_values(opened, value, kind, digits, shown):
    """Scientific notation that can be copied; a perplexity beyond 64 bits as a power of ten."""
    opened.select_option("#converter-kind", kind)
    opened.select_option("#converter-digits", digits)
    opened.fill("#converter-value", value)
    assert shown in [cell for row in opened.evaluate(ROWS) for cell in row[1:2]]


def test_address_holds_the_conversion(visit, opened):
    """The address, opened anew, gives the same table; so does the link button's text."""
    again = visit().page
    for case in list(random_cases())[:5]:  # one of each kind
        fill(opened, case)
        rows, link = opened.evaluate(ROWS), opened.url
        assert float(parse_qs(urlsplit(link).query)["value"][0]) == case["value"]
        again.goto("about:blank")
        again.goto(link)
        assert again.evaluate(ROWS) == rows and len(rows) == 14
        assert again.url == link


def test_address_may_name_a_test_set_alone(opened, address):
    """A short link, as the book writes it: value and test set, the counts come from the list."""
    opened.goto(f"{address}?value=141.2&text=ptb-test")
    assert opened.input_value("#converter-chars") == "442423"
    opened.goto(f"{address}?value=141.2&text=ptb-test&tokens=10")
    assert opened.input_value("#converter-text") == "" and opened.input_value("#converter-tokens") == "10"


def test_nonsense_in_the_address_does_no_harm(opened, address):
    """Unknown names and choices are passed over; what is typed is shown as text, never as markup."""
    opened.goto(f"{address}?kind=votes&unit=furlong&value=%3Cimg%20src%3Dx%3E&spam=1")
    assert opened.input_value("#converter-kind") == "perplexity"
    assert "is not a number" in opened.inner_text("#converter-status")
    assert opened.locator("#converter-tool img").count() == 0


def test_by_keyboard_alone(opened):
    """Tab to each field, type, choose with the arrow keys, copy the link with Enter."""
    opened.keyboard.press("Tab")
    opened.keyboard.type("141.2")
    visited = ["converter-value"]
    for _ in range(7):
        opened.keyboard.press("Tab")
        visited.append(opened.evaluate("() => document.activeElement.id"))
        if visited[-1] == "converter-text":
            opened.keyboard.press("ArrowDown")
    assert visited == [f"converter-{name}" for name in ("value", "kind", "unit", "text", *UNITS.values())]
    assert "Converted into 11 of 14" in opened.inner_text("#converter-status")
    for _ in range(3):
        opened.keyboard.press("Tab")
    assert opened.evaluate("() => document.activeElement.id") == "converter-link"
    opened.keyboard.press("Enter")
    opened.wait_for_function("() => document.getElementById('converter-copied').textContent !== ''")
    outline = opened.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
    assert outline != "none", "the focus must be seen"


def test_each_field_has_a_name(opened):
    """A label for every control, a legend for every group, a caption and headings for the table."""
    opened.fill("#converter-value", "20")
    nameless = opened.evaluate(
        "() => [...document.querySelectorAll('#converter-tool :is(input, select, textarea)')]"
        ".filter(e => !e.labels.length || !e.labels[0].innerText.trim()).map(e => e.id)"
    )
    assert nameless == []
    assert opened.locator("fieldset").count() == opened.locator("fieldset > legend").count() == 2
    assert opened.locator("table > caption").count() == 1
    assert opened.locator("thead th[scope=col]").count() == 3
    assert opened.locator("tbody tr").count() == opened.locator("tbody th[scope=row]").count() == 14
    assert opened.locator("[role=status]").count() == 2
    ids = opened.evaluate("() => [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_clear_empties_the_page(opened):
    """The reset button brings back an empty form, an empty address and no table."""
    opened.fill("#converter-value", "20")
    opened.click("button[type=reset]")
    opened.wait_for_function("() => !document.querySelector('#converter-tool tbody')")
    assert "value=" not in opened.url


def test_known_texts_are_counted_again(real_texts):
    """The counts that are written down are those of the library, where it can get the text."""
    corpus = corpora.load("wikitext-2")
    for item in known_texts.PUBLISHED:
        if item.name.startswith("wikitext-2-"):
            text = tokenize(getattr(corpus, item.name.removeprefix("wikitext-2-")), by="whitespace")
            ends = int(text.is_eos.sum())
            counted = (len(text), text.words, text.chars, text.bytes, ends)
            assert counted == (item.tokens, item.words, item.chars, item.bytes, item.ends)
            if item.unknown:
                assert text.strings().count("<unk>") == item.unknown
                assert not any(re.search(r"\w-\w", word) for word in text.strings())  # book/papers_table.md


def test_known_texts_are_consistent():
    """Words and ends make the tokens where a line's end is a token; each has a source and can be a Score."""
    for item in known_texts.known_texts():
        assert item["source"] and item["note"] and item["title"]
        counts = {field: item[field] for field in UNITS.values()}
        assert Score(1.0, **counts).bits > 0
        if item["name"].startswith(("ptb", "wikitext")):
            assert item["words"] + item["ends"] == item["tokens"]
    assert len(known_texts.known_texts()) == len({item["name"] for item in known_texts.known_texts()})


@needs_book
def test_page_of_the_book_has_the_tool(visit):
    """In the built book: the form is shown, scripts are on this page only, the known texts are today's."""
    page = HTML / "book" / "converter.html"
    reader = visit(width=390, height=844)
    reader.page.goto(page.as_uri() + "?value=141.2&text=ptb-test")
    assert len(reader.page.evaluate(ROWS)) == 14 and reader.problems == []
    assert reader.sideways() <= 0
    below = reader.page.evaluate(
        "() => document.querySelector('h1').compareDocumentPosition(document.querySelector('.tool-form'))"
    )
    assert below & 4, "the form is below the heading"
    stored = reader.page.evaluate("() => JSON.parse(document.getElementById('known-texts').textContent)")
    assert stored == known_texts.known_texts()
    assert "tools/converter.js" not in (HTML / "book" / "index.html").read_text(encoding="utf8")


@pytest.mark.parametrize(
    "text, unit, given, row, shown",
    [
        ("harness-wikitext-2", "word", 8.792073612124492, "bits per byte", "0.5865"),
        ("harness-wikitext-2", "word", 8.792073612124492, "perplexity per byte", "1.5016"),
        ("llama-cpp-wikitext-2", "token", 5.9565, "bits per byte", "0.669"),
    ],
)
def test_two_ways_to_count_wikitext(opened, text, unit, given, row, shown):
    """The three numbers that the harness prints for one model; llama.cpp's is a number per token."""
    opened.fill("#converter-value", repr(given))
    opened.select_option("#converter-unit", unit)
    opened.select_option("#converter-text", text)
    opened.select_option("#converter-digits", "10")
    rows = {name: cells[0] for name, *cells in opened.evaluate(ROWS)}
    digits = len(shown.partition(".")[2])
    assert f"{float(rows[row]):.{digits}f}" == shown


def test_the_counts_of_the_harness_are_whole_numbers():
    """Two perplexities with sixteen digits leave one fraction with so small a denominator."""
    texts = {text.name: text for text in known_texts.PUBLISHED}
    known = texts["harness-wikitext-2"]
    ratio = math.log(8.792073612124492) / math.log(1.5015845643537054)
    assert Fraction(ratio).limit_denominator(10**6) == Fraction(known.bytes, known.words)
    assert known.words == texts["wikitext-2-test"].words + 2 * 62
