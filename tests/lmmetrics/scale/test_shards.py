"""Shards in this process: sums to the last bit, files, resuming, and what is refused."""

import gzip
import json
import math
import os
import random
from pathlib import Path

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmmetrics import Score, compare_scores, score_documents, score_text, tokenize
from lmmetrics.adapters import CallableLM
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.scale import (
    ScaleError,
    compare_folders,
    read_scores,
    score_rank,
    score_shards,
    write_shards,
)
from lmmetrics.scale._exact import from_limbs, parts, to_limbs
from lmmetrics.scale._files import Plan, write_rows
from lmmetrics.scale._model import Protocol, digest_of
from tests.lmmetrics.scale.models import Constant, counted, of_tokens, paragraphs

NATS = st.lists(st.floats(0, 1e300, allow_subnormal=True))


@pytest.fixture(scope="module")
def engine():
    """A thread of this process, for all tests of the file."""
    with distributed.Client(
        processes=False, n_workers=1, threads_per_worker=1, dashboard_address="127.0.0.1:0", memory_limit=0
    ) as client:
        yield client


@pytest.fixture(scope="module")
def model():
    return counted()


@pytest.fixture(scope="module")
def documents():
    return paragraphs()


@pytest.fixture
def run(engine, tmp_path):
    """Score shards into a folder, without a progress bar."""

    def run(model, shards, out="scores", **options):
        return score_shards(model, shards, tmp_path / out, scheduler=engine, progress=False, **options)

    return run


@pytest.fixture(scope="module")
def exact(model, documents):
    return of_tokens(model, documents)


def dealt(documents, count, seed):
    """The documents in as many shards, in any order."""
    ids = list(documents)
    random.Random(seed).shuffle(ids)
    cuts = sorted(random.Random(seed).choices(range(len(ids)), k=count - 1))
    pieces = [ids[a:b] for a, b in zip([0, *cuts], [*cuts, len(ids)], strict=True)]
    return {f"shard {i}": {id: documents[id] for id in piece} for i, piece in enumerate(pieces)}


@given(NATS, st.integers(1, 5), st.randoms())
def test_sums_have_the_bits_of_fsum_for_every_partition(values, count, chance):
    expected = math.fsum(values)
    pieces = [[] for _ in range(count)]
    for value in values:
        chance.choice(pieces).append(value)
    assert math.fsum(part for piece in pieces for part in parts(piece)) == expected
    limbs = [sum(column) for column in zip(*map(to_limbs, pieces), strict=True)]
    assert from_limbs(limbs) == expected and max(limbs) < 2**63


def test_a_plain_sum_of_documents_has_other_bits():
    """Otherwise the tests of exact sums would show nothing."""
    values = np.random.default_rng(1).gamma(2, 3, 100_000)
    pieces = np.array_split(values, 133)
    assert (
        sum(map(math.fsum, pieces))
        != math.fsum(values)
        == math.fsum(part for piece in pieces for part in parts(piece.tolist()))
    )


@pytest.mark.parametrize(("count", "seed"), [(1, 0), (3, 1), (4, 2), (7, 3), (40, 4)])
def test_the_total_is_exact_for_every_partition_and_order(run, model, documents, exact, count, seed):
    found = run(model, dealt(documents, count, seed))
    assert found.total.nats == exact == read_scores(found_folder(run)).total.nats
    whole = score_text(model, tokenize(list(documents.values()), vocabulary=model.vocabulary))
    assert found.total == whole and found.total.unknown == whole.unknown
    assert list(found) == sorted(documents)


def found_folder(run):
    return Path(run.__closure__[1].cell_contents) / "scores"


def test_rows_are_the_scores_of_the_documents(run, model, documents):
    found = run(model, dealt(documents, 3, 0), eos=False)
    texts = [documents[id] for id in found]
    expected = score_documents(model, tokenize(texts, vocabulary=model.vocabulary), eos=False)
    assert list(found.values()) == expected == [found[id] for id in found]
    assert [score.unknown for score in found.values()] == [score.unknown for score in expected]
    assert dict(found.items()) == dict(zip(found, expected, strict=True))
    slice = found.part(list(found)[3:9])
    assert slice.total.tokens == sum(score.tokens for score in expected[3:9])
    assert slice.total.nats == pytest.approx(sum(score.nats for score in expected[3:9]), rel=1e-14)
    for ids, words in ((["nobody"], "no document 'nobody'"), ([next(iter(found))] * 2, "comes twice")):
        with pytest.raises(ScaleError, match=words):
            found.part(ids)


