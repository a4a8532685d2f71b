"""Rules for words that were turned round: left for right, more for less, two for three, one name for another.

No machine can tell whether "left" or "right" is true of a picture. But where the same sentence said "right"
when it was read, one of the two is false. So ``read.txt`` has a line for each sentence of a page, a plan, a
lab, a set and a hint, and for each title, alt text, claim and reason of a step: a digest of its words, in
which "left" and "right" count as one word, a digest of how they stand there, and its numbers, formulas,
values and sources. A sentence that has the first digest and not the others was turned round, which is a
finding. Sentences whose other words change, and new ones, pass; so does a claim that changes with its
condition. Formulas on lines of their own, also those of doc-strings, and numbers in a sentence with a
citation are stored whole, and a new one is a finding too.

``python -m lmcourse.reread`` shows old and new, and with ``--accept`` stores what stands there now.
"""

import ast
import difflib
import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

from lmcourse.files.cells import CodeCell
from lmcourse.files.contents import line_at
from lmcourse.files.notebooks import cell_label
from lmcourse.rules.tree import Tree

READ = "lmcourse/rules/read.txt"
COMMAND = "python -m lmcourse.reread"
GROUPS = """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
    seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand
    million billion dozen; half third quarter fourth fifth sixth seventh eighth ninth tenth hundredth
    thousandth first second last next previous; halves thirds quarters fifths sixths sevenths eighths
    tenths hundredths; once twice half; single double; double halve triple; doubles halves triples;
    doubled halved tripled; ln log log2 log10; `<s>` `</s>` `<unk>`; week month year day; higher lower
    upper; high low; highest lowest; above
    below over under; more less fewer; most least; many few; much little; larger smaller; large small;
    largest smallest; longer shorter; long short; longest shortest; better worse; best worst; rise fall
    drop; rises falls drops; rising falling; rose fell; risen fallen; raise lower; raises lowers; raised
    lowered; grow shrink; grows shrinks; gain lose; gains loses wins; gained lost; increase decrease;
    increases decreases; left right; leftmost rightmost; top bottom; up down; upwards downwards;
    horizontal vertical; before after; early late; earlier later; earliest latest; positive negative;
    plus minus; same different; equal unequal; inside outside; above below; within beyond; always never
    sometimes often seldom rarely; all some none no every any each neither both; with without; known
    unknown; seen unseen; old new; bits nats; bit nat; train test valid; training test; start end;
    starts ends; begin end; begins ends; sum difference product quotient ratio; wide narrow; wider
    narrower; easy hard; easier harder; near far; nearer further; input output; inputs outputs; mean
    median; minimum maximum; numerator denominator; row column; rows columns; forward reverse backward;
    open filled closed; solid dashed dotted; dark light pale; ahead behind; red blue orange green purple
    grey black white; multiply divide; multiplied divided; multiplies divides; add subtract; added
    subtracted; strong weak; stronger weaker; fast slow; faster slower; true false; overestimates
    underestimates; overconfident underconfident; convex concave; biased unbiased; warm cold; word
    character token byte; words characters tokens bytes
"""
"""Words that another word of their group would turn, apart from which the sentence is the same."""


def _groups() -> dict[str, tuple[str, ...]]:
    """Each word with those that could stand in its place; groups that share a word are one."""
    found: dict[str, set[str]] = {}
    for group in GROUPS.split(";"):
        merged = set(group.split()).union(*(found.get(word, ()) for word in group.split()))
        found |= dict.fromkeys(merged, merged)
    return {word: tuple(sorted(group)) for word, group in found.items()}


