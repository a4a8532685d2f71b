"""The parser that every command shares."""

from __future__ import annotations

import argparse
import contextlib
import difflib
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NoReturn

BY = "whitespace", "word", "char", "byte"
FORMATS = "table", "json", "csv"
DTYPES = "float32", "bfloat16", "float16"
TEXTS = """\
TEXT is a file, a folder (its *.txt and *.txt.gz files, with those of the folders below) or - for standard
input. Each file is a document; with --lines, each line is one. Files are read as UTF-8; those that gzip has
packed are unpacked. A byte-order mark at the start of a file is left out. If a command takes long, a terminal
shows how far it is; an error stream that is sent to a file gets no such bar.
"""


def number(given: str) -> float:
    """The type of an option: a number."""
    try:
        return float(given)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{given!r} is not a number.") from None


def integer(given: str) -> int:
    """The type of an option: a whole number."""
    try:
        return int(given)
    except ValueError:
        with contextlib.suppress(ValueError, OverflowError):
            if float(given) == int(float(given)):  # such as 1e6
                return int(float(given))
        raise argparse.ArgumentTypeError(f"{given!r} is not a whole number.") from None


def whole(least: int) -> Callable[[str], int]:
    """The type of an option: a whole number of at least this."""

    def of(given: str) -> int:
        try:
            number = int(given)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"{given!r} is not a whole number of at least {least}.")
        return number

    return of


def suggested(word: str, known: Sequence[str]) -> str:
    """A line with what may have been meant, if something is spelt much like it; nothing else."""
    bare = {one.lstrip("-"): one for one in known}  # else any two options are alike
    like = difflib.get_close_matches(word.lstrip("-"), bare, n=1, cutoff=0.7)
    return f"\nDid you mean {bare[like[0]]}?" if like else ""


def called() -> str:
    """What the user has typed: ``lmmetrics``, or ``python -m lmmetrics``."""
    return "lmmetrics" if Path(sys.argv[0]).stem == "lmmetrics" else "python -m lmmetrics"


class Parser(argparse.ArgumentParser):
    """A parser that suggests what may have been meant."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.given: Sequence[str] = ()
        self.parsing = False

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self.parsing or any(True for _ in self.parsers()):
            if not self.parsing:
                self.given = sys.argv[1:] if args is None else list(args)
            return super().parse_known_args(args, namespace)
        self.given, self.parsing = list(args), True
        try:
            return self.parse_known_intermixed_args(args, namespace)  # it calls this function
        finally:
            self.parsing = False

    def error(self, message: str) -> NoReturn:
        given = [word.partition("=")[0] for word in self.given]
        commands = dict(self.parsers())
        # A command comes first; other words are values and files. The top parser sees both kinds of options.
        chosen = commands.get(given[0], self) if given else self
        options = [*self._option_string_actions, *chosen._option_string_actions]
        for i, word in enumerate(given):
            if not word.startswith("-"):
                message += suggested(word, list(commands)) if i == 0 and word not in commands else ""
            elif word not in options:
                of = [name for name, one in commands.items() if word in one._option_string_actions]
                also = f"\n{word} is an option of {' and '.join(of)}." if of else ""
                message += suggested(word, options) or also
        self.exit(2, f"{chosen.prog}: {message}\nSee {chosen.prog} --help.\n")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError as error:
            names = [] if isinstance(action, argparse._SubParsersAction) else list(action.choices or ())
            error.message += suggested(str(value).lower(), names)
            raise

    def parsers(self) -> Iterable[tuple[str, Parser]]:
        """The commands below, by name."""
        for action in self._actions:
            if isinstance(action, argparse._SubParsersAction):
                yield from action.choices.items()


class Commands:
    """The commands below a parser."""

    def __init__(self, top: Parser) -> None:
        self._below = top.add_subparsers(metavar="COMMAND", required=True)

    def add(
        self,
        run: Callable[[argparse.Namespace], None],
        examples: str,
        about: str = "",
        formats: Sequence[str] = FORMATS,
    ) -> Parser:
        """Add a command that has the name and the doc-string of its function."""
        made: Parser = self._below.add_parser(
            run.__name__,
            help=run.__doc__,
            description=run.__doc__,
            epilog=f"{about}\nexamples:\n{examples.replace('python -m lmmetrics', called())}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if formats:
            infinite = 'an infinite number is null in JSON, where "infinite" lists its name'
            csv = ", and inf in CSV, whose columns do not depend on the texts" if "csv" in formats else ""
            made.add_argument("--format", choices=formats, default="table", help=infinite + csv)
        made.add_argument(
            "-q",
            "--quiet",
            action="store_true",
            help="print no warnings, except of models and texts that are damaged",
        )
        made.add_argument("--debug", action="store_true", help="show where an error happened")
        made.set_defaults(run=run)
        return made


def add_texts(
    made: Parser,
    by: str | None = "whitespace",
    needed: bool = True,
    help: str = "",
    single: bool = False,
) -> None:
    """Add TEXT... and how it is cut into documents and tokens."""
    made.add_argument("texts", nargs="+", metavar="TEXT", default=[]).required = needed
    made.add_argument("--lines", action="store_true", help="each line is a document")
    if single:
        made.add_argument(
            "--single-blanks",
            action="store_true",
            help="put one blank between two tokens first, as models cut by whitespace count the text",
        )
    default = by or "as a saved model was counted; for an ARPA file whitespace"
    made.add_argument(
        "--by", choices=BY, default=by, help=help or f"how counted models cut the text (default: {default})"
    )


def add_protocol(made: Parser) -> None:
    """Add how a model scores."""
    made.add_argument("--no-eos", action="store_true", help="leave </s> out of the score")
    made.add_argument(
        "--unknown",
        choices=("score", "infinite"),
        default="score",
        help="what an unknown token costs: as much as <unk>, or infinitely many bits (default score)",
    )
    made.add_argument("--context", type=whole(1), help="tokens that a model of transformers reads at most")
    made.add_argument("--stride", type=whole(1), help="how many tokens apart its windows begin")
    made.add_argument(
        "--batch", type=whole(1), help="how many of its windows are computed at once (default 8)"
    )
    made.add_argument("--device", help="where it is computed: cpu, cuda, cuda:1, mps (default cpu)")
    made.add_argument("--dtype", choices=DTYPES, help="its numbers (default: as the folder says)")
