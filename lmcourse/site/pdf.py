"""Make a PDF of the book, for students or for a lecturer.

Sphinx writes LaTeX from the same pages and the same executed cells as `make book`, XeLaTeX sets it, and its
log is read: an undefined reference, a missing character or file, or a line wider than the page is an error.
The student's edition has the chapters, labs, sets and the reference; the lecturer's has also the lesson plans
and the guides for instructors, and solved sets in the place of the student's. The results are
``_build/pdf/measuring-language-models-EDITION.pdf``. Neither has the decks (``make handouts`` prints those).
"""

import os
import re
import shutil
import subprocess
import sys
import time

from lmcourse.files.notebooks import write_bytes
from lmcourse.files.places import ROOT
from lmcourse.site import building
from lmcourse.site.extensions.cache import FOLDER
from lmcourse.site.extensions.latex import EDITION, NAME

EDITIONS = ("student", "lecturer")
PDF = ROOT / "_build" / "pdf"
PROGRAMS = ("xelatex", "latexmk", "xindy")
FONTS = ("Noto Serif CJK SC", "Noto Sans CJK SC", "Noto Sans Mono CJK SC")
PACKAGES = (
    "texlive-xetex texlive-latex-extra texlive-fonts-recommended texlive-lang-chinese"
    " fonts-freefont-otf fonts-noto-cjk latexmk xindy"
)
MOST_POINTS = 20.0
"""How far a line may run into the margin of 71 points. A word that does not fit runs over less than this, an
equation more."""


def make_pdf(edition):
    """Build the PDF of one edition; return the exit status."""
    start = time.perf_counter()
    if lacking := missing():
        print(what_to_install(lacking), file=sys.stderr)
        return 1
    if status := building.build(ROOT):  # warnings are errors there; LaTeX then uses the same reading
        return status
    status, log, latex = write_latex(ROOT, edition)
    if status:
        print(building.why_it_failed(log).replace("make book", "make pdf"), file=sys.stderr)
        return status
    print(
        f"LaTeX is written ({time.perf_counter() - start:.0f} s); setting it takes a minute or two.",
        flush=True,
    )
    set_pages(latex)
    log = (latex / f"{NAME}.log").read_text(encoding="utf-8", errors="replace")
    tex = (latex / f"{NAME}.tex").read_text(encoding="utf-8")
    found = [*faults(log), *lost_figures(tex, ROOT), *lost_results(tex)]
    if found:
        print("The PDF was not made:", *found[:20], sep="\n  ", file=sys.stderr)
        return 1
    write_bytes(PDF / f"{NAME}-{edition}.pdf", (latex / f"{NAME}.pdf").read_bytes())
    pages = re.findall(r"Output written on .*?\((\d+) pages?", log.replace("\n", ""))[-1]
    took = time.perf_counter() - start
    print(f"The PDF is in {PDF.relative_to(ROOT)}/{NAME}-{edition}.pdf ({pages} pages, {took:.0f} s).")
    return 0


def write_latex(root, edition):
    """Write the LaTeX of an edition of the book in ``root``; return exit status, log and the folder.

    The lecturer's edition reads solved sets in the place of the student's. So it has a folder of its own for
    the pages as they were read, and begins with a copy of the executed cells.
    """
    options, build = ["--builder", "latex"], root / "_build"
    if edition == "lecturer":
        shutil.copytree(build / FOLDER, build / "lecturer" / "_build" / FOLDER, dirs_exist_ok=True)
        options += ["--path-output", str(build / "lecturer")]
        build = build / "lecturer" / "_build"
    os.environ[EDITION] = edition
    return *building.run(root, options, shown=False), build / "latex"


def missing():
    """Return the programs and fonts that this machine lacks."""
    lacking = [program for program in PROGRAMS if shutil.which(program) is None]
    if shutil.which("fc-list"):
        there = subprocess.run(["fc-list", ":", "family"], capture_output=True, encoding="utf-8").stdout
        lacking += [f"the font {font}" for font in FONTS if font not in there]
    return lacking


