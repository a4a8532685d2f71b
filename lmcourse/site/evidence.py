"""Where the book treats each mistake, and where each objective is taught, shown and tested.

Pages carry comment lines that readers do not see:

    % mistake: M8
    % objective: pool-scores | tasks: pool-documents | section: sec-04-pooling | slide: Pool, do not average

cells of labs carry tags such as ``mistake-M8``, and the questions of the sets know their mistakes.
This module collects them. The directives ``mistake-table`` and ``objective-map`` print them in the book, and
a rule of ``lmcourse.checks`` reports tags that point nowhere.
"""

import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from mdit_py_plugins.anchors.index import slugify

from lmcourse.files import contents, notebooks
from lmcourse.hints.mistakes import NAMES
from lmcourse.questions import of_chapter

MORE_PAGES = "tools", "errors"  # pages without a number that carry tags, too
OBJECTIVE = re.compile(
    r"^% objective: *([\w-]+) *\| *tasks: *(.*?) *\| *section: *([\w-]+) *\| *slide: *(.*?) *$", re.M
)


@dataclass(frozen=True)
class Objective:
    """What a reader will be able to do, and where that is taught, shown and tested."""

    name: str
    words: str
    tasks: tuple[str, ...]
    section: str
    slide: str


def chapters(root):
    """Yield the stem of each chapter of the book, and the text of its page where there is one."""
    for stem in contents.chapters(root):
        page = Path(root) / "book" / f"{stem}.md"
        if page.exists():  # chapters_are_whole reports the others
            yield stem, page.read_text(encoding="utf8")


def mistakes(root):
    """Return mistake id -> list of (chapter's stem, kind, name of the place, link target below the root).

    The kind is "page", "lab" or "set". Only mistakes of the catalogue (M...) are listed, in its order.
    """
    places: defaultdict[str, list[tuple[str, str, str, str]]] = defaultdict(list)
    for stem, page in chapters(root):
        _add_passages(places, stem, page)
        lab = Path(root) / "notebooks" / f"{stem}.ipynb"
        for name in sorted(lab_tags(lab)):
            places[name].append((stem, "lab", "lab", f"notebooks/{stem}.ipynb"))
        for key, question in of_chapter(stem[:2]).items():
            known = {part for mistake in question.mistakes for part in mistake.id.split(" + ")}
            for name in known:
                if name.startswith("M"):
                    places[name].append((stem, "set", key, f"exercises/{stem}/{stem}.ipynb"))
    for stem in MORE_PAGES:
        more = Path(root) / "book" / f"{stem}.md"
        if more.exists():
            _add_passages(places, stem, more.read_text(encoding="utf8"))
    return {name: places[name] for name in sorted(places, key=lambda name: (len(name), name))}


def _add_passages(places, stem, page):
    for name, words, heading in dict.fromkeys(tagged_passages(page)):
        places[name].append((stem, "page", words, f"book/{stem}.md#{slugify(heading)}"))


def label(stem):
    """What stands before the name of a place: the number of its chapter, or the name of its page."""
    return stem[:2] if stem[0].isdigit() else stem


def tagged_passages(text):
    """Yield (mistake id, words, heading) for each tag.

    The heading is the one directly below the tag, or else above it. A comment in a code cell is not a
    heading. The words are the heading, or the bold words with which the passage below the tag begins.

    >>> page = "## One\\n```{code-cell} python\\n# code\\n```\\n% mistake: M8\\nText\\n% mistake: M9\\n## Two"
    >>> [*tagged_passages(page)]
    [('M8', 'One', 'One'), ('M9', 'Two', 'Two')]
    >>> [*tagged_passages("## Break it\\n% mistake: M8\\n**A wrong mean.** Add")]
    [('M8', 'A wrong mean', 'Break it')]
    """
    heading, waiting = "", list[str]()
    prose = re.sub(r"^(`{3,}|:{3,}) *\{code-cell\}.*?^\1 *$", "(code)", text, flags=re.M | re.S)
    for line in prose.splitlines():
        if title := re.match(r"#+ +(.+)", line):
            heading = title[1]
            yield from ((name, heading, heading) for name in waiting)
            waiting = []
        elif tag := re.match(r"% mistake: *(\w+)\s*$", line):
            waiting.append(tag[1])
        elif line.strip() and not re.match(r"\([\w-]+\)=$|%", line):
            lead = re.match(r"\*\*([^*:]+? [^*:]+?)\.\*\*", line)
            yield from ((name, lead[1] if lead else heading, heading) for name in waiting)
            waiting = []
    yield from ((name, heading, heading) for name in waiting)


