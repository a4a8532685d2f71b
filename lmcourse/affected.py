"""Print the tests that concern what has changed since the last commit: ``python -m lmcourse.affected``."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.git import changed
from lmcourse.files.nearest_tests import affected, unseen
from lmcourse.files.places import ROOT


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argparse.ArgumentParser(prog="python -m lmcourse.affected", description=__doc__).parse_args(arguments)
    files = changed(ROOT)
    print(*(path.relative_to(ROOT) for path in affected(files, ROOT)))
    for path in unseen(files):
        print(f"No test is chosen for {path.relative_to(ROOT)}: run `make test`.", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
