"""Make a PDF of the book: ``python -m lmcourse.pdf EDITION``, or ``make pdf``. It needs TeX."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.site.pdf import EDITIONS, make_pdf


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lmcourse.pdf", description=__doc__)
    parser.add_argument(
        "edition", choices=EDITIONS, nargs="?", default="student", help="student, if not said"
    )
    return make_pdf(parser.parse_args(arguments).edition)


if __name__ == "__main__":
    sys.exit(main())
