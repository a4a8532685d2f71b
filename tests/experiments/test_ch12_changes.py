"""What chapter 12 stores: the poems come out again, and the runs of networks are whole."""

import numpy as np
import pytest
import torch

from lmcourse.experiments import ch12_changes
from lmcourse.experiments.storage import stored
from lmmetrics import corpora, neural
from lmmetrics.text import tokenize

WHOLE = range(5)
"""Seeds whose stored runs are whole: the others lack the lower rate, the copy and the written texts."""


def test_the_poems_are_the_stored_ones(real_texts):
    """To six digits, and the perplexities of the first 24 tales and 200 poems: 257 and 2,726."""
    kept = stored()["changes"]
    try:
        made = {
            "poems": ch12_changes.poems(),
            "few": ch12_changes.poems(24, 200),
            "spelt": ch12_changes.spelt(),
        }
    except corpora.CorpusError as error:
        pytest.skip(str(error))
    for name, rows in made.items():
        assert len(rows) == len(kept[name])
        for row, old in zip(rows, kept[name], strict=True):
            for key, value in row.items():
                if key == "documents":
                    np.testing.assert_allclose(value, old[key], rtol=1e-6)
                    continue
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
        assert ("from the first" in row) == (row["seed"] != 0)


def test_the_other_students_are_stored():
    rows = stored()["changes"]["students"]
    keys = "seed", "units", "rate", "of"
    assert [tuple(row[key] for key in keys) for row in rows] == [*ch12_changes.OTHER_STUDENTS]
    for row in rows:
        assert set(row["rounded"]) == {"6", "5", "4"}
        assert all(one["kB"] < row["kB"] / 3 and one["kl"] > row["kl"] for one in row["rounded"].values())


def test_each_seed_was_adapted():
    """A chosen point has its interval on the old text below the margin, and is the best on the new one."""
    for row in stored()["changes"]["seeds"]:
        found = row["adapted"]
        whole = row["seed"] in WHOLE
        ways = ["fine-tuned", "replay", "mixture", *["own copy"] * whole]
        assert set(found) == {"start", *ways}
        for way in ("fine-tuned", "replay"):
            assert {point["lr"] for point in found[way]["points"]} == set(ch12_changes.RATES[: 1 + whole])
        for way in ways:
            points, chosen = found[way]["points"], found[way]["chosen"]
            assert all(p["old"] < (1 + p["high"]) * found["start"][1] for p in points)
            allowed = [p["new"] for p in points if p["high"] < ch12_changes.ALLOWED]
            assert (chosen is None) == (not allowed)
            if allowed:
                assert points[chosen]["new"] == min(allowed)
                assert all(low <= change <= high for change, low, high in found[way]["test"])


def test_what_rounded_networks_write_is_stored():
    """Two texts that differ early differ later, too, and each network starts from the same prompts."""
    for row in stored()["changes"]["seeds"]:
        assert ("written" in row) == (row["seed"] in WHOLE)
        if "written" in row:
            found = row["written"]
            for bits in map(str, ch12_changes.WRITING_BITS):
                assert len(found[bits]) == len(ch12_changes.WRITTEN) and found[bits] == sorted(found[bits])
                assert found[bits][-1] <= found["prompts"] >= found["alike"]


def test_a_network_writes_its_first_guesses():
    """One by one, they are those of a network that reads the whole text; short documents are left out."""
    text = tokenize(["abracadabra", "abba", "cab abra cad"], by="char")
    network = neural.RecurrentLM(text.vocabulary, "gru", width=8, seed=1, state="document")
    neural.train(network, text, steps=60, lr=0.02, progress=False)
    made = ch12_changes.continuations(network, text, prompt=5, length=4)
    assert made.shape == (2, 4)
    for row, start in zip(made.tolist(), ("abrac", "cab a"), strict=True):
        for symbol in row:
            came = tokenize([start], by="char", vocabulary=text.vocabulary)
            [guess] = ch12_changes.forecasts(network, came)[-1:].argmax(-1).tolist()
            assert symbol == guess
            if symbol == text.vocabulary.eos:
                break
            start += text.vocabulary.token(symbol)
    assert ch12_changes.alike(torch.tensor([[1, 2, 3], [0, 1, 2], [3, 3, 3]]), length=2) == 2


def test_the_bytes_of_a_character_are_added_up():
    """A character of one byte and one of three; the last number belongs to what ends the document."""
    of_document = ch12_changes.sums({"a", "鸟"})
    assert of_document("a鸟b", "a鳥b", np.array([1.0, 2.0, 3.0, 4.0, 5.0, 99.0])) == [2, 1, 10.0, 5.0]


def test_replay_takes_whole_pages_that_fit():
    pages = ["a" * 5, "b" * 30, "c" * 4]
    assert sorted(ch12_changes.as_much(pages, 10, seed=0)) == [pages[0], pages[2]]


def test_a_student_learns_from_its_teacher(monkeypatch):
    """With the forecasts of the text's own model as targets, the divergence from it falls."""
    monkeypatch.setattr(ch12_changes, "STEPS", 300)  # a fifth of what is stored
    text = tokenize(["abracadabra " * 40, "abba cab " * 40], by="char")
    teacher = neural.RecurrentLM(text.vocabulary, "gru", width=8, seed=1, state="document")
    neural.train(teacher, text, steps=60, lr=0.02, progress=False)
    old = ch12_changes.forecasts(teacher, text)
    student = neural.RecurrentLM(text.vocabulary, "gru", width=4, seed=0, state="document")
    before = ch12_changes.means(old, ch12_changes.forecasts(student, text), text)
    ch12_changes.imitate(student, old.exp(), text, seed=0)
    after = ch12_changes.means(old, ch12_changes.forecasts(student, text), text)
    assert after["kl"] < before["kl"] / 3 and after["changed"] <= before["changed"]
    assert torch.isfinite(old).all() and np.isfinite(after["rise"])
