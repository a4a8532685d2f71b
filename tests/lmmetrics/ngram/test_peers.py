"""The same numbers as KenLM and NLTK on the same input; where their conventions differ, how."""

import itertools
import math

import pytest

from lmmetrics import corpora, score_text
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    KneserNey,
    MaximumLikelihood,
    ModifiedKneserNey,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.text import tokenize

# Perplexities of KenLM on WikiText-2, test and valid: every line is a sentence, `</s>` is scored, `<unk>` is
# a word of the text like any other, no pruning.
KENLM = {
    2: (263.9597446, 284.7305458),
    3: (226.0509915, 242.3249813),
    4: (221.3440861, 236.1481610),
    5: (220.1385183, 234.8619904),
}


@pytest.fixture(scope="module")
def wikitext():
    try:
        corpus = corpora.load("wikitext-2")
    except corpora.CorpusError as error:
        pytest.skip(f"WikiText-2 cannot be had here: {error}")
    train = tokenize(corpus.train, by="whitespace")
    parts = (corpus.test, corpus.valid)
    return train, [tokenize(part, by="whitespace", vocabulary=train.vocabulary) for part in parts]


@pytest.mark.parametrize("order", [2, 3, 4, 5])
def test_kenlm_modified_kneser_ney(wikitext, order):
    train, (test, valid) = wikitext
    assert (len(test), len(valid)) == (245_569, 217_646)
    model = NGramModel(order, ModifiedKneserNey()).fit(train)
    found = [score_text(model, text).perplexity for text in (test, valid)]
    assert found == pytest.approx(KENLM[order], rel=2e-6)


