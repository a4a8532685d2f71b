"""``python -m lmmetrics``: what a practitioner types."""

import contextlib
import csv
import errno
import gzip
import importlib
import io
import json
import math
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lmmetrics.__main__
from lmmetrics import Score, compare_scores, corpora, score_documents, score_text, tokenize
from lmmetrics._commands import main, models, parser
from lmmetrics._commands.fit import SMOOTHING
from lmmetrics._commands.models import LOADERS
from lmmetrics._commands.parser import Parser
from lmmetrics.ngram import GoodTuring, MaximumLikelihood, ModifiedKneserNey, NGramModel, WittenBell
from lmmetrics.score import UNITS, _number
from lmmetrics.text import Vocabulary

PAGE = Path(__file__).parents[2] / "book" / "reference" / "index.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Tales as files, and two models of them."""
    path, tales = tmp_path_factory.mktemp("tales"), corpora.load("tales-en")
    for part in ("train", "test"):
        (path / part / "inner").mkdir(parents=True)
        for i, tale in enumerate(getattr(tales, part)):
            inner = "inner" if i % 2 else "."
            (path / part / inner / f"{i:02}.txt").write_text(tale, encoding="utf-8")
    for order in (2, 3):
        out = str(path / f"m{order}.arpa")
        assert main(["fit", str(path / "train"), "--order", str(order), "--out", out]) == 0
    return path


@pytest.fixture(scope="module")
def text(folder):
    files = sorted((folder / "test").rglob("*.txt"))
    model = NGramModel.from_arpa(folder / "m3.arpa")
    documents = [file.read_text(encoding="utf-8") for file in files]
    return tokenize(documents, by="whitespace", vocabulary=model.vocabulary), model


def run(capsys, *arguments, exits=None):
    capsys.readouterr()
    with pytest.raises(SystemExit) if exits else contextlib.nullcontext():
        return main([str(one) for one in arguments]), capsys.readouterr()
    return exits, capsys.readouterr()


def test_an_infinite_score_is_written_as_json_that_every_program_reads(tmp_path, capsys):
    train = tokenize(["a b a b\n"], by="whitespace", vocabulary=Vocabulary(["a", "b"], unk=False))
    NGramModel(2, MaximumLikelihood()).fit(train).to_arpa(tmp_path / "m.arpa")
    (tmp_path / "a.txt").write_text("a c\n", encoding="utf-8")

    def refuse(name):
        raise AssertionError(f"{name} is not JSON")

    for command in ("score", "card"):
        _, printed = run(capsys, command, tmp_path / "m.arpa", tmp_path / "a.txt", "--format", "json")
        found = json.loads(printed.out, parse_constant=refuse)
        row = found[0] if command == "score" else found["score"]
        assert row["nats"] is None and row["perplexity per token"] is None and row["tokens"] == 3
        assert row["infinite"][:2] == ["nats", "bits"] and "tokens" not in row["infinite"]
    assert "inf" in run(capsys, "score", tmp_path / "m.arpa", tmp_path / "a.txt", "--format", "csv")[1].out


def test_the_columns_of_csv_are_always_the_same(folder, tmp_path, capsys):
    (tmp_path / "zh.txt").write_text("貓在睡覺，狗在花園裡跑。\n", encoding="utf-8")
    (tmp_path / "en.txt").write_text("the wolf\n", encoding="utf-8")
    (tmp_path / "empty.txt").touch()
    score, csv_too = ("score", folder / "m2.arpa"), ("--format", "csv", "--documents")
    shards = ("--shards", folder / "test", "--out", tmp_path / "scores")
    texts = [tmp_path / "zh.txt"], [tmp_path / "empty.txt", tmp_path / "en.txt"], shards
    found = [run(capsys, *score, *given, *csv_too)[1].out.splitlines() for given in texts]
    assert len({lines[0] for lines in found}) == 1 and "bits per word" in found[0][0]
    assert all(line.count(",") == found[0][0].count(",") for lines in found for line in lines)
    numbers = [("convert", 9, "--tokens", 9, *more, "--format", "csv") for more in ([], ["--words", 8])]
    assert len({run(capsys, *one)[1].out.splitlines()[0] for one in numbers}) == 1


def test_the_model_is_the_one_that_the_library_fits(folder):
    files = sorted((folder / "train").rglob("*.txt"))
    train = tokenize([file.read_text(encoding="utf-8") for file in files], by="whitespace")
    mine = NGramModel(3, ModifiedKneserNey()).fit(train)
    read = NGramModel.from_arpa(folder / "m3.arpa")
    test = tokenize(corpora.load("tales-en").test, by="whitespace", vocabulary=read.vocabulary)
    again = tokenize(corpora.load("tales-en").test, by="whitespace", vocabulary=mine.vocabulary)
    assert score_text(read, test).nats == pytest.approx(score_text(mine, again).nats, rel=1e-9)


def test_a_folder_is_scored(folder, text, capsys):
    status, printed = run(capsys, "score", folder / "m3.arpa", folder / "test", "--format", "json")
    (row,) = json.loads(printed.out)
    expected = score_text(text[1], text[0])
    assert status == 0 and row.pop("document") == "all"
    card = row.pop("protocol")
    assert (
        card["text"].startswith("6 documents, SHA-256")
        and card["scored"] == "every token, </s> after each line included"
    )
    assert card["file"] == "m3.arpa" and card["bytes"].startswith("those of the tokens, with one blank")
    assert row == pytest.approx(expected.to_dict(), rel=1e-12)
    _, printed = run(
        capsys, "score", folder / "m3.arpa", folder / "test", "--format", "csv", "--documents", "--no-eos"
    )
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    alone = score_documents(text[1], text[0], eos=False)
    assert [float(row["nats"]) for row in rows[:-1]] == [score.nats for score in alone]
    assert int(rows[-1]["tokens"]) == sum(alone).tokens < expected.tokens
    _, printed = run(capsys, "score", folder / "m3.arpa", folder / "test", "--documents")
    assert str(expected) in printed.out and printed.out.count(".txt") == len(alone)


def test_shards_are_scored_to_the_last_bit(folder, text, tmp_path, capsys):
    """Each file is a shard, and the second call reads what the first has written."""
    arguments = "score", folder / "m3.arpa", "--shards", folder / "test", "--out", tmp_path / "scores"
    for more in ("--workers", "2"), ("--documents",):
        status, printed = run(capsys, *arguments, *more, "--format", "json")
        rows = json.loads(printed.out)
        assert status == 0 and rows[-1]["nats"] == score_text(text[1], text[0]).nats
    names = [file.relative_to(folder / "test").as_posix() for file in (folder / "test").rglob("*.txt")]
    assert [row["document"] for row in rows] == [*sorted(names), "all"]
    _, printed = run(capsys, *arguments, "--documents")
    found = replace(score_text(text[1], text[0]), known=None)  # the scores of shards do not tell them apart
    assert str(found) in printed.out and printed.out.count(".txt") == len(names)


def test_a_packed_model_is_the_same(folder, capsys):
    packed = folder / "m2.arpa.gz"
    packed.write_bytes(gzip.compress((folder / "m2.arpa").read_bytes()))
    (folder / "packed.arpa").write_bytes(packed.read_bytes())
    for name, mark in (("plain.arpa.gz", b""), ("m2.lm", b""), ("marked.arpa", b"\xef\xbb\xbf")):
        (folder / name).write_bytes(mark + (folder / "m2.arpa").read_bytes().lstrip())
    names = "m2.arpa", "m2.arpa.gz", "packed.arpa", "plain.arpa.gz", "m2.lm", "marked.arpa"
    printed = [run(capsys, "score", folder / name, folder / "test") for name in names]
    assert len({(status, said.out) for status, said in printed}) == 1 and printed[0][0] == 0


def test_a_model_without_unk_says_so(tmp_path, capsys):
    train = tokenize(["a b a b\n"], by="whitespace", vocabulary=Vocabulary(["a", "b"], unk=False))
    NGramModel(2, WittenBell()).fit(train).to_arpa(tmp_path / "m.arpa")
    (tmp_path / "a.txt").write_text("a c d\n", encoding="utf-8")
    status, printed = run(capsys, "score", tmp_path / "m.arpa", tmp_path / "a.txt")
    assert status == 0 and printed.err == (
        "warning: The model has no <unk>: 2 tokens of 4 have probability 0, so the score is infinite.\n"
    )


