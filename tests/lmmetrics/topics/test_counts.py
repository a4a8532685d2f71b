"""Counting the words of documents, and cutting them into halves."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_matrix

from lmmetrics import compare_scores, corpora
from lmmetrics.text import tokenize
from lmmetrics.topics import TopicModel, document_scores, split_counts, word_counts

TRAIN = ["The cat sees the dog.", "A dog eats 3 cats, and don't!", ""]


def test_words_are_counted_in_alphabetical_order():
    found = word_counts(TRAIN)
    assert found.words == ("a", "and", "cat", "cats", "dog", "don't", "eats", "sees", "the")
    assert found.counts.tolist() == [[0, 0, 1, 0, 1, 0, 0, 1, 2], [1, 1, 0, 1, 1, 1, 1, 0, 0], [0] * 9]
    assert found.left_out.tolist() == [0, 0, 0] and found.lengths.tolist() == [5, 6, 0] and len(found) == 3


def test_every_running_word_is_counted_or_left_out():
    corpus = corpora.load("numpy-docs")
    everything = word_counts(corpus.train)
    train = word_counts(corpus.train, min_documents=3)
    assert (train.lengths + train.left_out == everything.lengths).all() and train.left_out.sum() > 0
    kept = (everything.counts > 0).sum(axis=0) >= 3
    assert train.words == tuple(np.array(everything.words)[kept])
    test = word_counts(corpus.test, train)
    words = [t for t in tokenize(corpus.test).strings() if any(map(str.isalpha, t)) and t != "</s>"]
    assert test.lengths.sum() + test.left_out.sum() == len(words)
    assert word_counts(corpus.test, vocabulary=list(train.words)).counts.tolist() == test.counts.tolist()


def test_capital_letters_and_other_tokens():
    assert word_counts(["The the"], lower=False).words == ("The", "the")
    assert word_counts(["貓睡，狗吃"], by="char").words == ("吃", "狗", "睡", "貓")
    assert word_counts(["貓睡覺，狗吃"], by=lambda text: [text[:1], text[1:3], text[3:]]).words[0] == "睡覺"
    with pytest.raises(ValueError, match="segmenter"):
        word_counts(["貓睡，狗吃"])


def test_what_is_left_out_is_shown():
    shown = repr(word_counts(["the dog sees the cat"], vocabulary=["the", "cat"]))
    assert "3 running words of a vocabulary of 2; 2 left out (40.0 %)" in shown
    assert repr(word_counts(["a"])).endswith("0 left out")


@given(arrays(np.int64, (3, 4), elements=st.integers(0, 9)), st.integers(0, 5))
def test_halves_sum_to_the_counts(counts, seed):
    read, scored = split_counts(counts, seed)
    assert (read + scored == counts).all() and (read >= 0).all() and (scored >= 0).all()
    assert set(read.sum(axis=1) - scored.sum(axis=1)) <= {0, 1}
    assert (split_counts(counts, seed)[0] == read).all()


def test_a_split_of_word_counts_keeps_words_and_what_is_left_out():
    counts = word_counts(["the dog sees the cat and a dog"], vocabulary=["dog", "the"])
    read, scored = counts.split(seed=1)
    assert read.words == scored.words == counts.words
    assert (read.counts == split_counts(counts, seed=1)[0]).all()
    assert (read.left_out + scored.left_out == counts.left_out).all()


def test_each_running_word_is_as_likely_in_either_half():
    """4,000 documents of six words: the share of a word in the first half, within five standard errors."""
    read, _ = split_counts(np.tile([4, 2], (4000, 1)), seed=0)
    # A word of 2 among 6, of which 3 are drawn: hypergeometric, variance 3 * (1/3) (2/3) (3/5) = 0.4.
    assert read[:, 1].mean() == pytest.approx(1, abs=5 * (0.4 / 4000) ** 0.5)


def test_counts_may_be_arrays_sparse_matrices_or_whole_floats():
    model = TopicModel([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8]], alpha=1)
    counts = np.array([[2, 0, 1], [0, 1, 0]])
    for same in (counts.tolist(), counts.astype(float), csr_matrix(counts), counts.astype(np.uint8)):
        assert (model.exact(same) == model.exact(counts)).all()


def test_scores_of_documents_can_be_compared():
    models = TopicModel([[0.6, 0.4], [0.1, 0.9]], alpha=1), TopicModel([[0.5, 0.5]], alpha=1)
    counts = models[0].sample(50, 20, seed=3)[0]
    one, two = (document_scores(model.exact(counts), counts) for model in models)
    found = compare_scores(one, two)
    assert found.documents == 50 and found.a.tokens == 1000
    assert found.a.nats == pytest.approx(models[0].exact(counts).sum())
    empty = document_scores([0.0], [[0, 0]])[0]
    assert empty.tokens == 0 and (empty + one[0]).nats == one[0].nats
