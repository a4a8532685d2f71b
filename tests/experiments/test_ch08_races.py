"""The stored races of chapter 08: a smaller run has the same form, and the stored rows are whole."""

import json
import math

import numpy as np
import pytest

from lmcourse.experiments import ch08_races
from lmcourse.files.places import ROOT
from lmcourse.pages.races import (
    NETWORKS,
    REMEMBERING,
    SHARES,
    StoredNetwork,
    Words,
    best_network,
    best_table,
    runs_of,
    suggestion_hits,
)
from lmmetrics import score_text
from lmmetrics.mixing import Mixture
from lmmetrics.ngram import ModifiedKneserNey, NGramModel
from lmmetrics.scoring import score_documents
from lmmetrics.text import TokenizedText

STORED = json.loads((ROOT / "book" / "reproduced.json").read_text(encoding="utf-8"))["races"]
SMALL = {"steps": 9, "width": 8}


@pytest.fixture(autouse=True)
def quiet(capsys):
    yield
    capsys.readouterr()


def test_a_small_race_has_the_form_of_the_stored_one():
    rows = list(ch08_races.races(texts=["tales-en"], seeds=[0], rates=(0.01,), **SMALL))
    assert [(row["state"], row["rate"]) for row in rows] == [
        ("sentence", None),
        ("document", None),
        ("sentence", 0.01),
    ]
    for row in rows:
        assert row.keys() == STORED["races"][0].keys()
        assert row["low"] < row["difference"] < row["high"]
        assert 0 <= row["weight"] <= 1


def test_a_short_sighted_network_sees_its_window_and_no_more():
    words = Words("tales-en")
    network, _ = best_network(words, window=2, **SMALL)
    test = words.test
    found = network.log_probs(test)
    starts = set(test.sentence_starts)
    place = next(t for t in range(100, len(test)) if not starts & set(range(t - 6, t + 1)))
    for back, same in ((1, False), (2, False), (3, True)):
        ids = test.ids.copy()
        ids[place - back] = words.vocabulary.id_of("the" if test.strings()[place - back] != "the" else "a")
        changed = network.log_probs(TokenizedText.from_ids(ids, words.vocabulary, network.spelling))
        assert (abs(changed[place] - found[place]) < 1e-12) == same, back
    (row,) = ch08_races.windows(seeds=[0], **SMALL)
    assert row.keys() == STORED["windows"][0].keys() and row["window"] == 2


def test_a_draw_is_a_part_of_the_training_documents():
    words = Words("tales-en")
    (row,) = ch08_races.curves(texts=["tales-en"], shares=[0.5], draws=[1], **SMALL)
    assert row.keys() == STORED["curves"][0].keys()
    text = words.some(0.5, 1)
    assert row["tokens"] == len(text) < len(words.train)
    assert len(text.document_starts) - 1 == round(0.5 * len(words.documents.train))
    read = [words.train.document(k).strings() for k in range(len(words.documents.train))]
    assert all(text.document(k).strings() in read for k in range(len(text.document_starts) - 1))


def test_a_setting_is_chosen_for_each_amount_of_text(tmp_path):
    kept = tmp_path / "rows"
    few = {"amounts": {"tales-en": (1 / 16,)}, "draws": range(2), "kept": kept, "steps": 4, "width": 4}
    rows = list(ch08_races.tuned(**few))
    assert [row.keys() == STORED["tuned"]["runs"][0].keys() for row in rows] == [True] * 4
    assert [(row["draw"], row["width"]) for row in rows[:3]] == [(0, 4), (0, 4), (0, 8)]
    best = min(rows[:3], key=lambda row: row["valid"])
    assert (rows[3]["draw"], rows[3]["rate"], rows[3]["width"]) == (1, best["rate"], best["width"])
    assert list(ch08_races.tuned(**few)) == rows  # read from the file, not trained again


def test_the_networks_of_the_documentation_have_the_form_of_the_stored_ones():
    few = {"width": 16, "passes": 1, "steps": 2}
    rows = list(ch08_races.documentation(seeds=[0], **few))
    assert [(row["pages"], row["seed"]) for row in rows] == [("all", 0), ("no copies", 0)]
    stored = STORED["documentation"]["runs"]
    for row in rows:
        (like,) = (one for one in stored if one["pages"] == row["pages"] and one["seed"] == 0)
        assert row.keys() == like.keys() and row["models"].keys() == like["models"].keys()
        size = len(Words("numpy-docs").test)
        for name, value in (("network", row["test"]), ("table", row["table"])):
            bits = np.array(row["models"][name]["bits"].split(), dtype=float)
            assert abs(bits.sum() / size - math.log2(value)) < 1e-3
        assert row["table"] == like["table"] and row["models"]["table"] == like["models"]["table"]
    assert rows[1]["tokens"] < rows[0]["tokens"] and rows[1]["table"] > 2 * rows[0]["table"]
    (row,) = ch08_races.remembering(settings=REMEMBERING[:1], **few)
    assert row.keys() == STORED["documentation"]["remembering"][0].keys()


def test_the_stored_surprisals_are_those_of_the_stored_bits():
    words, row = Words("numpy-docs"), STORED["documentation"]["runs"][0]
    network = StoredNetwork(words, row)
    bits = [score.bits for score in score_documents(network, words.test)]
    assert np.allclose(bits, np.array(row["models"]["network"]["bits"].split(), dtype=float), atol=0.5)
    assert score_text(network, words.valid).perplexity == pytest.approx(row["valid"], rel=1e-4)
    with pytest.raises(ValueError, match="Nothing is stored"):
        network.log_probs(words.train)
    both = Mixture([network, best_table(words)], [0.4, 0.6])
    assert score_text(both, words.test).perplexity < row["table"]


