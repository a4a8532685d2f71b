"""The small questions are found by their keys in every test of the hints."""

import pytest

from lmcourse import feedback
from lmcourse.questions import find
from tests.hints.small_questions import MEAN, SLOPE, THREE, VALUE


@pytest.fixture(autouse=True)
def own_questions(monkeypatch):
    own = {question.key: question for question in (MEAN, SLOPE, VALUE, THREE)}
    monkeypatch.setattr(feedback, "find_question", lambda key: own.get(key) or find(key))
