"""Recompute published numbers on larger texts: ``python -m lmcourse.reproduce``, or ``make reproduce``."""

import argparse
from pathlib import Path

from lmcourse.measuring.published import PTB_FILES, recompute

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ptb", type=Path, help=f"a folder that holds {', '.join(PTB_FILES)}")
    parser.add_argument(
        "--counted", action="store_true", help="leave the networks out: a minute, nothing stored"
    )
    options = parser.parse_args()
    recompute(options.ptb, networks=not options.counted)
