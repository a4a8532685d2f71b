"""Faults for lmcourse/rules/guides.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import PLACES, write

PLANTED = [
    (
        "list_of_places_can_be_read",
        write("CONTRIBUTING.md", PLACES.replace("a.j2`", "a.j2` → all tests")),
        "no test behind its arrow",
    ),
    (
        "folders_are_in_the_list_of_places",
        write("CONTRIBUTING.md", PLACES.replace(", `lmcourse/templates/a.j2`", "")),
        "lacks lmcourse/templates/",
    ),
]
