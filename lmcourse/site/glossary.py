"""The glossary as data, without Sphinx: each entry's names, Chinese forms, and how a page may write it."""

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = ["Entry", "chinese_names", "entries", "load", "uses"]

HAN = re.compile(r"[\u3400-\u9fff]")
NO_TERM = re.compile(
    r"""\b(?: a\s+bit\s+(?:of|more|less|longer|shorter|better|worse|too|above|below)\b   # an adverb
        | in\s+(?:other\s+words|a\s+word)\b | word\s+(?:for|by)\s+word\b | the\s+words?\s+(?=[*"'“‘])
        | (?:one's|its|your)\s+word\b | (?:open\s+)?source\s+(?:code|files?)\b
        | is\s+the\s+source\b(?!\s+of\s+the)
        | (?:that|the|a)\s+discount\s+(?:is\s+worth|would\s+be|for\s+each) | is\s+the\s+calibration\b
        | chain\s+rule\s+of\s+calculus\b
        | units?\s+of\s+account | (?:one|hidden|\d+)\s+units?\b
        )""",
    re.VERBOSE | re.IGNORECASE,
)
"""Uses of a term's word that mean something else."""
SYMBOLS = {r"\Vert": "‖", r"\sum": "Σ", r"\ln": "ln ", r"\log": "log", r"\mid": "|", r"\mapsto": "↦"}


@dataclass(frozen=True)
class Entry:
    """A term of the glossary.

    Attributes
    ----------
    term : str
        The name under which the entry is listed.
    names : tuple of str
        All English names, ``term`` first.
    simplified, traditional : tuple of str
        The Chinese names; equal where both write the same.
    words : str
        The first sentence, without markup and maths.
    """

    term: str
    names: tuple[str, ...]
    simplified: tuple[str, ...]
    traditional: tuple[str, ...]
    words: str


@lru_cache(maxsize=8)
def entries(text: str) -> tuple[Entry, ...]:
    """Return the entries of a glossary page.

    Examples
    --------
    >>> words = "byte-pair encoding\\nBPE\\n  It joins *pairs*. (字节对编码; 位元組對編碼)"
    >>> page = "```{glossary}\\n:sorted:\\n\\n" + words + "\\n```"
    >>> [entry] = entries(page)
    >>> entry.names, entry.simplified, entry.traditional, entry.words
    (('byte-pair encoding', 'BPE'), ('字节对编码',), ('位元組對編碼',), 'It joins pairs.')
    """
    found = []
    for body in re.findall(r"^(?:`{3,})\{glossary\}\n(.*?)^`{3,} *$", text, re.MULTILINE | re.DOTALL):
        for names, words in re.findall(
            r"((?:^[^\s:`].*\n)+)((?:^[ \t]+\S.*\n|\n(?=[ \t]))+)", body, re.MULTILINE
        ):
            names = tuple(name.strip() for name in names.strip().splitlines())
            found.append(Entry(names[0], names, *chinese_names(words), _plain(words)))
    return tuple(found)


def uses(text: str, known: tuple[Entry, ...]) -> list[tuple[int, int, Entry]]:
    """Return where a text uses terms: start, end and entry, in order; the longest name wins.

    Examples
    --------
    >>> page = "```{glossary}\\nentropy\\n  Mean.\\n\\ncross-entropy\\n  Cost.\\n```"
    >>> [(a, b, e.term) for a, b, e in uses("Two entropies, one Cross-entropy.", entries(page))]
    [(4, 13, 'entropy'), (19, 32, 'cross-entropy')]
    """
    pattern, owners = _pattern(known)
    barred = [match.span() for match in NO_TERM.finditer(text)]
    return [
        (match.start(), match.end(), owners[match.lastgroup or ""])
        for match in pattern.finditer(text)
        if not any(start <= match.start() < end for start, end in barred)
    ]


def chinese_names(words: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the simplified and the traditional names in the first brackets with Han characters.

    Examples
    --------
    >>> chinese_names("A loss (of *any* kind). (平稳; 平穩, 定態; of a source)")
    (('平稳',), ('平穩', '定態'))
    >>> chinese_names("(熵)")
    (('熵',), ('熵',))
    """
    for inside in re.findall(r"\(([^()]*)\)", words):
        if HAN.search(inside):
            simplified, traditional = [*inside.split(";"), ""][:2]
            return _names(simplified), _names(traditional or simplified)
    return (), ()


@lru_cache(maxsize=8)
def _pattern(known: tuple[Entry, ...]) -> tuple[re.Pattern, dict[str, Entry]]:
    """One pattern for all names, the longest first, and the entry that owns each of its groups."""
    named = sorted(((name, entry) for entry in known for name in entry.names), key=lambda pair: -len(pair[0]))
    owners = {f"g{number}": entry for number, (_, entry) in enumerate(named)}
    parts = [f"(?P<g{number}>{_forms(name)})" for number, (name, _) in enumerate(named)]
    return re.compile(rf"(?<![\w\-/.])(?:{'|'.join(parts) or '(?!)'})(?![\w\-])", re.IGNORECASE), owners


def _forms(name: str) -> str:
    """The pattern of a name: singular and plural, either apostrophe, any blank between its words."""
    *first, last = re.split(r"(\s+)", name)
    stem = re.escape(last)
    if last.endswith("y"):
        stem = f"{stem[:-1]}(?:y|ies)"
    elif re.search(r"[^s']s$", last):
        stem = f"{stem}?"
    elif re.search(r"(?:s|x|ch)$", last):
        stem = f"{stem}(?:es)?"
    elif last[-1].isalpha():
        stem = f"{stem}s?"
    parts = [r"\s+" if part.isspace() else re.escape(part) for part in first]
    return ("".join(parts) + stem).replace("'", "['’]")


def _names(part: str) -> tuple[str, ...]:
    names = (name.strip() for name in part.split(","))
    return tuple(name for name in names if HAN.search(name) and name != "英文照用")


def _plain(words: str) -> str:
    """The first sentence of a definition, without roles, maths and the Chinese names."""
    text = re.sub(r"\{cite:?\w*\}`[^`]*`", "", words)
    text = re.sub(r"\{\w+\}`([^`<]*?)(?:\s*<[^`>]*>)?`", r"\1", text)
    text = re.sub(r"\([^()]*[\u3400-\u9fff][^()]*\)", "", text)
    text = re.sub(r"\$([^$]*)\$", lambda maths: _maths(maths[1]), text)
    text = re.sub(r"[*`]", "", re.sub(r"\s+", " ", text)).strip()
    text = re.sub(r" ([.,:;])", r"\1", text)
    return re.split(r"(?<=[.]) ", text, maxsplit=1)[0]


def _maths(tex: str) -> str:
    """A formula as a line of text."""
    for old, new in SYMBOLS.items():
        tex = tex.replace(old, new)
    return re.sub(r"\s+", " ", re.sub(r"[\\{}]|(?<=[_^])(?=\{)", "", tex)).strip()


def load(root: Path) -> tuple[Entry, ...]:
    """Return the entries of the book below ``root``; none where it has no glossary."""
    path = Path(root) / "book" / "glossary.md"
    return entries(path.read_text(encoding="utf-8")) if path.exists() else ()
