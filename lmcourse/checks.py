"""Hold the project to its rules: ``python -m lmcourse.checks``

Every rule that a machine can hold, run on the files that git tracks (outside git: on all files). Each finding
says where, what is wrong and how to mend it; the exit status is 1 if there is any. Left out: what needs a run
of the book or a browser, which the tests do.
"""

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from lmcourse.files.notebooks import NotebookError
from lmcourse.rules import code, guides, packages, pages, sets, words
from lmcourse.rules.tree import Tree

__all__ = ["RULES", "findings", "main"]

Rule = Callable[[Tree], Iterable[str]]

RULES: tuple[Rule, ...] = (
    sets.are_notebooks,
    sets.solutions_are_well_formed,
    sets.solutions_are_executed,
    sets.solutions_store_no_errors,
    sets.solutions_store_no_images,
    sets.solutions_store_nothing_by_chance,
    sets.solutions_are_full_sets,
    sets.student_sets_are_current,
    sets.students_see_no_markers,
    sets.labs_and_student_sets_have_no_outputs,
    sets.cells_are_short,
    sets.labs_are_decks,
    pages.chapters_are_whole,
    pages.every_page_is_in_the_book,
    pages.chapters_have_the_skeleton,
    pages.pictures_have_alt_text,
    pages.code_fits_the_page,
    pages.glued_numbers_exist,
    pages.tags_point_somewhere,
    pages.random_numbers_are_seeded,
    words.words_are_spelt_right,
    words.one_name_for_each_quantity,
    words.references_are_cited,
    words.chapters_named_exist,
    packages.imports_are_installed,
    code.requirements_are_pinned,
    code.modules_are_short,
    code.failing_cells_fail_the_build,
    code.no_path_of_one_machine,
    code.no_conflict_markers,
    code.no_placeholders,
    code.no_filler_words,
    code.no_package_registry,
    code.pages_ask_no_other_host,
    code.nothing_big_or_copied,
    guides.paths_in_guides_exist,
    guides.commands_in_guides_exist,
    guides.names_in_guides_exist,
)


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.checks",
        description="Hold the project to its rules; run it in the project's root folder.",
        epilog="rules:\n" + "\n".join(f"  {rule.__name__}: {rule.__doc__.splitlines()[0]}" for rule in RULES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.parse_args(arguments)
    found = findings(Tree(Path()))
    for rule, sentence in found:
        print(f"{sentence} [{rule}]")
    broken = len({rule for rule, _ in found})
    print(f"{len(RULES)} rules checked, {len(found)} findings" + (f" of {broken} rules." if found else "."))
    return 1 if found else 0


def findings(tree: Tree) -> list[tuple[str, str]]:
    """Return the name of the rule and the finding, for every finding."""
    return [(rule.__name__, sentence) for rule in RULES for sentence in _run(rule, tree)]


def _run(rule: Rule, tree: Tree) -> Iterable[str]:
    """Yield what a rule finds; a notebook that cannot be read is a finding too and hides no other."""
    try:
        yield from rule(tree)
    except NotebookError as fault:
        yield str(fault).replace(f"{tree.root}/", "")


if __name__ == "__main__":
    sys.exit(main())
