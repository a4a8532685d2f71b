"""Faults for lmcourse/rules/turned.py: the rule, the change, and words that the rule must say."""

from lmcourse.rules.tree import Tree
from lmcourse.rules.turned import READ, said_in
from tests.rules.small_project import write


def read_as(before, now):
    """Write a sentence on a page, store it as read, and write another in its place."""

    def change(root):
        (root / "book" / "index.md").write_text(before)
        stored = {path: [said.stored for said in sayings] for path, sayings in said_in(Tree(root)).items()}
        lines = [line for path, found in stored.items() for line in (f"## {path}", *found)]
        write(READ, "\n".join(lines))(root)
        (root / "book" / "index.md").write_text(now)

    return change


PLANTED = [
    (
        "turned_words_were_read",
        read_as("The network is *below* the table.\n", "The network is *above* the table.\n"),
        "book/index.md, line 1: says 'above' where 'below' was read",
    ),
    ("pages_were_read", read_as("A page.\n", "It is below two tables.\n"), "1 of 1 sentences are not stored"),
]
