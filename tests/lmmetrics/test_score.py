"""Score: conversions between units, pooling, and what is refused."""

import copy
import dataclasses
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lmmetrics import Score
from lmmetrics.score import UNITS, UnitError

counts = st.integers(min_value=1, max_value=10**7)
nats = st.floats(min_value=0, max_value=1e9)
scores = st.builds(Score, nats, tokens=counts, words=counts, chars=counts, bytes=counts)


# -- values of the book -------------------------------------------------------------------------------------


def test_three_words_of_chapter_02():
    score = Score(-math.log(0.5 * 0.8 * 0.9), tokens=3, words=3, chars=4, bytes=12)
    assert score.nats_per("word") == pytest.approx(0.340550, abs=5e-7)
    assert score.bits_per("word") == pytest.approx(0.491310, abs=5e-7)
    assert score.bits_per("char") == pytest.approx(0.368483, abs=5e-7)
    assert score.perplexity == pytest.approx(1.405721, abs=5e-7)
    assert score.bits_per("byte") * 12 == pytest.approx(score.bits)


def test_published_lines_of_chapter_05():
    kneser_ney = Score.from_perplexity(141.2, tokens=82_430, chars=442_423)
    assert kneser_ney.bits_per("token") == pytest.approx(7.1416, abs=5e-5)
    assert kneser_ney.bits_per("char") == pytest.approx(1.3306, abs=5e-5)
    assert Score.from_perplexity(64, per="word", words=1).bits_per("word") == pytest.approx(6)


def test_perplexity_per_word_is_an_exponent_of_perplexity_per_token():
    gpt2 = Score.from_perplexity(52.53, tokens=11_051, words=10_000)
    assert gpt2.perplexity_per("word") == pytest.approx(52.53**1.1051)
    assert gpt2.perplexity_per("word") == pytest.approx(79.65, abs=0.02)


def test_pooling_is_not_averaging_chapter_04():
    a, b = Score(200, tokens=100), Score(60, tokens=10)
    assert (a + b).perplexity == pytest.approx(10.6295, abs=5e-5)
    assert (a.perplexity + b.perplexity) / 2 == pytest.approx(205.41, abs=5e-3)
    short, long = Score(-math.log(0.6 * 0.7), tokens=2), Score(4 * math.log(10), tokens=4)
    assert short.perplexity == pytest.approx(1.5430, abs=5e-5)
    assert (short + long).perplexity == pytest.approx(5.3636, abs=5e-5)
    assert (short.perplexity + long.perplexity) / 2 == pytest.approx(5.7715, abs=5e-5)


# -- properties ---------------------------------------------------------------------------------------------


@given(scores, scores, scores)
def test_pooling_is_associative_and_commutative(a, b, c):
    assert a + b == b + a
    left, right = (a + b) + c, a + (b + c)
    assert left.nats == pytest.approx(right.nats, rel=1e-15)
    assert [getattr(left, f) for f in UNITS.values()] == [getattr(right, f) for f in UNITS.values()]


@given(scores)
def test_every_unit_carries_the_same_total(score):
    for unit, field in UNITS.items():
        count = getattr(score, field)
        assert score.bits_per(unit) * count == pytest.approx(score.bits, rel=1e-12)
        assert score.nats_per(unit) * count == pytest.approx(score.nats, rel=1e-12)
        assert score.bits_per(unit) * math.log(2) == pytest.approx(score.nats_per(unit), rel=1e-12)
        assert score.perplexity_per(unit) >= 1


@settings(deadline=None)
@given(st.lists(scores, min_size=1, max_size=6))
def test_the_pooled_perplexity_is_the_weighted_geometric_mean(parts):
    pooled = sum(parts)
    assert pooled.tokens == sum(part.tokens for part in parts)
    weighted = math.fsum(part.nats_per("token") * part.tokens for part in parts) / pooled.tokens
    assert pooled.nats_per("token") == pytest.approx(weighted, rel=1e-9)
    low, high = min(p.nats_per("token") for p in parts), max(p.nats_per("token") for p in parts)
    assert low * (1 - 1e-12) <= pooled.nats_per("token") <= high * (1 + 1e-12)


