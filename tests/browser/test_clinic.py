"""The clinic names the mistake that was made: cases built by making it, on losses drawn with a seed."""

import math
import re

import numpy as np
import pytest

from lmcourse.hints.mistakes import NAMES
from lmcourse.pages.clinic.catalogue import EXPLANATIONS
from lmcourse.pages.clinic.explanations import tree
from lmcourse.site.extensions import browser_tools
from tests.browser.conftest import HTML, needs_book, write_tool

pytestmark = pytest.mark.browser
TABLE = """<div class="clinic-table"><table><tbody><tr><td>M19</td><td>padding</td><td>-</td>
<td><a href="02_cross_entropy.html#padding-that-counts">02: Padding that counts</a></td></tr></tbody></table>
</div>
<section id="when-nothing-fits"><h2>When nothing fits</h2><ul><li>Start symbol:
<a href="04_perplexity.html#scoring-a-long-text-in-windows">windows</a></li></ul></section>"""
DIAGNOSE = """cases => { const data = LMM.page.data('clinic-data'); return cases.map(texts => {
  const {given, faults} = LMM.clinic.read(texts, data.fields);
  if (!given || Object.keys(faults).length) return {faults};
  const found = LMM.clinic.diagnose(data.explanations, given, data.common);
  return {...found, first: [...found.fits, ...found.soft, ...found.near][0]?.explanation.mistake}; }); }"""


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The clinic's page on disk, with a table of one row."""
    return write_tool(tmp_path_factory.mktemp("clinic"), "clinic", browser_tools.clinic_data(), TABLE)


def test_a_new_unit_needs_no_change_of_the_scripts(visit, tmp_path):
    """Nothing bounds its count, so no count is looked for, and what the unit holds is checked."""
    data = browser_tools.clinic_data()
    units = data["units"]
    held = {"field": "morphs", "other": "chars", "least": "a morpheme has a character", "most": None}
    new = {
        "fields": {**units["fields"], "morph": "morphs"},
        "labels": {**units["labels"], "morph": "morpheme"},
        "holds": [*units["holds"], held],
    }
    own = {**data["clinic-data"], "fields": {"morphs": "morphemes", **data["clinic-data"]["fields"]}}
    own["explanations"] = [one | {"units": [*one["units"], "morph"]} for one in own["explanations"]]
    address = write_tool(tmp_path / "tool", "clinic", {**data, "units": new, "clinic-data": own})
    page = visit().page
    page.goto(f"{address}?got=7.54&expected=15.3&unit=morph&gotunit=word")
    assert "if the text has about 1.35 (1.348 to 1.352) words" in page.inner_text("#clinic-status")
    page.goto(f"{address}?got=7.54&expected=15.3&unit=morph&gotunit=token&chars=500")
    assert "One number is per token, the other per morpheme" in page.inner_text("#clinic-status")
    page.goto(f"{address}?got=7.54&expected=15.3&unit=morph&chars=500")
    assert "None of the mistakes that could be tested leads" in page.inner_text("#clinic-status")
    page.goto(f"{address}?got=7.54&expected=15.3&morphs=501&chars=500")
    assert "500 characters cannot hold 501 morphemes" in page.inner_text("#clinic-morphs-fault")


class Text:
    """A scored text, token by token: what a program that makes a mistake has in its hands."""

    def __init__(self, seed):
        rng = np.random.default_rng(seed)
        self.documents = []
        for _ in range(int(rng.integers(5, 9))):
            lengths = rng.integers(4, 30, size=int(rng.integers(6, 25)))
            hardness = rng.uniform(0.6, 1.5)  # documents differ, so that averages differ
            self.documents.append([rng.gamma(1.6, hardness * 3.0, size=n) for n in lengths])
        for document in self.documents:
            for sentence in document:
                sentence[-1] *= 0.12  # the end of a sentence is cheap
        self.nats = np.concatenate([sentence for document in self.documents for sentence in document])
        self.is_end = np.concatenate(
            [np.arange(len(s)) == len(s) - 1 for document in self.documents for s in document]
        )
        self.tokens = len(self.nats)
        self.ends = int(self.is_end.sum())
        self.words = self.tokens - self.ends - int(rng.integers(20, 60))
        self.chars = int(self.words * rng.uniform(5.4, 6.3))
        self.bytes = int(self.chars * rng.uniform(1.02, 1.2))
        self.is_unknown = ~self.is_end & (rng.random(self.tokens) < 0.05)
        self.vocabulary = int(rng.integers(5_000, 40_000))
        self.rng = rng

    @property
    def perplexity(self):
        """The right number."""
        return math.exp(self.nats.mean())

    def padded(self, size=16):
        """The losses as batches of `size` sentences, with the mask of what is real."""
        sentences = [sentence for document in self.documents for sentence in document]
        for start in range(0, len(sentences), size):
            batch = sentences[start : start + size]
            real = np.zeros((len(batch), max(map(len, batch))), dtype=bool)
            nats = np.zeros(real.shape)
            for row, sentence in enumerate(batch):
                real[row, : len(sentence)], nats[row, : len(sentence)] = True, sentence
            yield nats, real

    def counts(self):
        """What the reader knows in every case."""
        names = ("tokens", "words", "chars", "bytes", "ends", "vocabulary")
        known = {name: str(getattr(self, name)) for name in names}
        return {
            **known,
            "documents": str(len(self.documents)),
            "pads": str(sum(int((~real).sum()) for _, real in self.padded())),
            "unknown": str(int(self.is_unknown.sum())),
        }


def digits(value, many=6):
    """A number as programs print it."""
    return f"{value:.{many}g}"


def lines(parts):
    """The list of parts as the reader types it."""
    return "\n".join(f"{len(part)} {digits(math.exp(np.mean(part)))}" for part in parts)


def bfloat16(value):
    """The nearest bfloat16, by cutting a float32 with its last 16 bits rounded away."""
    word = int(np.float32(value).view(np.uint32))
    return float(np.uint32((word + 0x7FFF + ((word >> 16) & 1)) & 0xFFFF0000).view(np.float32))


def committed():
    """Yield (mistake, texts for the form): each mistake made by code, on three texts, all counts given."""
    for seed in range(3):
        for mistake, expected, got, more in by_mistake(Text(700 + seed)):
            texts = {
                "quantity": "perplexity",
                "unit": "token",
                "expected": digits(expected),
                "got": digits(got),
            }
            yield mistake, {**texts, **more}


def by_mistake(text):
    """Yield (mistake, expected, got, what the reader knows) for one text."""
    for made in (wrong_bases, wrong_averages, wrong_counts, wrong_words, wrong_units, wrong_losses):
        yield from made(text, text.nats, text.perplexity, text.counts())


def wrong_bases(text, nats, right, counts):
    """The base of the logarithm, and its sign."""
    loss = nats.mean()
    bits = (nats / math.log(2)).mean()
    log10 = (-nats / math.log(10)).mean()
    yield "M1", right, 2**loss, counts
    yield "M2", right, math.exp(bits), counts
    yield "M3", right, math.exp(-log10), counts
    yield "M3", right, 2**-log10, counts
    yield "M4", right, loss, counts
    yield "M4", right, bits, counts
    yield "M4", loss, right, counts | {"quantity": "nats"}
    yield "M5", right, math.exp((-nats).mean()), counts


