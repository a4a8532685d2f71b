"""What the grader spends on one answer: time for waits in vain, and memory for replies."""

import json
import time
import tracemalloc

import pytest

from course.grading.node import SMALL_REPLY, TIRED, Limits, Lost, Patience, parsed
from course.grading.notebook import grade_notebook
from course.grading.wire import NODES, encode
from tests.grading_catalogue import POINTS, SEED, SET, Notebook, write_small_set

FORGED = 2**22


@pytest.mark.parametrize(
    "piece",
    [b"[],", b'"",', b'"ab",', b"0,", b'{"a":1},', b'"\\"",', b'"a\\\\",', b"[[[]]],", b"{},"],
    ids=repr,
)
def test_a_forged_reply_is_refused_before_it_is_read(piece):
    """Read as JSON, a megabyte of empty lists takes twenty."""
    data = b'{"value": [' + piece * (FORGED // len(piece)) + b"0]}"
    tracemalloc.start()
    with pytest.raises(Lost, match="too many values"):
        parsed(data)
    assert tracemalloc.get_traced_memory()[1] < 150 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("piece", [b"[],", b'"\xc3\xa9",'], ids=repr)
def test_what_just_passes_takes_little_memory(piece):
    most = min(3 * NODES // (piece.count(b",") + piece.count(b"[")), 4 * NODES // max(1, piece.count(b'"')))
    data = b'{"value": [' + piece * (most - 10) + b"0]}"
    tracemalloc.start()
    parsed(data)
    assert tracemalloc.get_traced_memory()[1] < 250 * 2**20
    tracemalloc.stop()


HONEST = {
    "floats": [0.5] * (NODES - 5),
    "a dictionary": {f"key {i}": i for i in range(NODES // 2 - 5)},
    "a text": 'say "so", {then: [this]}, ' * 30_000,
    "backslashes": "\\" * 900_000,
}


@pytest.mark.parametrize("value", HONEST.values(), ids=HONEST.keys())
def test_the_largest_honest_values_are_read(value):
    data = json.dumps({"value": encode(value)}).encode()
    assert len(data) > SMALL_REPLY and parsed(data) == json.loads(data)


def test_waits_get_shorter_after_several_in_vain():
    patience = Patience(Limits(call_seconds=8, cell_seconds=120))
    for _ in range(TIRED):
        assert patience.allowed(8) == 8
        assert "more than 8 seconds. Look for a loop" in str(patience.lost(8))
    assert patience.allowed(8) == 2 and patience.allowed(120) == 120
    assert "more than 2 seconds" in str(patience.lost(8)) and "3 others" in str(patience.lost(8))


def test_many_endless_calls_cost_little(tmp_path):
    """Four answers without end, one of them with two test cells: three whole waits, and a quarter of one."""
    notebook, limits = Notebook(), Limits(call_seconds=2, cell_seconds=20)
    for task in POINTS:
        name = {"three-words": "sentence_cost", "forecasters": "compare_forecasters"}.get(task)
        name = name or task.replace("-", "_")
        if task != "softmax-gradient":
            notebook.answer(task, f"def {name}(*case):\n    while True:\n        pass")
        else:
            slow = (
                "class Slow(sp.Symbol):\n    def doit(self, **hints):\n        while True:\n            pass"
            )
            notebook.answer(task, f"{slow}\ngradient = [Slow('z1')] * 3")
    began = time.monotonic()
    solutions = write_small_set(tmp_path)
    result = grade_notebook(notebook.file(), SET, seed=SEED, limits=limits, solutions=solutions)
    assert {task.status for task in result.tasks} == {"could not run", "by hand"}
    assert sum("more than 0.5 seconds" in task.reason for task in result.tasks) == 1
    assert time.monotonic() - began < 4 * 2 + 12
