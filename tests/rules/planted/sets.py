"""Faults for lmcourse/rules/sets.py: the rule, the change, and words that the rule must say."""

from nbformat.v4 import new_output

from tests.rules.small_project import EXERCISE, LAB, PLAN, SOLUTION, add_code, edit, output, replace, write


def drop_slides(cells):
    del cells[:2]


def set_type(kind):
    return lambda cells: cells[0].metadata.update(slideshow={"slide_type": kind} if kind else {})


def asks(cells):
    """A slide that asks, and one with its answer; then one that asks, and nothing."""
    cells[0].source += "\n\n### Predict 1\n\nHow many?"
    cells[2].metadata["tags"] = ["answer"]
    cells[4].source += "\n\n**Predict 2:** how many?"


def no_notes(cells):
    for cell in cells[5:]:
        if cell.metadata["slideshow"]["slide_type"] == "notes":
            cell.metadata["slideshow"]["slide_type"] = "skip"


PLANTED = [
    ("are_notebooks", write(LAB, "{"), "not JSON"),
    (
        "solutions_are_well_formed",
        replace(SOLUTION, "### TASK: Task 1: say 1.", "# say 1"),
        "no task message",
    ),
    (
        "solutions_are_executed",
        edit(SOLUTION, lambda cells: cells[3].update(execution_count=None)),
        r"say-2\) is not executed.*python -m lmcourse\.execute 02_topic",
    ),
    (
        "solutions_store_no_errors",
        output(1, "error", ename="ValueError", evalue="", traceback=[]),
        r"\(say-1\): stores ValueError",
    ),
    (
        "solutions_store_no_images",
        output(1, "display_data", {"image/png": "aGk=", "text/plain": "<Figure>"}),
        r"\(say-1\): stores image/png",
    ),
    ("solutions_store_nothing_by_chance", output(1, "stream", name="stderr", text="Warning"), "stderr"),
    (
        "solutions_store_nothing_by_chance",
        output(1, "execute_result", {"text/plain": "<Line2D at 0x7f3a5c0012>"}),
        "a memory address",
    ),
    ("solutions_store_nothing_by_chance", output(1, "stream", text="9/9 [00:01<00:00]"), "shows a time"),
    (
        "solutions_store_nothing_by_chance",
        output(2, "execute_result", {"text/plain": "3"}),
        "test that shows a value",
    ),
    ("solutions_are_full_sets", edit(SOLUTION, lambda cells: cells.__delitem__(slice(1, 3))), "has 9 tasks"),
    ("solutions_are_full_sets", replace(SOLUTION, '"points": 3', '"points": 2'), "gives 20 points"),
    ("solutions_are_full_sets", edit(SOLUTION, lambda cells: cells.pop()), "no task that a person grades"),
    (
        "solutions_are_full_sets",
        edit(SOLUTION, lambda cells: cells.__delitem__(slice(-3, -1))),
        "has 1 Look backs that ask",
    ),
    (
        "parts_have_an_experiment_and_a_figure",
        edit(SOLUTION, lambda cells: cells.__delitem__(slice(-3, -1))),
        "no set of Part I has '..Look back: a figure",
    ),
    (
        "solutions_are_well_formed",
        edit(SOLUTION, lambda cells: cells[2].metadata["nbgrader"].update(points=0)),
        "points 0",
    ),
    (
        "student_sets_are_current",
        replace(EXERCISE, "# A set", "# My set"),
        "is stale.*lmcourse.release 02_topic",
    ),
    ("student_sets_are_current", write("exercises/old/old.txt", "x"), "exercises/old/old.txt is extra"),
    (
        "students_see_no_markers",
        replace(EXERCISE, "# YOUR CODE HERE", "### BEGIN SOLUTION"),
        "BEGIN SOLUTION",
    ),
    ("students_see_no_markers", replace(EXERCISE, "# YOUR CODE HERE", "### BEGIN HIDDEN TESTS"), "HIDDEN"),
    (
        "labs_and_student_sets_have_no_outputs",
        edit(LAB, lambda cells: cells[-1].outputs.append(new_output("stream", text="1"))),
        "1 cells.*nbconvert --clear-output --inplace notebooks/02_topic.ipynb",
    ),
    (
        "labs_and_student_sets_have_no_outputs",
        edit(EXERCISE, lambda cells: cells[1].update(execution_count=1)),
        "Run: python -m lmcourse.release 02_topic",
    ),
    ("cells_are_short", add_code(LAB, "\n".join(f"x{n} = {n}" for n in range(26))), "has 26 lines"),
    ("labs_are_decks", edit(LAB, drop_slides), "has 19 slides"),
    ("labs_are_decks", edit(LAB, set_type(None)), "has the slide type None"),
    ("labs_are_decks", edit(LAB, set_type("page")), "has the slide type 'page'"),
    ("labs_are_decks", edit(LAB, no_notes), "2 of 20 slides have notes"),
    ("plans_state_their_minutes", edit(LAB, drop_slides), "says 'forty' where 'notes add up to 38 minutes'"),
    (
        "plans_state_their_minutes",
        replace(PLAN, "forty minutes", "an hour"),
        "lacks the words",
    ),
    ("predictions_have_answers", edit(LAB, asks), "the slide 'Slide 2' asks for a prediction"),
]
