"""Scores of texts and documents: nats, counts, unknown words, and errors that point."""

import math

import numpy as np
import pytest

import lmmetrics
from lmmetrics import Score, UnitError, corpora, score_text
from lmmetrics.ngram import AddK, MaximumLikelihood, NGramModel, WittenBell
from lmmetrics.scoring import TextScore, score_documents
from lmmetrics.text import Vocabulary, tokenize


class Fixed:
    """A model that gives the log probabilities it was told to."""

    def __init__(self, log_probs):
        self.values = log_probs

    def log_probs(self, text):
        return self.values


class Uniform:
    def log_probs(self, text):
        return np.full(len(text), -math.log(text.vocabulary.predictable))


LINES = tokenize(["the cat sleeps\nthe cat eats\n", "a dog"])  # 8 + 3 tokens, 8 words, 28 + 5 characters


def test_a_uniform_model_has_the_perplexity_of_its_vocabulary():
    score = score_text(Uniform(), LINES)
    assert score.perplexity == pytest.approx(LINES.vocabulary.predictable, rel=1e-12)
    assert (score.tokens, score.words, score.chars, score.bytes) == (11, 8, 33, 33)


def test_without_eos_its_nats_its_token_and_its_newline_are_gone():
    log_probs = np.where(LINES.is_eos, -7.0, -1.0)
    score = score_text(Fixed(log_probs), LINES, eos=False)
    assert score.nats == 8 and score.tokens == 8 and score.words == 8
    assert (score.chars, score.bytes) == (31, 31)  # "a dog" ends without a newline
    assert score_text(Fixed(log_probs), LINES).nats == 8 + 3 * 7


def test_without_eos_a_document_of_characters_loses_no_character():
    text = tokenize(["我愛\n台灣", ""], by="char")
    score = score_text(Uniform(), text, eos=False)
    assert (score.tokens, score.chars, score.bytes) == (5, 5, 13)


def test_an_empty_document_by_line():
    text = tokenize(["", "a"])
    assert score_text(Uniform(), text, eos=False).chars == 1


def test_a_unit_that_the_text_cannot_count_stays_uncounted():
    score = score_text(Uniform(), tokenize(["我愛台灣"], by="char"))
    with pytest.raises(UnitError, match="words"):
        score.perplexity_per("word")


def test_an_impossible_token_makes_the_score_infinite():
    log_probs = np.full(len(LINES), -1.0)
    log_probs[3] = -np.inf
    assert score_text(Fixed(log_probs), LINES).perplexity == math.inf


def test_documents_pool_to_the_whole_text():
    log_probs = -np.random.default_rng(0).exponential(size=len(LINES))
    whole = score_text(Fixed(log_probs), LINES)
    parts = [
        score_text(Fixed(log_probs[:8]), LINES.document(0)),
        score_text(Fixed(log_probs[8:]), LINES.document(1)),
    ]
    assert sum(parts).tokens == whole.tokens and sum(parts).nats == pytest.approx(whole.nats, rel=1e-15)


def test_rounding_above_zero_counts_as_zero():
    assert score_text(Fixed(np.full(11, 2e-16)), LINES).nats == 0


@pytest.mark.parametrize(
    ("values", "error", "words"),
    [
        (np.full(11, -1.0, dtype=np.float32), TypeError, "float64"),
        (np.full(11, -1), TypeError, "int64"),
        (np.full(8, -1.0), ValueError, r"expected \(11,\)"),
        (np.full((1, 11), -1.0), ValueError, "shape"),
        (np.where(np.arange(11) == 2, np.nan, -1.0), ValueError, r"log_probs\[2\], of the token 'sleeps'"),
        (
            np.where(np.arange(11) == 3, 0.5, -1.0),
            ValueError,
            r"log_probs\[3\], of the token '</s>'.*above 1",
        ),
    ],
)
def test_a_value_that_is_not_a_log_probability_is_pointed_out(values, error, words):
    with pytest.raises(error, match=words):
        score_text(Fixed(values), LINES)


def test_it_is_exported_at_the_top():
    assert lmmetrics.score_text is score_text and lmmetrics.Score and lmmetrics.UnitError


# Unknown words and documents


