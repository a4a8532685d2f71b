"""What chapter 10 stores of the cache: some fits come out again, and the run is whole."""

import numpy as np
import pytest

from lmcourse.experiments import ch10_cache, ch10_topics
from lmcourse.experiments.ch10_cache import MEMORY, MUS, PARTS
from lmcourse.experiments.storage import stored
from lmcourse.pages import topics
from lmmetrics.topics import word_counts


def rows():
    return {row["topics"]: row for row in stored()["topics cache"]["models"]}


def test_the_run_is_whole():
    kept = stored()["topics cache"]
    assert [row["topics"] for row in kept["models"]] == [*ch10_topics.SIZES, MEMORY]
    assert kept["iterations"] == ch10_topics.ITERATIONS
    for K, row in rows().items():
        many = 1 if K == MEMORY else len(ch10_topics.starts(K))
        assert {len(row[way][part]) for way in ("plain", "cached") for part in PARTS} == {many}
    assert [(row["topics"], row["than"], tuple(row["of"])) for row in kept["pairs"]] == [
        *ch10_cache.PAIRS
    ] * 2
    for part in PARTS:
        found = [(row["of"], row["pages"], row["topics"]) for row in kept["beyond"] if row["part"] == part]
        fewer = [K for K in ch10_cache.COMPARED if max(ch10_topics.BY_PAGE) != K]
        assert found == [
            (of, pages, K)
            for of in ("plain", "cached")
            for pages in ("all", "near", "far")
            for K in fewer
            if of == "cached" or K == 50
        ]
    assert [row["split"] for row in kept["grouped"]] == [*ch10_topics.GROUPED]


def test_without_a_cache_the_fits_are_those_of_the_other_run():
    runs = {(row["topics"], row["seed"]): row for row in stored()["topics"]["runs"]}
    for K, row in rows().items():
        for part in PARTS if K != MEMORY else ():
            expected = [runs[K, seed][part] for seed in ch10_topics.starts(K)]
            assert row["plain"][part] == pytest.approx(expected, rel=1e-3)


def test_two_models_come_out_again():
    """One start with five topics, and the memory."""
    bags = topics.load(ch10_topics.CORPUS)
    best = ch10_topics.best_priors(stored()["topics"]["tried"])
    fits = ch10_cache.everything(best, (5,), lambda K: (1,))
    for name, start in ((5, 1), (MEMORY, 0)):
        [model] = fits[name](bags.train)
        row = rows()[name]
        for part in PARTS:
            halves = getattr(bags, part).split(ch10_topics.SPLIT)
            nats = ch10_cache.losses(model, *halves).sum(axis=1) / halves[1].counts.sum()
            assert np.exp(nats[0]) == pytest.approx(row["plain"][part][start], rel=1e-3)
            assert np.exp(nats[1 + MUS.index(row["mu"])]) == pytest.approx(
                row["cached"][part][start], rel=1e-3
            )


def test_the_weights_of_the_caches_lie_inside_the_list():
    assert all(MUS[0] < row["mu"] < MUS[-1] for row in rows().values())


def test_a_cache_mixes_the_words_that_were_read_with_a_forecast():
    """Of four words, three were read as the first; the forecast counts for another four."""
    read = word_counts(["aaa aaa aaa bbb"])
    found = topics.cached(read, np.array([[0.5, 0.5]]), 4)
    assert found == pytest.approx(np.array([[(3 + 2) / 8, (1 + 2) / 8]]))
    assert topics.cached(read, np.array([0.5, 0.5]), 4) == pytest.approx(found)
