"""Check an answer, and name the mistake that gives it.

    check("02.average-surprisal", average_surprisal)

prints one line if the answer is right, and else raises `WrongAnswer`, an `AssertionError`, with a hint. The
notebook does not contain the expected value: right and wrong values are computed here, on the same inputs.

A notebook shows the hint as HTML, above one line of error: JupyterLab breaks the lines of an error inside
words, and an error has no links. Colab and VS Code show the same HTML, and a terminal the message alone.

`lmcourse.hints.judging`, which the grader uses as well, decides whether an answer is right.
"""

from __future__ import annotations

import contextlib
import html
import io
import os
import re
import sys
import textwrap
import time
import traceback
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from lmcourse import REPOSITORY
from lmcourse.exams import find_question
from lmcourse.hints.answers import Unreadable, agreement, evaluate, read
from lmcourse.hints.judging import Call, Verdict, WrongAnswer, caller, judge, right_answer
from lmcourse.hints.matching import LOOSE
from lmcourse.hints.question import Case, Question, copied, formula_value
from lmcourse.hints.wording import in_words, short_of, shown_inputs

__all__ = ["WrongAnswer", "check", "check_hidden", "inputs"]

DRAWS, DRAWING_SECONDS = 64, 0.5
"""On how many inputs, and how long at most, `check` looks whether an answer is precise on others too."""

SMALL = 1e-5
"""Differences that float32 may make by itself, where numbers of the size of one are subtracted."""

SERVED = "LMCOURSE_BOOK"
"""The variable in which `make lab` says under which address its server has the built book."""


def check(key: str, answer: Any) -> None:
    """Compare a student's answer with the question's visible cases; print one line, or raise with a hint.

    Parameters
    ----------
    key : str
        Chapter and task, as in ``"02.three-words"``.
    answer : object
        The student's function, or the value or SymPy expression that the task asks for.

    Raises
    ------
    WrongAnswer
        An `AssertionError` whose message names the mistake, a broken property, or says what to try.
    KeyError
        If there is no such question; the message lists the keys of the chapter.
    """
    question = find_question(key)
    _tell(judge(question, _caller(question, answer), question.cases))
    _tell(_precise(question, answer))
    print(f"{key}: right ({question.points} {'point' if question.points == 1 else 'points'})")


def check_hidden(key: str, answer: Any, seed: int) -> None:
    """Compare a student's answer on inputs that are drawn from ``seed``; prints and raises as `check` does.

    A question without random inputs (its answer is one fixed value) is compared on its visible case.
    """
    question = find_question(key)
    cases = question.fresh_cases(seed)
    _tell(judge(question, _caller(question, answer), cases))
    print(f"{key}: right on {len(cases)} {'fresh inputs' if question.draw else 'input'}")


def inputs(key: str) -> tuple[Case, ...]:
    """Return the visible inputs of a question, one tuple of arguments for each call, to try things on.

    Examples
    --------
    >>> inputs("02.three-words")[0]
    (array([0.25, 0.5 , 0.4 ]),)
    """
    return tuple(copied(case) for case in find_question(key).cases)


def _caller(question: Question, answer: Any) -> Call:
    """Turn what a student gives to `check` into a function from a case to a value."""

    def call(function: Any, case: Case) -> Any:
        try:
            return function(*case)
        except NotImplementedError as error:
            raise Unreadable(f"not done yet. {error}".rstrip()) from None
        except Exception as error:
            frames = traceback.extract_tb(error.__traceback__)[1:]
            line = f" at `{frames[0].line}`" if frames and frames[0].line else ""
            told = f"your function raises {type(error).__name__}: {error}{line}"
            raise Unreadable(f"{told}, for {shown_inputs(question, case)}.") from error

    return caller(question, answer, call, lambda formula, case: evaluate(formula, question.symbols, case))


