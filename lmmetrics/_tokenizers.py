"""How a document becomes ids: words, blanks, characters, bytes, byte pairs, or a segmenter of your own.

Each scheme has `encode(document) -> int32[n]`, where `</s>` stands in place of each newline when sentences
are lines. `lmmetrics.text.tokenize` closes the last sentence and puts the documents together.
"""

import functools
import re
import unicodedata

import numpy as np

from lmmetrics._bpe import BPETokenizer, shown
from lmmetrics._vocabulary import BOS, EOS, UNK, Vocabulary


def choose_scheme(by, sentences, vocabulary, documents):
    """Return the scheme for `by`; raise where the arguments contradict one another."""
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
            "train_bpe, or a function that turns a string into a list of strings"
        )
    if sentences not in (None, "line", "document"):
        raise ValueError(f"sentences={sentences!r} is not known; expected 'line' or 'document'")
    if vocabulary is not None and not isinstance(vocabulary, Vocabulary):
        raise TypeError(
            f"vocabulary is {type(vocabulary).__name__}; expected a Vocabulary, such as train.vocabulary"
        )
    by_line = kind.sentence_is_line if sentences is None else sentences == "line"
    return kind(by_line, vocabulary, is_written_without_blanks(documents), *arguments)


def is_written_without_blanks(documents):
    """Return whether more than one character in a hundred is of Chinese or Japanese script."""
    total = sum(map(len, documents))
    found = sum(len(_HAN.findall(document)) for document in documents if not document.isascii())
    return found * 100 > total


class Scheme:
    """What all schemes share: the counts of a document as it is."""

    label = None
    sentence_is_line = True
    unknown = 0  # in the documents encoded so far

    def counts(self, document, ids):
        """Return the number of words (None where they cannot be counted), characters and bytes."""
        words = None if self.without_blanks else len(document.split())
        return words, len(document), _utf8_length(document)


class Strings(Scheme):
    """A scheme whose tokens are strings, with ids from a vocabulary given or built on the way."""

    newline = "\n"  # the token that `split` gives for a newline when sentences are lines
    separator = " "

    def __init__(self, by_line, vocabulary, without_blanks):
        self.by_line = by_line
        self.without_blanks = without_blanks
        self._given = vocabulary
        self._ids = _GrowingIds() if vocabulary is None else _FixedIds(vocabulary)
        self.eos = self._ids[EOS]
        if by_line:
            self._ids[self.newline] = self.eos

    @property
    def vocabulary(self):
        return self._ids.vocabulary() if self._given is None else self._given

    @property
    def unknown(self):
        return self._ids.unknown

    def pieces(self, vocabulary):
        """Return what each id adds to the decoded text; the last is that of id -1."""
        return [*vocabulary.tokens, UNK]

    def encode(self, document):
        tokens = self.split(document)
        return np.fromiter(map(self._ids.__getitem__, tokens), dtype=np.int32, count=len(tokens))


class Words(Strings):
    label = "word"

    def __init__(self, by_line, vocabulary, without_blanks):
        if without_blanks:
            raise ValueError(
                "this text is in Chinese or Japanese script, which puts no blanks between words, so no rule "
                "finds them. Pass a segmenter, a function that cuts a string into words (by=jieba.lcut); or "
                "use by='char' or by='byte'; or by='whitespace' where blanks stand between words already"
            )
        super().__init__(by_line, vocabulary, without_blanks)

    def split(self, document):
        return _word_pattern(self.by_line).findall(document)


class Characters(Strings):
    label = "char"
    sentence_is_line = False
    separator = ""

    def split(self, document):
        return document


class Blanks(Strings):
    label = "whitespace"
    newline = EOS  # str.split() swallows newlines, so a mark takes their place

    def split(self, document):
        _refuse_marks(document, document)
        tokens = (document.replace("\n", f" {EOS} ") if self.by_line else document).split()
        self._joined = "".join(tokens)
        return tokens

    def counts(self, document, ids):
        """Count the canonical text: one blank between two tokens, newlines as in the document."""
        newlines = document.count("\n") if self.by_line else 0
        closes = np.append(ids == self.eos, True)
        lines_with_tokens = np.count_nonzero(closes[1:] & ~closes[:-1])
        words = len(ids) - newlines
        blanks = words - lines_with_tokens
        layout = blanks + newlines - newlines * len(EOS)  # `_joined` holds the marks, not the newlines
        return words, len(self._joined) + layout, _utf8_length(self._joined) + layout


