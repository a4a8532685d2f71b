"""Faults for lmcourse/rules/typed.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import PAGE, PLAN, write

NUMBERS = """\
```{code-cell} python
assert zeros == 91
```

## A

"""
"""A page with an assertion above its first section."""
PLANTED = [
    ("numbers_in_prose_are_held", write(PAGE, "It is 51.37.\n"), "types 51.37, which"),
    (
        "numbers_in_prose_are_held",
        write(PAGE, f"{NUMBERS}## B\n\nNow 90 and 91.\n"),
        "line 9: types 90, which",
    ),
    (
        "numbers_in_prose_are_held",
        write(PAGE, "{cite:t}`a` found 30.\nWe find 5%.\n"),
        "line 2: types 5%, which",
    ),
    (
        "numbers_in_notes_are_held",
        write(PLAN, "About 30 of 163,227 (slide 5).\n"),
        "types 163,227, which no cell of lab or page has",
    ),
    (
        "factors_in_words_are_claimed",
        write(PAGE, "It is nearly\nthirty times as much.\n"),
        "types 'nearly thirty times'",
    ),
]
