"""Every kind of full protection stops the same attacks, for root and for a user who is not root."""

import json
import os
import subprocess
import sys

import pytest

from lmcourse.files.places import ROOT
from tests.grading.catalogue import Notebook, all_cases, write_small_set
from tests.grading.systems import ROOT_USER, USER, as_user, refusal

NAMES = [
    "as it should be",
    "ends the process",
    "a loop without end in a call",
    "starts processes without end",
    "kills all processes that it can",
    "many processes, each with little memory",
    "memory in the files of every folder",
    "memory in a namespace of its own",
    "memory without a process",
    "imports the reference",
    "searches the disk for the solutions",
    "asks the network for the answer",
]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
GRADE = """
import json, os, sys
from tests.grading.catalogue import all_cases
solutions, kind, names = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
found = {}
for case in all_cases():
    if case.name in names:
        result = case.grade(solutions, protection=kind)
        found[case.name] = [case.differences(result), result.protection]
print(json.dumps([os.geteuid(), found]))
"""


def run(*command):
    """Run Python as a user who is not root; return the last line of its output as data."""
    done = subprocess.run(
        as_user(sys.executable, *command),
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=ENVIRONMENT,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["namespaces", "bubblewrap"])
def test_a_user_who_is_not_root_is_protected(kind, public_folder):
    if reason := refusal(kind, unprivileged=True):
        pytest.skip(reason)
    uid, found = run("-c", GRADE, write_small_set(public_folder), kind, json.dumps(NAMES))
    assert uid == (int(USER) if ROOT_USER else os.geteuid())
    assert {name: differences for name, (differences, _) in found.items()} == {name: [] for name in NAMES}
    (protection,) = {protection for _, protection in found.values()}
    assert ("full" if kind == "namespaces" else kind) in protection
    assert ("but not the number of files" in protection) == (kind == "bubblewrap")


CLASS = """
import json, os, sys
from pathlib import Path
from lmcourse.grading.whole_class import grade_class
from tests.grading.catalogue import LIMITS, SET
root = Path(sys.argv[1])
handed, out = root / "submissions", root / "results"
rows = grade_class(handed, SET, out, solutions=root / "solutions", limits=LIMITS, jobs=2, seed=20)
written = sorted(path.name for path in out.iterdir())
print(json.dumps([os.geteuid(), {row.student: row.status for row in rows}, written]))
"""
needs_root = pytest.mark.skipif(
    not ROOT_USER or bool(refusal("namespaces", unprivileged=True)),
    reason="only root can become another user",
)


@needs_root
def test_a_class_is_graded_for_an_unprivileged_user(public_folder):
    write_small_set(public_folder)
    for student in ("ada", "alan"):
        (public_folder / "submissions" / student).mkdir(parents=True)
        (public_folder / "submissions" / student / "work.ipynb").write_bytes(Notebook().file())
    (public_folder / "results").mkdir()
    os.chown(public_folder / "results", int(USER), int(USER))
    uid, statuses, written = run("-c", CLASS, public_folder)
    assert uid == int(USER) and statuses == {"ada": "graded", "alan": "graded"}
    assert any(name.endswith(".csv") for name in written) and any(name.endswith(".html") for name in written)


@pytest.mark.skipif(bool(refusal("namespaces")), reason=refusal("namespaces"))
def test_this_user_is_protected(tmp_path):
    case = all_cases()[0]
    result = case.grade(write_small_set(tmp_path), protection="namespaces")
    assert case.differences(result) == [] and "full" in result.protection
