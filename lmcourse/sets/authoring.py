"""Find what is wrong with a solved set before anything is made from it: the rules of ``AUTHORING.md``.

Each fault that ``faults(notebook)`` returns is one sentence that names the cell and says what to do.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator

from nbformat import NotebookNode
from nbgrader.nbgraderformat import MetadataValidator, ValidationError
from nbgrader.nbgraderformat.common import SchemaMismatchError

from lmcourse.files.cells import parse
from lmcourse.files.notebooks import (
    NAME,
    cell_label,
    cell_name,
    checks_answer,
    is_answer,
    is_graded_by_hand,
    is_ungraded_answer,
)

__all__ = ["LOOK_BACK", "TASK", "faults", "has_region", "without_hidden_tests"]

TASK = re.compile(r"^( *)### TASK:(.*)\n(?= *### BEGIN SOLUTION)", re.MULTILINE)
"""The line with a task's message: directly above the region, at any indentation."""

LOOK_BACK = re.compile(r"\A\*\*Look back(: an experiment|: a figure)?\.\*\* ")
"""How a Look back begins: what a result shows, an experiment to design, or a figure to draw."""

NUMBER = re.compile(r"^#+ Task (\d+)([a-z]?)\b", re.MULTILINE)
"""The number of a task in its heading, as in 3 or 3a."""
REFERENCE = re.compile(r"\bTask (\d+)([a-z]?)\b")

MARKER = re.compile(r"BEGIN SOLUTION|END SOLUTION|BEGIN HIDDEN TESTS|END HIDDEN TESTS|MARK SCHEME|### TASK")
HIDDEN = re.compile(r"^ *### BEGIN HIDDEN TESTS\n.*?^ *### END HIDDEN TESTS\n?", re.MULTILINE | re.DOTALL)
VALIDATOR = MetadataValidator()
RUBRIC_LINE = re.compile(r"^\s*[-*] (\d+) points?:", re.MULTILINE)


def faults(notebook: NotebookNode) -> list[str]:
    """Return a sentence for each fault of a solved set; an empty list if it can be released.

    Parameters
    ----------
    notebook : NotebookNode
        A solved set in canonical form (``lmcourse.files.notebooks.read``).

    Examples
    --------
    >>> from nbformat.v4 import new_code_cell, new_notebook
    >>> gap = new_code_cell("### BEGIN SOLUTION\\nanswer = 42\\n### END SOLUTION")
    >>> print(*faults(new_notebook(cells=[gap])))
    cell 1 (### BEGIN SOLUTION): has '### BEGIN SOLUTION' but is not an answer cell. Give it the metadata of
    one (lmcourse/AUTHORING.md).
    """
    found = []
    for index, cell in enumerate(notebook.cells):
        checks = [_metadata_faults, _marker_faults]
        if cell.cell_type == "code" and is_answer(cell):
            checks.append(_answer_faults)
        elif is_graded_by_hand(cell):
            checks += [_prompt_faults, _manual_faults]
        elif is_ungraded_answer(cell):
            checks.append(_prompt_faults)
        elif checks_answer(cell):
            checks.append(_test_faults)
        found += [f"{cell_label(cell, index)}: {fault}" for check in checks for fault in check(cell)]
    of_all = (_number_faults, _look_back_faults, _name_faults)
    return found + [fault for check in of_all for fault in check(notebook)]


def has_region(source: str, kind: str) -> bool:
    """Whether the source has exactly one well-formed region of this kind ("SOLUTION" or "HIDDEN TESTS")."""
    return _marker_lines(source, kind) == [f"### BEGIN {kind}", f"### END {kind}"]


def without_hidden_tests(source: str) -> str:
    """Return a test cell's source as students see it."""
    return HIDDEN.sub("", source).rstrip("\n")


def _marker_lines(source: str, kind: str) -> list[str]:
    """Return every line that nbgrader takes for a marker of this kind."""
    lines = [line.strip() for line in source.splitlines()]
    return [line for line in lines if f"BEGIN {kind}" in line or f"END {kind}" in line]


