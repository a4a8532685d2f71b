"""Print the tests that concern what has changed since the last commit: ``python -m lmcourse.affected``."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.git import changed
from lmcourse.files.nearest_tests import affected, untried
from lmcourse.files.places import ROOT


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argparse.ArgumentParser(prog="python -m lmcourse.affected", description=__doc__).parse_args(arguments)
    files = changed(ROOT)
    print(*(path.relative_to(ROOT) for path in affected(files, ROOT)))
    for tests, paths in untried(files, ROOT).items():
        names = ", ".join(path.relative_to(ROOT).as_posix() for path in paths)
        command = f"`python -m pytest {' '.join(tests)}`" if tests else "`make test`"
        print(f"Not tried here: {names}. Run `make book`, then {command}.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
