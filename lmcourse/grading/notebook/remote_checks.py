"""``check`` and ``check_hidden`` as a grader runs them, on answers that live in another process."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lmcourse.exams import find_question as find
from lmcourse.grading.outside import proxies
from lmcourse.grading.outside.worker import Worker
from lmcourse.hints.answers import Unreadable, plain
from lmcourse.hints.judging import Call, WrongAnswer, judge
from lmcourse.hints.question import Case, Question, copied
from lmcourse.hints.wording import shown_inputs


class RemoteChecks:
    """``check`` and ``check_hidden`` as a grader needs them: data by calls, inputs by its own seed."""

    def __init__(
        self,
        probe: Worker,
        seed: int,
        why: Callable[[str], str] = lambda said: "",
        newer: Callable[[str, str], str] = lambda kind, said: "",
        wrong: Callable[[], None] = lambda: None,
    ):
        self.probe, self.seed, self.why, self.newer, self.wrong = probe, seed, why, newer, wrong
        self.key, self.mistakes, self.not_done, self.raised = "", (), False, ""
        self.read = True  # no call has raised, so a value that is not right is wrong

    def inputs(self, key: str) -> tuple[Case, ...]:
        return tuple(copied(case) for case in find(key).cases)

    def check(self, key: str, answer: Any) -> None:
        question = find(key)
        self._judge(question, answer, question.cases)

    def check_hidden(self, key: str, answer: Any, seed: int | None = None) -> None:
        question = find(key)
        self._judge(question, answer, question.fresh_cases(self.seed))

    def _judge(self, question: Question, answer: Any, cases: tuple[Case, ...]) -> None:
        self.key = question.key
        verdict = judge(question, self._caller(question, answer), cases, self.wrong)
        if not verdict.right:
            self.mistakes = verdict.mistakes
            raise WrongAnswer(verdict.message, verdict.points)

    def _caller(self, question: Question, answer: Any) -> Call:
        def call(case: Case) -> Any:
            if question.form != "function":
                if answer is None:
                    self.not_done, self.read = True, False
                    raise Unreadable("not done yet: the answer is None.")
                if question.form == "value":
                    return answer
                return self._told(
                    question, case, proxies.evaluate, self.probe, answer, question.symbols, case
                )
            if not callable(answer):
                kind = type(plain(answer)).__name__
                told = "pass the function itself instead of calling it"
                raise Unreadable(f"{told}: here you passed a value of the type {kind}.")
            return self._told(question, case, answer, *case)

        return call

    def _told(self, question: Question, case: Case, function: Callable, *arguments: Any) -> Any:
        """Call, and say in a sentence what was raised."""
        try:
            return function(*arguments)
        except NotImplementedError:
            self.not_done, self.read = True, False
            raise Unreadable("not done yet.") from None
        except proxies.RemoteError as error:
            self.raised, self.read = error.kind, False
            line = f" at `{error.line}`" if error.line else ""
            told = f"your function raises {named(error)}{line}, for {shown_inputs(question, case)}."
            raise Unreadable(told + self.why(str(error)) + self.newer(error.kind, str(error))) from None


def named(error: BaseException) -> str:
    """An error by its kind and its text, if it has one."""
    kind, said = getattr(error, "kind", type(error).__name__), str(error)
    return f"{kind}: {said}" if said else kind
