"""The PDF: what is said without TeX or Chromium, and what the reader of TeX's log finds.

The PDF of the whole book needs TeX and two minutes: the weekly workflow makes it.
"""

import os
import subprocess
import sys

import pytest
from docutils import nodes

from lmcourse.files.places import HTML, ROOT
from lmcourse.site import pdf
from lmcourse.site.extensions.latex import as_set, widths

PLANTED = {
    "! Undefined control sequence.": "error: Undefined control sequence.",
    "Missing character: There is no 詞 (U+8A5E) in font [FreeSerif.otf]!": "1 missing character: 詞 (U+8A5E)",
    "LaTeX Warning: Reference `book/02:eq-x' on page 7 undefined on input\nline 3.": (
        "undefined reference: book/02:eq-x"
    ),
    "LaTeX Warning: File `figure.pdf' not found on input line 9.": "missing file: figure.pdf",
    "Overfull \\hbox (71.3pt too wide) detected at line 40": "71.3 pt too wide: detected at line 40",
    "Overfull \\hbox (20.1pt too wide) in alignment at lines 3--9": (
        "20.1 pt too wide: in alignment at lines 3--9"
    ),
}


@pytest.mark.parametrize("line", PLANTED)
def test_a_fault_in_the_log_is_found(line):
    log = f"This is XeTeX\n{line}\nOutput written on x.pdf (3 pages).\n"
    assert pdf.faults(log) == [PLANTED[line]]


def test_a_sound_log_is_sound():
    log = (
        "Overfull \\hbox (3.1pt too wide) in paragraph\nUnderfull \\vbox\nOutput written on x.pdf (3 pages)."
    )
    assert pdf.faults(log) == []


def test_a_result_that_is_not_shown_is_counted():
    assert pdf.lost_results(r"\PYGZlt{}IPython.core.display.HTML object\PYGZgt{}" * 2) == [
        "results that are the name of a Python object: 2"
    ]
    assert pdf.lost_results("from IPython.display import HTML") == []


def test_lost_figures_are_counted(tmp_path):
    folder = tmp_path / "_build" / "html" / "book"
    folder.mkdir(parents=True)
    (folder / "a.html").write_text('<img alt="x" src="../_images/a.svg"/><img src="../_images/b.svg"/>')
    one = r"\sphinxincludegraphics{{a}.pdf}"
    assert pdf.lost_figures(one, tmp_path) == ["1 figures in the PDF, 2 in the built book"]
    assert pdf.lost_figures(one * 2, tmp_path) == []


@pytest.mark.parametrize(
    ("module", "said"), [("pdf", "apt install texlive-xetex"), ("handouts", "apt install chromium")]
)
def test_what_is_missing_is_named(module, said, tmp_path):
    """Without the program: one paragraph, status 1, nothing written."""
    before = sorted((ROOT / "_build").glob("pdf/**/*"))
    environment = {k: v for k, v in os.environ.items() if k != "CHROMIUM"} | {"PATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", f"lmcourse.{module}"],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
    )
    if module == "handouts" and not [*HTML.glob("slides/*.html")]:
        said = "make book"
    assert done.returncode == 1 and said in done.stderr and "Traceback" not in done.stderr
    assert sorted((ROOT / "_build").glob("pdf/**/*")) == before


def test_columns_have_room_for_their_longest_word():
    shares = widths([["id", "mistake"], ["M1", "bits"], ["M2", "an-uncommonly-long-name"]])
    assert sum(shares) == 100 and shares[1] > 2 * shares[0]
    entry = nodes.entry(
        "", nodes.paragraph("", "", nodes.math("", r"\frac{a}{b}"), nodes.literal("", "score"))
    )
    assert as_set(entry) == "abx scorex"
