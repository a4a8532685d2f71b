"""Build the whole book: pages, executed notebooks, slides. ``python -m course.book``

Warnings are errors, and a failing cell fails the build. The result is ``_build/html``, complete:
reading it needs no network. What it leaves out: the PDF of the whole book.
"""

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

from course.notebooks import NotebookError, read

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
BUILDER = Path(sys.executable).with_name("jupyter-book")


def main():
    """Build pages and slides; return the exit status."""
    start = time.perf_counter()
    for fault in broken_notebooks(ROOT):
        print(f"The book was not built: {fault}", file=sys.stderr)
        return 1
    log = []
    command = [str(BUILDER), "build", str(ROOT), "-W", "-n", "--keep-going"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as process:
        for line in process.stdout:
            if "[IPKernelApp]" in line:  # the kernel's remark on its own transport, once a page
                continue
            log.append(line)
            print(line, end="", flush=True)
    if process.returncode:
        print(f"\n{why_it_failed(''.join(log))}", file=sys.stderr)
        return process.returncode
    drop_unwanted_copies()
    from course import slides  # nbconvert takes a second to import: not for a build that fails

    slides.build_all(HTML / "slides")
    print(f"The book is in {HTML.relative_to(ROOT)}/index.html ({time.perf_counter() - start:.0f} s).")
    return 0


def broken_notebooks(root):
    """Yield what is wrong with each notebook that the book shows and that is none, or only half of one."""
    for folder in ("notebooks", "exercises"):
        for path in sorted((root / folder).rglob("[!.]*.ipynb")):
            if ".ipynb_checkpoints" in path.parts:
                continue
            try:
                read(path)
            except NotebookError as fault:
                yield str(fault).replace(f"{root}/", "")


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
    Mend the first, then run `make book` again.
    """
    plain = re.sub(r"\x1b\[[0-9;]*m", "", log)
    cell = re.search(r"(\S+\.(?:md|ipynb)).{0,40}Executing notebook failed: (\w+)", plain)
    if cell:
        error = re.findall(r"^((?!RuntimeError: $)\w*(?:Error|Exception|Interrupt)\w*: .*)$", plain, re.M)
        return (
            f"The book was not built: a cell of {cell[1]} failed.\n"
            f"  {error[-1] if error else cell[2]}\n"
            "Open the page as a notebook (`make lab`), run it from the top, mend the cell, "
            "then run `make book` again."
        )
    warnings = [
        line for line in plain.splitlines() if re.search(r"\b(WARNING|ERROR|CRITICAL|SEVERE)\b", line)
    ]
    if not warnings:
        errors = re.findall(r"^\s*([\w.]*(?:Error|Exception): .+)$", plain, re.M)
        return f"The book was not built: {errors[0] if errors else 'see the last lines above.'}"
    count = f"{len(warnings)} warning" + ("s" if len(warnings) > 1 else "")
    shown = "\n".join(f"  {line.strip()}" for line in warnings[:5])
    return (
        f"The book was not built: {count}, and warnings are errors here.\n{shown}\n"
        "Mend the first, then run `make book` again."
    )


def drop_unwanted_copies():
    """Remove what the builder copies and no page uses: MathJax's other output and input formats."""
    mathjax = HTML / "_static" / "mathjax"
    for name in (
        "node-main.js",
        "latest.js",
        "adaptors",
        "tex-svg-full.js",
        "tex-svg.js",
        "mml-svg.js",
        "tex-mml-svg.js",
        "mml-chtml.js",
        "tex-mml-chtml.js",
        "tex-chtml-full.js",
    ):
        path = mathjax / name
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    sys.exit(main())
