"""Intervals, the shortest code and the coder with fractions, against everything that can be enumerated."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmmetrics import score_text
from lmmetrics.coding import ExactCoder, Interval, code_length_bound, huffman, interval, kt, shortest_code
from lmmetrics.ngram import NGramModel, WittenBell
from lmmetrics.text import tokenize
from tests.lmmetrics.bad_calls import says_what_is_expected

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
THIRDS = [Fraction(1, 3)] * 3


@st.composite
def rows(draw, size=None):
    """A row of whole counts divided by their sum; some are 0."""
    size = draw(st.integers(1, 5)) if size is None else size
    counts = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [Fraction(count, sum(counts)) for count in counts]


@st.composite
def intervals(draw):
    whole = draw(st.integers(2, 300))
    low = draw(st.integers(0, whole - 1))
    return Interval(Fraction(low, whole), Fraction(draw(st.integers(1, whole - low)), whole))


def by_enumeration(low, width):
    """The first of the shortest strings, tried one after the other."""
    for length in range(64):
        for bits in product("01", repeat=length):
            start = Fraction(int("".join(bits) or "0", 2), 2**length)
            if low <= start and start + Fraction(1, 2**length) <= low + width:
                return "".join(bits)
    raise AssertionError


FIRST = [Fraction(tenths, 10) for tenths in (6, 3, 1)]
NEXT = [[Fraction(tenths, 10) for tenths in row] for row in ((1, 7, 2), (4, 3, 3), (5, 3, 2))]


def test_cat_sleeps_eats_cat():
    """The chain of chapter 1: cat 0, sleeps 1, eats 2."""
    found = [
        interval(lambda prefix: NEXT[prefix[-1]] if prefix else FIRST, ids) for ids in ([0, 1], [0, 1, 2, 0])
    ]
    assert found == [(Fraction(6, 100), Fraction(42, 100)), (found[1].low, Fraction(63, 1000))]
    assert [round(-math.log2(width), 4) for _, width in found] == [1.2515, 3.9885]
    codes = [shortest_code(*part) for part in found]
    assert codes[0] == "001" and [len(code) for code in codes] == [3, 5]


@given(st.lists(rows(3), min_size=1, max_size=4))
def test_the_intervals_of_all_sequences_lie_side_by_side_and_fill_the_whole(each):
    end = Fraction(0)
    for ids in product(range(3), repeat=len(each)):
        if all(row[id] for row, id in zip(each, ids, strict=True)):
            found = interval(each, ids)
            assert found.low == end
            assert found.width == math.prod(row[id] for row, id in zip(each, ids, strict=True))
            end += found.width
    assert end == 1


@given(intervals())
def test_the_shortest_code_is_found_and_keeps_to_the_bound_of_two_bits(part):
    bits = shortest_code(*part)
    assert bits == by_enumeration(*part)
    assert len(bits) <= code_length_bound(part.width) < -math.log2(part.width) + 2 + 1e-12
    assert code_length_bound(part.width) == math.ceil(-math.log2(part.width)) + 1


def test_one_bit_fewer_is_not_always_enough():
    """3/8 to 5/8: both halves of the interval lie in other quarters, so two bits say too little."""
    assert shortest_code(Fraction(3, 8), QUARTER) == "011"
    assert len("011") > -math.log2(QUARTER) and code_length_bound(QUARTER) == 3
    longest = max(
        (len(shortest_code(Fraction(low, 64), Fraction(1, 3))) - math.log2(3), low) for low in range(42)
    )
    assert longest[0] > 1  # 3 bits, and -log2 q is 1.585
    narrow = Fraction(1, 2**20) - Fraction(1, 2**40)
    worst = len(shortest_code(Fraction(1, 2) - narrow / 2, narrow)) + math.log2(narrow)
    assert 1.99 < worst < 2  # the bound of two bits cannot be lowered


def test_the_whole_needs_no_bit():
    assert shortest_code(Fraction(0), Fraction(1)) == "" and code_length_bound(Fraction(1)) == 1
    assert interval(lambda prefix: THIRDS, []) == (0, 1)


@given(st.data(), st.integers(2, 4))
def test_every_text_comes_back(data, size):
    table = {length: data.draw(rows(size).filter(lambda row: row[-1])) for length in range(4)}
    coder = ExactCoder(lambda prefix: table[min(len(prefix), 3)], end=size - 1)
    ids, place = [], 0
    while place < 12:
        row = table[min(place, 3)]
        ids.append(data.draw(st.sampled_from([id for id in range(size) if row[id]])))
        place += 1
        if ids[-1] == size - 1:
            break
    ids = [id for id in ids if id != size - 1] + [size - 1]
    if not table[min(len(ids) - 1, 3)][-1]:
        return
    bits = coder.encode(ids)
    width = interval(coder.next_row, ids).width
    assert coder.decode(bits) == ids and len(bits) < -math.log2(width) + 2 + 1e-9


def test_each_string_of_bits_is_the_code_of_one_text_or_refused():
    coder = ExactCoder(lambda prefix: [HALF, QUARTER, QUARTER], end=2)
    decoded, refused = 0, 0
    for length in range(10):
        for bits in map("".join, product("01", repeat=length)):
            try:
                ids = coder.decode(bits)
            except ValueError as error:
                refused += 1
                assert "end early" in str(error) or "go on after" in str(error)
            else:
                decoded += 1
                assert coder.encode(ids) == bits
    assert decoded > 20 and refused > decoded


def test_two_hundred_texts_with_an_adaptive_row():
    rng = np.random.default_rng(1)
    coder = ExactCoder(kt(4), end=3)
    for length in rng.integers(0, 30, 200):
        ids = [*rng.integers(0, 3, length).tolist(), 3]
        bits = coder.encode(ids)
        assert coder.decode(bits) == ids
        assert 0 <= len(bits) + math.log2(interval(kt(4), ids).width) < 2


def test_two_hundred_texts_of_several_scripts():
    """Characters under a counted model, through the coder and through Huffman's code words."""
    letters = "the cat αβγ бвг 天地玄黃 العربية हिन्दी e\u0301 🙂\n"
    model = NGramModel(2, WittenBell()).fit(tokenize([letters * 3], by="char"))
    vocabulary, rng = model.vocabulary, np.random.default_rng(2)

    @cache
    def row(last):
        shares = [Fraction(p) for p in model.next_distribution([vocabulary.token(last)])]
        total = sum(shares)
        return [share / total for share in shares]

    coder = ExactCoder(lambda prefix: row(prefix[-1] if prefix else vocabulary.bos), end=vocabulary.eos)
    words = huffman(model.next_distribution([]).tolist())
    symbols = {word: id for id, word in enumerate(words)}
    for length in rng.integers(0, 5, 200):
        document = "".join(rng.choice(list(letters), length))
        text = tokenize([document], by="char", vocabulary=vocabulary)
        bits = coder.encode(text.ids.tolist())
        assert coder.decode(bits) == text.ids.tolist()
        assert 0 <= len(bits) - score_text(model, text).bits < 2
        found, word = [], ""
        for bit in "".join(words[id] for id in text.ids):
            word += bit
            if word in symbols:
                found.append(symbols[word])
                word = ""
        assert found == text.ids.tolist() and word == ""


