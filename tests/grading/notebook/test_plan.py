"""What a submission adds to its set: answers in words, wherever they were written."""

import json

import pytest

from lmcourse.grading.notebook.key import Key
from lmcourse.grading.notebook.plan import make_plan
from lmcourse.grading.notebook.reading import read_cells
from tests.grading.catalogue import SET, Notebook, _text, write_small_set

NAME, PROMPT = "two-sentences", "*Write here.*"


@pytest.fixture(scope="module")
def key(tmp_path_factory):
    return Key(SET, write_small_set(tmp_path_factory.mktemp("small")))


def words(key, change):
    nb = Notebook()
    nb.cell(NAME)["source"] = PROMPT
    change(nb)
    return make_plan(key, read_cells(nb.file())[0]).words


def question(nb):
    return nb.cells[-2]


def below(nb):
    nb.cells.append(_text("Mine."))


def split(nb):
    nb.cell(NAME)["source"] = "First half."
    nb.cells.append({**json.loads(json.dumps(nb.cell(NAME))), "id": "other", "source": "Second half."})


def bare(nb):
    nb.cell(NAME)["source"] = "Mine."
    for cell in nb.cells:
        cell["metadata"] = {}
        del cell["id"]


def under_the_question(nb):
    question(nb)["source"] += "\n\nMine."


def in_the_question_without_metadata(nb):
    under_the_question(nb)
    for cell in nb.cells:
        cell["metadata"] = {}
        del cell["id"]


def in_place_of_the_prompt(nb):
    nb.cells[-1] = _text("Mine.")


def became_code(nb):
    nb.cell(NAME).update(cell_type="code", source="Mine.")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (below, "Mine."),
        (split, "First half.\n\nSecond half."),
        (bare, "Mine."),
        (under_the_question, "Mine."),
        (in_the_question_without_metadata, "Mine."),
        (in_place_of_the_prompt, "Mine."),
        (became_code, "Mine."),
    ],
)
def test_an_answer_in_words_is_found(key, change, expected):
    assert words(key, change) == {NAME: expected}


def test_nothing_written_and_texts_of_other_tasks_are_not_an_answer(key):
    def notes(nb):
        nb.cells.insert(3, _text("A note of Task 1."))
        nb.cells.insert(0, _text("My name."))

    assert words(key, lambda nb: None) == {}
    assert words(key, notes) == {}


def test_a_copy_of_an_answer_in_words_counts_once(key):
    def copied(nb):
        nb.cell(NAME)["source"] = "Mine."
        nb.cells.append(json.loads(json.dumps(nb.cell(NAME))))

    assert words(key, copied) == {NAME: "Mine."}
