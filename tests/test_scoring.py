"""score_text: the nats of the scored positions, the counts of the scored text, and errors that point."""

import math

import numpy as np
import pytest

import lmmetrics
from lmmetrics import score_text
from lmmetrics.score import UnitError
from lmmetrics.text import tokenize


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
def test_what_is_no_log_probability_is_an_error_that_points_to_it(values, error, words):
    with pytest.raises(error, match=words):
        score_text(Fixed(values), LINES)


def test_it_is_exported_at_the_top():
    assert lmmetrics.score_text is score_text and lmmetrics.Score and lmmetrics.UnitError
