"""What a command prints: rows as a table, as JSON or as CSV, and warnings."""

from __future__ import annotations

import argparse
import csv
import json
import math
import sys
import warnings
from collections.abc import Sequence
from typing import Any

from lmmetrics.score import LABELS, UNITS

UNKNOWN = "unknown", "written <unk>", "known tokens", "perplexity of known tokens"
"""The columns that say how much of a text a model knows."""


def columns() -> list[str]:
    """What a score has in CSV: the same columns for every text and every model."""
    values = [f"{value} per {LABELS[unit]}" for unit in UNITS for value in ("bits", "perplexity")]
    return ["nats", "bits", *UNITS.values(), *values]


def write(options: argparse.Namespace, rows: list[dict[str, Any]], header: Sequence[str] = ()) -> None:
    """Rows as a table, as JSON, or as CSV, of which the header can be given: a row may lack some of it."""
    if options.format == "json":
        print(as_json(rows))
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    if options.format == "csv":
        writer = csv.DictWriter(sys.stdout, header or names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    cells = [names, *([cell(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    for row in cells:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join([row[0].ljust(widths[0]), *numbers]))


class Caution(UserWarning):
    """What weakens a number."""


def warn(said: str) -> None:
    """Say what weakens a number, in one line on the error stream; with --quiet, say nothing."""
    warnings.warn(said, Caution, stacklevel=2)


def as_json(value: Any) -> str:
    """A value as JSON, which has no infinite numbers: they are null, and "infinite" lists their names."""
    return json.dumps(_finite(value), ensure_ascii=False, indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        infinite = [name for name, one in value.items() if isinstance(one, float) and math.isinf(one)]
        found = {name: None if name in infinite else _finite(one) for name, one in value.items()}
        return found | {"infinite": infinite} if infinite else found
    return [_finite(one) for one in value] if isinstance(value, list | tuple) else value


def cell(value: Any) -> str:
    """A cell of a table."""
    if value is None:
        return "not counted"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
