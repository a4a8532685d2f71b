"""Rules for words that interpret a result: a claim, or a number from a cell, stands behind them.

They hold for the chapters. In a cell, ``# claim: KEY`` ties a title to a
claim, and ``# not claimed: REASON`` exempts the cell; above a paragraph, ``% not claimed: REASON`` does.
"""

import ast
import itertools
import re
from collections.abc import Iterator

from lmcourse.files.cells import CodeCell
from lmcourse.files.contents import line_at
from lmcourse.rules.tree import Tree
from lmcourse.rules.typed import assertions

COMPARATIVE = re.compile(
    r"\b(?:lowest|highest|least|most|largest|smallest|best|worst|wins?|never|always|half|nearly|rises?|rising"
    r"|falls?|falling|drops?|flat|steep\w*|higher|lower(?! case)|larger|smaller|better|worse"
    r"|(?:above|below)(?!\))|throughout|leftmost|rightmost|levels? off|jumps?|stops?|about|near|many|few"
    r"|every|all|beyond|within|too)\b",
    re.IGNORECASE,
)
OF_TITLES = re.compile(r"\b(?:more|less|fewer)\b", re.IGNORECASE)
"""What compares in a title; in an alt text it may describe an axis."""
SIDES = re.compile(
    r"\b(?:far|further|go(?:es)?|lies?|moves?|stays?)(?: \w+){0,2} (?:left|right)\b|\b(?:left|right) half\b",
    re.IGNORECASE,
)
"""What is said of data, while "right words" and "at the left" are not."""
CELLS = "⟦⟧"
"""What stands for a value from a cell in a sentence that is searched."""
LONGER = r"(?:higher|lower|larger|smaller|longer|shorter|more|less|fewer|better|worse)"
DIRECTION = re.compile(
    rf"{CELLS}(?:\s+(?!(?:and|or|in|of)\b)[\w-]+){{0,2}}\s+(?:too\s+)?(?:{LONGER}|above|below)\b"
    rf"|\b(?:rises|rose|falls?|fell|drops?|dropped|lowers|raises(?! an))\b(?=[^,;]{{0,40}}{CELLS})"
    rf"|\btoo\s+(?:high|low|small|large|short|long)\b(?=.{{0,20}}{CELLS})"
    rf"|(?<!or )\b{LONGER},?\s+(?:by\s+)?{CELLS}",
    re.IGNORECASE,
)
COMPUTED = re.compile(r"\{\d\d-[\w-]+\}|\{glue(?::\w+)?\}`[^`]+`")
NUMBER = re.compile(r"(?<![\w.-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w-])")
UNITS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen
"""
ONES = {word: value for value, word in enumerate(UNITS.split(), start=1)}
TIES = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * value for value, word in enumerate(TIES.split(), start=2)}
WORDED = re.compile(rf"\b({'|'.join([*TENS, *list(ONES)[1:]])})(?:-({'|'.join(ONES)}))?\b")
"""A whole number in words; "one" is more often a pronoun."""
NEGATION = re.compile(r"\b(?:no|not|none|never|neither)\b", re.IGNORECASE)
PLACED = re.compile(r"\b(?:above|below|ahead|behind|before|after)\b")
LONG = re.compile(r"\b[a-z]{4,}\b")
CELL = re.compile(r"^(`{3,}) *\{code-cell\}[^\n]*\n---\n(.*?)^---\n(.*?)^\1 *$", re.MULTILINE | re.DOTALL)
EXEMPT = "not claimed: "
TAG = re.compile(r"^% mistake: (M\d+)", re.MULTILINE)
SECTION = re.compile(r"(?:^(?:%[^\n]*|\([\w-]+\)=)?\n)*^#{1,3} ", re.MULTILINE)
"""The beginning of a section, with the comments and the label above its heading."""
COMMENT = re.compile(r"^%.*$", re.MULTILINE)
CODE = re.compile(r"^(`{3,})\{code-cell\}.*?^\1 *$", re.MULTILINE | re.DOTALL)
LINKED = re.compile(r"\]\(#|\{(?:prf:)?ref\}")
UNTAGGED = {"M5", "M7"}
"""Beliefs that a lesson plan names and no page computes."""


def figures_say_what_is_claimed(tree: Tree) -> Iterator[str]:
    """In an alt text, a caption or a title, a comparative comes from a claim."""
    for cell, caption in _figures(tree):
        if f"# {EXEMPT}" in cell.source:
            continue
        claimed = _claimed(tree, cell.path)
        for sentence in _sentences(f"{cell.alt} {caption}"):
            if word := _unclaimed(sentence):
                yield f"{cell.where}: {sentence!r} says {word!r}. Take the words from claim(), {{KEY}}."
        named = set(re.findall(r"# claim: (\S+)", cell.source))
        words = " ".join(claimed.get(key, "") for key in named).lower()
        for title in _titles(cell):
            for word in [*COMPARATIVE.findall(title)[:1], *OF_TITLES.findall(title)]:
                if not re.search(rf"\b{word.lower()}\b", words):
                    cure = "Build it from claim(), or name a claim that says so in a comment, '# claim: KEY'"
                    yield f"{cell.where}: the title {title!r} says {word!r}. {cure}."
            yield from (
                f"{cell.where}: the title {title!r} {fault}." for fault in _beside(tree, cell, title, named)
            )
        for key in sorted(named - set(claimed)):
            yield f"{cell.where}: '# claim: {key}' names no claim of {cell.path}. Correct the key."


def numbers_in_titles_are_held(tree: Tree) -> Iterator[str]:
    """A value that a title computes itself is glued, asserted or claimed: nothing else shows a slip."""
    cells = [cell for cell in tree.code_cells("book", "notebooks") if _stem(cell) in tree.chapters]
    for path in sorted({cell.path for cell in cells}):
        beside = [cell for cell in cells if cell.path == path]
        held = {
            ast.unparse(part)
            for cell in beside
            for node in assertions(cell)
            for part in ast.walk(node)
            if isinstance(part, ast.expr)
        }
        for cell in beside:
            for value in _computed_in_titles(cell):
                if ast.unparse(value) not in held:
                    cure = "Give it a name, and glue or assert that"
                    yield f"{cell.where}: a title computes {ast.unparse(value)}. {cure}."


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
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in tree.chapters)):
        outside = CODE.sub(_blank, text)
        for paragraph in re.finditer(r"(?:^[^\n]+\n)+", outside, re.MULTILINE):
            if paragraph[0].startswith((f"% {EXEMPT}", "|")):
                continue
            for sentence in _sentences(paragraph[0]):
                refers = "{numref}`fig-" in sentence
                if refers and (word := _unclaimed(sentence)):
                    where = f"{path}, line {line_at(outside, paragraph.start())}"
                    yield f"{where}: {sentence!r} says {word!r}. Take the words from claim()."


def directions_are_computed(tree: Tree) -> Iterator[str]:
    """In a sentence with a value from a cell, the cell also says whether that is higher or lower.

    The value is computed again when a model or a text changes, and "12% higher" may then be "12% lower".
    """
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in tree.chapters)):
        outside = CODE.sub(_blank, text)
        for paragraph in re.finditer(r"(?:^[^\n]+\n)+", outside, re.MULTILINE):
            if paragraph[0].startswith((f"% {EXEMPT}", "|")):
                continue
            for sentence in re.split(r"(?<=[.?!])\s+", paragraph[0]):
                sourced = re.search(r"\{cite|\]\(https?:", sentence)
                found = DIRECTION.search(COMPUTED.sub(CELLS, sentence))
                if "{glue" in sentence and found and not sourced:
                    line = line_at(outside, paragraph.start() + paragraph[0].find(sentence))
                    words = " ".join(found[0].replace(CELLS, "…").split())
                    cure = "Take the words from claim(), or glue them: 'more' if x > 0 else 'less'"
                    yield f"{path}, line {line}: types {words!r} beside a value from a cell. {cure}."


def glued_values_are_used(tree: Tree) -> Iterator[str]:
    """Each number or word that a cell glues is used on its page: what is typed instead leaves it unused."""
    for stem, folder in itertools.product(tree.chapters, ("book", "notebooks")):
        page, own = f"book/{stem}.md", tree.paths(f"{folder}/{stem}.*")
        cells = [cell for cell in tree.code_cells("book", "notebooks") if cell.path in own]
        text = "\n".join([*(tree.text(path) or "" for path in {page, *own}), *(cell.alt for cell in cells)])
        for cell in cells:
            for key in re.findall(r"\b(?:glue|keep)\(\s*\"([^\"]+)\"", cell.source):
                name = rf"{re.escape(key)}(?::[^`}}]*)?"  # with a format, as in `total:.2f`
                if not re.search(rf"\{{glue(?::\w+)?\}}`(?:[^`]*::)?{name}`|\{{{name}\}}", text):
                    cure = "Use it where it is said, or drop it"
                    yield f"{cell.where}: nothing uses the value {key!r}. {cure}."


def mistakes_named_are_tagged(tree: Tree) -> Iterator[str]:
    """The number of a mistake, M11, is one that its section of the page tags; in a plan, that its page tags.

    A paragraph with a link to a section may name the mistakes of that section, and a table those of the page.
    """
    for stem in tree.chapters:
        path, plan = f"book/{stem}.md", f"book/instructors/{stem}.md"
        page = tree.text(path) or ""
        tagged = set(TAG.findall(page))
        parts = [(plan, 0, tree.text(plan) or "", tagged | UNTAGGED, f"{path} does not tag")]
        starts = [0, *(match.start() for match in SECTION.finditer(page)), len(page)]
        for start, stop in itertools.pairwise(starts):
            section = COMMENT.sub(_blank, CODE.sub(_blank, page[start:stop]))
            own = set(TAG.findall(page, start, stop))
            for paragraph in re.finditer(r"(?:^[^\n]+\n)+", section, re.MULTILINE):
                before = line_at(page, start) + line_at(section, paragraph.start()) - 2
                if paragraph[0].startswith("|") or LINKED.search(paragraph[0]):
                    parts.append((path, before, paragraph[0], tagged, "the page does not tag"))
                else:
                    parts.append((path, before, paragraph[0], own, "its section does not tag"))
        for where, before, text, allowed, missing in parts:
            for found in re.finditer(r"\bM\d+\b", text) if tagged else ():
                if found[0] not in allowed:
                    line = before + line_at(text, found.start())
                    cure = "Correct it, tag it ('% mistake: ...'), or link the section that does"
                    yield f"{where}, line {line}: names {found[0]}, which {missing}. {cure}."


def slides_named_exist(tree: Tree) -> Iterator[str]:
    """The slides that a lesson plan numbers are in the core of its deck."""
    for path, notebook in tree.notebooks("notebooks"):
        stem = path.rpartition("/")[2].removesuffix(".ipynb")
        plan = tree.text(f"book/instructors/{stem}.md")
        if stem not in tree.chapters or plan is None:
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
    for path, text in tree.texts(*(f"book/{stem}.md" for stem in tree.chapters)):
        for match in CELL.finditer(text):
            if caption := re.search(r"caption: *(\S.*)", match[2]):
                captions[f"{path}, line {line_at(text, match.start())}"] = caption[1].strip("\"'")
    for cell in tree.code_cells("book", "notebooks"):
        if cell.alt and _stem(cell) in tree.chapters:
            yield cell, captions.get(cell.where, "")


def _beside(tree: Tree, cell: CodeCell, title: str, named: set[str]) -> Iterator[str]:
    """Say what a title has otherwise than the claims that its cell names: a number, or the sides."""
    calls = [node for key, node in _claims(tree, cell.path) if key in named]
    if not calls:
        return
    parts = [part.lower() for node in calls for part in re.split(r"[,;:.]", _words(node.args[1]))]
    literals = {node.value for call in calls for node in ast.walk(call) if isinstance(node, ast.Constant)}
    negated = NEGATION.search(title) and any(map(NEGATION.search, parts))
    for number in numbers_of(title):
        fits = [
            part for part in parts if number in numbers_of(part) and (NEGATION.search(part) or not negated)
        ]
        if not fits and (negated or number not in literals):
            yield f"says {number:g}, and the claim does not. Say what the claim says, or name another"
    for word in PLACED.findall(title.lower()):
        for part in parts:
            if re.search(rf"\b{word}\b", part):
                left, right = (set(LONG.findall(side)) for side in title.lower().split(word, 1))
                before, after = (set(LONG.findall(side)) for side in part.split(word, 1))
                for turned in sorted(left & after - before | right & before - after):
                    cure = "Turn one of them round"
                    yield f"has {turned!r} on the other side of {word!r} than the claim. {cure}"


def numbers_of(text: str) -> set[float]:
    """The numbers of a text, in digits or as words.

    Examples
    --------
    >>> sorted(numbers_of("Two of 16, or sixty-four"))
    [2.0, 16.0, 64.0]
    """
    found = {float(number.replace(",", "")) for number in NUMBER.findall(text)}
    for tens, ones in WORDED.findall(text.lower()):
        found.add(float(TENS.get(tens, 0) + ONES.get(ones or tens, 0)))
    return found


def _titles(cell: CodeCell) -> Iterator[str]:
    """Yield the titles that a cell types out, or the typed parts of one."""
    for node in ast.walk(cell.syntax()):
        value = None
        if isinstance(node, ast.keyword) and node.arg == "title":
            value = node.value
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("set_title", "suptitle"):
            value = node.args[0] if node.args else None
        for part in ast.walk(value) if value else ():
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                yield part.value


def _computed_in_titles(cell: CodeCell) -> Iterator[ast.expr]:
    """Yield the expressions with an operator in the titles of a cell."""
    for node in ast.walk(cell.syntax()):
        named = isinstance(node, ast.keyword) and node.arg == "title"
        called = isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("set_title", "suptitle")
        for part in ast.walk(node) if named or called else ():
            if isinstance(part, ast.FormattedValue) and any(
                isinstance(inner, ast.BinOp) for inner in ast.walk(part.value)
            ):
                yield part.value


def _stem(cell: CodeCell) -> str:
    return cell.path.rpartition("/")[2].partition(".")[0]


def _claimed(tree: Tree, path: str) -> dict[str, str]:
    """The claims of a page: key to words."""
    return {key: _words(node.args[1]) for key, node in _claims(tree, path)}


def _claims(tree: Tree, path: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield key and call of each claim of a page."""
    for cell in tree.code_cells("book", "notebooks"):
        if cell.path == path and "claim(" in cell.source:
            for node in ast.walk(cell.syntax()):
                if (
                    isinstance(node, ast.Call)
                    and getattr(node.func, "id", "") == "claim"
                    and len(node.args) > 1
                ):
                    yield _words(node.args[0]), node


def _words(node: ast.AST) -> str:
    """The typed words of a string, or of one with values in it."""
    return " ".join(
        part.value
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    )


def _unclaimed(sentence: str) -> str:
    """The comparative that a sentence types, outside what it takes from a cell; "" if there is none."""
    plain = COMPUTED.sub(" ", sentence)
    word = COMPARATIVE.search(plain) or SIDES.search(plain)
    return word[0] if word else ""


def _sentences(text: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.:;?!])\s+", text) if part.strip()]


def _blank(match: re.Match) -> str:
    return "\n" * match[0].count("\n")
