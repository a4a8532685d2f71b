"""What a command says of an error: in the words of its options, if the library has raised it."""

from __future__ import annotations

import argparse
import traceback
from pathlib import Path

from lmmetrics._errors import AdvisedError, DocumentWarning

ADVICE = {
    "byte-order mark": "Remove the mark: it may be there because files were joined.",
    "no blanks": "Use --by char or --by byte; or put blanks between the words, and use --by whitespace.",
    "blank in a token": "Name a folder for the model instead of an ARPA file: it can contain such tokens.",
    "impossible": "Give the texts to models that know their words, or that know <unk>.",
    "memory": "Use a larger --memory.",
    "disk": "Make room, or name another place: --out.",
    "other vocabulary": "Leave out --by, or cut the text as that of the model was cut.",
}
"""What to do on the command line about errors whose own advice is for Python, by their topic."""


def raised_here(error: BaseException) -> bool:
    """Whether a `raise` in this library has made an error, so that its message says what to do."""
    *_, last = [None, *traceback.extract_tb(error.__traceback__)]
    if last is None or not last.line:
        return False
    return Path(__file__).parents[1] in Path(last.filename).parents and last.line.startswith("raise ")


def said(error: Exception, options: argparse.Namespace | None) -> str:
    """What an error says; one that no line of this library raised may be a fault of the library."""
    if isinstance(error, OSError) and error.strerror:
        return f"{error.filename}: {error.strerror}." if error.filename else f"{error.strerror}."
    if isinstance(error, MemoryError):
        return "The memory does not suffice. Score fewer texts at a time; fit has --memory."
    if not raised_here(error):
        return (
            f"{type(error).__name__}: {error}\n"
            "This may be a fault of lmmetrics: --debug shows where it happened."
        )
    if isinstance(error, AdvisedError):
        name = f"--{error.argument}" if error.argument else name_of(error, options)
        reason = error.fault.replace("{}", name, 1) if name else error.reason
        return f"{reason} {ADVICE.get(error.topic, error.advice)}".rstrip()
    return str(error)


def warned(warning: Warning | str, options: argparse.Namespace | None) -> str:
    """What a warning says, with the name of the file that it is about."""
    found = getattr(options, "found", None)
    if isinstance(warning, DocumentWarning) and found:
        return warning.said.replace("{}", found[warning.document][0], 1)
    return str(warning)


def name_of(error: AdvisedError, options: argparse.Namespace | None) -> str:
    """The file with an error, and the line if it is known; nothing for an error outside the documents."""
    if error.document is None:
        return ""
    found = getattr(options, "found", None)
    name = found[error.document][0] if found else getattr(options, "current", "")
    if not name or not error.line or getattr(options, "lines", False):  # with --lines it names the line
        return str(name)
    return f"{name}, line {error.line},"
