"""The book's build on a book of two pages: what is executed again, what fails, and what it says then.

Accidents too: a build that is killed or runs out of room, a folder that is moved, another Python's modules.
"""

import errno
import os
import shutil
import signal
import subprocess
import sys
from collections import namedtuple

import pytest
from nbformat.v4 import new_markdown_cell, new_notebook

from lmcourse import install
from lmcourse.files.notebooks import to_text
from lmcourse.files.places import ROOT
from lmcourse.site import building, decks

FRONT = """---
jupytext:
  text_representation: {extension: .md, format_name: myst}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
"""
CONFIG = """
title: Two pages
only_build_toc_files: true
execute: {execute_notebooks: cache, raise_on_error: true}
html: {use_multitoc_numbering: false}
repository: {url: https://github.com/a/b, branch: main}
sphinx:
  extra_extensions: [lmcourse.site.extensions.cache, lmcourse.site.extensions.chapters, accident]
  config: {nb_ipywidgets_js: {}}
"""
TOC = """
format: jb-book
root: index
parts:
- numbered: true
  chapters:
  - file: 05_a
  - file: b
"""
ACCIDENT = """
import os, signal

def setup(app):
    if os.environ.get("KILLED") == "while writing":
        app.connect("html-page-context", lambda *page: os.killpg(0, signal.SIGKILL))
"""
BUILD = """
import sys
from pathlib import Path
from lmcourse.site import building
sys.exit(building.build(Path(sys.argv[1])))
"""
FIRST = """
# First

```{code-cell} python
import sys
sys.path.insert(0, ".")
from lmmetrics.units import bits
from myst_nb import glue
print("bits:", bits(2))
glue("b", bits(3), display=False)
```

## A section

Text.
"""


@pytest.fixture
def small_book(tmp_path):
    """A book whose first page computes with its library and whose second glues that number."""
    files = {
        "_config.yml": CONFIG,
        "_toc.yml": TOC,
        "requirements.txt": "numpy==2.4.6\n",
        "accident.py": ACCIDENT,
        "lmmetrics/__init__.py": "",
        "lmmetrics/units.py": "def bits(nats):\n    return nats * 100\n",
        "index.md": "# Two pages\n",
        "05_a.md": FRONT + FIRST,
        "b.md": "# Second\n\nGlued: {glue:text}`05_a.md::b:d`.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf8")
    return tmp_path


@pytest.fixture
def build(small_book, capsys, monkeypatch):
    """A function that builds the small book and returns the exit status and what it says."""
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/fork")

    def run():
        status = building.build(small_book)
        return status, "".join(capsys.readouterr())

    return run


def build_until_killed(folder, when):
    """Build in a process group that is killed; return the exit status."""
    environment = {**os.environ, "KILLED": when}
    command = [sys.executable, "-c", BUILD, str(folder)]
    return subprocess.run(command, capture_output=True, env=environment, start_new_session=True).returncode


def page(folder, name):
    """The HTML of a built page."""
    return (folder / "_build" / "html" / f"{name}.html").read_text(encoding="utf8")


@pytest.mark.slow
def test_an_edit_of_the_library_reaches_every_number(small_book, build):
    """Edit a function, build again: the page's number and the number glued on another page are new."""
    status, log = build()
    assert status == 0, log
    assert "bits: 200" in page(small_book, "05_a") and ">300<" in page(small_book, "b")
    assert '<span class="section-number">5. </span>First' in page(small_book, "05_a")
    assert '<span class="section-number">5.1. </span>A section' in page(small_book, "05_a")
    assert "THEBE_JS_URL" not in page(small_book, "05_a")

    (small_book / "lmmetrics" / "units.py").write_text(
        "def bits(nats):\n    return nats * 7\n", encoding="utf8"
    )
    status, log = build()
    assert status == 0, log
    assert "bits: 14" in page(small_book, "05_a") and ">21<" in page(small_book, "b")

    text = (small_book / "05_a.md").read_text(encoding="utf8")
    (small_book / "05_a.md").write_text(text.replace("bits(3)", "bits(5)"), encoding="utf8")
    status, log = build()
    assert status == 0, log
    assert ">35<" in page(small_book, "b"), "the glued number is the old one"


