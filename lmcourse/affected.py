"""Print the tests that touch what has changed since the last commit: ``python -m lmcourse.affected``."""

from lmcourse.files.places import ROOT
from lmcourse.rules.affected import affected, changed

if __name__ == "__main__":
    print(*(path.relative_to(ROOT) for path in affected(changed(ROOT), ROOT)))