def test_a_count_without_a_column_is_not_dropped(tmp_path):
    plan = Plan("digest", "name", {}, {"a": "text"})
    row = {"id": "1", "sha256": "", "nats": 1.0, "rest": [], "tokens": 1, "never_a_unit": 3}
    with pytest.raises(ScaleError, match="no column for never_a_unit"):
        write_rows(tmp_path, plan, "a", [row], "")
    assert not list(tmp_path.iterdir())


def test_a_unit_that_is_younger_than_a_file_is_not_counted_in_it(run, model, documents, tmp_path):
    now = run(model, dealt(documents, 3, 0)).total
    file = next((tmp_path / "scores").glob("*.parquet"))
    table = pq.read_table(file)
    pq.write_table(table.drop_columns(["words"]), file)
    found = read_scores(tmp_path / "scores").total
    assert found.words is None and now.words > 0
    assert (found.nats, found.tokens, found.chars) == (now.nats, now.tokens, now.chars)


def test_any_program_can_read_the_files(run, model, documents, tmp_path, exact):
    run(model, dealt(documents, 3, 0))
    files = sorted((tmp_path / "scores").glob("*.parquet"))
    rows = [row for file in files for row in pq.read_table(file).to_pylist()]
    assert math.fsum(x for row in rows for x in (row["nats"], *row["rest"])) == exact
    about = json.loads(pq.read_schema(files[0]).metadata[b"lmmetrics"])
    assert about["model"] == digest_of(model) and len(about["text"]) == 64
    assert about["protocol"] == {"eos": True, "unknown": "score", "by": None, "sentences": None}


def test_shards_are_files_of_five_kinds(run, model, tmp_path):
    """Shards of one name in two folders are two shards; other files are none."""
    folder = tmp_path / "texts"
    (folder / "inner").mkdir(parents=True)
    row = {"id": "json", "text": "the cat sleeps\n"}
    (folder / "a.jsonl").write_text(json.dumps(row) + "\n\n", encoding="utf-8")
    (folder / "b.jsonl.gz").write_bytes(gzip.compress(json.dumps(row | {"id": 7}).encode()))
    pq.write_table(pa.table({"text": [row["text"]], "id": ["parquet"], "more": [1]}), folder / "c.parquet")
    (folder / "inner" / "d.txt").write_text(row["text"] * 2, encoding="utf-8")
    (folder / "inner" / "e.txt.gz").write_bytes(gzip.compress((row["text"] * 2).encode()))
    (folder / "notes.md").write_text("not a shard", encoding="utf-8")
    found = run(model, folder)
    assert list(found) == ["7", "inner/d.txt", "inner/e.txt.gz", "json", "parquet"]
    assert found["json"] == found["7"] == found["parquet"] != found["inner/d.txt"]
    assert found["inner/d.txt"] == found["inner/e.txt.gz"]
    by_line = run(model, folder, "lines", lines=True)
    assert by_line["inner/d.txt:1"] == by_line["inner/d.txt:2"] == found["json"]
    assert by_line.total.nats == found.total.nats and len(by_line) == 7


def test_mixed_languages_are_counted_document_by_document(run, model):
    """Whether blanks separate words is a question to each document, so a neighbour changes no row."""
    found = run(model, {"a": {"en": "the cat sleeps"}, "b": {"zh": "貓在桌子下面睡覺"}}, by="char")
    assert (found["en"].words, found["zh"].words, found.total.words) == (3, None, None)
    assert found.total.chars == 14 + 8


def test_an_impossible_document_makes_the_total_infinite(run):
    model = NGramModel(1, WittenBell()).fit(tokenize(["the cat sleeps"]))
    found = run(model, {"a": {"known": "the cat", "unknown": "the dog"}}, unknown="infinite")
    assert math.isfinite(found["known"].nats) and found["unknown"].nats == math.inf == found.total.nats


