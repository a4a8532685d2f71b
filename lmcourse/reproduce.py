"""Recompute published numbers on larger texts: ``python -m lmcourse.reproduce``, or ``make reproduce``."""

import argparse
import sys
from pathlib import Path

from lmcourse.measuring.published import PTB_FILES, recompute


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lmcourse.reproduce", description=__doc__)
    parser.add_argument("--ptb", type=Path, help=f"a folder that has {', '.join(PTB_FILES)}")
    parser.add_argument(
        "--counted", action="store_true", help="leave the networks out: a minute, nothing stored"
    )
    options = parser.parse_args(arguments)
    return recompute(options.ptb, networks=not options.counted)


if __name__ == "__main__":
    sys.exit(main())
