"""Models that learn while they read: after every token they are what `fit` makes of all that was read."""

import math
from fractions import Fraction

import numpy as np
import pytest

from lmmetrics import corpora, score_text
from lmmetrics.coding import Adaptive, compressed_bits, decode, encode, interval, kt
from lmmetrics.mixing import UnigramCache
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    KneserNey,
    ModifiedKneserNey,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.text import TokenizedText, Vocabulary, tokenize
from tests.lmmetrics.bad_calls import says_what_is_expected

TALES = corpora.load("tales-en")
WARM = tokenize([document[:200] for document in TALES.train[:3]])
METHODS = [AddK(0.5), WittenBell(), KneserNey(0.7), ModifiedKneserNey((0.5, 1, 1.5))]


def joined(one, ids):
    """A text followed by some tokens, which begin a new sentence."""
    spelled = TokenizedText.from_ids(np.append(one.ids, ids), one.vocabulary)
    assert one.ids[-1] == one.vocabulary.eos
    return spelled


@pytest.mark.parametrize("order", [1, 2, 4])
@pytest.mark.parametrize("smoothing", METHODS, ids=repr)
def test_it_is_the_model_fitted_to_all_that_was_read(order, smoothing):
    text = tokenize(
        ["A man came to the river, and a man.\nThe old man\n", "came"], vocabulary=WARM.vocabulary
    )
    model = Adaptive(NGramModel(order, smoothing).fit(WARM))
    reader, past = model.reader(), ["<s>"]
    for place, id in enumerate(text.ids.tolist()):
        if place in text.document_starts:
            reader.start()
        fitted = NGramModel(order, smoothing).fit(joined(WARM, text.ids[:place]))
        np.testing.assert_allclose(reader.row(), fitted.next_distribution(past), rtol=0, atol=1e-12)
        reader.read(id)
        past = ["<s>"] if id == text.vocabulary.eos else [*past, text.vocabulary.token(id)]
    assert (model.reader().row() == model.next_distribution()).all()  # a text changes nothing


def test_estimated_discounts_stay_as_they_were():
    fitted = NGramModel(1, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(WARM)
    estimated = fitted.smoothing.discounts_[1]
    assert not np.allclose(estimated, (0.5, 1, 1.5))
    read = ["man", "river", "</s>"] * 9
    again = NGramModel(1, ModifiedKneserNey(estimated))
    again.fit(joined(WARM, [WARM.vocabulary[token] for token in read]))
    found = Adaptive(fitted).next_distribution(read)
    np.testing.assert_allclose(found, again.next_distribution(["<s>"]), rtol=0, atol=1e-14)


def test_a_text_that_repeats_itself_is_learned():
    text = tokenize(["the cat sleeps\n" * 40], vocabulary=WARM.vocabulary)
    warm = NGramModel(3, WittenBell()).fit(WARM)
    assert score_text(Adaptive(warm), text).perplexity < 2 < score_text(warm, text).perplexity


def test_kt_of_a_coin():
    """Its regret against the best fixed coin is at most 1/2 log2 n + 1, for every number of heads."""
    for n in (1, 2, 3, 10, 100):
        for heads in range(n + 1):
            width = interval(kt(2), [0] * heads + [1] * (n - heads)).width if n < 11 else kt_width(heads, n)
            share = heads / n
            best = -sum(k * math.log2(p) for k, p in ((heads, share), (n - heads, 1 - share)) if k)
            assert 0 <= -math.log2(width) - best <= math.log2(n) / 2 + 1 + 1e-9
    assert interval(kt(2), [0, 0, 1, 1]).width == kt_width(2, 4) == Fraction(3, 128)


def kt_width(heads, n):
    """The closed form: products of odd halves over n!."""
    odd = [math.prod(range(1, 2 * count, 2)) for count in (heads, n - heads)]
    return Fraction(odd[0] * odd[1], 2**n * math.factorial(n))


def test_kt_is_add_one_half_that_starts_cold():
    vocabulary = Vocabulary(["a", "b"], unk=False)  # and </s>: three symbols
    cold, rng = Adaptive.cold(1, AddK(0.5), vocabulary), np.random.default_rng(1)
    ids = rng.integers(0, 2, 40)
    text = TokenizedText.from_ids(ids + 2, vocabulary)
    exact = interval(kt(3), ids.tolist()).width
    assert score_text(cold, text).bits == pytest.approx(-math.log2(exact), rel=1e-12)
    assert decode(cold, encode(cold, text)).strings() == text.strings()


def test_adapting_is_worth_more_than_an_order():
    """Six tales, bytes: modified Kneser-Ney of order 5, static and adaptive, and PPMd."""
    train, test = (tokenize(part, by="byte") for part in (TALES.train, TALES.test))
    data, warm = ("".join(part).encode() for part in (TALES.test, TALES.train))
    static = NGramModel(5, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(train)
    found = [score_text(model, test).bits / len(data) for model in (static, Adaptive(static))]
    assert [round(value, 3) for value in found] == [2.295, 2.232]
    assert found[0] > found[1] > compressed_bits("ppmd", data, warm=warm) / len(data) > 2.18


CALLS = {
    "a model that is not counted": (lambda: Adaptive(UnigramCache()), "an NGramModel is expected"),
    "a model that is not fitted": (
        lambda: Adaptive(NGramModel(2, WittenBell())),
        "that was fitted to a text",
    ),
    "another method": (
        lambda: Adaptive(NGramModel(1, AbsoluteDiscounting(0.5)).fit(WARM)),
        "The smoothing method is AbsoluteDiscounting(discount=0.5); one that can count on",
    ),
    "scores": (lambda: Adaptive.cold(2, StupidBackoff(), WARM.vocabulary), "AddK(k), WittenBell()"),
    "no discounts": (lambda: Adaptive.cold(2, KneserNey(), WARM.vocabulary), "nothing was counted yet"),
    "a list for a vocabulary": (lambda: Adaptive.cold(2, AddK(1), ["a"]), "a Vocabulary is expected"),
    "order 0": (lambda: Adaptive.cold(0, AddK(1), WARM.vocabulary), "order is 0"),
    "a string for a text": (
        lambda: Adaptive.cold(1, AddK(1), WARM.vocabulary).log_probs("a"),
        "TokenizedText",
    ),
    "a string for a context": (
        lambda: Adaptive.cold(1, AddK(1), WARM.vocabulary).next_distribution("a b"),
        "a list of tokens is expected",
    ),
    "no symbols": (lambda: kt(0), "symbols is 0; a whole number of at least 1"),
}


test_a_bad_call_says_what_is_expected = says_what_is_expected(CALLS)
