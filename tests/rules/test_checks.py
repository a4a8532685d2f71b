"""Checks: a clean project has no finding, and each rule finds the fault that is planted for it."""

import importlib
import pkgutil
import re
import subprocess
from pathlib import Path

import pytest

from lmcourse import checks, rules
from lmcourse.checks import RULES, findings, main
from lmcourse.rules.tree import Tree
from lmcourse.sets.release import install_line
from tests.rules import test_guides
from tests.rules.planted import (
    arithmetic,
    claims,
    code,
    guides,
    packages,
    pages,
    sets,
    sources,
    turned,
    typed,
    words,
)
from tests.rules.small_project import LAB, PAGE, SOLUTION, add_code, write

PLANTED = [
    fault
    for module in (arithmetic, claims, code, guides, packages, pages, sets, sources, turned, typed, words)
    for fault in module.PLANTED
]


def test_a_clean_project_has_no_finding(project, monkeypatch, capsys):
    monkeypatch.chdir(project)
    assert main([]) == 0
    assert capsys.readouterr().out == f"{len(RULES)} rules checked, 0 findings.\n"


def test_an_empty_folder_has_no_finding(tmp_path):
    assert findings(Tree(tmp_path)) == []


def test_only_what_git_tracks_is_looked_at(project):
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    bad = "x = '/wo" + "rk/main'\n"
    (project / "lmcourse" / "draft.py").write_text(bad)
    subprocess.run(["git", "add", "."], cwd=project, check=True)
    (project / "lmcourse" / "later.py").write_text(bad)
    assert [rule for rule, _ in findings(Tree(project))] == ["no_path_of_one_machine"]


@pytest.mark.parametrize(
    ("rule", "change", "words"), PLANTED, ids=[f"{n}-{p[0]}" for n, p in enumerate(PLANTED)]
)
def test_a_planted_fault_is_found(rule, change, words, project):
    change(project)
    (function,) = (function for function in RULES if function.__name__ == rule)
    found = list(function(Tree(project)))
    assert any(re.search(words, sentence) for sentence in found), found


def test_every_rule_has_a_planted_fault():
    assert {rule for rule, _, _ in [*PLANTED, *test_guides.PLANTED]} == {rule.__name__ for rule in RULES}


def test_every_public_function_of_a_tree_is_a_rule_and_says_what_it_checks():
    """Of every module in the folder: one that ``lmcourse.checks`` does not import is found here."""
    names = [f"{rules.__name__}.{module.name}" for module in pkgutil.iter_modules(rules.__path__)]
    public = {
        value
        for module in map(importlib.import_module, names)
        for name, value in vars(module).items()
        if not name.startswith("_") and "tree" in getattr(value, "__annotations__", {})
    }
    assert public == set(RULES)
    assert all(rule.__doc__ for rule in RULES)


def test_a_figure_inside_a_function_or_a_hidden_output_needs_no_words(project):
    for source in ("def draw():\n    return plt.subplots()", ":tags: [remove-output]\nplt.subplots()"):
        add_code(PAGE, source)(project)
    assert list(checks.pages.pictures_have_alt_text(Tree(project))) == []


def test_plain_words_and_words_in_quotation_marks_are_fine(project):
    text = 'There is no end. It is no longer here, and it is no more than 3. They call it "dear". The bill.\n'
    (project / "book" / "index.md").write_text(text)
    assert list(checks.words.english_is_idiomatic(Tree(project))) == []


def test_the_lines_that_install_the_project_do_not_make_a_cell_long(project):
    """With an address of the project, `make exercises` puts two lines above the first code of a lab."""
    source = install_line("ann/book") + "\n".join(f"x{n} = {n}" for n in range(25))
    add_code(LAB, source)(project)
    assert list(checks.sets.cells_are_short(Tree(project))) == []


def test_a_guarded_import_and_a_dependency_of_a_dependency_are_fine(project):
    source = "import packaging\ntry:\n    import nltk\nexcept ImportError:\n    nltk = None\n"
    (project / "requirements.txt").write_text(
        "nbconvert==7.17.2\nnumpy==2.4.6\ntorch==2.13.0\nmyst-nb==1.4.0\n"
    )
    (project / "lmcourse" / "plot.py").write_text(source)
    assert list(checks.packages.imports_are_installed(Tree(project))) == []


def test_a_solved_set_with_both_sides_of_a_merge_hides_no_other_finding(project):
    whole = (project / SOLUTION).read_text()
    (project / SOLUTION).write_text(whole.replace('"cells": [', '"cells": [\n<<<<<<' + "< HEAD\n"))
    (project / "requirements.txt").write_text("numpy\n")
    found = findings(Tree(project))
    assert {"are_notebooks", "no_conflict_markers", "requirements_are_pinned"} <= {rule for rule, _ in found}
    assert all(SOLUTION in sentence for rule, sentence in found if rule == "are_notebooks")


def test_without_codespell_its_rule_is_silent(project, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    write("book/index.md", "We rec" + "ieve it.")(project)
    assert list(checks.words.words_are_spelt_right(Tree(project))) == []


def test_the_command_prints_the_rule_and_fails(project, monkeypatch, capsys):
    write("requirements.txt", "numpy\ntorch==2.13.0\nmyst-nb==1.4.0\n")(project)
    monkeypatch.chdir(project)
    assert main([]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("[requirements_are_pinned]")
    assert lines[-1] == f"{len(RULES)} rules checked, 1 finding of 1 rule."


def test_the_command_checks_the_rules_that_are_named(project, monkeypatch, capsys):
    write("requirements.txt", "numpy\ntorch==2.13.0\nmyst-nb==1.4.0\n")(project)
    monkeypatch.chdir(project)
    assert main(["english_is_idiomatic"]) == 0
    assert main(["english_is_idiomatic", "requirements_are_pinned"]) == 1
    assert "2 rules checked, 1 finding of 1 rule." in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main(["requirement_are_pinned"])
    assert "did you mean 'requirements_are_pinned'?" in capsys.readouterr().err
    assert Path("requirements.txt").exists()