@given(st.floats(min_value=1, max_value=1e12), counts, st.sampled_from(sorted(UNITS)))
def test_from_perplexity_goes_back(value, count, unit):
    score = Score.from_perplexity(value, per=unit, **{UNITS[unit]: count})
    assert score.perplexity_per(unit) == pytest.approx(value, rel=1e-12)


# -- infinite, empty, very large ----------------------------------------------------------------------------


def test_infinite_nats_are_an_infinite_perplexity():
    score = Score(math.inf, tokens=3)
    assert score.perplexity == score.bits_per("token") == math.inf
    assert (score + Score(1, tokens=1)).perplexity == math.inf
    assert "perplexity inf" in repr(score)
    assert Score.from_perplexity(math.inf, tokens=3).nats == math.inf


def test_a_perplexity_beyond_float64_is_infinite_and_its_nats_are_not():
    score = Score(1000.0, tokens=1)
    assert score.perplexity == math.inf and score.nats_per("token") == 1000


def test_an_empty_text_pools_but_has_no_perplexity():
    empty, text = Score(0, tokens=0), Score(2.0, tokens=2)
    assert empty + text == text and sum([empty, text]) == text
    for ask in (lambda: empty.perplexity, lambda: empty.bits_per("token"), lambda: empty.nats_per("token")):
        with pytest.raises(ValueError, match=r"0 tokens.*pooled"):
            ask()
    assert "none" in str(empty) and repr(empty) == "Score(0.000000 nats, 0 tokens)"


def test_count_gives_what_was_counted():
    score = Score(1.0, tokens=3, words=0)
    assert score.count("token") == 3 and score.count("word") == 0
    with pytest.raises(UnitError, match="how many chars"):
        score.count("char")
    with pytest.raises(UnitError, match="'line' is not a unit"):
        score.count("line")


# -- what is refused ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("unit", sorted(UNITS))
def test_a_unit_that_was_not_counted_is_an_error_that_says_how(unit):
    score = Score(1.0, **{field: 2 for u, field in UNITS.items() if u != unit})
    with pytest.raises(UnitError, match=rf"how many {UNITS[unit]}.*{UNITS[unit]}=\.\.\."):
        score.perplexity_per(unit)
    with pytest.raises(UnitError, match=rf"counts {UNITS[unit]}; the left one does not"):
        score + Score(1.0, tokens=1, words=1, chars=1, bytes=1)


def test_a_unit_that_does_not_exist():
    with pytest.raises(UnitError, match=r"'character' is not a unit.*'char'"):
        Score(1.0, chars=2).bits_per("character")


def test_a_score_without_counts_knows_its_total_only():
    assert Score(math.log(2)).bits == pytest.approx(1)
    with pytest.raises(UnitError):
        _ = Score(1.0).perplexity


@pytest.mark.parametrize("value", [math.nan, -1.0, -1e-17, np.float64("nan"), -math.inf])
def test_bad_nats(value):
    with pytest.raises(ValueError, match="nats is"):
        Score(value, tokens=3)


def test_a_tiny_negative_says_rounding():
    with pytest.raises(ValueError, match="rounding"):
        Score(-1e-17, tokens=3)


@pytest.mark.parametrize("value", [True, None, "1", [1.0], 1j, np.array([1.0]), np.bool_(True)])
def test_nats_that_are_not_a_number_are_refused(value):
    with pytest.raises(TypeError, match="real number"):
        Score(value, tokens=3)


@pytest.mark.parametrize("value", [True, 3.5, 3.0, math.nan, "3", np.bool_(True), np.float64(3)])
@pytest.mark.parametrize("field", sorted(UNITS.values()))
def test_counts_that_are_not_whole_numbers_are_refused(field, value):
    with pytest.raises(TypeError, match=f"{field} must be a whole number"):
        Score(1.0, **{field: value})


