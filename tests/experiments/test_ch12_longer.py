"""What chapter 12 stores of the wider network: a short training comes out again, and the run is whole."""

import pytest

from lmcourse.experiments import ch12_changes, ch12_longer
from lmcourse.experiments.storage import stored


def kept():
    return stored()["changes longer"]


def test_the_run_is_that_of_the_settings():
    row = kept()
    assert row["seed"] == ch12_longer.SEED and row["training"] == ch12_longer.TRAINING
    assert {name: row[name] for name in ch12_longer.SETTING} == ch12_longer.SETTING
    history, training = row["history"], row["training"]
    most = training["steps"] * training["batch"] * training["length"]
    assert 0.9 * most < history["read"] < most  # the last row of a page is shorter
    assert len(history["steps"]) == len(history["bits"]) and history["steps"][-1] == training["steps"]
    best = min(zip(history["bits"], history["steps"], strict=True))
    assert best[1] == history["kept"]
    assert row["pages"]["valid"]["network"] == pytest.approx(best[0], rel=0.02)


def test_it_was_adapted_as_the_others_were():
    """By the same ways, with the same points; the chosen one is below the margin, and the best there."""
    found, others = kept()["adapted"], stored()["changes"]["seeds"][0]["adapted"]
    assert set(found) == set(others)
    for way in set(found) - {"start"}:
        points, chosen = found[way]["points"], found[way]["chosen"]
        for point, other in zip(points, others[way]["points"], strict=True):
            assert all(point[key] == other[key] for key in set(other) - {"new", "old", "high"})
        allowed = [point["new"] for point in points if point["high"] < ch12_changes.ALLOWED]
        assert points[chosen]["new"] == min(allowed)
        assert all(low <= change <= high for change, low, high in found[way]["test"])


def test_a_short_training_comes_out_again():
    """After 20 steps, with dropout; and the counted model of the same pages needs the stored bits."""
    letters, train, valid = ch12_changes.pages()
    network, history = ch12_longer.longer(letters, train, valid, training=ch12_longer.SHORT)
    assert history["bits"] == pytest.approx(kept()["short"], rel=1e-3)
    row = ch12_longer.against_counted(network, letters, train, valid)
    assert row["order"] == kept()["pages"]["order"]
    for part in ("valid", "test"):
        assert row[part]["counted"] == pytest.approx(kept()["pages"][part]["counted"], rel=1e-6)
        low, high = kept()["pages"][part]["paired"][1:]
        assert row[part]["paired"][1] > high > low  # after so few steps it is worse than the long training
