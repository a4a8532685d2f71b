"""Compare two models on the same texts."""

from __future__ import annotations

import argparse
import sys

from lmmetrics._commands.models import MODELS, check_options, scored
from lmmetrics._commands.output import write
from lmmetrics._commands.parser import TEXTS, Commands, add_protocol, add_texts
from lmmetrics.score import UNITS, UnitError
from lmmetrics.scoring import compare_scores

FEW = 10
EXAMPLES = "  python -m lmmetrics compare ./gpt2 ./mine test/ --unit byte"


def compare(options: argparse.Namespace) -> None:
    """Compare two models on the same texts."""
    if not 0 < options.confidence < 1:
        options.error(
            f"--confidence is {options.confidence}; a number between 0 and 1 is expected, such as 0.95."
        )
    check_options(options, options.a, options.b)
    _, a, _ = scored(options, options.a)
    _, b, _ = scored(options, options.b)
    try:
        found = compare_scores(a, b, options.unit, confidence=options.confidence, seed=options.seed)
    except UnitError as error:
        if options.unit == "byte":
            raise
        raise ValueError(f"{str(error).partition('. ')[0]}. Compare per byte: --unit byte.") from None
    if len(a) < FEW:
        print(
            f"lmmetrics: The interval is from {len(a)} documents, which makes it too short: with 5, one of "
            "95 % contains the true difference in about 81 of 100 cases. Give more documents.",
            file=sys.stderr,
        )
    if options.format == "table":
        print(f"a: {options.a}\nb: {options.b}\n{found}")
    else:
        plain = {name: value for name, value in found.to_dict().items() if not isinstance(value, dict)}
        write(options, [{"a": str(options.a), "b": str(options.b)} | plain])


def add(commands: Commands) -> None:
    """Add the command."""
    made = commands.add(compare, EXAMPLES, MODELS + TEXTS)
    made.add_argument("a", metavar="MODEL_A")
    made.add_argument("b", metavar="MODEL_B")
    add_texts(made, by=None)
    add_protocol(made)
    made.add_argument(
        "--unit", choices=tuple(UNITS), default="byte", help="what the difference is given per (default byte)"
    )
    made.add_argument("--confidence", type=float, default=0.95, help="of the interval (default 0.95)")
    made.set_defaults(error=made.error)
    made.add_argument("--seed", type=int, default=0, help="of the resampled documents (default 0)")
