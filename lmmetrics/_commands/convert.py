"""Convert a published number."""

from __future__ import annotations

import argparse
import math

from lmmetrics._commands.output import columns, write
from lmmetrics._commands.parser import Commands, integer, number
from lmmetrics.score import FACTS, UNITS, Score

EXAMPLES = """\
  python -m lmmetrics convert 141.2 --per token --tokens 82430 --chars 442423
  python -m lmmetrics convert 1.23 --kind bits --per char --chars 442423 --tokens 82430"""
KINDS = "perplexity", "bits", "nats"


def convert(options: argparse.Namespace) -> None:
    """Convert a published number."""
    counts, needed = {field: getattr(options, field) for field in UNITS.values()}, UNITS[options.per]
    if counts[needed] is None:
        raise ValueError(
            f"The value is per {options.per}: say how many {needed} the text has. Give it: --{needed} N."
        )
    check_counts(counts)
    if math.isinf(options.value):
        raise ValueError(
            f"{options.value} stays infinite in every unit, so there is nothing to convert: some token has "
            "probability 0. A finite number is expected."
        )
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
        write(options, [made.to_dict()], columns())


def check_counts(counts: dict[str, int | None]) -> None:
    """An error if no text has these counts."""
    for unit, facts in FACTS.items():
        count = counts[UNITS[unit]]
        if count is not None and count < facts.least:
            raise ValueError(
                f"--{facts.field} is {count}, but the text that was scored has at least one: nothing else "
                "has a perplexity."
            )
    pairs = [(one.field, UNITS[unit], holds) for one in FACTS.values() for unit, holds in one.holds.items()]
    for field, other, holds in pairs:
        count, held = counts[field], counts[other]
        if count is None or held is None:
            continue
        if count > held:
            raise ValueError(
                f"No text has {count} {field} and {held} {other}: {holds.least}. Look whether two numbers "
                "are swapped, or are from different texts."
            )
        if held > holds.most * count:
            raise ValueError(
                f"No text has {count} {field} and {held} {other}: {holds.why_most}. Look whether the numbers "
                "are from different texts."
            )


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(convert, EXAMPLES)
    made.add_argument("value", type=number, help="the published number")
    made.add_argument(
        "--kind", choices=KINDS, default="perplexity", help="what the number is (default perplexity)"
    )
    made.add_argument("--per", choices=tuple(UNITS), default="token", help="its unit (default token)")
    for field in UNITS.values():
        made.add_argument(f"--{field}", type=integer, help=f"the {field} of the text that was scored")
