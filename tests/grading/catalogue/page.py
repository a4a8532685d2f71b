"""Write the page that shows what every submission of the catalogue deserves, and what it gets.

    python -m tests.grading.catalogue.page

grades the whole catalogue and writes ``book/instructors/grading_proof.md``. Nothing is written unless every
submission gets exactly what it deserves. A test fails if the page is stale.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lmcourse.files.places import ROOT
from tests.grading.catalogue import GROUPS, POINTS, Case, all_cases, write_small_set

PAGE = ROOT / "book" / "instructors" / "grading_proof.md"
HEAD = """# Proof that the grader grades

This page is written by `python -m tests.grading.catalogue.page`, which grades {count} submissions. Every run
of `make test` grades them again. Each submission is the solved notebook of a small set, changed in one
way. The set has {tasks} tasks that a machine grades: three functions and a derivation, {points} points. A
submission is listed only if it gets exactly what it deserves, in every task: the points, the status, and
words of the reason. So a row also shows what the change did *not* cost.

"Full" means all points of the set. "In the task" names what the changed task gets; all other tasks get full
marks. "Could not run" is not zero for a wrong answer: the answer crashed, took too long or used too much.
"""
ABOUT = {
    "right": "These have cost honest students marks in other graders. All of them deserve full marks.",
    "wrong": "These are mistakes, and work that is not finished. The reason names the usual mistake by its"
    " entry in the catalogue of mistakes, such as M19.",
    "hostile": "These try to get points that they have not earned, or to harm the grader. If the attack is in"
    " a task, the answer of that task is wrong too, so a success would show as points.",
}


def main() -> int:
    """Grade the catalogue and write the page; return the exit status."""
    for module in ("torch", "lmcourse.grading.notebook.marking"):  # no thread may meet a half-imported one
        importlib.import_module(module)
    cases = all_cases()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        solutions = write_small_set(Path(folder))
        found = list(pool.map(lambda case: case.differences(case.grade(solutions)), cases))
    wrong = [f"{case.name}: {line}" for case, lines in zip(cases, found, strict=True) for line in lines]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    PAGE.write_text(page(cases), encoding="utf-8")
    print(f"{PAGE} written: {len(cases)} submissions, each graded as it deserves.")
    return 0


def page(cases: list[Case]) -> str:
    """Return the page for cases that all get what they deserve."""
    parts = [HEAD.format(count=len(cases), tasks=len(POINTS), points=sum(POINTS.values()))]
    for group, title in GROUPS.items():
        rows = [case for case in cases if case.group == group]
        parts.append(f"## {title}\n\n{ABOUT[group]}\n\n{len(rows)} submissions:\n")
        parts.append("| submission | deserves and gets |\n|---|---|")
        parts += [f"| {_cell(case.name)} | {_cell(_deserved(case))} |" for case in rows]
        parts.append("")
    return "\n".join(parts)


def _deserved(case: Case) -> str:
    if case.problem:
        return f"not graded: “{case.problem}”"
    worse = {task: entry for task, entry in case.deserves.items() if entry[0] != "full"}
    if not worse:
        return "full"
    texts = {
        f"{entry[0]}{f', {entry[2]} of {POINTS[task]}' if len(entry) > 2 else ''}"
        for task, entry in worse.items()
    }
    where = "all tasks" if worse.keys() == POINTS.keys() else "in the task"
    words = {entry[1].strip(" .,") for entry in worse.values() if entry[1].strip(" .,")}
    quoted = f": “{words.pop()}”" if len(words) == 1 else ""
    return f"{where}: {' or '.join(sorted(texts))}{quoted}"


def _cell(text: str) -> str:
    """Return text that a table shows literally, without markup."""
    for character in "\\|<>*_`$[]":
        text = text.replace(character, f"\\{character}")
    return text


if __name__ == "__main__":
    sys.exit(main())
