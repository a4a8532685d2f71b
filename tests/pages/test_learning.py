"""The table that learns: before it learns it is the library's, and afterwards it is a distribution still."""

import numpy as np
import pytest

from lmcourse.pages.learning import LearningKneserNey
from lmmetrics import corpora
from lmmetrics.ngram import ModifiedKneserNey, NGramModel
from lmmetrics.text import tokenize


@pytest.fixture(scope="module", params=["tales-en", "tales-zh"])
def texts(request):
    tales = corpora.load(request.param)
    train = tokenize(tales.train[:6], by="byte")
    return train, tokenize([tale[:200] for tale in tales.test[:2]], by="byte", vocabulary=train.vocabulary)


@pytest.mark.parametrize("order", [1, 2, 5])
def test_before_it_learns_it_is_the_fitted_model(texts, order):
    train, test = texts
    model = NGramModel(order, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(train)
    first = LearningKneserNey(model, train).next_distribution(["<s>"])
    assert np.abs(first - model.next_distribution(["<s>"])).max() < 1e-15
    learning, tokens = LearningKneserNey(model, train), test.strings()[:20]
    learning._past = test.ids[:20].tolist()  # the context, without having counted it
    assert np.abs(learning._row() - model.next_distribution(["<s>", *tokens])).max() < 1e-15


def test_both_ways_of_asking_agree_and_rows_sum_to_one(texts):
    train, test = texts
    model = NGramModel(4, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(train)
    learning = LearningKneserNey(model, train)
    nats, tokens = learning.log_probs(test), test.strings()
    for position in (0, 1, 50, 201, 260):
        row = learning.next_distribution(tokens[:position])
        assert row.sum() == pytest.approx(1, abs=1e-12)
        assert np.log(row[test.ids[position]]) == pytest.approx(nats[position], abs=1e-12)


def test_it_counts_as_a_fit_on_everything_would(texts):
    train, test = texts
    kept = (0.5, 1, 1.5)
    model = NGramModel(3, ModifiedKneserNey(discount=kept)).fit(train)
    learning = LearningKneserNey(model, train)
    for token in test.ids.tolist():
        learning._count(token)
    both = tokenize([*train.decode(), *test.decode()], by="byte", vocabulary=train.vocabulary)
    refitted = NGramModel(3, ModifiedKneserNey(discount=kept)).fit(both)
    for context in (["<s>"], ["<s>", *test.strings()[:5]]):
        learning._past = [train.vocabulary.id_of(token) for token in context[1:]]
        assert np.abs(learning._row() - refitted.next_distribution(context)).max() < 1e-15
