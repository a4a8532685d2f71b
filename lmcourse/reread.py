"""Show what was turned round since it was read: ``python -m lmcourse.reread [--accept] [FILE ...]``

Old and new stand below each other, for each sentence, title, claim and formula that differs only in a number,
an opposite, a formula, a value, a source, or the order of its words. With ``--accept``, what the files say is
stored in ``lmcourse/rules/read.txt`` as read, new sentences with it.
"""

import argparse
from pathlib import Path

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.rules.tree import Tree
from lmcourse.rules.turned import READ, Said, read_before, said_in, turned

HEAD = "# What was read: digests of the other words and of the order, and the words that turn the meaning.\n"


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.reread",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="these files only; by default all")
    parser.add_argument("--accept", action="store_true", help="store what the files say now as read")
    asked = parser.parse_args(arguments)
    tree = Tree(Path())
    now = said_in(tree)
    unknown = sorted({*asked.files} - {*now})
    if unknown:
        parser.error(
            f"nothing is compared in {unknown[0]}. Name a page, a plan, a lab, a set, or a module of "
            "lmmetrics or of questions."
        )
    for said, new, old in turned(tree):
        if not asked.files or said.path in asked.files:
            print(f"{said.path}, {said.where}: {said.text}")
            print(f"  read: {old or '(nothing like it, or another order)'}\n  now:  {new}")
    if asked.accept:
        stored = {path: known.lines for path, known in read_before(tree).items() if path in now}
        stored |= {path: _lines(now[path]) for path in asked.files or now}
        text = "".join(
            f"## {path}\n" + "".join(f"{line}\n" for line in sorted(stored[path])) for path in sorted(stored)
        )
        (tree.root / READ).write_text(HEAD + text, encoding="utf-8")
    return 0


def _lines(sayings: list[Said]) -> set[str]:
    return {said.stored for said in sayings if said.turning}


if __name__ == "__main__":
    raise SystemExit(main())
