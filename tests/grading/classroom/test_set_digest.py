"""A result is used again as long as nothing has changed on which the grade depends."""

import shutil
from types import SimpleNamespace

import pytest

from lmcourse.files.places import ROOT
from lmcourse.grading.classroom.processes import digest_of_set, needed_by_set
from lmcourse.grading.notebook.key import Key, sets_in
from lmcourse.grading.outside.policy import RUNTIME
from tests.grading.catalogue import LIMITS, SET, write_small_set

SOLUTIONS, QUESTIONS = ROOT / "solutions", ROOT / "lmcourse" / "questions"


def test_the_digest_follows_the_solved_set_and_the_limits(tmp_path):
    solutions = write_small_set(tmp_path)
    before = digest_of_set(SET, solutions, LIMITS)
    assert before == digest_of_set(SET, solutions, LIMITS) != digest_of_set(SET, solutions)
    path = solutions / SET / f"{SET}.ipynb"
    path.write_text(path.read_text().replace("A small set", "A small set, changed"))
    assert digest_of_set(SET, solutions, LIMITS) != before


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """A copy of the project's modules, in which questions can be changed."""
    root = tmp_path_factory.mktemp("project")
    for package in ("lmcourse", "lmmetrics"):
        shutil.copytree(ROOT / package, root / package, ignore=shutil.ignore_patterns("data", "__pycache__"))
    return root


@pytest.mark.parametrize(("package", "matters"), [("ch02", True), ("shared", True), ("ch08", False)])
def test_the_digest_follows_the_questions_of_the_set_and_of_no_other_chapter(project, package, matters):
    before = digest_of_set("02_cross_entropy", SOLUTIONS, root=project)
    for path in (project / "lmcourse/questions" / package).glob("[a-z]*.py"):
        path.write_text(path.read_text(encoding="utf-8") + "\nCHANGED = True\n", encoding="utf-8")
    assert (digest_of_set("02_cross_entropy", SOLUTIONS, root=project) != before) == matters


@pytest.mark.parametrize("name", sets_in(SOLUTIONS))
def test_a_set_needs_all_its_questions_and_all_that_runs_beside_the_answers(name):
    needed, own = needed_by_set(Key(name, SOLUTIONS)), f"ch{name[:2]}"
    assert {path.parent.name for path in needed if QUESTIONS in path.parents} == {"questions", "shared", own}
    assert needed >= {*(QUESTIONS / own).glob("*.py"), *RUNTIME}


def test_a_paper_needs_its_own_exam_and_no_chapter():
    needed = needed_by_set(SimpleNamespace(chapter="midterm@7", cells=[]))
    packages = {path.parent.name for path in needed}
    assert "midterm" in packages and "final" not in packages
    assert not any(package.startswith("ch0") for package in packages)
