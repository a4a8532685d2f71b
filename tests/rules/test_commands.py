"""Every command of the course can be called as a function, and says what it does."""

import importlib
import os
import shutil
import subprocess
import sys

import pytest

from lmcourse.files.places import ROOT

COMMANDS = sorted(path.stem for path in (ROOT / "lmcourse").glob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_is_a_function_that_helps(name, capsys):
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"lmcourse.{name}").main(["--help"])
    assert not ended.value.code and "usage" in capsys.readouterr().out


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder with the package and nothing else of the project, as `pip install` leaves it."""
    folder = tmp_path_factory.mktemp("site-packages")
    shutil.copytree(ROOT / "lmcourse", folder / "lmcourse", ignore=shutil.ignore_patterns("static", "__py*"))
    return folder


ANYWHERE = {"bench", "exam", "grade", "grade_class"}
"""The commands that need nothing of the project but the package; `install` is not a module of the course."""


@pytest.mark.parametrize("name", sorted({*COMMANDS} - ANYWHERE - {"install"}))
def test_a_command_that_needs_a_clone_says_so_in_one_sentence(name, installed):
    done = _run(name, installed)
    assert done.returncode == 1 and not done.stdout
    assert len(done.stderr.splitlines()) == 1 and f"{installed} does not have: clone" in done.stderr
    assert [path.name for path in installed.iterdir()] == ["lmcourse"]


@pytest.mark.parametrize("name", sorted(ANYWHERE))
def test_a_command_that_needs_no_clone_runs_without_one(name, installed):
    assert _run(name, installed, "--help").returncode == 0


def _run(name, folder, *arguments):
    """Run a command of the package in that folder."""
    command = [sys.executable, "-B", "-m", f"lmcourse.{name}", *arguments]
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    return subprocess.run(command, cwd=folder.parent, env=environment, capture_output=True, text=True)