def what_to_install(lacking):
    """Return what is missing and what to install, as a paragraph.

    Examples
    --------
    >>> print(what_to_install(["xelatex"]).splitlines()[0])
    The PDF needs TeX, and this machine lacks: xelatex.
    """
    return (
        f"The PDF needs TeX, and this machine lacks: {', '.join(lacking)}.\n"
        f"On Debian or Ubuntu: apt install {PACKAGES}\n"
        "On macOS: MacTeX, and the Noto CJK fonts. Elsewhere: TeX Live with XeLaTeX, and these fonts.\n"
        "The book itself (make book) needs none of this."
    )


def set_pages(latex):
    """Run XeLaTeX in a folder as often as references, contents and index need it."""
    source = latex / f"{NAME}.tex"
    # sphinx-proof gives the labels of the first chapter no page
    labels = re.compile(r"\\label\{None:(\w+-(\d\d)-[\w-]+)\}")
    stems = {path.stem[:2]: path.stem for path in (ROOT / "book").glob("[0-9]*.md")}
    text = labels.sub(lambda m: rf"\label{{book/{stems[m[2]]}:{m[1]}}}", source.read_text(encoding="utf-8"))
    source.write_text(text, encoding="utf-8")
    environment = {**os.environ, "XINDYOPTS": "-L english -C utf8 -M sphinx.xdy", "LATEXOPTS": ""}
    # -gg: from the beginning, whatever a run that was cut off has left
    command = ["latexmk", "-gg", "-xelatex", "-interaction=nonstopmode", "-f", f"{NAME}.tex"]
    steps = ("Run number", "Latexmk: applying rule")
    building.run_program(command, latex, lambda line: line.startswith(steps), environment)


def faults(log):
    """Return one line for each fault in XeLaTeX's log that a reader would see.

    Parameters
    ----------
    log : str
        Of the last run.

    Examples
    --------
    >>> faults("Missing character: There is no ★ (U+2605) in font [FreeSans.otf]!")
    ['1 missing character: ★ (U+2605)']
    >>> faults("Overfull \\\\hbox (96.5pt too wide) detected at line 7")
    ['96.5 pt too wide: detected at line 7']
    >>> faults("Overfull \\\\hbox (3.5pt too wide) detected at line 7")
    []
    """
    found = [f"error: {line}" for line in re.findall(r"^! (.+)$", log, re.MULTILINE)]
    flat = log.replace("\n", "")
    for name in sorted(set(re.findall(r"Missing character: There is no (\S+ \(U\+\w+\))", flat))):
        found.append(f"{flat.count(f'There is no {name}')} missing character: {name}")
    found += [
        f"undefined reference: {r}" for r in re.findall(r"Reference `([^']+)' on page \d+ undefined", flat)
    ]
    found += [f"missing file: {name}" for name in re.findall(r"File `([^']+)' not found", flat)]
    for points, where in re.findall(r"Overfull \\hbox \(([\d.]+)pt too wide\) (.*)", log):
        if float(points) > MOST_POINTS:
            found.append(f"{float(points):.1f} pt too wide: {where}")
    return list(dict.fromkeys(found))


def lost_figures(tex, root):
    """Return a sentence if the PDF has fewer figures than the same pages of the built book.

    Parameters
    ----------
    tex : str
        The LaTeX of the whole book.
    root : Path
        The project. Its ``_build/html`` is counted; before the book is built nothing can be compared.
    """
    html = root / "_build" / "html"
    pages = [page for folder in ("book", "notebooks") for page in (html / folder).rglob("*.html")]
    picture = re.compile(r'<img[^>]*src="[^"]*_images/[^"]*\.svg"')
    shown = sum(len(picture.findall(page.read_text(encoding="utf-8"))) for page in pages)
    here = len(re.findall(r"\\(?:sphinx)?includegraphics(?:\[[^\]]*\])?\{", tex))
    return [f"{here} figures in the PDF, {shown} in the built book"] if here < shown else []


def lost_results(tex):
    r"""Return a sentence if results are named as Python objects and not shown.

    Examples
    --------
    >>> lost_results(r"\PYGZlt{}IPython.core.display.HTML object\PYGZgt{}")
    ['results that are the name of a Python object: 1']
    """
    many = len(re.findall(r"IPython\.core\.display\.\w+ object", tex))
    return [f"results that are the name of a Python object: {many}"] if many else []
