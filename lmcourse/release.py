"""Make the student sets from the solved ones.

python -m lmcourse.release              write every student set
python -m lmcourse.release 02_topic     write one
python -m lmcourse.release --check      say which are missing, stale or extra; exit status 1 if any is
"""

import argparse
import sys
from pathlib import Path

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.notebooks import NotebookError
from lmcourse.sets.release import COMMAND, differences, release


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Make the student sets from the solved ones.")
    parser.add_argument("stems", metavar="STEM", nargs="*", help="as in 02_cross_entropy (default: all)")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if a file is not right")
    options = parser.parse_args(arguments)
    try:
        if options.check:
            found = differences(Path(), options.stems)
            print("\n".join(found) or "Every student set is what its solved set gives.")
            return 1 if found else 0
        written = release(Path(), options.stems)
        print("\n".join(f"{path} written" for path in written) or "Every student set was up to date.")
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
