"""Print every deck as a PDF, with its speaker notes: ``python -m lmcourse.handouts``, `make handouts`."""

import sys

from lmcourse.site.handouts import make_handouts

if __name__ == "__main__":
    sys.exit(make_handouts())