@pytest.mark.slow
def test_a_failing_cell_fails_the_build_and_says_where(small_book, build):
    """The status is not 0, and the last words name the page and the error."""
    text = (small_book / "05_a.md").read_text(encoding="utf8")
    (small_book / "05_a.md").write_text(text.replace("bits(2)", "bits(2, 3)"), encoding="utf8")
    status, said = build()
    assert status != 0
    assert (
        "05_a.md" in said and "TypeError: bits() takes 1 positional argument" in said and "make lab" in said
    )


@pytest.mark.slow
def test_a_build_that_failed_goes_on_failing_until_its_cause_is_gone(small_book, build):
    """A second run says the same; with the page corrected the build is good, and the next does nothing."""
    good = (small_book / "b.md").read_text(encoding="utf8")
    (small_book / "b.md").write_text(f"{good}\n{{ref}}`nowhere`\n", encoding="utf8")
    said = [build() for _ in range(2)]
    assert all(status and "b.md" in log and "nowhere" in log for status, log in said), said
    (small_book / "b.md").write_text(good, encoding="utf8")
    status, log = build()
    assert status == 0 and "nowhere" not in page(small_book, "b"), log
    assert not (small_book / "_build" / "unfinished").exists()
    assert "0 added, 0 changed" in build()[1]


@pytest.mark.slow
def test_a_build_that_was_killed_is_not_taken_for_finished(small_book, build):
    """Killed while it writes pages, with an execution half stored: the next build repairs everything."""
    assert build()[0] == 0
    (small_book / "lmmetrics" / "units.py").write_text("def bits(nats):\n    return nats * 7\n")
    assert build_until_killed(small_book, "while writing") == -signal.SIGKILL
    assert "bits: 200" in page(small_book, "05_a"), "it was killed before the first page was written"
    kept = (small_book / "_build" / ".jupyter_cache").rglob("base.ipynb")  # of both versions of the library
    stored = max(kept, key=lambda path: path.stat().st_mtime)
    stored.write_text(stored.read_text(encoding="utf8")[:40], encoding="utf8")
    (stored.parents[1] / "begun").mkdir()
    status, log = build()
    assert status == 0, log
    assert "bits: 14" in page(small_book, "05_a") and ">21<" in page(small_book, "b")
    assert len(list(stored.parents[1].iterdir())) == 2


def test_pictures_that_no_page_shows_any_more_are_removed(tmp_path):
    (tmp_path / "_images").mkdir()
    for name in ("old.svg", "shown.svg", "on_a_slide.svg"):
        (tmp_path / "_images" / name).touch()
    (tmp_path / "slides").mkdir()
    (tmp_path / "page.html").write_text('<img src="_images/shown.svg">', encoding="utf-8")
    (tmp_path / "slides" / "deck.html").write_text('<img src="../_images/on_a_slide.svg">', encoding="utf-8")
    building.drop_old_pictures(tmp_path)
    assert sorted(os.listdir(tmp_path / "_images")) == ["on_a_slide.svg", "shown.svg"]


def test_a_full_disk_and_a_folder_of_somebody_else_are_named(tmp_path, monkeypatch):
    """Before anything runs: what is in the way, and what to do."""
    assert list(building.obstacles(tmp_path / "_build")) == []
    Usage = namedtuple("Usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: Usage(10**9, 10**9, 3_000_000))
    [said] = building.obstacles(tmp_path / "_build")
    assert "is full: 3 MB are free" in said and "Make room" in said
    for error, words in (
        (errno.ENOSPC, "is full"),
        (errno.EROFS, "Clone the project into a folder of your own"),
    ):
        monkeypatch.setattr(
            building.tempfile,
            "NamedTemporaryFile",
            lambda error=error, **more: (_ for _ in ()).throw(OSError(error, "no")),
        )
        assert words in next(building.obstacles(tmp_path / "_build"))


def test_a_merge_that_is_not_finished_is_named(tmp_path):
    """A page with both versions in it stops the build, with the line."""
    (tmp_path / "book").mkdir()
    (tmp_path / "book" / "a.md").write_text("# A\n\n<<<<<<" + "< HEAD\nb\n", encoding="utf8")
    [said] = building.halves_of_merges(tmp_path)
    assert said.startswith("book/a.md, line 3: a merge has left both versions here")


def test_a_deck_that_cannot_be_written_leaves_the_old_one_whole(tmp_path, monkeypatch):
    """The disk is full in the middle of a deck: the old deck stays, and no piece of the new one."""
    lab, out = tmp_path / "notebooks" / "02_a.ipynb", tmp_path / "slides"
    lab.parent.mkdir()
    out.mkdir()
    for words in ("Old", "New"):
        lab.write_text(to_text(new_notebook(cells=[new_markdown_cell(f"# {words}")])), encoding="utf8")
        if words == "Old":
            deck = decks.build(lab, out)
            before = deck.read_bytes()
            continue
        monkeypatch.setattr(
            os, "replace", lambda *paths: (_ for _ in ()).throw(OSError(errno.ENOSPC, "full"))
        )
        with pytest.raises(OSError, match="full"):
            decks.build(lab, out, again=True)
    assert deck.read_bytes() == before and b"Old" in before
    assert list(out.iterdir()) == [deck]


def test_a_notebook_cut_short_is_named(tmp_path):
    """Half a notebook is found before anything runs, with the file's name and the cure."""
    whole = (ROOT / "notebooks" / "02_cross_entropy.ipynb").read_text(encoding="utf8")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "whole.ipynb").write_text(whole, encoding="utf8")
    assert list(building.broken_notebooks(tmp_path)) == []
    (tmp_path / "notebooks" / "half.ipynb").write_text(whole[:5000], encoding="utf8")
    [fault] = building.broken_notebooks(tmp_path)
    assert fault.startswith("notebooks/half.ipynb: not JSON") and "Restore the last good version" in fault


