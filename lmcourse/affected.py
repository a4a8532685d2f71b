"""Print the tests that concern what has changed since the last commit: ``python -m lmcourse.affected``."""

import sys

from lmcourse.files.affected import affected, changed, unseen
from lmcourse.files.places import ROOT

if __name__ == "__main__":
    files = changed(ROOT)
    print(*(path.relative_to(ROOT) for path in affected(files, ROOT)))
    for path in unseen(files):
        print(f"No test is chosen for {path.relative_to(ROOT)}: run `make test`.", file=sys.stderr)
