"""The stored Transformers of chapter 13: a short run has the same form, and the stored rows are whole."""

import math

import numpy as np
import pytest

from lmcourse.experiments import ch13_agreement
from lmcourse.experiments.storage import stored
from lmcourse.experiments.texts import source_texts
from lmmetrics import neural
from lmmetrics.sources import AgreementSource
from lmmetrics.text import TokenizedText

STORED = stored()["agreement"]


def test_a_short_run_has_the_form_of_the_stored_one():
    [row] = ch13_agreement.runs(smoothing=[0.1], seeds=[3], steps=2)
    assert row.keys() == STORED["runs"][0].keys()
    assert row["recalibrated"].keys() == STORED["runs"][0]["recalibrated"].keys()
    share = (row["bits"] - row["elsewhere"]) / (row["verb"] - row["elsewhere"])
    assert 0.11 < share < 0.14  # one token in eight is a verb


def test_a_choice_is_that_between_two_texts():
    """The difference of two verbs is that of the texts up to there, each scored with a whole context."""
    source = AgreementSource()
    _, _, asked = source_texts(source)
    model = neural.TransformerLM(asked.vocabulary, **ch13_agreement.SIZE, seed=1)
    forms = [asked.vocabulary[verb] for verb in source.pairs.values()]
    at = np.flatnonzero(np.isin(asked.ids, forms))[5:8]
    other = sum(forms) - asked.ids[at]
    right, wrong = ch13_agreement.choices(model, asked, at, other)
    for k, place in enumerate(at):
        ids = asked.ids[: place + 1].copy()
        for found, last in ((right, ids[-1]), (wrong, other[k])):
            ids[-1] = last
            text = TokenizedText.from_ids(ids, asked.vocabulary, asked.spelling)
            assert found[k] == pytest.approx(model.log_probs(text, stride=1)[-1], abs=1e-5)


def test_the_stored_rows_are_whole():
    cases = [(row["smoothing"], row["seed"]) for row in STORED["runs"]]
    assert cases == [(share, seed) for share in ch13_agreement.SMOOTHING for seed in ch13_agreement.SEEDS]
    assert STORED["steps"] == ch13_agreement.STEPS
    assert {key: STORED[key] for key in ch13_agreement.SIZE} == ch13_agreement.SIZE
    for row in STORED["runs"]:
        assert row["bits"] == pytest.approx(
            math.log2(row["perplexity"])
            - math.log2(STORED["runs"][0]["perplexity"])
            + STORED["runs"][0]["bits"]
        )  # one text, so one floor
        assert row["right"] >= 1 - row["choice"] - 1e-9