@pytest.mark.parametrize("out", ["m.arpa", "m.arpa.gz", "m"])
def test_a_model_that_the_disk_cannot_hold(out, folder, tmp_path):
    """A limit on the size of files stands for a full disk."""
    program = (
        "import resource, sys; from lmmetrics._commands import main\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (9000, 9000)); sys.exit(main())"
    )
    fit = "fit", folder / "train", "--order", 2, "--out", tmp_path / out
    command = [sys.executable, "-c", program, *map(str, fit)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and not list(tmp_path.iterdir())
    assert done.stderr == f"lmmetrics: {tmp_path / out}: File too large; nothing was written.\n"


def test_a_terminal_of_ascii_shows_every_name(tmp_path):
    (tmp_path / "貓.txt").write_text("a b\n", encoding="utf-8")
    command = [sys.executable, "-m", "lmmetrics", "count", "貓.txt"]
    ascii_only = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(command, cwd=tmp_path, env=ascii_only, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "") and "\\u8c93.txt" in done.stdout


def test_a_saved_model_scores_as_the_one_in_a_file(folder, capsys):
    for out in ("m2", "again.arpa.gz"):
        assert run(capsys, "fit", folder / "train", "--order", 2, "--out", folder / out)[0] == 0
    found = []
    for name in ("m2.arpa", "again.arpa.gz", "m2"):
        _, printed = run(capsys, "score", folder / name, folder / "test", "--format", "json")
        found.append(json.loads(printed.out)[0]["nats"])
    assert found[0] == found[1] and found[2] == pytest.approx(found[0], rel=1e-9)


def test_a_pruned_model_is_smaller(folder, capsys):
    for prune, out in ((0, "whole"), (1e-4, "small")):
        made = run(capsys, "fit", folder / "train", "--order", 2, "--prune", prune, "--out", folder / out)
        assert made[0] == 0
    sizes = [NGramModel.load(folder / name).parameter_count for name in ("small", "whole")]
    assert sizes[0] < sizes[1]


def test_two_models_read_standard_input_once(folder, text, capsys, monkeypatch):
    tales = "".join(tale.replace("\n", " ") + "\n" for tale in corpora.load("tales-en").test)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(tales.encode())))
    status, printed = run(capsys, "compare", folder / "m2.arpa", folder / "m3.arpa", "-", "--lines")
    assert status == 0 and "m3.arpa" in printed.out


def test_models_are_compared(folder, text, capsys):
    _, printed = run(
        capsys, "compare", folder / "m2.arpa", folder / "m3.arpa", folder / "test", "--unit", "token"
    )
    two = NGramModel.from_arpa(folder / "m2.arpa")
    scores = [score_documents(model, text[0]) for model in (two, text[1])]
    found = compare_scores(*scores)
    lines = [
        f"{name}: {folder / file}: {score.bits_per('token'):.4f} bits per token; unknown: 496\n"
        for name, file, score in (("a", "m2.arpa", found.a), ("b", "m3.arpa", found.b))
    ]
    assert printed.out == f"{''.join(lines)}{found!r}\n"  # the defaults are those of the library
    _, printed = run(
        capsys, "compare", folder / "m2.arpa", folder / "m3.arpa", folder / "test", "--format", "json"
    )
    (row,) = json.loads(printed.out)
    assert (row["unit"], row["interval"], row["seed"]) == ("byte", "t", 0)
    assert (row["unknown to a"], row["unknown to b"]) == (496, 496)
    own = row["bits per unit of a"] - row["bits per unit of b"]
    assert own == pytest.approx(row["difference"], rel=1e-9)
    assert row["needed_documents"] >= 2
    a, b = row["protocol"]["a"], row["protocol"]["b"]
    assert (a["file"], b["file"]) == ("m2.arpa", "m3.arpa") and a["text"] == b["text"]
    _, printed = run(
        capsys, "compare", folder / "m2.arpa", folder / "m3.arpa", folder / "test",
        "--unit", "token", "--interval", "bootstrap",
    )  # fmt: skip
    assert repr(compare_scores(*scores, interval="bootstrap")) in printed.out


def test_the_card_says_how(folder, text, capsys):
    _, printed = run(capsys, "card", folder / "m3.arpa", folder / "test", "--note", "chosen_on=valid")
    for line in (
        "text        6 documents, SHA-256 ",
        "scored      every token, </s> after each line included",
        "past        the 2 tokens before it in the same sentence",
        "unknown     496 tokens outside the vocabulary, scored as <unk>",
        "chosen on   valid",
        "versions    lmmetrics ",
        str(score_text(text[1], text[0])),
    ):
        assert line in printed.out
    _, printed = run(capsys, "card", folder / "m3.arpa", folder / "test", "--format", "json")
    assert json.loads(printed.out)["score"]["unknown"] == 496


def test_a_model_of_transformers_is_scored(folder, gpt2, tokenizer, capsys):
    from lmmetrics.adapters import HuggingFaceLM

    gpt2.save_pretrained(folder / "gpt2")
    tokenizer.save_pretrained(folder / "gpt2")
    _, printed = run(capsys, "score", folder / "gpt2", folder / "test", "--stride", "48", "--format", "json")
    lm = HuggingFaceLM(gpt2, tokenizer, stride=48)
    files = sorted((folder / "test").rglob("*.txt"))
    expected = score_text(lm, lm.tokenize([file.read_text(encoding="utf-8") for file in files]))
    assert json.loads(printed.out)[0]["nats"] == pytest.approx(expected.nats, rel=1e-6)
    options = "--device", "cpu", "--dtype", "bfloat16", "--batch", "2", "--format", "json"
    _, printed = run(capsys, "score", folder / "gpt2", folder / "test" / "00.txt", *options)
    (row,) = json.loads(printed.out)
    assert printed.err == ""  # no bar of transformers
    assert "(bfloat16, sums in float64)" in row["protocol"]["model"] and row["bits per byte"] > 0
    status, printed = run(capsys, "score", folder / "gpt2", folder / "test", "--device", "cuda:99")
    assert status == 1 and "There is no device 'cuda:99' here" in printed.err
    for name, content, says in (
        ("config.json", "{", "config.json is damaged: it is not JSON"),
        ("model.safetensors", "junk" * 9, "Transformers cannot load the model in"),
    ):
        broken = shutil.copytree(folder / "gpt2", folder / f"broken-{name}")
        (broken / name).write_text(content, encoding="utf-8")
        status, printed = run(capsys, "score", broken, folder / "test" / "00.txt")
        assert status == 1 and says in printed.err and "Traceback" not in printed.err
    for options, says in (
        (["--context", "999"], "lmmetrics: --context is 999, but the model reads"),
        (["--context", "32", "--stride", "40"], "lmmetrics: --stride is 40, above the context of 32"),
    ):
        assert says in run(capsys, "score", folder / "gpt2", folder / "test", *options)[1].err
    status, printed = run(capsys, "score", folder / "gpt2", folder / "test", "--no-eos")
    assert status == 1 and "--no-eos is for counted models, and" in printed.err
    _, printed = run(capsys, "card", folder / "gpt2", folder / "test" / "00.txt")
    assert "windows of 48 tokens, moved by 24" in printed.out