class Table:
    """A unigram model: one probability for each id."""

    def __init__(self, probabilities):
        self.log_table = np.log(np.array(probabilities, dtype=np.float64))

    def log_probs(self, text):
        return self.log_table[text.ids]


VOCABULARY = Vocabulary(["cat", "sleeps"])
CLOSED = Vocabulary(["cat", "sleeps"], unk=False)
TEXT = ["cat sleeps\n", "dog sleeps\ncat\n", "<unk>\n"]


def text(vocabulary=VOCABULARY):
    return tokenize(TEXT, by="whitespace", vocabulary=vocabulary)


MODEL = Table([1 / 8, 1e-300, 1 / 2, 1 / 4, 1 / 8])  # <unk> <s> </s> cat sleeps


def test_score_by_hand():
    score = score_text(MODEL, text())
    # sleeps twice and <unk> twice at 3 bits, cat twice at 2, </s> four times at 1
    assert score.bits == pytest.approx(4 * 3 + 2 * 2 + 4 * 1)
    assert (score.tokens, score.words, score.chars, score.bytes) == (10, 6, 32, 32)
    assert isinstance(score, Score)


def test_end_of_sentence_can_be_left_out():
    score = score_text(MODEL, text(), eos=False)
    assert score.bits == pytest.approx(16) and score.tokens == 6 and score.unknown == 1


def test_unknown_words_are_counted_and_cost_what_unk_costs():
    """A <unk> that is written in the text is a token like any other; dog is unknown."""
    score = score_text(MODEL, text())
    assert score.unknown == 1
    assert repr(score) == (
        "Score(13.862944 nats, 10 tokens, 6 words, 32 chars, 32 bytes; perplexity 4.000000 per token; "
        "1 unknown token)"
    )
    assert str(score).endswith(
        "\n1 unknown token\n1 token written <unk> in the text\nperplexity 3.363586 of the 8 known tokens"
    )
    assert score.written == 1 and score.known.nats == pytest.approx(7 * math.log(4), rel=1e-15)
    assert "; 1 unknown token</caption>" in score._repr_html_()


def test_unknown_words_can_be_infinite():
    score = score_text(MODEL, text(), unknown="infinite")
    assert score.nats == math.inf and score.unknown == 1 and score.tokens == 10
    scores = score_documents(MODEL, text(), unknown="infinite")
    assert [s.nats == math.inf for s in scores] == [False, True, False]
    assert [s.unknown for s in scores] == [0, 1, 0]


@pytest.mark.parametrize("unknown", ["score", "infinite"])
def test_without_unk_an_unknown_word_is_infinite_whatever_the_model_says(unknown):
    """Id -1 is the last row of a table. The model here does not look; the score must not follow."""
    model = Table([1e-300, 1 / 2, 1 / 4, 1 / 4])
    score = score_text(model, text(CLOSED), unknown=unknown)
    assert score.nats == math.inf and score.unknown == 2
    assert np.isfinite(model.log_probs(text(CLOSED))).all()


def test_no_unknown_words_no_remark():
    plain = tokenize(["cat sleeps"], by="whitespace", vocabulary=CLOSED)
    score = score_text(Table([1e-300, 1 / 2, 1 / 4, 1 / 4]), plain, unknown="infinite")
    assert "unknown" not in repr(score) + str(score) + score._repr_html_()
    assert score.bits == pytest.approx(5)


def test_leaving_unknown_words_out_is_not_offered():
    with pytest.raises(ValueError, match=r"unknown='skip' is not known.*cannot be left out"):
        score_text(MODEL, text(), unknown="skip")


def test_documents_pool_to_the_whole():
    scores = score_documents(MODEL, text())
    assert [s.tokens for s in scores] == [3, 5, 2]
    assert [s.bits for s in scores] == pytest.approx([6, 10, 4])
    total, whole = sum(scores), score_text(MODEL, text())
    assert isinstance(total, TextScore) and total.unknown == whole.unknown == 1
    assert total.nats == pytest.approx(whole.nats, rel=1e-15)
    assert (total.tokens, total.words, total.chars) == (whole.tokens, whole.words, whole.chars)


