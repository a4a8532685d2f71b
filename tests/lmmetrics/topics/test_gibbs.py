"""Collapsed Gibbs sampling against the posterior of a corpus that is small enough to enumerate."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest

from lmmetrics.topics import TopicModel, gibbs, split_counts
from lmmetrics.topics._gibbs import WIDE, GibbsSampler, _from_arrays, _from_lists

COUNTS = np.array([[2, 1, 0], [0, 1, 2]])
ALPHA, BETA = (Fraction(1, 2), Fraction(3, 2)), Fraction(1, 4)


def joint(documents, words, topics, alpha=ALPHA, beta=BETA):
    """p(words, topics) as a chain of add-alpha estimates for topics and of add-beta ones for words."""
    product, kinds = Fraction(1), max(words) + 1
    of_document, of_topic = {}, {}
    for d, w, k in zip(documents, words, topics, strict=True):
        seen, under = of_document.setdefault(d, []), of_topic.setdefault(k, [])
        product *= (seen.count(k) + alpha[k]) / (len(seen) + sum(alpha))
        product *= (under.count(w) + beta) / (len(under) + kinds * beta)
        seen.append(k)
        under.append(w)
    return product


def chain(counts=COUNTS, alpha=ALPHA, beta=BETA, seed=0):
    return GibbsSampler(
        np.array(counts), np.array(alpha, dtype=float), float(beta), np.random.default_rng(seed)
    )


def test_each_draw_has_the_conditional_of_the_joint():
    """Before each draw of a sweep: the weights of both topics are in the ratio of the joint probabilities."""
    state, seen = chain(seed=3), []
    draw = state.draw

    def recording(here, word, sums, u):
        weights = [float(a * b / c) for a, b, c in zip(here, word, sums, strict=True)]
        place, topics = len(seen), list(state.topics)
        both = [
            joint(state.documents, state.words, [*topics[:place], k, *topics[place + 1 :]]) for k in (0, 1)
        ]
        seen.append((weights[0] / sum(weights), float(both[0] / sum(both))))
        return draw(here, word, sums, u)

    state.draw = recording
    state.sweep()
    found, expected = zip(*seen, strict=True)
    assert len(found) == COUNTS.sum() and found == pytest.approx(expected, rel=1e-12)


def test_the_chain_visits_each_assignment_as_often_as_its_posterior_says():
    """64 assignments, 40,000 sweeps: within five standard errors, which 100 batches of the chain give."""
    state = chain(seed=1)
    every = list(itertools.product((0, 1), repeat=6))
    weights = np.array([float(joint(state.documents, state.words, z)) for z in every])
    place = {z: i for i, z in enumerate(every)}
    visits = []
    for _ in range(40_000):
        state.sweep()
        visits.append(place[tuple(state.topics)])
    shares = np.stack([np.bincount(batch, minlength=64) for batch in np.split(np.array(visits), 100)]) / 400
    error = np.maximum(shares.std(axis=0, ddof=1) / 10, 1e-4)
    assert np.abs((shares.mean(axis=0) - weights / weights.sum()) / error).max() < 5


def test_many_topics_are_drawn_from_arrays_and_few_from_lists():
    """The same uniform number gives the same topic."""
    rng = np.random.default_rng(0)
    for u in rng.random(200):
        rows = rng.random((3, 40)) + 0.01
        assert _from_arrays(*rows, u) == _from_lists(*rows.tolist(), u)
    assert _from_lists([1.0, 0.0], [1.0, 0.0], [1.0, 1.0], 0.999) == 0
    for kinds in (WIDE, WIDE + 1):
        model = gibbs(COUNTS, kinds, sweeps=2, seed=1, progress=False)
        assert model.topics.shape == (kinds, 3) and model.topics.sum(axis=1) == pytest.approx(1)


def test_the_counts_of_the_chain_stay_those_of_its_topics():
    state = chain(seed=2)
    for _ in range(50):
        state.sweep()
    of_words = state.of_words()
    assert of_words.sum(axis=0).tolist() == COUNTS.sum(axis=0).tolist()
    of_each = np.array(state.of_word).T
    assert of_each == pytest.approx(of_words + float(BETA))
    assert np.array(state.sums) == pytest.approx(of_words.sum(axis=1) + 3 * float(BETA))
    assert np.sum(state.in_document) == pytest.approx(6 + 2 * float(sum(ALPHA)))


def test_topics_are_found_again():
    """Two known topics, 200 documents of 50 words: the perplexity of others is 1 % higher at most."""
    rng = np.random.default_rng(8)
    truth = TopicModel(rng.dirichlet(np.full(40, 0.2), 2), alpha=0.5)
    train, test = (truth.sample(200, 50, rng)[0] for _ in range(2))
    learned = gibbs(train, 2, alpha=0.5, beta=0.2, sweeps=60, seed=0, progress=False)
    halves = split_counts(test, seed=0)
    ours, best = (m.completion(*halves, "integrated").perplexity for m in (learned, truth))
    assert 0.999 * best < ours < 1.01 * best


def test_one_topic_has_the_add_beta_shares():
    model = gibbs(COUNTS, 1, beta=0.5, sweeps=1, seed=0, progress=False)
    assert model.topics == pytest.approx((COUNTS.sum(axis=0, keepdims=True) + 0.5) / 7.5)


def test_the_seed_decides():
    counts = np.random.default_rng(0).integers(0, 4, (20, 15))
    first, again, other = (gibbs(counts, 3, sweeps=3, seed=s, progress=False).topics for s in (1, 1, 2))
    assert (first == again).all() and not np.allclose(first, other)
    assert math.isclose(gibbs(counts, 3, alpha=[1, 2, 3], sweeps=1, seed=1).alpha.sum(), 6)
