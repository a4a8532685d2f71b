"""compare and compare_scores: what they find, what they refuse, and what the interval means."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import stdtrit

from lmmetrics import Score, UnitError, corpora
from lmmetrics.information import entropy
from lmmetrics.ngram import AddK, ModifiedKneserNey, NGramModel
from lmmetrics.score import UNITS
from lmmetrics.scoring import TextScore, compare, compare_scores, score_documents
from lmmetrics.sources import AgreementSource, MarkovSource
from lmmetrics.text import tokenize


class Surprisal:
    """A model with a mean surprisal of its own, in bits for each token, and noise."""

    def __init__(self, bits, seed=None, noise=0.0):
        self.bits, self.seed, self.noise = bits, seed, noise

    def log_probs(self, text):
        noise = np.random.default_rng(self.seed).uniform(-self.noise, self.noise, len(text))
        return -(self.bits + noise) * math.log(2)


SOURCE = MarkovSource([[0.9, 0.1], [0.5, 0.5]], ["a", "b"])
UNIFORM = MarkovSource([0.5, 0.5], ["a", "b"])


def test_compare_by_hand():
    """Two documents, so a resample is one of them twice, or both: three ratios, with 1/4, 1/2 and 1/4."""
    a = [Score(nats=math.log(2) * bits, tokens=n) for bits, n in ((10, 10), (90, 30))]
    b = [Score(nats=0.0, tokens=n) for n in (10, 30)]
    result = compare_scores(a, b, seed=1, resamples=20_000, interval="bootstrap")
    assert result.difference == pytest.approx(100 / 40)
    assert (result.low, result.high) == pytest.approx((1.0, 3.0))
    ratios, weights = np.array([1.0, 2.5, 3.0]), np.array([1, 2, 1]) / 4
    error = math.sqrt(weights @ ratios**2 - (weights @ ratios) ** 2)
    assert result.standard_error == pytest.approx(error, rel=0.01)
    assert (result.needed_documents, result.needed) == (2, 40)  # of two, the expected interval excludes 0
    assert result.a == sum(a) and result.documents == 2 and result.apart
    student = compare_scores(a, b, seed=1, resamples=20_000)
    assert student.interval == "t" and student.standard_error == result.standard_error
    half = 12.706205 * result.standard_error * math.sqrt(2)  # t with one degree of freedom, 2 / (2 - 1)
    assert (student.low, student.high) == pytest.approx((2.5 - half, 2.5 + half)) and not student.apart


def test_compare_takes_the_unit_and_the_threads():
    train = tokenize(["the cat sleeps\nthe dog eats\n"])
    text = tokenize(["the dog\n", "a cat eats the dog\n"], vocabulary=train.vocabulary)
    models = [NGramModel(order, AddK()).fit(train) for order in (1, 2)]
    for unit in UNITS:
        by_hand = compare_scores(*(score_documents(model, text) for model in models), unit, seed=1)
        for jobs in (1, 2, None):
            assert repr(compare(*models, text, unit, jobs=jobs, seed=1)) == repr(by_hand)
    assert compare(*models, text).unit == "token"
    with pytest.raises(TypeError, match="Surprisal does not share its work"):
        compare(models[0], Surprisal(1.0), text, jobs=2)
    with pytest.raises(UnitError, match="word"):
        compare(*models, replace(text, document_counts={**text.document_counts, "words": None}), "word")


def test_compare_says_who_is_better():
    text = SOURCE.sample(20_000, seed=1, documents=50)
    result = compare(SOURCE, UNIFORM, text, seed=1)
    expected = (SOURCE.entropy_rate() - math.log(2)) / math.log(2)
    assert result.low < expected < result.high < 0 and result.apart
    assert "bits per token" in repr(result) and "a is better" in repr(result)
    assert "50 documents, 20,000 tokens" in repr(result)
    other = compare(UNIFORM, SOURCE, text, seed=1)
    assert (other.difference, other.low, other.high) == pytest.approx(
        (-result.difference, -result.high, -result.low), abs=0.002
    )
    assert "b is better" in repr(other)


def test_compare_a_model_with_itself():
    result = compare(SOURCE, SOURCE, SOURCE.sample(1000, seed=1, documents=10))
    assert (result.difference, result.low, result.high, result.needed) == (0, 0, 0, math.inf)
    assert not result.apart and "the same, up to rounding" in repr(result)


def test_rounding_makes_no_model_better(tmp_path):
    """An ARPA file keeps seven digits, and every document shows the same tiny difference."""
    tales = corpora.load("tales-en")
    text = tokenize(tales.train)
    model = NGramModel(2, ModifiedKneserNey()).fit(text)
    model.to_arpa(tmp_path / "m.arpa")
    test = tokenize(tales.test, vocabulary=text.vocabulary)
    result = compare(model, NGramModel.from_arpa(tmp_path / "m.arpa"), test)
    assert result.same and not result.apart and result.difference != 0
    assert repr(result).endswith("bits per token: the two are the same, up to rounding")
    assert result.to_dict()["apart"] is False
    assert replace(result, low=2e-6, high=3e-6).apart, "a difference that no rounding makes"


def test_compare_pairs_the_documents():
    """Both models suffer from the same hard documents: only their difference counts."""
    rng = np.random.default_rng(3)
    hard = rng.uniform(1, 9, 40)
    a = [Score(nats=100 * h * math.log(2), tokens=100) for h in hard]
    b = [Score(nats=100 * (h + 0.1) * math.log(2), tokens=100) for h in hard]
    result = compare_scores(a, b)
    assert (result.low, result.high) == pytest.approx((-0.1, -0.1))


def test_compare_pools_before_it_divides():
    a = [Score(nats=70.0, tokens=10), Score(nats=700.0, tokens=1000)]
    b = [Score(nats=0.0, tokens=10), Score(nats=0.0, tokens=1000)]
    assert compare_scores(a, b).difference == pytest.approx(770 / math.log(2) / 1010)


def test_seed_decides_the_interval():
    text = SOURCE.sample(500, seed=1, documents=20)
    one, same = (compare(SOURCE, UNIFORM, text, seed=5) for _ in range(2))
    other = compare(SOURCE, UNIFORM, text, seed=np.random.default_rng(6))
    assert (one.low, one.high) == (same.low, same.high) != (other.low, other.high)


def test_interval_holds_the_truth_as_often_as_it_says():
    """With 60 documents, 95 per cent intervals cover in 95 per cent of 200 trials, to within four s.e."""
    truth = (SOURCE.entropy_rate() - math.log(2)) / math.log(2)
    rng, hits = np.random.default_rng(8), 0
    for _ in range(200):
        result = compare(SOURCE, UNIFORM, SOURCE.sample(12_000, rng, documents=60), resamples=400, seed=rng)
        # The first token of a document has no context, so it costs H(stationary) instead of the rate.
        start = 60 / 12_000 * (entropy(SOURCE.stationary) - SOURCE.entropy_rate()) / math.log(2)
        hits += result.low <= truth + start <= result.high
    assert 0.90 <= hits / 200 <= 0.99


NOISE = {
    "normal": lambda rng, size: rng.normal(size=size),
    "exponential": lambda rng, size: rng.exponential(size=size) - 1,
    "log-normal": lambda rng, size: (
        (np.exp(rng.normal(size=size)) - math.exp(0.5)) / math.sqrt((math.e - 1) * math.e)
    ),
}
"""Errors of documents, with mean 0 and variance 1; two of them skewed."""
SIZES = 2, 3, 5, 10, 30


def told_shares():
    """The table in the doc-string of compare_scores: for interval and noise a share for each size."""
    row = re.compile(r'"(t|bootstrap)", (\S+)(?: differences)? +((?:\d+ *){5})$', re.MULTILINE)
    return {
        (a, b): [int(n) / 100 for n in numbers.split()]
        for a, b, numbers in row.findall(compare_scores.__doc__)
    }


@pytest.mark.parametrize("noise", NOISE)
@pytest.mark.parametrize("documents", SIZES)
def test_the_intervals_hold_the_truth_as_often_as_the_doc_string_says(documents, noise):
    """A document of n tokens differs by 0.05 n + sqrt(n) e bits; Student's t covers at least as often."""
    rng, trials, hits = np.random.default_rng(1), 400, {"t": 0, "bootstrap": 0}
    for _ in range(trials):
        counts = np.exp(rng.normal(5.5, 0.6, documents)).round() + 1
        bits = 100 * counts + 0.05 * counts + NOISE[noise](rng, documents) * np.sqrt(counts)
        a = [Score(x * math.log(2), tokens=int(n)) for x, n in zip(bits, counts, strict=True)]
        b = [Score(100 * n * math.log(2), tokens=int(n)) for n in counts]
        seed = int(rng.integers(2**32))
        for interval in hits:
            result = compare_scores(a, b, resamples=300, seed=seed, interval=interval)
            hits[interval] += result.low <= 0.05 <= result.high
    for interval, found in hits.items():
        expected = told_shares()[interval, noise][SIZES.index(documents)]
        assert found / trials == pytest.approx(expected, abs=4 * math.sqrt(0.25 / trials) * 0.6 + 0.01)
    assert hits["t"] >= hits["bootstrap"]


