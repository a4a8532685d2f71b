"""Counting with a limit on memory, up to texts whose n-grams would not fit into it, beside KenLM's `lmplz`.

Each job is a process of its own, as in the comparison with other programs, and its text is drawn as there.
"""

import json
import shutil
import sys

from lmcourse.benchmarks.peers import ORDER, PAGE, draw, table, write_between
from lmcourse.files.notebooks import write_text
from lmcourse.files.places import PACKAGE

STORED = PACKAGE / "benchmarks" / "limits.json"
SIZES = 8_000_000, 33_000_000, 130_000_000
IN_MEMORY = 40_000_000
"""A text with more tokens is counted only with a limit."""
LIMIT = 2_000_000_000
BEGIN, END = "<!-- limits: written by python -m lmcourse.bench --limits -->\n", "<!-- end of limits -->\n"


def jobs(folder, tokens):
    """Yield what is measured: a name, the number of tokens, the command (None if it is absent), its input."""
    text = folder / "train.txt"
    draw(text, tokens, 1)
    fit = [sys.executable, "-m", "lmmetrics", "fit", text, "--force", "--order", ORDER, "--out"]
    if tokens <= IN_MEMORY:
        yield "lmmetrics fit: text to a folder", tokens, [*fit, folder / "model"], None
    command = [*fit, folder / "limited", "--memory", LIMIT]
    yield "lmmetrics fit --memory 2GB: text to a folder", tokens, command, None
    lmplz = shutil.which("lmplz")
    command = [lmplz, "-o", ORDER, "-S", "2G", "-T", folder / "sort", "--text", text, "--arpa"]
    yield "KenLM lmplz -S 2G: text to ARPA", tokens, lmplz and [*command, folder / "kenlm.arpa"], None


def store(found, page=PAGE):
    """Store what was measured, and write the table into the page, if there is one."""
    write_text(STORED, json.dumps(found, indent=1) + "\n")
    write_between(page, BEGIN, END, table(found))
