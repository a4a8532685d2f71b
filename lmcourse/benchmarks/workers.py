"""Scoring and counting in shards with 1, 2 and 4 processes: seconds, and the memory of all together.

Each row is the time of a command, its start and that of its workers included. The text is drawn as for the
comparison with other programs. The table, and what it says about more machines, is written into the page of
the library on shards.
"""

import datetime
import json
import os
import platform
import subprocess
import sys
import tempfile
import textwrap
import time
from pathlib import Path

import psutil

from lmcourse.benchmarks.peers import draw, write_between
from lmcourse.files.notebooks import write_text
from lmcourse.files.places import PACKAGE, ROOT

STORED = PACKAGE / "benchmarks" / "workers.json"
PAGE = ROOT / "book" / "reference" / "scale.md"
TOKENS, SHARDS, ORDER = 33_000_000, 16, 5
TRAINED_ON = 2_000_000
WORKERS = 1, 2, 4
BEGIN, END = "% workers: written by python -m lmcourse.bench --workers\n", "% end of workers\n"
COUNT = """
import sys
from lmmetrics.scale import count_shards
if __name__ == "__main__":
    folder, order, workers = sys.argv[1], *map(int, sys.argv[2:])
    how = {"by": "whitespace", "scheduler": "processes", "progress": False}
    counts = count_shards(folder, order, workers=workers, **how)
    print(*(len(counts[n]) for n in range(1, order + 1)))
"""


def run(command):
    """Run a command; return its output, its seconds, and the most bytes that its processes held at once."""
    start, peak = time.perf_counter(), 0
    with tempfile.TemporaryFile("w+") as said, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            list(map(str, command)),
            stdout=said,
            stderr=errors,
            env={**os.environ, "PYTHONPATH": str(ROOT), "OMP_NUM_THREADS": "1", "TQDM_DISABLE": "1"},
        )
        top = psutil.Process(process.pid)
        while process.poll() is None:
            peak = max(peak, memory_of(top))
            time.sleep(0.1)
        seconds = time.perf_counter() - start
        for file in (said, errors):
            file.seek(0)
        if process.returncode:
            raise RuntimeError(f"{command[0]} failed: {errors.read()[-500:]}")
        return said.read(), seconds, peak


def memory_of(top):
    """The bytes that a process and those below it hold: pages of their own, and mapped files in memory."""
    held = 0
    try:
        for process in (top, *top.children(recursive=True)):
            held += process.memory_info().rss
    except psutil.NoSuchProcess:  # it has just ended
        pass
    return held


