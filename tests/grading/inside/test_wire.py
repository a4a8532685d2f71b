"""What crosses between worker and grader: every value in a form of its own, and nothing else."""

import gc
import json
import time

import numpy as np
import pytest

from lmcourse.grading.inside.decoding import decode
from lmcourse.grading.inside.wire import Callable, Formula, Other, WireError, encode
from lmmetrics import Score

VALUES = [
    None, True, 0, -(2**70), 1.5, float("inf"), float("-inf"), 1 + 2j, "ab\u00e9", "", [1, [2.0]], (1, "a"),
    {"a": 1, 2: (3,)}, {1, 2}, frozenset({3}), np.float32(0.1), np.int8(-3), np.bool_(True), ...,
]  # fmt: skip
ARRAYS = [
    np.arange(6).reshape(2, 3), np.zeros((0, 3)), np.array(3.5), np.array([True, False]),
    np.array(["a", "bcd"]), np.arange(4, dtype=">i2"), np.array([1j]), np.array([np.nan, np.inf]),
]  # fmt: skip


def there_and_back(value, keep=None):
    return decode(json.loads(json.dumps(encode(value, keep))))


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_data_crosses_with_its_exact_type(value):
    found = there_and_back(value)
    assert found == value and type(found) is type(value)


@pytest.mark.parametrize("array", ARRAYS, ids=repr)
def test_arrays_cross_with_type_and_shape(array):
    found = there_and_back(array)
    np.testing.assert_array_equal(found, array)
    assert type(found) is np.ndarray and found.shape == array.shape and found.dtype.kind == array.dtype.kind


def test_tensors_records_and_generators_cross():
    import torch

    tensor = torch.tensor([1.0, 2.0], dtype=torch.bfloat16, requires_grad=True)
    found = there_and_back(tensor)
    assert torch.equal(found, tensor) and found.dtype == tensor.dtype and found.requires_grad
    assert there_and_back(Score(2.0, tokens=3)) == Score(2.0, tokens=3)
    rng = np.random.default_rng(4)
    assert there_and_back(rng).random() == np.random.default_rng(4).random()


def test_subclasses_become_what_they_hold():
    class Equal(float):
        def __eq__(self, other):
            return True

    assert type(there_and_back(Equal(2.0))) is float


def test_other_objects_cross_as_their_name():
    import sympy

    kept = []

    def keep(thing):
        kept.append(thing)
        return len(kept) - 1

    assert there_and_back(len, keep) == Callable("builtin_function_or_method", "builtins", 0)
    assert type(there_and_back(sympy.Symbol("x"), keep)) is Formula
    assert type(there_and_back(object(), keep)) is Other


@pytest.mark.parametrize(
    "data",
    [
        None, [], ["os.system", "true"], ["_decode", 1], ["int", "1"], ["int", True], ["float", "1e5"],
        ["float", 10**400], ["str", 3], ["list", {}], ["dict", [[["list", []], ["int", 1]]]],
        ["array", "object", [1], "AAAAAAAAAAA="], ["array", "float64", [2], "AAAAAAAAAAA="],
        ["array", "float64", [-1], ""], ["array", "float64", [1], "\u00e9"], ["array", "bool", [1], "/w=="],
        ["texts", [2], ["a"]], ["scalar", ["int", 1]], ["tensor", "float64", 1, ["int", 1]],
        ["generator", {"bit_generator": "os"}], ["generator", 3], ["record", "Popen", []],
        ["record", "Score", [["str", "x"], *[["none"]] * 4]], ["callable", "f", "m", -1], ["none", 1],
        ["callable", 1, "m", 1], ["set", [["list", []]]],
    ],
    ids=repr,
)  # fmt: skip
def test_what_is_not_of_the_agreed_form_is_refused(data):
    with pytest.raises(WireError):
        decode(data)


def test_depth_and_number_are_bounded():
    deep = ["none"]
    for _ in range(100):
        deep = ["list", [deep]]
    with pytest.raises(WireError):
        decode(deep)
    with pytest.raises(WireError):
        decode(["list", [["none"]] * 400_000])
    with pytest.raises(WireError):
        encode([0] * 400_000)


def test_generators_that_cross_to_the_answers_differ_in_what_they_spawn():
    """An answer may draw from ``rng.spawn(1)[0]``, which goes by the seed and not by the state."""
    states = [encode(np.random.default_rng(seed)) for seed in (1, 1, 2)]
    same, again, other = (decode(state).spawn(1)[0].random() for state in states)
    assert same == again != other


@pytest.mark.parametrize("tag", ["set", "dict"])
def test_keys_that_share_one_hash_are_refused(tag):
    same = [["int", i * (2**61 - 1)] for i in range(1, 20_000)]
    few = [["tuple", [["float", float(i)]]] for i in range(2_001)]
    for keys in (same, same[:10], few):
        message = [tag, keys if tag == "set" else [[key, ["none"]] for key in keys]]
        gc.disable()  # in a process of many tests a collection alone takes seconds
        began = time.thread_time()
        with pytest.raises(WireError, match=r"2000 keys|2\*\*60"):
            decode(message)
        taken = time.thread_time() - began
        gc.enable()
        assert taken < 1
    words = {f"word {i}": i for i in range(30_000)}
    assert decode(encode(words)) == words