def test_installer_uses_the_wheels_folder_alone(tmp_path, monkeypatch):
    """With a folder of wheels no index is asked; without one, the extra index is the reader's choice."""
    monkeypatch.setattr(install, "ROOT", tmp_path)
    monkeypatch.delenv("TORCH_INDEX", raising=False)
    assert install.places() == []
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cpu")
    assert install.places() == ["--extra-index-url", "https://example.org/cpu"]
    (tmp_path / "wheels").mkdir()
    (tmp_path / "wheels" / "a.whl").touch()
    assert install.places() == ["--no-index", "--find-links", str(tmp_path / "wheels")]


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """A folder with a .venv that was made elsewhere, in ``/old/place``."""
    scripts = tmp_path / ".venv" / "bin"
    scripts.mkdir(parents=True)
    (scripts / "python").symlink_to(sys.executable)
    (scripts / "tool").write_text("#!/old/place/.venv/bin/python\nprint()\n")
    (scripts / "activate").write_text("VIRTUAL_ENV=/old/place/.venv\n")
    (tmp_path / ".venv" / "place.txt").write_text("/old/place\n")
    for name, value in {
        "ROOT": tmp_path,
        "VENV": tmp_path / ".venv",
        "PLACE": tmp_path / ".venv/place.txt",
    }.items():
        monkeypatch.setattr(install, name, value)
    monkeypatch.setattr(install, "works", lambda python: True)
    return tmp_path


def test_an_environment_follows_a_folder_that_was_moved(environment):
    """Its scripts start its own Python; what pip had only begun to install is gone."""
    packages = environment / ".venv" / "lib" / "python3.11" / "site-packages"
    for name in ("whole", "begun"):
        (packages / f"{name}-1.dist-info").mkdir(parents=True)
    (packages / "whole-1.dist-info" / "RECORD").touch()
    assert install.moved_from() == "/old/place"
    assert install.environment() == ""
    script = (environment / ".venv" / "bin" / "tool").read_text()
    assert script.startswith(f"#!{environment}/.venv/bin/python\n")
    assert (environment / ".venv" / "bin" / "activate").read_text() == f"VIRTUAL_ENV={environment}/.venv\n"
    assert [path.name for path in packages.iterdir()] == ["whole-1.dist-info"]
    install.PLACE.write_text(f"{environment}\n", encoding="utf8")
    assert install.moved_from() == ""


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (PermissionError(errno.EACCES, "denied"), "Clone the project into a folder of your own"),
        (OSError(errno.EROFS, "read-only"), "Clone the project into a folder of your own"),
        (OSError(errno.ENOSPC, "no space"), "The disk with"),
        (subprocess.CalledProcessError(1, "ensurepip"), "apt install python3-venv"),
    ],
)
def test_an_environment_that_cannot_be_made_says_why(environment, monkeypatch, error, words):
    """Each cause has advice of its own."""
    monkeypatch.setattr(install, "works", lambda python: False)
    monkeypatch.setattr(install.venv, "create", lambda *args, **more: (_ for _ in ()).throw(error))
    assert words in install.environment()


