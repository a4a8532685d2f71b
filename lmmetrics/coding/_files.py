"""From a model and a text to a file, and back: range coding with whole numbers."""

from __future__ import annotations

import math
from array import array
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from tqdm import tqdm

from lmmetrics._checks import whole_number
from lmmetrics._predictor import reader_of
from lmmetrics._types import Floats, Ints
from lmmetrics.coding._format import (
    BITS,
    LEAST,
    CodingError,
    Header,
    digest_of_text,
    digest_of_vocabulary,
    kind_of,
    read,
    spelling_of,
    write,
)
from lmmetrics.coding._quantise import ROUNDING, rounded
from lmmetrics.coding._text import DecodedText
from lmmetrics.extras import need
from lmmetrics.text import TokenizedText, Vocabulary
from lmmetrics.text._shared import check_text

LAST_WORDS, CUT = 64, 0.00565
"""Bits that the range coder may lose: at the end, and with each symbol."""


@dataclass(frozen=True, repr=False)
class Encoded:
    """A coded text: the bytes of the file, and where its bits come from.

    Attributes
    ----------
    data : bytes
        The file, as `to_bytes()` returns it too.
    payload_bits : int
        The bits of the code itself: 32-bit words of the range coder.
    ideal_bits : float
        The total surprisal of the tokens under the model, in bits: what `score_text` gives.
    spelling_bits : int
        8 bits for each byte of a token outside the vocabulary, and 8 for its end.
    rounding_bits : float
        What it costs that rows are rounded to whole numbers: surprisal under the rounded rows, less
        `ideal_bits`. At most ``-log2(1 - V / 2 ** bits)`` for each token, and below 0 for a text of tokens
        that are less probable than 2 ** -bits, the least that a rounded row can say.
    tokens : int
    """

    data: bytes
    payload_bits: int
    ideal_bits: float
    spelling_bits: int
    rounding_bits: float
    tokens: int

    @property
    def bits(self) -> int:
        """The bits of the whole file: payload and header."""
        return 8 * len(self.data)

    @property
    def header_bits(self) -> int:
        """The bits that are not code: magic number, version, counts, bounds, digests and checksums."""
        return self.bits - self.payload_bits

    @property
    def overhead_bits(self) -> float:
        """What the code has above the surprisal: ``payload_bits - ideal_bits - spelling_bits``.

        It is never above `bound`.
        """
        return self.payload_bits - self.ideal_bits - self.spelling_bits

    @property
    def bound(self) -> float:
        """The largest possible `overhead_bits`: `rounding_bits`, 64, and 0.00565 for each symbol.

        The interval is known to 64 bits and its end is written as whole words of 32 bits, at most two that it
        does not need. Before each symbol the width is cut to a multiple of 2 ** 24, when it is at least
        2 ** 32: at most ``-log2(1 - 2 ** -8)`` bits, and mostly far less. Symbols are the tokens, and
        the bytes of those that are spelled.
        """
        return self.rounding_bits + LAST_WORDS + CUT * (self.tokens + self.spelling_bits // 8)

    def to_bytes(self) -> bytes:
        """Return the file."""
        return self.data

    def __repr__(self) -> str:
        spelling = f"{self.spelling_bits:,} of spelling + " if self.spelling_bits else ""
        return (
            f"Encoded: {self.tokens:,} tokens in {len(self.data):,} bytes; {self.payload_bits:,} bits of "
            f"code = {self.ideal_bits:,.2f} of surprisal + {spelling}{self.overhead_bits:.2f}; "
            f"{self.header_bits} bits of header"
        )


def encode(
    model: Any,
    text: TokenizedText,
    *,
    tokens: Sequence[str] | None = None,
    unknown: str = "refuse",
    bits: int = BITS,
) -> Encoded:
    """Code a text with a model: the more probable the text, the shorter the file.

    The model predicts one token after the other, and each row is computed when the tokens before it are
    known, as the decoder must. A network is therefore stepped: the rows of a whole text computed in one
    batch differ in their last digits. The row is rounded to whole numbers (`quantise`), and from there on
    everything is exact: the file is decoded on any machine on which the model gives the same rounded rows.

    Parameters
    ----------
    model : Predictor or Adaptive
        A fitted `NGramModel`, a network, a `Mixture` (also with a `UnigramCache` in it), an `Adaptive` model,
        or any object with ``next_distribution(context)`` and a ``vocabulary``; its context is the document so
        far, with `<s>` before each sentence. A `TransformerLM` looks back as far as it can at every token, as
        in ``log_probs(text, stride=1)``.
    text : TokenizedText
        With the vocabulary of the model. It may be empty, and have several documents. Words are coded without
        the blanks between them, which the tokens do not have.
    tokens : list of str, optional
        The N tokens before `<unk>` took the place of some: ``tokenize(documents).strings()``. Each token
        outside the vocabulary is then coded as `<unk>`, followed by its bytes, 8 bits each, and 8 for the
        end.
    unknown : {"refuse", "as <unk>"}
        What to do with tokens outside the vocabulary if `tokens` is not given: raise an error, or code only
        that there is one. The decoded text then has `<unk>` in its place.
    bits : int
        The precision of the rounded rows, from 8 to 24. Fewer bits make a longer code, and a decoder whose
        rows differ in more digits still gets the same rounded rows.

    Returns
    -------
    Encoded

    Notes
    -----
    The rows are rounded here, and not by constriction, which is given whole numbers only. What a file means
    depends therefore on no sum of floats inside a coder, and hardly on the last digits of the model's rows.
    (See `quantise`, and the format in ``help(lmmetrics.coding._format)``.)

    Raises
    ------
    ValueError
        If the text has another vocabulary than the model, if a token is outside the vocabulary and nothing is
        said about it, or if a token has probability 0: it has no code.

    Examples
    --------
    >>> from lmmetrics.ngram import NGramModel, WittenBell
    >>> from lmmetrics.text import tokenize
    >>> train = tokenize(["the cat sleeps\\nthe cat eats\\nthe dog sleeps\\n"])
    >>> model = NGramModel(2, WittenBell()).fit(train)
    >>> text = tokenize(["the dog eats\\n"] * 20, vocabulary=train.vocabulary)
    >>> coded = encode(model, text)
    >>> print(f"{coded.ideal_bits:.2f} bits of surprisal, {coded.payload_bits} bits coded")
    147.27 bits of surprisal, 160 bits coded
    >>> decode(model, coded.data).decode() == text.decode()
    True
    """
    bits = _checked_bits(bits)
    check_text("text", text, getattr(model, "vocabulary", None))
    vocabulary = text.vocabulary
    spelled = _spelled(text, tokens, unknown)
    encoder = _stream().queue.RangeEncoder()
    ids, waiting = iter(text.ids.tolist()), iter(spelled)
    ideal, rounded_bits = array("d"), array("d")

    def choose(row: Floats, counts: Ints) -> int:
        id = next(ids)
        if not row[id] > 0:
            raise ValueError(
                f"Token {len(ideal)}, {vocabulary.token(id)!r}, has probability 0 under the model: no part "
                "of the interval is its own, so the text has no code. Use a model that is smoothed."
            )
        encoder.encode(id, _coder_row(counts, bits))
        ideal.append(-math.log2(row[id]))
        rounded_bits.append(bits - math.log2(counts[id]))
        if spelled and id == vocabulary.unk:
            for byte in _bytes_of(next(waiting)):
                encoder.encode(byte, _byte_row())
        return id

    lengths = np.diff(text.document_starts)
    _walk(model, vocabulary, lengths, bits, choose, "coding")
    words = encoder.get_compressed()
    header = Header(
        kind_of(text),
        bool(spelled),
        bits,
        digest_of_vocabulary(vocabulary),
        lengths,
        np.asarray(text.document_counts["unknown"]),
        text.terminated.tolist(),
    )
    total = math.fsum(ideal) + 0.0
    return Encoded(
        data=write(header, words, digest_of_text(text.ids, spelled)),
        payload_bits=32 * len(words),
        ideal_bits=total,
        spelling_bits=8 * sum(len(_bytes_of(token)) for token in spelled),
        rounding_bits=math.fsum(rounded_bits) - total,
        tokens=len(text),
    )


def decode(model: Any, data: bytes | Encoded, vocabulary: Vocabulary | None = None) -> DecodedText:
    """Return the text of a file that `encode` wrote, with the same model.

    Parameters
    ----------
    model : Predictor or Adaptive
        The model that coded the text. It must give the same rows, to the last digit that the rounding keeps.
    data : bytes
    vocabulary : Vocabulary, optional
        By default the model's.

    Returns
    -------
    DecodedText
        A `TokenizedText` with the same tokens, sentences and documents.

    Raises
    ------
    CodingError
        If the file is truncated or damaged, if it was written with another vocabulary, or if the model gives
        other rows than the encoder's. A wrong text is never returned.
    """
    header, words, digest = read(_as_bytes(data))
    vocabulary = _vocabulary(model, vocabulary)
    if digest_of_vocabulary(vocabulary) != header.vocabulary:
        raise CodingError(
            f"The file was written with another vocabulary than this one ({vocabulary}): an id would mean "
            "another token."
        )
    decoder = _stream().queue.RangeDecoder(words)
    room, ids, spelled = 4 * len(words) + 8, list[int](), list[str]()

    def symbol(row: Any) -> int:
        try:
            return int(decoder.decode(row))
        except AssertionError:  # words that no encoder writes with this row
            raise CodingError(OTHER_ROWS, np.array(ids, dtype=np.int32)) from None

    def choose(row: Floats, counts: Ints) -> int:
        nonlocal room
        ids.append(symbol(_coder_row(counts, header.bits)))
        if header.spelled and ids[-1] == vocabulary.unk:
            token = bytearray()
            while (byte := symbol(_byte_row())) != END and (room := room - 1) >= 0:
                token.append(byte)
            spelled.append(token.decode("utf-8", errors="replace"))
        return ids[-1]

    _walk(model, vocabulary, header.lengths, header.bits, choose, "decoding")
    found = np.array(ids, dtype=np.int32)
    if digest_of_text(found, spelled) != digest:
        raise CodingError(OTHER_ROWS, found)
    starts = np.append(0, np.cumsum(header.lengths)).astype(np.int64)
    spelling = spelling_of(header.kind, vocabulary, model)
    return DecodedText.of(
        found, vocabulary, spelling, starts, header.terminated, tuple(spelled), header.unknown
    )


OTHER_ROWS = (
    "The file is intact, but this model gives other rows than those with which it was written: the decoded "
    "tokens are not those of the text. Use the same model, with the same weights, in the same precision "
    "(float64), one token at a time; another machine or another version of a package may compute other last "
    "digits."
)
END = 0xFF
"""The end of a token that is spelled: a byte that UTF-8 never uses."""


def _walk(
    model: Any,
    vocabulary: Vocabulary,
    lengths: Ints,
    bits: int,
    choose: Callable[[Floats, Ints], int],
    name: str,
) -> None:
    """Go through a text: at each place give the row, as it is and rounded, to `choose`, which says the token.

    Encoder and decoder both run this function, so the model is called in the same way on both sides.
    """
    reader = reader_of(model, vocabulary)
    with tqdm(total=int(sum(lengths)), desc=name, unit="token", delay=10, leave=False) as bar:
        for length in lengths:
            reader.start()
            for _ in range(int(length)):
                row = reader.row()
                reader.read(choose(row, rounded(_checked(row, model, vocabulary), bits)))
                bar.update()


def _checked(row: Floats, model: Any, vocabulary: Vocabulary) -> Floats:
    if row.shape != (len(vocabulary),):
        raise ValueError(
            f"{type(model).__name__} gives a row of the shape {row.shape}; one probability for each of the "
            f"{len(vocabulary)} tokens of the vocabulary is expected."
        )
    if not row.min() >= 0 or not abs(row.sum() - 1) <= ROUNDING:
        raise ValueError(
            f"{type(model).__name__} gives a row with the smallest entry {row.min():g} and the sum "
            f"{row.sum():.9g}; probabilities of at least 0 are expected that sum to 1."
        )
    return row


def _coder_row(counts: Ints, bits: int) -> Any:
    """A row as constriction takes it: it gives each symbol 1 of its 2 ** 24, and its share of the others.

    So with ``counts - 1`` as shares, which sum to what is left, the symbols get exactly `counts`.
    """
    counts = counts << (BITS - bits)
    return _stream().model.Categorical((counts - 1).astype(np.float64), lazy=True, perfect=False)


@cache
def _stream() -> Any:
    return need("constriction", "coding").stream


@cache
def _byte_row() -> Any:
    """All bytes alike: 8 bits each."""
    return _coder_row(np.full(256, 2 ** (BITS - 8)), BITS)


def _bytes_of(token: str) -> bytes:
    return token.encode("utf-8") + bytes([END])


def _spelled(text: TokenizedText, tokens: Sequence[str] | None, unknown: str) -> list[str]:
    """The spelling of the tokens outside the vocabulary, in order; empty if they are not to be spelled."""
    vocabulary = text.vocabulary
    if unknown not in ("refuse", "as <unk>"):
        raise ValueError(f'unknown is {unknown!r}; "refuse" or "as <unk>" is expected.')
    if (text.ids < 0).any():
        raise ValueError(
            f"{text.unknown} tokens of the text are outside the vocabulary, which has no <unk>: they have "
            "probability 0 and no code. Build it with unk=True, and give their spelling (tokens=)."
        )
    if tokens is None:
        if text.unknown and unknown == "refuse":
            raise ValueError(
                f"{text.unknown} tokens of the text are outside the vocabulary, and it does not say which. "
                "Give all tokens, tokens=tokenize(documents).strings(), and these are spelled in bytes; or "
                'code them with unknown="as <unk>", and the decoded text has <unk> in their places.'
            )
        return []
    given = [tokens] if isinstance(tokens, str) else list(tokens)
    if len(given) != len(text):
        raise ValueError(
            f"tokens has {len(given)} entries; the {len(text)} tokens of the text are expected, </s> "
            "included: tokenize(documents).strings(), with the same options as the text."
        )
    found = []
    for place, (id, token) in enumerate(zip(text.ids.tolist(), given, strict=True)):
        if id == vocabulary.unk and isinstance(token, str):
            found.append(token)
        elif token != vocabulary.tokens[id]:
            raise ValueError(
                f"tokens[{place}] is {token!r}, but the text has {vocabulary.tokens[id]!r} there."
            )
    return found


def _vocabulary(model: Any, given: Any) -> Vocabulary:
    """The vocabulary of the model, or the given one if the model has none."""
    own: Vocabulary | None = getattr(model, "vocabulary", None)
    if given is not None and not isinstance(given, Vocabulary):
        raise TypeError(f"vocabulary is {type(given).__name__}; a Vocabulary is expected: text.vocabulary.")
    if own is not None and given is not None and own != given:
        raise ValueError(
            f"The vocabulary ({given}) is not that of the model ({own}), so its ids mean other tokens."
        )
    found = given if own is None else own
    if found is None:
        raise ValueError(f"{type(model).__name__} has no vocabulary; give it: vocabulary=text.vocabulary.")
    return found


def _checked_bits(bits: Any) -> int:
    if whole_number("bits", bits, LEAST) > BITS:
        raise ValueError(
            f"bits is {bits}; from {LEAST} to {BITS} are expected, which is the precision of the coder."
        )
    return int(bits)


def _as_bytes(data: Any) -> bytes:
    if isinstance(data, Encoded):
        return data.data
    if not isinstance(data, bytes | bytearray | memoryview):
        raise TypeError(f"data is {type(data).__name__}; the bytes of a file are expected.")
    return bytes(data)
