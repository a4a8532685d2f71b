"""The midterm: chapters 01 to 05, ten tasks, 75 minutes, 40 points."""

from __future__ import annotations

from lmcourse.exams import Exam
from lmcourse.exams.evaluators import repair
from lmcourse.exams.midterm.source import chain, crossed, shared, slope
from lmcourse.exams.midterm.text import asked, converted, pooled
from lmcourse.exams.part import Part
from lmcourse.exams.reports import report, two_reports


def judged(rng) -> Part:
    """04: which mistake leads from one number to the other."""
    return report(rng, "judged", ("none", "M1", "M2", "M19", "M25"), chapters="04", minutes=8, points=4)


def repaired(rng) -> Part:
    """04: an evaluator with two faults, drawn from five."""
    return repair(rng, "repaired", chapters="02, 04", minutes=10, points=4)


def compared(rng) -> Part:
    """05: the lower perplexity belongs to the worse model."""
    return two_reports(rng, "compared", chapters="05", minutes=6, points=3)


EXAM = Exam(
    name="midterm",
    title="Midterm: the measure",
    minutes=75,
    allowed="a calculator or this notebook, and one sheet of your own notes",
    builders=(chain, crossed, slope, shared, pooled, judged, repaired, converted, compared, asked),
)
