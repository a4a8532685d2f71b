"""Counts of shards, added, are the counts of the whole text."""

import random

import distributed
import numpy as np
import pytest

from lmmetrics import corpora, tokenize
from lmmetrics.ngram import KneserNey, NGramCounts, NGramModel
from lmmetrics.scale import ScaleError, count_shards, score_shards

ORDER = 4


@pytest.fixture(scope="module")
def documents():
    return {f"tale {i:02}": tale for i, tale in enumerate(corpora.load("tales-en").train)}


@pytest.fixture(scope="module")
def engine():
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=2, dashboard_address="127.0.0.1:0", memory_limit=0
    ) as client:
        yield client


def shards_of(documents, count):
    """Documents in order, in shards whose names are in order; some shards are empty."""
    ids = list(documents)
    cuts = sorted(random.Random(count).choices(range(len(ids)), k=count - 1))
    pieces = zip([0, *cuts], [*cuts, len(ids)], strict=True)
    return {f"{i:02}": {id: documents[id] for id in ids[a:b]} for i, (a, b) in enumerate(pieces)}


def assert_same(found, expected):
    assert found.vocabulary == expected.vocabulary and found.order == expected.order
    for ours, whole in zip(found.levels, expected.levels, strict=True):
        for name in ("tokens", "contexts", "suffixes", "counts"):
            a, b = getattr(ours, name), getattr(whole, name)
            np.testing.assert_array_equal(a, b, err_msg=f"{name} of order {whole.n}")
            assert a.dtype == b.dtype
        assert ours.contexts_size == whole.contexts_size
        assert (ours.longer is None) == (whole.longer is None)


@pytest.mark.parametrize("count", [1, 2, 5, 20])
@pytest.mark.parametrize("by", ["word", "char"])
def test_n_shards_counted_on_dask_are_one_count(engine, documents, count, by):
    found = count_shards(shards_of(documents, count), ORDER, scheduler=engine, by=by, progress=False)
    assert_same(found, NGramCounts(tokenize(list(documents.values()), by), ORDER))


def test_a_given_vocabulary_stays(engine, documents):
    """Tokens outside it are counted as <unk>, so that the order of the shards is of no consequence."""
    vocabulary = tokenize(list(documents.values())[:3]).vocabulary
    shards = shards_of(documents, 6)
    backwards = {f"{9 - int(name)}": shard for name, shard in shards.items()}
    expected = NGramCounts(tokenize(list(documents.values()), vocabulary=vocabulary), ORDER)
    for order in shards, backwards:
        found = count_shards(order, ORDER, scheduler=engine, vocabulary=vocabulary, progress=False)
        assert_same(found, expected)


def test_a_model_of_the_counts_is_the_model_of_the_text(engine, documents):
    text = tokenize(list(documents.values()))
    counts = count_shards(shards_of(documents, 3), ORDER, scheduler=engine, progress=False)
    ours, theirs = NGramModel(ORDER, KneserNey()).fit_counts(counts), NGramModel(ORDER, KneserNey()).fit(text)
    np.testing.assert_array_equal(ours.log_probs(text), theirs.log_probs(text))
    assert ours.sample(20, seed=1).decode() == theirs.sample(20, seed=1).decode()


def test_what_cannot_be_added_is_refused(engine):
    one, two = (NGramCounts(tokenize(["the cat"]), n) for n in (1, 2))
    for parts in ([], [one, two]):
        with pytest.raises(ValueError, match="all of one order"):
            NGramCounts.merged(parts)
    with pytest.raises(ValueError, match="go up to order 2, but the model has the order 1"):
        NGramModel(1, KneserNey()).fit_counts(two)
    with pytest.raises(ScaleError, match="nothing can be counted"):
        count_shards({"a": {}}, 2, scheduler=engine, progress=False)


def lost_while(monkeypatch, task, error):
    """Let Dask report that the workers of the first task of a function died, or that the cluster is lost."""
    real = distributed.as_completed

    def waited_for(futures):
        key = futures[0].key
        if key.startswith(task):
            raise (
                distributed.KilledWorker(key, None, 3) if error is ScaleError else distributed.CancelledError
            )
        return real(futures)

    monkeypatch.setattr(distributed, "as_completed", waited_for)


@pytest.mark.parametrize(
    ("task", "while_"),
    [
        ("look", "reading the shard 'a'"),
        ("count", "counting the shard 'a'"),
        ("merged", "merging the counts"),
    ],
)
def test_an_error_of_counting_speaks_of_no_model_and_no_scores(engine, monkeypatch, task, while_):
    shards = {"a": {"1": "the cat"}, "b": {"2": "the dog"}}
    for error, words in (ScaleError, f"again and again while {while_}. "), (ConnectionError, "lost while"):
        with monkeypatch.context() as patch:
            lost_while(patch, task, error)
            with pytest.raises(error, match=words) as caught:
                count_shards(shards, 2, scheduler=engine, progress=False)
        said = str(caught.value)
        assert "Nothing was written" in said and "model" not in said and "scores" not in said.lower()


def test_an_error_of_scoring_says_that_the_scores_stay(engine, monkeypatch, tmp_path):
    model = NGramModel(1, KneserNey(0.5)).fit(tokenize(["the cat"]))
    for task, while_ in [("told", "loading the model"), ("scored", "scoring the shard 'a'")]:
        with monkeypatch.context() as patch:
            lost_while(patch, task, ScaleError)
            with pytest.raises(ScaleError, match=f"{while_}.*Scores that were written stay"):
                score_shards(model, {"a": {"1": "the"}}, tmp_path, scheduler=engine, progress=False)
