"""What code needs: every module and data file that it runs or reads, and the names that it computes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from lmcourse.files.cells import code_cells
from lmcourse.files.closure import digest, needed_by
from lmcourse.files.places import ROOT

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


def cells(page):
    return [cell.source for cell in code_cells(page, (ROOT / page).read_text(encoding="utf-8"))]


@pytest.mark.parametrize("page", ["book/02_cross_entropy.md", "book/errors.md", "book/published.md"])
def test_nothing_is_run_or_read_that_the_closure_lacks(page, tmp_path):
    """The page's cells run in a process that notes each file of the project which is opened or imported."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(ROOT), str(tmp_path / "seen.json")],
        input=json.dumps(cells(page)),
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
    assert used and used <= needed_by(cells(page))


CALLS = [
    "import importlib\nimportlib.import_module({})",
    "from importlib import import_module\nimport_module({})",
    "__import__({})",
]


@pytest.mark.parametrize("call", CALLS)
def test_each_name_that_code_computes_is_understood(tmp_path, call):
    """A string, a string that begins it, ``__name__``; any other is an installed package's."""
    package = tmp_path / "lmcourse" / "parts"
    package.mkdir(parents=True)
    for name in ("__init__", "one", "two"):
        (package / f"{name}.py").write_text(f"NAME = {name!r}\n")
    (tmp_path / "lmcourse" / "__init__.py").touch()

    def names(argument):
        return {path.stem for path in needed_by([call.format(argument)], tmp_path)} - {"__init__"}

    assert names("'lmcourse.parts.one'") == {"one"}
    assert names("f'lmcourse.parts.{name}'") == {"one", "two"}
    (package / "__init__.py").write_text(call.format("f'{__name__}.{name}'"))
    found = needed_by(["import lmcourse.parts"], tmp_path)
    assert {path.stem for path in found} == {"__init__", "one", "two"}


def test_an_import_of_an_unknown_name_is_an_installed_packages():
    assert needed_by(["import importlib\nimportlib.import_module(**options)\n__import__()"]) == set()


def test_a_relative_import_is_refused():
    with pytest.raises(ValueError, match=r"from \.score import Score: a relative import"):
        needed_by(["from .score import Score"])


def test_what_runs_when_no_checker_looks_counts_and_names_by_keyword_too(tmp_path):
    (tmp_path / "lmmetrics").mkdir()
    for name in "abc":
        (tmp_path / "lmmetrics" / f"{name}.py").touch()
    (tmp_path / "lmmetrics" / "__init__.py").write_text(
        "import importlib\nif not TYPE_CHECKING:\n    from lmmetrics import a\n"
        "importlib.import_module(name='lmmetrics.b')\n"
    )
    found = {path.stem for path in needed_by(["import lmmetrics"], tmp_path)}
    assert found == {"__init__", "a", "b"}


@pytest.mark.parametrize("name", ["TYPE_CHECKING", "typing.TYPE_CHECKING"])
def test_type_checkers_and_other_packages_do_not_count(tmp_path, name):
    (tmp_path / "lmmetrics").mkdir()
    (tmp_path / "lmmetrics" / "__init__.py").write_text(
        f"import typing\nimport numpy\nif {name}:\n    from lmmetrics import a\n"
    )
    (tmp_path / "lmmetrics" / "a.py").touch()
    assert [path.name for path in needed_by(["import lmmetrics, json"], tmp_path)] == ["__init__.py"]
    assert len(digest(needed_by(["%%bash\nls"], tmp_path), tmp_path)) == 12
