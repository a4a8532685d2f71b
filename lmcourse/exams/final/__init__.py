"""The final exam: all chapters, fifteen tasks, two hours, 60 points."""

from __future__ import annotations

from lmcourse.exams import Exam
from lmcourse.exams.evaluators import repair
from lmcourse.exams.final.counted import discounted, estimated, floor
from lmcourse.exams.final.measure import converted, divergence, pooled, underflow
from lmcourse.exams.final.neural import parameters, slope, unsmoothed
from lmcourse.exams.final.races import mixed, paired, planned
from lmcourse.exams.part import Part
from lmcourse.exams.reports import report


def judged(rng) -> Part:
    """04 and 08: which mistake leads from one number to the other."""
    return report(
        rng, "judged", ("none", "M1", "M3", "M19", "M25", "M26"), chapters="04, 08", minutes=9, points=4
    )


def repaired(rng) -> Part:
    """04 and 07: an evaluator with two faults, drawn from six kinds."""
    return repair(rng, "repaired", chapters="04, 07", minutes=11, points=4)


EXAM = Exam(
    name="final",
    title="Final exam: measuring language models",
    minutes=120,
    allowed="a calculator or this notebook, and two sheets of your own notes",
    builders=(
        underflow,
        floor,
        divergence,
        pooled,
        converted,
        estimated,
        discounted,
        mixed,
        parameters,
        slope,
        unsmoothed,
        judged,
        repaired,
        paired,
        planned,
    ),
)
