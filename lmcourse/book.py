"""Build the whole book: ``python -m lmcourse.book``, or ``make book``."""

import sys

from lmcourse.files.places import ROOT
from lmcourse.site.building import build

if __name__ == "__main__":
    sys.exit(build(ROOT))
