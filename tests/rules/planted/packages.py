"""Faults for lmcourse/rules/packages.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import PAGE, add_code, replace, write

PLANTED = [
    (
        "one_version",
        write("CITATION.cff", 'version: "0.1.0"\n'),
        "CITATION.cff: names 0.1.0, and lmmetrics/_version.py 0.2.0",
    ),
    ("one_version", replace("CHANGELOG.md", "## 0.2.0", "## 0.3.0"), "CHANGELOG.md: names 0.3.0"),
    (
        "one_oldest_python",
        write("README.md", "You need\nPython 3.11 or newer.\n"),
        "README.md, line 2: names Python 3.11, and requires-python is 3.12",
    ),
    (
        "one_oldest_python",
        write("lmcourse/install.py", '"""Needs a C compiler.\n\nSo use Python 3.11 to 3.13."""\n'),
        "install.py, line 3: names Python 3.11",
    ),
    ("one_oldest_python", write("Makefile", "sys.version_info < (3, 13)\n"), "names Python 3.13"),
    ("one_oldest_python", replace("pyproject.toml", "py312", "py310"), "line 4: names Python 310"),
    (
        "imports_are_installed",
        write("lmcourse/plot.py", "def f():\n    import nltk\n"),
        "plot.py: imports nltk",
    ),
    (
        "imports_are_installed",
        write("lmcourse/plot.py", "import pandas.api\n"),
        "plot.py: imports pandas, which",
    ),
    (
        "imports_are_installed",
        add_code(PAGE, "from sklearn import svm"),
        "book/02_topic.md, .* imports sklearn",
    ),
    (
        "imports_are_installed",
        write("Makefile", "m: $(BOOK)\n\t@$(PY) -m ruff .\n"),
        "target m: imports ruff",
    ),
]
