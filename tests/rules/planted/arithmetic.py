"""Faults for lmcourse/rules/arithmetic.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import SOLUTION, edit, write

RUBRIC = "**Rubric**\n\n- 3 points: the reason."
PLANTED = [
    (
        "equations_of_numbers_hold",
        write("book/index.md", "It is $\\ln 82 = 4.14$ nats.\n"),
        "book/index.md, line 1: .* the sides are 4.40672 and 4.14",
    ),
    (
        "numbers_in_answers_follow",
        edit(SOLUTION, lambda cells: cells[-1].update(source=f"As $\\ln 82 = 4.41$, or 6.63.\n\n{RUBRIC}")),
        "6.63 does not follow",
    ),
]
