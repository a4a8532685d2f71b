"""Pruning: each loss is the divergence that it claims to be, and what is left is a model."""

import itertools
from functools import partial

import numpy as np
import pytest

from lmmetrics import corpora, score_text
from lmmetrics.information import kl_divergence
from lmmetrics.ngram import (
    AbsoluteDiscounting,
    AddK,
    JelinekMercer,
    Katz,
    KneserNey,
    MaximumLikelihood,
    ModifiedKneserNey,
    NGramCounts,
    NGramModel,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.ngram._pruning import chance, losses, without
from lmmetrics.text import tokenize

TINY = tokenize(["a b a c\na b c\nb a a b\nc a b a\n", "a c b\nb b a\n"])
METHODS = [
    AbsoluteDiscounting(discount=0.4),
    JelinekMercer(weights=(0.9, 0.6, 0.3)),
    KneserNey(discount=0.5),
    MaximumLikelihood(),
    ModifiedKneserNey(fallback=(0.4, 0.8, 1.2)),
    WittenBell(),
]


@pytest.mark.parametrize("method", [m for m in METHODS if not isinstance(m, MaximumLikelihood)], ids=repr)
@pytest.mark.parametrize("n", [2, 3])
def test_a_loss_is_the_divergence_of_the_rows(method, n):
    """Drop one n-gram after the other, and compare the whole row after its context with the row before."""
    tables = NGramModel(3, method).fit(TINY)._tables
    ids = [np.array(list(all_ngrams(tables, k))) for k in (1, 2, 3)]
    found = losses(tables, n, ids[n - 1])
    contexts_of_longer = set(tables.levels[n].contexts.tolist()) if n < 3 else set()
    checked = 0
    for place, ngram in enumerate(ids[n - 1].tolist()):
        if place in contexts_of_longer:
            continue
        kept = [np.ones(len(level), dtype=bool) for level in tables.levels]
        kept[n - 1][place] = False
        smaller = without(tables, ids, kept)
        before, after = tables.row(ngram[:-1]), smaller.row(ngram[:-1])
        expected = kl_divergence(before, after) * chance(tables, np.array([ngram[:-1]]))[0]
        assert found[place] == pytest.approx(expected, rel=1e-7, abs=1e-14)
        checked += 1
    assert checked > 2


def all_ngrams(tables, n):
    symbols = range(len(tables.vocabulary))
    for ngram in itertools.product(symbols, repeat=n):
        place = 0
        for level, id in zip(tables.levels, ngram, strict=False):
            place = int(level.find(np.array([place]), np.array([id]))[0])
        if place >= 0:
            yield ngram


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize(
    "arguments", [{"threshold": 1e-3}, {"threshold": 1e-2}, {"min_counts": {3: 2}}, {}], ids=repr
)
def test_what_is_left_sums_to_1(method, arguments):
    whole = NGramModel(3, method).fit(TINY)
    small = whole.prune(**arguments)
    tokens = ["<s>", "a", "b", "c", "<unk>"]
    for context in [
        [],
        *map(list, itertools.product(tokens, repeat=1)),
        *map(list, itertools.product(tokens, repeat=2)),
    ]:
        assert small.next_distribution(context).sum() == pytest.approx(
            whole.next_distribution(context).sum(), abs=1e-9
        )
        if not arguments:
            assert small.next_distribution(context) == pytest.approx(
                whole.next_distribution(context), abs=1e-12
            )
    levels = small._tables.levels
    for level, whole_level in zip(levels, whole._tables.levels, strict=True):
        assert len(level) <= len(whole_level) and (level.contexts < level.contexts_size).all()
        assert (np.diff(level.contexts) >= 0).all()


def test_a_model_that_backs_off_is_pruned():
    train = tokenize(corpora.load("tales-en").train)
    small = NGramModel(3, Katz(k=5)).fit(train).prune(1e-5)
    for context in ([], ["the"], ["of", "the"], ["<s>", "the"], ["nobody", "knows"]):
        assert small.next_distribution(context).sum() == pytest.approx(1)


def test_a_pruned_model_goes_through_files(tmp_path):
    tales = corpora.load("tales-en")
    train = tokenize(tales.train)
    test = tokenize(tales.test, vocabulary=train.vocabulary)
    small = NGramModel(3, ModifiedKneserNey()).fit(train).prune(1e-5, min_counts={3: 2})
    small.save(tmp_path / "small")
    small.to_arpa(tmp_path / "small.arpa")
    assert np.array_equal(NGramModel.load(tmp_path / "small").log_probs(test), small.log_probs(test))
    read = NGramModel.from_arpa(tmp_path / "small.arpa")
    again = tokenize(tales.test, vocabulary=read.vocabulary)
    assert read.log_probs(again) == pytest.approx(small.log_probs(test), abs=1e-8)
    twice = NGramModel.load(tmp_path / "small").prune(1e-4)
    assert twice.parameter_count < small.parameter_count
    assert twice.next_distribution(["of", "the"]).sum() == pytest.approx(1)


def test_a_higher_threshold_leaves_less_and_never_a_longer_ngram_without_its_context():
    train = tokenize(corpora.load("tales-en").train)
    whole = NGramModel(4, WittenBell()).fit(train)
    sizes = []
    for threshold in (0, 1e-6, 1e-5, 1e-4, 1e-3, 1e9):
        small = whole.prune(threshold)
        sizes.append(small.parameter_count)
        for level, longer in itertools.pairwise(small._tables.levels):
            assert longer.contexts_size == len(level)
    assert sizes == sorted(sizes, reverse=True) and sizes[0] == whole.parameter_count
    unigrams = NGramModel(1, WittenBell()).fit(train)
    assert small.next_distribution(["the"]) == pytest.approx(unigrams.next_distribution([]), abs=1e-12)


def test_pruning_costs_the_model_what_it_promises():
    """On a long text drawn from the model, the perplexity rises with the threshold, from almost nothing."""
    train = tokenize(corpora.load("tales-en").train[:12])
    whole = NGramModel(3, WittenBell()).fit(train)
    text = whole.sample(60_000, seed=0)
    perplexities = [
        score_text(whole.prune(threshold), text).perplexity for threshold in (0, 1e-6, 1e-5, 1e-4, 1e-3)
    ]
    assert perplexities == sorted(perplexities)
    assert perplexities[1] < 1.001 * perplexities[0] and perplexities[4] > 1.05 * perplexities[0]


@pytest.mark.parametrize(
    ("method", "arguments", "error", "says"),
    [
        (AddK(1), {"threshold": 1e-4}, ValueError, "spreads what is left evenly"),
        (StupidBackoff(), {"threshold": 1e-4}, TypeError, "prune is refused"),
        (WittenBell(), {"threshold": -1}, ValueError, "threshold is -1"),
        (WittenBell(), {"threshold": float("nan")}, ValueError, "threshold is nan"),
        (WittenBell(), {"min_counts": {1: 2}}, ValueError, "orders from 2 to 3"),
        (WittenBell(), {"min_counts": {4: 2}}, ValueError, "orders from 2 to 3"),
    ],
)
def test_what_cannot_be_pruned_is_refused(method, arguments, error, says):
    with pytest.raises(error, match=says):
        NGramModel(3, method).fit(TINY).prune(**arguments)


def test_a_pruned_model_says_that_it_was_pruned(tmp_path):
    small = NGramModel(2, WittenBell()).fit(TINY).prune(1e-5)
    assert repr(small).startswith("NGramModel(order=2, smoothing=Pruned(made_by='WittenBell()')), fitted")
    assert repr(small.prune(1e-4).smoothing) == repr(small.smoothing)
    with pytest.raises(
        AttributeError, match="counts_ does not exist: this model was pruned, and has no counts"
    ):
        small.counts_  # noqa: B018
    with pytest.raises(
        ValueError, match="This model was pruned, and does not have the counts that min_counts"
    ):
        small.prune(min_counts={2: 2})
    counts = NGramCounts(TINY, 2)
    for fit in (small.fit, partial(small.fit, memory="1GB")):
        with pytest.raises(
            TypeError, match="This model was pruned and has no method, so it cannot be fitted"
        ):
            fit(TINY)
    with pytest.raises(TypeError, match="This model was pruned and has no method"):
        small.fit_counts(counts)
    small.save(tmp_path / "small")
    read = NGramModel.load(tmp_path / "small")
    assert "FromFile(" in repr(read) and "Pruned(made_by='WittenBell()')" in read.smoothing.made_by
    with pytest.raises(AttributeError, match="this model was read from a file, and has no counts"):
        read.counts_  # noqa: B018


def test_counts_are_needed_for_a_cutoff(tmp_path):
    NGramModel(2, WittenBell()).fit(TINY).save(tmp_path / "model")
    with pytest.raises(ValueError, match="This model was read from a file, and does not have"):
        NGramModel.load(tmp_path / "model").prune(min_counts={2: 2})
