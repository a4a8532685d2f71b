"""Many lines of an ARPA file at once: numbers are those of `float`, tokens are never mixed up."""

import io
import re

import numpy as np
import pytest

from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.ngram._arpa import blocks as arpa_blocks
from lmmetrics.ngram._arpa import read as arpa_read
from lmmetrics.ngram._arpa.blocks import Fields, TokenIds
from lmmetrics.ngram._arpa.write import TokenBytes, formatted, joined
from lmmetrics.text import tokenize

ODD_NUMBERS = ["-0", "0", "-99", "-1.", "-.5", "-1e-05", "-2.5E-7", "-0.000000000000001", "-123456789.123456"]
ODD_NUMBERS += ["-1.7976931348623157e308", "-0.1234567890123456789", "-inf", "-1" + 22 * "0", "-0.30103"]


def drawn_numbers(rng, many):
    values = -np.exp(rng.uniform(-12, 5, size=many))
    forms = ["%.10g", "%.7g", "%.8f", "%.17g", "%.3e", "%.0f"]
    return [forms[i] % value for i, value in zip(rng.integers(len(forms), size=many), values, strict=True)]


def test_numbers_are_rounded_as_float_rounds_them():
    written = [*ODD_NUMBERS, *drawn_numbers(np.random.default_rng(0), 20_000)]
    fields = Fields("".join(f"{number}\ta\t{number}\n" for number in written).encode(), 1)
    expected = np.array(list(map(float, written)))
    for found in (fields.probs(), fields.weights()):
        assert found.tobytes() == expected.tobytes()  # also the sign of -0


def test_a_weight_may_be_absent_and_text_is_not_a_number():
    fields = Fields(b"-1\ta b\t-0.5\n-2\tc d\n-3\te f\tg\n-1_0\th i\n", 2)
    np.testing.assert_array_equal(fields.probs(), [-1, -2, -3, np.nan])
    np.testing.assert_array_equal(fields.weights(), [-0.5, 0, np.nan, 0])
    assert fields.strings(1) == [b"b", b"d", b"f", b"i"]


@pytest.mark.parametrize(
    "data", [b"-1  a\n", b" -1 a\n", b"-1\ta\r\n", b"-1\n", b"-1\ta", b"-1\ta\t0\t0\n", b"\n"]
)
def test_a_line_that_is_not_regular_is_left_to_the_other_reader(data):
    with pytest.raises(ValueError, match="not regular"):
        Fields(data, 1)


@pytest.mark.parametrize("size", [1, 5, 12, 1000])
@pytest.mark.parametrize("end", ["", "\n", "\n\n"])
def test_lines_are_taken_and_put_back(monkeypatch, size, end):
    monkeypatch.setattr(arpa_read, "BLOCK", size)
    written = [f"line {number}" for number in range(1, 21)]
    lines = arpa_read.Lines("f", io.BytesIO(("\n".join(written) + end).encode()))
    rng, read = np.random.default_rng(size), []
    while len(read) < 20:
        blocks = [data for _ in range(3) if (data := lines.take())]
        kept = int(rng.integers(0, 4))
        taken = [line for data in blocks[:kept] for line in data.decode().splitlines()]
        lines.number += len(taken)
        read += taken
        for data in reversed(blocks[kept:]):
            lines.put_back(data)
        if len(read) < 20:
            read.append(lines.next("one more"))
            assert lines.number == len(read)
    assert [line for line in read if line] == written
    with pytest.raises(arpa_read.ArpaError, match=rf"line {20 + (len(end) == 2)}: The file ends"):
        lines.next("one more")


@pytest.mark.parametrize("size", [1, 9, 30, 1000])
def test_lines_are_taken_up_to_the_next_heading(monkeypatch, size):
    monkeypatch.setattr(arpa_read, "BLOCK", size)
    rows, rest = b"-1\t\\ a\n-2\tb\\ \\c\n", b"\n\n\\end\\\n"
    lines = arpa_read.Lines("f", io.BytesIO(rows + rest))
    taken = b""
    while data := lines.take():
        taken += data
    assert taken.rstrip(b"\n") + b"\n" == rows
    assert lines.next("the end mark") == "\\end\\"


def drawn_tokens(rng, many):
    tokens = {bytes(rng.integers(33, 256, size=size).tolist()) for size in rng.integers(1, 30, size=many)}
    prefix = b"the-same-sixteen"
    return sorted(tokens | {prefix + bytes([code]) for code in range(33, 90)} | {prefix, prefix[:8]})