def test_the_default_is_students_t():
    for documents in (2, 5, 6, 30):
        scores = [[Score(nats=float(i + k), tokens=9) for i in range(documents)] for k in (1, 2)]
        assert compare_scores(*scores, resamples=99).interval == "t"
    for wrong in ("normal", None):
        with pytest.raises(ValueError, match=rf'interval is {wrong!r}; "t" or "bootstrap" is expected'):
            compare_scores([Score(1.0, tokens=1)] * 2, [Score(1.0, tokens=1)] * 2, interval=wrong)


def random_comparisons(documents, interval, trials=200):
    """Comparisons of models whose true difference is as large as the noise of a document."""
    rng = np.random.default_rng(5)
    for _ in range(trials):
        counts = rng.integers(50, 200, documents)
        bits = 100 * counts + (1 + rng.normal(size=documents)) * counts
        a = [Score(x * math.log(2), tokens=int(n)) for x, n in zip(bits, counts, strict=True)]
        b = [Score(100 * n * math.log(2), tokens=int(n)) for n in counts]
        yield compare_scores(a, b, resamples=200, seed=rng, interval=interval)


@pytest.mark.parametrize("interval", ["t", "bootstrap"])
@pytest.mark.parametrize("documents", [2, 3, 5, 10])
def test_what_did_not_suffice_is_never_said_to_suffice(documents, interval):
    undecided = [found for found in random_comparisons(documents, interval) if not found.apart]
    assert len(undecided) > 5
    for found in undecided:
        assert found.needed_documents > documents and found.needed > found.a.tokens, found


