"""The command line, ``python -m lmmetrics COMMAND ...``: a module for each command, with its options."""

from __future__ import annotations

import dis
import sys
from collections.abc import Sequence
from pathlib import Path

from lmmetrics import __version__
from lmmetrics._commands import card, compare, convert, count, fit, score
from lmmetrics._commands.parser import Commands, Parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status: 0, 1 for an error, 2 for a wrong use."""
    options = parser().parse_args(arguments)
    try:
        options.run(options)
    except BrokenPipeError:  # the reader has seen enough
        sys.stderr.close()
    except (OSError, ValueError, ImportError) as error:
        if options.debug:
            raise
        print(f"lmmetrics: {_message(error)}", file=sys.stderr)
        return 1
    return 0


def parser() -> Parser:
    """The parser of all commands."""
    top = Parser("python -m lmmetrics", description="Measure language models: one score, any unit.")
    top.add_argument("--version", action="version", version=f"lmmetrics {__version__}")
    commands = Commands(top)
    for command in (count, fit, score, card, compare, convert):
        command.add(commands)
    return top


def _message(error: Exception) -> str:
    """What an error says; one that no line of this library raised may be a fault of the library."""
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}." if error.strerror else str(error)
    last = error.__traceback__
    while last and last.tb_next:
        last = last.tb_next
    assert last is not None  # it was raised
    code = last.tb_frame.f_code
    here = Path(__file__).parents[1] in Path(code.co_filename).parents
    if here and code.co_code[last.tb_lasti] == dis.opmap["RAISE_VARARGS"]:  # not an error of Python's own
        return str(error)
    return f"{error}\nThis may be a fault of lmmetrics: --debug shows where it happened."
