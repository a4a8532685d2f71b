"""What is known of documents before they are tokens: are they valid, and what is in them?"""

import functools
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence, Set

import numpy as np

from lmmetrics._errors import AdvisedError
from lmmetrics._types import Ints

LONGEST = 3
"""The mean of the Chinese or Japanese characters of a word is at most this; in Chinese it is below two."""


def listed(documents: Iterable[str]) -> list[str]:
    """Return the documents as a list; an error for a single string, and for what has no order."""
    if isinstance(documents, str):
        raise TypeError(
            "documents is a single string; a list of strings is expected. Put it into a list: "
            "tokenize([text])."
        )
    if isinstance(documents, bytes | Mapping | Set) or not isinstance(documents, Iterable):
        raise TypeError(
            f"documents is {type(documents).__name__}; a list of strings is expected, one for each document."
        )
    return list(documents)


def checked_documents(documents: Iterable[str]) -> list[str]:
    """Return the documents as a list of strings that UTF-8 can encode, or raise an error with advice."""
    documents = listed(documents)
    for i, document in enumerate(documents):
        if not isinstance(document, str):
            raise TypeError(
                f"Document {i} is {type(document).__name__}, not a string. Leave it out, or decode it: "
                "bytes.decode('utf-8')."
            )
        if document.startswith("\ufeff"):
            raise AdvisedError(
                "{} begins with a byte-order mark (U+FEFF), which would be a part of its first word.",
                "Read the file with encoding='utf-8-sig', or remove the mark: document[1:].",
                topic="byte-order mark",
                document=i,
            )
        try:
            document.isascii() or document.encode("utf-8")
        except UnicodeEncodeError as error:
            raise AdvisedError(
                f"{{}} contains half of a surrogate pair (U+{ord(document[error.start]):04X}) at character "
                f"{error.start}: it is not a character and has no UTF-8 bytes.",
                "Read the file again with encoding='utf-8' and without errors='surrogateescape', or remove "
                "it.",
                document=i,
            ) from None
    return documents


def is_written_without_blanks(documents: Sequence[str]) -> bool:
    """Return whether blanks do not separate the words, so that words are not counted.

    This is so if more than one character in a hundred is Chinese or Japanese, unless blanks were put between
    the words: then such lines have blanks, and few of these characters stand between two.
    """
    foreign = [document for document in documents if not document.isascii()]
    found = sum(len(_HAN.findall(document)) for document in foreign)
    if found * 100 <= sum(map(len, documents)):
        return False
    lines = [line.split() for document in foreign for line in document.split("\n") if _HAN.search(line)]
    words = sum(_HAN.search(word) is not None for line in lines for word in line)
    return found > LONGEST * words or all(len(line) == 1 for line in lines)


def counts_of(documents: Sequence[str]) -> dict[str, Ints | None]:
    """Return the words, characters and bytes of each; words are None if blanks do not separate them."""
    unblanked = is_written_without_blanks(documents)
    return {
        "words": None if unblanked else _sizes(len(document.split()) for document in documents),
        "chars": _sizes(map(len, documents)),
        "bytes": _sizes(len(document.encode()) for document in documents),
    }


def _sizes(found: Iterable[int]) -> Ints:
    return np.fromiter(found, dtype=np.int64)


@functools.cache
def word_pattern(by_line: bool) -> re.Pattern[str]:
    """Return the regular expression of a token: a number, a word, or any other character with its accents."""
    letter = f"[^\\W_][{_marks()}]*"
    word = f"(?:{letter})+(?:['’-](?:{letter})+)*"
    other = f"\\S[{_marks()}]*"
    return re.compile(("\n|" if by_line else "") + rf"\d+(?:[.,]\d+)+|{word}|{other}")


@functools.cache
def _marks() -> str:
    """Return the combining marks of Unicode (categories Mn, Mc, Me) as the ranges of a character class."""
    ranges: list[list[int]] = []
    for code in [*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)]:
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


# The Unified Ideographs and their extensions, 々 and 〇, hiragana and katakana.
_HAN = re.compile("[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