def test_needed_documents_by_hand():
    """Three documents of 40 tokens differ by 1, 2 and 3 bits a token: error 1 / sqrt(3), with n - 1."""
    b = [Score(nats=0.0, tokens=40)] * 3
    a = [Score(nats=40 * bits * math.log(2), tokens=40) for bits in (1, 2, 3)]
    found = compare_scores(a, b, resamples=20_000)
    assert not found.apart  # 2 / (1 / sqrt(3)) = 3.46 is below 4.30, the quantile with 2 degrees of freedom
    # At 4 documents (3.182 + 0.978) / 2 = 2.08 is above 2, at 5 (2.776 + 0.941) / sqrt(5) = 1.66 is not.
    assert repr((found.needed_documents, found.needed)) == "(5, 200)"  # counts, also in JSON
    assert repr(found).endswith(
        "not told apart; about 5 documents, 200 tokens would tell them apart 4 times in 5"
    )


def test_a_difference_within_rounding_needs_no_number_of_documents():
    a = [Score(nats=1.0 + 1e-15, tokens=1), Score(nats=0.0, tokens=1)]
    b = [Score(nats=0.0, tokens=1), Score(nats=1.0, tokens=1)]
    found = compare_scores(a, b, resamples=999)
    assert found.difference > 0 and found.needed == found.needed_documents == math.inf


@pytest.mark.parametrize("deviation", [0.5, 1, 3])
def test_needed_documents_tell_apart_about_four_times_in_five(deviation):
    """Student's t on as many normal differences as are asked for, again and again: s is known nearly."""
    rng = np.random.default_rng(2)
    many = rng.normal(size=1000)
    many = 1 + deviation * (many - many.mean()) / many.std(ddof=1)
    a = [Score(nats=(100 + bits) * math.log(2), tokens=1) for bits in many]
    found = compare_scores(a, [Score(nats=100 * math.log(2), tokens=1)] * 1000, resamples=2000)
    size = int(found.needed_documents)
    draws = rng.normal(1, deviation, (4000, size))
    error = draws.std(1, ddof=1) / math.sqrt(size)
    assert 0.76 < (np.abs(draws.mean(1)) > stdtrit(size - 1, 0.975) * error).mean() < 0.93


def test_needed_tokens_tell_apart_about_four_times_in_five():
    """Sample as many tokens as one comparison asks for, again and again, and see how often 0 is left out."""
    near = MarkovSource([[0.88, 0.12], [0.5, 0.5]], ["a", "b"])
    needed = int(
        compare(SOURCE, near, SOURCE.sample(2_000_000, seed=1, documents=2000), resamples=500).needed
    )
    rng, trials = np.random.default_rng(9), 100
    found = sum(
        compare(SOURCE, near, SOURCE.sample(needed, rng, documents=40), resamples=400, seed=rng).apart
        for _ in range(trials)
    )
    assert 0.64 <= found / trials <= 0.96


def test_compare_across_tokenizers_is_per_byte():
    documents = ["cat sleeps", "sleeps cat cat", "cat"]
    words = score_documents(Surprisal(8), tokenize(documents))
    chars = score_documents(Surprisal(2), tokenize(documents, by="char"))
    with pytest.raises(UnitError, match=r'Document 0 has 3 tokens for a and 11 for b.*unit="byte"'):
        compare_scores(words, chars)
    result = compare_scores(words, chars, unit="byte")
    assert result.difference == pytest.approx((8 * 9 - 2 * 30) / 27)
    assert "bits per byte" in repr(result) and "27 bytes" in repr(result)


