"""Fitting with a limit of memory: the same model to the last bit, in files that do not outlive it."""

import gc
import os
import pickle
import shutil
import signal
import subprocess
import sys
from collections import namedtuple
from operator import attrgetter

import numpy as np
import pytest

from lmmetrics import corpora, score_text, tokenize
from lmmetrics.ngram import (
    Interpolated,
    JelinekMercer,
    KneserNey,
    NGramCounts,
    NGramModel,
    ResourceLimitError,
    WittenBell,
    _disk,
)
from lmmetrics.ngram._disk import bytes_of
from tests.lmmetrics.ngram import methods

TALES = corpora.load("tales-en")
TRAIN = tokenize(TALES.train)
VALID, TEST = (tokenize(part, vocabulary=TRAIN.vocabulary) for part in (TALES.valid, TALES.test))
MUCH = 2**50
METHODS = [JelinekMercer(heldout=VALID) if isinstance(m, JelinekMercer) else m for m in methods.METHODS]


@pytest.fixture
def small(monkeypatch):
    """Buckets and chunks so small that the tales need many."""
    monkeypatch.setattr(_disk.counting, "MOST_ROWS", 1000)
    monkeypatch.setattr(_disk.files, "CHUNK", 777)


def assert_same(found, expected):
    """Every number of two fitted models, with its bits."""
    for ours, theirs in zip(found._tables.levels, expected._tables.levels, strict=True):
        names = "tokens", "contexts", "suffixes", "counts", *(["keys.values"] if ours.n > 1 else [])
        for name in names:
            a, b = (attrgetter(name)(level) for level in (ours, theirs))
            assert a.dtype == b.dtype and np.array_equal(a, b), (name, ours.n)
    for name in ("probs", "weights"):
        for a, b in zip(getattr(found._tables, name), getattr(expected._tables, name), strict=True):
            assert a.tobytes() == b.tobytes(), name


def test_every_method_is_tried():
    """One that says `by_context = True` and does not keep to it would give wrong numbers without an error."""
    assert {kind for kind in methods.exported() if kind.by_context} == {type(method) for method in METHODS}


