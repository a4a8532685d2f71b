"""Saved models: what is loaded is what was fitted, to the last digit, and what is damaged is refused."""

import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

from lmmetrics import corpora
from lmmetrics.ngram import (
    AddK,
    GoodTuring,
    JelinekMercer,
    KneserNey,
    MaximumLikelihood,
    ModifiedKneserNey,
    NGramModel,
    SavedModelError,
    StupidBackoff,
    WittenBell,
)
from lmmetrics.text import Vocabulary, tokenize, train_bpe

TALES = corpora.load("tales-en")
METHODS = [
    AddK(0.1),
    GoodTuring(k=2),
    JelinekMercer(weights=(0.9, 0.6, 0.3)),
    KneserNey(),
    MaximumLikelihood(),
    ModifiedKneserNey(fallback=(0.5, 1, 1.5)),
    StupidBackoff(),
    WittenBell(),
]


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("by", ["word", "byte"])
def test_the_loaded_model_gives_the_same_digits(method, by, tmp_path):
    train = tokenize(TALES.train[:8], by=by)
    fitted = NGramModel(3, method).fit(train)
    fitted.save(tmp_path / "model")
    loaded = NGramModel.load(tmp_path / "model")
    test = tokenize(TALES.test, by=by, vocabulary=None if by == "byte" else train.vocabulary)
    for text in (test, test.document(0)):
        assert np.array_equal(loaded.log_scores(text), fitted.log_scores(text))
    assert np.array_equal(loaded.next_scores(["<s>"]), fitted.next_scores(["<s>"]))
    assert (loaded.parameter_count, loaded.memory) == (fitted.parameter_count, fitted.memory)
    if fitted.smoothing.refusal:
        with pytest.raises(TypeError, match="is refused"):
            loaded.log_probs(test)
    else:
        samples = [model.sample(50, seed=3) for model in (loaded, fitted)]
        assert samples[0].decode() == samples[1].decode()
    with pytest.raises(AttributeError, match="has no counts"):
        loaded.counts_  # noqa: B018
    assert type(method).__name__ in repr(loaded) and sorted(os.listdir(tmp_path)) == ["model"]
    assert np.array_equal(pickle.loads(pickle.dumps(loaded)).log_scores(test), loaded.log_scores(test))


def test_vocabularies_without_unk_and_with_odd_tokens(tmp_path):
    vocabulary = Vocabulary(["a", "\n", "\u2028", "é", '"'], unk=False)
    train = tokenize(['aé\n\u2028a"a'], by="char", vocabulary=vocabulary)
    NGramModel(2, WittenBell()).fit(train).save(tmp_path / "model")
    assert NGramModel.load(tmp_path / "model").vocabulary == vocabulary
    tokenizer = train_bpe(TALES.train[:3], 300)
    pairs = NGramModel(2, WittenBell()).fit(tokenize(TALES.train[:3], by=tokenizer))
    pairs.save(tmp_path / "pairs")
    text = NGramModel.load(tmp_path / "pairs").sample(30, seed=1)
    assert text.decode() == pairs.sample(30, seed=1).decode()


def test_a_model_is_replaced_and_nothing_else_is(tmp_path):
    train = tokenize(TALES.train[:3])
    for order in (3, 2):
        NGramModel(order, WittenBell()).fit(train).save(tmp_path / "inner" / "model")
    assert NGramModel.load(tmp_path / "inner" / "model").order == 2
    assert not (tmp_path / "inner" / "model" / "old").exists()
    assert not (tmp_path / "inner" / "model" / "3.probs.npy").exists()
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "thesis.tex").touch()
    with pytest.raises(FileExistsError, match="nothing was written"):
        NGramModel(2, WittenBell()).fit(train).save(tmp_path / "thesis")
    assert os.listdir(tmp_path / "thesis") == ["thesis.tex"]


