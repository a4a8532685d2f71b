"""Run solved sets from top to bottom in a fresh kernel and store them in canonical form.

python -m lmcourse.execute              run every set in solutions/
python -m lmcourse.execute 02_topic     run one
python -m lmcourse.execute --check      run nothing: say which stored sets are not fully run, in order
"""

import argparse
import sys

from tqdm import tqdm

from lmcourse.files import checkout  # noqa: F401 - first, because it says what is missing
from lmcourse.files.notebooks import NotebookError, notebooks_in, read
from lmcourse.sets.execution import COMMAND, execute, not_executed


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description="Run solved sets and store their outputs.")
    parser.add_argument("stems", metavar="STEM", nargs="*", help="as in 02_cross_entropy (default: all)")
    parser.add_argument("--check", action="store_true", help="run nothing; exit 1 if a set is not fully run")
    options = parser.parse_args(arguments)
    failed = False
    try:
        paths = notebooks_in("solutions", options.stems)
    except NotebookError as error:
        print(error, file=sys.stderr)
        return 1
    for path in paths if options.check else tqdm(paths, unit="notebook", disable=not paths):
        try:
            if options.check:
                words = not_executed(read(path))
                if words:
                    raise NotebookError(f"{path}: {words} Run: {COMMAND} {path.stem}")
            elif execute(path):
                tqdm.write(f"{path} stored")
        except NotebookError as error:
            failed = True
            tqdm.write(str(error), file=sys.stderr)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
