"""Building each corpus from its files, and splitting it."""

import functools
import gzip
import hashlib
import importlib.resources
import json
import os
import re
from dataclasses import dataclass, field, replace
from typing import Any

from lmmetrics.corpora._download import FILES, fetch

PARTS = ("train", "valid", "test")
Parts = dict[str, list[tuple[str, str]]]
"""The titles and documents of each part."""


@dataclass(frozen=True, repr=False)
class Corpus:
    """A text in three parts.

    Attributes
    ----------
    name : str
    train, valid, test : list of str
        One string for each document.
    titles : dict of list of str
        For "train", "valid" and "test": the titles of the documents in that part.
    language : str
        "en", or "zh-Hans" (simplified) and "zh-Hant" (traditional characters).
    licence, source : str
        The licence of the text, and its origin.
    digest : str
        The sha256 of all documents: two corpora with the same digest are the same text in the same split.
    """

    name: str
    train: list[str]
    valid: list[str]
    test: list[str]
    titles: dict[str, list[str]] = field(compare=False)
    language: str
    licence: str
    source: str
    digest: str

    def __repr__(self) -> str:
        parts = (f"{part} {_size(getattr(self, part))}" for part in PARTS)
        return f"Corpus {self.name} ({self.language}, {self.licence}): " + "; ".join(parts)


def names() -> list[str]:
    """Return the names that `load` accepts."""
    return list(_CORPORA)


def load(name: str, base_url: str | None = None) -> Corpus:
    """Load a corpus.

    ================  ===============================================  ====================================
    name              a document is                                    valid, test
    ================  ===============================================  ====================================
    tales-en          a tale: title and paragraphs, a line each        number mod 8 is 3, is 7
    tales-zh          the same tale in Chinese                         the same tales
    numpy-docs        prose about one object, a paragraph a line       sha256 of its name mod 10 is 8, is 9
    sympy-docs        the same                                         the same
    tiny-shakespeare  a speech, with the blank line after it           the last tenth, in two halves
    wikitext-2        an article, as tokenised by its authors          its authors' files
    tang-300          a poem, a couplet a line, without its title      number mod 10 is 3, is 7
    ================  ===============================================  ====================================

    Parameters
    ----------
    name : str
        One of `names()`.
    base_url : str, optional
        The address of a mirror of the files that are downloaded: ``base_url + "/tinyshakespeare/input.txt"``.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        If the name is unknown.
    CorpusError
        If a file can be neither read nor downloaded. The message says what to do.

    Notes
    -----
    Tiny Shakespeare is cut at the first speech that starts after 90 and after 95 per cent of the characters.
    Every line is kept: ``"".join(train + valid + test)`` is the file.

    Every line of WikiText-2 is kept too: ``tokenize(documents, by="whitespace")`` gives 245 569 tokens for
    its test part. A folder of your own may contain its training articles in another order, as
    ``wikitext-2/train.articleperm.txt``. The counts of n-grams are then the same, but not the digest.

    Tang poems that the collection contains twice are taken once. The editors' brackets around a restored
    character are removed.

    `numpy-docs` and `sympy-docs` consist of sentences from the doc-strings of NumPy 2.4.6 and SymPy 1.14.0,
    whichever versions are installed. Code, tables, formulas and references were removed, and so were repeated
    paragraphs and objects with fewer than 100 characters of prose. The licences are in the same folder as the
    files, ``lmmetrics/data/docs``.

    Examples
    --------
    >>> chinese = load("tales-zh")
    >>> chinese.titles["valid"][0]
    '两个锁匠'
    """
    if name not in _CORPORA:
        raise ValueError(f"{name!r} is not a corpus; expected one of {', '.join(names())}.")
    corpus = _load(name, base_url, os.environ.get("LMMETRICS_DATA"))
    documents: Any = {part: list(getattr(corpus, part)) for part in PARTS}  # copies, which callers may change
    titles = {part: list(corpus.titles[part]) for part in PARTS}
    return replace(corpus, **documents, titles=titles)