def test_two_tokenizers_are_compared_per_byte(folder, gpt2, tokenizer, capsys):
    """The advice is an option of this command, not one of another."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    letters = {token: id for id, token in enumerate(["<|endoftext|>", *pre_tokenizers.ByteLevel.alphabet()])}
    made = Tokenizer(models.BPE(letters, []))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = decoders.ByteLevel()
    other = PreTrainedTokenizerFast(tokenizer_object=made, bos_token="<|endoftext|>")
    for name, cut in (("merges", tokenizer), ("letters", other)):
        gpt2.save_pretrained(folder / name)
        cut.save_pretrained(folder / name)
    models = folder / "merges", folder / "letters"
    status, printed = run(capsys, "compare", *models, folder / "test", "--unit", "token")
    assert status == 1 and "bits per token are two different things. " in printed.err
    assert printed.err.endswith("Compare per byte: --unit byte.\n")
    assert run(capsys, "compare", *models, folder / "test")[0] == 0


def test_a_fault_of_the_library_is_not_shown_as_the_user_s(folder, monkeypatch, capsys):
    arguments = "score", folder / "m3.arpa", folder / "test"

    def broken(*given, **options):
        return np.zeros(2) + np.zeros(3)

    monkeypatch.setattr("lmmetrics._commands.models.score_documents", broken)
    status, printed = run(capsys, *arguments)
    assert status == 1 and "operands could not be broadcast" in printed.err
    assert "may be a fault of lmmetrics: --debug shows where" in printed.err
    with pytest.raises(ValueError, match="broadcast"):
        run(capsys, *arguments, "--debug")
    monkeypatch.setattr("lmmetrics._commands.models.score_documents", lambda *given, **options: len(3))
    status, printed = run(capsys, *arguments)  # other errors are sentences, too
    assert status == 1 and "TypeError" in printed.err and "may be a fault of lmmetrics" in printed.err
    assert "Traceback" not in printed.err
    for fault in (lambda: np.stack([np.zeros(2), np.zeros(3)]), lambda: _number("3")):
        monkeypatch.setattr(
            "lmmetrics._commands.models.score_documents", lambda *_, fault=fault, **__: fault()
        )
        status, printed = run(capsys, *arguments)  # by a `raise` of NumPy, and by a line here that is none
        assert status == 1 and "may be a fault of lmmetrics" in printed.err
    status, printed = run(capsys, "fit", folder / "train", "--fallback", "9", "--out", folder / "no")
    assert status == 1 and "--fallback is 9" in printed.err and "fault" not in printed.err


def test_a_call_leaves_nothing_behind(folder, capsys):
    """The words of one call are not those of the next, and the texts may follow an option."""
    with pytest.raises(SystemExit):
        main(["score", "m3.arpa", "--shards", "tests"])
    assert "given" not in vars(Parser)
    assert run(capsys, "score", folder / "m3.arpa", "--no-eos", folder / "test")[0] == 0


def test_counting_is_of_the_files_as_they_are(folder, tmp_path, capsys, monkeypatch):
    (tmp_path / "a.txt").write_text("the  cat\t sleeps\n\n", encoding="utf-8")
    (tmp_path / "zh.txt").write_text("貓在睡覺。\n", encoding="utf-8")
    _, printed = run(capsys, "count", tmp_path / "a.txt", tmp_path / "zh.txt", "--format", "json")
    first, second, total = json.loads(printed.out)
    assert (first["words"], first["chars"], first["bytes"]) == (None, 18, 18)  # one rule for all texts
    assert (second["words"], second["chars"], second["bytes"]) == (None, 6, 16)
    assert (total["words"], total["chars"]) == (None, 24)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"one two\nthree\n")))
    _, printed = run(capsys, "count", "-", "--lines", "--by", "whitespace", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(printed.out)))
    assert [(row["document"], row["words"], row["tokens"]) for row in rows] == [
        ("standard input:1", "2", "3"),
        ("standard input:2", "1", "2"),
        ("all", "3", "5"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("the cat sleeps\n" * 60 + "貓在睡覺\n", 181),
        ("the cat sleeps\n" * 6 + "貓在睡覺，狗在花園裡跑。\n", None),
        ("貓在睡覺，狗在花園裡跑。\n我愛台灣\n", None),
        ("貓睡\n狗跑\n", None),
        ("貓 在 睡覺 ， 狗 在 花園 裡 跑 。\n我 愛 台灣\n", 13),
    ],
)
@pytest.mark.parametrize("lines", [[], ["--lines"]])
def test_one_rule_says_whether_words_are_counted(text, words, lines, folder, tmp_path, capsys):
    """Whether they are counted by `count`, or with the score of a model that blanks or characters cut."""
    (tmp_path / "a.txt").write_text(text, encoding="utf-8")
    fit = "fit", tmp_path / "a.txt", "--by", "char", "--order", "2", "--smoothing", "witten-bell", "--out"
    assert run(capsys, *fit, tmp_path / "m")[0] == 0
    found = []
    for command in ("count",), ("score", folder / "m2.arpa"), ("score", tmp_path / "m"):
        _, printed = run(capsys, *command, tmp_path / "a.txt", *lines, "--format", "json")
        found.append(json.loads(printed.out)[-1].get("words"))
    assert found == [words] * 3


def test_a_unit_that_a_text_cannot_count_is_left_out(tmp_path, capsys, monkeypatch):
    """Such as morphemes, in the recipe of CONTRIBUTING, "A unit"."""
    monkeypatch.setitem(UNITS, "morpheme", "morphemes")
    (tmp_path / "a.txt").write_text("the cat sleeps\n", encoding="utf-8")
    status, printed = run(capsys, "count", tmp_path / "a.txt", "--format", "json")
    (row,) = json.loads(printed.out)
    assert status == 0 and {*row} == {"document", "words", "chars", "bytes"}


def test_numbers_are_converted(capsys):
    _, printed = run(capsys, "convert", "141.2", "--tokens", "82430", "--chars", "442423")
    assert printed.out == str(Score.from_perplexity(141.2, tokens=82430, chars=442423)) + "\n"
    for kind, value in (("bits", "1.5"), ("nats", "1.0397207708399179")):
        arguments = ("convert", value, "--kind", kind, "--per", "byte", "--bytes", "100", "--format", "json")
        (row,) = json.loads(run(capsys, *arguments)[1].out)
        assert row["bits per byte"] == pytest.approx(1.5, rel=1e-12)


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        ("scor m3.arpa test", 2, "Did you mean score?"),
        ("score m3.arpa test --fromat json", 2, "Did you mean --format?"),
        ("score m3.arpa", 2, "Name the texts to score: TEXT..., or --shards FOLDER."),
        ("score m4.arpa test", 1, "m4.arpa does not exist. Is m"),
        ("score m3.arpa tets", 1, "tets does not exist. Is test meant?"),
        ("score m3.arpa nothere.txt", 1, "nothere.txt does not exist.\n"),
        ("compare m2.arpa m3.arpa test --confidence a", 2, "--confidence: 'a' is not a number."),
        ("score m3.arpa test --fromat json", 2, "lmmetrics score --help.\n"),
        ("count", 2, "lmmetrics count --help.\n"),
        ("score m3.arpa --shards test", 2, "--shards needs --out SCORES"),
        ("score m3.arpa test --shards=test --out new", 2, "Name the texts in one of the two ways"),
        ("score m3.arpa test --workers 2", 2, "--workers are for --shards FOLDER"),
        ("score m3.arpa --shards tests --out new", 1, "tests does not exist. A folder of shards is expected"),
        ("score test test", 1, "test is not a model. MODEL is an ARPA file"),
        ("count empty", 1, "The folder empty has no *.txt or *.txt.gz files"),
        ("count latin.txt", 1, "latin.txt is not UTF-8: byte 3 is 0xe9"),
        ("fit train --out test", 1, "test exists and is not a saved model"),
        ("fit train --out new.arpa", 1, "new.arpa is a folder"),
        ("fit train --order 0 --out m.arpa", 2, "--order: '0' is not a whole number of at least 1"),
        ("fit train --prune -1 --out m.arpa", 2, "--prune: '-1' is not a number from 0"),
        ("fit train --memory much --out m.arpa", 2, "--memory: 'much' is not a number of bytes, such as 2GB"),
        ("fit train --order 3 --min-counts 4=2 --out m.arpa", 1, "--min-counts names order 4"),
        ("score m3.arpa test --stride none", 2, "--stride: 'none' is not a whole number of at least 1"),
        ("compare m2.arpa m3.arpa test/00.txt", 1, "at least two are needed"),
        ("convert 1.2 --kind bits --per char", 1, "how many chars the text has. Give it: --chars"),
        ("convert 9 --per word --tokens 10", 1, "how many words the text has. Give it: --words"),
        ("fit train --out m.arpa --format json", 2, "unrecognized arguments: --format"),
        ("card m3.arpa test --format csv", 2, "--format: invalid choice: 'csv'"),
        ("card m3.arpa test --note eos=x", 2, "--note: 'eos=x' is not NAME=WORDS"),
        ("card m3.arpa test --note model=x", 2, "no note has the name eos, model, text or unknown"),
        ("card m3.arpa test --note chosen", 2, "such as chosen_on=valid"),
        ("compare m2.arpa m3.arpa test --seed -1", 2, "--seed: '-1' is not a whole number of at least 0"),
        ("convert 0.5 --tokens 10", 1, "cannot be the perplexity of a discrete model"),
        ("convert much --tokens 10", 2, "argument value: 'much' is not a number."),
        ("score broken.arpa test", 1, "broken.arpa"),
        ("score cut.arpa.gz test", 1, "cut.arpa.gz is not a complete file of gzip"),
        (
            "score words.txt test",
            1,
            "is not an ARPA file: it has no line \\data\\, which begins every ARPA file",
        ),
        ("score kenlm.bin test", 1, "kenlm.bin is a binary file of KenLM, which only KenLM reads. Give the"),
        ("count wide.txt", 1, "iconv -f utf-16 -t utf-8"),
        ("count link.txt", 1, "link.txt is a link to nowhere.txt, which does not exist"),
        ("fit train --out m2.arpa/new", 1, "m2.arpa is not a folder, so m2.arpa/new cannot be written"),
        ("fit train --out m2.arpa/new/m.arpa", 1, "m2.arpa is not a folder"),
        (
            "fit train --by char --smoothing witten-bell --out char.arpa",
            1,
            "Name a folder for the model instead of an ARPA file",
        ),
        ("score m3.arpa test --context 5", 1, "--context is for models of transformers, and m3.arpa is a"),
        ("card m3.arpa test --stride 5", 1, "--stride is for models of transformers, and m3.arpa is a"),
        ("compare m2.arpa m3.arpa test --batch 5", 1, "--batch is for models of transformers"),
        ("score m3.arpa test --unit byte", 2, "--unit is an option of compare.\n"),
        ("score m3.arpa test --bytes", 2, "--bytes is an option of convert.\n"),
        ("score m3.arpa test --device cpu", 1, "--device is for models of transformers"),
        ("score m3.arpa test --dtype float16", 1, "is a counted model. Leave it out."),
        ("score m3.arpa test --dtype flaot16", 2, "Did you mean float16?"),
        ("fit train --smoothing kneserney --out m.arpa", 2, "Did you mean kneser-ney?"),
        ("fit train --smoothing Witten_Bell --out m.arpa", 2, "Did you mean witten-bell?"),
        ("count test --by btye", 2, "Did you mean byte?"),
        ("count test --format jsn", 2, "Did you mean json?"),
        ("compare m2.arpa m3.arpa test --unit wrod", 2, "Did you mean word?"),
        ("compare m2.arpa m3.arpa test --interval bootstap", 2, "Did you mean bootstrap?"),
        ("score folder.arpa test", 1, "folder.arpa is not a model. MODEL is an ARPA file"),
        ("count test --vocabulary words.txt", 1, "use --by whitespace or --by word"),
        ("count test --by word --vocabulary two.txt", 1, "two.txt, line 2: 'the cat' is not one word"),
        ("fit train --vocabulary nothing.txt --out m.arpa", 1, "nothing.txt has no words"),
        ("fit train --vocabulary wrods.txt --out m.arpa", 1, "wrods.txt does not exist. Is words.txt meant?"),
        ("fit train --by char --vocabulary words.txt --out m", 1, "--by char cuts the text into others"),
        (
            "fit train --fallback 0.5 --out m.arpa",
            1,
            "modified-kneser-ney needs three numbers, such as 0.5,1,1.5",
        ),
        (
            "fit train --fallback 1,2,4 --out m.arpa",
            1,
            "each above 0 and at most the count that it is taken from",
        ),
        ("fit train --fallback a --out m.arpa", 2, "'a' is not one number or three"),
        ("fit train --smoothing witten-bell --fallback 0.5 --out m", 1, "--fallback is for methods with"),
        ("fit cut.txt.gz --memory 1TB --out m", 1, "cut.txt.gz is not a complete file of gzip"),
        ("score m3.arpa cut.txt.gz", 1, "cut.txt.gz is not a complete file of gzip"),
        ("score m3.arpa --shards test --out new --scheduler foo", 2, "--scheduler: 'foo' is neither threads"),
        ("score short.arpa test", 1, "is cut off, copy it again"),
        ("score m3.arpa --shards test --out new --single-blanks", 2, "--single-blanks is for TEXT"),
        ("convert 9 --tokens 9 --words 9 --chars 8", 1, "No text has 9 words and 8 chars"),
        ("convert 9 --tokens 9 --words 9 --bytes 8", 1, "a word has at least one byte"),
        ("convert 9 --tokens 9 --chars 9 --bytes 8", 1, "No text has 9 chars and 8 bytes"),
        ("convert 9 --tokens 9 --chars 9 --bytes 37", 1, "in UTF-8 a character has at most 4 bytes"),
        ("convert 9 --tokens 0", 1, "--tokens is 0, but the text that was scored has at least one"),
        ("convert 9 --tokens 9 --bytes -1", 1, "--bytes is -1, but the text"),
        ("convert -1.5 --kind bits --tokens 10", 1, "-1.5 cannot be bits per token"),
        ("convert inf --tokens 10", 1, "inf stays infinite in every unit"),
        ("score m3.arpa - -", 1, "standard input can be read only once. Name it once."),
        ("card m3.arpa test --note a=b --note a=c", 1, "--note gives a twice"),
        ("count nul.txt", 1, "nul.txt has a NUL byte, byte 2, so it is not a text in UTF-8"),
        ("fit nul.txt --memory 1TB --out m", 1, "nul.txt has a NUL byte, byte 2"),
        ("score m3.arpa noise.txt", 1, "noise.txt is not a text: more than one byte in a hundred"),
        ("convert nan --kind nats --tokens 10", 1, "nan cannot be nats per token"),
    ],
)
def test_errors_say_what_to_do(folder, arguments, status, says, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    for name in ("empty", "new.arpa"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "latin.txt").write_bytes("café".encode("latin1"))
    (folder / "nul.txt").write_bytes(b"a \0 b\n")
    (folder / "noise.txt").write_bytes(bytes(range(1, 256)))
    (folder / "wide.txt").write_bytes("café".encode("utf-16"))
    if not (folder / "link.txt").is_symlink():
        (folder / "link.txt").symlink_to("nowhere.txt")
    plain = (folder / "m2.arpa").read_bytes()
    (folder / "cut.arpa.gz").write_bytes(gzip.compress(plain)[:-99])
    (folder / "short.arpa").write_bytes(plain[:3000])
    (folder / "kenlm.bin").write_bytes(b"mmap lm http://kheafield.com/code format version 5\n\0")
    (folder / "folder.arpa").mkdir(exist_ok=True)
    for name, words in (("words", "the\n"), ("two", "the\nthe cat\n"), ("nothing", "\n<unk>\n")):
        (folder / f"{name}.txt").write_text(words, encoding="utf-8")
    (folder / "cut.txt.gz").write_bytes(gzip.compress(b"the cat sleeps\n" * 9)[:-9])
    (folder / "broken.arpa").write_text("\\data\\\nngram 1=2\n", encoding="utf-8")
    capsys.readouterr()
    try:
        found = main(arguments.split())
    except SystemExit as stopped:
        found = stopped.code
    printed = capsys.readouterr()
    assert (found, printed.out) == (status, "") and says in printed.err
    assert "Traceback" not in printed.err and "usage:" not in printed.err


def test_options_may_stand_between_two_texts(folder, capsys):
    texts = folder / "test" / "00.txt", folder / "test" / "02.txt"
    for command in ("count",), ("score", folder / "m2.arpa"):
        printed = [
            run(capsys, *command, *given)[1]
            for given in (
                [*texts, "--lines", "--format", "csv"],
                [texts[0], "--lines", texts[1], "--format", "csv"],
                ["--lines", texts[0], "--format=csv", texts[1]],
                ["--format", "csv", "--lines", "--", *texts],
            )
        ]
        assert len({one.out for one in printed}) == 1 and printed[0].out.count("\n") > 1, printed


def test_an_error_in_a_text_names_the_file_and_the_line(folder, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("lmmetrics._commands.documents.BLOCK", 5)
    (tmp_path / "a.txt").write_text("a b\n", encoding="utf-8")
    (tmp_path / "b.txt").write_text("the cat\nis\nso </s> odd\n", encoding="utf-8")
    (tmp_path / "c.txt").write_text("a b\n\ufeffthe cat\n", encoding="utf-8")
    texts = tmp_path / "a.txt", tmp_path / "b.txt"
    score = "score", folder / "m2.arpa", *texts
    fit = "fit", *texts, "--order", "2", "--out", tmp_path / "m"
    count = "count", *texts, "--by", "whitespace"
    for command in score, (*score, "--single-blanks"), fit, (*fit, "--memory", "1TB"), count:
        status, printed = run(capsys, *command)
        assert status == 1
        assert printed.err.startswith(f"lmmetrics: {tmp_path / 'b.txt'}, line 3, has a token </s> of its own")
        _, printed = run(capsys, *command, "--lines")
        assert printed.err.startswith(f"lmmetrics: {tmp_path / 'b.txt'}:3 has a token </s> of its own")
        assert printed.err.endswith("Remove it from the text.\n")
    _, printed = run(capsys, "count", tmp_path / "c.txt", "--lines")
    assert f"{tmp_path / 'c.txt'}:2 begins with a byte-order mark" in printed.err
    assert "encoding=" not in printed.err and "Remove the mark" in printed.err


def test_errors_speak_of_the_options_of_the_command(folder, tmp_path, capsys):
    (tmp_path / "zh.txt").write_text("貓在睡覺，狗在花園裡跑。\n", encoding="utf-8")
    _, printed = run(capsys, "count", tmp_path / "zh.txt", "--by", "word")
    assert "Use --by char or --by byte" in printed.err and "jieba" not in printed.err
    _, printed = run(capsys, "score", folder / "m2.arpa", folder / "test", "--by", "byte")
    assert printed.err.endswith("Leave out --by, or cut the text as that of the model was cut.\n")


@pytest.mark.parametrize(
    "arguments", [["score", "m3.arpa", ""], ["score", "", "test"], ["fit", "train", "--out", ""]]
)
def test_an_empty_name_is_not_the_folder_where_the_command_runs(folder, arguments, monkeypatch, capsys):
    monkeypatch.chdir(folder / "test")
    status, printed = run(capsys, *(one.replace("m3", str(folder / "m3")) for one in arguments))
    assert (status, printed.out) == (1, "") and "The name of a file or a folder is empty" in printed.err


def test_a_hint_is_at_options_and_commands_only(folder, monkeypatch, capsys):
    """The values of options and the names of files are not mistyped options."""
    monkeypatch.chdir(folder)
    for arguments in ("convert 20 --per word --words 1.5", "count scores test --fromat json"):
        with pytest.raises(SystemExit):
            main(arguments.split())
    told = capsys.readouterr().err
    assert (
        "--words: '1.5' is not a whole number." in told
        and told.count("Did you mean") == 1
        and "--format?" in told
    )


@pytest.mark.parametrize("name", ["a/b/model.arpa", "c/d/model"])
def test_nothing_is_replaced_and_no_folder_made_unless_it_is_asked_for(name, folder, tmp_path, capsys):
    out = tmp_path / name
    fit = "fit", folder / "train", "--order", 2, "--smoothing", "witten-bell", "--out", out
    status, printed = run(capsys, *fit)
    assert (status, list(tmp_path.iterdir())) == (1, [])
    assert f"The folder {out.parent} does not exist. Create it, or use --force" in printed.err
    assert run(capsys, *fit, "--force")[0] == 0
    files = [out] if out.is_file() else sorted(out.iterdir())
    before = [file.read_bytes() for file in files]
    status, printed = run(capsys, *fit)
    assert status == 1 and f"{out} exists. Name another place, or use --force to replace it." in printed.err
    (tmp_path / "small.txt").write_text("a a\n", encoding="utf-8")
    assert run(capsys, "fit", tmp_path / "small.txt", "--out", out, "--force")[0] == 1  # too small a text
    assert [file.read_bytes() for file in files] == before and list(out.parent.iterdir()) == [out]
    assert run(capsys, *fit[:-1], out, "--by", "word", "--force")[0] == 0
    assert [file.read_bytes() for file in files] != before


@pytest.mark.parametrize("by", ["char", "byte", "word", "whitespace"])
@pytest.mark.parametrize("lines", [[], ["--lines"]])
def test_a_saved_model_knows_how_its_text_was_cut(by, lines, folder, tmp_path, capsys):
    arguments = "fit", folder / "train", "--order", 2, "--by", by, "--smoothing", "witten-bell", *lines
    assert run(capsys, *arguments, "--out", tmp_path / "model")[0] == 0
    model = NGramModel.load(tmp_path / "model")
    documents = [path.read_text(encoding="utf-8") for path in sorted((folder / "test").rglob("*.txt"))]
    if lines:
        documents = [line + "\n" for one in documents for line in one.removesuffix("\n").split("\n")]
    expected = score_text(model, tokenize(documents, by=by, vocabulary=model.vocabulary))
    for cut in [], ["--by", by]:
        shards = "--shards", folder / "test", "--out", tmp_path / f"scores{len(cut)}"
        for texts in [folder / "test"], shards:
            _, printed = run(capsys, "score", tmp_path / "model", *texts, *lines, *cut, "--format", "json")
            (row,) = json.loads(printed.out)
            found = math.inf if row["nats"] is None else row["nats"]
            assert (found, row["tokens"]) == (pytest.approx(expected.nats, rel=1e-12), expected.tokens)
    card = run(capsys, "card", tmp_path / "model", folder / "test")[1].out
    assert f"by {by}" in card
    assert f"</s> after each {'document' if by in ('char', 'byte') else 'line'} included" in card


def test_a_saved_model_is_given_no_other_tokens(folder, tmp_path, capsys):
    for by, other in ("char", "word"), ("byte", "char"), ("word", "char"):
        fit = "fit", folder / "train", "--order", 2, "--by", by, "--smoothing", "witten-bell", "--force"
        assert run(capsys, *fit, "--out", tmp_path / "model")[0] == 0
        for texts in [folder / "test"], ["--shards", folder / "test", "--out", tmp_path / "scores"]:
            status, printed = run(capsys, "score", tmp_path / "model", *texts, "--by", other)
            assert status == 1 and f"was counted in tokens of the kind {by}, and --by {other}" in printed.err


def test_sentences_of_a_saved_model_are_lines_if_they_were(tmp_path, capsys):
    (tmp_path / "a.txt").write_text("ab\nba\n", encoding="utf-8")
    train = tokenize(["ab\nab\n"], by="char", sentences="line")
    NGramModel(2, WittenBell()).fit(train).save(tmp_path / "model")
    model = NGramModel.load(tmp_path / "model")
    assert model.spelling.sentences == "line"
    _, printed = run(capsys, "score", tmp_path / "model", tmp_path / "a.txt", "--format", "json")
    (row,) = json.loads(printed.out)
    text = tokenize(["ab\nba\n"], by="char", sentences="line", vocabulary=model.vocabulary)
    assert (row["nats"], row["tokens"]) == (pytest.approx(score_text(model, text).nats, rel=1e-12), 6)
    assert row["protocol"]["scored"] == "every token, </s> after each line included"


def test_fit_says_what_it_made_and_refuses_other_endings(folder, tmp_path, capsys):
    fit = "fit", folder / "train", "--order", 3
    _, printed = run(capsys, *fit, "--out", tmp_path / "whole.ARPA")
    assert printed.out.startswith(f"{tmp_path / 'whole.ARPA'}: an ARPA file, order 3")
    model = NGramModel.from_arpa(tmp_path / "whole.ARPA")
    sizes = [len(level) for level in model._tables.levels]
    made = [f"{size:,} n-grams of order {order}" for order, size in enumerate(sizes, 1)]
    assert printed.out.splitlines()[1:] == made
    _, printed = run(capsys, *fit, "--min-counts", "3=2", "--out", tmp_path / "some.arpa")
    assert f"n-grams of order 3, of {sizes[2]:,} before pruning" in printed.out
    for name in "m.arpa.bz2", "m.bin", "m.txt":
        status, printed = run(capsys, *fit, "--out", tmp_path / name)
        assert status == 1 and "Name an ARPA file, *.arpa or *.arpa.gz, or a folder" in printed.err
        assert not (tmp_path / name).exists()
    assert run(capsys, *fit, "--prune", "1", "--out", tmp_path / "m", exits=SystemExit)[0]


def test_quiet_prints_no_warnings(folder, tmp_path, capsys):
    (tmp_path / "a.txt").write_text("the <unk>  cat\n", encoding="utf-8")
    score = "score", folder / "m3.arpa", tmp_path / "a.txt"
    assert run(capsys, *score)[1].err.count("warning: ") == 2
    assert run(capsys, *score)[1].err.count("warning: ") == 2  # again, in the same process
    assert run(capsys, *score, "--quiet") == (0, run(capsys, *score)[1]._replace(err=""))
    fit = "fit", tmp_path / "a.txt", "--order", "2", "--smoothing", "witten-bell", "--out"
    _, printed = run(capsys, *fit, tmp_path / "model")
    assert "1 tokens are written <unk>" not in printed.err and "<unk> in the texts" in printed.err
    assert run(capsys, *fit, tmp_path / "other", "-q")[1].err == ""


def test_documents_that_only_one_model_knows_are_left_out(folder, tmp_path, capsys):
    (tmp_path / "a.txt").write_text("ab\nba\n", encoding="utf-8")
    fit = "fit", tmp_path / "a.txt", "--order", "2", "--smoothing", "witten-bell"
    for by in "char", "byte":
        run(capsys, *fit, "--by", by, "--out", tmp_path / by)
    (tmp_path / "b.txt").write_text("ab\nbé\naab\nabb\n", encoding="utf-8")
    compare = "compare", tmp_path / "char", tmp_path / "byte", tmp_path / "b.txt", "--lines"
    status, printed = run(capsys, *compare)
    assert status == 1 and "1 of 4 documents contain tokens that only one of the models knows, such as " in (
        printed.err
    )
    assert "b.txt:2: 1 unknown to a, 0 to b" in printed.err and "Use --skip-unknown" in printed.err
    status, printed = run(capsys, *compare, "--skip-unknown", "--format", "json")
    (row,) = json.loads(printed.out)
    assert (status, row["left out"], row["documents"], row["unknown to a"]) == (0, 1, 3, 0)
    (tmp_path / "c.txt").write_text("ab\naab\nabb\n", encoding="utf-8")
    again = json.loads(run(capsys, *compare[:3], tmp_path / "c.txt", "--lines", "--format", "json")[1].out)
    assert row["difference"] == again[0]["difference"]
    assert "left out: 1 of 4 documents" in run(capsys, *compare, "--skip-unknown")[1].out
    (tmp_path / "d.txt").write_text("é\néé\n", encoding="utf-8")
    status, printed = run(capsys, *compare[:3], tmp_path / "d.txt", "--lines", "--skip-unknown")
    assert status == 1 and "in every document" in printed.err


def test_unknown_tokens_can_be_impossible(folder, capsys):
    score = "score", folder / "m3.arpa", folder / "test", "--format", "json", "--unknown"
    status, printed = run(capsys, *score, "infinite")
    (row,) = json.loads(printed.out)
    assert status == 0 and row["nats"] is None and "nats" in row["infinite"]
    assert "Unknown tokens are impossible here: 496 tokens" in printed.err
    assert "of which each is infinite" in row["protocol"]["unknown"]
    assert json.loads(run(capsys, *score, "score")[1].out)[0]["nats"] > 0


def test_a_model_that_does_not_sum_to_1_says_so_on_its_card(folder, tmp_path, capsys):
    lines = (folder / "m2.arpa").read_text(encoding="utf-8").splitlines(keepends=True)
    wrong = [re.sub(r"^-(\d+\.\d+)\t", "-0.5\t", line) for line in lines]
    (tmp_path / "wrong.arpa").write_text("".join(wrong), encoding="utf-8")
    _, printed = run(capsys, "score", tmp_path / "wrong.arpa", folder / "test", "-q", "--format", "json")
    assert "not to 1, so a perplexity of this model means nothing" in printed.err
    sums = json.loads(printed.out)[0]["protocol"]["sums"]
    assert re.fullmatch("after .* the probabilities sum to .*, not to 1: a perplexity .* nothing", sums)
    _, printed = run(capsys, "card", folder / "m2.arpa", folder / "test")
    assert "sums" not in printed.out


def test_advice_for_those_who_know_lmplz_and_whole_numbers_as_papers_write_them(folder, tmp_path, capsys):
    status, printed = run(capsys, "fit", folder / "train", "--prune", "0", "0", "1", "--out", tmp_path / "m")
    assert status == 1 and "--prune takes one number, such as 1e-8" in printed.err
    convert = "convert", "12", "--bytes", "5000000", "--tokens"
    assert run(capsys, *convert, "1e6") == run(capsys, *convert, "1000000")
    for wrong in "1.5", "inf", "nan":
        assert "is not a whole number" in run(capsys, *convert, wrong, exits=SystemExit)[1].err


def test_packed_files_have_neither_a_name_nor_a_time(folder, tmp_path, capsys):
    fit = "fit", folder / "train", "--order", 2, "--out"
    for name in "a.arpa.gz", "b.arpa.gz":
        run(capsys, *fit, tmp_path / name)
    packed = (tmp_path / "a.arpa.gz").read_bytes()
    assert packed == (tmp_path / "b.arpa.gz").read_bytes() and b"part" not in packed[:40]


def test_a_kind_of_tokens_that_the_command_cannot_cut(folder, tmp_path, capsys):
    train = tokenize(corpora.load("tales-en").train, by=str.split, sentences="line")
    NGramModel(2, ModifiedKneserNey()).fit(train).save(tmp_path / "model")
    status, printed = run(capsys, "score", tmp_path / "model", folder / "test")
    assert status == 1 and "use --by whitespace" in printed.err
    assert run(capsys, "score", tmp_path / "model", folder / "test", "--by", "whitespace")[0] == 0


def test_n_grams_that_occur_too_rarely_are_dropped(folder, tmp_path, capsys):
    fit = "fit", folder / "train", "--order", 3, "--out"
    assert run(capsys, *fit, tmp_path / "m.arpa", "--min-counts", "2=1,3=2")[0] == 0
    documents = [file.read_text(encoding="utf8") for file in sorted((folder / "train").rglob("*.txt"))]
    expected = NGramModel(3, ModifiedKneserNey()).fit(tokenize(documents, by="whitespace"))
    expected.prune(min_counts={3: 2}).to_arpa(tmp_path / "expected.arpa")
    assert (tmp_path / "m.arpa").read_bytes() == (tmp_path / "expected.arpa").read_bytes()
    assert run(capsys, *fit, tmp_path / "m", "--min-counts", "3=2", "--memory", "2GB")[0] == 1
    with pytest.raises(SystemExit):
        main([str(word) for word in (*fit, tmp_path / "m", "--min-counts", "3:2")])
    assert "such as 3=2,4=2" in capsys.readouterr().err


def test_a_slow_score_says_on_a_terminal_what_it_is_doing(folder, capsys, monkeypatch):
    monkeypatch.setattr(models, "DELAY", 0)
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    status, printed = run(capsys, "score", folder / "m3.arpa", folder / "train")
    assert status == 0 and printed.err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with contextlib.suppress(SystemExit):
        status = main(["score", str(folder / "m3.arpa"), str(folder / "train")])
    printed = capsys.readouterr()
    assert status == 0
    for step in ("reading the model", "cutting the texts into tokens", "scoring"):
        assert step in printed.err


def test_the_command_begins_before_a_package_is_imported():
    """So that Ctrl-C in the first second ends it without a trace."""
    program = "import sys, lmmetrics.__main__; print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_a_text_without_tokens_is_not_scored(folder, tmp_path, capsys):
    (tmp_path / "a.txt").touch()
    (tmp_path / "b.txt").write_text("\n", encoding="utf-8")
    shards = tmp_path / "shards"
    shards.mkdir()
    (shards / "a.txt").touch()
    for arguments in (
        ("score", folder / "m2.arpa", tmp_path / "a.txt"),
        ("card", folder / "m2.arpa", tmp_path / "a.txt"),
        ("compare", folder / "m2.arpa", folder / "m3.arpa", tmp_path / "a.txt"),
        ("score", folder / "m2.arpa", tmp_path / "b.txt", "--no-eos"),
        ("score", folder / "m2.arpa", "--shards", shards, "--out", tmp_path / "scores"),
    ):
        status, printed = run(capsys, *arguments)
        assert (status, printed.out) == (1, "") and "there is nothing to measure" in printed.err
    assert run(capsys, "count", tmp_path / "a.txt")[0] == 0  # as wc does


def test_a_byte_order_mark_is_said_once_and_not_counted(folder, tmp_path, capsys):
    for name in "ab":
        (tmp_path / f"{name}.txt").write_bytes(b"\xef\xbb\xbfthe and\n")
    for name in "cd":
        (tmp_path / f"{name}.txt").write_bytes(b"the and\n")
    marked, plain = (
        run(capsys, "score", folder / "m2.arpa", *(tmp_path / name for name in names), "--format", "csv")[1]
        for names in (("a.txt", "b.txt"), ("c.txt", "d.txt"))
    )
    assert marked.out == plain.out and plain.err == ""
    assert marked.err.count("\n") == 1 and f"warning: {tmp_path / 'a.txt'} begins with a byte-" in marked.err
    fit = "fit", tmp_path / "a.txt", "--order", "2", "--smoothing", "witten-bell", "--out", tmp_path / "m"
    for command in ("count", tmp_path / "a.txt"), (*fit, "--memory", "1TB"):
        status, printed = run(capsys, *command)
        assert status == 0 and printed.err.count("begins with a byte-order mark") == 1


def test_the_help_names_the_extras(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    printed = capsys.readouterr().out
    for extra in ("transformers", "scale", "fast"):
        assert f"\n  {extra} " in printed


def test_what_weakens_a_number_is_said_on_the_error_stream(folder, tmp_path, capsys):
    (tmp_path / "odd.txt").write_text("xyzzy the plugh\n", encoding="utf-8")
    status, printed = run(capsys, "score", folder / "m3.arpa", tmp_path / "odd.txt", "--format", "json")
    assert status == 0 and "2 of 4 tokens (50.0%) are unknown to the model" in printed.err
    assert json.loads(printed.out)[0]["unknown"] == 2
    status, printed = run(capsys, "score", folder / "m3.arpa", folder / "train")
    assert status == 0 and "unknown to the model" not in printed.err
    files = sorted((folder / "test").rglob("*.txt"))
    _, printed = run(capsys, "compare", folder / "m2.arpa", folder / "m3.arpa", *files[:2])
    assert "from 2 documents: if their differences are skewed, it is too short" in printed.err
    rows = [
        line.split()[-5:] for line in compare_scores.__doc__.splitlines() if line.strip().startswith('"t", ')
    ]
    skewed = sorted(row[2] for row in rows[1:])  # exponential and log-normal differences, 5 documents
    assert f"in {skewed[0]} to {skewed[-1]} of 100 cases with 5 documents" in printed.err
    assert "have the text" not in printed.err and "has the text" not in printed.err
    few = "compare", folder / "m2.arpa", folder / "m3.arpa", *files[:2], files[0]
    _, printed = run(capsys, *few, "--interval", "bootstrap")
    assert "from 3 documents: which makes it too short; --interval t is better" in printed.err
    assert "1 of 3 documents has the text of an earlier one" in printed.err


def test_a_warning_of_the_library_is_one_plain_line(folder, tmp_path, capsys):
    lines = (folder / "m3.arpa").read_text(encoding="utf-8").splitlines(keepends=True)
    start = lines.index("\\3-grams:\n") + 1
    kept = [line for i, line in enumerate(lines) if i < start or not line.endswith("the king\n")]
    lost = len(lines) - len(kept)
    count = len(lines) - start - 2
    lost_one = "".join(kept).replace(f"ngram 3={count}", f"ngram 3={count - lost}")
    (tmp_path / "lost.arpa").write_text(lost_one, encoding="utf-8")
    for _ in range(2):  # the second call says it, too
        status, printed = run(capsys, "score", tmp_path / "lost.arpa", folder / "train")
        assert status == 0 and printed.err.count("\n") == 1
        assert printed.err.startswith(f"warning: {tmp_path / 'lost.arpa'}: after '")
        assert "the probabilities sum to 0." in printed.err and "without a newline at its end" in printed.err


def test_a_method_without_fallback_says_what_else_to_do(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(SMOOTHING, "good-turing", GoodTuring)
    (tmp_path / "small.txt").write_text("a a b b\n", encoding="utf-8")
    arguments = "fit", tmp_path / "small.txt", "--smoothing", "good-turing", "--out", tmp_path / "model"
    status, printed = run(capsys, *arguments)
    assert status == 1 and ". Take --smoothing witten-bell" in printed.err and "--fallback" not in printed.err


def test_small_texts_and_packed_ones_get_advice_for_the_command_line(tmp_path, capsys):
    (tmp_path / "small.txt").write_text("a b a c a b\n", encoding="utf-8")
    small = "fit", tmp_path / "small.txt", "--out", tmp_path / "model"
    status, printed = run(capsys, *small)
    assert status == 1 and "--smoothing witten-bell" in printed.err and "()" not in printed.err
    assert run(capsys, *small, "--smoothing", "witten-bell")[0] == 0
    (tmp_path / "small.txt.gz").write_bytes(gzip.compress(b"a b\n"))
    (tmp_path / "unpacked.txt").write_bytes(b"a b\n")
    assert run(capsys, *small, "--fallback", "0.5,1,1.5", "--force")[0] == 0
    packed = tmp_path / "packed"
    packed.mkdir()
    (packed / "a.txt.gz").write_bytes(gzip.compress(b"a b a c a b\n"))
    for options in ([], ["--memory", "1TB"]):
        arguments = "fit", packed, "--order", "2", "--fallback", "0.5,1,1.5", *options
        assert run(capsys, *arguments, "--force", "--out", tmp_path / "of-packed.arpa")[0] == 0
        arguments = (
            "fit",
            tmp_path / "small.txt",
            "--order",
            "2",
            "--fallback",
            "0.5,1,1.5",
            "--force",
            *options,
        )
        assert run(capsys, *arguments, "--out", tmp_path / "of-text.arpa")[0] == 0
        one, other = ((tmp_path / f"of-{what}.arpa").read_bytes() for what in ("packed", "text"))
        assert one == other
    scores = [
        run(capsys, "score", tmp_path / "model", tmp_path / name, "--format", "csv")
        for name in ("small.txt.gz", "unpacked.txt")
    ]
    assert scores[0][1].out == scores[1][1].out and scores[0][0] == 0
    status, printed = run(capsys, "compare", "a", "b", "c", "--confidence", "95", exits=2)
    assert "--confidence is 95.0; a number between 0 and 1" in printed.err


def test_a_list_of_words_is_the_vocabulary(folder, tmp_path, capsys):
    (tmp_path / "words.txt").write_text("the\n<unk>\nwolf \n\n</s>\nthe\nand\n", encoding="utf-8")
    (tmp_path / "a.txt").write_text("the wolf sees the hare and the fox\n", encoding="utf-8")
    words = "--vocabulary", tmp_path / "words.txt"
    made = []
    for options in ([], ["--memory", "1TB"]):
        arguments = (
            "fit",
            folder / "train",
            "--order",
            "2",
            "--smoothing",
            "witten-bell",
            *words,
            "--force",
            *options,
        )
        assert run(capsys, *arguments, "--out", tmp_path / "m.arpa")[0] == 0
        made.append((tmp_path / "m.arpa").read_bytes())
    vocabulary = Vocabulary(["the", "wolf", "and"])
    files = sorted((folder / "train").rglob("*.txt"))
    train = tokenize(
        [file.read_text(encoding="utf-8") for file in files], "whitespace", vocabulary=vocabulary
    )
    NGramModel(2, WittenBell()).fit(train).to_arpa(tmp_path / "expected.arpa")
    assert made == [(tmp_path / "expected.arpa").read_bytes()] * 2
    _, printed = run(capsys, "count", tmp_path / "a.txt", "--by", "whitespace", *words, "--format", "json")
    (row,) = json.loads(printed.out)
    assert (row["tokens"], row["unknown"]) == (9, 3)


def test_two_counts_of_bytes_are_not_mistaken_for_one(folder, tmp_path, capsys):
    """A model that is cut by whitespace counts one blank between two tokens, a model of bytes all of them."""
    train = "fit", folder / "train", "--order", "2", "--smoothing", "witten-bell", "--out"
    assert run(capsys, *train, tmp_path / "words")[0] == 0
    assert run(capsys, *train, tmp_path / "bytes", "--by", "byte")[0] == 0
    for i in range(2):
        (tmp_path / f"{i}.txt").write_text("the  and and\tthe \n", encoding="utf-8")
    texts = tmp_path / "0.txt", tmp_path / "1.txt"
    _, printed = run(capsys, "score", tmp_path / "words", *texts, "--format", "json")
    (row,) = json.loads(printed.out)
    assert row["bytes"] == 2 * 16 and "(32); the texts have 36" in row["protocol"]["bytes"]
    assert "The bytes are those of the tokens" in printed.err and "--single-blanks" in printed.err
    _, printed = run(capsys, "score", tmp_path / "bytes", *texts, "--format", "json")
    (row,) = json.loads(printed.out)
    assert row["bytes"] == 36 and row["protocol"]["bytes"] == "those of the texts as they are"
    both = "compare", tmp_path / "words", tmp_path / "bytes", *texts
    status, printed = run(capsys, *both)
    assert status == 1 and "16 bytes for a and 18 for b" in printed.err and "--single-blanks" in printed.err
    status, printed = run(capsys, *both, "--single-blanks", "--format", "json")
    assert status == 0 and json.loads(printed.out)[0]["unit"] == "byte"
    for name in ("words", "bytes"):
        _, printed = run(capsys, "score", tmp_path / name, *texts, "--single-blanks", "--format", "json")
        assert json.loads(printed.out)[0]["bytes"] == 2 * 16 and "--single-blanks" not in printed.err


@pytest.mark.parametrize("moment", ["importing", "fitting", "writing", "scoring"])
def test_ctrl_c_ends_a_command_with_one_line_and_no_file(moment, folder, tmp_path):
    """At each moment the process sends the signal to itself."""
    places = {
        "importing": ("lmmetrics.__main__", "run", "score"),
        "fitting": ("lmmetrics.ngram._model", "NGramCounts", "fit"),
        "writing": ("lmmetrics.ngram._arpa.write", "lines_of", "fit"),
        "scoring": ("lmmetrics._commands.models", "score_documents", "score"),
    }
    module, name, command = places[moment]
    program = f"""