def test_float32_logits_are_summed_in_float64(run):
    """A running sum in float32 has six right digits; ours is the sum of the float64 surprisals."""
    table = np.random.default_rng(5).normal(0, 3, (128, 128)).astype(np.float32)
    lm = CallableLM(
        lambda ids: table[ids],
        encode=lambda text: list(text.encode("ascii")),
        decode=lambda ids: bytes(ids).decode("ascii"),
        context=64,
        bos=0,
    )
    letters = np.random.default_rng(6).integers(97, 123, 20_000)
    document = bytes(letters.tolist()).decode()
    before = np.append(0, letters[:-1])
    wide = table.astype(np.float64)
    surprisals = np.log(np.exp(wide).sum(axis=1))[before] - wide[before, letters]
    pieces = {f"{i}": {f"{i}": document[i * 2000 : (i + 1) * 2000]} for i in range(10)}
    found = run(lm, pieces, model_digest="table 5").total.nats
    firsts = np.arange(0, 20_000, 2000)
    surprisals[firsts] = np.log(np.exp(wide[0]).sum()) - wide[0, letters[firsts]]
    assert found == pytest.approx(math.fsum(surprisals), rel=1e-13)
    assert abs(float(np.cumsum(surprisals.astype(np.float32))[-1]) / found - 1) > 1e-6


class Stopped(Exception):
    """The run ends here."""


def interrupted(monkeypatch, at):
    """Let the steps of a run count, before and after each, and stop it at one of them."""
    from lmmetrics.scale import _dask, _work

    counter = [0]

    def step():
        counter[0] += 1
        if counter[0] == at:
            raise Stopped

    def around(place, name):
        real = getattr(place, name)

        def wrapped(*arguments, **options):
            step()
            found = real(*arguments, **options)
            step()
            return found

        monkeypatch.setattr(place, name, wrapped)

    for place, name in [
        (Protocol, "row"),
        (_work, "write_rows"),
        (_dask, "claim"),
        (_dask, "read_folder"),
        (os, "fsync"),
        (os, "replace"),
    ]:
        around(place, name)
    return counter


def test_a_run_that_is_stopped_at_any_step_goes_on(run, monkeypatch, tmp_path):
    model = NGramModel(1, WittenBell()).fit(tokenize(["the cat sleeps\n"]))
    few = {"a": "the cat eats\n", "b": "a dog sleeps\n" * 3, "c": "the"}
    shards = {"one": {"a": few["a"], "b": few["b"]}, "two": {"c": few["c"]}}
    exact = of_tokens(model, few)
    with monkeypatch.context() as patch:
        counter = interrupted(patch, at=-1)
        run(model, shards, "whole")
        steps = counter[0]
    assert steps == 2 * (3 + 2 + 1 + 1 + 3 + 3)
    for at in range(1, steps + 1):
        with monkeypatch.context() as patch:
            interrupted(patch, at)
            with pytest.raises(Stopped):
                run(model, shards, f"{at}")
        there = set((tmp_path / f"{at}").glob("*.parquet"))
        stamps = {path: path.stat().st_mtime_ns for path in there}
        again = run(model, shards, f"{at}")
        assert again.total.nats == exact and len(again) == len(few), f"step {at}"
        assert {path: path.stat().st_mtime_ns for path in there} == stamps  # these were not scored again
        assert not list((tmp_path / f"{at}").glob("*.part"))


def test_what_is_done_is_not_done_again(run, model, documents, monkeypatch):
    shards = dealt(documents, 4, 0)
    first = run(model, shards)
    monkeypatch.setattr(Protocol, "row", None)  # an attempt to score fails
    again = run(model, dict(reversed(shards.items())))
    assert again.table.equals(first.table) and again.digest == first.digest


def test_a_changed_text_model_or_protocol_is_refused(run, model, documents, tmp_path):
    shards = dealt(documents, 3, 0)
    run(model, shards)
    before = {path: path.read_bytes() for path in (tmp_path / "scores").iterdir()}
    id = next(iter(shards["shard 2"]))
    changed = shards | {"shard 2": shards["shard 2"] | {id: "another text"}}
    for other, pieces, options, words in [
        (model, changed, {}, "The text of the shard 'shard 2' has changed"),
        (model, dict(list(shards.items())[:2]), {}, "other shards: 1 are missing, such as 'shard 2'"),
        (model, shards | {"shard 9": {"new": "text"}}, {}, "other shards: 1 are new, such as 'shard 9'"),
        (counted(order=1), shards, {}, "scores of another model"),
        (model, shards, {"eos": False}, "scores with eos=True, and this run has eos=False"),
        (model, shards, {"by": "char"}, "scores with by=None, and this run has by='char'"),
    ]:
        with pytest.raises(ScaleError, match=words):
            run(other, pieces, **options)
    assert {path: path.read_bytes() for path in (tmp_path / "scores").iterdir()} == before