def test_blanks_that_one_tokenizer_drops_are_named():
    documents = ["cat  sleeps", "cat"]
    chars = score_documents(Surprisal(2), tokenize(documents, by="char"))
    words = score_documents(Surprisal(8), tokenize(documents, by="whitespace"))
    with pytest.raises(UnitError, match=r"11 bytes for a and 10 for b.* one blank between two tokens"):
        compare_scores(chars, words, unit="byte")


@pytest.mark.parametrize("unit", ["token", "word"])
@pytest.mark.parametrize("side", ["a", "b"])
def test_documents_without_the_unit_are_left_out(unit, side):
    """The middle document has no word; only one of the sides scores tokens in it, such as `</s>`."""
    one = [Score(1.0, tokens=2, words=1), Score(0.0, tokens=0, words=0), Score(2.0, tokens=2, words=3)]
    other = [Score(0.0, tokens=2, words=1), Score(5.0, tokens=1, words=0), Score(0.5, tokens=2, words=3)]
    a, b = (one, other) if side == "a" else (other, one)
    if unit == "token":
        a, b = one, [other[0], Score(0.0, tokens=0, words=0), other[2]]
    result = compare_scores(a, b, unit=unit)
    assert result.documents == 2 and result.a == a[0] + a[2] and result.b == b[0] + b[2]
    assert result.difference == pytest.approx(result.a.bits_per(unit) - result.b.bits_per(unit))


def test_an_error_of_0_from_few_documents_gives_no_winner():
    """Of three documents with one token each, all with the same difference, and of as many as are enough."""
    for documents, apart in ((3, False), (9, False), (10, True)):
        a, b = ([Score(nats, tokens=1)] * documents for nats in (1.0, 2.0))
        found = compare_scores(a, b)
        assert found.standard_error == pytest.approx(0, abs=1e-12) and found.apart is apart
        assert found.to_dict()["apart"] is apart and found.needed_documents == (2 if apart else 10)
        assert ("a is better" in repr(found)) is apart
        assert ("At least 10 documents are needed, or documents that differ" in repr(found)) is not apart


@pytest.mark.parametrize(
    ("a", "b", "arguments", "says"),
    [
        ([Score(1.0, tokens=2)], [Score(1.0, tokens=2)], {}, "There is 1 document with a scored token"),
        ([], [], {}, "There are 0 documents"),
        ([Score(1.0, tokens=2)] * 2, [Score(1.0, tokens=2)] * 3, {}, "2 documents and b for 3"),
        ([Score(1.0, tokens=2)] * 2, [Score(math.inf, tokens=2)] * 2, {}, "model b gives probability 0"),
        ([Score(1.0, tokens=2)] * 2, [Score(1.0, tokens=2)] * 2, {"unit": "byte"}, "how many bytes"),
        ([Score(1.0, tokens=2)] * 2, [Score(1.0, tokens=2)] * 2, {"unit": "line"}, "'line' is not a unit"),
        (
            [Score(1.0, tokens=2, words=0)] * 2,
            [Score(1.0, tokens=2, words=0)] * 2,
            {"unit": "word"},
            "There are 0 documents with a scored word",
        ),
        (
            [TextScore(1.0, tokens=2, unknown=1)] * 2,
            [TextScore(1.0, tokens=2)] * 2,
            {},
            "Document 0 has 1 unknown token for a and 0 for b: the vocabularies differ",
        ),
    ],
)
def test_wrong_comparisons_are_refused(a, b, arguments, says):
    with pytest.raises(ValueError, match=says):
        compare_scores(a, b, **arguments)


def test_models_of_other_vocabularies_cannot_be_compared():
    with pytest.raises(ValueError, match=r"text has another vocabulary .* than the model"):
        compare(SOURCE, AgreementSource(), SOURCE.sample(10, seed=1, documents=2))


@given(st.lists(st.tuples(st.integers(1, 50), st.floats(0, 10), st.floats(0, 10)), min_size=2, max_size=20))
@settings(max_examples=50, deadline=None)
def test_interval_lies_within_the_documents(documents):
    a = [Score(n * x, tokens=n) for n, x, _ in documents]
    b = [Score(n * y, tokens=n) for n, _, y in documents]
    result = compare_scores(a, b, resamples=200, interval="bootstrap")
    each = [(x - y) / math.log(2) for _, x, y in documents]
    assert min(each) - 1e-9 <= result.low <= result.high <= max(each) + 1e-9
    assert result.standard_error >= 0 and result.needed >= 1
