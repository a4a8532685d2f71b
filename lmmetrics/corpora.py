"""Texts to measure language models on, each with a fixed split by document.

`load` gives a `Corpus`. Four need no network: the tales are part of this package, and the two sets of
doc-strings are read from the packages on this machine. Three are downloaded on first use, verified, and kept
in the user's cache; or they are read from the folder that the environment variable LMMETRICS_DATA names.

Examples
--------
>>> names()
['tales-en', 'tales-zh', 'numpy-docs', 'sympy-docs', 'tiny-shakespeare', 'wikitext-2', 'tang-300']
>>> tales = load("tales-en")
>>> tales.titles["valid"][0]
'Two Locksmiths'
"""

import functools
import hashlib
import importlib.metadata
import importlib.resources
import json
import os
import re
import sys
import warnings
from dataclasses import dataclass, field, replace

from lmmetrics._docstrings import prose_of
from lmmetrics._download import FILES, CorpusError, fetch

__all__ = ["Corpus", "CorpusError", "load", "names"]


@dataclass(frozen=True, repr=False)
class Corpus:
    """A text in three parts.

    Attributes
    ----------
    name : str
    train, valid, test : list of str
        One string for each document.
    titles : dict of list of str
        "train", "valid", "test" to the titles of the documents of that part.
    language : str
        "en", or "zh-Hans" (simplified) and "zh-Hant" (traditional characters).
    licence, source : str
        What you may do with the text, and where it comes from.
    digest : str
        The sha256 of all documents: two corpora with one digest are the same text in the same split.
    """

    name: str
    train: list
    valid: list
    test: list
    titles: dict = field(compare=False)
    language: str
    licence: str
    source: str
    digest: str

    def __repr__(self):
        parts = (f"{part} {_size(getattr(self, part))}" for part in PARTS)
        return f"Corpus {self.name} ({self.language}, {self.licence}): " + "; ".join(parts)


def names():
    """Return the names that `load` knows."""
    return list(_CORPORA)


def load(name, base_url=None):
    """Load a corpus.

    ================  ===============================================  ====================================
    name              a document is                                    valid, test
    ================  ===============================================  ====================================
    tales-en          a tale: title and paragraphs, a line each        number mod 8 is 3, is 7
    tales-zh          the same tale in Chinese                         the same tales
    numpy-docs        the prose of one object, a paragraph a line      sha256 of its name mod 10 is 8, is 9
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
        A mirror that holds the downloaded files, as in ``base_url + "/tinyshakespeare/input.txt"``.

    Returns
    -------
    Corpus

    Raises
    ------
    ValueError
        When the name is not known.
    CorpusError
        When a file cannot be had; the message says what to do.

    Warns
    -----
    UserWarning
        When the doc-strings are of another version than the book's, so that its numbers will differ.

    Notes
    -----
    Tiny Shakespeare is cut at the first speech that starts after 90 and after 95 per cent of the characters.
    Every line is kept: ``"".join(train + valid + test)`` is the file.

    Every line of WikiText-2 is kept too: ``tokenize(documents, by="whitespace")`` gives 245 569 tokens for
    its test part. A folder of your own may hold its training articles in another order, as
    ``wikitext-2/train.articleperm.txt``: the same counts of n-grams, but another digest.

    Of the Tang poems, those that the collection holds twice are taken once, and the editors' brackets around
    a restored character are left out.

    What the doc-strings of NumPy and SymPy hold besides sentences (code, tables, formulas, references) is
    left out; so is an object with less than 100 characters of prose.

    Examples
    --------
    >>> chinese = load("tales-zh")
    >>> chinese.titles["valid"][0]
    '两个锁匠'
    """
    if name not in _CORPORA:
        raise ValueError(f"there is no corpus {name!r}; expected one of {', '.join(names())}")
    corpus = _load(name, base_url, os.environ.get("LMMETRICS_DATA"))
    _warn_of_other_version(corpus)
    documents = {part: list(getattr(corpus, part)) for part in PARTS}  # the caller may change these
    titles = {part: list(corpus.titles[part]) for part in PARTS}
    return replace(corpus, **documents, titles=titles)


PARTS = ("train", "valid", "test")


@functools.cache
def _load(name, base_url, own_folder):
    """Build a corpus once in a process. `own_folder` is only here so that a change of it is noticed."""
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


def _tales(name, base_url):
    folder = importlib.resources.files("lmmetrics") / "data" / "tales" / name.removeprefix("tales-")
    parts = {part: [] for part in PARTS}
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.name.endswith(".txt"):
            title, *paragraphs = file.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
            part = _part(int(file.name[:2]), 8, valid=3, test=7)
            parts[part].append((title, "\n".join([title, *paragraphs])))
    return parts


