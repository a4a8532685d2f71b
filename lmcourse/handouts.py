"""Print every deck for students and for the lecturer: ``python -m lmcourse.handouts``, `make handouts`."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.site.handouts import make_handouts


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argparse.ArgumentParser(prog="python -m lmcourse.handouts", description=__doc__).parse_args(arguments)
    return make_handouts()


if __name__ == "__main__":
    sys.exit(main())
