"""Time the counted models on WikiText-2: ``python -m lmcourse.bench``, or ``make bench``."""

import argparse

from lmcourse.measuring.speed import measure

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Time the counted models on WikiText-2.")
    parser.add_argument("--rounds", type=int, default=7, help="rounds; each time printed is the best of them")
    measure(parser.parse_args().rounds)