def test_kenlm_where_no_ngram_has_the_count_4():
    """What `lmplz -o 1` writes for this text; with a fallback the order takes that, as before."""
    text = tokenize(["a b c d e e f f g g h h h\n"], by="whitespace")
    model = NGramModel(1, ModifiedKneserNey()).fit(text)
    logs = {"<unk>": -1.1500942, "</s>": -0.95963395, "a": -0.95963395, "e": -0.98612356, "h": -1.1500942}
    assert {word: math.log10(model.prob(word)) for word in logs} == pytest.approx(logs, abs=1e-7)
    given = NGramModel(1, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(text)
    assert given.smoothing.discounts_[1].tolist() == [0.5, 1, 1.5]


TRAIN = [
    "the cat sleeps and the dog eats",
    "a cat eats",
    "the mouse sleeps",
    "a dog and the cat eat",
    "the cat",
]
TEST = ["the dog sleeps and a mouse eats", "and the cat", "eat eat the a"]


class Nltk:
    """NLTK's models on `TRAIN`, padded with one `<s>` and one `</s>` as here.

    What differs from NLTK as distributed: it pads with n - 1 `<s>` and n - 1 `</s>`, and it counts `<s>`
    among the words that are predicted. So `<s>` is taken out of the unigrams.
    """

    def __init__(self, order, make):
        lm = pytest.importorskip("nltk.lm", reason="NLTK is compared with where it is installed")
        everygrams = pytest.importorskip("nltk.util").everygrams
        padded = [["<s>", *line.split(), "</s>"] for line in TRAIN]
        self.model = make(lm, order)
        self.model.fit((everygrams(line, max_len=order) for line in padded), itertools.chain(*padded))
        del self.model.counts[1]["<s>"]

    def agrees(self, ours, contexts, convert=lambda nltk, prob, word, context: prob):
        for context in contexts:
            for word in [*sorted(set(" ".join(TRAIN).split())), "</s>"]:
                theirs = convert(self.model, self.model.score(word, context), word, context)
                row = ours.next_scores(context)
                assert row[ours.vocabulary[word]] == pytest.approx(theirs, rel=1e-9), (word, context)


def fitted(order, method):
    return NGramModel(order, method).fit(tokenize(TRAIN, by="whitespace"))


def contexts(order, seen):
    """Contexts of n - 1 tokens, without `<s>` before the second order."""
    found = set()
    for line in TRAIN if seen else TEST:
        words = ["<s>", *line.split()]
        found |= {tuple(words[i : i + order - 1]) for i in range(len(words) - order + 2)}
    return sorted(found)


@pytest.mark.parametrize("order", [1, 2, 3])
def test_nltk_maximum_likelihood(order):
    # NLTK gives 0 for all words after an unseen context; there we shorten it. So only seen ones are compared.
    Nltk(order, lambda lm, n: lm.MLE(n)).agrees(
        fitted(order, MaximumLikelihood()), contexts(order, seen=True)
    )


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize("k", [1, 0.2])
def test_nltk_add_k(order, k):
    # NLTK's vocabulary has <s> in it, so its denominator is c(h) + k (V + 1) and its rows sum to less than 1.
    ours = fitted(order, AddK(k))

    def without_bos(nltk, prob, word, context):
        total = nltk.context_counts(context).N()
        size = len(nltk.vocab)
        assert size == ours.vocabulary.predictable + 1
        return prob * (total + k * size) / (total + k * (size - 1))

    Nltk(order, lambda lm, n: lm.Lidstone(k, n)).agrees(
        ours, contexts(order, seen=True) + contexts(order, seen=False), without_bos
    )


@pytest.mark.parametrize("order", [1, 2, 3])
def test_nltk_stupid_backoff(order):
    Nltk(order, lambda lm, n: lm.StupidBackoff(0.4, n)).agrees(
        fitted(order, StupidBackoff(0.4)), contexts(order, seen=True) + contexts(order, seen=False)
    )


def with_uniform(nltk, prob, unigram, weight, context):
    """NLTK's interpolated methods end with unigrams; ours go on to the uniform distribution.

    Every step to a shorter context multiplies by NLTK's own gamma, so the difference of the unigrams arrives
    multiplied by all of them.
    """
    for start in range(len(context)):
        if nltk.counts[len(context) - start + 1][context[start:]]:
            weight *= nltk.estimator.alpha_gamma("the", context[start:])[1]
    return prob + unigram * weight


@pytest.mark.parametrize("order", [2, 3])
def test_nltk_witten_bell(order):
    ours = fitted(order, WittenBell())

    def convert(nltk, prob, word, context):
        theirs = nltk.counts.unigrams.freq(word)
        return with_uniform(nltk, prob, ours.prob(word) - theirs, 1.0, context)

    Nltk(order, lambda lm, n: lm.WittenBellInterpolated(n)).agrees(
        ours, contexts(order, seen=True) + contexts(order, seen=False), convert
    )


@pytest.mark.parametrize("order", [2, 3])
def test_nltk_absolute_discounting(order):
    ours = fitted(order, AbsoluteDiscounting(discount=0.75))

    def convert(nltk, prob, word, context):
        theirs = nltk.counts.unigrams.freq(word)
        return with_uniform(nltk, prob, ours.prob(word) - theirs, 1.0, context)

    Nltk(order, lambda lm, n: lm.AbsoluteDiscountingInterpolated(n, discount=0.75)).agrees(
        ours, contexts(order, seen=True) + contexts(order, seen=False), convert
    )


@pytest.mark.parametrize("order", [2, 3])
def test_nltk_kneser_ney(order):
    # NLTK's discount is the same at every order. Where an n-gram below the highest order starts with <s>,
    # NLTK finds no continuations and we take the count; contexts of n - 1 tokens never lead there.
    ours = fitted(order, KneserNey(discount=0.1))

    def convert(nltk, prob, word, context):
        theirs = nltk.estimator.unigram_score(word)
        return with_uniform(nltk, prob, ours.prob(word) - theirs, 1.0, context)

    Nltk(order, lambda lm, n: lm.KneserNeyInterpolated(n, discount=0.1)).agrees(
        ours, contexts(order, seen=True) + contexts(order, seen=False), convert
    )
