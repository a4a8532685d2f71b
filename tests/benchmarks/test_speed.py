"""The benchmark runs, and measures what it says: on a small text, so that the test is quick."""

import json
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest

from lmcourse.benchmarks import speed
from lmmetrics import corpora
from lmmetrics.ngram import ModifiedKneserNey
from lmmetrics.text import tokenize


def test_the_benchmark_prints_every_line(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(speed, "STORED", tmp_path / "speed.json")
    tales = corpora.load("tales-en")
    small = SimpleNamespace(train=tales.train[:4], valid=tales.valid[:2], test=tales.test[:2])
    monkeypatch.setattr(speed.corpora, "load", lambda name: small)
    monkeypatch.setattr(speed, "SLICE", (2_000, 50))
    # The tales are too short for the estimates of order 4.
    method = partial(ModifiedKneserNey, fallback=(0.5, 1, 1.5))
    monkeypatch.setattr(speed, "ModifiedKneserNey", method)
    monkeypatch.setattr(speed, "zoo", lambda *texts: print("zoo"))
    speed.measure(1)
    printed, errors = capsys.readouterr()
    for line in ("stable argsort", "order 3: fit", "order 5: fit", "score test", "zoo"):
        assert line in printed
    if speed.MLE is None:
        assert "NLTK is not installed" in errors
        return
    race = json.loads((tmp_path / "speed.json").read_text())
    assert "NLTK takes" in printed and race["NLTK"]["counting"] > 0
    assert race["NLTK"]["perplexity"] == pytest.approx(race["lmmetrics"]["perplexity"], rel=1e-12)


def test_peak_memory_counts_arrays():
    assert 8_000_000 <= speed.peak_bytes(lambda: np.zeros(1_000_000)) < 8_100_000


def test_a_slice_is_whole_sentences():
    text = tokenize(["a b\nc\nd e f\n"])
    assert speed.sentences(text, 5) == [["a", "b"], ["c"]]
    assert speed.sentences(text, 9) == [["a", "b"], ["c"], ["d", "e", "f"]]
