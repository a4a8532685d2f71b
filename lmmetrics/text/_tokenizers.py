"""Turning a document into ids: by words, blanks, characters, bytes, byte pairs, or a segmenter.

Each scheme has `encode(document) -> int32[n]`; `</s>` takes the place of each newline if sentences are lines.
`lmmetrics.text.tokenize` closes the last sentence and joins the documents.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._errors import AdvisedError
from lmmetrics._types import Ints
from lmmetrics.text._bpe import BPETokenizer, shown
from lmmetrics.text._documents import is_written_without_blanks, word_pattern
from lmmetrics.text._vocabulary import BOS, EOS, UNK, Vocabulary

By = Literal["word", "whitespace", "char", "byte"] | BPETokenizer | Callable[[str], Iterable[str]]
Sentences = Literal["line", "document"]
Counts = tuple[Sequence[int] | None, Sequence[int], Sequence[int]]
"""Words, characters and bytes of each document."""

_NOT_BLANK = re.compile("[^\t\n\v\f\r ]+")
_OTHER_BLANK = re.compile("[\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
"""What `str.split` takes for a blank, and KenLM, SRILM and the ARPA format do not."""


def choose_scheme(
    by: By, sentences: Sentences | None, vocabulary: Vocabulary | None, documents: list[str]
) -> Scheme:
    """Return the scheme for `by`; raise if the arguments contradict one another."""
    names = {"word": Words, "whitespace": Blanks, "char": Characters, "byte": Bytes}
    if isinstance(by, str) and by in names:
        kind, arguments = names[by], ()
    elif isinstance(by, BPETokenizer):
        kind, arguments = BytePairs, (by,)
    elif callable(by):
        kind, arguments = Segmenter, (by,)
    else:
        raise ValueError(
            f"by={by!r} is not known; expected 'word', 'whitespace', 'char', 'byte', a tokenizer made by "
            "train_bpe, or a function that turns a string into a list of strings."
        )
    if sentences not in (None, "line", "document"):
        raise ValueError(f"sentences={sentences!r} is not known; expected 'line' or 'document'.")
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise TypeError(
            f"vocabulary is {type(vocabulary).__name__}; expected a Vocabulary, such as train.vocabulary."
        )
    by_line = kind.sentence_is_line if sentences is None else sentences == "line"
    without_blanks = is_written_without_blanks(documents)
    return kind(by_line, vocabulary, without_blanks, *arguments)


class Scheme:
    """The base class of all schemes, with the counts of the documents as they are."""

    label: str
    separator: str | bytes
    sentence_is_line = True
    eos: int
    vocabulary: Vocabulary

    def __init__(self, by_line: bool, without_blanks: bool) -> None:
        self.by_line, self.without_blanks = by_line, without_blanks

    @property
    def sentences(self) -> Sentences:
        """What a sentence is."""
        return "line" if self.by_line else "document"

    def encode(self, document: str) -> Ints:
        """Return the ids of a document, with `</s>` for each newline if sentences are lines."""
        raise NotImplementedError

    def pieces(self, vocabulary: Vocabulary) -> Any:
        """Return the piece of each id in the decoded text, str or bytes; the last is that of the id -1."""
        raise NotImplementedError

    def unknown(self) -> int:
        """Return how many tokens were not in the vocabulary so far."""
        return 0

    def counts(self, documents: list[str], ids: Ints, starts: Ints, missed: list[int]) -> Counts:
        """Return the words (None if they cannot be counted), characters and bytes of each document.

        `starts` are the offsets of the documents in `ids`, `missed` those in the list of unknown tokens.
        """
        words = None if self.without_blanks else [len(document.split()) for document in documents]
        return words, list(map(len, documents)), list(map(_utf8_length, documents))


class Strings(Scheme):
    """A scheme whose tokens are strings, with ids from a given vocabulary or from one that it builds."""

    newline = "\n"  # the token that `split` returns for a newline if sentences are lines
    separator = " "

    def __init__(self, by_line: bool, vocabulary: Vocabulary | None, without_blanks: bool) -> None:
        super().__init__(by_line, without_blanks)
        self._ids = _GrowingIds() if vocabulary is None else _FixedIds(vocabulary)
        self.bos, self.eos = self._ids[BOS], self._ids[EOS]
        if by_line:
            self._ids[self.newline] = self.eos

    @functools.cached_property
    def vocabulary(self) -> Vocabulary:  # type: ignore[override]  # others have it from the start
        """The given vocabulary, or the one that is built: complete after all documents are encoded."""
        return self._ids.vocabulary()

    def split(self, document: str) -> Sequence[str]:
        """Return the tokens of a document."""
        raise NotImplementedError

    def unknown(self) -> int:
        return len(self._ids.missed)

    def pieces(self, vocabulary: Vocabulary) -> Any:
        return vocabulary.pieces.strings

    def encode(self, document: str) -> Ints:
        tokens = self.split(document)
        ids = np.fromiter(map(self._ids.__getitem__, tokens), dtype=np.int32, count=len(tokens))
        newlines = document.count("\n") if self.by_line else 0
        if np.count_nonzero(ids == self.eos) > newlines or (ids == self.bos).any():
            line, mark = self._own_mark(document)
            raise AdvisedError(
                f"{{}} has a token {mark} of its own: {BOS} and {EOS} mark the start and the end of a "
                "sentence, and are added where sentences begin and end.",
                "Remove it from the text.",
                document=0,
                line=line,
            )
        return ids

    def _own_mark(self, document: str) -> tuple[int, str]:
        """The number of the first line with a token `<s>` or `</s>`, and this token."""
        for number, line in enumerate(document.split("\n"), 1):
            for token in self.split(line):
                if token in (BOS, EOS):
                    return number, token
        return 1, EOS  # a segmenter that cuts a line by itself in another way


class Words(Strings):
    label = "word"

    def __init__(self, by_line: bool, vocabulary: Vocabulary | None, without_blanks: bool) -> None:
        if without_blanks:
            raise AdvisedError(
                "More than one character in a hundred is Chinese or Japanese. These scripts put no blanks "
                "between words, so no simple rule finds the words.",
                "Pass a segmenter, a function that cuts a string into words (by=jieba.lcut); or use "
                "by='char' or by='byte'.",
                topic="no blanks",
            )
        super().__init__(by_line, vocabulary, without_blanks)

    def split(self, document: str) -> Sequence[str]:
        return word_pattern(self.by_line).findall(document)


class Characters(Strings):
    label = "char"
    sentence_is_line = False
    separator = ""

    def split(self, document: str) -> Sequence[str]:
        return document


class Blanks(Strings):
    label = "whitespace"
    newline = EOS  # newlines are blanks, so a mark takes their place

    def split(self, document: str) -> Sequence[str]:
        document = document.replace("\n", f" {EOS} ") if self.by_line else document
        return _NOT_BLANK.findall(document) if _OTHER_BLANK.search(document) else document.split()

    def counts(self, documents: list[str], ids: Ints, starts: Ints, missed: list[int]) -> Counts:
        """Count the canonical text: one blank between two tokens, newlines as in the document."""
        is_word = ids != self.eos
        newlines = np.array([document.count("\n") if self.by_line else 0 for document in documents])
        _, chars, octets = self.vocabulary.pieces
        sizes = np.where(is_word, chars[ids], 0)
        sizes[1:] += is_word[1:] & is_word[:-1]  # the blank between two tokens of a line
        more_bytes = octets[ids] - chars[ids]
        sums = [_sums(is_word, starts), _sums(sizes, starts) + newlines, _sums(more_bytes, starts)]
        # So far unknown tokens were counted as <unk>; correct this to their spelling in the document.
        sums[1] += _sums([len(token) - len(UNK) for token in self._ids.missed], missed)
        sums[2] += _sums([_utf8_length(token) - len(token) for token in self._ids.missed], missed)
        if self.without_blanks:
            return None, sums[1], sums[1] + sums[2]
        for i, document in enumerate(documents):
            if _OTHER_BLANK.search(document):  # a word ends at any blank, whatever the tokenizer
                sums[0][i] = len(document.split())
        return sums[0], sums[1], sums[1] + sums[2]


class Segmenter(Strings):
    label = "segmenter"

    def __init__(
        self,
        by_line: bool,
        vocabulary: Vocabulary | None,
        without_blanks: bool,
        segmenter: Callable[[str], Iterable[str]],
    ) -> None:
        super().__init__(by_line, vocabulary, without_blanks)
        self._segmenter = segmenter
        self._words: list[int] = []

    def split(self, document: str) -> Sequence[str]:
        parts = document.split("\n") if self.by_line else [document]
        tokens = []
        for i, part in enumerate(parts):
            if i:
                tokens.append(self.newline)
            tokens.extend(self._checked(self._segmenter(part), part) if part else ())
        if self.without_blanks:
            self._words.append(sum(any(map(str.isalnum, token)) for token in tokens))
        return tokens

    def counts(self, *arguments: Any) -> Counts:
        words, chars, octets = super().counts(*arguments)
        return self._words if self.without_blanks else words, chars, octets

    def _checked(self, tokens: Iterable[str], part: str) -> list[str]:
        if isinstance(tokens, str | Mapping | Set) or not hasattr(tokens, "__iter__"):
            raise TypeError(
                f"The segmenter returned {type(tokens).__name__}; a list of strings is expected, such as "
                "['我', '愛', '台灣']."
            )
        tokens = list(tokens)
        wrong = next((token for token in tokens if not isinstance(token, str)), None)
        if wrong is not None:
            raise TypeError(
                f"The segmenter returned a list with {wrong!r} in it; a list of strings is expected."
            )
        kept, given = (sum(map(len, "".join(text).split())) for text in (tokens, part))
        if kept < given:
            raise ValueError(
                f"The segmenter dropped text: of {part[:40]!r} it returned {kept} of {given} characters "
                "that are not blank. The others would be counted, but not scored. Return the whole text, or "
                "remove from the documents what is not to be scored."
            )
        return [token for token in tokens if token.strip()]


class Bytes(Scheme):
    label = "byte"
    sentence_is_line = False
    separator = b""

    def __init__(self, by_line: bool, vocabulary: Vocabulary | None, without_blanks: bool) -> None:
        super().__init__(by_line, without_blanks)
        self.token_bytes = [bytes([byte]) for byte in range(256)]
        self.vocabulary = Vocabulary(map(shown, self.token_bytes), unk=False)
        _refuse_other(vocabulary, self)
        self.eos = self.vocabulary.eos
        self._table = np.arange(256, dtype=np.int32) + 2
        if by_line:
            self._table[ord("\n")] = self.eos

    def pieces(self, vocabulary: Vocabulary) -> Any:
        return np.array([BOS.encode(), EOS.encode(), *self.token_bytes], dtype=np.object_)

    def encode(self, document: str) -> Ints:
        return self._table[np.frombuffer(document.encode("utf-8"), dtype=np.uint8)]


class BytePairs(Bytes):
    label = "BPE"

    def __init__(
        self, by_line: bool, vocabulary: Vocabulary | None, without_blanks: bool, tokenizer: BPETokenizer
    ) -> None:
        Scheme.__init__(self, by_line, without_blanks)
        self.token_bytes = tokenizer.token_bytes
        self.vocabulary = tokenizer.vocabulary
        _refuse_other(vocabulary, self)
        self.eos = self.vocabulary.eos
        self._tokenizer = tokenizer

    def encode(self, document: str) -> Ints:
        parts = document.split("\n") if self.by_line else [document]
        ids = []
        for i, part in enumerate(parts):
            if i:
                ids.append(self.eos)
            ids.extend(self._tokenizer.encode(part))
        return np.array(ids, dtype=np.int32)


class _GrowingIds(dict):
    """Token to id; a token not seen before gets the next id."""

    def __init__(self) -> None:
        super().__init__({UNK: 0, BOS: 1, EOS: 2})
        self.missed: list[str] = []  # none
        self._tokens: list[str] = []

    def __missing__(self, token: str) -> int:
        self._tokens.append(token)
        self[token] = new = len(self._tokens) + 2
        return new

    def vocabulary(self) -> Vocabulary:
        return Vocabulary(self._tokens)


class _FixedIds(dict):
    """Token to id in a vocabulary; other tokens are appended to `missed`, and get the id of `<unk>` or -1."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()  # filled as tokens are met, so that a short text costs little
        self._other = -1 if vocabulary.unk is None else vocabulary.unk
        self.missed: list[str] = []
        self._vocabulary = vocabulary

    def vocabulary(self) -> Vocabulary:
        return self._vocabulary

    def __missing__(self, token: str) -> int:
        known = self._vocabulary._ids.get(token)
        if known is None:
            self.missed.append(token)
            return self._other
        self[token] = known
        return known


def _refuse_other(vocabulary: Vocabulary | None, scheme: Bytes) -> None:
    if vocabulary is not None and vocabulary != scheme.vocabulary:
        raise AdvisedError(
            f"A text that is cut by {scheme.label} has a vocabulary of its own, which differs from the given "
            f"one: {vocabulary}.",
            "Leave out the argument vocabulary.",
            topic="other vocabulary",
        )


def _sums(values: ArrayLike, starts: Sequence[int] | Ints) -> Ints:
    """Return the sum of the values of each document, int64[D]."""
    sums = np.zeros(len(starts) - 1, dtype=np.int64)
    filled = np.diff(starts) > 0  # reduceat gives an empty document the first value of the next
    if filled.any():
        sums[filled] = np.add.reduceat(values, np.asarray(starts)[:-1][filled], dtype=np.int64)
    return sums


def _utf8_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8"))
