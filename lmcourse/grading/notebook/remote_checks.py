"""``check`` and ``check_hidden`` as a grader runs them, on answers that live in another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lmcourse.exams import find_question
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.worker import Worker
from lmcourse.hints.answers import Unreadable
from lmcourse.hints.judging import Call, WrongAnswer, caller, judge
from lmcourse.hints.question import Case, Question, copied
from lmcourse.hints.wording import shown_inputs


class RemoteChecks:
    """``check``, ``check_hidden`` and ``inputs`` for one test cell, and what they found.

    Parameters
    ----------
    probe : Worker
        The fork of the worker in which the answers are.
    seed : int
        Draws the hidden inputs; the seed in the test cell is not used.
    explain : callable
        Takes the kind and the message of an error; returns sentences on its cause.
    on_wrong : callable
        Called if all values were read and at least one is wrong.

    Attributes
    ----------
    question_key : str
        The key of the question that was checked last.
    mistakes : tuple of str
    not_done : bool
        Whether the answer is None, or its function raises `NotImplementedError`.
    raised : str
        The name of the error that a call raised; else empty.
    read : bool
        Whether no call has raised, so that a value that is not right counts as wrong.
    """

    def __init__(
        self,
        probe: Worker,
        seed: int,
        explain: Callable[[str, str], str] = lambda kind, message: "",
        on_wrong: Callable[[], None] = lambda: None,
    ):
        self.probe, self.seed, self.explain, self.on_wrong = probe, seed, explain, on_wrong
        self.question_key, self.raised = "", ""
        self.mistakes: tuple[str, ...] = ()
        self.not_done, self.read = False, True

    def inputs(self, key: str) -> tuple[Case, ...]:
        return tuple(copied(case) for case in find_question(key).cases)

    def check(self, key: str, answer: Any) -> None:
        question = find_question(key)
        self.judge(question, answer, question.cases)

    def check_hidden(self, key: str, answer: Any, seed: int | None = None) -> None:
        question = find_question(key)
        self.judge(question, answer, question.fresh_cases(self.seed))

    def judge(self, question: Question, answer: Any, cases: tuple[Case, ...]) -> None:
        """Judge an answer, and remember what was found.

        Raises
        ------
        WrongAnswer
            If it is not right.
        """
        self.question_key = question.key
        if answer is None and question.form != "function":
            self.not_done, self.read = True, False
        verdict = judge(question, self.caller(question, answer), cases, self.on_wrong)
        if not verdict.right:
            self.mistakes = verdict.mistakes
            raise WrongAnswer(verdict.message, verdict.points)

    def caller(self, question: Question, answer: Any) -> Call:
        """Return the function from a case to the student's value."""

        def call(function: Callable, case: Case) -> Any:
            return self._ask(question, case, function, *case)

        def evaluate(formula: Any, case: Case) -> Any:
            return self._ask(question, case, proxies.evaluate, self.probe, formula, question.symbols, case)

        return caller(question, answer, call, evaluate)

    def _ask(self, question: Question, case: Case, function: Callable, *arguments: Any) -> Any:
        """Call a function that asks the worker; an error of the student becomes a sentence."""
        try:
            return function(*arguments)
        except NotImplementedError:
            self.not_done, self.read = True, False
            raise Unreadable("not done yet.") from None
        except proxies.RemoteError as error:
            self.raised, self.read = error.kind, False
            line = f" at `{error.line}`" if error.line else ""
            message = f"your function raises {error_text(error)}{line}, for {shown_inputs(question, case)}."
            raise Unreadable(message + self.explain(error.kind, str(error))) from None


def error_text(error: BaseException) -> str:
    """Return the kind of an error, with its message if it has one."""
    kind, message = getattr(error, "kind", type(error).__name__), str(error)
    return f"{kind}: {message}" if message else kind
