"""Make the decks alone: ``python -m lmcourse.slides``, or ``make slides``."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.places import ROOT
from lmcourse.site.decks import build_all


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argparse.ArgumentParser(prog="python -m lmcourse.slides", description=__doc__).parse_args(arguments)
    for deck in build_all():
        print(deck.relative_to(ROOT))
    return 0


if __name__ == "__main__":
    sys.exit(main())
