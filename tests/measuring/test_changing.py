"""What chapter 12 stores: the poems come out again, and the runs of networks are whole."""

import numpy as np
import pytest
import torch

from lmcourse.measuring import changing
from lmcourse.measuring.reproduced import stored
from lmmetrics import corpora, neural
from lmmetrics.text import tokenize


def test_the_poems_are_the_stored_ones(real_texts):
    """To six digits, and the perplexities of the first 24 tales and 200 poems: 257 and 2,726."""
    kept = stored()["changes"]
    try:
        made = {"poems": changing.poems(), "few": changing.poems(24, 200)}
    except corpora.CorpusError as error:
        pytest.skip(str(error))
    for name, rows in made.items():
        assert len(rows) == len(kept[name])
        for row, old in zip(rows, kept[name], strict=True):
            for key, value in row.items():
                expected = old[key] if isinstance(value, str) else pytest.approx(old[key], rel=1e-6)
                assert value == expected, (name, key)
    few = {row["run"]: row for row in made["few"] if (row["model"], row["by"]) == ("tales", "char")}
    assert round(few["tales, simplified"]["perplexity"]) == 257
    assert round(few["poems, traditional"]["perplexity"]) == 2726
    assert round(100 * few["poems, traditional"]["unknown"]) == 42


def test_each_seed_has_its_versions():
    for row in stored()["changes"]["seeds"]:
        assert set(row["rounded"]) == {"8", "6", "5", "4", "3", "2"}
        sizes = [one["kB"] for one in row["rounded"].values()]
        assert sizes == sorted(sizes, reverse=True) and row["kB"] > sizes[0]
        assert set(row["student"]) == {"text", "teacher"}
        for student in row["student"].values():
            assert set(student["rounded"]) == {"8", "6", "5", "4"}
            assert all(one["kB"] < student["kB"] / 3 for one in student["rounded"].values())


def test_a_student_learns_from_its_teacher():
    """With the forecasts of the text's own model as targets, the divergence from it falls."""
    text = tokenize(["abracadabra " * 40, "abba cab " * 40], by="char")
    teacher = neural.RecurrentLM(text.vocabulary, "gru", width=8, seed=1, state="document")
    neural.train(teacher, text, steps=60, lr=0.02, progress=False)
    old = changing.forecasts(teacher, text)
    student = neural.RecurrentLM(text.vocabulary, "gru", width=4, seed=0, state="document")
    before = changing.means(old, changing.forecasts(student, text), text)
    changing.imitate(student, old.exp(), text, seed=0)
    after = changing.means(old, changing.forecasts(student, text), text)
    assert after["kl"] < before["kl"] / 3 and after["changed"] <= before["changed"]
    assert torch.isfinite(old).all() and np.isfinite(after["rise"])
