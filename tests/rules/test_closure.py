"""The key of a page: it changes with each file that the page's cells run or read, and with no other."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lmcourse.files.cells import code_cells
from lmcourse.files.closure import closure, digest
from lmcourse.files.places import ROOT
from lmcourse.site.cache import key_of, marked

PAGES = ["book/02_cross_entropy.md", "book/errors.md"]
SOME_DATA = ["lmmetrics/data/tales/en/06-thirteen-at-noon.txt", "book/references.bib", "book/reproduced.json"]
FRONT = "---\nkernelspec: {display_name: Python 3, language: python, name: python3}\n---\n"

RUN = """
import json, os, sys
from IPython.core.interactiveshell import InteractiveShell
root, cells = sys.argv[1], json.load(sys.stdin)
opened = set()
def note(event, about):
    if event == "open" and isinstance(about[0], (str, os.PathLike)):
        opened.add(about[0])
sys.addaudithook(note)
sys.path.insert(0, root)
shell = InteractiveShell.instance()
for cell in cells:
    result = shell.run_cell(cell)
    result.raise_error()
paths = {os.path.abspath(os.fspath(path)) for path in opened}
paths |= {m.__file__ for m in list(sys.modules.values()) if getattr(m, "__file__", None)}
with open(sys.argv[2], "w") as stream:
    json.dump(sorted(paths), stream)
"""


def sources(page, root=ROOT):
    return [cell.source for cell in code_cells(page, (root / page).read_text(encoding="utf-8"))]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """The files of the project that code may need."""
    root = tmp_path_factory.mktemp("project")
    for folder in ("lmmetrics", "lmcourse", "book"):
        shutil.copytree(ROOT / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__", "static"))
    shutil.copy(ROOT / "requirements.txt", root)
    return root


@pytest.mark.parametrize("page", PAGES)
def test_the_key_changes_with_each_file_below_the_page_and_with_no_other(copy, page):
    text, path = (copy / page).read_text(encoding="utf-8"), copy / page
    first, needed = key_of(text, path, copy), closure(sources(page, copy), copy)
    assert len(needed) > 20
    data = [copy / name for name in SOME_DATA]
    for file in [*sorted(copy.rglob("*.py")), *data]:
        before = file.read_bytes()
        if file.suffix == ".py":
            file.write_bytes(before + b"\nADDED = 1\n")
        else:
            file.write_bytes(before + b"added")
        assert (key_of(text, path, copy) != first) == (file in needed), file
        file.write_bytes(before)
    assert key_of(text, path, copy) == first


def test_a_comment_changes_no_key_and_a_doc_string_does(copy):
    module = copy / "lmmetrics" / "score.py"
    before, page = module.read_text(encoding="utf-8"), copy / PAGES[0]
    first = key_of(page.read_text(encoding="utf-8"), page, copy)
    for changed, same in ((before + "\n# a comment\n", True), (before.replace('"""', '"""More. ', 1), False)):
        module.write_text(changed, encoding="utf-8")
        assert (key_of(page.read_text(encoding="utf-8"), page, copy) == first) == same
    module.write_text(before, encoding="utf-8")


def test_a_pinned_version_changes_the_key(copy):
    page = copy / PAGES[0]
    first = key_of(page.read_text(encoding="utf-8"), page, copy)
    with (copy / "requirements.txt").open("a") as stream:
        stream.write("more==1\n")
    assert key_of(page.read_text(encoding="utf-8"), page, copy) != first


@pytest.mark.parametrize("page", ["book/02_cross_entropy.md", "book/errors.md", "book/published.md"])
def test_nothing_is_run_or_read_that_the_closure_lacks(page, tmp_path):
    """The page's cells run in a process that notes each file of the project which is opened or imported."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(ROOT), str(tmp_path / "seen.json")],
        input=json.dumps(sources(page)),
        cwd=(ROOT / page).parent,
        capture_output=True,
        encoding="utf-8",
    )
    assert done.returncode == 0, done.stderr[-2000:]
    seen = map(Path, json.loads((tmp_path / "seen.json").read_text(encoding="utf-8")))
    own = {path for path in seen if path.is_relative_to(ROOT) and path.is_file()}
    parts = {path: path.relative_to(ROOT).parts for path in own}
    code = {path for path in own if parts[path][0] in ("lmmetrics", "lmcourse", "book")}
    used = {path for path in code if path.suffix != ".pyc"}
    assert used and used <= closure(sources(page))


def test_each_name_that_code_computes_is_understood(tmp_path):
    """A string, a string that begins it, ``__name__``; any other is an installed package's."""
    package = tmp_path / "lmcourse" / "rooms"
    package.mkdir(parents=True)
    for name in ("__init__", "one", "two"):
        (package / f"{name}.py").write_text(f"NAME = {name!r}\n")
    (tmp_path / "lmcourse" / "__init__.py").touch()
    call = "import importlib\nimportlib.import_module({})"

    def names(argument):
        return {path.stem for path in closure([call.format(argument)], tmp_path)} - {"__init__"}

    assert names("'lmcourse.rooms.one'") == {"one"}
    assert names("f'lmcourse.rooms.{name}'") == {"one", "two"}
    (package / "__init__.py").write_text(call.format("f'{__name__}.{name}'"))
    assert {path.stem for path in closure(["import lmcourse.rooms"], tmp_path)} == {"__init__", "one", "two"}


def test_type_checkers_and_other_packages_do_not_count(tmp_path):
    (tmp_path / "lmmetrics").mkdir()
    (tmp_path / "lmmetrics" / "__init__.py").write_text(
        "from typing import TYPE_CHECKING\nimport numpy\nif TYPE_CHECKING:\n    from lmmetrics import a\n"
    )
    (tmp_path / "lmmetrics" / "a.py").touch()
    assert [path.name for path in closure(["import lmmetrics, json"], tmp_path)] == ["__init__.py"]
    assert len(digest(closure(["%%bash\nls"], tmp_path), tmp_path)) == 12


def test_the_key_stands_in_the_description_of_the_kernel(tmp_path):
    page = FRONT + "# A\n```{code-cell}\nimport lmmetrics\n```\n"
    key = key_of(page, tmp_path / "a.md")
    assert f"kernelspec: {{made_of: {key}, display_name" in marked(page, tmp_path / "a.md")
    assert marked(FRONT + "# A\n", tmp_path / "a.md") == FRONT + "# A\n"
    cell = {"cell_type": "code", "source": ["import lmmetrics"], "metadata": {}, "outputs": []}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    assert json.loads(marked(notebook, tmp_path / "a.ipynb"))["metadata"]["kernelspec"]["made_of"] == key
