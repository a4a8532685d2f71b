"""The text that comes out of a decoder."""

from __future__ import annotations

from dataclasses import dataclass

from lmmetrics.text import TokenizedText


@dataclass(frozen=True, eq=False, repr=False)
class DecodedText(TokenizedText):
    """A `TokenizedText` that also knows the tokens outside its vocabulary, as the file spells them.

    Attributes
    ----------
    spelled : tuple of str
        The tokens with the id of `<unk>`, in the order of the text; empty if the file does not spell them.

    Notes
    -----
    `strings()` and `decode()` give these tokens as they were. Words, characters and bytes are counted in what
    `decode()` returns. For characters, bytes and BPE that is the document itself. Tokens by word have lost
    its blanks before they came to the coder, so there it is the canonical text, with one blank between two.
    """

    spelled: tuple[str, ...] = ()
