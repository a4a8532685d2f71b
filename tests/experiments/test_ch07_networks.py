"""What chapter 07 stores of five networks: a small run of the same program, and rows that are whole."""

import json

import numpy as np
import pytest
import torch

from lmcourse.experiments import ch07_networks
from lmcourse.experiments.storage import stored
from lmcourse.experiments.texts import tales
from lmcourse.pages.networks import NAMES, PASTS, by_past, network, windowed
from lmmetrics import neural, score_text
from lmmetrics.text import tokenize


@pytest.fixture(scope="module")
def texts():
    train = tokenize(["the cat sat on the mat and the dog sat on the cat. " * 20], by="char")
    return train, *(
        tokenize([part], by="char", vocabulary=train.vocabulary)
        for part in ("the dog sat on the mat. " * 6, "the cat and the dog sat on the mat. " * 5)
    )


def test_a_small_run_has_all_rows(texts, tmp_path):
    kept = tmp_path / "rows"
    rows = list(
        ch07_networks.runs(texts, steps=20, seeds=range(2), kept=kept, names=("feed-forward", "LSTM"))
    )
    assert len(kept.read_text().splitlines()) == len(rows)
    for name in ("feed-forward", "LSTM"):
        found = [row for row in rows if row["model"] == name and row["steps"] == 20]
        rates = {row["rate"] for row in found}
        assert len(found) == 2 * len(rates) and rates >= set(ch07_networks.RATES[1:4])
        assert all(len(row["valid"]) == 10 and len(row["past"]) == len(PASTS) for row in found)
        assert all(abs(sum(row["tales"]) / len(texts[2]) - row["test"]) < 1e-3 for row in found)
    assert all(row["steps"] == 20 for row in rows) and rows[-1]["model"] == "LSTM"
    again = list(
        ch07_networks.runs(texts, steps=20, seeds=range(2), kept=kept, names=("feed-forward", "LSTM"))
    )
    assert again == [json.loads(json.dumps(row)) for row in rows]


def test_windows_score_each_token_once_as_the_library_does(texts):
    model = neural.TransformerLM(texts[0].vocabulary, context=64, width=8, heads=2, layers=2, seed=1)
    for stride in (1, 32, 64):
        ours = windowed(model, texts[2], 64, stride).numpy()
        assert np.allclose(ours, -model.log_probs(texts[2], stride=stride), atol=1e-4)


def test_the_past_is_cut_by_length(texts):
    """With 64 inputs and an empty state before them; a feed-forward network sees no more than its eight."""
    model = network("feed-forward", texts[0].vocabulary)
    found = dict(zip(PASTS, by_past(model, texts[2]), strict=True))
    assert len({round(float(found[past]), 5) for past in PASTS if past >= 8}) == 1
    assert found[1] != found[8]


def test_networks_have_one_size(texts):
    characters = tales()[0].vocabulary
    counts = [network(name, characters).parameter_count for name in NAMES]
    assert max(counts) / min(counts) < 1.1
    fresh = [score_text(network(name, texts[0].vocabulary), texts[2]).perplexity for name in NAMES]
    assert all(abs(x / texts[0].vocabulary.predictable - 1) < 0.2 for x in fresh)


def test_the_stored_rows_are_whole():
    made = stored()["networks"]
    groups = {}
    for row in made["runs"]:
        groups.setdefault((row["model"], row["rate"], row["steps"]), []).append(row)
    for rows in groups.values():
        assert sorted(row["seed"] for row in rows) == list(ch07_networks.SEEDS)
    assert {"feed-forward", "RNN", "LSTM", "GRU"} <= {model for model, *_ in groups}
    for name in dict.fromkeys(model for model, *_ in groups):
        tried = {
            rate: rows
            for (model, rate, steps), rows in groups.items()
            if (model, steps) == (name, made["steps"])
        }
        best = ch07_networks.lowest(tried)
        assert min(tried) < best < max(tried), name  # no network is best at the end of what was tried
        first = next(row for row in tried[best] if row["seed"] == 0)
        assert len(first["tales"]) == 6, name  # chapter 07 draws an interval around this run
    assert torch.isfinite(torch.tensor([row["test"] for row in made["runs"]])).all()
