"""Time the counted models: ``python -m lmcourse.bench``, or ``make bench``.

First beside KenLM's programs (if they are on the PATH), NLTK and a sort, on texts that are drawn; the table
is written into ``lmcourse/benchmarks/SPEED.md``. Then on WikiText-2, which is downloaded once. In place of
all this, ``--workers`` measures scoring and counting in shards with 1, 2 and 4 processes, and ``--limits``
counting with a limit on memory.
"""

import argparse
import shutil
import sys

from lmcourse.benchmarks import limits, peers, workers
from lmcourse.benchmarks.speed import measure


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m lmcourse.bench", description=__doc__)
    parser.add_argument(
        "--rounds", type=int, default=7, help="how often each job is run; the best time is printed"
    )
    parser.add_argument(
        "--peers", action="store_true", help="only the comparison with other programs: no download"
    )
    parser.add_argument(
        "--workers", action="store_true", help="only scoring and counting in shards, ten minutes"
    )
    parser.add_argument(
        "--limits",
        action="store_true",
        help="only counting with a limit on memory: ten minutes, 20 GB of disk",
    )
    options = parser.parse_args(arguments)
    if options.workers:
        workers.store(workers.measure())
        return 0
    missing = [name for name in ("lmplz", "query") if not shutil.which(name)]
    if missing:
        print(f"KenLM: {' and '.join(missing)} not on the PATH, so not compared.", file=sys.stderr)
    if options.limits:
        limits.store(peers.measure(limits.SIZES, rounds=1, jobs=limits.jobs))
        return 0
    peers.store(peers.measure(rounds=min(options.rounds, 2)))
    if not options.peers:
        measure(options.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())
