"""Huffman's code against all prefix codes."""

import math
from fractions import Fraction
from functools import cache
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lmmetrics.coding import expected_length, huffman, quantisation_loss, quantise
from lmmetrics.information import entropy
from tests.lmmetrics.bad_calls import says_what_is_expected


@st.composite
def distributions(draw, most=6):
    counts = draw(st.lists(st.integers(0, 40), min_size=1, max_size=most).filter(any))
    return [Fraction(count, sum(counts)) for count in counts]


@cache
def kraft(size):
    """All lengths of code words that satisfy Kraft's inequality: those of all prefix codes, int[C, size]."""
    longest = range(1, max(2, size)) if size > 1 else range(1)
    found = np.array(list(product(longest, repeat=size)))
    return found[(2.0 ** -found.astype(float)).sum(axis=1) <= 1]


@given(distributions())
def test_no_prefix_code_is_shorter(probabilities):
    whole = math.lcm(*(p.denominator for p in probabilities))
    least = (kraft(len(probabilities)) @ [int(p * whole) for p in probabilities]).min()
    assert expected_length(probabilities, huffman(probabilities)) == Fraction(int(least), whole)


@given(distributions(most=30))
def test_it_is_a_complete_prefix_code_less_than_a_bit_above_the_entropy(probabilities):
    words = huffman(probabilities)
    assert sum(Fraction(1, 2 ** len(word)) for word in words) == 1  # Kraft, with equality
    for one, other in product(words, words):
        assert one == other or not other.startswith(one)
    assert len(set(words)) == len(words)
    floor = float(entropy([float(p) for p in probabilities], base=2))
    mean = float(expected_length(probabilities, words))
    assert floor - 1e-12 <= mean < floor + 1 or (floor == 0 and mean == 1)  # others that cannot occur


def test_what_it_loses_on_a_small_alphabet():
    """Two symbols take a bit each, whatever their probabilities: the loss approaches one bit."""
    for share in (0.9, 0.99, 0.999):
        words = huffman([share, 1 - share])
        loss = expected_length([share, 1 - share], words) - float(entropy([share, 1 - share], base=2))
        assert loss == pytest.approx(1 + share * math.log2(share) + (1 - share) * math.log2(1 - share))
    assert loss > 0.98


def test_probabilities_that_are_powers_of_two_lose_nothing():
    words = huffman({"a": Fraction(1, 2), "b": Fraction(1, 4), "c": Fraction(1, 8), "d": Fraction(1, 8)})
    assert words == {"a": "0", "b": "10", "c": "110", "d": "111"}
    assert huffman([1]) == [""] and expected_length([1], [""]) == 0
    assert huffman([0.25] * 4) == ["00", "01", "10", "11"]


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=40).filter(lambda row: sum(row) > 1e-3), st.integers(6, 24)
)
def test_rounded_rows_keep_to_their_bound(values, bits):
    row = [value / math.fsum(values) for value in values]
    counts = quantise(row, bits)
    assert counts.sum() == 2**bits and (counts >= 1).all() and counts.dtype.kind == "i"
    lost = 1 - len(row) / 2**bits
    assert all(
        count / 2**bits >= p * lost * (1 - 1e-12) for count, p in zip(counts.tolist(), row, strict=True)
    )
    assert 0 <= quantisation_loss(row, counts) <= -math.log2(lost) + 1e-12


def test_a_row_that_fits_exactly():
    assert quantise([1.0], 8).tolist() == [256]
    assert quantise([0.25] * 4, 2).tolist() == [1, 1, 1, 1]
    assert quantise([1.0, 0.0], 1).tolist() == [1, 1]  # and the loss is a whole bit
    assert quantisation_loss([1.0, 0.0], [1, 1]) == 1
    assert quantisation_loss([0.5, 0.5], [1, 0]) == math.inf


CALLS = {
    "a row that does not sum to 1": (lambda: quantise([0.5, 0.25], 8), "the sum 0.75; probabilities of at"),
    "logits": (lambda: quantise([-1.0, 2.0], 8), "the smallest entry -1"),
    "nan": (lambda: quantise([math.nan, 1.0], 8), "the smallest entry nan"),
    "two rows": (lambda: quantise([[0.5, 0.5], [0.5, 0.5]], 8), "row has the shape (2, 2)"),
    "ragged rows": (lambda: quantise([[0.5, 0.5], [1.0]], 8), "row has rows of different lengths"),
    "words": (lambda: quantise(["a", "b"], 8), "one row of probabilities is expected"),
    "too few bits": (lambda: quantise([0.2] * 5, 2), "at least 3 bits are expected"),
    "no bits": (lambda: quantise([1.0], 0), "bits is 0; a whole number of at least 1 is expected"),
    "too many bits": (lambda: quantise([1.0], 33), "bits is 33; from 1 to 32 are expected"),
    "counts of another row": (
        lambda: quantisation_loss([0.5, 0.5], [1, 1, 2]),
        "2 whole numbers are expected",
    ),
    "probabilities for counts": (lambda: quantisation_loss([0.5, 0.5], [0.5, 0.5]), "2 whole numbers"),
    "no counts": (lambda: quantisation_loss([0.5, 0.5], [0, 0]), "none negative and not all 0"),
    "counts for probabilities": (lambda: huffman([3, 2, 1]), "sum to 6; at least one is expected"),
    "no symbols": (lambda: huffman([]), "The 0 probabilities sum to 0; at least one is expected"),
    "a negative probability": (lambda: huffman([1.5, -0.5]), "has the entry -0.5"),
    "a string": (lambda: huffman("ab"), "probabilities has the entry 'a'; a number of at least 0"),
    "too few words": (lambda: expected_length([0.5, 0.5], ["0"]), "2 probabilities and 1 code words"),
    "a dict and a list": (lambda: expected_length({"a": 1}, ["0"]), "both as lists or both as dicts"),
    "words of other symbols": (lambda: expected_length({0: 1}, {1: "0"}), "The symbol 0 has no code word"),
}


test_a_bad_call_says_what_is_expected = says_what_is_expected(CALLS)