def _metadata_faults(cell: NotebookNode) -> Iterator[str]:
    settings = cell.metadata.get("nbgrader")
    if settings is None:
        return
    if settings.get("task"):
        yield "is an nbgrader 'task' cell. Use a Markdown answer cell with a prompt and a rubric."
    if not NAME.fullmatch(cell_name(cell) or ""):
        yield (
            f"has the grade_id {cell_name(cell)!r}. A name has up to 50 lower-case letters, digits and "
            "single hyphens, as in 'bits-per-char'."
        )
    if settings.get("grade"):
        points = settings.get("points")
        if not isinstance(points, int | float) or points <= 0 or points != int(points):
            yield f"is graded with points {points!r}. Give it 'points': a whole number above 0."
    try:
        VALIDATOR.validate_cell(cell)
    except (ValidationError, SchemaMismatchError) as error:
        reason = str(getattr(error, "message", error)).splitlines()[0]
        yield f"nbgrader refuses its metadata ({reason}). Copy the metadata from lmcourse/AUTHORING.md."


def _marker_faults(cell: NotebookNode) -> Iterator[str]:
    """Report the first misplaced marker; if there is none, markers that do not form one region."""
    for line in cell.source.splitlines():
        marker, text = MARKER.search(line), line.strip()
        misplaced = None
        if not marker:
            continue
        if cell.cell_type != "code":
            misplaced = "outside code. Take it out: an answer in words is replaced as a whole."
        elif marker[0] == "MARK SCHEME":
            misplaced = "in code. A rubric belongs in the Markdown cell of the model answer."
        elif "HIDDEN" in marker[0] and not checks_answer(cell):
            misplaced = "but is not a test cell. Only a test cell can have hidden tests."
        elif "HIDDEN" not in marker[0] and not is_answer(cell):
            misplaced = "but is not an answer cell. Give it the metadata of one (lmcourse/AUTHORING.md)."
        if misplaced:
            yield f"has '{text}' {misplaced}"
            return
    for kind in ("SOLUTION", "HIDDEN TESTS"):
        if _marker_lines(cell.source, kind) and not has_region(cell.source, kind):
            yield (
                f"has unbalanced markers. Write '### BEGIN {kind}' once and '### END {kind}' once below it, "
                "with nothing else on the line."
            )


def _answer_faults(cell: NotebookNode) -> Iterator[str]:
    if is_graded_by_hand(cell):
        yield "is code that is graded by hand. Grade code with a test cell, and words in a Markdown cell."
        return
    if not has_region(cell.source, "SOLUTION"):
        if not _marker_lines(cell.source, "SOLUTION"):
            yield "is an answer cell without '### BEGIN SOLUTION': students would lose the whole cell."
        return
    task = TASK.search(cell.source)
    if not task or not task[2].strip():
        yield (
            "has no task message. Write '### TASK: what to do' on the line above '### BEGIN SOLUTION': "
            "students read it when the task is not done."
        )
    elif cell.source.count("### TASK") > 1:
        yield "has more than one '### TASK' line. Split it into one cell for each task."
    else:
        depths = {len(line) - len(line.lstrip()) for line in cell.source.splitlines() if MARKER.search(line)}
        if len(depths) > 1:
            yield "has markers at different depths. Indent TASK, BEGIN SOLUTION and END SOLUTION alike."
    yield from _syntax_faults(cell.source, "")


def _prompt_faults(cell: NotebookNode) -> Iterator[str]:
    prompt = cell.metadata.get("course", {}).get("prompt")
    if not isinstance(prompt, str) or not prompt.strip():
        yield 'has no prompt for students. Add "course": {"prompt": "*Write ... here.*"} to its metadata.'
    elif MARKER.search(prompt):
        yield "has a marker in its prompt. Students see the prompt as it is: take the marker out."


def _manual_faults(cell: NotebookNode) -> Iterator[str]:
    points = cell.metadata["nbgrader"].get("points")
    given = sum(int(n) for n in RUBRIC_LINE.findall(cell.source))
    if "Rubric" not in cell.source or given != points:
        yield (
            f"is worth {points} points and its rubric gives {given}. Below the word 'Rubric', write lines "
            "'- N points: for what' that add up."
        )


def _test_faults(cell: NotebookNode) -> Iterator[str]:
    if cell.cell_type != "code":
        yield "is a test cell in Markdown. An answer in words needs 'solution': true as well."
        return
    if _marker_lines(cell.source, "HIDDEN TESTS") and not has_region(cell.source, "HIDDEN TESTS"):
        return  # reported by _marker_faults
    versions = {cell.source: "", without_hidden_tests(cell.source): " without its hidden tests"}
    for source, which in versions.items():
        problem = list(_syntax_faults(source, which))
        yield from problem
        body = [] if problem else parse(source).body
        if not problem and not body:
            yield f"tests nothing{which}. Put at least one check or assert outside the hidden part."
        elif body and not _is_check(body[-1]):
            yield (
                f"ends with '{ast.unparse(body[-1]).splitlines()[0]}'{which}. End it with assert, "
                "check...(...) or assert_...(...): nbgrader reads a trailing value as partial credit."
            )


