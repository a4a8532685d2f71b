"""What is in the book: the documents that ``_toc.yml`` lists, the pages that it leaves out, merge markers."""

import re
from pathlib import Path

PAGES = ("book/**/*.md", "notebooks/*.ipynb", "exercises/*/*.ipynb")
CONFLICT = re.compile(r"^[ \t]*\"?(?:<{7}|>{7}) \S", re.MULTILINE)
"""What git leaves where two versions disagree; in a notebook it may be inside a quoted line."""
CHAPTER = re.compile(r"book/(\d\d_\w+)")


DOCUMENT = re.compile(r"^[-\s]*(?:file|root):\s*([\w./-]+)\s*$", re.MULTILINE)
PART = re.compile(r'^\s*- caption: *"?(Part [IVX]+):', re.MULTILINE)


def listed(root: Path) -> list[str]:
    """Return the documents of the book in order, as ``book/02_topic``; an empty list if there is no table."""
    return DOCUMENT.findall(_table(root))


def parts(root: Path) -> dict[str, list[str]]:
    """Return the stems of the chapters of each Part, as ``{"Part I": ["01_first", "02_topic"]}``."""
    _, *pieces = PART.split(_table(root))
    documents = {part: DOCUMENT.findall(text) for part, text in zip(pieces[::2], pieces[1::2], strict=True)}
    return {
        part: [match[1] for match in map(CHAPTER.fullmatch, paths) if match]
        for part, paths in documents.items()
    }


def chapters(root: Path) -> list[str]:
    """Return the stems of the numbered chapters in order, as ``02_topic``."""
    return [match[1] for match in map(CHAPTER.fullmatch, listed(root)) if match]


def unlisted(root: Path) -> list[str]:
    """Return the pages, labs and student sets that exist and are not in the book."""
    root, known = Path(root), set(listed(root))
    there = {path for pattern in PAGES for path in root.glob(pattern)}
    paths = sorted(path.relative_to(root).as_posix() for path in there)
    return [path for path in paths if path.rpartition(".")[0] not in known and "/." not in path]


def half_merged(root: Path) -> list[str]:
    """Return file and line of each page that still contains both sides of a merge."""
    found = []
    for path in sorted(Path(root).glob(PAGES[0])):
        text = path.read_text(encoding="utf-8", errors="replace")
        if match := CONFLICT.search(text):
            found.append(f"{path.relative_to(root).as_posix()}, line {line_at(text, match.start())}")
    return found


def line_at(text: str, position: int) -> int:
    """Return the number, from 1, of the line in which a position of a text lies."""
    return text.count("\n", 0, position) + 1


def _table(root: Path) -> str:
    table = Path(root) / "_toc.yml"
    return table.read_text(encoding="utf-8") if table.exists() else ""
