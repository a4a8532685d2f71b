"""Rules for notebooks: how solved sets, student sets and labs are written and stored."""

import re
from collections.abc import Iterator
from itertools import pairwise

from nbformat import NotebookNode

from lmcourse.files import contents
from lmcourse.files.notebooks import NotebookError, cell_label, checks_answer, is_answer, is_ungraded_answer
from lmcourse.rules.claims import numbers_of
from lmcourse.rules.tree import Tree
from lmcourse.sets import authoring
from lmcourse.sets.execution import COMMAND as EXECUTE
from lmcourse.sets.execution import not_executed
from lmcourse.sets.release import INSTALL, differences

TASKS, POINTS, QUESTIONS, LINES, SLIDES = 10, 24, 2, 25, (20, 35)
PREDICT = re.compile(r"^(?:### |\*\*)Predict", re.MULTILINE)
CLEAR = "jupyter nbconvert --clear-output --inplace"
SLIDE_TYPES = {"slide", "subslide", "fragment", "notes", "skip", "-"}
STATED = re.compile(r"notes add up to ([\w-]+) minutes")
CHANCE = {
    "a memory address": re.compile(r"\bat 0x[0-9a-f]{6,}"),
    "a time": re.compile(r"\d\d:\d\d<\d\d:\d\d"),
}


def are_notebooks(tree: Tree) -> Iterator[str]:
    """Every ``.ipynb`` is a notebook of format 4."""
    for path in tree.paths("*.ipynb"):
        notebook = tree.notebook(path)
        if isinstance(notebook, str):
            yield notebook


def solutions_are_executed(tree: Tree) -> Iterator[str]:
    """Each solved set is stored as one run from top to bottom: strict nbval passes cells that never ran."""
    for path, notebook in tree.notebooks("solutions"):
        reason = not_executed(notebook)
        if reason:
            yield f"{path}: {reason} Run: {EXECUTE} {_stem(path)}"


def solutions_store_no_errors(tree: Tree) -> Iterator[str]:
    """No stored error, unless the cell is tagged ``raises-exception``."""
    for path, where, cell, output in _outputs(tree):
        if output.output_type == "error" and "raises-exception" not in cell.metadata.get("tags", []):
            yield (
                f"{where}: stores {output.ename}. Correct the cell, or tag it raises-exception; then run: "
                f"{EXECUTE} {_stem(path)}"
            )


def solutions_store_no_images(tree: Tree) -> Iterator[str]:
    """No stored image: nbval does not compare them and they bloat the history."""
    for path, where, _, output in _outputs(tree):
        kinds = [kind for kind in output.get("data", {}) if kind.startswith("image/")]
        if kinds:
            yield f"{where}: stores {kinds[0]}. Run: {EXECUTE} {_stem(path)}"


def solutions_store_nothing_by_chance(tree: Tree) -> Iterator[str]:
    """No stored warning, address or time: it differs on the next machine, and nbgrader fails on stderr."""
    for _, where, cell, output in _outputs(tree):
        if output.output_type == "stream" and output.name == "stderr":
            yield f"{where}: prints to stderr. Remove the cause of the warning, or turn the progress bar off."
        text = output.get("text", "") + output.get("data", {}).get("text/plain", "")
        for what, pattern in CHANCE.items():
            if pattern.search(text):
                yield f"{where}: shows {what}. End the cell with ';' or with a value that is always the same."
        if checks_answer(cell) and output.output_type == "execute_result":
            yield f"{where}: is a test that shows a value, which nbgrader reads as partial credit. Assert it."


def solutions_are_well_formed(tree: Tree) -> Iterator[str]:
    """Each solved set can be released: lmcourse/AUTHORING.md."""
    for path, notebook in tree.notebooks("solutions"):
        yield from (f"{path}, {fault}" for fault in authoring.faults(notebook))