def measure(tokens=TOKENS, shards=SHARDS, workers=WORKERS, trained_on=TRAINED_ON):
    """Score and count a drawn text in shards, print a line for each number of workers, return the rows."""
    made = {
        "made": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "cores": os.cpu_count(),
        "order": ORDER,
        "tokens": tokens,
        "shards": shards,
        "trained_on": trained_on,
        "load": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None,
        "rows": [],
    }
    ours = [sys.executable, "-m", "lmmetrics"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "text").mkdir()
        for i in range(shards):
            draw(folder / "text" / f"{i:02}.txt", tokens // shards, 100 + i)
        made["bytes"] = sum(file.stat().st_size for file in (folder / "text").iterdir())
        draw(folder / "train.txt", trained_on, 1)
        run([*ours, "fit", folder / "train.txt", "--force", "--order", ORDER, "--out", folder / "model"])
        for n in workers:
            given = ["--shards", folder / "text", "--out", folder / f"scores{n}", "--format", "json"]
            given += ["--scheduler", "processes", "--workers", n]
            _add(made, "score", n, run([*ours, "score", folder / "model", *given]))
        for n in workers:
            _add(made, "count", n, run([sys.executable, "-c", COUNT, folder / "text", ORDER, n]))
    for what in ("score", "count"):
        if len({row["result"] for row in made["rows"] if row["what"] == what}) != 1:
            raise RuntimeError(f"{what}: the result depends on the number of workers.")
    return made


def _add(made, what, workers, found):
    said, seconds, peak = found
    row = {
        "what": what,
        "workers": workers,
        "seconds": round(seconds, 2),
        "peak": peak,
        "result": said.strip(),
    }
    made["rows"].append(row)
    print(
        f"{made['tokens']:>11,} {what} {workers} workers", " ".join(_cells(row, made["tokens"])), flush=True
    )


def _cells(row, tokens):
    return [f"{row['seconds']:.0f}", f"{tokens / row['seconds'] / 1000:,.0f}", f"{row['peak'] / 1e9:.1f} GB"]


def table(found):
    """The Markdown table of what was measured, with a sentence about how."""
    names = {"score": "scoring", "count": "counting"}
    lines = [
        "| | worker processes | seconds | thousand tokens a second | peak memory of all |",
        "|---|---:|---:|---:|---:|",
    ]
    for row in found["rows"]:
        lines.append(
            f"| {names[row['what']]} | {row['workers']} | {' | '.join(_cells(row, found['tokens']))} |"
        )
    said = (
        f"{found['tokens']:,} tokens drawn at random in {found['shards']} files, each one document; order "
        f"{found['order']}; the scoring model was counted on {found['trained_on']:,} tokens. Scoring is "
        "`lmmetrics score --shards`, counting is `count_shards`, measured once, with the start of Python, "
        f"scheduler and workers: {found['cores']} cores, Python {found['python']}, {found['made']}. Memory "
        "is added up over the processes; a page that two share counts twice. Every row of a command has the "
        "same result: the same nats to the last bit, or as many different n-grams of each order."
    )
    return "\n".join([*lines, "", textwrap.fill(said, 110), "", *_extended(found), ""])


def _extended(found):
    """What the rows of one worker say about more machines, on paper."""
    one = {row["what"]: row for row in found["rows"] if row["workers"] == 1}
    rate = found["tokens"] / one["score"]["seconds"]
    minutes = 1e12 / rate / 1000 / 60
    size = found["bytes"] / found["tokens"]
    read = 2 * 1000 * rate * size / 1e9
    ngrams = sum(map(int, one["count"]["result"].split()))
    each = one["count"]["peak"] / ngrams
    most = max(row["workers"] for row in found["rows"])
    if most > found["cores"] and all(not _is_fastest(found["rows"], what, most) for what in one):
        yield textwrap.fill(
            f"More processes than cores, here {most} on {found['cores']}, save no time. What "
            f"{found['cores']} cores of one machine cannot show: how more processes share the work when each "
            "has a core of its own, what a network or a folder that many machines read at once costs, and, "
            "because the text is random and each file is one document, how long the many short documents of "
            "a corpus take.",
            110,
        )
        yield ""
    yield textwrap.fill(
        "**Scoring a trillion tokens, on paper.** No shard needs another, so 1,000 workers as fast as this "
        f"one would take about {minutes:.0f} minutes, if there are many more shards than workers and the "
        "documents are as long as these; {py:func}`~lmmetrics.scale.score_shards` says what short ones cost. "
        "The limit is the shared folder: every shard is read twice, once for its digest and once to be "
        f"scored, and at {size:.1f} bytes a token that is {read:.1f} GB a second for all workers together. "
        "The process that asked for the scores collects a row for each document, so its memory limits the "
        "number of documents, not of tokens.",
        110,
    )
    yield ""
    yield textwrap.fill(
        "**Counting, on paper.** More workers count faster, but the last merge holds all different n-grams "
        f"at once, on one machine: here {ngrams / 1e6:.0f} million, at {each:.0f} bytes for each n-gram in "
        "all processes together. So the memory of that machine is the limit, and more machines do not raise "
        "it. Beyond it, {py:meth}`~lmmetrics.ngram.NGramModel.fit` with `memory=` counts on one machine and "
        "its disk.",
        110,
    )


def _is_fastest(rows, what, workers):
    return min((row["seconds"], row["workers"]) for row in rows if row["what"] == what)[1] == workers


def store(found, page=PAGE):
    """Store what was measured, and write it into the page, if there is one."""
    write_text(STORED, json.dumps(found, indent=1) + "\n")
    write_between(page, BEGIN, END, table(found))
