"""Rules for words that interpret a result: a claim, or a number from a cell, stands behind them.

They hold for the chapters of the second pattern (`CONVERTED`). In a cell, ``# claim: KEY`` ties a title to a
claim, and ``# not claimed: REASON`` exempts the cell; above a paragraph, ``% not claimed: REASON`` does.
"""

import ast
import re
from collections.abc import Iterator

from lmcourse.files.cells import CodeCell
from lmcourse.files.contents import line_at
from lmcourse.rules.tree import Tree
from lmcourse.site.extensions.chapter_length import CONVERTED

COMPARATIVE = re.compile(
    r"\b(?:lowest|highest|least|most|largest|smallest|best|worst|wins?|never|always|half|nearly|rises?|rising"
    r"|falls?|falling|drops?|flat|steep\w*|higher|lower|larger|smaller|better|worse|above|below|throughout"
    r"|leftmost|rightmost|levels? off|jumps?|stops?|about|near|many|few|every|all|beyond|within|too)\b",
    re.IGNORECASE,
)
COMPUTED = re.compile(r"\{\d\d-[\w-]+\}|\{glue(?::\w+)?\}`[^`]+`")
NUMBER = re.compile(r"(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])")
CELL = re.compile(r"^(`{3,}) *\{code-cell\}[^\n]*\n---\n(.*?)^---\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
EXEMPT = "not claimed: "
UNTAGGED = {"M5", "M7"}
"""Beliefs that a lesson plan names and no page computes."""


def figures_say_what_is_claimed(tree: Tree) -> Iterator[str]:
    """In an alt text, a caption or a title, a comparative comes from a claim."""
    for cell, caption in _figures(tree):
        if f"# {EXEMPT}" in cell.source:
            continue
        claimed = _claimed(tree, cell.path)
        for sentence in _sentences(f"{cell.alt} {caption}"):
            if word := _unclaimed(sentence, claimed):
                yield f"{cell.where}: {sentence!r} says {word!r}. Take the words from claim(), {{KEY}}."
        named = set(re.findall(r"# claim: (\S+)", cell.source))
        words = " ".join(claimed.get(key, "") for key in named).lower()
        for title in _titles(cell):
            word = COMPARATIVE.search(title)
            if word and word[0].lower() not in words:
                cure = "Build it from claim(), or name a claim that says so in a comment, '# claim: KEY'"
                yield f"{cell.where}: the title {title!r} says {word[0]!r}. {cure}."
        for key in sorted(named - set(claimed)):
            yield f"{cell.where}: '# claim: {key}' names no claim of {cell.path}. Correct the key."


def numbers_in_alt_texts_are_computed(tree: Tree) -> Iterator[str]:
    """A number typed into an alt text or a caption is in the code of its figure; others come from a cell."""
    for cell, caption in _figures(tree):
        typed = NUMBER.findall(COMPUTED.sub(" ", f"{cell.alt} {caption}"))
        given = set(NUMBER.findall(re.sub(r"[*/()\[\]:=-]", " ", cell.source)))
        for number in typed:
            if number not in given:
                yield f"{cell.where}: alt text or caption says {number}. Glue the number and write {{KEY}}."


def sentences_about_figures_are_claimed(tree: Tree) -> Iterator[str]:
    """A sentence that refers to a figure and compares takes words or numbers from a cell."""
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in CONVERTED)):
        outside = re.sub(r"^(`{3,})\{code-cell\}.*?^\1 *$", _blank, text, flags=re.MULTILINE | re.DOTALL)
        for paragraph in re.finditer(r"(?:^[^\n]+\n)+", outside, re.MULTILINE):
            if paragraph[0].startswith((f"% {EXEMPT}", "|")):
                continue
            for sentence in _sentences(paragraph[0]):
                refers = "{numref}`fig-" in sentence
                if refers and (word := _unclaimed(sentence, _claimed(tree, path))):
                    where = f"{path}, line {line_at(outside, paragraph.start())}"
                    yield f"{where}: {sentence!r} says {word!r}. Take the words from claim()."