def _syntax_faults(source: str, which: str) -> Iterator[str]:
    try:
        parse(source)
    except SyntaxError as error:
        yield f"is not valid Python{which} (line {error.lineno}: {error.msg})."


def _is_check(statement: ast.stmt) -> bool:
    """Whether a test may end with this statement: an assert, a call of check... or assert_..., or a block."""
    if isinstance(statement, ast.Assert):
        return True
    if isinstance(statement, ast.For | ast.With | ast.If):
        branches = [statement.body, statement.orelse] if isinstance(statement, ast.If) else [statement.body]
        return all(_is_check(branch[-1]) for branch in branches if branch)
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Call):
        return False
    function = statement.value.func
    name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
    return name.startswith(("check", "assert_"))


def _number_faults(notebook: NotebookNode) -> Iterator[str]:
    """Report tasks that are not numbered in order, and messages and references with another number."""
    there: list[tuple[str, str]] = []
    for index, cell in enumerate(notebook.cells):
        label = cell_label(cell, index)
        for number, letter in NUMBER.findall(cell.source) if cell.cell_type == "markdown" else ():
            last, before = there[-1] if there else ("0", "")
            follows = {(str(int(last) + 1), ""), (str(int(last) + 1), "a")}
            if before:
                follows.add((last, chr(ord(before) + 1)))
            if (number, letter) not in follows:
                after = f"Task {last}{before}" if there else "no task"
                yield (
                    f"{label}: Task {number}{letter} comes after {after}. Number the tasks in order: correct "
                    "the headings, the '### TASK: Task N:' lines and the references."
                )
            there.append((number, letter))
        told = TASK.search(cell.source) if there else None
        number = "".join(there[-1]) if there else ""
        if told and told[2].strip() and not told[2].strip().startswith(f"Task {number}:"):
            yield f"{label}: its task message is not that of its heading. Begin it with 'Task {number}:'."
    known = {"".join(task) for task in there} | {number for number, _ in there}
    for index, cell in enumerate(notebook.cells) if there else ():
        for number in dict.fromkeys(map("".join, REFERENCE.findall(cell.source))):
            if number not in known:
                yield f"{cell_label(cell, index)}: names Task {number}, which the set lacks. Correct it."


def _look_back_faults(notebook: NotebookNode) -> Iterator[str]:
    """Report a Look back that asks and has no place for an answer, and a place below no such question."""
    cells = notebook.cells
    for index, (cell, below) in enumerate(zip(cells, [*cells[1:], None], strict=True)):
        begins = cell.cell_type == "markdown" and LOOK_BACK.match(cell.source)
        asks = begins and (begins[1] or "?" in cell.source)
        answered = below is not None and is_ungraded_answer(below)
        if asks and not answered:
            yield (
                f"{cell_label(cell, index)}: asks, and there is nowhere to answer. Below it, add a cell with "
                'the model answer and the metadata "course": {"prompt": "*Your answer. It is not graded.*"}.'
            )
        elif answered and not asks:
            yield (
                f"{cell_label(below, index + 1)}: is a place for an answer, and the cell above it asks "
                "nothing. Begin that cell with '**Look back.** ' and end it with a question."
            )


def _name_faults(notebook: NotebookNode) -> Iterator[str]:
    """Report names that occur twice, tests without an answer, and answers without a test."""
    cells = [(name, cell) for cell in notebook.cells if (name := cell_name(cell))]
    for name, times in Counter(name for name, _ in cells).items():
        if times > 1:
            yield f"the grade_id {name!r} is used in {times} cells. Give each cell a name of its own."
    answers, tested = [], set()
    for name, cell in cells:
        if is_answer(cell):
            answers.append(name)
        if checks_answer(cell):
            owner = next((a for a in answers if re.fullmatch(rf"test-{re.escape(a)}(-\d+)?", name)), None)
            if owner is None:
                yield f"the test {name!r} has no answer cell above it. Call it 'test-' and the answer's name."
            tested.add(owner)
    for name, cell in cells:
        if is_answer(cell) and cell.cell_type == "code" and name not in tested:
            yield f"the answer {name!r} is never tested. Add a test cell 'test-{name}' below it, with points."