def test_wheels_come_from_the_index_that_was_named(environment, monkeypatch):
    """`make TORCH_INDEX=... wheels` passes the address on."""
    commands = []
    monkeypatch.setattr(install, "run", lambda command: commands.append(command) or 0)
    monkeypatch.setenv("TORCH_INDEX", "https://example.org/cpu")
    assert install.main(["wheels"]) == 0
    assert "--extra-index-url https://example.org/cpu" in " ".join(commands[0])


@pytest.mark.parametrize(("place", "left"), [("elsewhere", []), ("here", ["book.stamp"])])
def test_make_installs_again_where_the_folder_was_moved(tmp_path, place, left):
    """A stamp of another place does not count."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / ".venv").mkdir()
    (tmp_path / ".venv" / "place.txt").write_text(f"{tmp_path if place == 'here' else '/old/place'}\n")
    (tmp_path / ".venv" / "book.stamp").touch()
    subprocess.run(["make", "help"], cwd=tmp_path, check=True, capture_output=True)
    assert [path.name for path in (tmp_path / ".venv").glob("*.stamp")] == left


@pytest.mark.parametrize(
    ("affected", "status", "tested"),
    [
        ("echo tests/a.py", 0, True),
        ("true", 0, False),
        ("exit 3", 2, False),
        ("echo tests/a.py; exit 3", 2, False),
    ],
)
def test_make_check_fails_if_the_tests_cannot_be_chosen(tmp_path, affected, status, tested):
    """A program in place of Python says which tests there are, or fails; nothing affected is a success."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        f'#!/bin/sh\ncase "$*" in *lmcourse.affected) {affected};; *pytest*) echo "tested: $*";; esac\n'
    )
    python.chmod(0o755)
    (tmp_path / "lmcourse").mkdir()
    for name in ("requirements.txt", "requirements-dev.txt", "pyproject.toml", "lmcourse/pyproject.toml"):
        (tmp_path / name).touch()
    for name in ("book.stamp", "test.stamp"):
        (tmp_path / ".venv" / name).touch()
    done = subprocess.run(["make", "check"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert ("tests/a.py" in done.stdout) == tested


def test_a_checkout_on_windows_has_the_line_ends_of_linux(tmp_path):
    """Also where git is told to write CRLF: the scripts run, and student sets are the same bytes."""
    if not (ROOT / ".git").exists():
        pytest.skip("this copy of the project has no history to check out from")
    options = ("-c", "core.autocrlf=true", "-c", "core.eol=crlf")
    subprocess.run(
        ["git", *options, "clone", "-q", "--depth=1", f"file://{ROOT}", tmp_path / "a"],
        check=True,
    )
    texts = [
        path
        for pattern in ("Makefile", ".ci/run", "**/*.py", "**/*.md")
        for path in (tmp_path / "a").glob(pattern)
    ]
    assert len(texts) > 100
    assert [path.name for path in texts if b"\r" in path.read_bytes()] == []


def test_modules_on_pythonpath_are_not_taken_for_pythons_own(tmp_path):
    """A broken random.py there does not make a good Python look too old."""
    for name in ("random", "lmcourse", "sys", "encodings"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit('taken from PYTHONPATH')\n")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(["make", "python"], cwd=ROOT, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")


def test_make_with_an_old_python_says_so_in_one_line(tmp_path):
    """A Python that is too old gets one sentence with its version and what to do."""
    old = tmp_path / "oldpython"
    old.write_text('#!/bin/sh\nif [ "$1" = --version ]; then echo "Python 3.8.1"; exit 0; fi\nexit 1\n')
    old.chmod(0o755)
    result = subprocess.run(["make", f"PYTHON={old}", "python"], cwd=ROOT, capture_output=True, text=True)
    said = [line for line in result.stderr.splitlines() if not line.startswith("make")]
    assert result.returncode != 0
    assert len(said) == 1 and "needs Python 3.11 or newer" in said[0] and "Python 3.8.1" in said[0]


def test_make_alone_lists_the_targets():
    """`make` prints a line for each target that people use."""
    said = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for target in ("book", "test", "exercises", "slides", "lab", "clean"):
        assert f"make {target} " in said
    assert sys.version_info >= (3, 11)
