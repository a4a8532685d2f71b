"""Faults for lmcourse/rules/code.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import LAB, replace, write

PLANTED = [
    (
        "requirements_are_pinned",
        replace("requirements.txt", "numpy==2.4.6", "numpy>=2"),
        "line 2: 'numpy>=2'",
    ),
    (
        "requirements_are_pinned",
        replace("requirements-dev.txt", "pytest==9.2.0", "pytest"),
        "line 2: 'pytest'",
    ),
    (
        "failing_cells_fail_the_build",
        write("_config.yml", "execute:\n  raise_on_error: false\n"),
        "raise_on_error",
    ),
    (
        "failing_cells_fail_the_build",
        replace("lmcourse/site/building.py", '"-W"', ""),
        "warnings are not errors",
    ),
    (
        "no_path_of_one_machine",
        write("README.md", "one\nsee /wo" + "rk/main"),
        "README.md, line 2: '/wo.k/m' is",
    ),
    ("no_path_of_one_machine", write("lmcourse/a.py", "p = '/ho" + "me/ann/x'"), "path of one machine"),
    ("no_placeholders", write("Makefile", "# TO" + "DO later"), "is a placeholder"),
    ("no_package_registry", write("README.md", "from https://py" + "pi.org/project/x"), "package registry"),
    ("no_conflict_markers", write("book/index.md", "# A\n<<<<<<" + "< HEAD\nb\n"), "left by a merge"),
    ("no_conflict_markers", write(LAB, '{"source": [\n"<<<<<<' + '< HEAD\\n",\n'), "left by a merge"),
    (
        "pages_ask_no_other_host",
        write("lmcourse/static/a.css", "@import 'https://a.org/b.css';"),
        "fetches https://a.org",
    ),
    (
        "pages_ask_no_other_host",
        write("lmcourse/static/a.css", "a { background: url(//a.org/b) }"),
        "fetches //a.org/b",
    ),
    ("pages_ask_no_other_host", write("lmcourse/static/a.js", "fetch(`https://a.org/b`)"), "fetches https"),
    (
        "pages_ask_no_other_host",
        write("lmcourse/templates/a.j2", '<script src="https://a.org/b.js">'),
        "fetches",
    ),
    (
        "pages_ask_no_other_host",
        write("book/index.md", "![words](https://a.org/b.png)"),
        "picture from https",
    ),
    ("nothing_big_or_copied", write("lmcourse/static/lib.min.js", ""), "copy of somebody else's code"),
    ("nothing_big_or_copied", write("book/data.txt", "x" * 1_000_001), "has 1.0 MB"),
]
