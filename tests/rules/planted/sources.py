"""Faults for lmcourse/rules/sources.py: the rule, the change, and words that the rule must say."""

from tests.rules.small_project import write

PLANTED = [
    (
        "bibliography_was_looked_up",
        write("book/references.bib", "@book{mackay2003,\n  year = {2003},\n}\n"),
        "mackay2003 does not say when",
    ),
    (
        "bibliography_was_looked_up",
        write("book/references.bib", "@book{mackay2003,\n  year = {2004},\n}\n"),
        "mackay2003 has the year 2004",
    ),
    (
        "bibliography_was_looked_up",
        write("book/references.bib", "@book{x,\n  year = {1},\n  checked = {2026, doi; 00000000},\n}\n"),
        "x has changed since",
    ),
]
