"""Write the page that shows what every submission of the catalogue deserves, and what it gets.

    python -m lmcourse.grading.proof

grades the whole catalogue in ``tests/grading/catalogue/`` and writes ``book/instructors/grading_proof.md``.
Nothing is written unless every submission gets exactly what it deserves. A test says when the page is stale.
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PAGE = Path("book") / "instructors" / "grading_proof.md"
HEAD = """# Proof that the grader grades

This page is made by `python -m lmcourse.grading.proof`, which grades {count} submissions. Every run of
`make test` grades them again. Each submission is the solved notebook of a small set, changed in one
way. The set has {tasks} tasks that a machine grades: three functions and a derivation, {points} points. A
submission stands here only if it gets exactly what it deserves, in every task: the points, the status, and
words of the reason. So a row also shows what the change did *not* cost.

"Full" means all points of the set. "In the task" names what the changed task gets; all other tasks get full
marks. "Could not run" is not zero for a wrong answer: the answer crashed, took too long or used too much.
"""
ABOUT = {
    "right": "These have cost honest students marks in other graders. All of them deserve full marks.",
    "wrong": "These are mistakes, and work that is not finished. The reason names the usual mistake by its"
    " entry in the catalogue of mistakes, such as M19.",
    "hostile": "These try to get points that they have not earned, or to harm the grader. Where the attack"
    " stands in a task, that task is wrong besides, so a success would show as points.",
}


def main() -> int:
    """Grade the catalogue and write the page; return the exit status."""
    catalogue = importlib.import_module("tests.grading.catalogue")
    for module in ("torch", "lmcourse.grading.notebook.marking"):  # no thread may meet a half-imported one
        importlib.import_module(module)
    cases = catalogue.all_cases()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        solutions = catalogue.write_small_set(Path(folder))
        found = list(pool.map(lambda case: case.differences(case.grade(solutions)), cases))
    wrong = [f"{case.name}: {line}" for case, lines in zip(cases, found, strict=True) for line in lines]
    if wrong:
        print("\n".join(wrong), file=sys.stderr)
        return 1
    PAGE.write_text(page(cases, catalogue.GROUPS, catalogue.POINTS), encoding="utf-8")
    print(f"{PAGE} written: {len(cases)} submissions, each graded as it deserves.")
    return 0


def page(cases: list, groups: dict[str, str], points: dict[str, int]) -> str:
    """Return the page for cases that all get what they deserve."""
    parts = [HEAD.format(count=len(cases), tasks=len(points), points=sum(points.values()))]
    for group, title in groups.items():
        rows = [case for case in cases if case.group == group]
        parts.append(f"## {title}\n\n{ABOUT[group]}\n\n{len(rows)} submissions:\n")
        parts.append("| submission | deserves and gets |\n|---|---|")
        parts += [f"| {_cell(case.name)} | {_cell(_deserved(case, points))} |" for case in rows]
        parts.append("")
    return "\n".join(parts)


def _deserved(case, points: dict[str, int]) -> str:
    if case.problem:
        return f"not graded: “{case.problem}”"
    worse = {task: entry for task, entry in case.deserves.items() if entry[0] != "full"}
    if not worse:
        return "full"
    texts = {
        f"{entry[0]}{f', {entry[2]} of {points[task]}' if len(entry) > 2 else ''}"
        for task, entry in worse.items()
    }
    where = "all tasks" if worse.keys() == points.keys() else "in the task"
    words = {entry[1].strip(" .,") for entry in worse.values() if entry[1].strip(" .,")}
    quoted = f": “{words.pop()}”" if len(words) == 1 else ""
    return f"{where}: {' or '.join(sorted(texts))}{quoted}"


def _cell(text: str) -> str:
    """Text as a table shows it: no markup of its own."""
    for character in "\\|<>*_`$[]":
        text = text.replace(character, f"\\{character}")
    return text


if __name__ == "__main__":
    sys.exit(main())