@functools.cache
def _load(name: str, base_url: str | None, own_folder: str | None) -> Corpus:
    """Build a corpus once per process. `own_folder` is only part of the key of the cache."""
    build, language, licence, source = _CORPORA[name]
    parts = build(name, base_url)
    documents = {part: [document for _, document in parts[part]] for part in PARTS}
    titles = {part: [title for title, _ in parts[part]] for part in PARTS}
    return Corpus(
        name=name,
        **documents,
        titles=titles,
        language=language,
        licence=licence,
        source=source,
        digest=_digest(documents),
    )


def _tales(name: str, base_url: str | None) -> Parts:
    folder = _DATA / "tales" / name.removeprefix("tales-")
    parts: Parts = {part: [] for part in PARTS}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".txt"):
            title, *paragraphs = file.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
            part = _part(int(file.name[:2]), 8, valid=3, test=7)
            parts[part].append((title, "\n".join([title, *paragraphs])))
    return parts


def _docs(name: str, base_url: str | None) -> Parts:
    parts: Parts = {part: [] for part in PARTS}
    packed = (_DATA / "docs" / f"{name}.json.gz").read_bytes()
    for title, document in json.loads(gzip.decompress(packed)).items():
        number = int(hashlib.sha256(title.encode()).hexdigest(), 16)
        parts[_part(number, 10, valid=8, test=9)].append((title, document))
    return parts


def _tiny_shakespeare(name: str, base_url: str | None) -> Parts:
    text = _read("tinyshakespeare/input.txt", base_url)
    parts: Parts = {part: [] for part in PARTS}
    start = 0
    for speech in re.findall(r"(?s).+?(?:\n\n|\Z)", text):
        share = start / len(text)
        part = "train" if share < 0.90 else "valid" if share < 0.95 else "test"
        parts[part].append((speech.split(":\n")[0], speech))
        start += len(speech)
    return parts


def _wikitext_2(name: str, base_url: str | None) -> Parts:
    heading = re.compile(r"^ \n = (?!= )(.+)(?<! =) = \n \n", re.MULTILINE)
    parts = {}
    for part in PARTS:
        text = _read(f"wikitext-2/{part}.txt", base_url)
        found = list(heading.finditer(text))
        starts = [0, *(match.start() for match in found[1:]), len(text)]
        parts[part] = [(match[1], text[a:b]) for match, a, b in zip(found, starts, starts[1:], strict=False)]
    return parts


def _tang_300(name: str, base_url: str | None) -> Parts:
    poems: dict[str, str] = {}
    parts: Parts = {part: [] for part in PARTS}
    for poem in json.loads(_read("tang-300/唐诗三百首.json", base_url)):
        poems.setdefault(
            re.sub(r"[\[\]]", "", "\n".join(poem["paragraphs"])), f"{poem['author']}：{poem['title']}"
        )
    for number, (text, title) in enumerate(poems.items()):
        parts[_part(number, 10, valid=3, test=7)].append((title, text))
    return parts


def _part(number: int, modulus: int, valid: int, test: int) -> str:
    return {valid: "valid", test: "test"}.get(number % modulus, "train")


def _read(path: str, base_url: str | None) -> str:
    return fetch(FILES[path], base_url=base_url).read_bytes().decode("utf-8")


def _digest(documents: dict[str, list[str]]) -> str:
    text = json.dumps([documents[part] for part in PARTS], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _size(documents: list[str]) -> str:
    return f"{len(documents):,} documents, {sum(map(len, documents)):,} characters"


_OWN = "written for this course"
_DATA = importlib.resources.files("lmmetrics") / "data"
_CORPORA = {
    "tales-en": (_tales, "en", "CC0 1.0", _OWN),
    "tales-zh": (_tales, "zh-Hans", "CC0 1.0", _OWN),
    "numpy-docs": (_docs, "en", "BSD-3-Clause", "doc-strings of NumPy 2.4.6"),
    "sympy-docs": (_docs, "en", "BSD-3-Clause", "doc-strings of SymPy 1.14.0"),
    "tiny-shakespeare": (_tiny_shakespeare, "en", "public domain", "karpathy/char-rnn"),
    "wikitext-2": (_wikitext_2, "en", "CC BY-SA 3.0", "Merity et al. (2016), from Wikipedia"),
    "tang-300": (_tang_300, "zh-Hant", "poems public domain, collection MIT", "chinese-poetry"),
}
