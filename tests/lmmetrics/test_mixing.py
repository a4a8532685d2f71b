"""Mixtures stay distributions, EM finds their best weights, and the cache counts what it says."""

import math

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from lmmetrics import corpora, score_text
from lmmetrics.mixing import Mixture, UnigramCache
from lmmetrics.ngram import ModifiedKneserNey, NGramModel, WittenBell
from lmmetrics.text import Vocabulary, tokenize


@pytest.fixture(scope="module")
def tales():
    corpus = corpora.load("tales-en")
    train = tokenize(corpus.train)
    valid, test = (tokenize(part, vocabulary=train.vocabulary) for part in (corpus.valid, corpus.test))
    return train, valid, test


def slow_cache(text, size, across):
    """The definition, token by token."""
    found = []
    for start, stop in zip(text.document_starts[:-1], text.document_starts[1:], strict=True):
        for place in range(start, stop):
            past = text.ids[max(place - size, 0 if across else start) : place]
            uniform = 1 / text.vocabulary.predictable
            found.append((past == text.ids[place]).mean() if len(past) else uniform)
    return np.array(found)


@pytest.mark.parametrize("across", [False, True])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_the_cache_counts_the_last_tokens(tales, size, across):
    text = tales[1]
    found = np.exp(UnigramCache(size, across=across).log_probs(text))
    assert found == pytest.approx(slow_cache(text, size, across), abs=1e-15)


def test_a_mixture_is_the_sum_of_probabilities(tales):
    train, valid, _ = tales
    models = [NGramModel(2, WittenBell()).fit(train), NGramModel(3, ModifiedKneserNey()).fit(train)]
    mixed = Mixture(models, weights=[0.3, 0.7])
    direct = 0.3 * np.exp(models[0].log_probs(valid)) + 0.7 * np.exp(models[1].log_probs(valid))
    assert np.exp(mixed.log_probs(valid)) == pytest.approx(direct, rel=1e-12)
    row = mixed.next_distribution(["the"])
    assert row.sum() == pytest.approx(1, abs=1e-12)
    assert mixed.vocabulary is train.vocabulary


def test_em_finds_the_best_weight(tales):
    train, valid, _ = tales
    model, cache = NGramModel(3, ModifiedKneserNey()).fit(train), UnigramCache(100)
    fitted = Mixture([model, cache]).fit(valid)

    def loss(weight):
        return -Mixture([model, cache], [1 - weight, weight]).log_probs(valid).mean()

    best = minimize_scalar(loss, bounds=(1e-6, 0.9), method="bounded", options={"xatol": 1e-7})
    assert fitted.weights_[1] == pytest.approx(best.x, abs=1e-3)
    assert loss(fitted.weights_[1]) == pytest.approx(best.fun, abs=1e-7)


def test_a_cache_helps_on_text_nobody_has_seen(tales):
    train, valid, test = tales
    model = NGramModel(3, ModifiedKneserNey()).fit(train)
    mixed = Mixture([model, UnigramCache(200)]).fit(valid)
    assert score_text(mixed, test).perplexity < score_text(model, test).perplexity


def test_a_weight_of_zero_forgives_an_impossible_token(tales):
    _, valid, _ = tales

    class Never:
        def log_probs(self, text):
            return np.full(len(text), -math.inf)

    uniform = UnigramCache(1)
    assert np.array_equal(Mixture([Never(), uniform], [0, 1]).log_probs(valid), uniform.log_probs(valid))
    with pytest.raises(ValueError, match="probability 0 under every model"):
        Mixture([Never(), Never()]).fit(valid)


