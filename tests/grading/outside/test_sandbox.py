"""The sandbox: what an answer sees, what a lost answer costs, and where the sandbox works."""

import subprocess
import sys
import textwrap
import time

import pytest

from lmcourse.files.closure import needed_by
from lmcourse.files.places import ROOT
from lmcourse.grading.errors import GradingError
from lmcourse.grading.inside import isolate
from lmcourse.grading.inside.decoding import decode
from lmcourse.grading.one_notebook import grade_notebook
from lmcourse.grading.outside import visible_paths
from lmcourse.grading.outside.limits import Limits, Lost, out_of_memory
from lmcourse.grading.outside.policy import RUNTIME
from lmcourse.grading.outside.proxies import fetch
from lmcourse.grading.outside.sandbox import Sandbox
from tests.grading.catalogue import LIMITS, SET, Notebook, write_small_set
from tests.grading.systems import refusal

GUIDES = ROOT / "book" / "instructors"

needs_namespaces = pytest.mark.skipif(bool(refusal("namespaces")), reason=refusal("namespaces"))


def test_what_runs_beside_the_answers_needs_only_that():
    """`RUNTIME` is what the worker has of this project; the library lies beside it."""
    needed = needed_by(path.read_text(encoding="utf-8") for path in RUNTIME)
    ours = {path for path in needed if ROOT / "lmcourse" in path.parents and path.name != "__init__.py"}
    assert len(ours) > 8 and ours <= {*RUNTIME}, ours - {*RUNTIME}


@needs_namespaces
def test_answers_see_no_solution_no_other_process_and_no_network(monkeypatch):
    monkeypatch.setenv("SECRET", "not for answers")
    look = f"""
import os, socket, sys
project = {str(ROOT)!r}
seen = [p for p in ("solutions", "lmcourse", "tests", ".git") if os.path.exists(os.path.join(project, p))]
processes = [int(p) for p in os.listdir("/proc") if p.isdigit()]
inside = [name for _, _, names in os.walk("/view/lmcourse") for name in names]
try:
    socket.create_connection(("127.0.0.1", 22), 1)
except OSError as error:
    network = error.errno
facts = [seen, len(processes) < 6, sorted(inside), "SECRET" in os.environ, os.getuid() != 0, os.listdir(".")]
"""
    with Sandbox(LIMITS, ["numpy"], {"table.txt": "1 2"}, protection="namespaces") as sandbox:
        sandbox.open({})
        assert sandbox.run("look", look) == {"done": True}
        with sandbox.probe() as probe:
            seen, few, inside, secret, unprivileged, files = decode(
                probe.ask({"do": "fetch", "name": "facts"})["value"]
            )
    assert seen == [] and few and not secret and unprivileged
    ours = ["__init__.py", "answers.py", "commands.py", "decoding.py", "drawing.py", "fork_server.py"]
    ours += ["isolate.py", "plain_data.py", "pools.py", "procfs.py", "running.py", "settings.py", "shell.py"]
    ours += ["wire.py", "worker_process.py"]
    assert sorted(set(inside)) == ours and files == ["table.txt"]
    assert "full" in sandbox.protection


WALK = """
import os, sys
found = []
for root, folders, files in os.walk("/", onerror=lambda error: None):
    folders[:] = [f for f in folders if os.path.join(root, f) not in ("/proc", "/sys", "/usr/lib")]
    found += [os.path.join(root, name) for name in files if name.startswith("private-")]
import lmmetrics
paths = sys.path
"""