def test_duplicates_are_refused_before_anything_is_scored(run, model, tmp_path):
    (tmp_path / "twice.jsonl").write_text('{"id": "a", "text": "b"}\n' * 2, encoding="utf-8")
    for shards, words in [
        ({"x": {"a": "b"}, "y": {"c": "d", "a": "e"}}, "'a' is in the shard 'y' and in 'x'"),
        ([tmp_path / "twice.jsonl"], "'a' comes twice in the shard 'twice.jsonl'"),
        ([tmp_path / "twice.jsonl"] * 2, "Two shards are called 'twice.jsonl'"),
    ]:
        with pytest.raises(ScaleError, match=words):
            run(model, shards)
    assert not (tmp_path / "scores").exists()


def test_a_folder_that_is_not_whole_is_not_read(run, model, documents, tmp_path):
    shards, out = dealt(documents, 3, 0), tmp_path / "scores"
    run(model, shards)
    files = sorted(out.glob("*.parquet"))
    data = files[0].read_bytes()
    for broken, words in ((data[:-20], "is damaged"), (files[1].read_bytes(), "does not hold the scores of")):
        files[0].write_bytes(broken)
        with pytest.raises(ScaleError, match=words):
            read_scores(out)
        with pytest.raises(ScaleError, match=words):
            run(model, shards)
    files[0].unlink()
    with pytest.raises(ScaleError, match="is not complete: 1 of 3 shards have no scores, first 'shard 0'"):
        read_scores(out)
    run(model, shards)
    assert files[0].read_bytes() == data
    for text, words in (
        ("{", "run.json is damaged"),
        ('{"format": "x", "version": 1}', "version 1 of 'x'"),
    ):
        (out / "run.json").write_text(text, encoding="utf-8")
        with pytest.raises(ScaleError, match=words):
            read_scores(out)
    (out / "run.json").unlink()
    with pytest.raises(ScaleError, match=r"has scores but no run\.json"):
        run(model, shards)
    with pytest.raises(ScaleError, match=r"has no run\.json"):
        read_scores(tmp_path / "nowhere")


def test_two_folders_are_compared(run, model, documents, tmp_path):
    """The partitions may differ; the interval is that of the documents."""
    other = counted(order=1)
    a, b = run(model, dealt(documents, 3, 0), "a"), run(other, dealt(documents, 5, 1), "b")
    found = compare_folders(tmp_path / "a", tmp_path / "b", seed=3)
    assert found == compare_scores(list(a.values()), list(b.values()), "byte", seed=3)
    assert a.digest == b.digest
    ids = list(a)[:9]
    assert compare_folders(a.part(ids), b.part(ids)).documents <= 9
    with pytest.raises(ScaleError, match="documents are in one run only, first"):
        compare_folders(a, b.part(ids))
    c = run(other, {"all": documents | {ids[0]: "changed"}}, "c")
    with pytest.raises(ScaleError, match=f"The text of the document {ids[0]!r} is not the same"):
        compare_folders(a, c)


def test_shards_are_written_for_others(tmp_path, documents, run, model, exact):
    files = write_shards(documents, tmp_path / "shards", 5)
    sizes = [len(file.read_text(encoding="utf-8").splitlines()) for file in files]
    assert sum(sizes) == len(documents) and max(sizes) - min(sizes) <= 1
    assert run(model, tmp_path / "shards").total.nats == exact
    for texts, count, words in (({"a": "b"}, 2, "1 documents for 2 shards"), (documents, 5, "has shards")):
        with pytest.raises(ScaleError, match=words):
            write_shards(texts, tmp_path / ("shards" if count == 5 else "few"), count)


