"""The ways to a document's nats, against sums over all assignments, quadrature, optimisers and each other."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.optimize import minimize
from scipy.stats import beta as beta_distribution

from lmmetrics import score_text
from lmmetrics.ngram import AddK, NGramModel
from lmmetrics.text import tokenize
from lmmetrics.topics import TopicModel, dirichlet_multinomial, split_counts
from lmmetrics.topics._weights import two_topics

ROUNDING = 1e-9


def in_fractions(words, topics, alpha):
    """p of a sequence of words: the sum over all assignments of topics, by the chain rule of each."""
    total = Fraction(0)
    for assigned in itertools.product(range(len(topics)), repeat=len(words)):
        term, seen = Fraction(1), list(alpha)
        for word, k in zip(words, assigned, strict=True):
            term *= Fraction(seen[k], sum(seen)) * topics[k][word]
            seen[k] += 1
        total += term
    return total


def as_words(row):
    return [word for word, n in enumerate(row) for _ in range(n)]


@st.composite
def models_and_counts(draw, topics=(2, 2), words=(2, 4), most=6):
    """A model whose topics and alpha are rational, and a document of at most ``most`` words."""
    size, kinds = draw(st.integers(*words)), draw(st.integers(*topics))
    rows = [draw(st.lists(st.integers(0, 5), min_size=size, max_size=size).filter(any)) for _ in range(kinds)]
    topics = [[Fraction(n, sum(row)) for n in row] for row in rows]
    alpha = [draw(st.integers(1, 4)) for _ in range(kinds)]
    ids = draw(st.lists(st.integers(0, size - 1), max_size=most))
    return topics, alpha, np.bincount(ids, minlength=size).astype(int)


def model_of(topics, alpha):
    return TopicModel(np.array(topics, dtype=float), np.array(alpha, dtype=float))


def nats(probability):
    return -math.log(probability) if probability else math.inf


# --- exact -----------------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(models_and_counts())
def test_two_topics_against_the_sum_over_all_assignments(case):
    topics, alpha, row = case
    expected = nats(in_fractions(as_words(row), topics, alpha))
    assert model_of(topics, alpha).exact([row])[0] == pytest.approx(expected, rel=1e-9, abs=ROUNDING)


@pytest.mark.parametrize("alpha", [(0.05, 0.05), (0.5, 0.5), (0.3, 2.0), (3.7, 11.0), (200.0, 100.0)])
@pytest.mark.parametrize("row", [[3, 0, 1], [0, 1, 0], [20, 5, 30], [0, 0, 60]])
def test_two_topics_against_quad(alpha, row):
    """In the quantile of the prior, where the density is constant and the integrand bounded."""
    topics = np.array([[0.6, 0.3, 0.1], [0.05, 0.15, 0.8]])
    model, prior = TopicModel(topics, alpha), beta_distribution(*alpha)

    def integrand(quantile, moment):
        t = prior.ppf(quantile)
        return t**moment * math.exp(np.array(row) @ np.log(t * topics[0] + (1 - t) * topics[1]) + shift)

    shift = model.exact([row])[0]
    mass, first = (quad(integrand, 0, 1, (m,), epsabs=1e-10, limit=500)[0] for m in (0, 1))
    assert mass == pytest.approx(1, abs=1e-7)
    assert model.posterior_weights([row])[0, 0] == pytest.approx(first, abs=1e-7)


@pytest.mark.parametrize("alpha", [1e-4, 0.01, 0.5, 1, 37, 1e4])
@pytest.mark.parametrize("row", [[3, 4], [1, 0], [200, 10], [2000, 2272], [90_000, 3]])
def test_the_quadrature_for_any_alpha_and_any_length(alpha, row):
    """Two topics of one word each: the closed form is that of a Dirichlet-multinomial."""
    counts, prior = np.array([row]), np.array([alpha, 3 * alpha])
    found, mean = two_topics(counts, np.eye(2), prior)
    assert found == pytest.approx(dirichlet_multinomial(counts, prior), rel=1e-9, abs=ROUNDING)
    assert mean[0] == pytest.approx((row[0] + alpha) / (sum(row) + 4 * alpha), rel=1e-8)


def test_an_integral_that_needs_too_many_nodes_is_refused():
    with pytest.raises(ArithmeticError, match="does not converge with 131,072 nodes"):
        TopicModel([[0.5, 0.5], [0.2, 0.8]], alpha=[1e12, 2e12]).exact([[1, 1]])


def test_a_document_does_not_depend_on_the_documents_beside_it():
    model = TopicModel(np.random.default_rng(0).dirichlet(np.ones(9), 2), alpha=0.4)
    counts = model.sample(30, [3, 400] * 15, seed=1)[0]
    alone = [model.exact(row[None])[0] for row in counts]
    assert model.exact(counts) == pytest.approx(alone, rel=1e-10)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 3), max_size=8), st.integers(1, 4))
def test_one_uncertain_topic_is_the_chain_of_add_alpha(ids, alpha):
    """(n_w + alpha) / (n + V alpha) of the words before, multiplied along the sequence."""
    before, product = [0] * 4, Fraction(1)
    for word in ids:
        product *= Fraction(before[word] + alpha, sum(before) + 4 * alpha)
        before[word] += 1
    assert dirichlet_multinomial([before], alpha)[0] == pytest.approx(nats(product), abs=ROUNDING)
    assert TopicModel(np.eye(4), alpha).exact([before])[0] == pytest.approx(nats(product), abs=ROUNDING)


def test_one_uncertain_topic_after_a_training_text_is_an_add_k_unigram_for_one_word():
    """The first word after the training text has the add-k estimate (the model also counts `</s>`)."""
    train = tokenize(["b a b c b"], sentences="document")
    model = NGramModel(1, AddK(k=0.5)).fit(train)
    counts = np.bincount(train.ids, minlength=len(train.vocabulary))
    symbols = [i for i in range(len(train.vocabulary)) if i != train.vocabulary.bos]
    for word in symbols:
        one = (np.arange(len(counts)) == word).astype(int)[symbols]
        row = np.exp(-dirichlet_multinomial([one], counts[symbols] + 0.5))[0]
        assert row == pytest.approx(model.next_distribution()[word])
    assert score_text(model, train).tokens == counts.sum()


def test_known_topics_of_one_and_of_separate_words():
    """K = 1 is a unigram; topics that share no word have a closed form for any K."""
    counts = np.array([[3, 1, 0, 2], [0, 0, 0, 0]])
    one = TopicModel([[0.1, 0.2, 0.3, 0.4]], alpha=5)
    expected = -counts @ np.log([0.1, 0.2, 0.3, 0.4])
    assert one.exact(counts) == pytest.approx(expected) and one.bound(counts) == pytest.approx(expected)
    topics = [[Fraction(1, 3), Fraction(2, 3), 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
    model = model_of(topics, [1, 2, 3])
    assert model.exact(counts)[0] == pytest.approx(nats(in_fractions(as_words(counts[0]), topics, [1, 2, 3])))
    assert model.posterior_weights(counts) == pytest.approx(np.array([[5, 2, 5], [2, 4, 6]]) / 12)


# --- the order of the ways --------------------------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(models_and_counts(topics=(1, 3), most=5))
def test_best_weights_then_the_integral_then_the_bound(case):
    """For each document: fitted to its own words, integrated, bounded."""
    topics, alpha, row = case
    model, expected = model_of(topics, alpha), nats(in_fractions(as_words(row), topics, alpha))
    if math.isfinite(expected):
        fitted = model.plug_in([row], model.best_weights([row])).nats
        assert fitted <= expected + 1e-6 * row.sum() + ROUNDING
        assert expected <= model.bound([row])[0] + ROUNDING
    else:
        assert model.bound([row])[0] == math.inf
        assert model.plug_in([row], model.best_weights([row])).nats == math.inf


def test_the_posterior_mean_is_not_a_bound():
    """A document below its own -ln p, and other words of a document on either side of the conditional."""
    model = TopicModel([[0.9, 0.1], [0.1, 0.9]], alpha=0.1)
    both = np.array([[1, 1]])
    assert model.plug_in(both, model.posterior_weights(both)).nats < model.exact(both)[0]
    read, scored = np.array([[0, 0]]), np.array([[2, 0]])
    plugged = model.completion(read, scored).nats
    assert plugged > model.completion(read, scored, "integrated").nats
    assert model.completion(read, both).nats < model.completion(read, both, "integrated").nats


@settings(max_examples=60, deadline=None)
@given(models_and_counts(topics=(1, 4), words=(2, 5), most=30))
def test_best_weights_are_the_best(case):
    topics, alpha, row = case
    model = model_of(topics, alpha)
    used = model.topics.sum(axis=0) > 0
    row = row * used  # words that some topic can give
    if not row.any():
        assert model.best_weights([row])[0] == pytest.approx(model.alpha / model.alpha.sum())
        return
    theta = model.best_weights([row])[0]
    assert theta.sum() == pytest.approx(1) and (theta >= 0).all()
    gradient = model.topics[:, used] @ (row[used] / np.maximum((theta @ model.topics)[used], 1e-300))
    assert gradient.max() <= row.sum() * (1 + 2e-6)  # Kuhn and Tucker: no topic would gain by more weight


def test_best_weights_against_an_optimiser():
    rng = np.random.default_rng(5)
    model = TopicModel(rng.dirichlet(np.full(30, 0.3), 6), alpha=0.2)
    counts = model.sample(10, 80, rng)[0]

    def loss(x, row):
        return -row @ np.log(np.exp(x - x.max()) / np.exp(x - x.max()).sum() @ model.topics + 1e-300)

    for row, theta in zip(counts, model.best_weights(counts), strict=True):
        found = min(minimize(loss, np.log(start), row).fun for start in (theta + 1e-9, np.full(6, 1 / 6)))
        assert -row @ np.log(theta @ model.topics + 1e-300) <= found + 1e-6 * row.sum()


# --- estimates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kinds", [2, 3])
def test_importance_sampling_is_unbiased(kinds):
    """4,000 estimates from two draws each: their mean is p, within five standard errors."""
    topics = [[Fraction(n, 8) for n in row] for row in ([5, 2, 1], [1, 1, 6], [2, 4, 2])][:kinds]
    alpha, row = [1, 2, 1][:kinds], np.array([2, 1, 2])
    p = float(in_fractions(as_words(row), topics, alpha))
    each = np.exp(-model_of(topics, alpha).importance(np.tile(row, (4000, 1)), draws=2, seed=4))
    assert each.mean() == pytest.approx(p, abs=5 * each.std() / math.sqrt(len(each)))
    assert np.log(each).mean() < math.log(p)  # Jensen: too high in nats, on average


def test_importance_sampling_with_many_draws():
    model = TopicModel([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], alpha=0.5)
    counts = model.sample(20, 10, seed=2)[0]
    found = model.importance(counts, draws=20_000, seed=0)
    assert found == pytest.approx(model.exact(counts), abs=0.1)
    assert (found == model.importance(counts, draws=20_000, seed=0)).all()


@pytest.mark.parametrize("kinds", [2, 3])
@pytest.mark.parametrize("particles", [1, 3])
def test_left_to_right_is_unbiased(kinds, particles):
    """As for importance sampling; zeros make some assignments impossible, and the priors differ."""
    topics = [[Fraction(n, 8) for n in row] for row in ([6, 2, 0], [1, 1, 6], [2, 0, 6])][:kinds]
    alpha, row = [1, 2, 1][:kinds], np.array([2, 1, 2])
    p = float(in_fractions(as_words(row), topics, alpha))
    each = np.exp(-model_of(topics, alpha).left_to_right(np.tile(row, (4000, 1)), particles, seed=4))
    assert each.mean() == pytest.approx(p, abs=5 * each.std() / math.sqrt(len(each)))
    assert np.log(each).mean() < math.log(p)


def expected_without_selection(words, topics, alpha, particles):
    """The mean estimate of p if the particles are never drawn anew, exactly: the sum over all labellings.

    Each word has the mean of the particles' probabilities, as in MALLET's evaluateLeftToRight.
    """

    def labels(labelling, word):  # n_k + alpha_k times phi_kw, normalised but for the word's own probability
        seen = np.array([labelling.count(k) for k in range(len(alpha))]) + alpha
        return seen * topics[:, word] / (len(labelling) + alpha.sum())

    mass = {((),) * particles: 1.0}
    for place, word in enumerate(words):
        for earlier, who in itertools.product(range(place), range(particles)):
            before, mass = mass, {}
            for state, m in before.items():
                own = state[who]
                chances = labels(own[:earlier] + own[earlier + 1 :], words[earlier])
                for k, chance in enumerate(chances / chances.sum()):
                    new = (*state[:who], (*own[:earlier], k, *own[earlier + 1 :]), *state[who + 1 :])
                    mass[new] = mass.get(new, 0.0) + m * chance
        before, mass = mass, {}
        for state, m in before.items():
            each = [labels(own, word) for own in state]
            given = m * np.mean([chances.sum() for chances in each])
            for ks in itertools.product(range(len(alpha)), repeat=particles):
                chance = math.prod(chances[k] / chances.sum() for chances, k in zip(each, ks, strict=True))
                mass[tuple((*own, k) for own, k in zip(state, ks, strict=True))] = given * chance
    return sum(mass.values())


def test_particles_that_are_never_drawn_anew_are_biased():
    """One of them is not, two are, and ours are not."""
    topics, words = np.array([[0.9, 0.1], [0.1, 0.9]]), [0, 1, 0, 1, 1, 0]
    model, row = TopicModel(topics, alpha=0.1), np.bincount(words)
    p = math.exp(-model.exact([row])[0])
    one, two = (expected_without_selection(words, topics, np.full(2, 0.1), n) for n in (1, 2))
    assert one == pytest.approx(p) and 1.3 * p < two < 1.4 * p
    each = np.exp(-model.left_to_right(np.tile(row, (20_000, 1)), 2, seed=1))
    assert each.mean() == pytest.approx(p, abs=5 * each.std() / math.sqrt(len(each)))


def test_left_to_right_with_many_particles():
    """Two topics, and documents of different lengths, empty ones among them, in groups of a few."""
    rng = np.random.default_rng(3)
    model = TopicModel(rng.dirichlet(np.full(12, 0.4), 2), alpha=[0.3, 0.8])
    counts = model.sample(30, [0, 1, 9, 40, 3] * 6, rng)[0]
    found = model.left_to_right(counts, 2000, seed=0)
    assert found == pytest.approx(model.exact(counts), abs=0.1)
    assert (found == model.left_to_right(counts, 2000, seed=0)).all()
    assert (found[::5] == 0).all()


@settings(max_examples=30, deadline=None)
@given(models_and_counts(topics=(1, 1), most=9), st.integers(0, 3))
def test_left_to_right_is_exact_where_the_topics_of_the_words_are_known(case, seed):
    """One topic, and three topics that share no word: one particle is enough."""
    topics, alpha, row = case
    zeros = [Fraction(0)] * len(row)
    for rows in (topics, [[*zeros * k, *topics[0], *zeros * (2 - k)] for k in range(3)]):
        model = model_of(rows, alpha * len(rows))
        counts = np.tile(row, len(rows))[None]
        assert model.left_to_right(counts, 1, seed) == pytest.approx(model.exact(counts), abs=ROUNDING)


def test_left_to_right_against_importance_sampling_for_five_topics():
    rng = np.random.default_rng(8)
    model = TopicModel(rng.dirichlet(np.full(20, 0.5), 5), alpha=0.5)
    counts = model.sample(10, 12, rng)[0]
    many = model.importance(counts, 200_000, seed=1)
    assert model.left_to_right(counts, 1000, seed=2) == pytest.approx(many, abs=0.1)


def test_a_word_that_no_topic_can_give():
    model = TopicModel([[0.5, 0.5, 0], [0.9, 0.1, 0]], alpha=1)
    counts = np.array([[1, 1, 1], [1, 1, 0]])
    ways = model.exact(counts), model.bound(counts), model.importance(counts, 5, seed=0)
    for way in (*ways, model.left_to_right(counts, 5, seed=0)):
        assert way[0] == math.inf and math.isfinite(way[1])
    for weights in (model.best_weights(counts), model.posterior_weights(counts)):
        assert weights[0] == pytest.approx(weights[1])
        each = model.plug_in_documents(counts, weights)
        assert each[0].nats == math.inf and math.isfinite(each[1].nats)


# --- completion -------------------------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(models_and_counts(most=8), st.integers(0, 3))
def test_completion_is_the_chain_rule(case, seed):
    topics, alpha, row = case
    model = model_of([[(n + Fraction(1, 10)) / (1 + Fraction(len(t), 10)) for n in t] for t in topics], alpha)
    read, scored = split_counts([row], seed)
    found = model.completion(read, scored, "integrated")
    assert found.tokens == scored.sum()
    assert model.exact(read)[0] + found.nats == pytest.approx(model.exact([row])[0], rel=1e-8, abs=ROUNDING)


def test_for_a_single_word_the_posterior_mean_is_the_conditional():
    """p(w | read) = sum_k E[theta_k | read] phi_kw: the mixture is linear in theta."""
    model = TopicModel([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], alpha=[0.3, 0.6])
    read = np.array([[4, 1, 0]] * 3)
    plugged, exact = (
        [score.nats for score in model.completion_documents(read, np.eye(3, dtype=int), weights)]
        for weights in ("posterior", "integrated")
    )
    assert plugged == pytest.approx(exact, rel=1e-9)
    assert np.exp(-np.array(exact)).sum() == pytest.approx(1)


# --- a world with a known truth ---------------------------------------------------------------------------


@pytest.fixture(scope="module")
def known():
    """Two topics over 50 words, 400 documents of 40 words, Dirichlet(1/2, 1/2): all of it drawn."""
    rng = np.random.default_rng(0)
    model = TopicModel(rng.dirichlet(np.full(50, 0.2), 2), alpha=0.5)
    return model, *model.sample(400, 40, rng)


def test_known_topics_in_numbers(known):
    """The numbers that chapter 10 was planned with came out of another program."""
    model, counts, weights = known
    total = counts.sum()
    values = {
        "exact": math.exp(model.exact(counts).sum() / total),
        "true": model.plug_in(counts, weights).perplexity,
        "mean": model.plug_in(counts, model.posterior_weights(counts)).perplexity,
        "best": model.plug_in(counts, model.best_weights(counts)).perplexity,
    }
    assert values == pytest.approx(
        {"exact": 17.483, "true": 16.912, "mean": 16.772, "best": 16.727}, abs=6e-4
    )
    assert (counts.sum(axis=1) == 40).all() and weights.sum(axis=1) == pytest.approx(1)


def test_known_topics_against_a_uniform_grid(known):
    """alpha = 1/2 and t = sin(u)^2: the density is constant in u, and the midpoint rule has 2,000 nodes."""
    model, counts, _ = known
    u = (np.arange(2000) + 0.5) * math.pi / 4000
    t = np.stack([np.sin(u) ** 2, np.cos(u) ** 2], axis=1)
    grid = -np.log(np.exp(counts @ np.log(t @ model.topics).T).mean(axis=1))
    assert model.exact(counts) == pytest.approx(grid, rel=1e-10)


def test_the_ways_in_order(known):
    model, counts, _ = known
    exact = model.exact(counts)
    best = np.array([s.nats for s in model.plug_in_documents(counts, model.best_weights(counts))])
    assert (best <= exact).all() and (exact <= model.bound(counts)).all()
    mean = [math.exp(model.importance(counts, draws, seed=1).sum() / 16_000) for draws in (10, 100, 1000)]
    value = math.exp(exact.sum() / 16_000)
    assert mean[0] > mean[1] > mean[2] > value - 0.01 and mean[2] == pytest.approx(value, abs=0.01)


def test_other_words_of_the_document(known):
    """Whatever half is read, the conditional is at most the plug-in, over 400 documents."""
    model, counts, _ = known
    for seed in range(3):
        halves = split_counts(counts, seed)
        plugged, exact = (
            model.completion(*halves, weights).perplexity for weights in ("posterior", "integrated")
        )
        fitted = model.completion(*halves, "best").perplexity
        assert exact < plugged < fitted


def test_samples_have_the_moments_of_the_prior():
    """20,000 documents: means within five standard errors."""
    model = TopicModel([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8]], alpha=[1, 3])
    counts, weights = model.sample(20_000, 4, seed=6)
    error = 5 * math.sqrt(1 / 4 * 3 / 4 / 5 / 20_000)  # the variance of Beta(1, 3) is m (1 - m) / 5
    assert weights[:, 0].mean() == pytest.approx(1 / 4, abs=error)
    expected = np.array([0.25, 0.75]) @ model.topics
    assert counts.mean(axis=0) / 4 == pytest.approx(expected, abs=5 * math.sqrt(1 / 4 / 20_000))
    assert (model.sample(3, [1, 2, 0], seed=6)[0].sum(axis=1) == [1, 2, 0]).all()
    assert "2 topics, 3 words" in repr(model)
