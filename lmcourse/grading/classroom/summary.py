"""The class on one page: the results of each task, and its most frequent mistake. It names no student."""

from __future__ import annotations

import base64
import io
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from lmcourse.grading.classroom.roster import Row
from lmcourse.grading.notebook.key import Task
from lmcourse.grading.notebook.report import templates
from lmcourse.hints.mistakes import NAMES

STATUSES = {
    "full": "#1b3a57",
    "partial": "#2a7f62",
    "zero": "#c75000",
    "not answered": "#b9bfc8",
    "could not run": "#ecd9a0",
}
"""The colours of the chart, in its order: they differ in lightness, so grey print works."""


@dataclass(frozen=True)
class TaskSummary:
    """One task over the class.

    Attributes
    ----------
    label, title : str
    counts : Counter
        Submissions by status, of those that a machine or a person has graded.
    open : int
        Submissions that wait for a mark by hand.
    mistake : str
        Id and name of the most frequent mistake; empty when no submission made a catalogued one.
    times : int
        How many submissions made that mistake.
    """

    label: str
    title: str
    counts: Counter
    open: int = 0
    mistake: str = ""
    times: int = 0

    @property
    def graded(self) -> int:
        return sum(self.counts.values())

    @property
    def share(self) -> float:
        """The share of full marks, of the submissions that were graded."""
        return self.counts["full"] / self.graded if self.graded else 0.0


def summarise(rows: Sequence[Row], tasks: Sequence[Task]) -> list[TaskSummary]:
    """Return a summary per task, in the order of the set.

    A submission that could not be run is not counted, since it says nothing about a task.
    """
    return [_summary(rows, task) for task in tasks]


def summary_page(set_name: str, rows: Sequence[Row], tasks: Sequence[Task]) -> str:
    """Return the page of the class: counts, a chart, a table of tasks. All text in it is escaped."""
    summaries = summarise(rows, tasks)
    protections = sorted({r.result.protection for r in rows if r.result and r.result.protection})
    return (
        templates()
        .get_template("class.html")
        .render(
            set_name=set_name,
            statuses=Counter(row.status for row in rows),
            summaries=summaries,
            chart=base64.b64encode(chart(summaries)).decode("ascii") if _drawn(summaries) else "",
            alt=alt_text(summaries),
            protections=protections,
        )
    )


def chart(summaries: Sequence[TaskSummary]) -> bytes:
    """Return an SVG: a bar per task, divided by the status of the submissions."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    drawn = _drawn(summaries)
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "class", "font.family": "sans-serif"}):
        figure = Figure(figsize=(7.2, 0.9 + 0.32 * len(drawn)), layout="constrained")
        axes = figure.add_subplot()
        places, left = range(len(drawn)), [0.0] * len(drawn)
        for status, colour in STATUSES.items():
            widths = [100 * s.counts[status] / s.graded for s in drawn]
            axes.barh(places, widths, left=left, color=colour, label=status, edgecolor="white")
            left = [a + b for a, b in zip(left, widths, strict=True)]
        axes.set_yticks(places, [s.label for s in drawn])
        axes.invert_yaxis()
        axes.set(xlim=(0, 100), xlabel="per cent of the graded submissions")
        axes.spines[["top", "right", "left"]].set_visible(False)
        axes.tick_params(left=False)
        figure.legend(loc="outside upper center", ncols=len(STATUSES), frameon=False, fontsize=9)
        stream = io.BytesIO()
        figure.savefig(stream, format="svg", metadata={"Date": None})
    return stream.getvalue()


def alt_text(summaries: Sequence[TaskSummary]) -> str:
    """Describe the chart for readers who cannot see it."""
    drawn = _drawn(summaries)
    if not drawn:
        return ""
    best, worst = max(drawn, key=lambda s: s.share), min(drawn, key=lambda s: s.share)
    shares = f"from {worst.share:.0%} ({worst.label}) to {best.share:.0%} ({best.label})"
    return f"A bar for each of {len(drawn)} tasks, cut by result. The share of full marks runs {shares}."


def _summary(rows: Sequence[Row], task: Task) -> TaskSummary:
    found = [t for row in rows if row.result for t in row.result.tasks if t.name == task.name]
    counts = Counter(t.status for t in found if t.status != "by hand")
    mistakes = Counter(id_ for t in found for id_ in sorted(set(t.mistakes)))
    top, times = mistakes.most_common(1)[0] if mistakes else ("", 0)
    named = f"{top}: {NAMES[top]}" if top in NAMES else top
    return TaskSummary(task.label, task.title, counts, len(found) - counts.total(), named, times)


def _drawn(summaries: Sequence[TaskSummary]) -> list[TaskSummary]:
    return [summary for summary in summaries if summary.graded]
