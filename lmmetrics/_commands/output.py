"""Rows as a table, as JSON or as CSV."""

from __future__ import annotations

import argparse
import csv
import json
import sys
from typing import Any


def write(options: argparse.Namespace, rows: list[dict[str, Any]]) -> None:
    """Rows as a table, as JSON or as CSV."""
    if options.format == "json":
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    names = list(dict.fromkeys(name for row in rows for name in row))
    if options.format == "csv":
        writer = csv.DictWriter(sys.stdout, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
        return
    cells = [names, *([cell(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(names))]
    for row in cells:
        numbers = (cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))
        print("  ".join([row[0].ljust(widths[0]), *numbers]))


def cell(value: Any) -> str:
    """A cell of a table."""
    if value is None:
        return "not counted"
    return f"{value:.6g}" if isinstance(value, float) else str(value)
