"""Papers for print: whole on A4, a name on each page and space to write; keys with answers and points."""

import html
import re
import subprocess
import sys
import unicodedata

import pypdf
import pytest

from lmcourse import exam as command
from lmcourse.exams import EXAMS, find
from lmcourse.exams.paper import answers, label_of
from lmcourse.files.places import ROOT
from lmcourse.site import printed_exams
from lmcourse.site.extensions.mathematics import Katex
from lmcourse.site.printed_exams import LINES, RULED, SPACE, UnsetFormula, as_html, printed

KATEX = Katex()
NAME = '王小明 "Ming" <b>'


@pytest.fixture(scope="module", params=EXAMS)
def pages(request):
    """An exam, its tasks, and its pages for one student."""
    exam, seed = find(request.param), 10**12 + 5
    return exam, exam.tasks(seed), printed(exam, seed, label_of(exam.name, seed), NAME, KATEX)


def plain(page):
    """The text of a page, without its style and its markup, on one line."""
    return " ".join(html.unescape(re.sub(r"<style>.*?</style>|<[^>]+>", "", page, flags=re.DOTALL)).split())


def test_every_page_names_the_student_and_the_paper(pages):
    exam, _, (paper, key) = pages[0], pages[1], (pages[2].paper, pages[2].key)
    label = label_of(exam.name, 10**12 + 5)
    for page in (paper, key):
        assert "王小明  Ming   b" in re.search(r'@top-left \{ content: "(.+?)"', page)[1]
        assert f"paper {label}" in re.search(r'@top-right \{ content: "(.+?)"', page)[1]
        assert "<b>" not in page and "$" not in plain(page), "formulas are set, and names are text"
    assert "do not hand out" in key and "do not hand out" not in paper


def test_paper_has_points_minutes_and_space_in_proportion(pages):
    _, tasks, found = pages
    sections = found.paper.split('<div class="task">')[1:]
    assert len(sections) == len(tasks)
    for section, task in zip(sections, tasks, strict=True):
        assert f"({task.points} points, {task.minutes} minutes): {task.title}" in plain(section)
        if task.question is None:
            assert section.count("<div></div>") == LINES * task.minutes // RULED
            continue
        assert f"height: {SPACE * task.minutes}mm" in section
        for entry in task.question.entry_points or ():
            assert isinstance(entry, int) or f"<em>{html.escape(entry)}</em>" in section, (
                "a line for each value"
            )


def test_paper_has_no_answer_and_the_key_has_all(pages):
    exam, tasks, found = pages
    told = answers(exam, 10**12 + 5)
    assert "Method." not in found.paper and "Rubric" not in found.paper and "mistake" not in found.paper
    key = plain(found.key)
    for task in tasks:
        assert " ".join((task.solution or task.model).replace("$", "").split())[:60] in key
        if task.question is None:
            wanted = [f"point{'s' if n > 1 else ''}: {' '.join(what.split())}" for n, what in task.rubric]
        elif task.question.form == "value":
            right = told[task.name]
            right = f"{right:.6g}" if isinstance(right, float) else right
            wanted = [mistake.name for mistake in task.question.mistakes]
            wanted += [part.split(": ")[-1] for part in right.split("; ")]
        else:
            wanted = ["Answer"]
        assert [text for text in wanted if text not in key] == []


def test_a_formula_that_cannot_be_set_is_quoted():
    with pytest.raises(UnsetFormula, match=r"The formula \$\\frac\{1\$ cannot be set"):
        as_html(r"Let $\frac{1$ be half.", KATEX)
    assert "`$x$`" not in as_html("A `$x$` in code stays.", KATEX) and "$x$" in as_html("`$x$`", KATEX)


@pytest.mark.browser
@pytest.mark.parametrize("name", EXAMS)
def test_pdf_is_whole_on_a4(browser, tmp_path, name):
    """By the command: the name and label on every page, no task's head without its text, nothing too wide."""
    out = tmp_path / name
    made = [name, "--students", "王小明", "Ada Lovelace", "--out", str(out), "--print"]
    # In a process of its own: Playwright allows no second browser in this one.
    subprocess.run([sys.executable, "-m", "lmcourse.exam", *made], cwd=ROOT, check=True)
    label = command.ExamFolder.read(out).students["王小明"]
    for kind in ("papers", "keys"):
        pdf = pypdf.PdfReader(out / "print" / kind / "王小明.pdf")
        texts = [plain(unicodedata.normalize("NFKC", page.extract_text())) for page in pdf.pages]
        for number, (page, text) in enumerate(zip(pdf.pages, texts, strict=True), 1):
            assert [round(float(x)) for x in page.mediabox[2:]] == [595, 842]
            assert "王小明" in text and label in text and f"{number} / {len(texts)}" in text
        assert all(not re.search(r"minutes\): [^.]{0,60}(王小明|\d+ / \d+)$", text) for text in texts)
    page = browser.new_page(viewport={"width": 658, "height": 900})  # 174 mm
    page.emulate_media(media="print")
    for path in sorted((out / "print").glob("*/*.html")):
        page.goto(path.as_uri())
        assert page.evaluate(TOO_WIDE) == []
        assert page.evaluate("document.fonts.check('12px KaTeX_Main')")
    page.close()


TOO_WIDE = """() => [...document.querySelectorAll('body *:not(.katex *)')]
  .filter(e => e.getBoundingClientRect().right > 659 || e.scrollWidth > e.clientWidth + 1 && e.clientWidth)
  .map(e => e.outerHTML.slice(0, 200))"""


def test_without_chromium_there_is_html_and_a_sentence(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(printed_exams, "find_browser", lambda: None)
    out = tmp_path / "midterm"
    assert command.main(["midterm", "--students", "Ada", "--out", str(out), "--print"]) == 0
    assert "HTML files alone, because no Chromium was found" in capsys.readouterr().out
    assert list(out.glob("print/papers/Ada*.html")) and (out / "print/katex/katex.css").exists()
    assert not list(out.glob("print/*/*.pdf"))