class TestErrors:
    @pytest.mark.parametrize(
        ("shards", "words"),
        [
            ({}, "There are no shards in {}"),
            (7, "shards has 7 (int); a folder, a list of files, or a mapping"),
            ({"a": 7}, "shards has 7 (int)"),
            ({"a": {"b": 7}}, "shard 'a': id is 'b' and text int; two strings are expected"),
            ({"a": {"b": "\ud800"}}, "half of a surrogate pair at character 0"),
            (["x.csv"], "x.csv is not a shard. A shard is a file .jsonl"),
            (["x.jsonl"], "x.jsonl does not exist on the machine"),
            ("nowhere", "nowhere does not exist. A folder of shards is expected"),
            (["bad.jsonl"], "bad.jsonl, line 2: '[1]' is not a document"),
            (["bad.parquet"], "is damaged"),
            (["other.parquet"], "has the columns ['id']; id and text are expected"),
            (["bad.jsonl.gz"], "is damaged"),
            (["latin.txt"], "is not UTF-8: byte 3 is 0xe9"),
        ],
    )
    def test_of_shards(self, run, model, shards, words, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        Path("bad.jsonl").write_text('{"id": "a", "text": "b"}\n[1]\n', encoding="utf-8")
        Path("bad.parquet").write_bytes(b"PAR1 and no more")
        Path("bad.jsonl.gz").write_bytes(b"not packed")
        Path("latin.txt").write_bytes("café".encode("latin1"))
        pq.write_table(pa.table({"id": ["a"]}), "other.parquet")
        with pytest.raises((TypeError, ValueError)) as raised:
            run(model, shards)
        assert words in str(raised.value)

    def test_of_models(self, run, model):
        shards, table = {"a": {"b": "c"}}, CallableLM(lambda ids: ids, list, bytes, context=2, bos=0)

        class NoWords:
            def log_probs(self, text):
                return None

        for wrong, options, words in [
            (7, {}, "The model is int, without a method log_probs"),
            (NGramModel(2, WittenBell()), {}, "not fitted yet"),
            (NoWords(), {}, "neither a vocabulary nor a method tokenize"),
            (table, {}, "cannot tell one CallableLM from another"),
            (table, {"by": "char"}, "this model has one. Leave them out"),
            (Constant(model.vocabulary, -1.0), {}, "a probability above 1"),
            (model, {"eos": 1}, "eos is 1; True or False is expected"),
        ]:
            with pytest.raises((TypeError, ValueError), match=words):
                run(wrong, shards, **options)

    def test_of_schedulers(self, model, tmp_path, monkeypatch):
        monkeypatch.setattr("lmmetrics.scale._dask.ANSWER", 1)
        for scheduler, options, error, words in [
            ("cluster", {}, ScaleError, "the address of a scheduler"),
            ("threads", {"workers": 0}, ValueError, "workers is 0"),
            ("tcp://127.0.0.1:9", {"workers": 2}, ScaleError, "a cluster has workers of its own"),
            ("tcp://127.0.0.1:9", {}, ConnectionError, "No Dask scheduler answers at tcp://127.0.0.1:9"),
        ]:
            with pytest.raises(error, match=words):
                score_shards(model, {"a": {"b": "c"}}, tmp_path, scheduler=scheduler, **options)

    def test_of_ranks(self, model, tmp_path):
        with pytest.raises(RuntimeError, match="There is no process group"):
            score_rank(model, {"a": {"b": "c"}}, tmp_path)


class TestDigests:
    def test_counted_models(self, model, tmp_path):
        model.save(tmp_path / "model")
        assert digest_of(NGramModel.load(tmp_path / "model")) == digest_of(model) == digest_of(counted())
        assert digest_of(counted(order=1)) != digest_of(model)

    def test_weights_and_windows(self, gpt2, tokenizer):
        from lmmetrics.adapters import HuggingFaceLM

        lm = HuggingFaceLM(gpt2, tokenizer)
        before = digest_of(lm)
        assert digest_of(HuggingFaceLM(gpt2, tokenizer)) == before
        assert digest_of(HuggingFaceLM(gpt2, tokenizer, stride=7)) != before
        weight = gpt2.transformer.wte.weight.data[0]
        old = weight[0].item()
        weight[0] += 1e-3
        assert digest_of(lm) != before
        weight[0] = old
        assert digest_of(lm) == before

    def test_neural_models(self, run):
        import torch

        from lmmetrics.neural import FeedForwardLM

        text = tokenize(["the cat sleeps\n"])
        torch.manual_seed(1)
        one = FeedForwardLM(text.vocabulary, 2, width=4, hidden=4)
        before = digest_of(one)
        found = run(one, {"a": {"b": "the cat\n"}})
        with torch.no_grad():
            next(one.parameters())[0] += 1
        assert digest_of(one) != before == found.plan.model


def test_a_model_of_transformers_is_scored_by_threads(gpt2, tokenizer, documents, tmp_path):
    from lmmetrics.adapters import HuggingFaceLM

    lm = HuggingFaceLM(gpt2, tokenizer)
    few = dict(list(documents.items())[:4])
    gpt2.train()
    found = score_shards(lm, dealt(few, 2, 0), tmp_path, workers=2, progress=False)
    assert gpt2.training
    gpt2.eval()
    expected = [score_text(lm, lm.tokenize([few[id]])) for id in found]
    assert list(found.values()) == expected
    assert isinstance(found.total, Score) and found.total.bytes == sum(score.bytes for score in expected)
