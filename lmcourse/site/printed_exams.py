"""Papers and keys of an exam for print: HTML with the formulas set, and a PDF of each where Chromium is.

    FOLDER/print/papers/STUDENT.html, .pdf    with the student's name on every page, and space to write
    FOLDER/print/keys/STUDENT.html, .pdf      answers, methods, points, and what each usual mistake gives
    FOLDER/print/katex/                       what the HTML needs to show formulas

The PDF is the HTML, printed. Left out: the notebooks (`lmcourse.exams.paper`).
"""

from __future__ import annotations

import html
import importlib.util
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import sympy as sp
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

from lmcourse.exams import Exam
from lmcourse.exams.paper import answers, number_as_text, without_markup
from lmcourse.exams.task import ADVICE, ExamTask
from lmcourse.files.notebooks import write_text
from lmcourse.files.places import STATIC, TEMPLATES
from lmcourse.hints.answers import agreement
from lmcourse.hints.question import Question, formula_value
from lmcourse.site.chromium import find_browser
from lmcourse.site.extensions.mathematics import Katex

__all__ = ["Printed", "print_exam", "printed"]

SPACE, LINES = 7, 13
"""Millimetres of space for each minute of a task: to compute in, and to write sentences on."""

RULED = 8
"""Millimetres between two lines."""

FORMULA = re.compile(r"(?P<code>```.*?```|`[^`]*`)|\$\$(?P<display>.+?)\$\$|\$(?P<inline>.+?)\$", re.DOTALL)

INTRODUCTION = """
Allowed: {allowed}.

Each task is followed by a line for every value that it asks for, and by space for your work: write the
value of `"bits"`, for example, on the line that is called *bits*. Where a task gives points for parts of the
answer, a wrong part costs its own points only. The numbers of this paper are yours alone: another paper has
other numbers and other right answers.

**Digits.** Compute with all digits, and round only the result, to four significant digits or more: 0.01235,
1.235 and 1235 have four. A number that is right to four significant digits gets all its points, unless its
task asks for other digits.
"""


@dataclass(frozen=True)
class Printed:
    """The paper and the key of a student, as HTML."""

    paper: str
    key: str


class UnsetFormula(ValueError):
    """A formula of a task that KaTeX cannot read; the message quotes it."""


def printed(exam: Exam, seed: int, label: str, name: str, katex: Katex) -> Printed:
    """Return the pages of one variant for print.

    Raises
    ------
    UnsetFormula
        If a task has a formula that cannot be set.
    """
    tasks, shown = exam.tasks(seed), without_markup(name)
    told = answers(exam, seed)
    top = f"{exam.minutes} minutes, {exam.points} points"
    paper = [
        f"<h1>{html.escape(exam.title)}</h1>",
        f"<p><strong>{html.escape(shown)}</strong> · paper {label} · {top}</p>",
        as_html(INTRODUCTION.format(allowed=exam.allowed.replace(" or this notebook", "")), katex),
        *(_asked(number, task, katex) for number, task in enumerate(tasks, 1)),
    ]
    key = [
        f"<h1>{html.escape(exam.title)}: the key</h1>",
        f"<p><strong>{html.escape(shown)}</strong> · paper {label} · {top}</p>",
        *(_solved(number, task, told[task.name], katex) for number, task in enumerate(tasks, 1)),
    ]
    return Printed(
        _page(f"{exam.title}, {shown}", shown, f"paper {label}", paper),
        _page(f"{exam.title}, key, {shown}", shown, f"KEY of paper {label}: do not hand out", key),
    )


def print_exam(
    exam: Exam,
    students: Iterable[tuple[str, int, str, str]],
    out: Path,
    progress: Callable[[str], None] = lambda name: None,
) -> str:
    """Write papers and keys of a class to ``out``; return a sentence on what is there.

    Parameters
    ----------
    exam : Exam
    students : iterable of (str, int, str, str)
        Name, seed of the variant, label, and the name of the files.
    out : Path
    progress : callable
        Called with each name whose pages are written.
    """
    katex, written = Katex(), []
    shutil.copytree(STATIC / "katex", out / "katex", dirs_exist_ok=True)
    with _printer() as to_pdf:
        for name, seed, label, file in students:
            pages = printed(exam, seed, label, name, katex)
            for kind, page in (("papers", pages.paper), ("keys", pages.key)):
                path = out / kind / f"{file}.html"
                if write_text(path, page) or not path.with_suffix(".pdf").exists():
                    to_pdf(path)
                written.append(path)
            progress(name)
        return f"Papers and keys for print are in {out}/. {to_pdf.said}"