def glued_values_are_used(tree: Tree) -> Iterator[str]:
    """Each number or word that a cell glues is used on its page: what is typed instead leaves it unused."""
    for path in tree.paths(*(f"{folder}/{stem}.*" for stem in CONVERTED for folder in ("book", "notebooks"))):
        cells = [cell for cell in tree.code_cells("book", "notebooks") if cell.path == path]
        text = "\n".join([tree.text(path) or "", *(cell.alt for cell in cells)])
        for cell in cells:
            for key in re.findall(r"\b(?:glue|keep)\(\s*\"([^\"]+)\"", cell.source):
                if not re.search(rf"\{{glue(?::\w+)?\}}`{re.escape(key)}`|\{{{re.escape(key)}\}}", text):
                    cure = "Use it where it is said, or drop it"
                    yield f"{cell.where}: nothing uses the value {key!r}. {cure}."


def mistakes_named_are_tagged(tree: Tree) -> Iterator[str]:
    """A number of a mistake, M11, that a page or a lesson plan names is one of those that the page tags."""
    for stem in CONVERTED:
        page = tree.text(f"book/{stem}.md") or ""
        tagged = set(re.findall(r"^% mistake: (M\d+)", page, re.MULTILINE))
        for path, text in tree.texts(f"book/{stem}.md", f"book/instructors/{stem}.md"):
            for found in re.finditer(r"\bM\d+\b", text):
                if tagged and found[0] not in tagged | UNTAGGED:
                    where = f"{path}, line {line_at(text, found.start())}"
                    yield f"{where}: names {found[0]}, which book/{stem}.md does not tag. Correct it."


def slides_named_exist(tree: Tree) -> Iterator[str]:
    """The slides that a lesson plan numbers are in the core of its deck."""
    for path, notebook in tree.notebooks("notebooks"):
        stem = path.rpartition("/")[2].removesuffix(".ipynb")
        plan = tree.text(f"book/instructors/{stem}.md")
        if stem not in CONVERTED or plan is None:
            continue
        slides = sum(
            cell.metadata.get("slideshow", {}).get("slide_type") in ("slide", "subslide")
            and "optional" not in cell.metadata.get("tags", [])
            for cell in notebook.cells
        )
        for found in re.finditer(r"\bslides? (\d+(?:(?:,| to| and|, and) \d+)*)", plan):
            for number in map(int, re.findall(r"\d+", found[1])):
                if number > slides:
                    where = f"book/instructors/{stem}.md, line {line_at(plan, found.start())}"
                    yield f"{where}: names slide {number}, and the core has {slides}. Correct the number."


def _figures(tree: Tree) -> Iterator[tuple[CodeCell, str]]:
    """Yield the cells with an alt text, and their captions."""
    captions = {}
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in CONVERTED)):
        for match in CELL.finditer(text):
            if caption := re.search(r"caption: *(\S.*)", match[2]):
                captions[f"{path}, line {line_at(text, match.start())}"] = caption[1].strip("\"'")
    for cell in tree.code_cells("book", "notebooks"):
        if cell.alt and cell.path.rpartition("/")[2].partition(".")[0] in CONVERTED:
            yield cell, captions.get(cell.where, "")


def _titles(cell: CodeCell) -> Iterator[str]:
    """Yield the titles that a cell types out, or the typed parts of one."""
    for node in ast.walk(cell.syntax()):
        if isinstance(node, ast.keyword) and node.arg == "title":
            yield from (
                part.value
                for part in ast.walk(node.value)
                if isinstance(part, ast.Constant) and isinstance(part.value, str)
            )


def _claimed(tree: Tree, path: str) -> dict[str, str]:
    """The claims of a page: key to words."""
    return {
        key: words
        for cell in tree.code_cells("book", "notebooks")
        if cell.path == path
        for key, words in re.findall(r"\bclaim\(\s*\"([^\"]+)\",\s*\"([^\"]*)\"", cell.source)
    }


def _unclaimed(sentence: str, claimed: dict[str, str]) -> str:
    """The comparative that a sentence types, if it takes no words from a claim; "" if there is none."""
    keys = re.findall(r"\{(\d\d-[\w-]+)\}|\{glue(?::\w+)?\}`([^`]+)`", sentence)
    if any((alt or glued) in claimed for alt, glued in keys):
        return ""
    word = COMPARATIVE.search(COMPUTED.sub(" ", sentence))
    return word[0] if word else ""


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.:;?!])\s+", text) if part.strip()]


def _blank(match: re.Match) -> str:
    return "\n" * match[0].count("\n")
