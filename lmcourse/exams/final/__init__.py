"""The final exam: all chapters, fifteen tasks, two hours, 60 points."""

from __future__ import annotations

from functools import partial

from lmcourse.exams import Exam, Task
from lmcourse.exams.evaluators import repair
from lmcourse.exams.final.counted import discounted, estimated, floor
from lmcourse.exams.final.measure import converted, divergence, pooled, underflow
from lmcourse.exams.final.neural import parameters, slope, unsmoothed
from lmcourse.exams.final.races import mixed, paired, planned
from lmcourse.exams.reports import report

JUDGED = partial(report, suspects="none M1 M3 M19 M25 M26")

EXAM = Exam(
    name="final",
    title="Final exam: measuring language models",
    minutes=120,
    allowed="a calculator or this notebook, and two sheets of your own notes",
    tasks=(
        Task("underflow", underflow, "01", minutes=4, points=2),
        Task("floor", floor, "02, 08", minutes=8, points=4),
        Task("divergence", divergence, "03", minutes=9, points=4),
        Task("pooled", pooled, "04", minutes=6, points=3),
        Task("converted", converted, "05", minutes=6, points=4),
        Task("estimated", estimated, "06", minutes=5, points=3),
        Task("discounted", discounted, "06", minutes=12, points=5),
        Task("mixed", mixed, "06, 08", minutes=8, points=4),
        Task("parameters", parameters, "07", minutes=8, points=4),
        Task("slope", slope, "07", minutes=8, points=4),
        Task("unsmoothed", unsmoothed, "07", minutes=6, points=4),
        Task("judged", JUDGED, "04, 08", minutes=9, points=4),
        Task("repaired", repair, "04, 07", minutes=11, points=4),
        Task("paired", paired, "08", minutes=8, points=4),
        Task("planned", planned, "08", minutes=12, points=7),
    ),
)
