"""The same bounds as scikit-learn and gensim on the same counts, and what their perplexities are made of."""

import logging
import math
import re

import numpy as np
import pytest

from lmcourse.pages.tools.conventions import gensim_log_perplexity, lda_bound, sklearn_lda_perplexity
from lmmetrics import corpora
from lmmetrics.topics import TopicModel, variational_bound, word_counts


@pytest.fixture(scope="module")
def parts():
    corpus = corpora.load("numpy-docs")
    train = word_counts(corpus.train[:150], min_documents=2)
    return train, word_counts(corpus.test, train)


@pytest.fixture(scope="module")
def fitted(parts):
    """Ten topics of scikit-learn, whose own iterations run to the end."""
    decomposition = pytest.importorskip("sklearn.decomposition", reason="scikit-learn: requirements.txt")
    to_the_end = {"mean_change_tol": 1e-12, "max_doc_update_iter": 20_000}
    lda = decomposition.LatentDirichletAllocation(10, random_state=0, max_iter=4, **to_the_end)
    return lda.fit(parts[0].counts)


def bound_of(lda, counts):
    return variational_bound(counts, lda.components_, lda.doc_topic_prior_, lda.topic_word_prior_)


def test_scikit_learn_divides_both_parts_by_the_words_it_is_given(parts, fitted):
    for counts in parts:
        words, topics = bound_of(fitted, counts)
        assert fitted.score(counts.counts) == pytest.approx(-(words.sum() + topics), rel=1e-8)
        perplexity = math.exp((words.sum() + topics) / counts.lengths.sum())
        assert fitted.perplexity(counts.counts) == pytest.approx(perplexity, rel=1e-8)


def test_half_of_the_documents_have_a_higher_perplexity_there(parts, fitted):
    """The topics' own term does not depend on the documents: divided by fewer words, it is more for each."""
    _, test = parts
    half = test.counts[::2]
    whole, less = bound_of(fitted, test), bound_of(fitted, half)
    assert whole.topics == less.topics > 0 and less.words == pytest.approx(whole.words[::2])
    assert fitted.perplexity(half) > 1.5 * fitted.perplexity(test.counts)


def test_scikit_learn_stopped_early_has_a_looser_bound(parts, fitted):
    _, test = parts
    words, topics = bound_of(fitted, test)
    fitted.set_params(mean_change_tol=1e-3, max_doc_update_iter=100)
    early = fitted.score(test.counts)
    fitted.set_params(mean_change_tol=1e-12, max_doc_update_iter=20_000)
    assert -early >= words.sum() + topics - 1e-6
    assert -early == pytest.approx(words.sum() + topics, rel=1e-3)


def test_topics_of_scikit_learn(parts, fitted):
    """The normalised rows. The bound with known topics is below the words' part of the programs' bound."""
    train, test = parts
    model = TopicModel.from_components(fitted.components_, fitted.doc_topic_prior_, train.words)
    assert model.topics == pytest.approx(fitted.components_ / fitted.components_.sum(axis=1)[:, None])
    assert model.bound(test).sum() < bound_of(fitted, test).words.sum()


@pytest.mark.parametrize("size", [1, 3])
def test_gensim_prints_two_to_the_power_of_nats(parts, size, caplog):
    models = pytest.importorskip("gensim.models", reason="gensim: requirements-dev.txt")
    train, test = parts
    bags = [
        [[(int(w), int(row[w])) for w in np.flatnonzero(row)] for row in table]
        for table in (train.counts[:60], test.counts)
    ]
    lda = models.LdaModel(
        bags[0],
        num_topics=size,
        id2word=dict(enumerate(train.words)),
        random_state=0,
        dtype=np.float64,
        iterations=5000,
        gamma_threshold=1e-10,
    )
    with caplog.at_level(logging.INFO, logger="gensim.models.ldamodel"):
        found = lda.log_perplexity(bags[1])
    words, topics = variational_bound(test, lda.state.get_lambda(), lda.alpha, float(lda.eta[0]))
    per_word = (words.sum() + topics) / test.lengths.sum()
    assert found == pytest.approx(-per_word, rel=1e-8)
    printed = re.search(r"([\d.]+) perplexity estimate", caplog.text).group(1)
    assert float(printed) == pytest.approx(2**per_word, abs=0.06)
    assert float(printed) < math.exp(per_word) / 2
    model = TopicModel.from_components(lda.get_topics(), lda.alpha, train.words)
    assert model.topics.sum(axis=1) == pytest.approx(1, abs=1e-12)