@pytest.mark.parametrize(
    ("values", "error", "message"),
    [
        (lambda n: np.full(n, 0.1), ValueError, r"Made.log_probs\[0\], of the .*, a probability above 1"),
        (lambda n: np.full(n, math.nan), ValueError, "Made.log_probs.* not a number"),
        (lambda n: np.full(n, -1, dtype=np.float32), TypeError, "Made.log_probs returned float32"),
        (lambda n: np.full(1, -1.0), ValueError, r"Made.log_probs returned the shape \(1,\)"),
    ],
)
def test_a_mixture_does_not_hide_what_its_models_do_wrong(tales, values, error, message):
    """The mixed probabilities may all be below 1 though one model's are not."""
    _, valid, _ = tales

    class Made:
        def log_probs(self, text):
            return values(len(text))

    mixed = Mixture([Made(), Made()])
    for call in (mixed.log_probs, mixed.fit):
        with pytest.raises(error, match=message):
            call(valid)


def test_unknown_tokens_without_an_id_are_not_one_token_to_the_cache():
    text = tokenize(["x y x a a"], vocabulary=Vocabulary(["a"], unk=False))
    assert np.exp(UnigramCache(5).log_probs(text)).tolist() == [0, 0, 0, 0, 1 / 4, 0]


def test_what_was_learned_stands_beside_what_was_given(tales):
    train, valid, _ = tales
    models = [NGramModel(2, WittenBell()).fit(train), UnigramCache(100)]
    mixed = Mixture(models, weights=[0.25, 0.75])
    assert mixed.weights == [0.25, 0.75] and not hasattr(mixed, "weights_")
    assert "0.250 NGramModel(order=2" in repr(mixed)
    before = mixed.log_probs(valid).sum()
    mixed.fit(valid)
    assert mixed.weights == [0.25, 0.75] and mixed.weights_[0] > 0.75
    assert mixed.log_probs(valid).sum() > before
    assert Mixture(models).weights is None


@pytest.mark.parametrize("weights", [[1], [0.5, 0.6], [1.5, -0.5], [np.nan, 1], "ab", [[1], [0.5, 0.5]]])
def test_wrong_weights_are_refused(weights):
    with pytest.raises(ValueError, match=r"weights is .*; expected 2 numbers"):
        Mixture([UnigramCache(), UnigramCache()], weights)


def test_values_that_are_not_models_are_refused():
    with pytest.raises(TypeError, match="int has no log_probs"):
        Mixture([3])
    with pytest.raises(ValueError, match="at least one model"):
        Mixture([])
    with pytest.raises(ValueError, match="size is 0"):
        UnigramCache(0)


def test_em_says_when_it_has_not_converged(tales, monkeypatch):
    """The bound in the warning is one: the loss is not further above its minimum."""
    train, valid, _ = tales
    models = [NGramModel(3, ModifiedKneserNey()).fit(train), UnigramCache(100)]
    least = -Mixture(models).fit(valid).log_probs(valid).mean()
    monkeypatch.setattr("lmmetrics.mixing.STEPS", 2)
    mixture = Mixture(models)
    with pytest.warns(RuntimeWarning, match="EM has not converged: after 2 steps") as caught:
        mixture.fit(valid)
    bound = float(str(caught[0].message).split("may be ")[1].split()[0])
    assert 0 < -mixture.log_probs(valid).mean() - least <= bound


ONE, OTHER = (NGramModel(1, WittenBell()).fit(tokenize([words])) for words in ("a a a b", "b b b a"))


def test_models_with_different_vocabularies_are_refused():
    with pytest.raises(ValueError, match="different vocabularies"):
        Mixture([ONE, OTHER])
    unfitted = NGramModel(1, WittenBell())
    mixed = Mixture([ONE, unfitted])
    unfitted.fit(tokenize(["b b b a"]))  # after the mixture was made
    for call in (mixed.next_distribution, lambda: mixed.prob("a")):
        with pytest.raises(ValueError, match="different vocabularies"):
            call()


def test_a_cache_gives_no_distribution_after_a_context():
    with pytest.raises(TypeError, match="UnigramCache has no next_distribution"):
        Mixture([ONE, UnigramCache(10)]).next_distribution(["a"])
