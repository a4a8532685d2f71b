"""`make reproduce`: what it says when a text is missing or another one, and that its recipes hold."""

import json
import os

import pytest

from lmcourse import reproduce
from lmcourse.experiments import published, storage
from lmcourse.files.places import ROOT
from lmmetrics import corpora, neural
from lmmetrics.ngram import AddK


@pytest.fixture(scope="module")
def tales():
    """The embedded tales, spelled as that corpus is: words and a line for a sentence."""
    corpus = corpora.load("tales-en")
    parts = corpus.train, corpus.valid, corpus.test
    return ["\n".join(part).replace(".", " .").replace(",", " ,") for part in parts]


@pytest.fixture
def treebank(tmp_path, tales, monkeypatch):
    """A folder that looks like the Penn Treebank."""
    for name, text in zip(published.PTB_FILES, tales, strict=True):
        (tmp_path / name).write_text(text + "\n", encoding="utf-8")
    train, _, test = published.tokenised(*([text + "\n"] for text in tales))
    monkeypatch.setattr(published, "PTB_SIZES", (len(train), len(test)))
    return tmp_path


def test_a_missing_treebank_is_named(tmp_path):
    (tmp_path / "ptb.train.txt").write_text("a\n")
    with pytest.raises(ValueError, match=r"has no ptb\.valid\.txt, ptb\.test\.txt; expected are ptb\.train"):
        published.penn_treebank(tmp_path)


def test_another_text_is_refused(treebank, monkeypatch):
    monkeypatch.setattr(published, "PTB_SIZES", (929_589, 82_430))
    with pytest.raises(ValueError, match=r"tokens; in the published rows it is \(929589, 82430\)"):
        published.penn_treebank(treebank)


def test_the_four_published_rows_are_recomputed(treebank, monkeypatch):
    """The rows and their order. The tales are short: they need given discounts, and a lower k."""
    kneser = published.ModifiedKneserNey
    monkeypatch.setattr(published, "ModifiedKneserNey", lambda: kneser(fallback=(0.5, 1, 1.5)))
    recipe = published.good_turing
    monkeypatch.setattr(published, "good_turing", lambda: recipe(k=2))
    make, *texts = published.penn_treebank(treebank)
    rows = list(make(*texts))
    assert [row.get("published") for row in rows] == [148.3, 141.2, 165.2, 162.3, None]
    assert [row["model"][:5] for row in rows] == ["modif", "modif", "Katz,", "Katz,", "modif"]
    assert all(row["measure"] == "perplexity per token" for row in rows)


def test_the_command_says_what_is_missing(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(published, "shakespeare", lambda: None)
    monkeypatch.setattr(published, "wikitext", lambda: None)
    assert reproduce.main(["published", "--ptb", str(tmp_path)]) == 1
    assert f"reproduce: {tmp_path} has no ptb.train.txt" in capsys.readouterr().err


def test_a_row_is_named_after_what_was_measured(tales):
    train, _, test = published.tokenised(*([text + "\n"] for text in tales))
    row = published.measure_counted({}, 3, AddK(0.5), train, test)
    assert row["model"] == "AddK(k=0.5), order 3"
    lstm = neural.RecurrentLM(train.vocabulary, cell="lstm", width=256)
    assert published.name_of(lstm) == "LSTM, 256 units, state carried"
    gru = neural.RecurrentLM(train.vocabulary, cell="gru", width=8, layers=2)
    gru.state = "document"
    assert published.name_of(gru) == "GRU, 2 layers of 8 units, state of the document"
    transformer = neural.TransformerLM(train.vocabulary, context=16, width=8, heads=2, layers=3)
    assert published.name_of(transformer) == "Transformer, 3 layers of width 8, context 16"
    bigram = neural.SoftmaxBigram(train.vocabulary)
    assert published.name_of(bigram) == repr(bigram)


def test_what_is_stored_says_how_it_was_made():
    stored = json.loads((ROOT / "book" / "reproduced.json").read_text(encoding="utf-8"))
    assert {"made", "machine", "rows"} <= set(stored)
    assert {"cores", "threads", "python", "numpy", "torch"} <= set(stored["machine"])
    for row in stored["rows"]:
        assert {"text", "protocol", "model", "kind", "measure", "value", "scored_tokens"} <= set(row)
        assert row["kind"] != "trained" or {"budget", "seconds", "parameters"} <= set(row)


def test_what_an_experiment_stores_leaves_the_others_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(storage, "STORED", tmp_path / "reproduced.json")
    storage.store(storage.made(rows=[{"value": 1.5}]))
    storage.store({"topics": {"fits": [1]}, "races": {"curves": []}})
    storage.store({"topics": {"fits": [2]}})
    found = storage.stored()
    assert found["rows"] == [{"value": 1.5}] and set(found) >= {"made", "machine"}
    assert (found["topics"], found["races"]) == ({"fits": [2]}, {"curves": []})


def test_the_counted_rows_of_wikitext_are_the_stored_ones():
    """Katz with cut-offs and Paul's rule, Kneser-Ney as KenLM has it, and the cache: to six digits."""
    if not (os.environ.get("LMMETRICS_DATA") or (ROOT.parent / "shared" / "data").exists()):
        pytest.skip("WikiText-2 is not on this machine; LMMETRICS_DATA names the folder that has it")
    stored = {row["model"]: row for row in storage.stored()["rows"] if row["text"].startswith("Wiki")}
    try:
        make, *texts = published.wikitext()
    except corpora.CorpusError as error:
        pytest.skip(str(error))
    rows = list(make(*texts, networks=False))
    assert len(rows) == 7
    for row in rows:
        assert row["value"] == pytest.approx(stored[row["model"]]["value"], rel=1e-6), row["model"]
        assert "published" not in row or row["value"] == pytest.approx(row["published"], rel=2e-6)
    katz = {row["model"]: row["value"] for row in rows if "Katz" in row["model"]}
    assert katz["Katz, Good-Turing, order 5"] < katz["Katz, Good-Turing, order 3"]
