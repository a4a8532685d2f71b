"""The command line, ``python -m lmmetrics COMMAND ...``: a module for each command, with its options."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import sys
import warnings
from collections.abc import Sequence

from lmmetrics import _interrupt
from lmmetrics._commands import card, compare, convert, count, fit, score
from lmmetrics._commands.faults import said, warned
from lmmetrics._commands.output import Caution
from lmmetrics._commands.parser import Commands, Parser, called
from lmmetrics._progress import only_on_a_terminal
from lmmetrics._version import __version__

EXTRAS = """\
extras, such as pip install ".[transformers]" in the folder of the project:
  transformers  score a model of transformers
  scale         score --shards
  fast          in Python, score one sentence at a time in a third of the time
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: 0, 1 for an error, 2 for a wrong use, 130 after Ctrl-C."""
    options = None
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # as the error stream: a terminal may be ASCII
    debug = "--debug" in (sys.argv[1:] if arguments is None else arguments)
    try:
        try:
            options = parser().parse_args(arguments)
            if options.run is fit.fit or getattr(options, "shards", None):
                _interrupt.tidy_up()  # they write files
            with warnings.catch_warnings(), only_on_a_terminal():
                warnings.simplefilter("ignore" if options.quiet else "always", Caution)
                warnings.showwarning = lambda message, *_: print(
                    f"warning: {' '.join(warned(message, options).split())}", file=sys.stderr
                )
                options.run(options)
        finally:
            if sys.stdout:  # there is none after >&-
                sys.stdout.flush()  # here, and not at the end of the process, where no error is caught
    except BrokenPipeError:  # the reader has seen enough
        _forget_output()
    except KeyboardInterrupt:
        print(_interrupt.SAID, file=sys.stderr)
        return _interrupt.STATUS
    except Exception as error:
        if debug:
            raise
        print(f"lmmetrics: {said(error, options)}", file=sys.stderr)
        return 1
    return 0


def parser() -> Parser:
    """The parser of all commands."""
    top = Parser(
        called(),
        description="Measure language models: one score, any unit.",
        epilog=EXTRAS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--version", action="version", version=f"lmmetrics {__version__}")
    commands = Commands(top)
    for command in (count, fit, score, card, compare, convert):
        command.add(commands)
    return top


def _forget_output() -> None:
    """Send what is still to be printed nowhere, so that the interpreter does not fail when it ends."""
    with contextlib.suppress(OSError, ValueError):  # a test has no such file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
