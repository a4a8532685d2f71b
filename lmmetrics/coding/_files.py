"""From a model and a text to a file, and back: range coding with whole numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lmmetrics.coding._text import DecodedText
from lmmetrics.text import TokenizedText, Vocabulary

BITS = 24
"""The precision of the coder: a row is rounded to whole numbers that sum to 2 ** 24."""


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
        `ideal_bits`.
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

        It is between 0 and `bound`, whatever the text, up to rounding_bits.
        """
        return self.payload_bits - self.ideal_bits - self.spelling_bits

    @property
    def bound(self) -> float:
        """The largest `overhead_bits` possible: 64 bits for the last words, and 0.006 bits per symbol."""
        raise NotImplementedError

    def to_bytes(self) -> bytes:
        """Return the file."""
        return self.data


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
        or any object with ``next_distribution(context)`` and a ``vocabulary``.
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
        The precision of the rounded rows, from 8 to 24.

    Returns
    -------
    Encoded

    Raises
    ------
    ValueError
        If the text has another vocabulary than the model, if a token is outside the vocabulary and nothing is
        said about it, or if a token has probability 0: it has no code.
    """
    raise NotImplementedError


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
    raise NotImplementedError