def test_scikit_learn_spreads_the_topics_over_more_pages(parts, fitted):
    """The topics' part is then divided by the words of `total_samples` pages, a million by default."""
    _, test = parts
    words, topics = bound_of(fitted, test)
    assert fitted.total_samples == 1_000_000
    for pages in (len(test), 1000, 1_000_000):
        per_word = (words.sum() + topics * len(test) / pages) / test.lengths.sum()
        found = fitted.set_params(total_samples=pages).perplexity(test.counts, sub_sampling=True)
        assert found == pytest.approx(math.exp(per_word), rel=1e-8)


def test_gensim_spreads_the_topics_over_more_pages_and_evaluates_before_it_learns(parts, monkeypatch):
    models = pytest.importorskip("gensim.models", reason="gensim: requirements-dev.txt")
    train, test = parts
    bags = [
        [[(int(w), int(row[w])) for w in np.flatnonzero(row)] for row in table]
        for table in (train.counts[:60], test.counts)
    ]
    kinds, calls = models.LdaModel, []
    evaluate, estimate = kinds.log_perplexity, kinds.do_estep

    def evaluated(self, chunk, total_docs=None):
        calls.append(("evaluate", len(chunk), total_docs))
        return evaluate(self, chunk, total_docs)

    def learned(self, chunk, state=None):
        calls.append(("learn", len(chunk)))
        return estimate(self, chunk, state)

    monkeypatch.setattr(kinds, "log_perplexity", evaluated)
    monkeypatch.setattr(kinds, "do_estep", learned)
    lda = kinds(
        bags[0], num_topics=3, id2word=dict(enumerate(train.words)), random_state=0, dtype=np.float64,
        iterations=5000, gamma_threshold=1e-10, chunksize=5, passes=2,
    )  # fmt: skip
    learn, then = ("learn", 5), ("evaluate", 5, 60)
    assert (
        calls == [*[learn] * 9, then, learn, learn, then, learn] * 2
    )  # the tenth chunk and the last, each before it is learned from
    words, topics = variational_bound(test, lda.state.get_lambda(), lda.alpha, float(lda.eta[0]))
    found = lda.log_perplexity(bags[1], total_docs=60)
    assert found == pytest.approx(-(words.sum() + topics * len(test) / 60) / test.lengths.sum(), rel=1e-8)


def test_published_pair_of_numbers_is_one_bound():
    """8.2867 nats per word are 312.3 as a power of 2 and 3,970.6 as a power of e."""
    in_bits, in_nats = 2**8.2867, math.exp(8.2867)
    assert in_bits == pytest.approx(312.3, abs=0.1) and in_nats == pytest.approx(3970.6, abs=0.3)


def test_the_book_computes_the_same_for_one_topic():
    counts, topic = np.array([3, 0, 2, 7]), np.array([30.1, 2.1, 9.1, 0.1])
    words, of_topic = lda_bound(counts, topic, prior=0.1)
    found = variational_bound([counts], [topic], alpha=0.7, beta=0.1)
    assert found.words == pytest.approx([-words]) and found.topics == pytest.approx(-of_topic)
    total = (found.words.sum() + found.topics) / counts.sum()
    assert sklearn_lda_perplexity(counts, topic, 0.1) == pytest.approx(math.exp(total))
    assert gensim_log_perplexity(counts, topic, 0.1) == pytest.approx((-total, 2**total))