GROUP = _groups()
NOT = {"not", "nor"}
"""Words that may come or go, and turn the sentence by it."""
TOKEN = re.compile(
    r"(?P<word>[^\W\d_]\w*(?:['’]\w+)*)|(?P<number>(?:(?<![\w)])[-−])?(?:\d+(?:[,.]\d+)*|(?<!\w)\.\d+)(?:\s?%)?)"
    r"|(?P<stop>(?<=[\w)\"”*`$])[.?!:;](?=[)\"”*]*(?:\s|$)))|(?P<sign>(?<=\S )[-+/<>=]+(?=\s))"
    r"|(?P<formula>\$\$.+?\$\$|(?<!\\)\$[^$]+(?<!\\)\$)|(?P<role>\{[\w:]+\}`[^`]+`|\{\d\d-[\w-]+\})"
    r"|(?P<code>`[^`]+`|⟦[^⟧]*⟧)",
    re.DOTALL,
)
APART = re.compile(
    r"(?P<code>(?<!`)`(?!`)[^`\n]+`(?!`))"
    r"|\A---\n.*?^---\n|^(?P<fence>`{3,}|:{3,}) *\{code-cell\}.*?^(?P=fence) *$|^%[^\n]*$|^\([\w-]+\)=$"
    r"|^:(?!alt:)[\w-]+:[^\n]*$|^(?:`{3,}|:{3,})(?:\{[\w:-]+\}|[^\n]*$)|(?<=\])\([^)\s]*\)"
    r"|<!--.*?-->|<[^<>\n]+>|\*\*[\d.]+ min\.\*\*",
    re.MULTILINE | re.DOTALL,
)
"""What is not read as a sentence: code, comments, options, addresses, and the minutes of a note."""
DISPLAYED = re.compile(r"(?<=\n\n)(?: {4,}\S.*(?:\n|\Z))+")
"""An indented block of a doc-string, such as a formula or an example."""
SUBSTANCE = re.compile(r"^ +(?!>>>)\S.*(?:(?<![<>=!])=(?!=)|<=|≤).*[-+/*(^_]", re.MULTILINE)
SHOWING = re.compile(r"\b(?:\w*title|because|claim|glue|keep)\b")
STATES = re.compile(r"[\d=<>+/^-]|\\(?:le|ge|ln|log|sum|frac|prod)\b")
"""What makes a formula more than the name of a quantity."""
REFERENCE = re.compile(r"\{(?:ref|numref|doc|term|download|prf:ref|eq|code)\}")
NUMBERED = re.compile(
    r"\b(?:[Cc]hapter|[Ss]ection|[Ss]lide|[Tt]ask|[Pp]age|[Ss]et|[Ll]ab|[Vv]ersion)s?\s+"
    r"(?:\d+[a-z]?(?:(?:,| to| and|, and| or)\s+)?)+"
)
"""Places, which other rules check."""
WHOLE = ("cited", "formula")
SHARE = 0.2
"""Sentences of a file that may be new before it is asked for again."""
ENOUGH = 2
"""Words beside the turning ones without which two sentences are not taken for the same one."""


class Said(NamedTuple):
    """A sentence, a title or a formula: where it is, its text and its words, and what is compared."""

    path: str
    where: str
    text: str
    words: tuple[str, ...]
    others: str
    order: str
    given: str
    turning: bool = True
    """Whether a word of it could be turned. Others are not stored; one may have lost its "not"."""

    @property
    def stored(self) -> str:
        return f"{self.others} {self.order} {self.given}".rstrip()


class Turned(NamedTuple):
    """A sentence that was turned round: what it has now, and what stood there when it was read."""

    said: Said
    now: str
    before: str


def turned_words_were_read(tree: Tree) -> Iterator[str]:
    """What differs from what was read only in a number, an opposite, a formula or a source is read again."""
    for said, now, before in turned(tree):
        if before:
            found = f"says {now!r} where {before!r} was read, in"
        elif now:
            found = f"nobody has read {now!r}, in"
        else:
            found = "has the same words in another order than was read, or another 'not':"
        text = said.text if len(said.text) < 200 else f"{said.text[:160]} … {said.text[-30:]}"
        cure = "Correct it, or read it with its figure, condition or source beside it, and run"
        yield f"{said.path}, {said.where}: {found} {text!r}. {cure}: {COMMAND} --accept {said.path}"


def pages_were_read(tree: Tree) -> Iterator[str]:
    """Of the sentences of a page, a lab or a set that would be compared, four in five are stored as read."""
    known = read_before(tree)
    for path, sayings in said_in(tree).items() if known else ():
        sayings = [said for said in sayings if said.turning]
        new = sum(said.stored not in known.get(path, Known([])).lines for said in sayings)
        if new > SHARE * len(sayings):
            cure = f"Read it, and run: {COMMAND} --accept {path}"
            yield f"{path}: {new} of {len(sayings)} sentences are not stored as read. {cure}"


def turned(project: Tree) -> Iterator[Turned]:
    """Yield what was turned round, or is a formula or a number with a source that is new."""
    known = read_before(project)
    for path, sayings in said_in(project).items():
        here = known.get(path, Known([]))
        for said in sayings:
            if said.stored in here.lines or path not in known:
                continue
            near = [
                (order, given)
                for order, given in here.by_others.get(said.others, [])
                if said.turning or not given
            ]
            if said.others in WHOLE:
                given = difflib.get_close_matches(said.given, [given for _, given in near], n=1, cutoff=0.8)
                yield Turned(said, said.given, next(iter(given), ""))
            elif near:
                yield Turned(said, *_difference(said, near))