import importlib, os, signal, sys
from lmmetrics import _interrupt, __main__
def interrupted(*given, **options):
    os.kill(os.getpid(), signal.SIGINT)
    raise AssertionError("it goes on")
if {moment!r} == "importing":
    _interrupt.end_at_once()
    interrupted()
_interrupt.end_at_once()
setattr(importlib.import_module({module!r}), {name!r}, interrupted)
sys.exit(__main__.run())
"""
    model = folder / "m3.arpa"
    arguments = {
        "fit": ["fit", folder / "train", "--order", "2", "--out", tmp_path / "m.arpa"],
        "score": ["score", model, folder / "test"],
    }
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments[command])], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "lmmetrics: Stopped by Ctrl-C.\n")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_may_stop_before_the_end(folder):
    command = [sys.executable, "-m", "lmmetrics", "score", folder / "m3.arpa", folder / "test"]
    with subprocess.Popen(
        [*command, "--lines", "--documents"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert process.returncode == 0 and "Broken" not in said and "Traceback" not in said


def test_a_command_needs_no_standard_output(folder, tmp_path):
    command = (
        f"{sys.executable} -m lmmetrics fit {folder / 'train'} --order 2 --out {tmp_path / 'm.arpa'} >&-"
    )
    done = subprocess.run(command, shell=True, stderr=subprocess.PIPE, text=True)
    assert (done.returncode, done.stderr) == (0, "") and (tmp_path / "m.arpa").exists()


def test_a_disk_that_is_full_is_an_error(folder):
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    with open("/dev/full", "w") as full:
        command = [sys.executable, "-m", "lmmetrics", "count", folder / "test"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1 and done.stderr == "lmmetrics: No space left on device.\n"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="no such devices")
def test_a_device_or_a_socket_is_refused_and_a_pipe_is_read(folder, tmp_path, capsys):
    for device in ("/dev/zero", "/dev/full", "/dev/urandom"):
        for command in (("count", device), ("fit", device, "--out", tmp_path / "m", "--memory", "1GB")):
            status, printed = run(capsys, *command)
            assert status == 1 and f"{device} is a device, not a text. Name a file" in printed.err
    status, printed = run(capsys, "count", "/dev/null")
    assert status == 0 and printed.err == ""
    with socket.socket(socket.AF_UNIX) as one:
        one.bind(str(tmp_path / "a.socket"))
        status, printed = run(capsys, "count", tmp_path / "a.socket")
    assert status == 1 and "a.socket is a socket, which cannot be read as a file." in printed.err
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_bytes, args=[b"one two\nthree\n"])
    writer.start()
    status, printed = run(capsys, "count", tmp_path / "pipe")
    writer.join()
    assert status == 0
    counted = [sys.executable, "-m", "lmmetrics", "count", "/dev/stdin"]
    done = subprocess.run(counted, input="one two\nthree\n", capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stdout.split()[-3:] == printed.out.split()[-3:]
    with open("/dev/zero") as endless:
        done = subprocess.run([*counted[:-1], "-"], stdin=endless, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("lmmetrics: standard input is a device, not a text.")


def test_the_help_says_what_was_called(monkeypatch, capsys):
    for called, shown in (("/somewhere/bin/lmmetrics", "lmmetrics"), ("__main__.py", "python -m lmmetrics")):
        monkeypatch.setattr(sys, "argv", [called])
        with pytest.raises(SystemExit):
            main(["score", "--help"])
        said = capsys.readouterr().out
        assert said.startswith(f"usage: {shown} score") and f"examples:\n  {shown} score" in said


def test_the_script_is_the_module():
    """What pyproject.toml names is there; an installed script is tried in a venv of its own."""
    project = tomllib.loads((PAGE.parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["lmmetrics"].partition(":")
    assert getattr(importlib.import_module(module), name) is lmmetrics.__main__.run


def test_a_score_needs_no_bar(folder):
    """With TQDM_DISABLE a bar of tqdm has no description."""
    command = [sys.executable, "-m", "lmmetrics", "score", folder / "m3.arpa", folder / "test"]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "TQDM_DISABLE": "1"})
    assert done.returncode == 0 and "perplexity" in done.stdout


def test_help_has_examples(folder, capsys):
    commands, page = dict(parser().parsers()), PAGE.read_text(encoding="utf-8")
    assert {"count", "fit", "score", "card", "compare", "convert"} <= commands.keys()
    for command in commands:
        assert f"    python -m lmmetrics {command} " in page
        with pytest.raises(SystemExit) as stopped:
            main([command, "--help"])
        assert stopped.value.code == 0
        assert f"examples:\n  python -m lmmetrics {command} " in capsys.readouterr().out


def test_the_module_is_a_command():
    done = subprocess.run([sys.executable, "-m", "lmmetrics", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("lmmetrics 0.")


@pytest.mark.parametrize(
    "options", [[], ["--by", "char"], ["--by", "byte", "--lines"], ["--by", "word", "--lines"]]
)
def test_a_model_that_is_fitted_with_a_limit_of_memory_is_the_same(
    options, folder, tmp_path, capsys, monkeypatch
):
    (tmp_path / "text").mkdir()
    (tmp_path / "text" / "a.txt").write_bytes(
        b"\xef\xbb\xbfthe cat\n\nsleeps\n\n" + "é \u2028 x\x0b\r\n".encode()
    )
    (tmp_path / "text" / "b.txt").write_bytes(b"")
    (tmp_path / "text" / "c.txt").write_bytes(b"no newline at the end")
    monkeypatch.setattr("lmmetrics._commands.documents.BLOCK", 5)
    for texts in (tmp_path / "text", folder / "train"):
        arguments = "fit", texts, "--order", 3, "--smoothing", "witten-bell", *options, "--force", "--out"
        assert run(capsys, *arguments, tmp_path / "whole")[0] == 0
        status, printed = run(capsys, *arguments, tmp_path / "bounded", "--memory", "1TB")
        assert status == 0 and "order 3" in printed.out
        names = sorted(path.name for path in (tmp_path / "whole").iterdir())
        assert names == sorted(path.name for path in (tmp_path / "bounded").iterdir())
        for name in names:
            a, b = ((tmp_path / part / name).read_bytes() for part in ("whole", "bounded"))
            assert a == b, name
    assert not list(tmp_path.glob("*.fit"))


def test_what_a_limit_of_memory_does_not_allow(folder, tmp_path, capsys):
    def said(*options):
        status, printed = run(capsys, "fit", folder / "train", "--out", tmp_path / "model", *options)
        assert status == 1 and "Traceback" not in printed.err
        return printed.err

    assert "needs" in (told := said("--memory", "1MB")) and "memory allows 1 MB" in told
    assert told.endswith("allows 1 MB. Use a larger --memory.\n")
    for option in (("--prune", "1e-7"), ("--min-counts", "3=2")):
        assert "leave out --memory, or leave out --prune and --min-counts" in said("--memory", "1TB", *option)
    (tmp_path / "empty.txt").touch()
    status, printed = run(
        capsys, "fit", tmp_path / "empty.txt", "--memory", "1TB", "--out", tmp_path / "model"
    )
    assert status == 1 and "The texts are empty" in printed.err


def test_a_disk_that_is_full_is_named(folder, tmp_path, capsys, monkeypatch):
    fit = "fit", folder / "train", "--smoothing", "witten-bell", "--out", tmp_path / "model"
    free = shutil.disk_usage(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(shutil, "disk_usage", lambda place: free._replace(free=1_000_000))
        status, printed = run(capsys, *fit, "--memory", "1TB")
    assert status == 1 and printed.err.endswith(
        f"in {tmp_path}, where 1 MB are free. Make room, or name another place: --out.\n"
    )

    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(NGramModel, "fit", full)
    status, printed = run(capsys, *fit)
    assert (status, printed.err) == (1, f"lmmetrics: {tmp_path / 'model'}: No space left on device.\n")


def test_threads_on_the_command_line(folder, capsys):
    arguments = "score", folder / "m3.arpa", folder / "test", "--documents", "--format", "json"
    printed = [run(capsys, *arguments, *jobs)[1].out for jobs in ([], ["--jobs", "3"], ["--jobs", "all"])]
    assert len(set(printed)) == 1 and json.loads(printed[0])
    for wrong in ("0", "many", "-2"):
        with pytest.raises(SystemExit) as raised:
            main([*map(str, arguments), f"--jobs={wrong}"])
        assert raised.value.code == 2 and "is not a number of threads" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["score", "model.arpa", "--shards", "shards", "--out", "scores", "--jobs", "2"])
    assert "use --workers" in capsys.readouterr().err


KENLM = """\
\\data\\
ngram 1=13
ngram 2=24

