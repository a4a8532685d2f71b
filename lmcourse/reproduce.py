"""Recompute what takes too long for a build: ``python -m lmcourse.reproduce [EXPERIMENT ...]``

All experiments together (``make reproduce``) take some hours: the training whose seconds are stored took one
and a half. Each stores its part of ``book/reproduced.json`` when it is done, and leaves the others alone.
"""

import argparse
import inspect
import sys
from difflib import get_close_matches
from pathlib import Path

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.measuring import (
    agreeing,
    agreeing_twice,
    changing,
    longer,
    networks,
    published,
    racing,
    reaching,
    topics,
)
from lmmetrics.corpora import CorpusError

EXPERIMENTS = {
    module.__name__.rpartition(".")[2]: module
    for module in (published, changing, networks, longer, reaching, racing, topics, agreeing, agreeing_twice)
}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.reproduce",
        description=__doc__,
        epilog="experiments:\n" + "".join(f"  {name}: {_about(name)}\n" for name in EXPERIMENTS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="only these; by default all")
    able = [name for name, module in EXPERIMENTS.items() if "kept" in _options(module)]
    parser.add_argument(
        "--kept",
        type=Path,
        metavar="FILE",
        help=f"where {', '.join(able)} keep each row at once: after an interruption the same command goes on",
    )
    parser.add_argument(
        "--ptb", type=Path, metavar="FOLDER", help=f"has {', '.join(published.PTB_FILES)}, for published"
    )
    parser.add_argument(
        "--counted", action="store_true", help="only published, without networks: a minute, nothing stored"
    )
    options = parser.parse_args(arguments)
    for name in options.experiments:
        if name not in EXPERIMENTS:
            near = get_close_matches(name, EXPERIMENTS, n=1)
            cure = f"did you mean {near[0]!r}?" if near else "--help lists the experiments."
            parser.error(f"no experiment is called {name!r}; {cure}")
    names = options.experiments or (["published"] if options.counted else list(EXPERIMENTS))
    if options.kept and (len(names) > 1 or names[0] not in able):
        parser.error(f"--kept goes with one experiment of these: {', '.join(able)}.")
    if (options.ptb and "published" not in names) or (options.counted and names != ["published"]):
        parser.error("--ptb and --counted are for the experiment published.")
    try:
        for name in names:
            if name == "published":
                published.recompute(options.ptb, networks=not options.counted)
            else:
                EXPERIMENTS[name].recompute(**({"kept": options.kept} if name in able else {}))
    except (CorpusError, OSError, ValueError, published.Interrupted) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1
    return 0


def _about(name: str) -> str:
    return (EXPERIMENTS[name].__doc__ or "").splitlines()[0]


def _options(module: object) -> set[str]:
    return set(inspect.signature(module.recompute).parameters)


if __name__ == "__main__":
    sys.exit(main())
