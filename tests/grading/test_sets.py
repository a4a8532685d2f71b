"""Every set of the book: full marks when solved, none when not begun, and for each usual mistake its hint."""

import importlib
import os
import re
import time

import pytest

from lmcourse.files.notebooks import read
from lmcourse.files.places import ROOT
from lmcourse.grading.notebook.key import Key, sets_in
from lmcourse.grading.notebook.marking import Marker
from lmcourse.grading.notebook.plan import make_plan
from lmcourse.grading.one_notebook import Limits, grade_notebook
from lmcourse.grading.outside.sandbox import Sandbox
from lmcourse.sets.release import student_set

SETS = sets_in(ROOT / "solutions")
LIMITS = Limits(call_seconds=20, cell_seconds=120)


def graded(name, data, **options):
    return grade_notebook(data, name, limits=LIMITS, solutions=ROOT / "solutions", **options)


@pytest.mark.parametrize("name", SETS)
def test_the_solution_gets_full_marks(name):
    result = graded(name, ROOT / "solutions" / name / f"{name}.ipynb")
    lost = [f"{t.name}: {t.status}, {t.reason}" for t in result.tasks if t.status not in ("full", "by hand")]
    assert lost == [] and result.points == result.maximum >= 24
    assert result.by_hand > 0


@pytest.mark.parametrize("name", SETS)
def test_the_student_set_gets_nothing_and_says_what_to_do(name):
    result = graded(name, ROOT / "exercises" / name / f"{name}.ipynb")
    assert result.points == 0
    assert {task.status for task in result.tasks} == {"not answered", "by hand"}
    assert all(
        re.match(r"Not answered\. Task \w+: ", t.reason) for t in result.tasks if t.status != "by hand"
    )


@pytest.mark.parametrize("name", SETS)
def test_the_key_knows_what_students_get(name):
    student = student_set(read(ROOT / "solutions" / name / f"{name}.ipynb"))
    blank = {c.name: c.blank for c in Key(name, ROOT / "solutions").cells if c.kind in ("answer", "by hand")}
    assert blank == {cell.id: cell.source for cell in student.cells if cell.id in blank}


class _Parking(Sandbox):
    """Keeps a process for later while another takes its place."""

    parked = None

    def _needed(self):
        return [*super()._needed(), *([self.parked.pid] if self.parked else [])]

    def _restart(self):
        raise AssertionError("the process that was kept for later is gone: every cell would run again")


class _Variants(Marker):
    """Marks wrong answers to a task in place of its solution, then continues with the solution."""

    def __init__(self, key, wrong, *arguments):
        super().__init__(key, *arguments)
        self.wrong, self.found = wrong, []

    def _run(self, step, sandbox):
        for ids, source in self.wrong.get(step.task, ()) if step.task else ():
            with sandbox.probe() as probe:
                reply = probe.ask({"do": "run", "name": step.task, "source": source})
                assert reply == {"done": True}, (step.task, ids, reply)
                sandbox.parked = last = sandbox.last
                sandbox.last = probe
                result = self._mark(self.key.tasks[step.task], sandbox)
                sandbox.last, sandbox.parked = last, None
            self.found.append((step.task, ids, result))
        super()._run(step, sandbox)


@pytest.mark.parametrize("name", SETS)
def test_each_usual_mistake_gets_its_hint(name):
    """One wrong answer a mistake and task; what all of them are told, ``tests/questions/`` asks."""
    wrong = importlib.import_module(f"tests.questions.test_ch{name[:2]}").SET.wrong
    wrong = {task: list(dict(reversed(answers)).items()) for task, answers in wrong.items()}
    key = Key(name, ROOT / "solutions")
    with _Parking(LIMITS, key.imports, key.files) as sandbox:
        marker = _Variants(key, wrong, make_plan(key, key.cells), sandbox, 3)
        marker.mark()
    assert len(marker.found) == sum(map(len, wrong.values())) > 30
    for task, ids, mark in marker.found:
        assert mark.points < mark.maximum, (task, ids, mark)
        assert mark.status == ("partial" if mark.points else "zero"), (task, ids, mark)
        assert set(mark.mistakes) == set(re.split(r" and | \+ ", ids)), (task, ids, mark)


def test_a_set_takes_at_most_six_seconds():
    name = "02_cross_entropy"
    began = time.monotonic()
    report = graded(name, ROOT / "solutions" / name / f"{name}.ipynb")
    seconds = time.monotonic() - began
    assert report.points == report.maximum
    if seconds > 6 and os.getloadavg()[0] > 0.5:
        pytest.skip(f"{seconds:.1f} s, but others use this machine: six seconds are for an idle one")
    assert seconds <= 6
