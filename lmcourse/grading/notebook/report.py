"""Show a result to people: a table for the terminal, a page for a browser."""

from __future__ import annotations

import json
import re
import textwrap
from typing import TYPE_CHECKING

from lmcourse.files.places import TEMPLATES
from lmcourse.grading.notebook.result import Result

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

WIDTH = 96
CODE = re.compile(r"`([^`]+)`")


def as_table(result: Result) -> str:
    """Return the table of tasks, the total, and how it came about, for a terminal.

    Examples
    --------
    >>> from lmcourse.grading.notebook.result import TaskResult
    >>> task = TaskResult("bigram", "Task 11a", "a bigram model", 0, 3, "zero", "Add k to every count.")
    >>> print(as_table(Result("02_cross_entropy", 7, (task,), "Protection: full.")))
    02_cross_entropy
    <BLANKLINE>
    Task 11a  a bigram model                                    0 /  3  zero
              Add k to every count.
    <BLANKLINE>
    Total: 0 of 3 points.
    Hidden inputs of seed 7. Protection: full.
    """
    if result.problem:
        return f"Not graded. {printable(result.problem)}"
    lines = [result.set_name, ""]
    for task in result.tasks:
        points = " -" if task.points is None else f"{task.points:2g}"
        title = textwrap.shorten(printable(task.title), 48, placeholder=" ...")
        lines.append(f"{task.label:8s}  {title:48s} {points} / {task.maximum:2d}  {task.status}")
        if task.reason and task.status != "by hand":
            indent = " " * 10
            lines += textwrap.wrap(
                printable(task.reason), WIDTH, initial_indent=indent, subsequent_indent=indent
            )
    return "\n".join(
        [*lines, "", *totals(result), f"Hidden inputs of seed {result.seed}. {result.protection}"]
    )


def totals(result: Result) -> list[str]:
    """The total in words, one line for what a machine graded and one for what a person grades."""
    lines = [f"Total: {result.points} of {result.maximum} points."]
    if result.by_hand:
        points = "1 point" if result.by_hand == 1 else f"{result.by_hand} points"
        lines.append(f"A person grades {points} more: {', '.join(_by_hand(result))}.")
    return lines


def as_html(result: Result) -> str:
    """Return the feedback as a page. Everything in it is escaped: answers are untrusted text."""
    environment = templates()
    environment.filters["with_code"] = _with_code
    return environment.get_template("feedback.html").render(result=result, totals=totals(result))


def as_notebook(result: Result) -> str:
    """Return the feedback as a notebook with one cell of indented text, in which nothing is markup."""
    text = textwrap.indent(as_table(result), "    ")
    cell = {"cell_type": "markdown", "id": "feedback", "metadata": {}, "source": f"# Feedback\n\n{text}"}
    whole = {"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1) + "\n"


def templates() -> jinja2.Environment:
    """Return what fills the templates of pages; all text in them is escaped."""
    import jinja2  # only pages need it

    loader = jinja2.FileSystemLoader(TEMPLATES / "grading")
    environment = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    environment.filters["printable"] = printable
    return environment


def printable(text: str) -> str:
    """Return text that is safe in any terminal and file: printable characters, on one line."""
    shown = "".join(c if c.isprintable() else " " for c in text)
    return shown.encode("utf-8", "replace").decode("utf-8")


def _with_code(text: str) -> Markup:
    """Return text for a page: escaped first, and then with the parts between backticks as code."""
    from markupsafe import Markup, escape

    return Markup(CODE.sub(r"<code>\1</code>", str(escape(printable(text)))))


def _by_hand(result: Result) -> list[str]:
    return [task.label for task in result.tasks if task.status == "by hand"]