def test_a_model_that_cannot_be_written_leaves_the_old_one(tmp_path, monkeypatch):
    model = NGramModel(2, WittenBell()).fit(tokenize(TALES.train[:3]))
    model.save(tmp_path / "model")
    monkeypatch.setattr("lmmetrics.ngram._saved.json.dumps", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        model.save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"] and NGramModel.load(tmp_path / "model").order == 2


@pytest.mark.parametrize("step", [0, 1])
def test_an_interrupt_while_a_model_is_replaced_leaves_the_old_one(step, tmp_path, monkeypatch):
    train = tokenize(TALES.train[:3])
    NGramModel(3, WittenBell()).fit(train).save(tmp_path / "model")
    replace, calls = os.replace, iter(range(10))

    def interrupted(*paths):
        if next(calls) == step:
            raise KeyboardInterrupt
        replace(*paths)

    monkeypatch.setattr("lmmetrics.ngram._saved.os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        NGramModel(2, WittenBell()).fit(train).save(tmp_path / "model")
    assert os.listdir(tmp_path) == ["model"] and NGramModel.load(tmp_path / "model").order == 3


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda f: (f / "model.json").unlink(), "is not a saved model"),
        (lambda f: (f / "vocabulary.json").unlink(), "vocabulary.json is missing"),
        (lambda f: (f / "model.json").write_text("{"), "model.json is damaged: it is not JSON"),
        (lambda f: (f / "model.json").write_text("[]"), "does not describe a counted model"),
        (lambda f: (f / "model.json").write_text('{"format": "other"}'), "does not describe a counted model"),
        (lambda f: changed(f / "model.json", version=2), "saved in version 2 of the format"),
        (lambda f: changed(f / "model.json", orders=[{}]), "incomplete"),
        (lambda f: changed(f / "vocabulary.json", tokens=["a", "b", "c", "d"]), "not in the order of ids"),
        (lambda f: (f / "2.probs.npy").unlink(), "2.probs.npy is missing"),
        (lambda f: (f / "2.probs.npy").write_bytes(b""), "2.probs.npy is damaged"),
        (lambda f: cut_off(f / "2.keys.npy"), "2.keys.npy is damaged"),
        (lambda f: np.save(f / "1.tokens.npy", np.arange(3)), r"1.tokens.npy has int64\[3\]"),
        (lambda f: np.save(f / "2.weights.npy", np.array([{}])), "2.weights.npy is damaged"),
        (lambda f: (f / "1.probs.npy").write_bytes(b"no array"), "not a complete array of numbers"),
        (lambda f: multiplied(f / "2.keys.npy"), "2.keys.npy is damaged: its keys are not those of the"),
        (lambda f: multiplied(f / "2.tokens.npy"), "2.keys.npy is damaged"),
        (lambda f: multiplied(f / "2.contexts.npy"), "2.keys.npy is damaged"),
        (lambda f: changed(f / "model.json", orders=[]), "incomplete"),
        (lambda f: changed(f / "vocabulary.json", tokens=["<unk>", "<s>", "</s>"]), "3 tokens, but the"),
    ],
)
def test_a_damaged_model_is_refused(damage, says, tmp_path):
    folder = tmp_path / "model"
    NGramModel(2, WittenBell()).fit(tokenize(TALES.train[:3])).save(folder)
    damage(folder)
    with pytest.raises(SavedModelError, match=says):
        NGramModel.load(folder)


def test_keys_that_need_eight_bytes(tmp_path):
    """The key of the last bigram is above 2**32, and its context is kept in four bytes."""
    model = NGramModel(2, WittenBell()).fit(tokenize([" ".join(f"w{i}" for i in range(70_000))]))
    model.save(tmp_path / "model")
    again = NGramModel.load(tmp_path / "model")
    assert again.prob("w69999", ["w69998"]) == model.prob("w69999", ["w69998"])


@pytest.mark.parametrize(
    ("name", "damaged"),
    [
        ("1.probs", lambda a: a * 2),
        ("1.probs", lambda a: a * np.nan),
        ("2.probs", lambda a: a * 1.5),
        ("2.weights", lambda a: a * 0),
    ],
)
def test_a_model_that_does_not_sum_to_1_is_told_of(name, damaged, tmp_path):
    model = NGramModel(3, WittenBell()).fit(tokenize(TALES.train[:3]))
    model.save(tmp_path / "model")
    array = np.load(tmp_path / "model" / f"{name}.npy")
    np.save(tmp_path / "model" / f"{name}.npy", damaged(array))
    with pytest.warns(UserWarning, match=r"not to 1, so a perplexity .* files are damaged"):
        NGramModel.load(tmp_path / "model")


def changed(path, **fields):
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def multiplied(path):
    np.save(path, np.load(path) * 2)


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-100])


def test_another_process_reads_only_what_it_needs(tmp_path):
    """The arrays are mapped: loading does not read them."""
    NGramModel(3, WittenBell()).fit(tokenize(TALES.train)).save(tmp_path / "model")
    code = (
        "import sys, numpy as np; from lmmetrics.ngram import NGramModel\n"
        f"model = NGramModel.load({str(tmp_path / 'model')!r})\n"
        "assert isinstance(model._tables.probs[2].base, np.memmap)\n"
        "print(model.prob('the'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) == NGramModel.load(tmp_path / "model").prob("the")