def lab_tags(path):
    """The mistakes that a lab's cells are tagged with."""
    try:
        cells = notebooks.read(path).cells
    except notebooks.NotebookError:  # missing or unreadable; other rules report it
        return set()
    tags = {tag for cell in cells for tag in cell.metadata.get("tags", [])}
    return {tag.removeprefix("mistake-") for tag in tags if tag.startswith("mistake-")}


def objectives(root, stem):
    """Return the objectives of a chapter, in the order of its page."""
    text = (Path(root) / "book" / f"{stem}.md").read_text(encoding="utf8")
    box = re.search(r"What you will be able to do\n(.*?)\n:::", text, re.S)
    bullets = re.split(r"\n?- ", "\n" + box[1])[1:] if box else []
    words = [" ".join(bullet.split()).rstrip(".") for bullet in bullets if bullet.startswith("**")]
    lines = OBJECTIVE.findall(text)
    if len(lines) != len(words):
        raise ValueError(
            f"book/{stem}.md: {len(words)} objectives in the box, but {len(lines)} lines "
            "'% objective: ...'. Write one for each bullet, in order."
        )
    return [
        Objective(name, said, tuple(filter(None, re.split(r"\s*,\s*", tasks))), section, slide)
        for (name, tasks, section, slide), said in zip(lines, words, strict=True)
    ]


def optional_slides(root, stem):
    """The titles of the lab's slides that the deck shows only on demand."""
    cells = notebooks.read(Path(root) / "notebooks" / f"{stem}.ipynb").cells
    shown = [cell.source for cell in cells if "optional" in cell.metadata.get("tags", [])]
    return {source.splitlines()[0].lstrip("# ") for source in shown if source.startswith("#")}


def faults(root):
    """Yield a sentence for each tag that points nowhere and each objective that nothing tests."""
    root = Path(root)
    for name, places in mistakes(root).items():
        if name not in NAMES:
            yield f"{places[0][3]}: the tag {name} is not in lmcourse/hints/mistakes.py. Correct the tag."
    for stem, page in chapters(root):
        if not (root / "solutions" / stem / f"{stem}.ipynb").exists() or "% objective:" not in page:
            continue  # an unfinished chapter, which chapters_are_whole reports
        try:
            found = objectives(root, stem)
            solved = notebooks.read(root / "solutions" / stem / f"{stem}.ipynb")
            lab = notebooks.read(root / "notebooks" / f"{stem}.ipynb")
        except (ValueError, notebooks.NotebookError) as fault:
            yield str(fault).replace(f"{root}/", "")
            continue
        tasks = {notebooks.cell_name(cell) for cell in solved.cells}
        lines = [line for cell in lab.cells for line in cell.source.splitlines()]
        slides = {line.lstrip("# ") for line in lines if line.startswith("#")}
        for aim in found:
            where = f"book/{stem}.md, objective {aim.name}"
            if not aim.tasks:
                yield f"{where}: no exercise tests it. Name a task, or write one."
            for task in aim.tasks:
                if task not in tasks:
                    yield f"{where}: there is no task {task!r} in solutions/{stem}. Correct the name."
            if f"({aim.section})=" not in page:
                yield f"{where}: there is no section label {aim.section!r} on the page. Add ({aim.section})=."
            if aim.slide not in slides | {"none"}:
                yield f"{where}: the lab has no slide {aim.slide!r}. Correct the title, or write 'none'."
