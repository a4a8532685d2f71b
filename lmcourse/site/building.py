"""Build the whole book: pages, executed notebooks, slides.

Warnings are errors, and a failing cell fails the build. The result, ``_build/html``, is complete: reading it
needs no network. The PDF of the whole book is not built here, but by `lmcourse.site.pdf`.

A marker file is in ``_build`` from before the first page is read until everything is written. Sphinx does not
read a page again that has not changed, so its warnings would be lost in the next build, and a page that was
not written would stay as it was: when the marker is found, every page is read and written again. Executed
cells stay cached.
"""

import contextlib
import errno
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

from filelock import FileLock, Timeout

from lmcourse.files import contents
from lmcourse.files.notebooks import NotebookError, read

BUILDER = (sys.executable, "-c", "from jupyter_book.cli.main import main; main()", "build")
"""Through the interpreter: the script ``jupyter-book`` names the folder that it was installed in."""

UNUSED_MATHJAX = ("node-main.js", "latest.js", "adaptors", "tex-svg-full.js", "tex-svg.js", "mml-svg.js")
UNUSED_MATHJAX += ("tex-mml-svg.js", "mml-chtml.js", "tex-mml-chtml.js", "tex-chtml-full.js")
UNUSED_MATHJAX += ("tex-chtml-full-speech.js",)

LEAST_FREE = 10_000_000
"""Bytes; with less free space, a failure is put down to a full disk. A built book has about 50 million."""


def build(root):
    """Build the pages and slides of the book in the folder ``root``; return the exit status."""
    start, folder = time.perf_counter(), root / "_build"
    if faults := [*obstacles(folder), *broken_notebooks(root), *halves_of_merges(root)]:
        print(*(f"The book was not built: {fault}" for fault in faults), sep="\n", file=sys.stderr)
        return 1
    for path in contents.unlisted(root):
        print(f"Not in the book, because _toc.yml does not list it: {path}")
    with alone(folder):
        unfinished = folder / "unfinished"
        again = unfinished.exists()
        unfinished.touch()
        if again:
            drop_half_cached(folder / ".jupyter_cache")
        status, log = run(root, ["-W", "-n", "--keep-going", *(["--all"] if again else [])])
        if status:
            full = next((f"The book was not built: {words}" for words in obstacles(folder)), None)
            print(f"\n{full or why_it_failed(log)}", file=sys.stderr)
            return status
        drop_unwanted_copies(folder / "html")
        from lmcourse.site import decks  # nbconvert takes a second to import: not for a build that fails

        decks.build_all(folder / "html" / "slides", root / "notebooks", again)
        drop_old_pictures(folder / "html")
        unfinished.unlink()
    print(f"The book is in _build/html/index.html ({time.perf_counter() - start:.0f} s).")
    return 0


def run(root, options, shown=True):
    """Run the builder on a book, and print what it says if ``shown``; return its exit status and its log."""

    def wanted(line):  # without the kernel's remark on its own transport, once a page
        return "[IPKernelApp]" not in line

    command = [*BUILDER, str(root), *options]
    quiet = {**os.environ, "TQDM_DISABLE": "1"}  # on a slow machine, bars would be warnings: output of a cell
    status, lines = run_program(command, root, lambda line: shown and wanted(line), quiet)
    return status, "".join(filter(wanted, lines))


def run_program(command, folder, shown, environment=None):
    """Run a program, print those that ``shown`` accepts as they arrive; return exit status and all lines."""
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as process:
        lines = []
        for line in process.stdout or ():
            lines.append(line)
            if shown(line):
                print(line, end="", flush=True)
    return process.returncode, lines


