"""The cells of a submission that have failed, and which missing names they explain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lmcourse.grading.notebook.names import defines
from lmcourse.grading.notebook.plan import Step
from lmcourse.grading.outside.proxies import clean_text

NOT_DEFINED = re.compile(r"name '(\w{1,80})' is not defined")
MOST = 100
MOST_SOURCE = 20_000
"""Characters of a cell that has stopped in which a definition is looked for."""
SHORT = 60
DEEPEST = 3


@dataclass(frozen=True)
class FailedCell:
    """A cell that failed: a message for the student, and the names that it did not define.

    The names are listed in ``names``, or looked for in ``source``. ``kind`` is the name of the error that
    stopped the cell; empty if none did.
    """

    message: str
    names: frozenset[str] = frozenset()
    source: str = ""
    task: str | None = None
    kind: str = ""

    def loses(self, name: str) -> bool:
        """Whether the cell would have defined the name."""
        return name in self.names or defines(self.source[:MOST_SOURCE], name)


class FailedCells:
    """The cells that have failed so far. ``labels`` are those of the tasks."""

    def __init__(self, labels: dict[str, str]):
        self.labels = labels
        self.found: list[FailedCell] = []

    def add_errors(self, step: Step, reply: dict) -> None:
        """Remember the errors in the untrusted reply to a cell."""
        error = reply.get("error")
        if isinstance(error, dict):
            message = f"{self._name_of(step)} stops {_place_and_error(error, 'statement')}"
            kind = clean_text(error.get("type", ""))
            self._add(FailedCell(message, source=step.source, task=step.task, kind=kind))
        skipped = reply.get("skipped")
        for entry in skipped[:MOST] if isinstance(skipped, list) else ():
            names = entry.get("names") if isinstance(entry, dict) else None
            if isinstance(names, list):
                lost = frozenset(name for name in names if isinstance(name, str))
                name = self._name_of(step)
                place = f"In {name[:1].lower()}{name[1:]}"
                message = f"{place}, one line failed and was skipped: {_line_and_error(entry)}"
                self._add(FailedCell(message, lost))

    def add_lost(self, step: Step, why: str) -> None:
        """Remember a cell that did not finish; ``why`` is what it did."""
        message = f"{self._name_of(step)} {why}"
        self._add(FailedCell(message, source=step.source, task=step.task))

    def explain(self, message: str, known: str | None = None) -> str:
        """Return sentences on the `causes` of a `NameError`; empty if there are none."""
        return "".join(f" {cell.message}" for cell in self.causes(message, known))

    def causes(self, message: str, known: str | None = None) -> list[FailedCell]:
        """Return the cells that would have defined the name in the message of a `NameError`.

        A cell may have failed because of another cell, which then follows it: up to `DEEPEST` in all.
        ``known`` is the task whose own error the student reads anyway.
        """
        named: list[FailedCell] = []
        while len(named) < DEEPEST and (match := NOT_DEFINED.search(message)):
            left = [cell for cell in reversed(self.found) if cell not in named]
            others = (cell for cell in left if cell.task is None or cell.task != known)
            cell = next((cell for cell in others if cell.loses(match[1])), None)
            if cell is None:
                break
            named.append(cell)
            message = cell.message if f"name '{match[1]}'" not in cell.message else ""
        return named

    def _add(self, cell: FailedCell) -> None:
        if len(self.found) < MOST and cell not in self.found:
            self.found.append(cell)

    def _name_of(self, step: Step) -> str:
        if step.task:
            return f"The cell of {self.labels.get(step.task, step.task)}"
        if step.from_set:
            return "A cell of the set"
        first = next((line.strip() for line in step.source.splitlines() if line.strip()), "")
        return f"Your cell that begins with `{_short(clean_text(first))}`"


def _place_and_error(error: dict, field: str) -> str:
    kind, what, line = (clean_text(error.get(name, "")) for name in ("type", "text", field))
    place = f"at `{_short(line)}` " if line else ""
    return f"{place}with {kind or 'an error'}: {what[:200] or '(no message)'}".rstrip(".") + "."


def _line_and_error(error: dict) -> str:
    kind, what, line = (clean_text(error.get(name, "")) for name in ("type", "text", "line"))
    return f"`{_short(line)}` raised {kind or 'an error'}: {what[:200] or '(no message)'}".rstrip(".") + "."


def _short(line: str) -> str:
    return line if len(line) <= SHORT else line[: SHORT - 3] + "..."