def test_hits_are_counted_as_the_rows_say():
    words = Words("numpy-docs")
    network, _ = best_network(words, steps=2, width=16)
    table = NGramModel(2, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(words.train)
    text, start = words.test, words.test.sentence_starts[1]
    specials = [words.vocabulary.id_of(symbol) for symbol in ("<s>", "</s>", "<unk>")]
    part = TokenizedText.from_ids(text.ids[:start], words.vocabulary, network.spelling)
    weights = {"network": {"network": 1.0}, "both": {"table": 0.5, "cache": 0.1, "network": 0.4}}
    hits = suggestion_hits(weights, table, network, part)
    for place in range(start):
        before = text.strings()[:place]
        cache = np.bincount(text.ids[:place], minlength=len(words.vocabulary)) / max(place, 1)
        rows = {"network": network.next_distribution(before)}
        of_table = table.next_distribution(["<s>", *before])
        rows["both"] = 0.5 * of_table + 0.1 * cache + 0.4 * rows["network"]
        for name, row in rows.items():
            row[specials] = 0
            right = text.ids[place] not in specials and (row > row[text.ids[place]]).sum() < 3
            assert hits[name][place] == right


def test_pages_without_copies_share_no_run_with_the_valid_and_test_pages():
    words = Words("numpy-docs")
    text = words.without_copies("train", "valid", "test")
    other_runs = set().union(*runs_of(words.valid), *runs_of(words.test))
    assert not other_runs & set().union(*runs_of(text))
    assert other_runs & set().union(*runs_of(words.train))
    thinned = ch08_races.as_long(words, len(text), seed=0)
    assert 0.99 * len(text) < len(thinned) <= len(text)
    few = {"width": 16, "steps": 2, "passes": 1}
    (row,) = ch08_races.thinned(draws=[0], orders=[2], **few)
    like = STORED["documentation"]["thinned"][0]
    assert row.keys() == like.keys() and row["models"].keys() == like["models"].keys()
    assert row["tokens"] == like["tokens"] == len(thinned)
    (row,) = ch08_races.searched(settings=ch08_races.SEARCHED[:1], **few)
    assert row.keys() == STORED["documentation"]["searched"][0].keys()


def test_the_floor_is_measured_in_parts_that_add_up():
    row, stored = ch08_races.floor_curve(steps=2, every=1), STORED["floor curve"]
    assert row.keys() == stored.keys() and row["model"] == stored["model"] and len(row["curve"]) == 3
    assert row["curve"][0] == pytest.approx(stored["curve"][0], abs=1e-3)  # before the first step
    rows = list(ch08_races.floor(seeds=[0], rates=(0.01,), steps=2))
    assert [row["model"] for row in rows] == ["GRU", "Transformer"]
    for row in rows:
        assert row.keys() == STORED["floor"][0].keys()
        share = (row["bits"] - row["elsewhere"]) / (row["verb"] - row["elsewhere"])
        assert 0.11 < share < 0.14  # one token in eight is a verb


def test_the_stored_rows_are_whole():
    runs = {(row["text"], row["seed"], row["state"], row["rate"]) for row in STORED["races"]}
    for text in ("tales-en",):
        assert {
            (text, seed, state, None) for seed in ch08_races.SEEDS for state in ("sentence", "document")
        } <= runs
        others = set(ch08_races.RATES) - {NETWORKS[text]["rate"]}
        assert {(text, 0, "sentence", rate) for rate in others} <= runs
    assert [row["seed"] for row in STORED["windows"]] == list(ch08_races.SEEDS)
    points = {(row["text"], row["share"], row["draw"]) for row in STORED["curves"]}
    assert points == {("tales-en", share, draw) for share in SHARES for draw in ch08_races.SEEDS}
    amounts = [(text, share) for text, shares in ch08_races.TUNED.items() for share in shares]
    runs = [(row["text"], row["share"], row["draw"]) for row in STORED["tuned"]["runs"]]
    assert runs == [(*amount, draw) for amount in amounts for draw in (0, 0, 0, 1, 2)]
    made = [(row["pages"], row["seed"]) for row in STORED["documentation"]["runs"]]
    assert made == [(pages, seed) for pages in ("all", "no copies") for seed in ch08_races.SEEDS]
    alone = [row for row in STORED["documentation"]["runs"] if row["pages"] == "no copies"]
    assert {len(row["curve"]) - 1 for row in alone} == {ch08_races.ALONE_PASSES}
    assert [row["rate"] for row in STORED["documentation"]["remembering"]] == [0.01, 0.02]
    assert [row["seed"] for row in STORED["documentation"]["thinned"]] == list(ch08_races.SEEDS)
    assert {len(row["curve"]) - 1 for row in STORED["documentation"]["thinned"]} == {ch08_races.ALONE_PASSES}
    for row, like in zip(STORED["documentation"]["faster"], (made[0], made[3]), strict=True):
        assert (row["pages"], row["seed"]) == like and row["rate"] == ch08_races.FASTER
    settings = [(row["rate"], row["dropout"]) for row in STORED["documentation"]["searched"]]
    assert settings == [(setting["rate"], setting["dropout"]) for setting in ch08_races.SEARCHED]
    for steps in ("floor", "floor longer"):
        assert len(STORED[steps]) == 2 * len(ch08_races.SEEDS) * len(ch08_races.FLOOR_RATES)