@contextlib.contextmanager
def alone(folder):
    """Wait until no other build of this folder runs, and make others wait; a kill releases the lock."""
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        print("Another build of this book is running; waiting until it ends.", flush=True)
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def obstacles(folder):
    """Yield why nothing can be built in a folder: it is not writable, or its disk is full."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=folder):
            pass
        free = shutil.disk_usage(folder).free
    except OSError as error:
        free = 0 if error.errno == errno.ENOSPC else None
    if free is None:
        yield (
            f"{folder} cannot be written to. Clone the project into a folder of your own, and run the same "
            "command there."
        )
    elif free < LEAST_FREE:
        yield (
            f"the disk with {folder} is full: {free / 1e6:.0f} MB are free, and a whole book needs "
            "about 50 MB. Make room, then run the same command again."
        )


def broken_notebooks(root):
    """Yield what is wrong with each notebook of the book that cannot be read, one cut short included."""
    for folder in ("notebooks", "exercises"):
        for path in sorted((root / folder).rglob("[!.]*.ipynb")):
            if ".ipynb_checkpoints" in path.parts:
                continue
            try:
                read(path)
            except NotebookError as fault:
                yield str(fault).replace(f"{root}/", "")


def halves_of_merges(root):
    """Yield a sentence for each page that still contains both sides of a merge."""
    for place in contents.half_merged(root):
        yield f"{place}: a merge has left both versions here. Keep one, then run `make book` again."


def drop_half_cached(folder):
    """Forget executions that an interrupted build recorded but did not store: each would fail again."""
    from jupyter_cache import get_cache
    from jupyter_cache.cache.db import NbCacheRecord
    from sqlalchemy.exc import SQLAlchemyError

    if not folder.is_dir():
        return
    try:
        cache, whole = get_cache(str(folder)), set()
        for record in cache.list_cache_records():
            try:
                cache.get_cache_bundle(record.pk)
                whole.add(record.hashkey)
            except (KeyError, OSError, ValueError):
                NbCacheRecord.remove_record(record.pk, cache.db)
        for entry in (folder / "executed").glob("*/"):
            if entry.name not in whole:
                shutil.rmtree(entry)
    except (SQLAlchemyError, OSError):
        shutil.rmtree(folder, ignore_errors=True)


def why_it_failed(log):
    """One paragraph for the end of a failed build: what went wrong, where, and what to do.

    Parameters
    ----------
    log : str
        All that the builder printed.

    Returns
    -------
    str

    Examples
    --------
    >>> print(why_it_failed("x/book/a.md:12: WARNING: undefined label: 'b'"))
    The book was not built: 1 warning, and warnings are errors here.
      x/book/a.md:12: WARNING: undefined label: 'b'
    Correct the first, then run `make book` again.
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", log)
    if cell := re.search(r"(\S+\.(?:md|ipynb)).{0,40}Executing notebook failed: (\w+)", plain):
        error = re.findall(r"^((?!RuntimeError: $)\w*(?:Error|Exception|Interrupt)\w*: .*)$", plain, re.M)
        return (
            f"The book was not built: a cell of {cell[1]} failed.\n  {error[-1] if error else cell[2]}\n"
            "Open the page as a notebook (`make lab`), run it from the top, correct the cell, "
            "then run `make book` again."
        )
    problem = re.compile(r"\b(WARNING|ERROR|CRITICAL|SEVERE)\b")
    warnings = [line for line in plain.splitlines() if problem.search(line)]
    if not warnings:
        errors = re.findall(r"^\s*([\w.]*(?:Error|Exception): .+)$", plain, re.M)
        return f"The book was not built: {errors[0] if errors else 'see the last lines above.'}"
    count = f"{len(warnings)} warning" + ("s" if len(warnings) > 1 else "")
    shown = "\n".join(f"  {line.strip()}" for line in warnings[:5])
    return (
        f"The book was not built: {count}, and warnings are errors here.\n{shown}\n"
        "Correct the first, then run `make book` again."
    )


def drop_unwanted_copies(html):
    """Remove what the builder copies and no page uses: MathJax's other input and output formats."""
    for name in UNUSED_MATHJAX:
        path = html / "_static" / "mathjax" / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def drop_old_pictures(html):
    """Remove the pictures of earlier builds, which no page shows any more."""
    pages = "".join(page.read_text(encoding="utf-8") for page in html.rglob("*.html"))
    for picture in (html / "_images").glob("*"):
        if picture.name not in pages:
            picture.unlink()