def test_rows_of_floats_are_the_fractions_that_they_are():
    coder = ExactCoder(lambda prefix: np.array([0.1, 0.2, 0.7]), end=0)
    assert coder.decode(coder.encode([2, 1, 2, 2, 0])) == [2, 1, 2, 2, 0]
    assert interval([[0.1] * 10], [9]).width == Fraction(1, 10)


def test_a_row_that_never_ends_the_text_is_found(monkeypatch):
    monkeypatch.setattr("lmmetrics.coding._exact.MOST", 50)
    with pytest.raises(ValueError, match="none was the end symbol"):
        ExactCoder(lambda prefix: [1, 0], end=1).decode("")


ROW = [HALF, QUARTER, QUARTER]
CODER = ExactCoder(lambda prefix: ROW, end=2)
CALLS = {
    "a row that does not sum to 1": (lambda: interval([[HALF, QUARTER]], [0]), "misses the sum 1 by -0.25"),
    "thirds that are rounded": (lambda: interval([[0.333, 0.333, 0.333]], [0]), "misses the sum 1 by -0.001"),
    "a negative entry": (lambda: interval([[HALF, 1, -HALF]], [0]), "has the entry Fraction(-1, 2)"),
    "nan": (lambda: interval([[0.5, math.nan]], [0]), "has the entry nan"),
    "a string for a row": (lambda: interval(["ab"], [0]), "has the entry 'a'; a probability is expected"),
    "a number for a row": (lambda: interval(lambda prefix: 0.5, [0]), "a list of probabilities is expected"),
    "an empty row": (lambda: interval(lambda prefix: [], [0]), "a list of probabilities is expected"),
    "too few rows": (lambda: interval([ROW], [0, 1]), "There are 1 rows for 2 symbols"),
    "a symbol outside": (lambda: interval([ROW], [3]), "Symbol 0 is 3, but its row has the symbols 0 to 2"),
    "a symbol below 0": (lambda: interval([ROW], [-1]), "Symbol 0 is -1"),
    "half a symbol": (lambda: interval([ROW], [0.5]), "Symbol 0 is 0.5; a whole number is expected"),
    "probability 0": (
        lambda: interval(lambda prefix: [1, 0], [0, 1]),
        "Symbol 1 is 1, which has probability 0 after [0]: it has no interval",
    ),
    "no width": (lambda: shortest_code(HALF, Fraction(0)), "The interval from 1/2 of width 0 is not a part"),
    "beyond 1": (lambda: shortest_code(HALF, Fraction(2, 3)), "their sum at most 1"),
    "a width above 1": (lambda: code_length_bound(Fraction(2)), "is not a part of [0, 1)"),
    "a string for a width": (lambda: code_length_bound("1/2"), "width is '1/2'; a fraction is expected"),
    "rows for a function": (lambda: ExactCoder([ROW], end=2), "next_row is list; a function is expected"),
    "no end": (lambda: CODER.encode([0, 1]), "does not end with its only end symbol, 2"),
    "two ends": (lambda: CODER.encode([2, 0, 2]), "does not end with its only end symbol, 2"),
    "nothing": (lambda: CODER.encode([]), "does not end with its only end symbol, 2"),
    "no bits": (lambda: CODER.decode("012"), "The code is '012'; a string of 0 and 1 is expected"),
    "a number for bits": (lambda: CODER.decode(11), "a string of 0 and 1 is expected"),
    "bits that end early": (lambda: CODER.decode("01"), "they end early"),
    "bits that go on": (lambda: CODER.decode("0110"), "The bits go on after the end symbol"),
}


test_a_bad_call_says_what_is_expected = says_what_is_expected(CALLS)