@needs_namespaces
def test_no_folder_of_the_grader_is_seen_through_pythons_path(monkeypatch, public_folder):
    """Started in a class's folder, with it in PYTHONPATH, in a .pth file, and as folder of corpora."""
    (public_folder / "tinyshakespeare").mkdir()
    for place in ("", "solutions", "results", "submissions", "tinyshakespeare", "site"):
        (public_folder / place).mkdir(exist_ok=True)
        (public_folder / place / "private-work.ipynb").write_text("{}")
    (public_folder / "tinyshakespeare" / "input.txt").write_text("First Citizen:")
    monkeypatch.chdir(public_folder)
    for folder in ("", str(public_folder), str(public_folder / "site")):
        monkeypatch.syspath_prepend(folder)
    monkeypatch.setenv("LMMETRICS_DATA", str(public_folder))
    with Sandbox(Limits(), ["numpy"], protection="namespaces") as sandbox:
        sandbox.open({})
        assert sandbox.run("walk", WALK) == {"done": True}
        seen = sandbox.run(
            "look", f"seen = open({str(public_folder / 'tinyshakespeare' / 'input.txt')!r}).read()"
        )
        assert seen == {"done": True}
        with sandbox.probe() as probe:
            found, path = (decode(probe.ask({"do": "fetch", "name": n})["value"]) for n in ("found", "paths"))
    assert found == [] and not any(str(public_folder) in entry for entry in path)


def test_a_submission_among_the_libraries_is_refused(monkeypatch, tmp_path):
    """A prefix may be any folder, also one with submissions in its folder ``lib``."""
    work = tmp_path / "lib" / "class" / "ada.ipynb"
    work.parent.mkdir(parents=True)
    work.write_bytes(Notebook().file())
    solutions = write_small_set(tmp_path / "elsewhere")
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    with pytest.raises(GradingError, match="answers can read"):
        grade_notebook(work, SET, solutions=solutions)
    shown_now = visible_paths.paths([])
    assert str(tmp_path / "lib") in shown_now and str(tmp_path) not in shown_now


def test_what_lies_beside_the_libraries_is_not_shown(monkeypatch, tmp_path):
    """An environment in the home folder, or one that is the project's own folder."""
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "base_prefix", "/usr")
    for private in (
        tmp_path,
        tmp_path / "solutions",
        "/usr",
        "/usr/src/class",
        "/home",
        "/opt",
    ):
        assert visible_paths.visible_folder_of(private) is None
    assert visible_paths.visible_folder_of("/usr/lib/python3") in ("/lib", "/usr/lib")


def test_the_commands_import_nothing_from_the_working_folder(tmp_path):
    """A student's module in a folder of submissions may have the name of a library, or of Python's own."""
    for name in ("argparse.py", "json.py", "numpy.py", "tqdm.py", "nbformat.py"):
        (tmp_path / name).write_text("open('owned', 'w').close()")
    for command in ("lmcourse.grade", "lmcourse.grade_class"):
        done = subprocess.run(
            [sys.executable, "-m", command, "--help"],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=100,
        )
        assert done.returncode == 0 and "usage" in done.stdout, done.stderr
    assert not (tmp_path / "owned").exists()


@pytest.mark.parametrize("how", [["-m", "own"], ["own.py"], ["-c", "import own"]], ids=" ".join)
def test_a_program_that_imports_the_package_keeps_its_path(how, tmp_path):
    (tmp_path / "own.py").write_text(
        "import sys; before = [*sys.path]; import lmcourse; assert sys.path == before; print('kept')"
    )
    done = subprocess.run([sys.executable, *how], cwd=tmp_path, capture_output=True, text=True, timeout=100)
    assert done.stdout == "kept\n", done.stderr


def test_a_lost_cell_leaves_everything_as_it_was():
    with Sandbox(Limits(cell_seconds=5, memory_mb=400)) as sandbox:
        sandbox.open({})
        sandbox.run("a", "x = 1")
        with pytest.raises(Lost, match="exit status 3"):
            sandbox.run("b", "x = 2\nimport os\nos._exit(3)")
        sandbox.run("c", "y = x + 1")
        with sandbox.probe() as probe:
            assert decode(probe.ask({"do": "fetch", "name": "y"})["value"]) == 2
        assert list(sandbox.folder.iterdir())
    assert not sandbox.folder.exists()


def test_a_file_that_is_too_large_names_the_limit():
    source = "import numpy as np\n{}"
    with Sandbox(Limits(file_mb=1), ["numpy"]) as sandbox:
        sandbox.open({})
        for line in ("np.save('a.npy', np.ones(10**6))", "open('b', 'w').write('x' * 10**7)"):
            told = sandbox.run("save", source.format(line))["error"]
            assert told["type"] == "OSError" and told["text"].endswith(" (the limit is 1 MB a file)")


