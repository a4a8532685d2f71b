"""What chapter 10 stores: two fits come out again, and the run is whole."""

import itertools

import numpy as np
import pytest

from lmcourse.measuring import topics
from lmcourse.measuring.reproduced import stored
from lmmetrics import Score


def test_two_fits_are_the_stored_ones():
    kept = {(row["prior"], row["seed"], row["topics"]): row for row in stored()["topics"]["fits"]}
    made = [*itertools.islice(topics.fits({}, sizes=(1, 5), seeds=(0,)), 2)]
    assert [row["topics"] for row in made] == [1, 5]
    for row in made:
        old = kept[row["prior"], row["seed"], row["topics"]]
        for key, value in row.items():
            assert value == (old[key] if isinstance(value, str) else pytest.approx(old[key], rel=1e-3)), key


def test_the_run_is_whole():
    kept = stored()["topics"]
    assert kept["iterations"] == topics.ITERATIONS
    cases = [(row["prior"], row["seed"], row["topics"]) for row in kept["fits"]]
    assert cases == [(p, s, K) for p in topics.PRIORS for s in topics.SEEDS for K in topics.SIZES]
    against = [(row["prior"], row["topics"]) for row in kept["against"]]
    assert against == [(p, K) for p in topics.PRIORS for K in topics.SIZES if K != topics.AGAINST]


def test_the_numbers_are_in_their_order():
    """From 20 topics on: the training pages, then the second halves, then what is printed."""
    for row in stored()["topics"]["fits"]:
        assert row["training"] < row["printed"]
        if row["topics"] >= 20:
            assert row["training"] < row["test"] < row["printed"]


def test_the_perplexity_above_50_topics_lies_in_its_interval():
    """Above the mean loss of the five starts, for pages that are pooled."""
    kept = stored()["topics"]
    for row in kept["against"]:
        fits = [fit for fit in kept["fits"] if fit["prior"] == row["prior"]]
        mean, ours = (
            np.mean([np.log(fit["test"]) for fit in fits if fit["topics"] == K])
            for K in (row["topics"], topics.AGAINST)
        )
        assert row["low"] < 100 * np.expm1(mean - ours) < row["high"]


def test_intervals_draw_pages_and_starts():
    """If all pages differ alike, only the starts matter; if there is one start, only the pages."""

    def scores(losses):
        return [[Score(loss * n, tokens=n) for loss, n in zip(run, (10, 20), strict=True)] for run in losses]

    def interval(theirs, ours):
        [row] = topics.intervals({("p", 1): scores(theirs), ("p", topics.AGAINST): scores(ours)})
        return row["low"], row["high"]

    assert interval([[2.0, 2.0]], [[1.0, 1.0]]) == pytest.approx([100 * np.expm1(1)] * 2)
    assert interval([[2.0, 2.0], [1.0, 1.0]], [[1.0, 1.0]]) == pytest.approx([0, 100 * np.expm1(1)])
    assert interval([[2.0, 3.0]], [[1.0, 1.0]]) == pytest.approx([100 * np.expm1(1), 100 * np.expm1(2)])
