"""A class that hands in a real set: everyone who is right gets full marks, however many jobs run at once.

The small set of the other tests imports no PyTorch. Here it does, as the sets of the book do: of forty
processes that import it, none may meet a half-imported module.
"""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lmcourse.files.places import ROOT
from lmcourse.grading.classroom.processes import needed_by_set
from lmcourse.grading.notebook.key import Key
from lmcourse.grading.whole_class import grade_class
from tests.grading.catalogue import SET, Notebook, write_small_set

SOLUTIONS = ROOT / "solutions"
NAME = "02_cross_entropy"
SOLVED = SOLUTIONS / NAME / f"{NAME}.ipynb"

WATCHED = """
import json, sys, threading

class Watch:
    def __init__(self):
        self.elsewhere = []
    def find_spec(self, name, path=None, target=None):
        if threading.current_thread() is not threading.main_thread():
            self.elsewhere.append(name)

watch = Watch()
sys.meta_path.insert(0, watch)
from lmcourse.grading.one_notebook import grade_notebook
result = grade_notebook(sys.argv[1], sys.argv[2], seed=3, solutions=sys.argv[3])
ours = [name for name in sys.modules if name.partition(".")[0] in ("lmcourse", "lmmetrics")]
loaded = [sys.modules[name].__file__ for name in ours]
print(json.dumps([result.points, "torch" in sys.modules, watch.elsewhere, loaded]))
"""


def everyone_gets_full_marks(folder, name, solutions, solved, count):
    """Grade a class in which everyone hands in the same solved notebook, four at a time."""
    for i in range(count):
        (folder / "submissions" / f"student-{i}").mkdir(parents=True)
        (folder / "submissions" / f"student-{i}" / "work.ipynb").write_bytes(solved)
    rows = grade_class(folder / "submissions", name, folder / "results", solutions=solutions, jobs=4)
    others = {
        row.student: (row.status, row.notes, row.result.problem) for row in rows if row.status != "graded"
    }
    assert others == {} and len(rows) == count
    assert all(row.result.points == row.result.maximum > 0 for row in rows)


@pytest.mark.slow
def test_eight_solved_copies_of_a_set_of_the_book_get_full_marks(tmp_path):
    everyone_gets_full_marks(tmp_path, NAME, SOLUTIONS, SOLVED.read_bytes(), 8)


@pytest.mark.slow
def test_forty_solved_copies_of_a_small_set_with_torch_get_full_marks(tmp_path):
    solutions = write_small_set(tmp_path)
    path = solutions / SET / f"{SET}.ipynb"
    path.write_text(path.read_text().replace("import sympy as sp", r"import sympy as sp\nimport torch"))
    assert "torch" in Key(SET, solutions).imports
    everyone_gets_full_marks(tmp_path, SET, solutions, Notebook().file(), 40)


def test_the_grader_imports_nothing_in_a_thread_and_only_what_the_digest_of_the_set_covers():
    """While a thread imports a module, the others see half of it, and SciPy looks for PyTorch."""
    command = [sys.executable, "-c", WATCHED, str(SOLVED), NAME, str(SOLUTIONS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    *found, loaded = json.loads(done.stdout.splitlines()[-1])
    assert found == [33, True, []]
    assert len(loaded) > 50 and {*map(Path, loaded)} <= needed_by_set(Key(NAME, SOLUTIONS))