@pytest.mark.parametrize("collide", [False, True])
def test_every_token_finds_its_id_and_no_other(monkeypatch, collide):
    if collide:  # even if many long tokens have the same hash, none gets the id of another
        hashed = arpa_blocks.hashed

        def colliding(parts):
            found = hashed(parts)
            for rows, _ in parts[1:]:
                found[rows] >>= np.uint64(56)
            return found

        monkeypatch.setattr(arpa_blocks, "hashed", colliding)
    rng = np.random.default_rng(1)
    tokens = drawn_tokens(rng, 3000)
    known = rng.permutation(len(tokens))[: len(tokens) // 2]
    ids = {tokens[i]: place for place, i in enumerate(known.tolist())}
    lines = Fields(b"".join(b"-1 " + token + b"\n" for token in tokens), 1)
    found = TokenIds(ids).find(lines.codes, *lines.tokens(0)).tolist()
    expected = [ids.get(token, -1) for token in tokens]
    assert all(one in (other, -1) for one, other in zip(found, expected, strict=True))
    assert collide or found == expected


def test_a_token_is_not_mistaken_for_its_beginning(monkeypatch):
    monkeypatch.setattr(arpa_blocks, "hashed", lambda parts: np.zeros(len(parts[0][1]), np.uint64))
    lines = Fields(b"-1 the-same-sixteen\n", 1)
    assert TokenIds([b"the-same-sixteen+"]).find(lines.codes, *lines.tokens(0)).tolist() == [-1]


def test_lines_at_once_and_one_by_one_make_the_same_model(tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    text = "\n".join(" ".join(f"w{word}" for word in rng.zipf(1.3, size=12) % 500) for _ in range(300))
    NGramModel(4, WittenBell()).fit(tokenize([text])).to_arpa(tmp_path / "model.arpa")
    at_once = NGramModel.from_arpa(tmp_path / "model.arpa")
    refused = []

    def refuse(data, n):
        refused.append(n)
        raise ValueError

    monkeypatch.setattr("lmmetrics.ngram._arpa.read.Fields", refuse)
    one_by_one = NGramModel.from_arpa(tmp_path / "model.arpa")
    assert refused == [1, 2, 3, 4]
    again = tokenize([text], vocabulary=at_once.vocabulary)
    np.testing.assert_array_equal(at_once.log_probs(again), one_by_one.log_probs(again))


def test_short_tokens_have_different_hashes():
    rng = np.random.default_rng(4)
    tokens = sorted(
        {bytes(rng.integers(0, 3, size=size).tolist()) for size in rng.integers(1, 9, size=20_000)}
    )
    codes = np.frombuffer(b"".join(tokens) + bytes(8), dtype=np.uint8)
    lengths = np.array(list(map(len, tokens)))
    found = arpa_blocks.hashed(list(arpa_blocks.chunks(codes, np.cumsum(lengths) - lengths, lengths)))
    assert len(set(zip(found.tolist(), lengths.tolist(), strict=True))) == len(tokens)


def test_written_numbers_are_those_of_decimals():
    rng = np.random.default_rng(5)
    values = np.concatenate(
        [[0, -0.0, -99, 5e-11, -4.9e-11, 999.5, -123.25], rng.normal(0, 5, 5000), -rng.uniform(0, 120, 5000)]
    )
    pieces = formatted(values, b"\n")
    written = [
        pieces.codes[a : a + size].tobytes() for a, size in zip(pieces.starts, pieces.lengths, strict=True)
    ]
    assert all(re.fullmatch(rb"-?(0|[1-9]\d*)\.\d{10}\n", text) for text in written)
    assert [float(text) for text in written] == pytest.approx(values, abs=5.1e-11, rel=1e-15)
    assert written[:3] == [b"0.0000000000\n", b"0.0000000000\n", b"-99.0000000000\n"]


@pytest.mark.parametrize("weights", [False, True])
def test_lines_put_together_are_their_pieces(weights):
    rng = np.random.default_rng(6)
    words = [
        "".join(chr(97 + letter) for letter in rng.integers(26, size=size))
        for size in rng.integers(1, 40, 300)
    ]
    words += ["愛", "é" * 9, "a"]
    names, ids = TokenBytes(words), rng.integers(len(words), size=(1000, 3))
    values = -rng.uniform(0, 20, size=(2, 1000))
    end = b"\t" if weights else b"\n"
    parts = [names.pieces(ids[:, 0], b" "), names.pieces(ids[:, 1], b" "), names.pieces(ids[:, 2], end)]
    parts += [formatted(values[1], b"\n")] * weights
    lines = bytes(joined(formatted(values[0], b"\t"), parts)).decode().splitlines()
    for line, row, (first, second) in zip(lines, ids, values.T, strict=True):
        expected = f"{first:.10f}\t{' '.join(words[id] for id in row)}" + f"\t{second:.10f}" * weights
        assert line == expected


def test_lines_read_ahead_are_not_lost_if_one_before_them_is_odd(tmp_path, monkeypatch):
    rng = np.random.default_rng(3)
    text = "\n".join(" ".join(f"w{word}" for word in rng.zipf(1.3, size=12) % 300) for _ in range(100))
    path = tmp_path / "model.arpa"
    NGramModel(3, WittenBell()).fit(tokenize([text])).to_arpa(path)
    expected = NGramModel.from_arpa(path)
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    odd = lines.index("\\3-grams:\n") + 40
    path.write_text(
        "".join([*lines[:odd], lines[odd].replace(" ", "  "), *lines[odd + 1 :]]), encoding="utf-8"
    )
    monkeypatch.setattr(arpa_read, "BLOCK", 500)
    monkeypatch.setattr(arpa_read.os, "cpu_count", lambda: 4)
    found = NGramModel.from_arpa(path)
    again = tokenize([text], vocabulary=expected.vocabulary)
    np.testing.assert_array_equal(found.log_probs(again), expected.log_probs(again))
