"""What chapter 10 stores: two fits come out again, and the run is whole."""

import itertools

import pytest

from lmcourse.measuring import topics
from lmcourse.measuring.reproduced import stored


def test_two_fits_are_the_stored_ones():
    kept = {(row["prior"], row["seed"], row["topics"]): row for row in stored()["topics"]["fits"]}
    made = [*itertools.islice(topics.fits(sizes=(1, 5), seeds=(0,)), 2)]
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


def test_the_numbers_are_in_their_order():
    """From 20 topics on: the training pages, then the second halves, then what is printed."""
    for row in stored()["topics"]["fits"]:
        assert row["training"] < row["printed"]
        if row["topics"] >= 20:
            assert row["training"] < row["test"] < row["printed"]
