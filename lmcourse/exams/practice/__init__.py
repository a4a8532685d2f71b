"""The third exam: chapters 09 to 14, fourteen tasks, 120 minutes, 53 points.

The tasks need 108 minutes, so that a tenth is left.
"""

from __future__ import annotations

from lmcourse.exams import Exam, TaskTemplate
from lmcourse.exams.practice.changing import verdict, versions
from lmcourse.exams.practice.claims import argued
from lmcourse.exams.practice.coding import coded, counted
from lmcourse.exams.practice.limits import errors, frontier, tied
from lmcourse.exams.practice.protocols import leaked, mixes
from lmcourse.exams.practice.ranks import copies, ranks
from lmcourse.exams.practice.topics import peeked, printed

EXAM = Exam(
    name="practice",
    title="Third exam: the practice",
    minutes=120,
    allowed="a calculator or this notebook, and two sheets of your own notes",
    templates=(
        TaskTemplate("leaked", leaked, "09", minutes=6, points=3),
        TaskTemplate("mixes", mixes, "09", minutes=6, points=4),
        TaskTemplate("printed", printed, "10", minutes=8, points=4),
        TaskTemplate("peeked", peeked, "10", minutes=8, points=5),
        TaskTemplate("coded", coded, "11", minutes=7, points=3),
        TaskTemplate("counted", counted, "11", minutes=8, points=4),
        TaskTemplate("versions", versions, "12", minutes=8, points=4),
        TaskTemplate("verdict", verdict, "12", minutes=10, points=5),
        TaskTemplate("tied", tied, "13", minutes=7, points=4),
        TaskTemplate("frontier", frontier, "13", minutes=7, points=3),
        TaskTemplate("errors", errors, "13", minutes=7, points=3),
        TaskTemplate("ranks", ranks, "14", minutes=6, points=3),
        TaskTemplate("copies", copies, "14", minutes=7, points=3),
        TaskTemplate("argued", argued, "10, 11, 12, 13", minutes=13, points=5),
    ),
)