class _printer:
    """Prints HTML as PDF while it is open, if this machine has Chromium; ``said`` tells what is there."""

    said = (
        "Hand out print/papers/, and keep print/keys/. There is an HTML file and a PDF of each; the pages are"
        " A4."
    )
    without = (
        "These are HTML files alone, because no Chromium was found to make PDFs of them. Open each in a"
        " browser and print it on A4, or install Chromium (on Debian or Ubuntu: apt install chromium), or"
        " name yours with CHROMIUM=/path/to/it, and run the command again."
    )

    def __enter__(self):
        self.playwright = self.browser = None
        path = find_browser() if importlib.util.find_spec("playwright") else None
        if path is None:
            self.said = self.without
            return self
        from playwright.sync_api import Error, sync_playwright

        self.playwright = sync_playwright().start()
        try:
            self.browser = self.playwright.chromium.launch(
                executable_path=path, args=["--no-sandbox", "--disable-gpu"]
            )
        except Error as error:
            self.said = f"{self.without} ({path} could not be started: {str(error).splitlines()[0]})"
        return self

    def __call__(self, path: Path) -> None:
        if self.browser is None:
            return
        page = self.browser.new_page()
        page.goto(path.resolve().as_uri(), wait_until="load")
        page.evaluate("() => document.fonts.ready.then(() => true)")
        half = path.with_suffix(".part")
        page.pdf(path=str(half), prefer_css_page_size=True, print_background=True)
        half.replace(path.with_suffix(".pdf"))
        page.close()

    def __exit__(self, *error):
        if self.browser:
            self.browser.close()
        if self.playwright:
            self.playwright.stop()


def as_html(markdown: str, katex: Katex) -> str:
    """Return Markdown as HTML, with its formulas set."""
    from nbconvert.filters.markdown_mistune import markdown2html_mistune

    formulas: list[str] = []

    def taken_out(match: re.Match) -> str:
        if match["code"]:
            return match[0]
        try:
            tex, display = match["display"] or match["inline"], bool(match["display"])
            formulas.append(katex.render(tex.strip(), display=display))
        except ValueError as fault:
            raise UnsetFormula(f"The formula {match[0]} cannot be set: {fault}. Correct it.") from None
        return f"FORMULA{len(formulas) - 1}END"

    page = markdown2html_mistune(FORMULA.sub(taken_out, markdown.strip()))
    return re.sub(r"FORMULA(\d+)END", lambda match: formulas[int(match[1])], page)


def _page(title: str, name: str, what: str, body: list[str]) -> str:
    # The margins of a page are strings of CSS, in which a backslash or a quotation mark means something else.
    quoted = (text.replace("\\", "").replace('"', "'") for text in (name, what))
    name, what = (Markup(html.escape(text, quote=False)) for text in quoted)
    style = Markup((STATIC / "print.css").read_text(encoding="utf-8"))
    return _template().render(title=title, name=name, what=what, style=style, body=Markup("\n".join(body)))


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES / "exams"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("paper.html")


def _heading(number: int, task: ExamTask) -> str:
    worth = f"{_worth(task.points)}, {task.minutes} minutes"
    return f"<h2>Task {number} ({worth}): {html.escape(task.title)}</h2>"


