"""Recompute published numbers on larger texts: ``python -m lmcourse.reproduce``, or ``make reproduce``."""

import argparse
import sys
from pathlib import Path

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.measuring import agreeing, changing, longer, networks, racing, reaching, topics
from lmcourse.measuring.published import PTB_FILES, Interrupted, recompute
from lmmetrics.corpora import CorpusError


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lmcourse.reproduce", description=__doc__)
    parser.add_argument("--ptb", type=Path, help=f"a folder that has {', '.join(PTB_FILES)}")
    parser.add_argument(
        "--counted", action="store_true", help="leave the networks out: a minute, nothing stored"
    )
    options = parser.parse_args(arguments)
    try:
        recompute(options.ptb, networks=not options.counted)
        if not options.counted:
            changing.recompute()
            networks.recompute()
            longer.recompute()
            reaching.recompute()
            racing.recompute()
            topics.recompute()
            agreeing.recompute()
    except (CorpusError, OSError, ValueError, Interrupted) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
