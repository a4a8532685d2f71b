"""Build the whole book: ``python -m lmcourse.book``, or ``make book``."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.places import ROOT
from lmcourse.site.building import build


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argparse.ArgumentParser(prog="python -m lmcourse.book", description=__doc__).parse_args(arguments)
    return build(ROOT)


if __name__ == "__main__":
    sys.exit(main())