class Segmenter(Strings):
    label = "segmenter"

    def __init__(self, by_line, vocabulary, without_blanks, segmenter):
        super().__init__(by_line, vocabulary, without_blanks)
        self._segmenter = segmenter

    def split(self, document):
        parts = document.split("\n") if self.by_line else [document]
        tokens = []
        for i, part in enumerate(parts):
            if i:
                tokens.append(self.newline)
            tokens.extend(self._checked(self._segmenter(part), part) if part else ())
        if self.without_blanks:
            self._words = sum(any(map(str.isalnum, token)) for token in tokens)
        return tokens

    def counts(self, document, ids):
        words, chars, octets = super().counts(document, ids)
        return self._words if self.without_blanks else words, chars, octets

    def _checked(self, tokens, part):
        if isinstance(tokens, str) or not hasattr(tokens, "__iter__"):
            raise TypeError(
                f"the segmenter returned {type(tokens).__name__}; a list of strings is expected, such as "
                "['我', '愛', '台灣']"
            )
        tokens = list(tokens)
        wrong = next((token for token in tokens if not isinstance(token, str)), None)
        if wrong is not None:
            raise TypeError(
                f"the segmenter returned a list with {wrong!r} in it; a list of strings is expected"
            )
        _refuse_marks(part, tokens)
        return [token for token in tokens if token.strip()]


class Bytes(Scheme):
    label = "byte"
    sentence_is_line = False
    separator = b""

    def __init__(self, by_line, vocabulary, without_blanks):
        self.by_line = by_line
        self.without_blanks = without_blanks
        self.token_bytes = [bytes([byte]) for byte in range(256)]
        self.vocabulary = Vocabulary(map(shown, self.token_bytes), unk=False)
        _refuse_other(vocabulary, self)
        self.eos = self.vocabulary.eos
        self._table = np.arange(256, dtype=np.int32) + 2
        if by_line:
            self._table[ord("\n")] = self.eos

    def pieces(self, vocabulary):
        return [BOS.encode(), EOS.encode(), *self.token_bytes]

    def encode(self, document):
        return self._table[np.frombuffer(document.encode("utf-8"), dtype=np.uint8)]


class BytePairs(Bytes):
    label = "BPE"

    def __init__(self, by_line, vocabulary, without_blanks, tokenizer):
        self.by_line = by_line
        self.without_blanks = without_blanks
        self.token_bytes = tokenizer.token_bytes
        self.vocabulary = tokenizer.vocabulary
        _refuse_other(vocabulary, self)
        self.eos = self.vocabulary.eos
        self._tokenizer = tokenizer

    def encode(self, document):
        parts = document.split("\n") if self.by_line else [document]
        ids = []
        for i, part in enumerate(parts):
            if i:
                ids.append(self.eos)
            ids.extend(self._tokenizer.encode(part))
        return np.array(ids, dtype=np.int32)


class _GrowingIds(dict):
    """Token to id; a token not seen before gets the next id."""

    unknown = 0

    def __init__(self):
        super().__init__({UNK: 0, BOS: 1, EOS: 2})
        self._tokens = []

    def __missing__(self, token):
        self._tokens.append(token)
        self[token] = new = len(self._tokens) + 2
        return new

    def vocabulary(self):
        return Vocabulary(self._tokens)


class _FixedIds(dict):
    """Token to id in a vocabulary; others are counted and get the id of `<unk>`, or -1."""

    def __init__(self, vocabulary):
        super().__init__({token: i for i, token in enumerate(vocabulary)})
        self._other = -1 if vocabulary.unk is None else vocabulary.unk
        self.unknown = 0

    def __missing__(self, token):
        self.unknown += 1
        return self._other


def _refuse_marks(text, tokens):
    """Raise where a document has `<s>` or `</s>` as a token of its own."""
    for mark in (BOS, EOS):
        if mark in text and mark in (tokens.split() if isinstance(tokens, str) else tokens):
            raise ValueError(
                f"a document has the token {mark} of its own: it is the mark of a sentence's "
                f"{'start' if mark == BOS else 'end'}, which tokenize adds itself. Remove it from the text"
            )


def _refuse_other(vocabulary, scheme):
    if vocabulary is not None and vocabulary != scheme.vocabulary:
        raise ValueError(
            f"by={scheme.label!r} has a vocabulary of its own, and the one given is another: "
            f"{vocabulary}. Leave the argument vocabulary out"
        )


def _utf8_length(text):
    return len(text) if text.isascii() else len(text.encode("utf-8"))


@functools.cache
def _word_pattern(by_line):
    """Return the pattern of one token: a number, a word, or any other character with its accents."""
    letter = f"[^\\W_][{_marks()}]*"
    word = f"(?:{letter})+(?:['’-](?:{letter})+)*"
    other = f"\\S[{_marks()}]*"
    return re.compile(("\n|" if by_line else "") + rf"\d+(?:[.,]\d+)+|{word}|{other}")


@functools.cache
def _marks():
    """Return the combining marks of Unicode (categories Mn, Mc, Me) as the inside of a character class."""
    ranges = []
    for code in [*range(0x300, 0x20000), *range(0xE0100, 0xE01F0)]:
        if unicodedata.category(chr(code))[0] == "M":
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


# The Unified Ideographs and their extensions, 々 and 〇, hiragana and katakana.
_HAN = re.compile("[\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
