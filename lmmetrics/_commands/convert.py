"""Convert a published number."""

from __future__ import annotations

import argparse
import math

from lmmetrics._commands.output import write
from lmmetrics._commands.parser import Commands
from lmmetrics.score import UNITS, Score

EXAMPLES = """\
  python -m lmmetrics convert 141.2 --per token --tokens 82430 --chars 442423
  python -m lmmetrics convert 1.23 --kind bits --per char --chars 442423 --tokens 82430"""
KINDS = "perplexity", "bits", "nats"
LONGEST = 4
"""The most bytes of a character in UTF-8."""


def convert(options: argparse.Namespace) -> None:
    """Convert a published number."""
    counts, needed = {field: getattr(options, field) for field in UNITS.values()}, UNITS[options.per]
    if counts[needed] is None:
        raise ValueError(
            f"The value is per {options.per}: say how many {needed} the text has. Give it: --{needed} N."
        )
    check_counts(counts)
    if options.kind == "perplexity":
        made = Score.from_perplexity(options.value, options.per, **counts)
    elif not options.value >= 0:
        raise ValueError(
            f"{options.value:g} cannot be {options.kind} per {options.per}: a probability is at most 1, so a "
            "surprisal is at least 0. Check the sign."
        )
    else:
        number = Score(0.0, **counts).count(options.per)
        made = Score(options.value * number * (math.log(2) if options.kind == "bits" else 1.0), **counts)
    if options.format == "table":
        print(made)
    else:
        write(options, [made.to_dict()])


def check_counts(counts: dict[str, int | None]) -> None:
    """An error if no text has these counts."""
    for field, count in counts.items():
        if count is not None and (count < 0 or (count == 0 and field != "words")):
            raise ValueError(
                f"--{field} is {count}, but the text that was scored has at least one: nothing else has a "
                "perplexity."
            )
    words, chars, bytes = (counts[field] for field in ("words", "chars", "bytes"))
    for less, more, name, other, why in (
        (words, chars, "words", "chars", "a word has at least one character"),
        (words, bytes, "words", "bytes", "a word has at least one byte"),
        (chars, bytes, "chars", "bytes", "a character has at least one byte in UTF-8"),
    ):
        if less is not None and more is not None and less > more:
            raise ValueError(
                f"No text has {less} {name} and {more} {other}: {why}. Look whether two numbers are swapped, "
                "or are from different texts."
            )
    if chars is not None and bytes is not None and bytes > LONGEST * chars:
        raise ValueError(
            f"No text has {chars} chars and {bytes} bytes: in UTF-8 a character has at most {LONGEST} bytes. "
            "Look whether the numbers are from different texts."
        )


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(convert, EXAMPLES)
    made.add_argument("value", type=float, help="the published number")
    made.add_argument(
        "--kind", choices=KINDS, default="perplexity", help="what the number is (default perplexity)"
    )
    made.add_argument("--per", choices=tuple(UNITS), default="token", help="its unit (default token)")
    for field in UNITS.values():
        made.add_argument(f"--{field}", type=int, help=f"the {field} of the text that was scored")