def _difference(said: Said, near: list[tuple[str, str]]) -> tuple[str, str]:
    """What a sentence has now, and had before: its numbers, or the words that give a stored digest."""
    orders = {order for order, given in near if given == said.given}
    if not orders:
        given = difflib.get_close_matches(said.given, [given for _, given in near], n=1, cutoff=0)
        return said.given, next(iter(given), "no number")
    words = said.words
    for place, word in enumerate(words):
        for other in GROUP.get(word, ()):
            if _order((*words[:place], other, *words[place + 1 :])) in orders:
                return word, other
    for i, j in itertools.combinations(range(len(words)), 2):
        swapped = [*words]
        swapped[i], swapped[j] = words[j], words[i]
        if _order(swapped) in orders:
            return f"{words[i]} … {words[j]}", f"{words[j]} … {words[i]}"
    return "", ""


class Known:
    """What was read of one file."""

    def __init__(self, lines: list[str]):
        self.lines = set(lines)

    @cached_property
    def by_others(self) -> dict[str, list[tuple[str, str]]]:
        """The digest of the words, and with it that of the order, and what else is given."""
        found: dict[str, list[tuple[str, str]]] = {}
        for line in sorted(self.lines):
            others, order, *given = line.split(" ", 2)
            found.setdefault(others, []).append((order, "".join(given)))
        return found


def read_before(project: Tree) -> dict[str, Known]:
    """What ``read.txt`` has, by file."""
    known: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in (project.text(READ) or "").splitlines():
        if line.startswith("## "):
            lines = known.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return {path: Known(lines) for path, lines in known.items()}


def said_in(project: Tree) -> dict[str, list[Said]]:
    """All that is compared, by file; asked twice of the same files, it is computed once."""
    if project not in _SAID:
        _SAID[project] = _said_in(project)
    return _SAID[project]


_SAID: WeakKeyDictionary[Tree, dict[str, list[Said]]] = WeakKeyDictionary()


def _said_in(project: Tree) -> dict[str, list[Said]]:
    found: dict[str, list[Said]] = {}
    for path, text in project.texts("book/*.md"):
        found[path] = [*_of_text(path, partial(_line, text), text)]
        for caption in re.finditer(r"^ +caption: *(\S.*)$", text, re.MULTILINE):
            line = f"line {line_at(text, caption.start())}"
            found[path] += _of_text(path, line, caption[1].strip("\"'"), shown=True)
    for path, notebook in project.notebooks("notebooks", "solutions"):
        found[path] = []
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "markdown":
                found[path] += _of_text(path, cell_label(cell, index), cell.source)
    for cell in project.code_cells("book", "notebooks"):
        if cell.path in found:
            where = cell.where.partition(", ")[2]
            found[cell.path] += _of_text(cell.path, where, cell.alt, shown=True)
            found[cell.path] += _of_code(cell.path, where, cell)
    for path in project.paths("lmmetrics/*.py"):
        found[path] = [*_of_docstrings(path, project.syntax(path))]
    for path in project.paths("lmcourse/questions/*.py", "lmcourse/exams/*.py"):
        found[path] = [*_of_hints(path, project.syntax(path))]
    return {path: sayings for path, sayings in found.items() if sayings}


def _of_text(
    path: str, where: str | Callable[[int], str], text: str, shown: bool = False, beside: str = ""
) -> Iterator[Said]:
    """Yield the sentences of a text; of what is `shown`, also those in which no word turns the meaning."""
    plain = APART.sub(lambda found: found["code"] or re.sub(r"[^\n]", " ", found[0]), text)
    plain = re.sub(r"\b([Cc])annot\b", r"\1an not", plain)
    plain = NUMBERED.sub(lambda found: re.sub(r"\d", " ", found[0]), plain)
    for block in re.finditer(r"^ *\|.*\n?|(?:^(?!\s*$| *\|).+\n?)+", plain, re.MULTILINE):
        tokens: list[re.Match] = []
        for token in TOKEN.finditer(plain, *block.span()):
            displayed = token["formula"] and token["formula"].startswith("$$")
            if displayed:
                yield _formula(path, _place(where, token), token[0])
            elif token["stop"] and (token[0] in ".?!" or not shown):
                yield from _sentence(path, where, plain, tokens, shown, beside)
                tokens = []
            elif not token["stop"] and token[0].lower() not in ("a", "an"):
                tokens.append(token)
        yield from _sentence(path, where, plain, tokens, shown, beside)