def solutions_are_full_sets(tree: Tree) -> Iterator[str]:
    """Each set has at least 10 tasks, 24 points, one task that a person grades and 2 Look backs that ask."""
    for path, notebook in tree.notebooks("solutions"):
        answers = [cell for cell in notebook.cells if is_answer(cell)]
        graded = [cell.metadata["nbgrader"] for cell in notebook.cells if "nbgrader" in cell.metadata]
        points = sum(settings.get("points", 0) for settings in graded if settings.get("grade"))
        if len(answers) < TASKS:
            yield f"{path}: has {len(answers)} tasks. Add tasks until there are {TASKS}."
        if points < POINTS:
            yield f"{path}: gives {points:g} points. Add tasks or points until there are {POINTS}."
        if not any(cell.cell_type == "markdown" for cell in answers):
            yield f"{path}: has no task that a person grades. Add an answer in Markdown, with a rubric."
        asked = sum(map(is_ungraded_answer, notebook.cells))
        if asked < QUESTIONS:
            yield f"{path}: has {asked} Look backs that ask. Add questions, each with a place for an answer."


def parts_have_an_experiment_and_a_figure(tree: Tree) -> Iterator[str]:
    """In the sets of each Part of the book, some Look back asks for an experiment, and some for a figure."""
    sets = {_stem(path): notebook for path, notebook in tree.notebooks("solutions")}
    for part, stems in contents.parts(tree.root).items():
        cells = [cell for stem in stems if stem in sets for cell in sets[stem].cells]
        asked = {match[1] for match in (authoring.LOOK_BACK.match(cell.source) for cell in cells) if match}
        for kind in (": an experiment", ": a figure"):
            if kind not in asked:
                yield f"solutions: no set of {part} has '**Look back{kind}.** ...'. Add one, and its answer."


def student_sets_are_current(tree: Tree) -> Iterator[str]:
    """``exercises/`` is what ``solutions/`` gives, byte for byte."""
    if (tree.root / "solutions").is_dir():
        try:
            for found in differences(tree.root):
                yield found.replace(f"{tree.root}/", "")
        except NotebookError as error:
            yield str(error)


def students_see_no_markers(tree: Tree) -> Iterator[str]:
    """``exercises/`` contains no part of a solution or a hidden test."""
    for path, text in tree.texts("exercises/*"):
        for found in re.findall(r"BEGIN SOLUTION|HIDDEN TESTS|### TASK|MARK SCHEME", text)[:1]:
            yield f"{path}: has {found!r}. Run: python -m lmcourse.release {_stem(path)}"


def labs_and_student_sets_have_no_outputs(tree: Tree) -> Iterator[str]:
    """``notebooks/`` and ``exercises/`` are stored without outputs: the book and the student run them."""
    for path, notebook in tree.notebooks("notebooks", "exercises"):
        cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
        count = sum(bool(cell.outputs or cell.execution_count) for cell in cells)
        if count:
            cure = f"python -m lmcourse.release {_stem(path)}" if path.startswith("ex") else f"{CLEAR} {path}"
            yield f"{path}: {count} cells carry outputs or counts. Run: {cure}"


def cells_are_short(tree: Tree) -> Iterator[str]:
    """No code cell of a lab or a student set is longer than 25 lines, without those that install on Colab."""
    for cell in tree.code_cells("notebooks", "exercises"):
        length = len(INSTALL.sub("", cell.source).splitlines())
        if cell.path.endswith(".ipynb") and length > LINES:
            yield f"{cell.where}: has {length} lines. Split it: {LINES} at most."


