"""The midterm: chapters 01 to 05, ten tasks, 75 minutes, 40 points.

The tasks need 67 minutes, so that a tenth is left.
"""

from __future__ import annotations

from functools import partial

from lmcourse.exams import Exam, TaskTemplate
from lmcourse.exams.evaluators import repair
from lmcourse.exams.midterm.source import chain, crossed, shared, slope
from lmcourse.exams.midterm.text import asked, converted, pooled
from lmcourse.exams.reports import report, two_reports

JUDGED = partial(report, suspects="M1 M2 M19 M25 M26")

EXAM = Exam(
    name="midterm",
    title="Midterm: the measure",
    minutes=75,
    allowed="a calculator or this notebook, and one sheet of your own notes",
    templates=(
        TaskTemplate("chain", chain, "01", minutes=5, points=3),
        TaskTemplate("crossed", crossed, "02, 03", minutes=6, points=4),
        TaskTemplate("slope", slope, "02", minutes=6, points=4),
        TaskTemplate("shared", shared, "03", minutes=8, points=4),
        TaskTemplate("pooled", pooled, "04", minutes=4, points=4),
        TaskTemplate("judged", JUDGED, "04", minutes=7, points=4),
        TaskTemplate("repaired", repair, "02, 04", minutes=9, points=4),
        TaskTemplate("converted", converted, "05", minutes=5, points=4),
        TaskTemplate("compared", two_reports, "05", minutes=5, points=3),
        TaskTemplate("asked", asked, "04, 05", minutes=12, points=6),
    ),
)
