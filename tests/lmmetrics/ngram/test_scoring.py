"""`NGramModel` at the waist of the library: log probabilities of texts, samples, and what it refuses."""

import importlib
import itertools
import math
import pickle

import numpy as np
import pytest

from lmmetrics import corpora, score_text
from lmmetrics.ngram import (
    AddK,
    KneserNey,
    MaximumLikelihood,
    NGramModel,
    NotFittedError,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.sources import MarkovSource
from lmmetrics.text import Vocabulary, tokenize

TRAIN = ["the cat sleeps\nthe cat eats\nthe dog sleeps\n\n", "a mouse eats the cat"]
TEST = ["the mouse sleeps nobody\nnobody eats\n\n", "", "a dog eats a mouse\nthe the the the the the"]


@pytest.mark.parametrize("method", [AddK(0.1), WittenBell(), KneserNey(discount=0.5), MaximumLikelihood()])
@pytest.mark.parametrize("order", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("unk", [True, False])
@pytest.mark.parametrize("short", [-1, 1000], ids=["sorted", "as it comes"])
def test_a_text_is_scored_token_by_token(method, order, unk, short, monkeypatch):
    monkeypatch.setattr("lmmetrics.ngram._tables.SHORT", short)
    words = sorted({word for document in TRAIN for word in document.split()})
    vocabulary = Vocabulary(words, unk=unk)
    model = NGramModel(order, method).fit(tokenize(TRAIN, vocabulary=vocabulary))
    text = tokenize(TEST, vocabulary=vocabulary)
    expected = []
    for document in TEST:
        for line in document.splitlines():
            past = ["<s>"]
            for word in [*line.split(), "</s>"]:
                prob = model.prob(word, past)
                expected.append(math.log(prob) if prob else -math.inf)
                past.append(word)
    found = model.log_probs(text)
    assert found.dtype == np.float64
    assert found == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    "method", [AddK(0.1), WittenBell(), KneserNey(discount=0.5), StupidBackoff(), MaximumLikelihood()]
)
@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("by", ["word", "char"])
def test_a_short_text_has_the_same_digits_as_a_part_of_a_long_one(method, order, by, monkeypatch):
    tales = corpora.load("tales-en")
    train = tokenize(tales.train[:3], by=by)
    model = NGramModel(order, method).fit(train)
    for documents in ([tale[:300] for tale in tales.test], [""], ["a\n\n\nb"], ["zzz\n the"], ["x"]):
        text = tokenize(documents, by=by, vocabulary=train.vocabulary)
        found = []
        for short in (-1, 10**9):
            monkeypatch.setattr("lmmetrics.ngram._tables.SHORT", short)
            found.append(model.log_scores(text))
        assert np.array_equal(*found)


@pytest.mark.parametrize("method", [AddK(0.1), WittenBell(), KneserNey(discount=0.5), MaximumLikelihood()])
@pytest.mark.parametrize("order", [1, 2, 3, 5, 9])
@pytest.mark.parametrize("unk", [True, False])
@pytest.mark.parametrize("compiled", [True, False])
def test_a_sentence_alone_has_the_same_bits_as_in_a_text(method, order, unk, compiled, monkeypatch):
    importlib.import_module("lmmetrics.ngram._compiled")  # the extra is installed here
    if not compiled:
        monkeypatch.setattr("lmmetrics.ngram._tables._compiled", lambda: None)
    words = sorted({word for document in TRAIN for word in document.split()})
    model = NGramModel(order, method).fit(tokenize(TRAIN, vocabulary=Vocabulary([*words, "never"], unk=unk)))
    for sentence in (*"\n".join(TEST).splitlines(), "never", "cat never cat the", "x y z", "the cat sleeps"):
        expected = model.log_probs(tokenize([f"{sentence}\n"], vocabulary=model.vocabulary))
        assert model.sentence_log_probs(sentence.split()).tobytes() == expected.tobytes()
        assert expected.dtype == np.float64


def test_a_sentence_alone_is_checked_and_leaves_the_model_as_it_was():
    model = NGramModel(3, WittenBell()).fit(tokenize(TRAIN))
    before = len(pickle.dumps(model))
    expected = model.sentence_log_probs(["the", "cat"])
    assert len(pickle.dumps(model)) == before
    assert pickle.loads(pickle.dumps(model)).sentence_log_probs(["the", "cat"]).tolist() == expected.tolist()
    for mark in ("<s>", "</s>"):
        with pytest.raises(ValueError, match=r"<s> or </s> is among the tokens. Leave them out"):
            model.sentence_log_probs(["the", mark])
    with pytest.raises(TypeError, match="tokens is a single string; a list of tokens is expected"):
        model.sentence_log_probs("the cat")
    with pytest.raises(TypeError, match="The token 3 is int"):
        model.sentence_log_probs(["the", 3])
    with pytest.raises(TypeError, match="sentence_log_probs is refused"):
        NGramModel(2, StupidBackoff()).fit(tokenize(TRAIN)).sentence_log_probs(["the"])
    with pytest.raises(NotFittedError):
        NGramModel(2, WittenBell()).sentence_log_probs(["the"])


def test_a_token_without_an_id_is_impossible_and_so_is_nothing_after_it():
    vocabulary = Vocabulary(["a", "b"], unk=False)
    model = NGramModel(3, WittenBell()).fit(tokenize(["a b a"], vocabulary=vocabulary))
    scores = model.log_probs(tokenize(["a zzz b"], vocabulary=vocabulary))
    assert np.isneginf(scores).tolist() == [False, True, False, False]
    # After the unknown token no context is known: p(b) alone.
    assert scores[2] == pytest.approx(math.log(model.prob("b")))
    assert model.prob("zzz", ["a"]) == 0


def test_words_that_only_the_vocabulary_knows_are_not_taken_for_others():
    vocabulary = Vocabulary(["a", "b", *(f"never{i}" for i in range(20))])
    model = NGramModel(2, WittenBell()).fit(tokenize(["a b"], vocabulary=vocabulary))
    words = [token for token in vocabulary.tokens if token not in ("<s>", "</s>")]
    pairs = list(itertools.product(words, repeat=2))
    text = tokenize(["\n".join(map(" ".join, pairs))], by="whitespace", vocabulary=vocabulary)
    second = model.log_probs(text)[1::3]
    assert second == pytest.approx([math.log(model.prob(word, [before])) for before, word in pairs])


def test_documents_are_scored_alone():
    model = NGramModel(3, WittenBell()).fit(tokenize(TRAIN))
    text = tokenize(TEST, vocabulary=model.vocabulary)
    parts = [model.log_probs(text.document(i)) for i in range(3)]
    assert np.concatenate(parts).tolist() == model.log_probs(text).tolist()


def test_order_and_repetition_of_documents_change_nothing():
    model = NGramModel(3, WittenBell()).fit(tokenize(TRAIN))
    once, turned, twice = (
        score_text(model, tokenize(documents, vocabulary=model.vocabulary))
        for documents in (TEST, TEST[::-1], TEST + TEST)
    )
    assert once.nats == pytest.approx(turned.nats, rel=1e-12)
    assert once.perplexity == pytest.approx(twice.perplexity, rel=1e-12)


def test_an_empty_text_has_no_scores():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    assert model.log_probs(tokenize([], vocabulary=model.vocabulary)).shape == (0,)


def test_characters_and_bytes():
    for by in ("char", "byte"):
        text = tokenize(["貓睡。\n狗睡。"], by=by)
        model = NGramModel(4, WittenBell()).fit(text)
        assert score_text(model, text).perplexity < 2


def test_a_uniform_model_scores_its_vocabulary_size():
    text = tokenize(TRAIN)
    model = NGramModel(1, AddK(k=1e12)).fit(text)
    assert score_text(model, text).perplexity == pytest.approx(text.vocabulary.predictable, rel=1e-9)


def test_a_perfect_model_scores_1():
    text = tokenize(["a b c", "a b c"])
    assert score_text(NGramModel(2, MaximumLikelihood()).fit(text), text).perplexity == 1


def test_a_long_sample_of_a_known_source_is_learned():
    source = MarkovSource({"a": {"a": 0.9, "b": 0.1}, "b": {"a": 0.5, "b": 0.5}})
    model = NGramModel(2, WittenBell()).fit(source.sample(200_000, seed=1))
    score = score_text(model, source.sample(50_000, seed=2))
    assert score.nats_per("token") == pytest.approx(source.entropy_rate(), abs=0.01)


def test_a_text_with_another_vocabulary_is_refused():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    with pytest.raises(ValueError, match=r"vocabulary=model.vocabulary"):
        model.log_probs(tokenize(["the cat"]))


def test_context_is_cut_to_what_the_model_sees():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    assert model.prob("cat", ["a", "mouse", "the"]) == model.prob("cat", ["the"])
    assert NGramModel(1, WittenBell()).fit(tokenize(TRAIN)).prob("cat", ["the"]) < model.prob("cat", ["the"])


def test_a_context_in_one_string_is_refused():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    with pytest.raises(TypeError, match=r"such as \['the', 'cat'\]"):
        model.prob("sleeps", "the cat")
    with pytest.raises(TypeError, match="The token 3 is int"):
        model.prob("sleeps", [3])


def test_the_start_of_a_sentence_is_never_predicted():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    assert model.prob("<s>", ["cat"]) == 0


def test_before_fitting_there_is_nothing():
    model = NGramModel(2, WittenBell())
    assert repr(model) == "NGramModel(order=2, smoothing=WittenBell()), not fitted"
    for ask in (
        lambda: model.log_probs(tokenize(["a"])),
        lambda: model.prob("a"),
        lambda: model.sample(1, 0),
        lambda: model.to_arpa("never-written.arpa"),
    ):
        with pytest.raises(NotFittedError, match=r"not fitted yet: call fit\(text\) first"):
            ask()
    with pytest.raises(NotFittedError, match=r"call fit\(text\) first"):
        model.counts_  # noqa: B018
    assert not hasattr(model, "counts_") and issubclass(NotFittedError, ValueError)
    with pytest.raises(AttributeError, match="has no attribute 'count'"):
        model.count  # noqa: B018


def test_a_model_can_be_pickled():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    again = pickle.loads(pickle.dumps(model))
    assert again.prob("cat", ["the"]) == model.prob("cat", ["the"])


def test_a_sample_is_a_text_that_can_be_scored():
    model = NGramModel(3, WittenBell()).fit(tokenize(TRAIN))
    sample = model.sample(400, seed=5)
    assert len(sample) == 400
    assert sample.strings() == model.sample(400, seed=np.random.default_rng(5)).strings()
    assert sample.strings() != model.sample(400, seed=6).strings()
    assert np.isfinite(score_text(model, sample).perplexity)
    assert "<s>" not in sample.strings()
    assert sample.words == sum(token != "</s>" for token in sample.strings())


def test_a_sample_follows_the_distribution():
    model = NGramModel(2, WittenBell()).fit(tokenize(TRAIN))
    tokens = ["<s>", *model.sample(20_000, seed=7).strings()]
    after_the = [token for before, token in itertools.pairwise(tokens) if before == "the"]
    expected = model.next_distribution(["the"])
    for id, prob in enumerate(expected):
        share = after_the.count(model.vocabulary.token(id)) / len(after_the)
        assert abs(share - prob) < 4 * math.sqrt(prob * (1 - prob) / len(after_the)) + 1e-12


def test_a_sample_can_go_on_from_a_context():
    model = NGramModel(2, MaximumLikelihood()).fit(tokenize(["a b c"]))
    assert model.sample(2, seed=0, context=["a"]).strings() == ["b", "c"]
    assert model.sample(0, seed=0).strings() == []
    with pytest.raises(ValueError, match="n is -1"):
        model.sample(-1, seed=0)


@pytest.mark.parametrize("by", ["char", "byte", "word"])
def test_a_sample_is_counted_as_it_would_be_written(by):
    train = tokenize(["貓 eats\n" if by != "word" else "a cat eats\n"] * 3, by=by)
    model = NGramModel(6, MaximumLikelihood()).fit(train)
    sample = model.sample(len(train), seed=1)
    assert sample.strings() == train.strings()
    if by == "word":
        assert (sample.words, sample.chars, sample.bytes) == (train.words, train.chars, train.bytes)
    else:  # the last sentence of a document is closed by the end of the document, not by a newline
        assert (sample.words, sample.chars - 3, sample.bytes - 3) == (train.words, train.chars, train.bytes)


def test_a_sample_without_its_last_end_mark_decodes_whole():
    text = tokenize(["the cat sat", "the dog sat"])
    sample = NGramModel(2, WittenBell()).fit(text).sample(7, seed=1)
    assert sample.strings()[-1] != "</s>"
    assert sample.decode()[0].replace("\n", " ").split() == [t for t in sample.strings() if t != "</s>"]