def test_text_scores_and_plain_scores():
    a = TextScore(2.0, tokens=3, unknown=1)
    assert a == Score(2.0, tokens=3) and Score(2.0, tokens=3) == a and hash(a) == hash(Score(2.0, tokens=3))
    assert a == TextScore(2.0, tokens=3, unknown=2)  # both equal the plain one
    assert a != TextScore(3.0, tokens=3, unknown=1) and a != Score(2.0, tokens=4) and a != 2.0
    for pooled in (a + Score(1.0, tokens=1), Score(1.0, tokens=1) + a, sum([a, Score(1.0, tokens=1)])):
        assert (pooled.nats, pooled.tokens, pooled.unknown) == (3.0, 4, 1)
    with pytest.raises(TypeError, match="pools only with another Score"):
        a + 1
    with pytest.raises(UnitError):
        a + Score(1.0, words=1)


def test_documents_without_sentences_and_empty_texts():
    scores = score_documents(MODEL, tokenize(["", "cat"], by="whitespace", vocabulary=VOCABULARY))
    assert [s.tokens for s in scores] == [0, 2] and scores[0].nats == 0
    empty = tokenize([], by="whitespace", vocabulary=VOCABULARY)
    assert score_documents(MODEL, empty) == [] and score_text(MODEL, empty).tokens == 0


def test_a_model_has_log_probs_for_the_vocabulary_of_the_text():
    with pytest.raises(TypeError, match=r"The model \(object\) has no method log_probs"):
        score_text(object(), text())
    model = Fixed(np.zeros(10))
    model.vocabulary = CLOSED
    with pytest.raises(ValueError, match=r"text has another vocabulary .* than the model"):
        score_text(model, text())
    model.vocabulary = VOCABULARY
    assert score_text(model, text()).nats == 0


def test_error_names_a_token_outside_the_vocabulary():
    with pytest.raises(ValueError, match=r"log_probs\[3\], of the token outside the vocabulary, is nan"):
        score_text(Fixed([-1.0] * 3 + [math.nan] * 7), text(CLOSED))


@pytest.mark.parametrize("jobs", [2, 3, 7, 500, None])
def test_threads_give_the_same_bits(jobs):
    tales = corpora.load("tales-en")
    train = tokenize(tales.train)
    test = tokenize([*tales.test, "", "a"], vocabulary=train.vocabulary)
    drawn = NGramModel(2, WittenBell()).fit(train).sample(3000, seed=1)  # without its last </s>
    for method in (WittenBell(), AddK(0.1), MaximumLikelihood()):
        model = NGramModel(4, method).fit(train)
        for text in (test, drawn, test.document(0), tokenize([], vocabulary=train.vocabulary)):
            assert np.array_equal(model.log_probs(text, jobs=jobs), model.log_probs(text))
            for how in ({}, {"eos": False}, {"unknown": "infinite"}):
                one, many = (score_text(model, text, jobs=n, **how) for n in (1, jobs))
                assert many == one and many.unknown == one.unknown
                assert score_documents(model, text, jobs=jobs, **how) == score_documents(model, text, **how)


def test_the_parts_of_a_text_are_its_sentences():
    text = tokenize(["a b c\nd\n", "", "e f\ng"])
    for count in range(1, 9):
        parts = text.parts(count)
        assert np.array_equal(np.concatenate([part.ids for part in parts]), text.ids)
        assert len(parts) <= count and all(part.is_eos[-1] and len(part) for part in parts)
        assert sum(len(part.sentence_starts) - 1 for part in parts) == 4
    assert repr(text.parts(2)[0]) == (
        "TokenizedText: 4 tokens by word in 1 sentence of 1 document; vocabulary 10"
    )


def test_who_cannot_share_the_work_says_so():
    class Half:
        def log_probs(self, text):
            return np.full(len(text), -math.log(2))

    text = tokenize(["a b"])
    assert score_text(Half(), text).tokens == 3
    with pytest.raises(TypeError, match="Half does not share its work"):
        score_text(Half(), text, jobs=2)
    for jobs in (0, -1, 1.5, "2", True):
        error = ValueError if jobs in (0, -1) else TypeError
        with pytest.raises(error, match=r"jobs is .*; a whole number of at least 1"):
            score_text(Half(), text, jobs=jobs)