def _asked(number: int, task: ExamTask, katex: Katex) -> str:
    """A task with a line for each value, and with space in proportion to its minutes."""
    text = f'<div class="text">{_heading(number, task)}{as_html(task.on_paper, katex)}</div>'
    if task.question is None:
        lines = "<div></div>" * (LINES * task.minutes // RULED)
        return f'<div class="task">{text}<div class="ruled">{lines}</div></div>'
    space = f'<div class="space" style="height: {SPACE * task.minutes}mm"></div>'
    values = f'<div class="values">{"".join(_blanks(task, task.question))}</div>'
    return f'<div class="task">{text}{values}{space}</div>'


def _blanks(task: ExamTask, question: Question) -> list[str]:
    """The lines for the values of an answer, each with its name."""
    if question.form == "function":
        return [f"<code>{html.escape(task.head)}</code>"]
    if question.form == "expression":
        return [_blank(task.name, wide=True)]
    value = question.right(*question.cases[0])
    value = value if isinstance(value, dict) else {task.name: value}
    return [_blank(key, count=np.size(entry)) for key, entry in value.items()]


def _blank(name: str, count: int = 1, wide: bool = False) -> str:
    blank = f'<span class="blank{" wide" if wide else ""}"></span>'
    return f'<span class="value"><em>{html.escape(str(name))}</em>{blank * count}</span>'


def _solved(number: int, task: ExamTask, told: str | float, katex: Katex) -> str:
    """The key of a task: its text, the answer with the points of its parts, the method, usual mistakes."""
    asked = f'<div class="small">{as_html(task.text, katex)}</div>'
    if task.question is None:
        rubric = "".join(f"<li>{_worth(n)}: {html.escape(what)}</li>" for n, what in task.rubric)
        model = f"<p><strong>A model answer.</strong></p>{as_html(task.model, katex)}"
        rubric = f'<div class="text"><p><strong>Rubric.</strong></p><ul>{rubric}</ul></div>'
        return f'<div class="task long">{_heading(number, task)}{asked}{model}{rubric}</div>'
    advice = "" if task.question.advice == ADVICE else f"<p>{html.escape(task.question.advice)}</p>"
    head = f"{task.head}\n" if task.head else ""
    body = "\n".join(f"    {line}" if task.head else line for line in task.solution.splitlines())
    code = html.escape(head + body)
    method = f'<div class="method"><p><strong>Method.</strong></p>{advice}<pre>{code}</pre></div>'
    right = _right(task, task.question, told, katex)
    parts = [_heading(number, task), asked, right, method, _usual(task.question)]
    return f'<div class="task long">{"".join(parts)}</div>'


def _right(task: ExamTask, question: Question, told: str | float, katex: Katex) -> str:
    """The right answer, with the points of each part."""
    if question.form == "function":
        worth = f"{_worth(task.points)} for the repair of both"
        return f"<p><strong>Answer:</strong> {html.escape(str(told))}. {worth}.</p>"
    if question.form == "expression":
        read = sp.sympify(told, {name: sp.Symbol(name) for name in question.symbols})
        tex = sp.latex(read, ln_notation=True)
        shown = katex.render(rf"\text{{{task.name}}} = {tex}", display=True)
        return f"<p><strong>Answer</strong> ({_worth(task.points)}), or any equivalent form:</p>{shown}"
    value = question.right(*question.cases[0])
    value = value if isinstance(value, dict) else {task.name: value}
    points = question.entry_points or {}
    rows = ""
    for key, entry in value.items():
        worth = points.get(key)
        if worth is None:  # one number, or a list whose entries have points of their own
            worth = ", ".join(map(str, points.values())) or task.points
        rows += f"<tr><td>{html.escape(str(key))}</td><td>{_shown(entry)}</td><td>{worth}</td></tr>"
    return f"<table><tr><th>part</th><th>right</th><th>points</th></tr>{rows}</table>"


def _worth(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def _usual(question: Question) -> str:
    """What each usual mistake gives, so that a wrong number on paper can be explained."""
    if question.form != "value":
        return ""
    (case,) = question.cases
    right = formula_value(question, question.right, case)
    rows = ""
    for mistake in question.mistakes:
        wrong = formula_value(question, mistake.wrong, case)
        changed = _changed(wrong, right, question.rtol)
        rows += f"<tr><td>{changed}</td><td>{html.escape(mistake.name)}</td></tr>"
    return f'<table class="small"><tr><th>a wrong value</th><th>its mistake</th></tr>{rows}</table>'


def _changed(wrong, right, rtol: float) -> str:
    """The entries of a wrong answer that are not right."""
    if not isinstance(right, dict):
        return _shown(wrong)
    differs = (key for key in right if not agreement(wrong[key], right[key], rtol=rtol, atol=1e-9).all())
    return "; ".join(f"{html.escape(str(key))}: {_shown(wrong[key])}" for key in differs)


def _shown(entry) -> str:
    """A value as text: numbers with six digits or more, counts with all of them."""
    if isinstance(entry, str):
        return html.escape(entry)
    return ", ".join(map(number_as_text, np.ravel(entry).tolist()))
