"""Why a name is not there: the cell that defines it has stopped, or an import in it has failed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lmcourse.grading.notebook.submission import Step, defines
from lmcourse.grading.outside.proxies import text

NOT_DEFINED = re.compile(r"name '(\w{1,80})' is not defined")
MOST = 100
MOST_SOURCE = 20_000
"""Characters of a cell that has stopped in which a definition is looked for."""
SHORT = 60
DEEPEST = 3


@dataclass(frozen=True)
class FailedCell:
    """What a student is told, and how to see whether a name was lost by it: by its list, or by its source."""

    told: str
    names: frozenset[str] = frozenset()
    source: str = ""
    task: str | None = None

    def costs(self, name: str) -> bool:
        """Whether the cell would have defined the name."""
        return name in self.names or defines(self.source[:MOST_SOURCE], name)


class FailedCells:
    """The cells that have stopped so far. ``labels`` are those of the tasks."""

    def __init__(self, labels: dict[str, str]):
        self.labels, self.found = labels, []

    def note(self, step: Step, reply: dict) -> None:
        """Remember what the reply to a cell says of errors; it is not to be trusted."""
        error = reply.get("error")
        if isinstance(error, dict):
            self._add(f"{self._cell(step)} stops {_at(error, 'statement')}", step.source, task=step.task)
        skipped = reply.get("skipped")
        for entry in skipped[:MOST] if isinstance(skipped, list) else ():
            names = entry.get("names") if isinstance(entry, dict) else None
            if isinstance(names, list):
                lost = frozenset(name for name in names if isinstance(name, str))
                cell = self._cell(step)
                told = f"In {cell[:1].lower()}{cell[1:]}, one line failed and was skipped: {_raised(entry)}"
                self._add(told, "", lost)

    def lost(self, step: Step, why: str) -> None:
        """Remember a cell that did not come to an end."""
        self._add(f"{self._cell(step)} does not come to an end: {why}", step.source, task=step.task)

    def why(self, said: str, known: str | None = None) -> str:
        """Sentences on the cells that would have defined the name in a `NameError`; empty when none would.

        ``known`` is the task whose own cell's error has been told already. No cell is named twice.
        """
        told: list[FailedCell] = []
        while len(told) < DEEPEST and (match := NOT_DEFINED.search(said)):
            left = (stop for stop in reversed(self.found) if stop not in told)
            stop = next((s for s in left if (s.task is None or s.task != known) and s.costs(match[1])), None)
            if stop is None:
                break
            told.append(stop)
            said = stop.told if f"name '{match[1]}'" not in stop.told else ""
        return "".join(f" {stop.told}" for stop in told)

    def _add(
        self, told: str, source: str, names: frozenset[str] = frozenset(), task: str | None = None
    ) -> None:
        stop = FailedCell(told, names, source, task)
        if len(self.found) < MOST and stop not in self.found:
            self.found.append(stop)

    def _cell(self, step: Step) -> str:
        if step.task:
            return f"The cell of {self.labels.get(step.task, step.task)}"
        if step.from_set:
            return "A cell of the set"
        first = next((line.strip() for line in step.source.splitlines() if line.strip()), "")
        return f"Your cell that begins with `{_short(text(first))}`"


def _at(told: dict, field: str) -> str:
    kind, what, line = (text(told.get(name, "")) for name in ("type", "text", field))
    place = f"at `{_short(line)}` " if line else ""
    return f"{place}with {kind or 'an error'}: {what[:200] or '(no message)'}".rstrip(".") + "."


def _raised(told: dict) -> str:
    kind, what, line = (text(told.get(name, "")) for name in ("type", "text", "line"))
    return f"`{_short(line)}` raised {kind or 'an error'}: {what[:200] or '(no message)'}".rstrip(".") + "."


def _short(line: str) -> str:
    return line if len(line) <= SHORT else line[: SHORT - 3] + "..."
