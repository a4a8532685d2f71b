"""The page on nbgrader: its commands, in order, in an empty home folder, with two students."""

import csv
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from lmcourse.files.notebooks import is_answer, read, to_text
from lmcourse.files.places import ROOT

PAGE = ROOT / "book" / "instructors" / "nbgrader.md"
STEM = "01_chain_rule"


@pytest.mark.slow
def test_the_commands_of_the_page_work(tmp_path):
    """An empty set gets no point, a solved one all that a machine gives; feedback shows hidden checks."""
    setup, release, validate, grade = re.findall(
        r"```bash\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    course, done = tmp_path / "nbgrader-course", {}
    environment = {
        **os.environ,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
    }

    def run(name, commands, folder=course):
        command = ["bash", "-ec", f'PROJECT="{ROOT}"\n{commands}']
        done[name] = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done[name].returncode == 0, done[name].stderr[-2000:]

    run("setup", setup, ROOT)
    run("release", release)
    released = course / "release" / STEM / f"{STEM}.ipynb"
    assert released.read_bytes() == (ROOT / "exercises" / STEM / f"{STEM}.ipynb").read_bytes()
    run("validate", validate)
    assert "VALIDATION FAILED" in done["validate"].stdout
    assert "see the hint above" in done["validate"].stdout  # the hint is in the notebook, not in the terminal

    solved = read(ROOT / "solutions" / STEM / f"{STEM}.ipynb")
    for student in ("ann", "bob"):
        notebook = read(released)
        for mine, model in zip(notebook.cells, solved.cells, strict=True):
            if student == "bob" and is_answer(mine):
                mine.source = model.source
        target = course / "submitted" / student / STEM / f"{STEM}.ipynb"
        target.parent.mkdir(parents=True)
        target.write_text(to_text(notebook), encoding="utf-8")
    run("grade", grade)
    with (course / "grades.csv").open(encoding="utf-8", newline="") as table:
        grades = {row["student_id"]: (row["score"], row["max_score"]) for row in csv.DictReader(table)}
    by_hand = sum(
        cell.metadata.nbgrader.points
        for cell in solved.cells
        if is_answer(cell) and cell.metadata.nbgrader.get("grade")
    )
    assert grades == {"ann": ("0.0", "42.0"), "bob": (f"{42 - by_hand:.1f}", "42.0")}
    assert "'checksum' for cell" in done["grade"].stderr
    page = (course / "feedback" / "ann" / STEM / f"{STEM}.html").read_text(encoding="utf-8")
    assert "not done yet" in page and "check_hidden" in page
