"""What chapter 07 stores of larger networks, and of gradients: a part of it again, and small runs."""

import json

import numpy as np
import pytest

from lmcourse.experiments import ch07_longer, ch07_networks, ch07_reach
from lmcourse.experiments.storage import stored
from lmcourse.experiments.texts import tales
from lmcourse.pages.networks import PASTS, network
from lmmetrics.text import tokenize


@pytest.fixture(scope="module")
def texts():
    return tales()


def test_the_best_setting_gets_the_other_seeds(tmp_path):
    train = tokenize(["the cat sat on the mat and the dog sat on the cat. " * 20], by="char")
    valid, test = (
        tokenize([part], by="char", vocabulary=train.vocabulary)
        for part in ("the dog sat on the mat. " * 6, "the cat and the dog sat on the mat. " * 5)
    )
    kept, settings = tmp_path / "rows", (("LSTM", 8, 0.2, 0.01), ("Transformer", 4, 0.0, 0.01))
    options = {"steps": 20, "seeds": range(3), "kept": kept, "settings": settings}
    rows = list(ch07_longer.runs((train, valid, test), **options))
    assert [row["seed"] for row in rows] == [0, 0, 1, 2]
    best = min(rows[:2], key=lambda row: min(row["valid"]))
    assert all(row["model"] == best["model"] and row["width"] == best["width"] for row in rows[2:])
    assert all(len(row["sample"]) >= 120 and len(row["past"]) == len(PASTS) for row in rows)
    assert list(ch07_longer.runs((train, valid, test), **options)) == [
        json.loads(json.dumps(row)) for row in rows
    ]


def test_a_short_training_gives_what_is_stored(texts):
    settings, steps = ch07_longer.SHORT
    for setting, row in zip(settings, stored()["longer"]["short"], strict=True):
        again = ch07_longer.run(texts, *setting, steps, 0)
        assert [row[key] for key in ch07_longer.KEY] == [*setting, steps, 0]
        for key in ("valid", "test", "past"):
            assert np.allclose(row[key], again[key], atol=2e-3), key


def test_the_wide_networks_have_about_as_many_parameters(texts):
    wide = [setting for setting in ch07_longer.SETTINGS if setting[1] > 100]
    counts = [
        ch07_longer.network(kind, texts[0].vocabulary, width, dropout, seed=0).parameter_count
        for kind, width, dropout, _ in wide
    ]
    assert {kind for kind, *_ in wide} == {"LSTM", "Transformer"}
    assert max(counts) < 1.05 * min(counts)


def test_the_stored_rows_are_whole():
    made = stored()["longer"]
    assert {tuple(row[key] for key in ch07_longer.KEY[:4]) for row in made["runs"]} == set(
        ch07_longer.SETTINGS
    )
    tried = [row for row in made["runs"] if row["seed"] == 0]
    best = min(tried, key=lambda row: min(row["valid"]))
    seeds = [row["seed"] for row in made["runs"] if all(row[key] == best[key] for key in ch07_longer.KEY[:4])]
    assert sorted(seeds) == list(ch07_longer.SEEDS)
    assert all(row["steps"] == made["steps"] and len(row["tales"]) == 6 for row in made["runs"])


def test_gradients_of_fresh_networks_are_those_stored(texts):
    made = stored()["reach"]
    assert made["steps"] == ch07_reach.STEPS and made["rates"] == ch07_reach.RATES
    tale = ch07_reach.a_tale(texts)
    for row in made["runs"]:
        assert (
            row["seed"] in ch07_networks.SEEDS
            and len(row["left"]) == ch07_reach.BACK + 1
            and row["left"][0] == 1
        )
        if row["steps"] == 0:
            again = ch07_reach.reach(network(row["model"], texts[0].vocabulary, row["seed"]), tale)
            assert np.allclose(row["left"], again["left"], rtol=2e-3)
            assert ("gates" in row) == (row["model"] == "LSTM")
            assert np.allclose(row.get("gates", 0), again.get("gates", 0), atol=2e-3)
    assert len(made["runs"]) == 2 * 2 * len(ch07_networks.SEEDS)