\\1-grams:
-1.1967589\t<unk>\t0
0\t<s>\t-0.19374546
-0.8329731\t</s>\t0
-1.1243205\tthe\t-0.06440233
-1.1243205\tcat\t-0.14487708
-1.1243205\tsleeps\t-0.13054265
-1.1243205\tdog\t-0.15970083
-1.1967589\teats\t-0.15970083
-1.1967589\ta\t-0.15970083
-1.0194528\tsees\t-0.15970083
-1.1243205\tbird\t-0.15970083
-1.0194528\tsings\t-0.15970083
-1.0194528\tworm\t-0.15970083

\\2-grams:
-0.62885785\tcat </s>
-0.4337049\tsleeps </s>
-0.6898054\teats </s>
-0.38785908\tsings </s>
-0.38785908\tworm </s>
-0.4765255\t<s> the
-0.8108997\teats the
-1.1887228\tthe cat
-0.8896793\ta cat
-0.88363945\tcat sleeps
-0.8108997\tdog sleeps
-0.82017815\tthe dog
-0.8896793\ta dog
-0.9120056\tcat eats
-0.8339461\tdog eats
-0.7036529\tbird eats
-0.9398063\t<s> a
-0.8339461\teats a
-0.4538262\tsees a
-0.7727245\tdog sees
-0.93540114\tthe bird
-0.8896793\ta bird
-0.6574897\tbird sings
-0.84429574\ta worm

