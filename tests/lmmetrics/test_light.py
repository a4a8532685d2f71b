"""The library alone: without PyTorch, tokenizers, matplotlib, the coders, Dask and what the course needs."""

import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import lmmetrics

ROOT = Path(__file__).parents[2]

BLOCK = """
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {
            "torch", "tokenizers", "matplotlib", "nbformat", "IPython", "constriction", "pyppmd",
            "transformers", "dask", "distributed", "pyarrow", "pandas", "numba",
        }:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""
WORKS = """
from lmmetrics import __version__, corpora, score_text
from lmmetrics.adapters import CallableLM
from lmmetrics.coding import ExactCoder, compressed_bits, huffman, kt
from lmmetrics.derivation import Derivation
from lmmetrics.information import entropy
from lmmetrics.mixing import Mixture
from lmmetrics.ngram import ModifiedKneserNey, NGramModel
from lmmetrics.sources import MarkovSource
from lmmetrics.text import tokenize
train = tokenize(corpora.load("tales-en").train)
model = NGramModel(3, ModifiedKneserNey()).fit(train)
assert score_text(model, train).perplexity < 100
assert len(model.sentence_log_probs(["the", "cat"])) == 3
assert ExactCoder(kt(2), end=1).decode(ExactCoder(kt(2), end=1).encode([0, 0, 1])) == [0, 0, 1]
assert huffman([0.5, 0.5]) == ["0", "1"] and compressed_bits("zlib", b"a")
import lmcourse.feedback
"""


def run(code):
    return subprocess.run([sys.executable, "-c", BLOCK + code], capture_output=True, encoding="utf-8")


def test_counting_scoring_and_checking_need_only_what_is_always_installed():
    done = run(WORKS)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("code", "package", "extra"),
    [
        ("import lmmetrics.neural", "torch", "neural"),
        ("from lmmetrics.adapters import HuggingFaceLM; HuggingFaceLM(0, 0)", "transformers", "transformers"),
        ("import lmmetrics.figures", "matplotlib", "figures"),
        ("from lmmetrics.text import train_bpe; train_bpe(['a b'], 258)", "tokenizers", "bpe"),
        (
            "from lmmetrics.coding import Adaptive, encode; from lmmetrics.ngram import AddK; "
            "from lmmetrics.text import tokenize; text = tokenize(['a b']); "
            "encode(Adaptive.cold(1, AddK(1), text.vocabulary), text)",
            "constriction",
            "coding",
        ),
        ("from lmmetrics.coding import compressed_bits; compressed_bits('ppmd', b'a')", "pyppmd", "coding"),
        ("from lmmetrics.scale import score_shards as s; s(0, {'a': {'b': 'c'}}, 'd')", "dask", "scale"),
        ("from lmmetrics.scale import read_scores; read_scores('d')", "pyarrow", "scale"),
        ("from lmmetrics.scoring import to_frame; to_frame([])", "pandas", "frames"),
        ("import lmcourse.grade", "nbformat", "course"),
    ],
)
def test_what_is_not_installed_is_named_with_its_extra(code, package, extra):
    done = run(code)
    said = f"needs {package}, which is not installed. Install it with the extra {extra!r}"
    last = done.stderr.splitlines()[-1]
    assert done.returncode and said in last
    assert ("CPU build" in last) == (extra in ("neural", "transformers"))


def test_a_name_that_the_package_lacks_is_named():
    done = run("import lmmetrics\nassert not hasattr(lmmetrics, 'Mixture')\nlmmetrics.CallableLM")
    said = (
        "The module lmmetrics has no attribute 'CallableLM'. Most names are in its modules, such as lmmetrics"
    )
    assert said in done.stderr.splitlines()[-1]


def test_the_package_lists_its_public_names():
    done = run("import lmmetrics; print(*dir(lmmetrics)); import lmmetrics.mixing; print(*dir(lmmetrics))")
    names = {*lmmetrics.__all__, "score", "scoring", "text"}
    first, second = map(str.split, done.stdout.splitlines())
    assert {*first} == names and names | {"mixing"} <= {*second}
    assert not {"Any", "TYPE_CHECKING", "import_module", "sys"} & {*second}


def test_the_library_is_installed_without_the_course(tmp_path):
    """Each is a package of its own; that of the course is built in the same clone."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    for name in ("lmmetrics", "lmcourse"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__", "build"))
    offline = "--quiet", "--no-deps", "--no-build-isolation", "--no-index"
    build = [sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", "wheels", ".", "./lmcourse"]
    subprocess.run(build, cwd=tmp_path, check=True, capture_output=True)
    found = {}
    for wheel in (tmp_path / "wheels").iterdir():
        with zipfile.ZipFile(wheel) as packed:
            names = {name for name in packed.namelist() if ".dist-info/" not in name}
        found[wheel.name.partition("-")[0]] = names
    library, course = found["measuring_language_models"], found["measuring_language_models_course"]
    assert {name.partition("/")[0] for name in library} == {"lmmetrics"}
    assert {name.partition("/")[0] for name in course} == {"lmcourse"}
    for package, names in (("lmmetrics", library), ("lmcourse", course)):
        modules = {path.relative_to(ROOT).as_posix() for path in (ROOT / package).rglob("*.py")}
        assert modules - {name for name in modules if "/build/" in name} <= names
    assert "lmmetrics/py.typed" in library and "lmcourse/static/book.css" in course


def test_each_dependency_states_the_oldest_version_that_works():
    """SciPy's bootstrap takes ``rng`` from 1.15 on: without a bound pip would leave an older one in place."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    pins = dict(line.split("#")[0].strip().split("==") for line in lines if "==" in line)
    for needed in map(Requirement, project["dependencies"]):
        assert [bound.operator for bound in needed.specifier] == [">="], f"{needed}: write a lower bound"
        assert pins[needed.name] in needed.specifier
