"""The recalibrations of chapter 13: each undoes what it is for, and no temperature changes a choice."""

import math

import numpy as np
import pytest

from lmcourse.experiments import ch13_agreement
from lmcourse.experiments import ch13_recalibration as again
from lmcourse.experiments.storage import stored
from lmcourse.experiments.texts import source_texts
from lmmetrics import neural
from lmmetrics.ngram import KneserNey, NGramModel
from lmmetrics.sources import AgreementSource

SOURCE = AgreementSource()
STORED = stored()["agreement"]
AGAIN = [row for row in STORED["runs"] if "recalibrated" in row]
WAYS = ["temperature", "by kind", "subtracted"]


@pytest.fixture(scope="module")
def texts():
    """A training text, a text to fit to, and one to measure on."""
    return [SOURCE.sample(size, seed=seed) for size, seed in ((8000, 1), (3000, 2), (3000, 3))]


@pytest.fixture(scope="module")
def forecasts(texts):
    """The forecasts of a table for the second and the third text."""
    model = NGramModel(3, KneserNey(fallback=0.75)).fit(texts[0])
    return [again.table_forecasts(model, text) for text in texts[1:]]


def test_forecasts_are_those_of_the_models(texts):
    learned, _, asked = texts
    network = neural.TransformerLM(asked.vocabulary, **ch13_agreement.SIZE, seed=1)
    table = NGramModel(5, KneserNey(fallback=0.75)).fit(learned)
    for found, logs in (
        (again.network_forecasts(network, asked), network.log_probs(asked, stride=1)),
        (again.table_forecasts(table, asked), table.log_probs(asked)),
    ):
        assert np.exp(found).sum(axis=1) == pytest.approx(1)
        assert -again.nats(found, asked.ids) == pytest.approx(logs, abs=1e-9)


def test_a_temperature_is_found_again(texts, forecasts):
    _, checked, asked = texts
    warm = [again.with_temperature(rows, math.log(2)) for rows in forecasts]
    plain = again.recalibrate(forecasts[0], checked, forecasts[1], asked, SOURCE)
    found = again.recalibrate(warm[0], checked, warm[1], asked, SOURCE)
    assert found["temperature"][0] == pytest.approx(plain["temperature"][0] / 2, rel=1e-3)
    assert found["temperature"][1] == pytest.approx(plain["temperature"][1], abs=1e-2)


def test_smoothing_is_subtracted_again(texts, forecasts):
    _, checked, asked = texts
    V = asked.vocabulary.predictable
    smooth = []
    for rows in forecasts:
        chances = 0.9 * np.exp(rows) + 0.1 / V
        chances[:, asked.vocabulary.bos] = 0
        with np.errstate(divide="ignore"):
            smooth.append(np.log(chances))
    found = again.recalibrate(smooth[0], checked, smooth[1], asked, SOURCE)
    loss = {way: again.nats(rows, asked.ids).mean() for way, (_, rows) in found.items()}
    assert found["subtracted"][0] == pytest.approx(0.1, abs=0.01)
    assert loss["subtracted"] == pytest.approx(again.nats(forecasts[1], asked.ids).mean(), abs=0.005)
    assert loss["subtracted"] < loss["by kind"] < loss["temperature"] < loss["as it is"]


def test_a_kind_tells_what_may_come(texts):
    asked = texts[2]
    kinds, words = again.kinds(SOURCE, asked), np.array(asked.strings())
    assert set(words[1:][kinds[1:] == 2]) == set(SOURCE.pairs)
    assert set(words[1:][kinds[1:] == 1]) == set(SOURCE.phrase)
    assert set(words[1:][kinds[1:] == 0]) == {*SOURCE.fillers, *SOURCE.pairs.values()}


def test_a_stored_table_is_counted_again():
    [row] = ch13_agreement.tables(ch13_agreement.TABLES[:1])
    old = STORED["tables"][0]
    assert row["recalibrated"].keys() == old["recalibrated"].keys() == {"temperature"}
    for new, kept in ((row, old), (row["recalibrated"]["temperature"], old["recalibrated"]["temperature"])):
        for key in ("perplexity", "bits", "error", "right", "choice"):
            assert new[key] == pytest.approx(kept[key], rel=1e-4, abs=1e-6), key


def test_no_temperature_changes_a_choice():
    for row in AGAIN + STORED["tables"]:
        for way in set(row["recalibrated"]) - {"subtracted"}:
            assert row["recalibrated"][way]["right"] == row["right"], (row["perplexity"], way)


def test_the_stored_recalibrations_are_whole():
    assert [(row["model"], row["order"]) for row in STORED["tables"]] == [*ch13_agreement.TABLES]
    floor = math.exp(-SOURCE.log_probs(source_texts(SOURCE)[2]).mean())
    assert {0.0, 0.1} <= {row["smoothing"] for row in AGAIN if row["seed"] == 0}
    for row in AGAIN:
        assert list(row["recalibrated"]) == WAYS
        for found in row["recalibrated"].values():
            assert found["bits"] == pytest.approx(math.log2(found["perplexity"] / floor), abs=1e-9)
            assert found["bits"] < row["bits"] + 0.002  # fitted to another text
            assert found["right"] >= 1 - found["choice"] - 1e-9