def test_negative_counts_and_nats_of_nothing():
    with pytest.raises(ValueError, match="words is -1"):
        Score(1.0, words=-1)
    with pytest.raises(ValueError, match="every count is 0"):
        Score(1.0, tokens=0, words=0)
    assert Score(1.0, tokens=2, words=0).perplexity == pytest.approx(math.exp(0.5))  # a text of punctuation


@pytest.mark.parametrize("value", [0.99, 0, -3, math.nan])
def test_no_perplexity_is_below_one(value):
    with pytest.raises(ValueError, match="discrete model"):
        Score.from_perplexity(value, tokens=3)


def test_from_perplexity_needs_its_unit():
    with pytest.raises(UnitError, match="words"):
        Score.from_perplexity(20, per="word", tokens=3)
    with pytest.raises(ValueError, match="0 tokens"):
        Score.from_perplexity(20, tokens=0)
    with pytest.raises(TypeError, match="real number"):
        Score.from_perplexity("20", tokens=3)


@pytest.mark.parametrize("other", [3, 0.0, 1, None, "a", [Score(1.0, tokens=1)]])
def test_only_scores_pool(other):
    score = Score(1.0, tokens=1)
    for add in (lambda: score + other, lambda: other + score):
        with pytest.raises(TypeError):
            add()


def test_averaging_perplexities_cannot_be_written():
    with pytest.raises(TypeError):
        _ = sum([Score(1.0, tokens=1), Score(2.0, tokens=1)]) / 2


# -- the object ---------------------------------------------------------------------------------------------


def test_it_cannot_be_changed():
    score = Score(1.0, tokens=1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        score.nats = 0.0
    assert pickle.loads(pickle.dumps(score)) == copy.copy(score) == score
    assert {score: 1}[Score(1, tokens=np.int64(1))] == 1


def test_numbers_of_other_kinds_are_stored_plain():
    score = Score(np.float32(0.5), tokens=np.uint16(3), words=np.int64(2))
    assert type(score.nats) is float and type(score.tokens) is int and type(score.words) is int
    assert Score(Fraction(1, 2), tokens=1).nats == 0.5


def test_printing_has_units():
    score = Score(1.02165125, tokens=3, chars=4)
    assert repr(score) == "Score(1.021651 nats, 3 tokens, 4 chars; perplexity 1.405721 per token)"
    assert str(score).splitlines() == [
        "1.021651 nats = 1.473931 bits",
        "unit   count  nats per  bits per  perplexity per",
        "token      3  0.340550  0.491310        1.405721",
        "char       4  0.255413  0.368483        1.290994",
    ]
    assert "1.000000e+08" in str(Score(1e8, tokens=1))


def test_the_table_of_a_notebook_is_accessible():
    html = Score(1.02165125, tokens=3, chars=4)._repr_html_()
    assert html.count("<caption>") == 1 and "1.021651 nats" in html and "1.473931 bits" in html
    assert html.count('scope="col"') == 5 and html.count('scope="row"') == 2
    assert ">0.368483</td>" in html and "word" not in html


def test_a_unit_error_keeps_its_reason_apart_from_the_advice():
    """The command line gives other advice after the reason, and a reason may be of any form."""
    with pytest.raises(UnitError) as caught:
        Score(1.0, tokens=1).count("byte")
    assert caught.value.reason == "This score does not know how many bytes the text has."
    assert str(caught.value).startswith(f"{caught.value.reason} Count the bytes of exactly the text")
    error = pickle.loads(pickle.dumps(UnitError("Of no. 3 nothing is known.", "Look at it.")))
    assert (error.reason, str(error)) == (
        "Of no. 3 nothing is known.",
        "Of no. 3 nothing is known. Look at it.",
    )
