"""Changes to tests, points and the other answers."""

from tests.grading.catalogue.hostile import WRONG, ZERO, HostileCases

CASES = HostileCases()
case = CASES.case


@case("edits the tests", average_surprisal=ZERO, forecasters=ZERO)
def _(nb):
    nb.change("average-surprisal", WRONG)
    nb.change("forecasters", ("return {", "return 0\n    return {"))
    nb.cell("test-average-surprisal")["source"] = "assert True"
    nb.cell("test-forecasters")["source"] = "forecasters = None"


@case("deletes the tests", average_surprisal=ZERO)
def _(nb):
    nb.change("average-surprisal", WRONG)
    nb.data["cells"] = [cell for cell in nb.cells if not cell["id"].startswith("test-")]


@case("gives a task a hundred points", average_surprisal=ZERO)
def _(nb):
    nb.change("average-surprisal", WRONG)
    for name in ("test-three-words", "test-average-surprisal"):
        nb.cell(name)["metadata"]["nbgrader"]["points"] = 100


@case("adds tests of its own, with points")
def _(nb):
    cell = nb.add("assert True")
    cell["metadata"] = {
        "nbgrader": {**nb.cell("test-forecasters")["metadata"]["nbgrader"], "grade_id": "test-me"}
    }


@case("makes the answer cell a test, and the test an answer", average_surprisal=("zero", ""))
def _(nb):
    nb.change("average-surprisal", WRONG)
    answer, test = nb.cell("average-surprisal"), nb.cell("test-average-surprisal")
    answer["metadata"], test["metadata"] = test["metadata"], answer["metadata"]
    answer["id"], test["id"] = test["id"], answer["id"]


@case("metadata of wrong types everywhere")
def _(nb):
    for cell in nb.cells:
        cell["metadata"] = {"nbgrader": ["grade"]} if cell["id"] != "forecasters" else None
        cell["outputs"] = {"x": 1}
    nb.cells.append(7)
    nb.cells.append({"cell_type": "code", "source": [1, 2], "metadata": 3, "id": {}})


@case("a notebook nested a hundred thousand deep", problem="it is not JSON")
def _(nb):
    return b'{"cells": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"


@case("a file of 60 MB", problem="which is the limit")
def _(nb):
    return b" " * 60_000_000


@case("a later cell takes a right answer away again", three_words=("full", ""))
def _(nb):
    nb.add("sentence_cost = average_surprisal = gradient = None")


@case(
    "an answer cell defines the other answers wrongly",
    forecasters=("zero", ""),
    average_surprisal=("full", ""),
)
def _(nb):
    nb.end("forecasters", "compare_forecasters = average_surprisal = sentence_cost = lambda *case: 0.0")