\\end\\
"""
"""What lmplz -o 2 --discount_fallback writes for seven lines."""
UNSEEN = "the <unk> sleeps\n", "the wolf eats <unk> cat\na fox sings\n"


@pytest.fixture
def kenlm(tmp_path):
    """A model of KenLM, and texts with unknown words, two of which are written <unk>."""
    (tmp_path / "kenlm.arpa").write_text(KENLM, encoding="utf-8")
    for name, text in zip(("one.txt", "two.txt"), UNSEEN, strict=True):
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_unknown_tokens_are_those_of_kenlm(kenlm, capsys):
    """Its program query says: perplexity 8.54416333 and 6.03688871 without OOVs, 4 OOVs, 14 tokens."""
    score = "score", kenlm / "kenlm.arpa", kenlm / "one.txt", kenlm / "two.txt"
    _, printed = run(capsys, *score, "--format", "json")
    (row,) = json.loads(printed.out)
    assert (row["tokens"], row["unknown"], row["written <unk>"], row["known tokens"]) == (14, 2, 2, 10)
    assert row["perplexity per token"] == pytest.approx(8.5441633308266, rel=1e-7)
    assert row["perplexity of known tokens"] == pytest.approx(6.036888706771686, rel=1e-7)
    assert "4 of 14 tokens (28.6%) are unknown to the model, of which 2 are written <unk> in" in printed.err
    card = row["protocol"]["unknown"]
    assert card == "2 tokens outside the vocabulary, scored as <unk>; 2 more are written <unk> in the text"
    _, printed = run(capsys, *score)
    assert printed.out.endswith(
        "2 unknown tokens\n2 tokens written <unk> in the text\nperplexity 6.036889 of the 10 known tokens\n"
    )


def test_a_model_that_was_trained_on_unk_predicts_it_as_a_word(kenlm, capsys):
    (kenlm / "train.txt").write_text("the <unk> sleeps\nthe <unk> sees a bird\n" * 3, encoding="utf-8")
    fit = "fit", kenlm / "train.txt", "--order", 2, "--smoothing", "witten-bell", "--out"
    assert run(capsys, *fit, kenlm / "own.arpa")[0] == 0
    (kenlm / "zero.txt").write_text("the <unk> sleeps\n", encoding="utf-8")
    texts = kenlm / "zero.txt", kenlm / "one.txt"
    assert "unknown" not in run(capsys, "score", kenlm / "own.arpa", *texts)[1].err
    _, printed = run(capsys, "compare", kenlm / "kenlm.arpa", kenlm / "own.arpa", *texts)
    assert "; unknown: 2, of which 2 are written <unk> in the text\n" in printed.out
    assert "; unknown: 0\n" in printed.out
    assert "2 tokens are written <unk> in the texts. Model b was trained on such tokens" in printed.err
    _, printed = run(capsys, "compare", kenlm / "own.arpa", kenlm / "own.arpa", *texts)
    assert "<unk>" not in printed.err


def test_characters_are_not_words(folder, tmp_path, capsys, monkeypatch):
    text = folder / "test" / "00.txt"
    _, printed = run(capsys, "score", folder / "m2.arpa", text, "--by", "char")
    assert "The tokens of " in printed.err and "are words, such as" in printed.err
    assert "are words" not in run(capsys, "score", folder / "m2.arpa", text)[1].err
    fit = "fit", text, "--by", "char", "--order", "2", "--smoothing", "witten-bell", "--out"
    status, printed = run(capsys, *fit, tmp_path / "c")
    assert status == 0 and printed.out.startswith(f"{tmp_path / 'c'}: a folder, order 2, ")
    assert "are words" not in run(capsys, "score", tmp_path / "c", text)[1].err

    def counted(*given, **options):
        raise AssertionError("the n-grams are counted")

    monkeypatch.setattr(NGramModel, "fit", counted)
    for options in ([], ["--memory", "1TB"]):
        status, printed = run(capsys, *fit, tmp_path / "c.arpa", *options)
        assert status == 1 and "Name a folder for the model instead of an ARPA file" in printed.err


def test_a_file_that_is_given_twice_is_said(folder, capsys):
    for texts in ([folder / "test", folder / "test" / "00.txt"], [folder / "test" / "00.txt"] * 2):
        status, printed = run(capsys, "score", folder / "m2.arpa", *texts)
        assert status == 0 and printed.err.count("00.txt is given twice and counts twice.") == 1
    assert "given twice" not in run(capsys, "score", folder / "m2.arpa", folder / "test")[1].err


def test_the_card_of_a_file_has_no_code(folder, capsys):
    _, printed = run(capsys, "card", folder / "m2.arpa", folder / "test")
    assert "model       n-grams up to order 2 from a file: " in printed.out and "FromFile" not in printed.out


def test_what_a_tokenizer_says_of_a_document_names_the_file(folder, monkeypatch, capsys):
    from lmmetrics.adapters import CallableLM

    files = sorted((folder / "test").rglob("*.txt"))
    model = CallableLM(lambda ids: None, lambda text: [1], lambda ids: "x", context=5, bos=0)
    monkeypatch.setattr("lmmetrics._commands.models.loader_of", lambda path: LOADERS[-1])
    monkeypatch.setattr("lmmetrics._commands.models.loading", lambda path, options: lambda: model)
    monkeypatch.setattr(model, "log_probs", lambda text: np.full(len(text), -1.0))
    status, printed = run(capsys, "score", "model", *files)
    assert status == 0 and f"documents back unchanged, first {files[0]}. Counts" in printed.err
    monkeypatch.setattr(model, "encode", lambda text: [])
    status, printed = run(capsys, "score", "model", *files)
    assert status == 1 and f"lmmetrics: {files[0]} has no token for the tokenizer" in printed.err
