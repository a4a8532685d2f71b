"""The final exam: chapters 01 to 08, fifteen tasks, 120 minutes, 60 points.

The tasks need 108 of the 120 minutes, so that a tenth is left.
"""

from __future__ import annotations

from functools import partial

from lmcourse.exams import Exam, TaskTemplate
from lmcourse.exams.evaluators import repair
from lmcourse.exams.final.counted import discounted, estimated, floor
from lmcourse.exams.final.measure import converted, divergence, pooled, underflow
from lmcourse.exams.final.neural import parameters, slope, unsmoothed
from lmcourse.exams.final.races import mixed, paired, planned
from lmcourse.exams.reports import report

JUDGED = partial(report, suspects="M1 M2 M3 M19 M25 M26")

EXAM = Exam(
    name="final",
    title="Final exam: measuring language models",
    minutes=120,
    allowed="a calculator or this notebook, and two sheets of your own notes",
    templates=(
        TaskTemplate("underflow", underflow, "01", minutes=3, points=2),
        TaskTemplate("floor", floor, "02, 08", minutes=7, points=4),
        TaskTemplate("divergence", divergence, "03", minutes=8, points=4),
        TaskTemplate("pooled", pooled, "04", minutes=5, points=3),
        TaskTemplate("converted", converted, "05", minutes=4, points=4),
        TaskTemplate("estimated", estimated, "06", minutes=4, points=3),
        TaskTemplate("discounted", discounted, "06", minutes=8, points=5),
        TaskTemplate("mixed", mixed, "06, 08", minutes=8, points=4),
        TaskTemplate("parameters", parameters, "07", minutes=7, points=4),
        TaskTemplate("slope", slope, "07", minutes=8, points=4),
        TaskTemplate("unsmoothed", unsmoothed, "07", minutes=5, points=4),
        TaskTemplate("judged", JUDGED, "04, 08", minutes=8, points=4),
        TaskTemplate("repaired", repair, "04, 07", minutes=10, points=4),
        TaskTemplate("paired", paired, "08", minutes=8, points=4),
        TaskTemplate("planned", planned, "08", minutes=15, points=7),
    ),
)
