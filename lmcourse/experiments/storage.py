"""The file ``book/reproduced.json``: what experiments stored for the pages, which cannot wait for them."""

import datetime
import json
import os
import platform
from pathlib import Path

import numpy as np
import torch

from lmcourse.files.notebooks import write_text
from lmcourse.files.places import ROOT

STORED = ROOT / "book" / "reproduced.json"
KEPT = {
    "type": Path, "metavar": "FILE",
    "help": "where each row is kept at once: after an interruption the same command goes on",
}  # fmt: skip
"""The option ``kept`` of an experiment that can be interrupted (`kept_rows`)."""


class Interrupted(Exception):
    """Training was interrupted, and its checkpoint is stored."""


def stored():
    """Return what the last runs stored: "rows" of published numbers, and a part for each experiment."""
    if not STORED.exists():
        return {"rows": []}
    return json.loads(STORED.read_text(encoding="utf-8"))


def store(parts):
    """Put parts into the file, in place of those of the same names; all others stay."""
    write_text(STORED, json.dumps({**stored(), **parts}, ensure_ascii=False, indent=1) + "\n")
    print(f"\nStored in {STORED.name}.")


def resumed(kept, key):
    """The rows that an earlier run kept in a file, by their values of `key`; of the same form only."""
    lines = kept.read_text(encoding="utf-8").splitlines() if kept and kept.exists() else []
    rows = (json.loads(line) for line in lines)
    return {tuple(row[part] for part in key): row for row in rows if row.keys() >= set(key)}


def keep(kept, row):
    """Append a row to the file, if there is one."""
    if kept:
        with kept.open("a", encoding="utf-8") as file:
            file.write(json.dumps(row) + "\n")


def kept_rows(kept, key, measure):
    """A function from values of `key` to a row, which `measure` makes unless it is kept."""
    rows = resumed(kept, key)

    def row_of(*values):
        if values not in rows:
            rows[values] = measure(*values)
            keep(kept, rows[values])
        return rows[values]

    return row_of


def made(**parts):
    """Return what a run found, with its date and its machine."""
    return {"made": datetime.date.today().isoformat(), "machine": machine(), **parts}


def machine():
    """What the times depend on, without a name that identifies the machine."""
    return {
        "processor": platform.processor() or platform.machine(), "cores": os.cpu_count(), "threads": 1,
        "python": platform.python_version(), "numpy": np.__version__, "torch": torch.__version__,
    }  # fmt: skip