def _precise(question: Question, answer: Any) -> Verdict:
    """Whether an answer that is right on the visible inputs is as precise on others, as a grader has them.

    Float32 often passes on a few round inputs. The grader reports any other difference there.
    """
    right = right_answer(question)
    if question.draw is None or question.form != "function":
        return right
    call, rng = _caller(question, answer), np.random.default_rng([0, *question.key.encode()])
    end = time.monotonic() + DRAWING_SECONDS
    with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        told = right
        for _ in range(DRAWS):
            case = question.draw(rng)
            target = formula_value(question, question.right, case)
            try:
                value = read(call(copied(case)), like=target)
            except Unreadable:
                return right
            if not agreement(value, target, LOOSE, max(question.atol, SMALL)).all():
                return right
            if told.right and not agreement(value, target, question.rtol, question.atol).all():
                inputs_there = shown_inputs(question, case)
                said = f"right on the visible inputs, but only close for {inputs_there}: {short_of(question)}"
                told = Verdict(question.key, False, (f"{said}. {question.precision}",))
            if time.monotonic() > end:
                break
    return told


def _tell(verdict: Verdict) -> None:
    if not verdict.right:
        wrong = WrongAnswer(verdict.message, verdict.points)
        wrong.shown = _show(verdict)
        raise wrong from None


def _show(verdict: Verdict) -> bool:
    """Show the hint above the error, where Python runs behind a notebook; return whether it does."""
    ipython = sys.modules.get("IPython")
    if getattr(ipython and ipython.get_ipython(), "kernel", None) is None:
        return False
    words = textwrap.fill(f"{verdict.message} {_on_the_list(verdict.mistakes)}".strip(), 80)
    ipython.display.display({"text/html": _as_html(verdict, _mistakes_page()), "text/plain": words}, raw=True)
    return True


def _as_html(verdict: Verdict, page: str) -> str:
    """The hint with links to the page of mistakes, if there is one."""
    text = "<br>".join(html.escape(line, quote=False) for line in verdict.lines)
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", text)
    listed = html.escape(_on_the_list(verdict.mistakes))
    if page:
        for number in verdict.mistakes:
            if number.startswith("M"):
                link = f'<a href="{html.escape(page)}#{number.lower()}" target="_blank">{number}</a>'
                text = re.sub(rf"\b{number}\b", link, text, count=1)
        link = f'<a href="{html.escape(page)}" target="_blank">list of mistakes</a>'
        listed = listed.replace("list of mistakes", link)
    style = "border-left: 4px solid #c75000; padding: 0.1em 0.8em; max-width: 46em; line-height: 1.5"
    note = f'<br><span style="font-size: smaller">{listed}</span>' if listed else ""
    return f'<div style="{style}"><b>{html.escape(verdict.key)}</b>: {text}{note}</div>'


def _on_the_list(mistakes: Sequence[str]) -> str:
    """What the numbers of mistakes in a hint refer to; nothing if there are none."""
    listed, slips = ([m for m in dict.fromkeys(mistakes) if m.startswith(letter)] for letter in "ML")
    said = []
    if listed:
        where = "is on the book's list of mistakes, which says where it is treated."
        if len(listed) > 1:
            where = "are on the book's list of mistakes, which says where each is treated."
        said.append(f"{in_words(listed)} {where}")
    if slips:
        what = "is a slip that is" if len(slips) == 1 else "are slips that are"
        whose = "that" if listed else "the book's"
        said.append(f"{in_words(slips)} {what} not on {whose} list of mistakes.")
    return " ".join(said)


def _mistakes_page() -> str:
    """The address of the book's page of mistakes: published, or served by `make lab`; nothing if neither."""
    if REPOSITORY:
        owner, _, name = REPOSITORY.partition("/")
        return f"https://{owner.lower()}.github.io/{name}/book/mistakes.html"
    built = Path(__file__).resolve().parents[1] / "_build" / "html" / "book" / "mistakes.html"
    return f"{os.environ[SERVED]}/book/mistakes.html" if SERVED in os.environ and built.exists() else ""
