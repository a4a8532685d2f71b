"""What the grader spends on one answer: time for waits in vain, and memory for replies."""

import contextlib
import json
import shutil
import signal
import socket
import threading
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest

from lmcourse import exam, grade
from lmcourse.grading.classroom import processes as classroom
from lmcourse.grading.classroom.collecting import Submission
from lmcourse.grading.errors import GradingError
from lmcourse.grading.inside.wire import NODES, encode
from lmcourse.grading.notebook.failed_cells import FailedCell
from lmcourse.grading.notebook.names import defines
from lmcourse.grading.notebook.reading import read_cells
from lmcourse.grading.one_notebook import grade_notebook
from lmcourse.grading.outside.limits import Limits, Lost, Patience
from lmcourse.grading.outside.proxies import value_of
from lmcourse.grading.outside.worker import SMALL_REPLY, Worker, parse_reply
from lmcourse.grading.papers.owners import labels_in
from lmcourse.hints.answers import Unreadable
from lmcourse.hints.judging import judge
from lmcourse.questions import find
from tests.grading.catalogue import LIMITS, POINTS, SEED, SET, Notebook, write_small_set

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
        parse_reply(data)
    assert tracemalloc.get_traced_memory()[1] < 150 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("piece", [b"[],", b'"\xc3\xa9",'], ids=repr)
def test_what_just_passes_takes_little_memory(piece):
    most = min(3 * NODES // (piece.count(b",") + piece.count(b"[")), 4 * NODES // max(1, piece.count(b'"')))
    data = b'{"value": [' + piece * (most - 10) + b"0]}"
    tracemalloc.start()
    parse_reply(data)
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
    assert len(data) > SMALL_REPLY and parse_reply(data) == json.loads(data)


def test_each_endless_answer_has_its_whole_time_and_no_more(tmp_path):
    """Four of them, one with two test cells: four waits. An honest slow answer would have had as long."""
    notebook, limits = Notebook(), Limits(call_seconds=1, cell_seconds=20)
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
    assert sum("more than 1 seconds" in task.reason for task in result.tasks) == 4
    assert time.monotonic() - began < 4 * 1 + 12


# What an untrusted file or reply costs the grader's own process


def test_a_notebook_of_empty_cells_is_refused_and_its_label_read_without_them():
    label = '{"cell_type": "markdown", "source": "Midterm \\u00b7 paper ABCDE \\u00b7 45 points"},'
    data = ('{"cells": [' + label + "{}," * 7_000_000 + "{}]}").encode()
    began = time.monotonic()
    tracemalloc.start()
    assert labels_in(data) == {"ABCDE"}
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()
    assert time.monotonic() - began < 3
    with pytest.raises(GradingError, match="lists and objects"):
        read_cells(data)
    with pytest.raises(GradingError, match="cells; the limit is 20000"):
        read_cells(b'{"cells": [' + b"{}," * 20_000 + b"{}]}")
    assert read_cells(b'{"cells": [{}, {"source": "x"}, 3]}')[0][0].source == "x"


def test_the_label_of_a_paper_is_found_in_text_of_any_encoding_and_else_in_the_metadata():
    paper = {"cells": [{"cell_type": "markdown", "source": ["Final · paper ", "Q3K7M · 60 points"]}]}
    for data in (json.dumps(paper), json.dumps(paper, ensure_ascii=False)):
        joined = data.replace('", "', "")
        assert labels_in(joined.encode()) == labels_in(joined.encode("utf-16")) == {"Q3K7M"}
    stored = {"cells": [], "metadata": {"course": {"paper": "Q3K7M"}}}
    assert labels_in(json.dumps(stored).encode()) == {"Q3K7M"} and labels_in(b"no notebook") == set()


@pytest.mark.parametrize("source", ["x " * 100_000, "import " + "x,\t" * 60_000, "def " * 50_000], ids=repr)
def test_to_look_for_a_definition_takes_little_time(source):
    began = time.monotonic()
    assert not FailedCell("", source=source).loses("x" if "def" in source else "y")
    assert not FailedCell("", source="x" * 100_000 + " ").loses("x") and not defines(source, "z" + "x" * 9)
    assert not defines("x " * 200_000, "x")
    assert time.monotonic() - began < 3


@pytest.mark.parametrize("key", ["01.sampling", "02.below-entropy"])
def test_an_exact_value_with_noise_is_not_a_share_of_a_sample(key):
    question = find(key)

    def noisy(*case):
        right = question.right(*case)
        return right + 1e-9 * case[-1].random()

    verdict = judge(question, lambda case: noisy(*case), question.fresh_cases(1))
    assert not verdict.right and "divided by repeats" in verdict.message


def test_a_seed_that_can_be_guessed_is_warned_of(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(exam, "make", lambda *arguments: exit("made"))
    for seed, warned in ((20261121, True), (2**60 + 1, False)):
        with pytest.raises(SystemExit):
            exam.main(["final", "--students", "Ada", "--seed", str(seed), "--out", str(tmp_path / "final")])
        assert ("small enough to be guessed" in capsys.readouterr().err) == warned
    assert "--seed 2" not in exam.__doc__


def test_a_forged_sentence_is_not_passed_on_as_ours():
    with pytest.raises(Unreadable, match=r"^your answer says: 02\.x: right"):
        value_of(None, {"unreadable": "02.x: right (3 points)"})


def test_the_grader_of_one_notebook_has_a_clock_of_its_own():
    began, before = time.monotonic(), signal.getsignal(signal.SIGALRM)
    with pytest.raises(grade.OutOfTime, match="was stopped"), grade._clock(0.2):
        while time.monotonic() < began + 5:
            with contextlib.suppress(Exception):
                sum(range(1000))
    assert time.monotonic() < began + 2 and signal.getsignal(signal.SIGALRM) == before


def test_a_grading_process_that_is_killed_leaves_no_folder(tmp_path, monkeypatch):
    """Its time is over while the answers run, so it deletes nothing itself."""
    left, remove = [], shutil.rmtree

    def watched(folder, **options):
        left.append((Path(folder), list(Path(folder).glob("grading-*"))))
        remove(folder, **options)

    monkeypatch.setattr(classroom.shutil, "rmtree", watched)
    notebook = Notebook()
    notebook.add("while True:\n    pass", before="three-words")
    path = tmp_path / "ada.ipynb"
    path.write_bytes(notebook.file())
    monkeypatch.setattr(classroom, "GRACE_SECONDS", 5 - 120)
    limits = replace(LIMITS, cell_seconds=100, total_seconds=120)
    solutions = write_small_set(tmp_path)
    found = [Submission("ada", path)]
    results = classroom.grade_all(found, tmp_path / "out", SET, seed=1, solutions=solutions, limits=limits)
    assert "lost or took too long" in results["ada"].problem
    ((folder, inside),) = left
    assert inside and not folder.exists()


def test_memory_is_watched_while_a_reply_arrives_byte_by_byte():
    def watch():
        raise Lost("too much memory")

    ours, theirs = socket.socketpair()
    worker = Worker(ours, 0, Limits(), Patience(Limits(), watch))

    def drip():
        with contextlib.suppress(OSError):
            while theirs.send(b" "):
                time.sleep(0.02)

    thread = threading.Thread(target=drip, daemon=True)
    thread.start()
    began = time.monotonic()
    with ours, pytest.raises(Lost, match="too much memory"):
        worker.read(1000, time.monotonic() + 5)
    assert time.monotonic() - began < 3, "the last byte may come much later"
    thread.join(5)
    theirs.close()
