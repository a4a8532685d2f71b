"""Answers as a class of students hands them in: wrong ones with what they are told, right ones of every kind.

A module ``test_chNN_tries.py`` notes them, as a change of the solution or written afresh:

    SET = ExerciseSet("06_ngram_models")
    SET.told("set-aside", "L13", "has one k in the denominator", ("k * V)", "k)"))
    SET.right("set-aside", "set_aside = lambda counts, V, k, D: ...")

    class TestTries(TriesTests):
        exercises = SET

The modules ``test_chNN.py`` have one wrong answer for each usual mistake, with its hint. Here are
others: half of a mistake, two of them, none that is known, one entry of several.
"""

import re
from unittest import mock

import pytest

from lmcourse.feedback import WrongAnswer, check, check_hidden
from lmcourse.hints.answers import agreement
from lmcourse.hints.answers import read as read_answer
from lmcourse.hints.mistakes import NAMES
from lmcourse.hints.question import copied, formula_value
from tests.questions.exercise_sets import ExerciseSet

SEED = 201


class TriesTests:
    """The tests of the tries of one set: subclass it and name the set as ``exercises``."""

    exercises: ExerciseSet

    def pytest_generate_tests(self, metafunc):
        if "says" in metafunc.fixturenames:
            told = [
                pytest.param(*each, id=f"{each[0]}-{i}") for i, each in enumerate(self.exercises.messages)
            ]
            metafunc.parametrize(("task", "names", "says", "source"), told)
        elif "source" in metafunc.fixturenames:
            right = [
                pytest.param(*each, id=f"{each[0]}-{i}") for i, each in enumerate(self.exercises.unusual)
            ]
            metafunc.parametrize(("task", "source"), right)

    @pytest.mark.filterwarnings("ignore")  # wrong code divides by 0 and overflows
    def test_a_wrong_answer_is_refused_and_told_what_is_true_of_it(self, task, names, says, source):
        key, answer = self.exercises.key(task), self.exercises.answer(task, source)
        with pytest.raises(WrongAnswer) as caught:
            check(key, answer)
        message = str(caught.value)
        assert named(message) == names, message
        assert says in message
        try:
            wrong = wrong_entries(self.exercises.questions[key], answer)
        except Exception:  # no value of the expected form: the message says so
            wrong = set()
        assert all(f'"{entry}"' in message for entry in wrong), message
        quick = mock.patch("lmcourse.hints.judging.explain", lambda answer: ("wrong", ()))
        with quick, pytest.raises(WrongAnswer):  # to explain it again would take long
            check_hidden(key, answer, SEED)

    @pytest.mark.filterwarnings("ignore")
    def test_a_right_answer_of_any_kind_is_accepted(self, task, source, monkeypatch):
        monkeypatch.setattr("lmcourse.feedback.DRAWING_SECONDS", 0.02)
        key, answer = self.exercises.key(task), self.exercises.answer(task, source)
        check(key, answer)
        check_hidden(key, answer, SEED)

    def test_every_task_is_tried_in_several_ways(self):
        for task in self.exercises.tasks:
            assert sum(each[0] == task for each in self.exercises.messages) >= 5, task
            assert sum(each[0] == task for each in self.exercises.unusual) >= 2, task


def wrong_entries(question, answer):
    """The entries that are wrong on a visible case, if others are right on all of them; else nothing."""
    wrong, found = set(), set()
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


def named(message):
    """The usual mistakes that a message names, in its order."""
    joined = r"[ML]\d+(?: \+ [ML]\d+)*"
    found = re.finditer(rf"(?<!\w)({joined}), (?:{'|'.join(map(re.escape, NAMES.values()))})", message)
    return " ".join(dict.fromkeys(each[1].replace(" ", "") for each in found))