def test_the_guides_name_the_limits():
    limits, guide = Limits(), (GUIDES / "grading.md").read_text(encoding="utf-8")
    assert f"{limits.call_seconds} seconds for a call" in guide
    assert (limits.cell_seconds, limits.total_seconds) == (120, 900)
    assert "two minutes for a cell, a quarter of an hour for the notebook" in guide
    assert "its cell is stopped after two minutes" in (GUIDES / "nbgrader.md").read_text(encoding="utf-8")
    assert f"{limits.processor_seconds} seconds of\n  processor time for one process" in guide
    assert f"{limits.memory_mb // 1024} GB for one process" in guide
    assert f"{limits.all_memory_mb // 1024} GB for all processes together" in guide
    folder = f"{limits.scratch_mb} MB and {limits.scratch_files} files in the working folder"
    assert f"{limits.file_mb} MB for a file, {folder}" in guide
    assert f"{limits.open_files} open files, {limits.processes} processes and threads" in guide


@needs_namespaces
def test_a_worker_has_the_limits_that_the_grader_asks_for():
    source = """
        import os, resource
        def most(what):
            return resource.getrlimit(getattr(resource, f"RLIMIT_{what}"))[0]
        folders = [os.statvfs(path) for path in (".", "/tmp", "/dev/shm")]
        found = [[folder.f_blocks * folder.f_frsize >> 20, folder.f_files] for folder in folders]
        found += [most("NOFILE"), most("CPU"), most("FSIZE") >> 20]
    """
    limits = Limits(scratch_mb=2, scratch_files=70, open_files=40, cell_seconds=7, file_mb=3)
    with Sandbox(limits, protection="namespaces") as sandbox:
        sandbox.open({})
        sandbox.run("limits", textwrap.dedent(source))
        with sandbox.probe() as probe:
            found = decode(probe.ask({"do": "fetch", "name": "found"})["value"])
    assert found == [[2, 70]] * 3 + [40, limits.processor_seconds, 3] and limits.processor_seconds == 74


def test_too_much_memory_is_answered_with_what_to_look_for():
    with Sandbox(Limits(memory_mb=300), ["numpy"]) as sandbox:
        sandbox.open({})
        sandbox.run("call", "import numpy as np\ndef pairs(n):\n    return np.ones((n, 1)) + np.ones(n)")
        advice = r"needed more than 300 MB of memory\. Print the shapes of your arrays"
        with pytest.raises(Lost, match=advice):
            sandbox.run("cell", "pairs(10**5)")
        with sandbox.probe() as probe, pytest.raises(Lost, match=advice):
            fetch(probe, "pairs")(10**5)
    together = str(out_of_memory(Limits(memory_mb=300), all_processes=True))
    assert "more than 600 MB of memory together. Start fewer" in together


def test_the_time_of_a_whole_submission_is_bounded():
    with Sandbox(Limits(total_seconds=2, cell_seconds=60)) as sandbox:
        sandbox.open({})
        for _ in range(3):
            with pytest.raises(Lost, match="the whole notebook takes more than 2 seconds"):
                sandbox.run("loop", "while True: pass")
        assert time.monotonic() < sandbox.patience.end + 10


def test_a_machine_whose_system_calls_we_do_not_know_gets_no_full_protection(monkeypatch):
    monkeypatch.setattr(isolate, "ARCHITECTURES", {})
    with pytest.raises(OSError, match="cannot be filtered"):
        isolate._refuse_calls()


def test_weaker_protection_says_so():
    with Sandbox(LIMITS, protection="limits") as sandbox:
        try:
            sandbox.open({})
        except GradingError as error:  # root, and Python lies where no other user can read
            assert "could not start" in str(error)
            pytest.skip(str(error))
        assert "weaker" in sandbox.protection
        with pytest.raises(Lost, match="ran for more than"):
            sandbox.run("loop", "while True: pass")
