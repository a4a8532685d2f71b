"""Rules for the book's pages, and for the cells that pages and notebooks run."""

import ast
import posixpath
import re
from collections.abc import Iterator

from lmcourse.files import contents
from lmcourse.rules.tree import CodeCell, Tree

SKELETON = {
    r"\{chapter-card\}": "the chapter-card directive (minutes, prerequisites, links)",
    r":question: *\S": "the question it answers, ':question:' in the chapter-card",
    r":minutes: *\d+": "its reading time, ':minutes:' in the chapter-card",
    r":prerequisites: *\S": "what readers need, ':prerequisites:' in the chapter-card",
    r"What you will be able to do": "objectives, headed 'What you will be able to do'",
    r"\{prf:(definition|theorem)\}": "a numbered definition or theorem",
    r"\bDerivation\(": "a Derivation, each step proved",
    r"\bimport torch\b|\btorch\.": "the same number in PyTorch",
    r"\bcaption:": "a figure with a caption",
    r"(?s)\bExplorable\(.*\bExplorable\(": "two interactive figures, each an Explorable",
    r"(?m)^#+ .*Break it": "a section 'Break it'",
    r"(?m)^#+ .*What to remember": "a section 'What to remember'",
    r"Further reading": "the words 'Further reading'",
    r"\{cite": "a citation",
    r"\]\(\.\./exercises/": "a link to its exercises, after what to remember",
}
PICTURE = re.compile(r"^([`:]{3,}) *\{(?:image|figure)\}(.*)\n((?:.*\n)*?)\1 *$", re.MULTILINE)
WIDTH = 77
"""Columns of code that a page shows on a desktop without scrolling."""
DRAWING = {"subplots", "subplot_mosaic", "figure", "subplot"}
SEEDED = {"default_rng", "Generator", "SeedSequence", "PCG64", "Philox", "MT19937", "SFC64", "BitGenerator"}
TORCH_RANDOM = {"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "bernoulli", "multinomial"}
TORCH_RANDOM |= {"normal", "Linear", "Embedding", "Conv1d", "MultiheadAttention", "RNN", "LSTM", "GRU"}
TORCH_RANDOM |= {"Transformer", "TransformerEncoderLayer"}


def chapters_are_whole(tree: Tree) -> Iterator[str]:
    """Each numbered chapter of ``_toc.yml`` has its five files."""
    for stem in contents.chapters(tree.root):
        for path, what in {
            f"book/{stem}.md": "page",
            f"notebooks/{stem}.ipynb": "lab",
            f"solutions/{stem}/{stem}.ipynb": "solved set",
            f"exercises/{stem}/{stem}.ipynb": "student set",
            f"book/instructors/{stem}.md": "lesson plan",
        }.items():
            if path not in tree.files:
                yield f"{path}: the chapter's {what} is not under git. Write it, or take {stem} off _toc.yml."


def every_page_is_in_the_book(tree: Tree) -> Iterator[str]:
    """Each page, lab and student set is listed in ``_toc.yml``; the builder silently ignores the others."""
    for path in contents.unlisted(tree.root):
        yield f"{path}: is not in _toc.yml, so it is not in the book. Add it there, or delete it."


def fences_open_a_block(tree: Tree) -> Iterator[str]:
    """A line that opens a block with backticks has no other backtick: else the block is printed as it is."""
    for path, text in tree.texts("*.md"):
        for number, line in enumerate(text.splitlines(), 1):
            if re.match(r" *`{3,}\{[^`]+`", line):
                yield f"{path}, line {number}: the line opens no block. Leave out its backticks."


def chapters_have_the_skeleton(tree: Tree) -> Iterator[str]:
    """Each numbered chapter has the parts of `SKELETON`, such as its reading time and its objectives."""
    for stem in contents.chapters(tree.root):
        page = tree.text(f"book/{stem}.md") if f"book/{stem}.md" in tree.files else None
        for pattern, what in SKELETON.items():
            if page is not None and not re.search(pattern, page):
                yield f"book/{stem}.md: lacks {what}. Add it (CONTRIBUTING.md)."


def pictures_have_alt_text(tree: Tree) -> Iterator[str]:
    """Every picture says in words what is seen: Markdown images, directives, drawn figures."""
    cure = "Say what is seen."
    for path, text in [*tree.texts("*.md"), *_markdown(tree)]:
        for match in re.finditer(r"!\[\s*\]\([^)]*\)", text):
            yield f"{path}: the image {match[0]} has no alt text. {cure}"
        for tag in re.findall(r"<img\b[^>]*>", text):
            if not re.search(r"\balt=\"[^\"]+\"", tag):
                yield f"{path}: {tag} has no alt text. {cure}"
        for match in PICTURE.finditer(text):
            if not re.search(r"^:alt: *\S", match[3], re.MULTILINE):
                yield f"{path}: the picture{match[2]} has no ':alt:'. {cure}"
    for cell in tree.code_cells("book", "notebooks"):
        shown = not {"remove-output", "remove-cell"} & set(cell.tags) and "Explorable(" not in cell.source
        if _draws(cell) and not cell.alt and shown:
            yield f"{cell.where}: draws a figure without 'mystnb: image: alt:' in the cell's metadata. {cure}"


def code_fits_the_page(tree: Tree) -> Iterator[str]:
    """No line of a page's visible code is wider than the page on a desktop."""
    for cell in tree.code_cells("book"):
        hidden = {"remove-input", "remove-cell", "hide-input"} & set(cell.tags)
        wide = [line for line in cell.source.splitlines() if len(line) > WIDTH]
        if wide and not hidden:
            yield f"{cell.where}: a line of {len(wide[0])} columns, {wide[0].strip()!r}. Break it at {WIDTH}."


def tables_are_shown(tree: Tree) -> Iterator[str]:
    """No cell drops a table: a notebook shows only the value of a cell's last line."""
    for cell in tree.code_cells("book", "notebooks", "solutions"):
        for line in cell.syntax().body[:-1]:
            call = line.value if isinstance(line, ast.Expr) else None
            if isinstance(call, ast.Call) and ast.unparse(call.func) == "table":
                yield f"{cell.where}: drops a table, which is not its last line. Give it its own cell."


def glued_numbers_exist(tree: Tree) -> Iterator[str]:
    """Each number that a page takes from a cell is put there by a cell."""
    given: dict[str, list[str]] = {}
    for cell in tree.code_cells("book", "notebooks"):
        given.setdefault(cell.path, []).extend(_glued_keys(cell))
    pages = [*tree.texts("book/*.md"), *((path, text) for path, text in _markdown(tree) if path in given)]
    for path, text in pages:
        for use in re.findall(r"\{glue(?::\w*)?\}`([^`]+)`", text):
            target, _, key = use.rpartition("::")
            source = _resolve(path, target) if target else path
            name = re.sub(r"^.*<(.*)>$", r"\1", key)
            names = (name, name.rpartition(":")[0])  # with and without a format, as in name:.3f
            if not any(re.fullmatch(pattern, n) for pattern in given.get(source, []) for n in names):
                yield f"{path}: uses the number {use!r}, which no cell of {source} gives. Glue it there."


def tags_point_somewhere(tree: Tree) -> Iterator[str]:
    """Each tagged mistake is in the catalogue, and each objective has a section, a slide and a task."""
    if any(path.startswith("book/") for path in tree.files):
        from lmcourse.site import evidence  # it reads the questions, which takes seconds

        yield from evidence.faults(tree.root)


def random_numbers_are_seeded(tree: Tree) -> Iterator[str]:
    """Every random generator is seeded, so that a page gives the same numbers twice."""
    cells = list(tree.code_cells("book", "notebooks", "solutions"))
    manual = {cell.path for cell in cells if "manual_seed(" in cell.source}
    for cell in cells:
        for call in _calls(cell.syntax()):
            yield from (f"{cell.where}: {fault}" for fault in _unseeded(call, cell.path in manual))
    for path in tree.paths("lmmetrics/*.py", "lmcourse/*.py"):
        for call in _calls(tree.syntax(path)):
            yield from (f"{path}, line {call.lineno}: {fault}" for fault in _unseeded(call, True))


def _calls(syntax: ast.Module | None) -> Iterator[ast.Call]:
    return (node for node in ast.walk(syntax or ast.Module([], [])) if isinstance(node, ast.Call))


def _unseeded(call: ast.Call, manual_seed: bool) -> Iterator[str]:
    """What is wrong with one call, if it draws random numbers."""
    name = ast.unparse(call.func)
    owner, _, function = name.rpartition(".")
    given = {keyword.arg for keyword in call.keywords}
    if owner in ("np.random", "numpy.random") and function not in SEEDED:
        yield f"{name}() draws from a hidden global generator. Use rng = np.random.default_rng(seed)."
    if function == "default_rng" and not call.args and "seed" not in given:
        yield "default_rng() has no seed. Give it one."
    if owner == "random" and function not in ("Random", "seed"):
        yield f"{name}() draws from a hidden global generator. Use random.Random(seed)."
    by_torch = owner.split(".")[0] in ("torch", "nn") and function in TORCH_RANDOM
    if by_torch and not manual_seed and "generator" not in given:
        yield f"{name}() is not seeded. Pass generator=..., or call torch.manual_seed(...) first."


def _draws(cell: CodeCell) -> bool:
    """Whether running the cell makes a figure: it has a drawing call outside definitions."""
    nodes: list[ast.AST] = [*cell.syntax().body]
    while nodes:
        node = nodes.pop()
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in DRAWING:
            return True
        nodes += ast.iter_child_nodes(node)
    return False


def _glued_keys(cell: CodeCell) -> Iterator[str]:
    """The names that the cell glues, as patterns: a part of an f-string can be anything."""
    for call in _calls(cell.syntax()):
        if ast.unparse(call.func).split(".")[-1] in ("glue", "claim", "keep") and call.args:
            name = call.args[0]
            if isinstance(name, ast.Constant):
                yield re.escape(str(name.value))
            else:
                parts = name.values if isinstance(name, ast.JoinedStr) else [name]
                yield "".join(re.escape(str(p.value)) if isinstance(p, ast.Constant) else ".*" for p in parts)


def _markdown(tree: Tree) -> Iterator[tuple[str, str]]:
    """Yield the text of each lab and student set: its Markdown cells."""
    for path, notebook in tree.notebooks("notebooks", "exercises"):
        yield path, "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def _resolve(page: str, target: str) -> str:
    """The path from the root of a document that a page names from its own folder or from ``/``."""
    return posixpath.normpath(posixpath.join("/", posixpath.dirname(page), target)).lstrip("/")
