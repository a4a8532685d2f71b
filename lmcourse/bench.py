"""Time the counted models on WikiText-2: ``python -m lmcourse.bench``, or ``make bench``."""

import argparse
import sys

from lmcourse.measuring.speed import measure


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lmcourse.bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=7, help="how often each job is run; the best time is printed"
    )
    measure(parser.parse_args(arguments).rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
