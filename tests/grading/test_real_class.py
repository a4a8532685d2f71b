"""A class that hands in a real set: everyone who is right gets full marks, however many jobs run at once.

The small set of the other tests imports no PyTorch, so it cannot show what a set of the book does.
"""

import json
import subprocess
import sys
from pathlib import Path

from lmcourse.files.places import ROOT
from lmcourse.grading.classroom.processes import needed_by_set
from lmcourse.grading.notebook.key import Key
from lmcourse.grading.whole_class import grade_class

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


def test_forty_solved_copies_of_a_set_with_torch_get_full_marks(tmp_path):
    for i in range(40):
        (tmp_path / "submissions" / f"student-{i}").mkdir(parents=True)
        (tmp_path / "submissions" / f"student-{i}" / "work.ipynb").write_bytes(SOLVED.read_bytes())
    rows = grade_class(tmp_path / "submissions", NAME, tmp_path / "results", solutions=SOLUTIONS, jobs=4)
    others = {
        row.student: (row.status, row.notes, row.result.problem) for row in rows if row.status != "graded"
    }
    assert others == {}
    assert {(row.result.points, row.result.maximum) for row in rows} == {(30, 30)} and len(rows) == 40


def test_the_grader_imports_nothing_in_a_thread_and_only_what_the_digest_of_the_set_covers():
    """While a thread imports a module, the others see half of it, and SciPy looks for PyTorch."""
    command = [sys.executable, "-c", WATCHED, str(SOLVED), NAME, str(SOLUTIONS)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=300)
    assert done.returncode == 0, done.stderr
    *found, loaded = json.loads(done.stdout.splitlines()[-1])
    assert found == [30, True, []]
    assert len(loaded) > 50 and {*map(Path, loaded)} <= needed_by_set(Key(NAME, SOLUTIONS))