@pytest.mark.parametrize("method", METHODS, ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("order", [1, 2, 3, 5])
def test_the_model_is_the_same_to_the_last_bit(method, order, small, tmp_path):
    inside, outside = NGramModel(order, method), NGramModel(order, method)
    inside.fit(TRAIN)
    outside.fit(TRAIN, memory=MUCH, folder=tmp_path)
    assert_same(outside, inside)
    assert np.array_equal(outside.log_scores(TEST), inside.log_scores(TEST))
    if hasattr(inside.smoothing, "discounts_"):
        for n, discounts in inside.smoothing.discounts_.items():
            assert np.array_equal(outside.smoothing.discounts_[n], discounts)
    assert outside.counts_.order == order and outside.counts_[1]["the"] == inside.counts_[1]["the"]


@pytest.mark.parametrize("by", ["char", "byte", "whitespace"])
def test_other_tokens_and_a_text_without_its_last_end(by, small, tmp_path):
    text = tokenize(TALES.train[:6], by=by)
    expected = NGramModel(4, WittenBell()).fit(text)
    found = NGramModel(4, WittenBell()).fit(text, memory=MUCH, folder=tmp_path)
    assert_same(found, expected)
    drawn = expected.sample(5000, seed=1)
    assert_same(*(NGramModel(4, WittenBell()).fit(drawn, **to) for to in ({"memory": MUCH}, {})))


@pytest.mark.parametrize("order", [2, 3, 4])
@pytest.mark.parametrize("last", ["a a a", "b a", "c b", "a"])
def test_a_token_with_too_many_windows_has_many_buckets(order, last, monkeypatch, small, tmp_path):
    made = []
    plan = _disk.Counting._plan
    monkeypatch.setattr(_disk.Counting, "_plan", lambda counting: made.append(counting) or plan(counting))
    monkeypatch.setattr(_disk.counting, "MOST_ROWS", 40)
    rng = np.random.default_rng(7)
    words = rng.choice([*"abcdefgh"], p=[0.5, 0.2, 0.1, 0.1, 0.04, 0.03, 0.02, 0.01], size=4000).tolist()
    lines = [" ".join(words[start : start + 9]) for start in range(0, 4000, 9)]
    text = tokenize(["\n".join([*lines, last])], by="whitespace")
    found = NGramModel(order, WittenBell()).fit(text, memory=MUCH, folder=tmp_path)
    assert_same(found, NGramModel(order, WittenBell()).fit(text))
    (counting,) = made
    a = text.vocabulary["a"]
    assert a in counting.split and counting.ranges.count((a, a + 1)) > 2
    largest = np.diff(counting.starts).max()
    assert largest < counting.sizes.max() / 2


def test_folders_go_with_their_models(small, tmp_path):
    model = NGramModel(3, WittenBell()).fit(TRAIN, memory=MUCH, folder=tmp_path)
    (folder,) = tmp_path.iterdir()
    assert not list(folder.glob("*.windows")) and (folder / "3.probs.npy").is_file()
    again = NGramModel(3, WittenBell()).fit(TRAIN, memory=MUCH, folder=tmp_path)  # leaves the first alone
    assert len(list(tmp_path.iterdir())) == 2
    model.save(tmp_path / "model")
    copied, nats = pickle.loads(pickle.dumps(model)), score_text(model, TEST).nats
    del model, again
    gc.collect()
    assert os.listdir(tmp_path) == ["model"]
    for other in (NGramModel.load(tmp_path / "model"), copied):
        assert score_text(other, TEST).nats == nats


def test_a_fit_that_fails_leaves_nothing(small, tmp_path):
    with pytest.raises(ValueError, match="cannot estimate"):
        NGramModel(3, KneserNey()).fit(tokenize(["a b"]), memory=MUCH, folder=tmp_path)
    gc.collect()
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs locks of files")
@pytest.mark.parametrize("step", ["_count", "_link", "_made"])
def test_what_a_killed_process_leaves_is_removed(step, tmp_path):
    code = (
        "import os, signal\n"
        "from lmmetrics import corpora, tokenize\n"
        "from lmmetrics.ngram import NGramModel, WittenBell, _disk\n"
        f"_disk.Counting.{step} = lambda *a: os.kill(os.getpid(), signal.SIGKILL)\n"
        "text = tokenize(corpora.load('tales-en').train)\n"
        f"NGramModel(3, WittenBell()).fit(text, memory='64GB', folder={str(tmp_path)!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    (left,) = tmp_path.iterdir()
    model = NGramModel(3, WittenBell()).fit(TRAIN, memory=MUCH, folder=tmp_path)
    assert not left.exists() and len(os.listdir(tmp_path)) == 1 and model.prob("the") > 0


BOUND = """
import re
from pathlib import Path
import numpy as np
from lmmetrics.ngram import ModifiedKneserNey, NGramModel
from lmmetrics.text import TokenizedText, Vocabulary
from tests.lmmetrics.ngram import methods
rng = np.random.default_rng(0)
ids = (20_000 * rng.random(3_000_000) ** 2).astype(int) + 3
text = TokenizedText.from_ids(np.append(ids, 2), Vocabulary(map(str, range(20_000))))
Path("/proc/self/clear_refs").write_text("5")  # forget the peak so far
model = NGramModel(4, ModifiedKneserNey(fallback=(0.5, 1, 1.5))).fit(text, **{})
print(1024 * int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_bound_is_kept(tmp_path):
    def peak(arguments):
        code = BOUND.format(arguments)
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return int(done.stdout)

    memory = 300_000_000
    assert peak({"memory": memory, "folder": str(tmp_path)}) <= memory < peak({})


def test_what_does_not_suffice_is_said_before_the_work(tmp_path, monkeypatch):
    model = NGramModel(3, WittenBell())
    monkeypatch.setattr(_disk.Counting, "_spread", None)
    with pytest.raises(ResourceLimitError, match=r"to order 3 needs [\d.]+ [MG]B of memory, .*allows 1 MB"):
        model.fit(TRAIN, memory="1MB", folder=tmp_path)
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda place: usage(2, 1, 1_000_000))
    with pytest.raises(ResourceLimitError, match=r"needs up to [\d.]+ MB in .*where 1 MB are free"):
        model.fit(TRAIN, memory=MUCH, folder=tmp_path)
    assert os.listdir(tmp_path) == []


def test_a_frequent_token_needs_no_more_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(_disk.counting, "memory_in_use", lambda: 500_000_000)
    text = tokenize(["a " * 300_000 + "b c d e f"], by="whitespace")
    rare = tokenize(["a b c d e f " * 50_000], by="whitespace")

    def needed(text):
        with pytest.raises(ResourceLimitError) as raised:
            NGramCounts.on_disk(text, 3, "1MB", tmp_path)
        return str(raised.value).partition("needs ")[2].partition(" of memory")[0]

    assert needed(rare) != needed(text)  # one pair of tokens makes up the text
    mixed = tokenize(["a " + " a ".join(f"w{i % 97}" for i in range(150_000))], by="whitespace")
    assert int(needed(mixed).split()[0]) <= int(needed(rare).split()[0])


def test_the_memory_that_is_said_suffices(tmp_path, monkeypatch):
    monkeypatch.setattr(_disk.counting, "memory_in_use", lambda: 500_000_000)
    with pytest.raises(ResourceLimitError) as raised:
        NGramCounts.on_disk(TRAIN, 3, "1MB", tmp_path)
    said = str(raised.value).partition("needs ")[2].partition(" of memory")[0]
    assert NGramCounts.on_disk(TRAIN, 3, said, tmp_path)[1]["the"] > 0


@pytest.mark.parametrize(
    ("memory", "size"),
    [
        ("2GB", 2e9),
        ("2 gb", 2e9),
        ("1.5GiB", 1.5 * 2**30),
        ("300M", 3e8),
        ("7", 7),
        ("2TB", 2e12),
        ("2TiB", 2**41),
    ],
)
def test_bytes_in_words(memory, size):
    assert bytes_of(memory) == size


@pytest.mark.parametrize("memory", ["", "GB", "2 dozen", "-2GB", "0GB", 0, -1, True, 1.5, None, "2PB", "nan"])
def test_a_value_that_is_not_a_number_of_bytes_is_refused(memory):
    with pytest.raises(ValueError, match="a number of bytes is expected"):
        bytes_of(memory)


def test_a_method_has_to_say_that_it_can(tmp_path):
    class Own(Interpolated):
        def terms(self, level):
            total = level.totals(level.counts)
            return level.counts / level.spread(total) / 2, np.where(total > 0, 0.5, 1.0)

    class Apart(Own):
        by_context = True

    with pytest.raises(ValueError, match="set by_context = True in its class"):
        NGramModel(2, Own()).fit(TRAIN, memory=MUCH)
    with pytest.raises(ValueError, match="folder is given without memory"):
        NGramModel(2, Own()).fit(TRAIN, folder=tmp_path)
    found = NGramModel(2, Apart()).fit(TRAIN, memory=MUCH, folder=tmp_path)
    assert_same(found, NGramModel(2, Apart()).fit(TRAIN))
