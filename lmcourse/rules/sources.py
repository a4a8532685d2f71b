"""Rules for what the book takes from others: an entry of the bibliography was looked up at its source."""

import hashlib
import re
from collections.abc import Iterator

from lmcourse.rules.tree import Tree

ENTRY = re.compile(r"^@\w+\{(?P<key>[^,\s]+),\n(?P<fields>.*?)^\}", re.MULTILINE | re.DOTALL)
CHECKED = re.compile(r"^ *checked *= *\{(?P<when>[^;}]*); (?P<digest>[0-9a-f]{8})\},?\n", re.MULTILINE)
YEAR = re.compile(r"^ *year *= *\{(\d{4})\}", re.MULTILINE)
YEAR_IN_KEY = re.compile(r"((?:19|20)\d\d)")


def bibliography_was_looked_up(tree: Tree) -> Iterator[str]:
    """Each entry of the bibliography says when it was last looked up, with a digest of what it said then."""
    for path, text in tree.texts("book/*.bib"):
        for entry in ENTRY.finditer(text):
            year, named = YEAR.search(entry["fields"]), YEAR_IN_KEY.search(entry["key"])
            if year and named and year[1] != named[1]:
                yield f"{path}: {entry['key']} has the year {year[1]}. Correct the year or the key."
            found = CHECKED.search(entry["fields"])
            now = digest(entry["fields"])
            if found is None or found["digest"] != now:
                state = "has changed since it was" if found else "does not say when it was"
                yield (
                    f"{path}: {entry['key']} {state} looked up. Open the source, compare every field, and "
                    f"write checked = {{DATE, WHERE; {now}}}."
                )


def digest(fields: str) -> str:
    """Return eight hexadecimal digits of an entry's fields; spaces and ``checked`` do not count.

    Examples
    --------
    >>> digest("  year = {1948},\\n") == digest("year  = {1948},\\n  checked = {2026; 0000aaaa},\\n")
    True
    >>> digest("year = {1948},\\n") == digest("year = {1949},\\n")
    False
    """
    words = " ".join(CHECKED.sub("", fields).split())
    return hashlib.sha256(words.encode()).hexdigest()[:8]
