"""Make a PDF of the whole book: ``python -m lmcourse.pdf``, or ``make pdf``. It needs TeX."""

import sys

from lmcourse.site.pdf import make_pdf

if __name__ == "__main__":
    sys.exit(make_pdf())
