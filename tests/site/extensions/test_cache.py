"""The key of a page: it changes with each file that the page's cells run or read, and with no other."""

import json
import os
import re
import shutil

import pytest

from lmcourse.files.cells import code_cells
from lmcourse.files.closure import needed_by
from lmcourse.files.places import ROOT
from lmcourse.site.extensions.cache import key_of, marked

PAGES = ["book/02_cross_entropy.md", "book/errors.md"]
SOME_DATA = ["lmmetrics/data/tales/en/06-thirteen-at-noon.txt", "book/references.bib", "book/reproduced.json"]
FRONT = "---\nkernelspec: {display_name: Python 3, language: python, name: python3}\n---\n"


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


def test_the_key_of_a_page_changes_with_each_file_below_the_page_and_with_no_other(copy):
    texts = {copy / page: (copy / page).read_text(encoding="utf-8") for page in PAGES}
    needed = {copy / page: needed_by(sources(page, copy), copy) for page in PAGES}
    assert min(map(len, needed.values())) > 20

    def keys():
        return {path: key_of(text, path, copy) for path, text in texts.items()}

    first = keys()
    data = [copy / name for name in SOME_DATA]
    for file in [*sorted(copy.rglob("*.py")), *data]:
        before, made = file.read_bytes(), file.stat().st_mtime_ns
        file.write_bytes(before + (b"\nADDED = 1\n" if file.suffix == ".py" else b"added"))
        changed = {path for path, key in keys().items() if key != first[path]}
        assert changed == {path for path, files in needed.items() if file in files}, file
        file.write_bytes(before)
        os.utime(file, ns=(made, made))
    assert keys() == first


def test_every_extension_is_loaded():
    folder = ROOT / "lmcourse" / "site" / "extensions"
    loaded = re.findall(
        r"- lmcourse\.site\.extensions\.(\w+)", (ROOT / "_config.yml").read_text(encoding="utf-8")
    )
    assert sorted(loaded) == sorted(path.stem for path in folder.glob("[!_]*.py"))


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


def test_the_key_stands_in_the_description_of_the_kernel(tmp_path):
    page = FRONT + "# A\n```{code-cell}\nimport lmmetrics\n```\n"
    key = key_of(page, tmp_path / "a.md")
    assert f"kernelspec: {{made_of: {key}, display_name" in marked(page, tmp_path / "a.md")
    assert marked(FRONT + "# A\n", tmp_path / "a.md") == FRONT + "# A\n"
    cell = {"cell_type": "code", "source": ["import lmmetrics"], "metadata": {}, "outputs": []}
    notebook = json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    assert json.loads(marked(notebook, tmp_path / "a.ipynb"))["metadata"]["kernelspec"]["made_of"] == key