def _docs(name, base_url):
    if sys.flags.optimize >= 2:
        raise CorpusError(
            f"{name} is made of doc-strings, and Python runs with -OO, which drops them. Start Python "
            "without -OO and without PYTHONOPTIMIZE=2"
        )
    parts = {part: [] for part in PARTS}
    for title, document in prose_of(_package(name)).items():
        number = int(hashlib.sha256(title.encode()).hexdigest(), 16)
        parts[_part(number, 10, valid=8, test=9)].append((title, document))
    return parts


def _tiny_shakespeare(name, base_url):
    text = _read("tinyshakespeare/input.txt", base_url)
    parts, start = {part: [] for part in PARTS}, 0
    for speech in re.findall(r"(?s).+?(?:\n\n|\Z)", text):
        share = start / len(text)
        part = "train" if share < 0.90 else "valid" if share < 0.95 else "test"
        parts[part].append((speech.split(":\n")[0], speech))
        start += len(speech)
    return parts


def _wikitext_2(name, base_url):
    heading = re.compile(r"^ \n = (?!= )(.+)(?<! =) = \n \n", re.MULTILINE)
    parts = {}
    for part in PARTS:
        text = _read(f"wikitext-2/{part}.txt", base_url)
        found = list(heading.finditer(text))
        starts = [0, *(match.start() for match in found[1:]), len(text)]
        parts[part] = [(match[1], text[a:b]) for match, a, b in zip(found, starts, starts[1:], strict=False)]
    return parts


def _tang_300(name, base_url):
    poems, parts = {}, {part: [] for part in PARTS}
    for poem in json.loads(_read("tang-300/唐诗三百首.json", base_url)):
        poems.setdefault(
            re.sub(r"[\[\]]", "", "\n".join(poem["paragraphs"])), f"{poem['author']}：{poem['title']}"
        )
    for number, (text, title) in enumerate(poems.items()):
        parts[_part(number, 10, valid=3, test=7)].append((title, text))
    return parts


def _part(number, modulus, valid, test):
    return {valid: "valid", test: "test"}.get(number % modulus, "train")


def _read(path, base_url):
    return fetch(FILES[path], base_url=base_url).read_bytes().decode("utf-8")


def _digest(documents):
    text = json.dumps([documents[part] for part in PARTS], ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _warn_of_other_version(corpus):
    if corpus.name not in _BOOK_DIGESTS:
        return
    version, expected = _BOOK_DIGESTS[corpus.name]
    if corpus.digest != expected:
        package = _package(corpus.name)
        installed = importlib.metadata.version(package)
        cause = f"{package} {installed} is installed, and the book reads {package} {version}"
        if installed == version:
            cause = f"{package} {version} has other doc-strings on this machine than on the book's"
        warnings.warn(
            f"{corpus.name} is not the text of the book, so the book's numbers will differ: {cause}. "
            f"To have the book's text: pip install {package}=={version}",
            stacklevel=3,
        )


def _package(name):
    return name.removesuffix("-docs")


def _size(documents):
    return f"{len(documents):,} documents, {sum(map(len, documents)):,} characters"


_OWN = "written for this course"
_INSTALLED = "doc-strings of the {} installed on this machine"
_CORPORA = {
    "tales-en": (_tales, "en", "CC0 1.0", _OWN),
    "tales-zh": (_tales, "zh-Hans", "CC0 1.0", _OWN),
    "numpy-docs": (_docs, "en", "BSD-3-Clause", _INSTALLED.format("NumPy")),
    "sympy-docs": (_docs, "en", "BSD-3-Clause", _INSTALLED.format("SymPy")),
    "tiny-shakespeare": (_tiny_shakespeare, "en", "public domain", "karpathy/char-rnn"),
    "wikitext-2": (_wikitext_2, "en", "CC BY-SA 3.0", "Merity et al. (2016), from Wikipedia"),
    "tang-300": (_tang_300, "zh-Hant", "poems public domain, collection MIT", "chinese-poetry"),
}

# Package version and digest of the text that the book's numbers come from.
_BOOK_DIGESTS = {
    "numpy-docs": ("2.4.6", "ef8e2db900e850f7fac6ff78942c630e40123eb95ae9a0e7dda7d877b83dd882"),
    "sympy-docs": ("1.14.0", "312b36a2e5c5ee23f3f131f1139e2a3f15d3114cc21e9f36398333ec31b72b2a"),
}
