"""Recompute what takes too long for a build: ``python -m lmcourse.reproduce [EXPERIMENT ...]``

All experiments together (``make reproduce``) take some hours: the training whose seconds are stored took one
and a half. Each stores its part of ``book/reproduced.json`` when it is done, and leaves the others alone.
"""

import argparse
import pkgutil
import sys
from difflib import get_close_matches
from importlib import import_module

from lmcourse import experiments
from lmcourse.experiments.storage import Interrupted
from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmmetrics.corpora import CorpusError

_MODULES = {
    found.name: import_module(f"lmcourse.experiments.{found.name}")
    for found in pkgutil.iter_modules(experiments.__path__)
}
EXPERIMENTS = {name: module for name, module in _MODULES.items() if hasattr(module, "recompute")}


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m lmcourse.reproduce",
        description=__doc__,
        epilog="experiments:\n" + "".join(f"  {name}: {_about(name)}\n" for name in EXPERIMENTS),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("experiments", nargs="*", metavar="EXPERIMENT", help="only these; by default all")
    declared = {option: about for name in EXPERIMENTS for option, about in _options(name).items()}
    for option, about in declared.items():
        having = [name for name in EXPERIMENTS if option in _options(name)]
        parser.add_argument(f"--{option}", **{**about, "help": f"for {', '.join(having)}: {about['help']}"})
    options = vars(parser.parse_args(arguments))
    for name in options["experiments"]:
        if name not in EXPERIMENTS:
            near = get_close_matches(name, EXPERIMENTS, n=1)
            cure = f"did you mean {near[0]!r}?" if near else "--help lists the experiments."
            parser.error(f"no experiment is called {name!r}; {cure}")
    names = options["experiments"] or list(EXPERIMENTS)
    given = {option: options[option] for option in declared if options[option]}
    for option in given:
        if sum(option in _options(name) for name in names) != 1:
            having = [name for name in EXPERIMENTS if option in _options(name)]
            parser.error(f"--{option} goes with one experiment of these: {', '.join(having)}. Name it.")
    try:
        for name in names:
            own = {option: value for option, value in given.items() if option in _options(name)}
            EXPERIMENTS[name].recompute(**own)
    except (CorpusError, OSError, ValueError, Interrupted) as error:
        print(f"reproduce: {error}", file=sys.stderr)
        return 1
    return 0


def _about(name: str) -> str:
    return (EXPERIMENTS[name].__doc__ or "").splitlines()[0]


def _options(name: str) -> dict:
    """The options that an experiment declares: by the parameter of its ``recompute``, what argparse takes."""
    return getattr(EXPERIMENTS[name], "OPTIONS", {})


if __name__ == "__main__":
    sys.exit(main())