def wrong_averages(text, nats, right, counts):
    """Means of the parts of a text: documents, batches, steps, windows."""
    documents = [np.concatenate(document) for document in text.documents]
    per_document = [math.exp(document.mean()) for document in documents]
    yield "M8", right, np.mean(per_document), counts | {"cut": "documents", "parts": lines(documents)}
    batches = [batch[real] for batch, real in text.padded()]
    listed = counts | {"cut": "batches", "parts": lines(batches)}
    yield "M9", right, math.exp(np.mean([batch.mean() for batch in batches])), listed
    yield "M10", right, np.mean([math.exp(batch.mean()) for batch in batches]), listed
    steps = int(text.rng.integers(2, 5))
    few = nats[: text.tokens // steps * steps]
    accumulated = sum(shard.mean() for shard in np.split(few, steps))
    known = counts | {"tokens": str(len(few)), "steps": str(steps)}
    yield "M12", math.exp(few.mean()), math.exp(accumulated), known
    windows = -(-text.tokens // 32)
    yield "M13", right, math.exp(nats.sum() / (text.tokens - windows)), counts | {"windows": str(windows)}
    total = 0.0
    for document in documents:
        total = (total + document.sum()) / text.tokens
    yield "M16", right, math.exp(total / text.tokens), counts


def wrong_counts(text, nats, right, counts):
    """Padding, masks, and the two ends of a sentence."""
    padded = list(text.padded())
    positions = sum(batch.size for batch, _ in padded)
    yield "M19", right, math.exp(sum(batch.sum() for batch, _ in padded) / positions), counts
    even = [np.where(real, batch, math.log(text.vocabulary)) for batch, real in padded]
    yield "M20", right, math.exp(np.concatenate([batch.ravel() for batch in even]).mean()), counts
    kept = int(text.tokens * 0.8)
    shuffled = text.rng.permutation(nats)  # the part that is cut off costs about as much as the rest
    cut = shuffled[:kept] * (nats.sum() * kept / text.tokens / shuffled[:kept].sum())
    yield "M17", right, math.exp(cut.sum() / text.tokens), counts | {"kept": str(kept)}
    masked = nats[text.rng.random(text.tokens) < 0.9]
    yield "M21", right, math.exp(nats.sum() / len(masked)), counts | {"kept": str(len(masked))}
    yield "M23", right, math.exp(0.01), counts
    yield "M25", right, math.exp(nats.sum() / (~text.is_end).sum()), counts
    yield "M25", right, math.exp(nats[~text.is_end].sum() / text.tokens), counts
    documents = [np.concatenate(document) for document in text.documents]
    sentences = [sentence for document in text.documents for sentence in document]
    for parts in (sentences, documents):
        started = np.concatenate([np.append(0.0, part) for part in parts])
        yield "M26", right, math.exp(started.mean()), counts


def wrong_words(text, nats, right, counts):
    """Unknown words: a floor, left out, or without the cost of their spelling."""
    floored = np.where(text.is_unknown, -math.log(1e-10), nats)
    known_words = math.exp(nats[~text.is_unknown].mean())
    yield "M30", known_words, math.exp(floored.mean()), counts
    dear = np.where(text.is_unknown, 11.0, nats)
    yield "M28", math.exp(dear.mean()), math.exp(dear[~text.is_unknown].mean()), counts
    types = max(2, int(text.is_unknown.sum() * 0.7))
    charged = nats + text.is_unknown * math.log(types)
    yield "M29", math.exp(charged.mean()), right, counts | {"types": str(types)}


def wrong_units(text, nats, right, counts):
    """One unit for another."""
    per = {unit: math.exp(nats.sum() / getattr(text, unit)) for unit in ("tokens", "words")}
    ratio = text.tokens / text.words
    of_words = counts | {"unit": "word"}
    yield "M34", per["words"], per["tokens"], of_words
    yield "M35", per["words"], per["tokens"] * ratio, of_words
    yield "L3", per["words"], per["tokens"] ** (1 / ratio), of_words
    total = nats.sum() / math.log(2)
    in_bits = counts | {"quantity": "bits"}
    yield "M36", total / text.chars, total / text.tokens, in_bits | {"unit": "char"}
    yield "M36", total / text.chars, total / text.words, in_bits | {"unit": "char"}
    yield "M37", total / text.chars, total / text.words / 5, in_bits | {"unit": "char"}
    yield "M38", total / text.chars, total / text.bytes, in_bits | {"unit": "char"}
    yield "M38", total / text.bytes, total / text.chars, in_bits | {"unit": "byte"}
    yield "M1", total / text.tokens, nats.mean(), in_bits
    yield "L1", nats.mean(), nats.sum(), counts | {"quantity": "nats"}


def wrong_losses(text, nats, right, counts):
    """A loss that is more than the cross-entropy, or coarser, or another quantity."""
    loss = nats.mean()
    auxiliary = float(digits(text.rng.uniform(0.05, 0.4), 3))
    yield "M42", right, math.exp(loss + auxiliary), counts | {"aux": str(auxiliary)}
    yield "M44", right, math.exp(bfloat16(loss)), counts
    others = text.rng.uniform(1.1, 1.8) * math.log(text.vocabulary)  # the mean symbol of the vocabulary
    yield "M41", right, math.exp(0.9 * loss + 0.1 * others), counts
    yield "M6", 40.0, math.exp(math.log(text.vocabulary - 1 + math.e) - 0.4), counts
    yield "M48", 8366.6, 2**9.032, {"unit": "word"}


def test_every_mistake_that_the_clinic_explains_is_made():
    assert {one.mistake for one in EXPLANATIONS} - {mistake for mistake, _ in committed()} == set()


def test_the_mistake_that_was_made_is_named_first(opened):
    """In at least nine of ten cases, with every count given."""
    cases = list(committed())
    answers = opened.evaluate(DIAGNOSE, [texts for _, texts in cases])
    missed = []
    for (mistake, texts), answer in zip(cases, answers, strict=True):
        assert "first" in answer, (mistake, texts, answer)
        if answer["first"] != mistake:
            missed.append((mistake, answer["first"], texts["expected"], texts["got"]))
    assert len(cases) >= 40
    assert len(missed) <= len(cases) // 10, f"{len(missed)} of {len(cases)}: {missed}"


def test_the_mistake_is_always_among_the_findings(opened):
    """Also where it is not first, the mistake that was made is on the list."""
    cases = list(committed())
    for (mistake, texts), answer in zip(
        cases, opened.evaluate(DIAGNOSE, [texts for _, texts in cases]), strict=True
    ):
        found = {item["explanation"]["mistake"] for key in ("fits", "soft", "near") for item in answer[key]}
        assert mistake in found, (mistake, found, texts)


CHOICES = "quantity", "unit", "gotquantity", "gotunit", "cut", "alsounit"


def fill(page, texts):
    """Type a case into the form, as a reader would."""
    if not page.evaluate("() => document.querySelector('#clinic-more').open"):
        page.click("#clinic-more summary")
    for name, text in texts.items():
        target = f"#clinic-{name}"
        (page.select_option if name in CHOICES else page.fill)(target, text)


def headings(page):
    """The headings of the findings, open or folded, each with the titles below it."""
    return page.evaluate(
        """() => Object.fromEntries(
        [...document.querySelectorAll('#clinic-findings :is(h2, summary)')].map(heading => [
          heading.firstChild.textContent,
          [...heading.nextElementSibling.children].map(item =>
            item.closest('details:not([open])') ? item.textContent : item.innerText)]))"""
    )


def shown(page):
    """What is read without opening a fold: the verdict, the findings and the folds' headings."""
    folded = "[...document.querySelectorAll('#clinic-findings summary')].map(item => item.textContent)"
    listed = "[...document.querySelectorAll('#clinic-findings > :is(ol, ul)')].map(item => item.innerText)"
    return page.evaluate(
        f"() => [document.querySelector('#clinic-status').innerText, ...{listed}, ...{folded}].join('\\n')"
    )


def test_the_form_says_what_the_function_says(opened):
    """Ten cases typed into the form: the first finding is that of `diagnose`."""
    cases = list(committed())[::12]
    answers = opened.evaluate(DIAGNOSE, [texts for _, texts in cases])
    assert len(cases) >= 10
    for (_, texts), answer in zip(cases, answers, strict=True):
        opened.click("button[type=reset]")
        opened.wait_for_function("() => document.querySelector('#clinic-got').value === ''")
        fill(opened, texts)
        first = opened.locator("#clinic-findings li strong").first.inner_text()
        assert first == f"{answer['first']}, {NAMES[answer['first']]}", texts


def test_a_finding_tells_and_shows_and_links(opened):
    """What would have happened, the predicted number, the formula with numbers, and the section."""
    fill(opened, {"expected": "100.000", "got": "46.5", "tokens": "1000", "pads": "200"})
    opened.fill("#clinic-got", "46.500")
    [finding, *_] = headings(opened)["Near, but not equal"]
    assert "off by 0.18 per cent" in finding
    opened.fill("#clinic-got", "46.4159")
    [first, second] = headings(opened)["Fits to the digits that you typed"]
    assert "M19, padding is counted" in first and "M20, padding is scored" in second
    predicted = 100 ** (1000 / 1200)
    assert f"Would give {predicted:.5f}" in first
    assert "exp(h × tokens / (tokens + pads)) = exp(4.60517 × 1000 / (1000 + 200))" in first
    link = opened.locator("#clinic-findings a", has_text="Padding that counts")
    assert link.get_attribute("href") == "02_cross_entropy.html#padding-that-counts"


def test_two_mistakes_with_one_number_are_not_told_apart(opened):
    """Counted padding and free padding predict the same number, and the page says that it cannot choose."""
    fill(opened, {"expected": "100.0", "got": "46.42", "tokens": "1000", "pads": "200"})
    status = opened.inner_text("#clinic-status")
    assert "M19 and M20 predict the same number" in status and "cannot tell them apart" in status


def test_few_digits_are_said_to_be_few(opened):
    """With two digits much fits by chance; the page says how much, and asks for more digits."""
    fill(opened, {"expected": "90", "got": "23", "tokens": "1000", "pads": "430", "chars": "5000"})
    status = opened.inner_text("#clinic-status")
    assert "With so few digits" in status and "type more digits" in status
    assert "fits" not in status and "so might chance" in status
    assert not any(heading.startswith("Fits") for heading in headings(opened))
    fill(opened, {"expected": "90.0000", "got": "23.3200"})
    assert "type more digits" not in opened.inner_text("#clinic-status")


def test_the_chance_of_a_fit_is_that_of_random_numbers(opened):
    """What the page says of numbers drawn at random is measured on such numbers."""
    rng = np.random.default_rng(5)
    text = Text(3)
    for many in (2, 3):
        cases = [
            {"quantity": "perplexity", "unit": "token", **text.counts()}
            | {
                "expected": digits(text.perplexity, many),
                "got": digits(math.exp(rng.uniform(0.2, 2.0) * math.log(text.perplexity)), many),
            }
            for _ in range(600)
        ]
        answers = opened.evaluate(DIAGNOSE, cases)
        fitted = np.mean([bool(answer.get("fits")) or answer.get("agree", False) for answer in answers])
        said = np.mean([answer["chance"] for answer in answers])
        assert abs(said - fitted) < 0.07, (many, said, fitted)


def test_the_chance_of_a_near_miss_is_that_of_random_numbers(opened):
    """One random number in ten comes so near to something that the page gives one in ten as its chance."""
    rng = np.random.default_rng(8)
    right = np.exp(rng.uniform(math.log(5), math.log(500), size=600))
    cases = [of(digits(one), digits(one ** rng.uniform(0.2, 2.0))) for one in right]
    answers = opened.evaluate(DIAGNOSE, cases)
    near = np.mean([bool(answer["near"]) and answer["alike"] <= 0.1 for answer in answers])
    assert abs(near - 0.1) < 0.04, near


CANNOT, WANTED, COMPARE, OUT = (
    "Also possible, whatever the digits",
    "Would fit, for a count that you can check",
    "When nothing fits, compare the two runs",
    "Ruled out by your counts",
)


def test_no_explanation_is_said_to_be_none(opened):
    """A number that nothing predicts: not before every mistake was tested."""
    fill(opened, {"expected": "61.2345", "got": "70.9876"})
    assert "None of the mistakes that could be tested" in opened.inner_text("#clinic-status")
    found = headings(opened)
    assert set(found) == {COMPARE, CANNOT, WANTED, "Not tested, for want of a count"}
    assert any("M43" in item for item in found[CANNOT])
    counts = Text(1).counts() | {"types": "20", "kept": "900", "windows": "10", "steps": "7", "aux": "0.3"}
    fill(opened, counts | {"unit": "char", "parts": "100 35.2\n90 80.1"})
    opened.select_option("#clinic-cut", "batches")
    assert WANTED not in headings(opened)
    said = opened.inner_text("#clinic-status")
    assert "Others need a count" in said and "see below" in said  # the list of documents


@pytest.mark.parametrize(
    "texts, said",
    [
        (
            {"expected": "100.000", "got": "39.8107", "tokens": "1000"},
            [
                "M19, padding is counted: with 250 padding positions.",
                "M17, ",
                "with 800 tokens kept by a cut",
            ],
        ),
        (
            {"expected": "100.000", "got": "39.8107"},
            ["M19, padding is counted: with 250 padding positions for every 1,000 tokens."],
        ),
        ({"expected": "2.1000", "got": "16.800", "quantity": "nats"}, ["M12", "with 8 accumulation steps"]),
        (  # two devices: the smallest number there can be
            {"expected": "5.29745", "got": "10.5949", "quantity": "nats"},
            ["M12", "with 2 accumulation steps"],
        ),
        (  # Llama 2 7B: per token of 2,048 and per word
            {"expected": "5.47", "got": "8.79"},
            ["M34, perplexities of different tokens are compared: with 1.279 tokens for every word"],
        ),
        (  # GPT-2 on the Penn Treebank: per word and per token
            {"expected": "79.65", "got": "52.53", "unit": "word", "words": "82430"},
            ["M34, perplexities of different tokens are compared: with about 91,09"],
        ),
    ],
)
def test_a_count_that_was_not_given_is_worked_out(opened, texts, said):
    """The count for which a mistake would fit, exact where the digits determine it."""
    fill(opened, texts)
    text = "\n".join(headings(opened)[WANTED])
    assert all(words in text for words in said), text


def test_a_count_that_cannot_be_is_not_offered(opened):
    """Twice the nats need half the words, but sixty times the nats need no believable number of words."""
    fill(opened, {"quantity": "nats", "expected": "2.0000", "got": "121.000", "tokens": "1000"})
    assert "M34" not in "\n".join(headings(opened).get(WANTED, []))


def test_the_usual_ratio_is_offered_first(opened):
    """Seven characters to a word are offered before seven to a token, and at most five counts in all."""
    cases = [CHAR | {"expected": "1.2000", "got": "8.4000", "chars": "1000000"}]
    [answer] = opened.evaluate(DIAGNOSE, cases)
    unusual = {}
    for found in answer["would"]:
        unusual.setdefault(found["explanation"]["mistake"], []).append(found["unusual"])
    assert all(values == sorted(values) for values in unusual.values())
    assert any(values[-1] > values[0] for values in unusual.values())
    far = [found["unusual"] > 0 for found in answer["would"]]
    assert far == sorted(far) and any(far) and not all(far)  # the believable ones come first, of any mistake
    fill(opened, cases[0])
    assert 1 <= len(headings(opened)[WANTED]) <= 5


def test_windows_are_suspected_in_both_directions(opened):
    """The guide's GPT-2 large, 19.44 with windows side by side and 16.44 with half of each as past."""
    for expected, got in (("19.44", "16.44"), ("16.44", "19.44")):
        fill(opened, {"expected": expected, "got": got})
        assert any("M15" in item for item in headings(opened)[CANNOT])


PERHAPS = "Perhaps nothing is wrong"
HARNESS = {"unit": "word", "words": "241335", "bytes": "1290527"}

THREADS = [
    # evaluate, issue 560: the perplexities of lines are averaged
    ({"expected": "6.0", "got": "60.976"}, "M8, the perplexities of documents are averaged"),
    # lm-evaluation-harness, issue 806: another text was counted; with and without the same result per byte
    ({"expected": "8.7921", "got": "13.0065"} | HARNESS, "M39, the text that is counted"),
    ({"expected": "8.7921", "got": "13.0065", "also": "1.5264", "alsounit": "byte"} | HARNESS, "(M39)"),
    # lm-evaluation-harness, issue 2301: per word and per token
    (
        {"expected": "5.47", "got": "8.7071"},
        "M34, perplexities of different tokens are compared: with 1.274",
    ),
    # gensim, pull request 1399: 2 to a bound in nats
    ({"expected": "8366.6", "got": "523.4", "unit": "word"}, "M1 and M48 predict the same number"),
    # hred, issue 10: 2 to a loss in nats, roughly
    ({"expected": "35", "got": "11.3"}, "M1 leaves 0.6931"),
    # TCAN, issue 7: the future leaks in
    ({"expected": "58.3", "got": "26.92"}, "M23, the shift from context to target"),
    ({"expected": "58.3", "got": "26.92", "tokens": "82430", "ends": "3761"}, "M23, the shift"),
    # ParlAI, pull request 623: the perplexities of batches of one are averaged
    ({"expected": "66.09", "got": "155.8"}, "M10, the perplexities of batches are averaged"),
    ({"expected": "64.33", "got": "69.31"}, "M10, the perplexities of batches are averaged"),  # of eight
]


@pytest.mark.parametrize("texts, said", THREADS)
def test_what_was_found_in_a_thread_is_among_the_first_things_read(opened, texts, said):
    """Public threads whose cause leaves no exact number, or none without counts that nobody gave."""
    fill(opened, texts)
    assert said in shown(opened)


@pytest.mark.parametrize("texts", [texts for texts, _ in THREADS])
def test_no_verdict_claims_more_than_a_fit(opened, texts):
    """What fits is said to fit, with the share of random numbers that do; a near miss comes before doubt."""
    fill(opened, texts)
    status = opened.inner_text("#clinic-status")
    assert "explains the number:" not in status
    if any(
        heading in headings(opened)
        for heading in ("Fits to the digits that you typed", "Near, but not equal")
    ):
        assert "wrong numbers drawn at random" in status and not status.startswith(PERHAPS)


def test_a_rare_mistake_is_said_to_be_rare(opened):
    """A natural loss was taken for a log10 score."""
    fill(opened, {"expected": "6.0000", "got": digits(10 ** math.log(6))})
    status = opened.inner_text("#clinic-status")
    assert status.startswith("One mistake fits: M3") and "rare" in status


def test_a_finite_number_excludes_an_impossible_event(opened):
    """Probability 0 leaves an infinite number or nan, so M31 is offered for these only."""
    for got in ("48.4", "20.1"):
        fill(opened, {"expected": "37.50", "got": got})
        assert not any(item.startswith("M31") for item in headings(opened)[CANNOT])


def test_no_more_characters_than_bytes(opened):
    """A count that the other counts of the form exclude is not offered, whichever of them the formula has."""
    [free, bound] = opened.evaluate(
        DIAGNOSE, [of("8.7921", "1.4", unit="word", words="241335"), of("8.7921", "1.4", **HARNESS)]
    )
    assert any(found["name"] == "chars" and found["low"] > 1_290_527 for found in free["would"])
    for found in bound["would"]:
        assert found["name"] != "chars" or found["high"] <= 1_290_527


def test_two_units_of_one_run_must_belong_to_one_text(opened):
    """The harness printed 13.0065 per word and 1.5264 per byte: these are not the counts behind 8.7921."""
    words = {"expected": "9.0000"} | HARNESS
    for got, also, said in (
        ("13.0065", "1.5264", "6.066 bytes for every word, but the text here has 5.347"),
        ("8.7921", "1.5016", "5.347 bytes for every word, and so has the text here"),
    ):
        fill(opened, words | {"got": got, "also": also, "alsounit": "byte"})
        assert said in opened.inner_text("#clinic-status")
    fill(opened, {"words": ""})
    assert "check that yours has as many" in opened.inner_text("#clinic-status")


def test_the_verdict_stands_below_the_two_numbers(visit, address):
    """On a phone it is seen with the fields that were just filled in."""
    reader = visit(width=390, height=844)
    reader.page.goto(address)
    reader.page.fill("#clinic-got", "19.1218")
    reader.page.fill("#clinic-expected", "70.6083")
    top = reader.page.evaluate(
        "() => { const at = (id) => document.getElementById(id).getBoundingClientRect().top; "
        "return at('clinic-status') - at('clinic-got'); }"
    )
    assert 0 < top < 500


@pytest.mark.parametrize(
    "texts, first",
    [
        ({"expected": "100.000", "got": "46.4159", "tokens": "1000"}, "M19"),  # 200 positions of padding
        ({"expected": "100.000", "got": "46.4159"}, "M19"),
        ({"expected": "185.068", "got": "355.426"}, "M25"),  # SRILM's ppl1
        ({"expected": "884.5531", "got": "1394.401"}, "M25"),
        ({"expected": "37.37", "got": "29.94", "unit": "word"}, "M34"),  # GPT-2, per token and per word
        ({"expected": "15.3", "got": "7.54", "unit": "word"}, "M34"),
        ({"expected": "2.1000", "got": "16.800", "quantity": "nats"}, "M12"),  # eight devices, added
    ],
)
def test_the_commonest_mistake_is_offered_first(opened, texts, first):
    """Where several mistakes would fit for a count that was not given."""
    fill(opened, texts)
    assert headings(opened)[WANTED][0].startswith(first), headings(opened)[WANTED]


def test_windows_of_five_tokens_are_not_offered(opened):
    """One token in five would be lost: no program has windows as short as that."""
    for got in ("39.8107", "316.228"):  # 200 windows in 1,000 tokens
        [answer] = opened.evaluate(DIAGNOSE, [of("100.000", got, tokens="1000")])
        assert "M13" not in {found["explanation"]["mistake"] for found in answer["would"]}
    [answer] = opened.evaluate(DIAGNOSE, [of("100.000", "87.0964", tokens="1000")])
    assert "M13" in {found["explanation"]["mistake"] for found in answer["would"]}


def test_no_more_documents_than_line_ends(opened):
    """On the Penn Treebank, 12,545 documents would explain the number, but there are 3,761 lines."""
    counts = {"tokens": "82430", "ends": "3761"}
    [answer] = opened.evaluate(DIAGNOSE, [of("141.2", "73.5", **counts)])
    assert answer["would"] and "documents" not in {found["name"] for found in answer["would"]}


def test_gensims_own_log_line(opened):
    """It prints a bound in nats beside 2 to its power, as if the bound were in bits."""
    fill(opened, {"expected": "523.4", "got": "-9.032", "unit": "word"})
    first = headings(opened)["Fits to the digits that you typed"][0]
    assert first.startswith("M48") and "8,370" in first, first


@pytest.mark.parametrize(
    "texts, said",
    [
        ({"expected": "16.44", "got": "19.44"}, True),  # the same model with another stride
        ({"expected": "57.2", "got": "58.3"}, True),
        ({"expected": "2.1000", "got": "16.800", "quantity": "nats"}, False),
        ({"expected": "70.6083", "got": "19.1218"}, False),  # one mistake explains the number
    ],
)
def test_it_says_that_nothing_may_be_wrong(opened, texts, said):
    """If no mistake predicts the number, and another model or seed might."""
    fill(opened, texts)
    assert opened.inner_text("#clinic-status").startswith(PERHAPS) == said


def test_the_past_comes_first_where_the_numbers_are_near(opened):
    """Windows and strides: 19.44 and 16.44 of GPT-2 large, 5.91 and 5.68 of LLaMA 7B."""
    for expected, got, unit, first in (
        ("16.44", "19.44", "token", True),
        ("19.44", "16.44", "token", True),
        ("5.68", "5.91", "token", True),
        ("5.68", "5.91", "word", False),
        ("61.2345", "94.9876", "token", True),  # 1.11 times the nats: so much past can do
        ("61.2345", "294.9876", "token", False),
    ):
        fill(opened, {"expected": expected, "got": got, "unit": unit})
        assert headings(opened)[CANNOT][0].startswith("M15") == first


def test_variants_of_a_mistake_are_told_apart_in_their_first_line(opened):
    """Two explanations with one title differ in the line that is read first."""
    fill(opened, {"expected": "100.000", "got": "80.60", "tokens": "1000", "ends": "50", "documents": "48"})
    near = [item.split("\n")[0] for item in headings(opened)["Near, but not equal"]]
    assert len({line.split(",")[0] for line in near}) < len(near) == len(set(near)), near


def test_nan_is_explained(opened):
    """Not refused as a word: it says what makes it."""
    fill(opened, {"expected": "37.5", "got": "nan"})
    assert "0 × ∞" in opened.inner_text("#clinic-status")
    assert [item.split(",")[0] for item in headings(opened)[CANNOT]] == ["M31", "M45", "M46"]


def of(expected, got, **counts):
    """A published case, as it would be typed."""
    return {"quantity": "perplexity", "unit": "token", "expected": expected, "got": got} | counts


PTB = {"tokens": "82430", "words": "78669", "chars": "442423", "ends": "3761"}
SRILM = {"tokens": "3277", "ends": "206"}
BITS = {"quantity": "bits"}
BYTE = BITS | {"unit": "byte"}
CHAR = BITS | {"unit": "char"}
REPORTED = [
    ("M1", of("70.6083", "19.1218")),  # evaluate, pull request 242
    ("M2", of("19.1218", "70.6083")),
    ("M1", of("0.5865", "0.4065", **BYTE)),  # Llama 2 in the harness: nats per byte
    ("M2", of("0.5865", "0.8461", **BYTE)),  # lm-evaluation-harness, pull request 242: divided by ln 2 again
    ("M2", of("32.000", "148.41")),  # fairseq, issue 182
    ("M3", of("185.068", "9.6517")),  # SRILM's log10, raised with e, and with 2
    ("M3", of("185.068", "4.8142")),
    ("M3", of("884.5531", "19.0373")),
    ("M4", of("29.41", "3.3814")),  # the loss of GPT-2
    ("M4", of("50.000", "1.97788")),  # life2vec, issue 8: a square root
    ("M4", of("1.2300", "2.3457", **CHAR)),  # 2 to the bits per character
    ("M4", of("3.3814", "29.41", quantity="nats")),
    ("M5", of("50.000", "0.02000")),  # pytorch/examples, issue 734
    ("M6", of("30.000", "49300", vocabulary="50257")),  # torchmetrics, issue 1698
    ("M12", of("2.1000", "16.800", quantity="nats", steps="8")),  # transformers, pull request 34191
    ("M17", of("100.000", "10.0000", tokens="1000", kept="500")),  # lingua, issue 46
    ("M19", of("100.000", "46.4159", tokens="1000", pads="200")),  # xnmt, pull request 229
    ("M20", of("30.000", "136.36", tokens="1000", pads="250", vocabulary="60000")),
    ("M25", of("185.068", "355.426", tokens="9", ends="1")),  # theanolm, issue 13: ppl1
    ("M25", of("884.5531", "1394.401", **SRILM)),  # kenlm, issue 345
    ("M25", of("1426.499", "2251.937", tokens="3483", ends="206")),
    ("M25", of("141.2", "178.9", **PTB)),
    ("M28", of("1426.499", "884.5531", tokens="3483", unknown="206")),  # the same thread, the other tool
    ("M29", of("169.87", "100.00", tokens="1000000", unknown="50000", types="40000")),  # a blog's 1.699
    ("M30", of("50.000", "55.193", tokens="100", unknown="1")),  # a floor of 1e-6, 1e-10, 1e-20
    ("M30", of("50.000", "60.516", tokens="100", unknown="1")),
    ("M30", of("50.000", "76.185", tokens="100", unknown="1")),
    ("M34", of("79.65", "52.53", unit="word", words="82430", tokens="91093")),  # transformers, issue 13786
    ("M34", of("37.37", "29.94", unit="word", words="100000", tokens="106520")),  # issue 13761
    ("M34", of("15.3", "7.54", unit="word", words="1000", tokens="1350")),  # in-context-ralm, issue 8
    ("M36", of("1.3306", "7.1416", **CHAR, **PTB)),
    ("M37", of("1.3306", "1.4283", **CHAR, **PTB)),  # five characters to a word
    ("M38", of("1.0033", "1.0000", **CHAR, chars="1000000", bytes="1003304")),  # adaptive-span, issue 17
    ("M38", of("1.0505", "1.0000", **CHAR, chars="1000000", bytes="1050510")),
    ("M41", of("52.0", "128.4", vocabulary="50000")),  # OpenNMT-py, pull request 462
    ("M42", of("800.00", "1196.7", tokens="10000", aux="0.4027")),  # nvdm, issue 8: a KL term
    ("M44", of("114.500", "115.584")),  # optax, issue 1020: the loss as 4.75
    ("M48", of("8366.6", "523.4")),  # gensim, pull request 1399
    ("M48", of("8366.6", "-9.032")),
]


def test_reported_numbers_get_the_mistake_that_was_found_in_them(opened):
    """Numbers of public threads, or their arithmetic: first in nine of ten, and always listed."""
    answers = opened.evaluate(DIAGNOSE, [texts for _, texts in REPORTED])
    missed = []
    for (mistake, texts), answer in zip(REPORTED, answers, strict=True):
        listed = {one["explanation"]["mistake"] for key in ("fits", "soft", "near") for one in answer[key]}
        assert mistake in listed, (mistake, texts, answer)
        if answer["first"] != mistake:
            missed.append((mistake, answer["first"], texts))
    assert len(missed) <= len(REPORTED) // 10, missed


def test_noise_is_met_with_silence(opened):
    """Thirty pairs that no mistake made, with counts and without: no verdict says that one explains them."""
    rng = np.random.default_rng(23)
    cases = []
    for seed in range(15):
        text = Text(seed + 100)
        got = math.exp(rng.uniform(0.3, 1.8) * math.log(text.perplexity))
        both = {
            "quantity": "perplexity",
            "unit": "token",
            "expected": digits(text.perplexity),
            "got": digits(got),
        }
        cases += [both, both | text.counts()]
    assert [answer["fits"] for answer in opened.evaluate(DIAGNOSE, cases)] == [[]] * 30
    for texts in cases:
        opened.click("button[type=reset]")
        opened.wait_for_function("() => document.querySelector('#clinic-got').value === ''")
        fill(opened, texts)
        status = opened.inner_text("#clinic-status")
        assert not re.search(r"\bfits?\b|\bexplains the number", status), status
        assert COMPARE in headings(opened), status


def test_a_fit_by_chance_is_not_called_a_fit(opened):
    """Numbers of two digits, drawn at random: where one fits, the verdict says how often chance would."""
    rng = np.random.default_rng(41)
    right = np.exp(rng.uniform(math.log(5), math.log(500), size=300))
    cases = [of(digits(one, 2), digits(one ** rng.uniform(0.2, 2.0), 2)) for one in right]
    answers = opened.evaluate(DIAGNOSE, cases)
    chosen = [
        texts
        for texts, answer in zip(cases, answers, strict=True)
        if answer.get("kind") == "fits" and answer["chance"] > 0.05
    ]
    assert len(chosen) >= 5
    for texts in chosen[:8]:
        fill(opened, texts)
        status = opened.inner_text("#clinic-status")
        assert not re.search(r"\bfits?\b(?! some)", status), status
        assert "so might chance" in status and "of 100 wrong numbers drawn at random" in status
        assert COMPARE in headings(opened)


def test_nearly_every_pair_would_fit_for_some_count(opened):
    """So the page says of that list that it is not evidence."""
    rng = np.random.default_rng(31)
    pairs = np.exp(rng.uniform(math.log(5), math.log(500), size=(100, 2)))
    answers = opened.evaluate(DIAGNOSE, [of(digits(one), digits(two)) for one, two in pairs])
    assert sum(bool(answer["would"]) for answer in answers) >= 95


def test_chance_explains_little(opened):
    """Wrong numbers drawn at random, every count given: with six digits hardly one in a hundred fits."""
    rng = np.random.default_rng(11)
    cases = []
    for seed in range(40):
        text = Text(seed)
        for _ in range(10):
            got = math.exp(rng.uniform(0.2, 2.0) * math.log(text.perplexity))
            both = {"expected": digits(text.perplexity), "got": digits(got)}
            cases.append({"quantity": "perplexity", "unit": "token", **both, **text.counts()})
    answers = opened.evaluate(DIAGNOSE, cases)
    fitted = sum(bool(answer["fits"]) for answer in answers)
    assert fitted <= len(cases) // 100


def test_equal_numbers_need_no_explanation(opened):
    """Numbers that agree to the digits typed: nothing is wrong."""
    fill(opened, {"expected": "37.504", "got": "37.5"})
    assert "agree, to the digits that you typed" in opened.inner_text("#clinic-status")
    assert headings(opened) == {}


def test_infinite_is_explained(opened):
    """An infinite number: an event of probability 0, or an overflow."""
    fill(opened, {"expected": "37.5", "got": "inf"})
    assert "probability 0" in opened.inner_text("#clinic-status")
    [(_, items)] = headings(opened).items()
    assert [item.split(",")[0] for item in items] == ["M31", "M45", "M46"]


@pytest.mark.parametrize(
    "texts, field, said",
    [
        ({"expected": "0.5", "got": "3"}, "expected", "The expected number: 0.5 cannot be the perplexity"),
        ({"expected": "50", "got": "low"}, "got", "The number got is not a number"),
        ({"expected": "50", "got": "3", "pads": "-1"}, "pads", "is -1, but a count is at least 0"),
        ({"expected": "50", "got": "3", "tokens": "0"}, "tokens", "The text has 0 tokens"),
        ({"expected": "50", "got": "3", "tokens": "10", "ends": "11"}, "ends", "but 10 tokens in all"),
        ({"expected": "50", "got": "3", "chars": "10", "bytes": "5"}, "bytes", "cannot hold 10 characters"),
        ({"expected": "50", "got": "3", "parts": "120 35\n80"}, "parts", 'Line 2, "80"'),
        ({"expected": "50", "got": "3", "parts": "8.18 100"}, "parts", "is not a whole number of tokens"),
    ],
)
def test_impossible_input_is_explained(opened, texts, field, said):
    """Said in the result and beside the field; nothing is diagnosed."""
    fill(opened, texts)
    assert opened.inner_text("#clinic-status").startswith("Nothing is diagnosed.")
    assert said in opened.inner_text("#clinic-status")
    assert said in opened.inner_text(f"#clinic-{field}-fault")
    assert opened.get_attribute(f"#clinic-{field}", "aria-invalid") == "true"
    assert headings(opened) == {}


def test_address_holds_the_case(visit, opened):
    """The address, opened anew, gives the same findings, parts and all."""
    again = visit().page
    for _, texts in list(committed())[8:14:2]:
        opened.click("button[type=reset]")
        opened.wait_for_function("() => document.querySelector('#clinic-got').value === ''")
        fill(opened, texts)
        again.goto("about:blank")
        again.goto(opened.url)
        assert headings(again) == headings(opened) != {}
        assert again.evaluate("() => document.querySelector('#clinic-more').open")


@pytest.mark.parametrize(
    "texts, said",
    [
        (  # a loss in nats, and a perplexity
            {"expected": "29.41", "got": "3.3813", "gotquantity": "nats"},
            ["You got 3.3813 nats per token, which is a perplexity of 29.409 per token.", "numbers agree"],
        ),
        (  # it was in bits, and was raised with e
            {"expected": "2.9500", "got": "19.106", "quantity": "bits", "gotquantity": "perplexity"},
            ["which is 4.256 bits", "One mistake fits: M2"],
        ),
        (
            {"expected": "15.3", "got": "7.54", "unit": "word", "gotunit": "token"},
            ["They agree, and nothing is wrong, if the text has about 1.35", "tokens for every word"],
        ),
        (
            {"expected": "15.3", "got": "2.91", "unit": "word", "gotquantity": "bits", "gotunit": "token"},
            ["They agree, and nothing is wrong, if the text has about 1.352"],
        ),
        (
            {"expected": "15.3", "got": "15000", "unit": "word", "gotunit": "token"},
            ["there is hardly such a text"],
        ),
        (
            {"expected": "15.3", "got": "7.5374", "unit": "word", "gotunit": "token"}
            | {"words": "1000", "tokens": "1350"},
            ["which is a perplexity of 15.284", "The two numbers agree"],
        ),
        (
            {"expected": "15.300", "got": "4.0531", "unit": "word", "gotunit": "token"}
            | {"words": "1000", "tokens": "1350"},
            ["which is a perplexity of 6.6", "M1, nats are read as bits"],
        ),
    ],
)
def test_a_number_in_another_unit_is_converted_first(opened, texts, said):
    """The number got may be of another kind, or per another unit; then the two are compared in one."""
    fill(opened, texts)
    status = opened.inner_text("#clinic-status")
    assert all(words in status for words in said), status
    assert ("agree" in status) == (headings(opened) == {}) or "hardly" in status


def test_an_impossible_number_in_another_unit_is_a_fault(opened):
    """A perplexity below 1 cannot be converted."""
    fill(opened, {"expected": "3.0", "got": "0.5", "quantity": "nats", "gotquantity": "perplexity"})
    assert "The number got: 0.5 cannot be the perplexity" in opened.inner_text("#clinic-got-fault")
    fill(opened, {"gotquantity": ""})
    assert opened.get_attribute("#clinic-got", "aria-invalid") is None


def test_the_counts_rule_mistakes_out(opened):
    """Where the counts make a mistake predict another number, the verdict says which."""
    fill(opened, {"expected": "79.65", "got": "30.00", "unit": "word", "words": "82430", "tokens": "91093"})
    ruled = 79.65 ** (82430 / 91093)
    status = opened.inner_text("#clinic-status")
    assert f"Ruled out by your counts: M34 would give {ruled:.2f}" in status
    assert f"M34, perplexities of different tokens are compared: would give {ruled:.2f}" in "".join(
        headings(opened)[OUT]
    )
    assert "M34" not in "".join(headings(opened).get(WANTED, []))
    fill(opened, {"got": "52.53"})  # now it is M34
    assert "Ruled out" not in opened.inner_text("#clinic-status")


def test_an_estimate_rules_nothing_out(opened):
    """Whatever the counts, M13 and M9 stay possible; a list of the parts can rule M9 out."""
    counts = {"tokens": "10000", "windows": "100"}
    for got in ("46.0", "55.0"):
        fill(opened, {"expected": "50.0", "got": got} | counts)
        ids = [item.split(",")[0] for item in headings(opened)[CANNOT]]
        assert {"M9", "M13"} <= set(ids)
        assert "M13" not in "".join(headings(opened).get(OUT, []))
    fill(opened, {"parts": "5000 45.0\n5000 60.0"})
    opened.select_option("#clinic-cut", "batches")
    fill(opened, {"got": "70.0"})
    assert not any(item.startswith(("M9", "M10")) for item in headings(opened)[CANNOT])


@pytest.mark.parametrize(
    "expected, got, mistake",
    [
        ("16.44", "34.0", "M15"),  # 1.26 times the nats
        ("34.0", "16.44", "M15"),
        ("39.14", "5870", "M24"),  # 2.37 times
    ],
)
def test_a_hint_comes_early_where_real_cases_reach(opened, expected, got, mistake):
    """Among the first six hints: a start symbol or a past can be worth that much."""
    fill(opened, {"expected": expected, "got": got})
    assert mistake in [item.split(",")[0] for item in headings(opened)[CANNOT]][:6]


def test_five_characters_a_word_are_offered_for_usual_words_only(opened):
    """Without counts, M37 would fit nearly every pair of numbers."""
    rng = np.random.default_rng(3)
    pairs = np.exp(rng.uniform(math.log(5), math.log(500), size=(100, 2)))
    cases = [of(digits(one), digits(two), unit=unit) for one, two in pairs for unit in ("token", "word")]
    for answer in opened.evaluate(DIAGNOSE, cases):
        assert "M37" not in {found["explanation"]["mistake"] for found in answer["would"]}
    usual, unusual = (CHAR | {"expected": "1.3000", "got": got} for got in ("1.4300", "2.6000"))
    for texts, offered in ((usual, True), (unusual, False)):
        [answer] = opened.evaluate(DIAGNOSE, [texts])
        assert ("M37" in {found["explanation"]["mistake"] for found in answer["would"]}) == offered


def test_as_many_words_as_tokens_are_not_offered(opened):
    """1,000 words for 1,000 tokens would explain any small difference."""
    fill(opened, {"expected": "57.2", "got": "57.4"})
    assert "M34" not in "".join(headings(opened).get(WANTED, []))


def test_the_findings_stand_between_the_numbers_and_the_counts(opened):
    """What was found is read without passing the counts; the examples come last."""
    fill(opened, {"expected": "61.2345", "got": "70.9876"})
    tops = opened.evaluate(
        "() => ['got', 'gotunit', 'status', 'findings', 'tokens', 'cases'].map(name => "
        "document.getElementById('clinic-' + name).getBoundingClientRect().top)"
    )
    assert tops == sorted(tops)
    opened.click("text=Add the counts of the text")
    assert opened.evaluate("() => document.activeElement.id") == "clinic-tokens"


def test_a_field_stays_where_it_is_while_the_findings_change(opened):
    """The findings above a count grow and shrink; the field that is typed in does not move on the screen."""
    fill(opened, {"expected": "61.2345", "got": "70.9876"})
    opened.focus("#clinic-tokens")
    opened.evaluate("() => window.scrollBy(0, 500)")
    where = "() => Math.round(document.activeElement.getBoundingClientRect().top)"
    before = opened.evaluate(where)
    heights = {opened.evaluate("() => document.getElementById('clinic-findings').offsetHeight")}
    for key in "1000":
        opened.keyboard.type(key)
        opened.wait_for_timeout(50)
        heights.add(opened.evaluate("() => document.getElementById('clinic-findings').offsetHeight"))
        now, top = opened.evaluate(where), opened.evaluate("() => scrollY")
        assert abs(now - before) <= 1 or (top == 0 and now < before)  # at the top of the page it cannot stay
    assert len(heights) > 1


def test_known_text_fills_the_counts(opened):
    """The Penn Treebank from the list: 178.9 where 141.2 was expected is a matter of sentence ends."""
    opened.select_option("#clinic-text", "ptb-test")
    assert opened.input_value("#clinic-ends") == "3761"
    fill(opened, {"expected": "141.2", "got": "178.9"})
    status = opened.inner_text("#clinic-status")
    assert "M25" in headings(opened)["Fits to the digits that you typed"][0], status


@pytest.mark.parametrize(
    "case, said",
    [
        ("70.6083", "M1, nats are read as bits"),
        ("15.3 per word", "M34, perplexities of different tokens are compared: with about 1.35"),
        ("Penn Treebank", "M25, the sentence end is in one of numerator and denominator only"),
        ("1.5264 per byte", "M39, the text that is counted is not the text that was scored"),
    ],
)
def test_the_offered_cases_are_filled_in_and_explained(opened, case, said):
    """One click fills the form, whatever was in it, and the answer names the mistake."""
    fill(opened, {"expected": "50", "got": "3", "tokens": "100", "pads": "7"})
    opened.click(f".tool-example:has-text('{case}')")
    assert opened.input_value("#clinic-pads") == ""
    assert any(said in item for items in headings(opened).values() for item in items), headings(opened)


def test_missing_counts_are_listed_as_english(opened):
    """Three missing counts are a series with one "and"."""
    fill(opened, {"expected": "61.2345", "got": "70.9876"})
    lines = headings(opened)["Not tested, for want of a count"]
    assert "unknown words among the tokens, tokens and different unknown words: M29" in lines


def test_by_keyboard_alone(opened):
    """Both numbers typed, the folded part opened, the link copied, without a mouse."""
    opened.keyboard.press("Tab")
    opened.keyboard.type("19.1218")
    opened.keyboard.press("Tab")
    opened.keyboard.type("70.6083")
    assert "One mistake fits: M1" in opened.inner_text("#clinic-status") or "M48" in (
        opened.inner_text("#clinic-status")
    )
    seen = []
    for _ in range(60):
        opened.keyboard.press("Tab")
        seen.append(opened.evaluate("() => document.activeElement.id || document.activeElement.tagName"))
        if seen[-1] == "SUMMARY":
            opened.keyboard.press("Enter")
        if seen[-1] == "clinic-link":
            opened.keyboard.press("Enter")
            break
    assert {
        "clinic-quantity",
        "clinic-tokens",
        "SUMMARY",
        "clinic-pads",
        "clinic-parts",
        "clinic-link",
    } <= set(seen)
    opened.wait_for_function("() => document.getElementById('clinic-copied').textContent !== ''")


def test_each_field_has_a_name(opened):
    """A label for every control, a legend for every group, no id twice."""
    nameless = opened.evaluate(
        "() => [...document.querySelectorAll('#clinic-tool :is(input, select, textarea)')]"
        ".filter(e => !e.labels.length || !e.labels[0].textContent.trim()).map(e => e.id)"
    )
    assert nameless == []
    assert opened.locator("fieldset").count() == opened.locator("fieldset > legend").count() == 5
    ids = opened.evaluate("() => [...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


def test_rounding_is_that_of_the_hardware(opened):
    """The page's bfloat16 and float16 are those of NumPy, and of a cut float32."""
    values = [float(v) for v in np.random.default_rng(5).uniform(0.01, 20, size=500)]
    got = opened.evaluate(
        "values => values.map(v => [LMM.clinic.rounded(v, 8), LMM.clinic.rounded(v, 11)])", values
    )
    for value, (brain, half) in zip(values, got, strict=True):
        assert brain == bfloat16(value) and half == float(np.float16(value))


def test_explanations_are_well_formed():
    """Each is of a mistake in the catalogue, says something, and predicts one thing."""
    assert len({one.mistake for one in EXPLANATIONS}) >= 28
    for one in EXPLANATIONS:
        assert one.data()["name"] == NAMES[one.mistake] and one.story.endswith(".")
        assert sum(bool(way) for way in (one.nats, one.number, one.low)) == 1
        assert bool(one.low) == bool(one.high)
        assert ("{x}" in one.story) == bool(one.implied)
    with pytest.raises(ValueError, match="not arithmetic of the clinic"):
        tree("__import__('os')")
    with pytest.raises(ValueError, match="'paddings' is not arithmetic"):
        tree("h * tokens / paddings")


@needs_book
def test_the_checklist_of_the_book_has_seven_links(visit):
    """Where nothing fits, the page's own list is repeated, and each of its links leads to a place."""
    page = HTML / "book" / "clinic.html"
    reader = visit(width=390, height=844)
    reader.page.goto(page.as_uri() + "?got=61.2345&expected=70.9876&quantity=perplexity&unit=token")
    items = reader.page.locator("#clinic-findings h2:has-text('compare the two runs') + ul li")
    assert items.count() == 7
    for item in items.all():
        path, _, anchor = item.locator("a").first.get_attribute("href").partition("#")
        assert f'id="{anchor}"' in (page.parent / path).read_text(encoding="utf8")
    assert reader.sideways() <= 0 and reader.problems == []


@needs_book
def test_page_of_the_book_links_every_treated_mistake(visit):
    """In the built book: a finding links to the section that runs the mistake, and the section exists."""
    page = HTML / "book" / "clinic.html"
    reader = visit(width=390, height=844)
    reader.page.goto(page.as_uri() + "?got=19.1218&expected=70.6083&quantity=perplexity&unit=token")
    link = reader.page.locator("#clinic-findings a").first.get_attribute("href")
    path, _, anchor = link.partition("#")
    assert f'id="{anchor}"' in (page.parent / path).read_text(encoding="utf8")
    assert reader.sideways() <= 0 and reader.problems == []
