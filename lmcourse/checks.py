"""Check the project against its rules: ``python -m lmcourse.checks [RULE ...]``

The rules of `lmcourse.rules` that need neither a built book nor a browser run on the files that git tracks
(outside git, on all files). Each finding says where the fault is, what is wrong and what to do; the exit
status is 1 if there is one.
"""

import argparse
import inspect
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.notebooks import NotebookError
from lmcourse.rules import (
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
from lmcourse.rules.tree import Tree

__all__ = ["RULES", "findings", "main"]

Rule = Callable[[Tree], Iterable[str]]

RULES: tuple[Rule, ...] = tuple(
    function
    for module in (sets, pages, claims, typed, arithmetic, turned, sources, words, packages, code, guides)
    for function in vars(module).values()
    if inspect.isfunction(function) and [*inspect.signature(function).parameters] == ["tree"]
    if function.__module__ == module.__name__ and not function.__name__.startswith("_")
)
"""The public functions of the modules of rules that take a `Tree`, in the order in which they are written."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.checks",
        description="Check the project against its rules; run it in the project's root folder.",
        epilog="rules:\n" + "\n".join(f"  {rule.__name__}: {rule.__doc__.splitlines()[0]}" for rule in RULES),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    names = [rule.__name__ for rule in RULES]
    parser.add_argument("rules", nargs="*", metavar="RULE", help="check these rules only; by default all")
    asked = parser.parse_args(arguments).rules
    for name in asked:
        if name not in names:
            near = get_close_matches(name, names, n=1)
            cure = f"did you mean {near[0]!r}?" if near else "--help lists the rules."
            parser.error(f"no rule is called {name!r}; {cure}")
    rules = [rule for rule in RULES if not asked or rule.__name__ in asked]
    found = findings(Tree(Path()), rules)
    for rule, sentence in found:
        print(f"{sentence} [{rule}]")
    broken = len({rule for rule, _ in found})
    of_rules = f" of {_number(broken, 'rule')}" if found else ""
    print(f"{_number(len(rules), 'rule')} checked, {_number(len(found), 'finding')}{of_rules}.")
    return 1 if found else 0


def _number(count: int, name: str) -> str:
    return f"{count} {name}{'' if count == 1 else 's'}"


def findings(tree: Tree, rules: Iterable[Rule] = RULES) -> list[tuple[str, str]]:
    """Return the name of the rule and the finding, for every finding."""
    return [(rule.__name__, sentence) for rule in rules for sentence in _run(rule, tree)]


def _run(rule: Rule, tree: Tree) -> Iterable[str]:
    """Yield what a rule finds; a notebook that cannot be read is one finding, and the other rules go on."""
    try:
        yield from rule(tree)
    except NotebookError as fault:
        yield str(fault).replace(f"{tree.root}/", "")


if __name__ == "__main__":
    sys.exit(main())
