"""Answers as a class of students hands them in: wrong ones with what they are told, right ones of every kind.

A module ``test_chNN_tries.py`` notes them, as a change of the solution or written afresh:

    TRIES = Tries("06_ngram_models")
    TRIES.wrong("set-aside", "L13", "has one k in the denominator", ("k * V)", "k)"))
    TRIES.right("set-aside", "set_aside = lambda counts, V, k, D: ...")

    class TestTries(TriesTests):
        tries = TRIES

The modules ``test_chNN.py`` have one wrong answer for each usual mistake, with its hint. Here are
others: half of a mistake, two of them, none that is known, one entry of several.
"""

import re
import textwrap
from unittest import mock

import pytest

from lmcourse.feedback import WrongAnswer, check, check_hidden
from lmcourse.files.notebooks import cell_name, checks_answer, is_answer, read
from lmcourse.files.places import ROOT
from lmcourse.hints.answers import agreement
from lmcourse.hints.answers import read as read_answer
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import copied, formula_value
from lmcourse.questions import of_chapter

SEED = 201


class Tries:
    """Wrong and right answers to the tasks of a solved set.

    Attributes
    ----------
    answers_wrong : list of (str, str, str, str)
        Task; the usual mistakes that the hint names, separated by blanks, or nothing; a part of the message;
        code.
    answers_right : list of (str, str)
        Task and code.
    """

    def __init__(self, stem):
        self.chapter = stem[:2]
        self.solved = read(ROOT / "solutions" / stem / f"{stem}.ipynb")
        self.questions = of_chapter(self.chapter)
        self.tasks, self.given, self.variables = {}, {}, {}
        self.setup, given, begun = [], [], False
        for cell in self.solved.cells:
            if cell.cell_type == "markdown" and cell.source.startswith("## Task"):
                begun, given = True, []
            if cell.cell_type != "code":
                continue
            if is_answer(cell):
                self.tasks[cell_name(cell)], self.given[cell_name(cell)] = cell.source, [*given]
            elif checks_answer(cell):
                name = cell_name(cell).removeprefix("test-")
                self.variables[name] = re.search(r"check\([^,]*, (\w+)\)", cell.source)[1]
            else:
                (given if begun else self.setup).append(cell.source)
        self.answers_wrong, self.answers_right = [], []
        self.names = {}  # after the cells that the tasks share

    def wrong(self, task, names, says, *answer):
        """Note a wrong answer: code, or changes of the solution, each a pair of texts."""
        self.answers_wrong.append((task, names, says, self._code(task, answer)))

    def right(self, task, *answer):
        """Note a right answer: code, or changes of the solution, each a pair of texts."""
        self.answers_right.append((task, self._code(task, answer)))

    def _code(self, task, answer):
        if isinstance(answer[0], str):
            return textwrap.dedent(answer[0])
        source = self.tasks[task]
        for old, new in answer:
            assert old in source, f"{task}: the solution has no {old!r}"
            source = source.replace(old, new)
        return source

    def question(self, task):
        return self.questions[f"{self.chapter}.{task}"]

    def answer(self, task, source):
        """Run the code after what the set gives before the task; ``right`` is the value of a fixed answer."""
        question = self.question(task)
        if not self.names:
            for code in self.setup:
                exec(compile(code, self.chapter, "exec"), self.names)
        names = dict(self.names) | ({"right": question.right()} if question.form == "value" else {})
        for code in (*self.given[task], source):
            exec(compile(code, task, "exec"), names)
        return names[self.variables[task]]

    def wrong_entries(self, task, answer):
        """The entries that are wrong on a visible case, if others are right on all of them; else nothing."""
        question, wrong, found = self.question(task), set(), set()
        if question.form == "expression" or question.reading is not None:
            return set()
        for case in question.cases:
            right = formula_value(question, question.right, case)
            if not isinstance(right, dict):
                return set()
            value = read_answer(answer(*copied(case)) if question.form == "function" else answer, like=right)
            for key, entry in right.items():
                found.add(key)
                if not agreement(value[key], entry, question.rtol, question.atol).all():
                    wrong.add(key)
        return wrong if wrong != found else set()


class TriesTests:
    """The tests of the tries of one set: subclass it and name them as ``tries``."""

    tries: Tries

    def pytest_generate_tests(self, metafunc):
        if "says" in metafunc.fixturenames:
            told = [
                pytest.param(*each, id=f"{each[0]}-{i}") for i, each in enumerate(self.tries.answers_wrong)
            ]
            metafunc.parametrize(("task", "names", "says", "source"), told)
        elif "source" in metafunc.fixturenames:
            right = [
                pytest.param(*each, id=f"{each[0]}-{i}") for i, each in enumerate(self.tries.answers_right)
            ]
            metafunc.parametrize(("task", "source"), right)

    @pytest.mark.filterwarnings("ignore")  # wrong code divides by 0 and overflows
    def test_a_wrong_answer_is_refused_and_told_what_is_true_of_it(self, task, names, says, source):
        tries, key = self.tries, self.tries.question(task).key
        answer = tries.answer(task, source)
        with pytest.raises(WrongAnswer) as caught:
            check(key, answer)
        message = str(caught.value)
        assert named(message) == names, message
        assert says in message
        try:
            wrong = tries.wrong_entries(task, answer)
        except Exception:  # no value of the expected form: the message says so
            wrong = set()
        assert all(f'"{entry}"' in message for entry in wrong), message
        quick = mock.patch("lmcourse.hints.judging.explain", lambda answer: ("wrong", ()))
        with quick, pytest.raises(WrongAnswer):  # to explain it again would take long
            check_hidden(key, answer, SEED)

    @pytest.mark.filterwarnings("ignore")
    def test_a_right_answer_of_any_kind_is_accepted(self, task, source, monkeypatch):
        monkeypatch.setattr("lmcourse.feedback.DRAWING_SECONDS", 0.02)
        key, answer = self.tries.question(task).key, self.tries.answer(task, source)
        check(key, answer)
        check_hidden(key, answer, SEED)

    def test_every_task_is_tried_in_several_ways(self):
        for task in self.tries.tasks:
            assert sum(each[0] == task for each in self.tries.answers_wrong) >= 5, task
            assert sum(each[0] == task for each in self.tries.answers_right) >= 2, task


def named(message):
    """The usual mistakes that a message names, in its order."""
    joined = r"[ML]\d+(?: \+ [ML]\d+)*"
    found = re.finditer(rf"(?<!\w)({joined}), (?:{'|'.join(map(re.escape, NAMES.values()))})", message)
    return " ".join(dict.fromkeys(each[1].replace(" ", "") for each in found))
