"""Make a PDF of the whole book: ``python -m lmcourse.pdf``, or ``make pdf``. It needs TeX."""

import argparse
import sys

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.site.pdf import make_pdf


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    argparse.ArgumentParser(prog="python -m lmcourse.pdf", description=__doc__).parse_args(arguments)
    return make_pdf()


if __name__ == "__main__":
    sys.exit(main())
