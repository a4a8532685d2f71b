"""The book's build on a book of two pages: what is executed again, what fails, and what it says then."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from course import book, install
from course.sphinx_book import execution_key

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
  extra_extensions: [course.sphinx_book]
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
FIRST = """
# First

```{code-cell} python
exec(open("lmmetrics/units.py").read())
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
        "lmmetrics/units.py": "def bits(nats):\n    return nats * 100\n",
        "index.md": "# Two pages\n",
        "05_a.md": FRONT + FIRST,
        "b.md": "# Second\n\nGlued: {glue:text}`05_a.md::b:d`.\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf8")
    return tmp_path


def build(folder):
    """Build the small book with the flags of the real one."""
    command = [str(book.BUILDER), "build", str(folder), "-W", "-n", "--keep-going"]
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "GITHUB_REPOSITORY": "someone/fork"}
    result = subprocess.run(command, capture_output=True, text=True, env=environment)
    return result.returncode, result.stdout + result.stderr


def page(folder, name):
    """The HTML of a built page."""
    return (folder / "_build" / "html" / f"{name}.html").read_text(encoding="utf8")


@pytest.mark.slow
def test_an_edit_of_the_library_reaches_every_number(small_book):
    """Edit a function, build again: the page's number and the number glued on another page are new."""
    status, log = build(small_book)
    assert status == 0, log
    assert "bits: 200" in page(small_book, "05_a") and ">300<" in page(small_book, "b")
    assert '<span class="section-number">5. </span>First' in page(small_book, "05_a")
    assert '<span class="section-number">5.1. </span>A section' in page(small_book, "05_a")
    assert "THEBE_JS_URL" not in page(small_book, "05_a")

    (small_book / "lmmetrics" / "units.py").write_text(
        "def bits(nats):\n    return nats * 7\n", encoding="utf8"
    )
    status, log = build(small_book)
    assert status == 0, log
    assert "bits: 14" in page(small_book, "05_a") and ">21<" in page(small_book, "b")

    text = (small_book / "05_a.md").read_text(encoding="utf8")
    (small_book / "05_a.md").write_text(text.replace("bits(3)", "bits(5)"), encoding="utf8")
    status, log = build(small_book)
    assert status == 0, log
    assert ">35<" in page(small_book, "b"), "the glued number is the old one"


@pytest.mark.slow
def test_a_failing_cell_fails_the_build_and_says_where(small_book):
    """The status is not 0, and the last words name the page and the error."""
    text = (small_book / "05_a.md").read_text(encoding="utf8")
    (small_book / "05_a.md").write_text(text.replace("bits(2)", "bits(2, 3)"), encoding="utf8")
    status, log = build(small_book)
    said = book.why_it_failed(log)
    assert status != 0
    assert (
        "05_a.md" in said and "TypeError: bits() takes 1 positional argument" in said and "make lab" in said
    )


def test_a_notebook_cut_short_is_named(tmp_path):
    """Half a notebook is found before anything runs, with the file's name and the cure."""
    whole = (Path(__file__).parent.parent / "notebooks" / "02_cross_entropy.ipynb").read_text(encoding="utf8")
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "whole.ipynb").write_text(whole, encoding="utf8")
    assert list(book.broken_notebooks(tmp_path)) == []
    (tmp_path / "notebooks" / "half.ipynb").write_text(whole[:5000], encoding="utf8")
    [fault] = book.broken_notebooks(tmp_path)
    assert fault.startswith("notebooks/half.ipynb: not JSON") and "Restore the last good version" in fault


def test_key_depends_on_library_and_pins(small_book):
    """The execution key changes with the library and with a pinned version, and with nothing else."""
    first = execution_key(small_book)
    (small_book / "b.md").write_text("# Changed\n", encoding="utf8")
    assert execution_key(small_book) == first
    (small_book / "requirements.txt").write_text("numpy==2.4.5\n", encoding="utf8")
    second = execution_key(small_book)
    (small_book / "lmmetrics" / "units.py").write_text("", encoding="utf8")
    assert len({first, second, execution_key(small_book)}) == 3


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


def test_make_with_an_old_python_says_so_in_one_line(tmp_path):
    """A Python that is too old gets one sentence with its version and what to do."""
    old = tmp_path / "oldpython"
    old.write_text('#!/bin/sh\nif [ "$1" = --version ]; then echo "Python 3.8.1"; exit 0; fi\nexit 1\n')
    old.chmod(0o755)
    root = Path(__file__).parent.parent
    result = subprocess.run(["make", f"PYTHON={old}", "python"], cwd=root, capture_output=True, text=True)
    said = [line for line in result.stderr.splitlines() if not line.startswith("make")]
    assert result.returncode != 0
    assert len(said) == 1 and "needs Python 3.11 or newer" in said[0] and "Python 3.8.1" in said[0]


def test_make_alone_lists_the_targets():
    """`make` prints a line for each target that people use."""
    root = Path(__file__).parent.parent
    said = subprocess.run(["make"], cwd=root, capture_output=True, text=True, check=True).stdout
    for target in ("book", "test", "exercises", "slides", "lab", "clean"):
        assert f"make {target} " in said
    assert sys.version_info >= (3, 11)
