"""The small clean project of the tests of the rules."""

import pytest

from lmcourse.files.notebooks import to_text
from lmcourse.sets.release import release
from tests.rules.small_project import CHAPTER, EXERCISE, LAB, PAGE, PLACES, PLAN, SOLUTION, lab, solved_set


@pytest.fixture(scope="session")
def clean_files(tmp_path_factory):
    """The files of a project that keeps every rule, as a dictionary of texts."""
    root = tmp_path_factory.mktemp("clean")
    texts = {
        "_toc.yml": 'root: book/index\nparts:\n  - caption: "Part I: A part"\n    chapters:\n'
        + "".join(f"      - file: {path.rpartition('.')[0]}\n" for path in (PAGE, PLAN, LAB, EXERCISE)),
        "CHANGELOG.md": "# Changelog\n\n## 0.2.0 (unreleased)\n\n## 0.1.0\n",
        "CONTRIBUTING.md": PLACES,
        "pyproject.toml": '[project]\nrequires-python = ">=3.12"\n[tool.ruff]\ntarget-version = "py312"\n',
        "_config.yml": "execute:\n  raise_on_error: true\n",
        "requirements.txt": "# pinned\nnumpy==2.4.6\ntorch[cpu]==2.13.0  # why\nmyst-nb==1.4.0\n",
        "requirements-dev.txt": "-r requirements.txt\npytest==9.2.0\n",
        "book/index.md": "# A book\n\n![A page of the book](page.svg)\n",
        PAGE: CHAPTER,
        PLAN: "# Lesson plan\n\nIts notes add up to forty minutes.\n",
        LAB: to_text(lab()),
        SOLUTION: to_text(solved_set()),
        "lmmetrics/__init__.py": "from lmmetrics._version import __version__\nfrom .score import Score\n",
        "lmmetrics/_version.py": '__version__ = "0.2.0"\n',
        "lmmetrics/_parts.py": "import math\n",
        "lmmetrics/score.py": "from lmmetrics._parts import math\n\nclass Score: ...\n",
        "lmmetrics/model.py": "from .score import Score\nimport numpy\nrng = numpy.random.default_rng(3)\n",
        "lmcourse/__init__.py": "",
        "lmcourse/site/building.py": 'from lmmetrics import model\ncommand = ["-W"]\n',
        "lmcourse/static/book.css": "a::after { background: url(icon.svg) }\n",
        "lmcourse/templates/a.j2": '<a href="https://example.org">a</a><script src="reveal.js"></script>\n',
    }
    for path, text in texts.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    release(root)
    return {**texts, EXERCISE: (root / EXERCISE).read_text()}


@pytest.fixture
def project(clean_files, tmp_path):
    for path, text in clean_files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path