def labs_are_decks(tree: Tree) -> Iterator[str]:
    """Each lab is a deck: slideshow metadata on every cell, 20 to 35 slides, notes for the speaker."""
    for path, notebook in tree.notebooks("notebooks"):
        kinds = [cell.metadata.get("slideshow", {}).get("slide_type") for cell in notebook.cells]
        for index, (cell, kind) in enumerate(zip(notebook.cells, kinds, strict=True)):
            if kind not in SLIDE_TYPES:
                yield (
                    f"{path}, {cell_label(cell, index)}: has the slide type {kind!r}. "
                    f"Give it one of {', '.join(sorted(SLIDE_TYPES))}."
                )
        slides, notes = kinds.count("slide") + kinds.count("subslide"), _slides_with_notes(kinds)
        if not SLIDES[0] <= slides <= SLIDES[1]:
            yield f"{path}: has {slides} slides. A lecture of 50 minutes has {SLIDES[0]} to {SLIDES[1]}."
        if notes < slides:
            yield f"{path}: {notes} of {slides} slides have notes for the speaker. Add the others."


def plans_state_their_minutes(tree: Tree) -> Iterator[str]:
    """Each lesson plan says the minutes that the notes of its core deck add up to, in figures or in words."""
    for stem in tree.chapters:
        path, lab = f"book/instructors/{stem}.md", f"notebooks/{stem}.ipynb"
        notebook = tree.notebook(lab) if lab in tree.files else None
        plan = tree.text(path) if path in tree.files else None
        if plan is None or notebook is None or isinstance(notebook, str):
            continue
        minutes, said = _core_minutes(notebook), STATED.search(plan)
        words = f"'notes add up to {minutes} minutes'"
        if said is None:
            yield f"{path}: lacks the words {words}. Add them."
        elif numbers_of(said[1]) != {minutes}:
            yield f"{path}: says {said[1]!r} where {words} is right. Correct it."


def predictions_have_answers(tree: Tree) -> Iterator[str]:
    """A prediction is followed by its answer, apart from it: the students' handout leaves it out."""
    for path, notebook in tree.notebooks("notebooks"):
        slides: list[list[NotebookNode]] = []
        for cell in notebook.cells:
            kind = cell.metadata.get("slideshow", {}).get("slide_type")
            if kind in ("slide", "subslide"):
                slides.append([cell])
            elif slides and kind in ("fragment", "-"):
                slides[-1].append(cell)
        core = [slide for slide in slides if "optional" not in slide[0].metadata.get("tags", [])]
        for slide, after in pairwise([*core, []]):
            asks = [i for i, cell in enumerate(slide) if PREDICT.search(cell.source)]
            steps = [cell.metadata["slideshow"]["slide_type"] == "fragment" for cell in slide]
            if not asks or any(steps[asks[0] + 1 :]):
                continue
            asks_again = any(PREDICT.search(cell.source) for cell in after)
            if not asks_again and not (after and "answer" in after[0].metadata.get("tags", [])):
                title = slide[0].source.splitlines()[0].lstrip("# ")
                yield (
                    f"{path}: the slide {title!r} asks for a prediction, and nothing after it is an answer. "
                    "Tag the next slide `answer`, or show the answer on this one as a fragment."
                )


def _core_minutes(notebook: NotebookNode) -> int:
    """The minutes of the notes on the slides that are not optional."""
    total, optional = 0, False
    for cell in notebook.cells:
        kind = cell.metadata.get("slideshow", {}).get("slide_type")
        if kind in ("slide", "subslide"):
            optional = "optional" in cell.metadata.get("tags", [])
        note = re.match(r"\*\*(\d+) min", cell.source)
        if kind == "notes" and note and not optional:
            total += int(note[1])
    return total


def _slides_with_notes(kinds: list[str | None]) -> int:
    noted, open_slide = 0, False
    for kind in kinds:
        if kind in ("slide", "subslide"):
            open_slide = True
        elif kind == "notes" and open_slide:
            noted, open_slide = noted + 1, False
    return noted


def _outputs(tree: Tree) -> Iterator[tuple[str, str, NotebookNode, NotebookNode]]:
    """Yield path, place, cell and output for each output that a solved set stores."""
    for path, notebook in tree.notebooks("solutions"):
        for index, cell in enumerate(notebook.cells):
            for output in cell.get("outputs", []):
                yield path, f"{path}, {cell_label(cell, index)}", cell, output


def _stem(path: str) -> str:
    return path.split("/")[1]
