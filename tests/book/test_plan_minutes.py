"""A lesson plan states the minutes that the notes of its deck add up to."""

import re

import nbformat
import pytest

from lmcourse.files.places import ROOT

PLANS = sorted((ROOT / "book" / "instructors").glob("[0-9][0-9]_*.md"))
IN_WORDS = {"thirty-eight": 38, "thirty-nine": 39, "forty": 40}


def core_minutes(cells):
    """The minutes of the notes on the slides that are not optional."""
    total, optional = 0, False
    for cell in cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind in ("slide", "subslide"):
            optional = "optional" in cell.metadata.get("tags", [])
        note = re.match(r"\*\*(\d+) min", cell.source)
        if kind == "notes" and note and not optional:
            total += int(note[1])
    return total


@pytest.mark.parametrize("path", PLANS, ids=lambda path: path.stem)
def test_the_stated_minutes_are_those_of_the_notes(path):
    (stated,) = re.findall(r"notes add up to ([\w-]+) minutes", path.read_text(encoding="utf-8"))
    lab = nbformat.read(ROOT / "notebooks" / f"{path.stem}.ipynb", 4)
    assert core_minutes(lab.cells) == (IN_WORDS.get(stated) or int(stated))
