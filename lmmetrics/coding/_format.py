"""The file: a header with all that a decoder must know, the words of the range coder, and a checksum.

    bytes      what
    4          89 4C 4D 43, a byte that no ASCII text has, and "LMC"
    1          version, 1
    1          how tokens are written (2 bits), and whether the unknown ones are spelled
    1          bits of the rounded rows
    8          digest of the vocabulary
    varint     number of documents; then for each: its number of tokens, twice, plus 1 if its last line is
               closed; then its number of unknown tokens
    varint     number of 32-bit words of the code
    4 each     the words, the lowest byte first
    8          digest of the text: its tokens, and the spelling of the unknown ones
    4          CRC-32 of everything before it

The CRC finds every change of a single byte, and of any 32 bits in a row; other damage it misses once in four
thousand million. The digest of the text finds what the CRC cannot see: a decoder whose rows differ.
"""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lmmetrics._types import Ints
from lmmetrics.text import Spelling, TokenizedText, Vocabulary, tokenize

MAGIC, VERSION = b"\x89LMC", 1
LEAST, BITS = 8, 24
"""The least and the highest precision of rounded rows; the highest is that of the coder."""
FIXED = len(MAGIC) + 3 + 8
WORDS, CHARACTERS, BYTES, PIECES = range(4)
"""How tokens are written: with a blank between two, without, as single bytes, as strings of bytes."""


class CodingError(ValueError):
    """The file cannot be decoded to the text that was coded; the message says why.

    Attributes
    ----------
    ids : int32 array or None
        What came out with other rows than the encoder's, as far as it went: it is not the text. None if the
        error was found before anything was decoded.
    """

    def __init__(self, message: str, ids: Ints | None = None) -> None:
        super().__init__(message)
        self.ids = ids


@dataclass(frozen=True)
class Header:
    """What a decoder must know besides the model.

    Attributes
    ----------
    kind : int
        How tokens are written.
    spelled : bool
        Whether each `<unk>` is followed by the bytes of the token.
    bits : int
    vocabulary : bytes
        The digest of the vocabulary.
    lengths, unknown : int[D]
        Number of tokens, and of tokens outside the vocabulary, of each document.
    terminated : bool[D]
    """

    kind: int
    spelled: bool
    bits: int
    vocabulary: bytes
    lengths: Ints
    unknown: Ints
    terminated: Sequence[bool]


def write(header: Header, words: Ints, text_digest: bytes) -> bytes:
    """Return the bytes of a file."""
    head = [
        MAGIC,
        bytes([VERSION, header.kind | header.spelled << 2, header.bits]),
        header.vocabulary,
        varint(len(header.lengths)),
    ]
    for length, terminated, unknown in zip(header.lengths, header.terminated, header.unknown, strict=True):
        head += [varint(2 * int(length) + bool(terminated)), varint(int(unknown))]
    head += [varint(len(words)), words.astype("<u4").tobytes(), text_digest]
    data = b"".join(head)
    return data + zlib.crc32(data).to_bytes(4, "little")


def read(data: bytes) -> tuple[Header, Ints, bytes]:
    """Return the header, the words uint32[W] and the digest of the text, or raise a `CodingError`."""
    if data[: len(MAGIC)] != MAGIC[: len(data)] or not data:
        raise CodingError("These bytes are not a file of encode: they do not begin as one does.")
    if len(data) < FIXED + 14:
        raise CodingError(f"The file is truncated: {len(data)} bytes are fewer than any text needs.")
    if data[len(MAGIC)] != VERSION:
        raise CodingError(
            f"The file has version {data[len(MAGIC)]} of the format, or is damaged; version {VERSION} is "
            "expected."
        )
    if zlib.crc32(data[:-4]) != int.from_bytes(data[-4:], "little"):
        raise CodingError(
            "The file is damaged or truncated: its checksum is not that of its bytes. Copy it again."
        )
    _, kind, bits = data[len(MAGIC) : len(MAGIC) + 3]
    at = len(MAGIC) + 3
    vocabulary, at = data[at : at + 8], at + 8
    documents, at = _varint(data, at)
    lengths, terminated, unknown = [], [], []
    for _ in range(documents):
        length, at = _varint(data, at)
        missed, at = _varint(data, at)
        lengths.append(length >> 1)
        terminated.append(bool(length & 1))
        unknown.append(missed)
    count, at = _varint(data, at)
    if len(data) != at + 4 * count + 12 or kind > 7 or not LEAST <= bits <= BITS:
        raise CodingError("The file is damaged: its header does not fit the rest of it.")
    words = np.frombuffer(data, dtype="<u4", count=count, offset=at).astype(np.uint32)
    header = Header(
        kind & 3,
        bool(kind >> 2),
        bits,
        vocabulary,
        np.array(lengths, dtype=np.int64),
        np.array(unknown, dtype=np.int64),
        terminated,
    )
    return header, words, data[at + 4 * count : at + 4 * count + 8]


def varint(number: int) -> bytes:
    """A whole number in as few bytes as it needs: 7 bits in each, the last one below 128.

    >>> varint(5), varint(300)
    (b'\\x05', b'\\xac\\x02')
    """
    found = bytearray()
    while number >= 128:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """The number that starts at a byte, and the place after it."""
    number = shift = 0
    while at < len(data):
        number |= (data[at] & 127) << shift
        at, shift, last = at + 1, shift + 7, data[at] < 128
        if last:
            return number, at
    raise CodingError("The file is damaged: a number in its header does not end.")


def digest_of_vocabulary(vocabulary: Vocabulary) -> bytes:
    """Eight bytes that differ if any token or its place does."""
    state = hashlib.blake2b(digest_size=8)
    for token in vocabulary.tokens:
        encoded = token.encode("utf-8", errors="surrogatepass")
        state.update(varint(len(encoded)) + encoded)
    return state.digest()


def digest_of_text(ids: Ints, spelled: Sequence[str]) -> bytes:
    """Eight bytes that differ if any token does, or the spelling of an unknown one."""
    state = hashlib.blake2b(np.asarray(ids).astype("<i4").tobytes(), digest_size=8)
    for token in spelled:
        state.update(varint(len(token.encode("utf-8"))) + token.encode("utf-8"))
    return state.digest()


def kind_of(text: TokenizedText) -> int:
    """How the tokens of a text are written."""
    if isinstance(text.spelling.separator, str):
        return CHARACTERS if text.spelling.separator == "" else WORDS
    return BYTES if text.vocabulary == _bytes().vocabulary else PIECES


def spelling_of(kind: int, vocabulary: Vocabulary, model: object) -> Spelling:
    """How to write tokens of a kind. Only the pieces of BPE are not in the file or the vocabulary."""
    if kind == BYTES and vocabulary == _bytes().vocabulary:
        return _bytes().spelling
    if kind in (WORDS, CHARACTERS):
        label = "word" if kind == WORDS else "char"
        return Spelling([*vocabulary.tokens, "<unk>"], " " if kind == WORDS else "", label)
    for part in [model, *getattr(model, "models", [])]:
        spelling = getattr(part, "spelling", None)
        if spelling is not None and isinstance(spelling.separator, bytes):
            return Spelling(spelling.pieces, b"", "BPE")
    raise CodingError(
        "The tokens of this file are strings of bytes, and the model does not know which; a model that was "
        "fitted to a text of the same tokenizer is expected."
    )


def _bytes() -> TokenizedText:
    return tokenize([], by="byte")
