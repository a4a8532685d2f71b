"""The counted models beside KenLM's programs, NLTK and a sort, all in one run.

Each job is a process of its own, so its seconds and its memory are those of the whole way, from the file with
the text on: starting Python, reading and tokenising included. A time means little on another machine; the
rows of one run can be compared. The text is drawn from a seed: words with Zipf's frequencies, half of which
follow from the word before.
"""

import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

import numpy as np

from lmcourse.files.notebooks import write_text
from lmcourse.files.places import PACKAGE, ROOT

STORED = PACKAGE / "benchmarks" / "peers.json"
"""What the last run has measured."""
PAGE = PACKAGE / "benchmarks" / "SPEED.md"
"""It has a table of each stored run, between two marks."""
SIZES = 1_000_000, 4_000_000
ORDER = 5
MEMORY = "500MB"
NLTK_SHARE = 20
"""NLTK gets a text that is shorter by this factor, and for the rate it is enough."""
BEGIN, END = "<!-- bench: written by make bench -->\n", "<!-- end of bench -->\n"
CHILD = """
import os, subprocess, sys, time
start = time.perf_counter()
files = {"stdin": open(sys.argv[1]), "stdout": subprocess.DEVNULL, "stderr": open(sys.argv[2], "w")}
process = subprocess.Popen(sys.argv[3:], **files)
_, status, used = os.wait4(process.pid, 0)
print(time.perf_counter() - start, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""
SORT = """
import sys, numpy as np
np.argsort(np.random.default_rng(0).integers(0, 2**63, size=int(sys.argv[1])), kind="stable")
"""
NLTK = """
import sys
from nltk.lm import MLE
from nltk.lm.preprocessing import padded_everygram_pipeline
order = int(sys.argv[2])
sentences = [line.split() for line in open(sys.argv[1], encoding="utf-8")]
MLE(order).fit(*padded_everygram_pipeline(order, sentences))
"""


def draw(path, tokens, seed):
    """Write a text of about so many tokens, `</s>` included; return how many it has."""
    rng = np.random.default_rng(seed)
    words = np.minimum(rng.zipf(1.35, size=tokens), 10**7)
    follows = np.flatnonzero(rng.random(tokens) < 0.5)
    for i in (follows, follows):  # the second time after words that follow others
        words[i[1:]] = words[i[1:] - 1] + rng.integers(1, 4, size=len(i) - 1)
    ends = rng.random(tokens) < 0.04
    ends[-1] = True
    with open(path, "w", encoding="utf-8") as file:
        for start in range(0, tokens, 1 << 18):
            part = zip(words[start : start + (1 << 18)].tolist(), ends[start:].tolist(), strict=False)
            file.writelines("\n" if end else f"w{word} " for word, end in part)
    return tokens


def run(command, given=os.devnull):
    """Run a command; return its seconds and the bytes of memory at its peak."""
    with tempfile.TemporaryDirectory() as folder:
        errors = Path(folder) / "errors"
        # A small process starts it: the system counts the memory of the one that starts a process as its own.
        done = subprocess.run(
            [sys.executable, "-S", "-c", CHILD, str(given), str(errors), *map(str, command)],
            capture_output=True,
            encoding="utf-8",
            check=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        seconds, peak, status = done.stdout.split()
        if status != "0":
            raise RuntimeError(f"{command[0]} failed: {errors.read_text(encoding='utf-8')[-500:]}")
    return float(seconds), int(peak) * (1 if sys.platform == "darwin" else 1024)


def jobs(folder, tokens):
    """Yield what is measured: a name, the number of tokens, the command (None if it is absent), its input."""
    text, test, short = folder / "train.txt", folder / "test.txt", folder / "short.txt"
    draw(text, tokens, 1)
    draw(short, tokens // NLTK_SHARE, 1)
    draw(test, tokens // 10, 2)
    ours = [sys.executable, "-m", "lmmetrics"]
    fit = [*ours, "fit", text, "--force", "--order", ORDER, "--out"]
    lmplz, query, binary = map(shutil.which, ("lmplz", "query", "build_binary"))
    nltk = subprocess.run([sys.executable, "-c", "import nltk.lm"], capture_output=True, check=False)
    yield "stable argsort of as many 64-bit keys", tokens, [sys.executable, "-c", SORT, tokens], None
    command = [lmplz, "-o", ORDER, "-S", "500M", "-T", folder / "sort", "--text", text, "--arpa"]
    yield "KenLM lmplz -S 500M: text to ARPA", tokens, lmplz and [*command, folder / "kenlm.arpa"], None
    yield "lmmetrics fit: text to ARPA", tokens, [*fit, folder / "ours.arpa"], None
    yield "lmmetrics fit: text to a folder", tokens, [*fit, folder / "ours"], None
    yield f"lmmetrics fit --memory {MEMORY}", tokens, [*fit, folder / "less", "--memory", MEMORY], None
    command = binary and [binary, folder / "ours.arpa", folder / "kenlm.bin"]
    yield "KenLM build_binary: ARPA to its own format", tokens, command, None
    command = query and [query, "-v", "summary", folder / "ours.arpa"]
    yield "KenLM query: ARPA and text to a score", tokens // 10, command, test
    score = [*ours, "score"]
    yield "lmmetrics score: ARPA and text", tokens // 10, [*score, folder / "ours.arpa", test], None
    command = query and [query, "-v", "summary", folder / "kenlm.bin"]
    yield "KenLM query: its own format and text", tokens // 10, command, test
    yield "lmmetrics score: folder and text", tokens // 10, [*score, folder / "ours", test], None
    command = None if nltk.returncode else [sys.executable, "-c", NLTK, short, ORDER]
    yield "NLTK: counting alone", tokens // NLTK_SHARE, command, None


def measure(sizes=SIZES, rounds=2, jobs=jobs):
    """Run all jobs at all sizes, print them, and return what was measured; the best time of the rounds."""
    made = {
        "made": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "cores": os.cpu_count(),
        "order": ORDER,
        "rounds": rounds,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "rows": [],
    }
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            for name, tokens, command, given in jobs(Path(folder), size):
                row = {"what": name, "size": size, "tokens": tokens, "seconds": None, "peak": None}
                if command:
                    found = [run(command, given or os.devnull) for _ in range(rounds)]
                    row |= {"seconds": min(one[0] for one in found), "peak": max(one[1] for one in found)}
                made["rows"].append(row)
                print(f"{size:>11,} {name:44}", " ".join(cells(row)), flush=True)
    return made


def cells(row):
    """The cells of a row of the table: seconds, memory, bytes a token."""
    if row["seconds"] is None:
        return ["not installed", "", ""]
    return [f"{row['seconds']:.1f}", f"{row['peak'] / 1e6:,.0f} MB", f"{row['peak'] / row['tokens']:,.0f}"]


def table(found):
    """The Markdown table of what was measured, with a sentence about how."""
    lines = ["| what | tokens | seconds | peak memory | bytes a token |", "|---|---:|---:|---:|---:|"]
    for row in found["rows"]:
        lines.append(f"| {' | '.join([row['what'], format(row['tokens'], ','), *cells(row)])} |")
    said = (
        f"Order {found['order']}, modified Kneser-Ney, {found['cores']} cores, Python {found['python']}, "
        f"{found['made']}. Each row is a process of its own, starting of Python included; "
        + ("measured once. " if found["rounds"] == 1 else f"the best time of {found['rounds']}. ")
        + (f"Load average of the machine before: {found['load']}." if found.get("load") else "")
    )
    return "\n".join([*lines, "", textwrap.fill(said, 110), ""])


def store(found, page=PAGE):
    """Store what was measured, and write the table into the page, if there is one."""
    write_text(STORED, json.dumps(found, indent=1) + "\n")
    write_between(page, BEGIN, END, table(found))


def write_between(page, begin, end, written):
    """Replace what is between two marks of a page; print it where only the package is installed."""
    if not page.is_file():
        print(written)
        return
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(begin)
    after = rest.partition(end)[2]
    write_text(page, f"{before}{begin}\n{written}\n{end}{after}")