def _sentence(path, where, text, tokens, shown, beside) -> Iterator[Said]:
    if not tokens:
        return
    written = [" ".join(token[0].split()) for token in tokens]
    words = tuple(word.lower() for word in written)
    given = [word for word, token in zip(written, tokens, strict=True) if _given(token)]
    plain = [word for word, token in zip(words, tokens, strict=True) if not _given(token) and word not in NOT]
    turning = shown or bool(given) or any(word in GROUP or word in NOT for word in words)
    whole = " ".join(text[tokens[0].start() : tokens[-1].end()].split())
    place = _place(where, tokens[0])
    if sum(word not in GROUP for word in plain) >= (1 if shown else ENOUGH):
        others = _digest(" ".join([*sorted(GROUP.get(word, (word,))[0] for word in plain), beside]))
        yield Said(path, place, whole, words, others, _order(words), " ".join(given), turning)
    cited = [word for word in written if word.startswith("{cite")]
    numbers = [word for word, token in zip(written, tokens, strict=True) if token["number"]]
    if cited and numbers:
        yield Said(path, place, whole, words, "cited", "-", " ".join([*cited, *numbers]))


def _formula(path: str, where: str, formula: str) -> Said:
    written = " ".join(formula.strip("$ \n").split()).rstrip(" .,;")
    return Said(path, where, written, (), "formula", "-", written)


def _given(token: re.Match) -> bool:
    """Whether a token is a number, a sign, a formula that states something, or a value or source."""
    if token["role"]:
        return not REFERENCE.match(token[0])
    if token["formula"]:
        return bool(STATES.search(token[0]))
    return bool(token["number"] or token["sign"])


def _of_code(path: str, where: str, cell: CodeCell) -> Iterator[Said]:
    """Yield the titles of a cell, the words that it glues, and those of its claims."""
    if not SHOWING.search(cell.source):
        return
    for node in ast.walk(cell.syntax()):
        if isinstance(node, ast.keyword) and node.arg in ("title", "because"):
            yield from _of_text(path, where, _words(node.value), shown=True)
        elif isinstance(node, ast.Call):
            name, arguments = getattr(node.func, "id", getattr(node.func, "attr", "")), node.args
            if name == "claim" and len(arguments) > 2:
                yield from _of_text(path, where, _words(arguments[1]), True, ast.unparse(arguments[2]))
            elif name in ("glue", "keep") and len(arguments) > 1:
                yield from _of_text(path, where, _words(arguments[1]), shown=True)
            elif name in ("set_title", "suptitle") and arguments:
                yield from _of_text(path, where, _words(arguments[0]), shown=True)


def _of_hints(path: str, syntax: ast.AST | None) -> Iterator[Said]:
    """Yield what the mistakes, the properties and the advice of a question say to a student."""
    for node in ast.walk(syntax) if syntax else ():
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("Mistake", "Property"):
            shown = node.args
        elif isinstance(node, ast.keyword) and node.arg in ("advice", "precision"):
            shown = [node.value]
        else:
            continue
        for part in shown:
            if isinstance(part, ast.Constant | ast.JoinedStr) and " " in (words := _words(part)):
                yield from _of_text(path, f"line {part.lineno}", words)


def _of_docstrings(path: str, syntax: ast.AST | None) -> Iterator[Said]:
    """Yield the formulas of the doc-strings of a module: indented lines with a sign of equality or order."""
    for node in ast.walk(syntax) if syntax else ():
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (
            text := ast.get_docstring(node)
        ):
            first = node.body[0].lineno
            for found in DISPLAYED.finditer(text):
                if SUBSTANCE.search(found[0]):
                    yield _formula(path, f"line {first + line_at(text, found.start()) - 1}", found[0])


def _words(node: ast.AST) -> str:
    parts = node.values if isinstance(node, ast.JoinedStr) else [node]
    return "".join(
        str(part.value) if isinstance(part, ast.Constant) else f"⟦{ast.unparse(part)}⟧"
        for part in parts
        if not isinstance(part, ast.Constant) or isinstance(part.value, str)
    )


def _line(text: str, at: int, first: int = 1) -> str:
    return f"line {first + line_at(text, at) - 1}"


def _place(where: str | Callable[[int], str], token: re.Match) -> str:
    return where if isinstance(where, str) else where(token.start())


def _order(words: Iterable[str]) -> str:
    return _digest(" ".join(words))[:4]


def _digest(words: str) -> str:
    return hashlib.sha256(words.encode()).hexdigest()[:6]
