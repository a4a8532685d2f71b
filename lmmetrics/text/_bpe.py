"""Byte-pair encoding: tokens are byte strings, merged from frequent pairs of adjacent tokens.

The `tokenizers` package trains and encodes; this module converts its tokens to ids and bytes.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import TYPE_CHECKING

from lmmetrics.extras import need
from lmmetrics.text._documents import checked_documents
from lmmetrics.text._vocabulary import Vocabulary

if TYPE_CHECKING:
    import tokenizers

_MARKS = 2  # <s> and </s> come before the tokens; every byte is known, so <unk> is not needed


def train_bpe(documents: Iterable[str], size: int) -> BPETokenizer:
    """Learn a byte-pair vocabulary from documents.

    Parameters
    ----------
    documents : list of str
    size : int
        Size of the vocabulary, at least 258: `<s>`, `</s>`, the 256 bytes, and one token for each merge. The
        vocabulary is smaller if the documents contain too few pairs to merge.

    Returns
    -------
    BPETokenizer
        For `tokenize(documents, by=...)`. The same documents and size give the same tokenizer.

    Raises
    ------
    TypeError, ValueError
        If `documents` is not a list of strings, or `size` is below 258.

    Notes
    -----
    Merges stay within a word and the blank before it, as in GPT-2 (Radford et al., 2019, section 2.2); the
    method is that of Sennrich, Haddow and Birch (2016).

    Examples
    --------
    >>> tokenizer = train_bpe(["low lower lowest, slow slower"], size=262)
    >>> tokenizer
    BPETokenizer with a vocabulary of 262: 256 bytes and 4 merges
    >>> from lmmetrics.text import tokenize
    >>> tokenize(["slowly"], by=tokenizer).strings()
    ['s', 'low', 'l', 'y', '</s>']
    """
    documents = checked_documents(documents)
    if isinstance(size, bool) or not isinstance(size, int):
        raise TypeError(f"size is {type(size).__name__}; expected a whole number, 258 or more.")
    if size < 256 + _MARKS:
        raise ValueError(f"size is {size}; expected 258 or more: <s>, </s> and the 256 bytes come first.")
    bpe = need("tokenizers", "bpe")
    trainer = bpe.trainers.BpeTrainer(
        vocab_size=size - _MARKS,
        show_progress=False,
        initial_alphabet=sorted(bpe.pre_tokenizers.ByteLevel.alphabet()),
    )
    tokenizer = bpe.Tokenizer(bpe.models.BPE())
    tokenizer.pre_tokenizer = bpe.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.train_from_iterator(documents, trainer)
    return BPETokenizer(tokenizer)


class BPETokenizer:
    """A byte-pair tokenizer, made by `train_bpe`.

    Attributes
    ----------
    vocabulary : Vocabulary
        A token is shown as its text; bytes that are not valid UTF-8 are shown one by one, as in ``<0xE6>``.
    """

    def __init__(self, tokenizer: tokenizers.Tokenizer) -> None:
        self._tokenizer = tokenizer
        names = [str(tokenizer.id_to_token(i)) for i in range(tokenizer.get_vocab_size())]
        byte_of = {name: byte for byte, name in _byte_names().items()}
        self.token_bytes = [bytes(byte_of[letter] for letter in name) for name in names]
        self.vocabulary = Vocabulary([shown(token) for token in self.token_bytes], unk=False)

    def encode(self, text: str) -> list[int]:
        """Return the ids of `text` in `vocabulary`, as a list of int."""
        return [i + _MARKS for i in self._tokenizer.encode(text).ids]

    def __repr__(self) -> str:
        size = len(self.vocabulary)
        merges = size - 256 - _MARKS
        return f"BPETokenizer with a vocabulary of {size:,}: 256 bytes and {merges:,} merges"


def shown(token: bytes) -> str:
    """Return a byte string as text, or as ``<0xE6>`` for each byte if it is not valid UTF-8.

    Examples
    --------
    >>> shown(b" the"), shown("貓".encode()), shown("貓".encode()[:2])
    (' the', '貓', '<0xE8><0xB2>')
    """
    try:
        return token.decode("utf-8")
    except UnicodeDecodeError:
        return "".join(f"<0x{byte:02X}>" for byte in token)


@functools.cache
def _byte_names() -> dict[int, str]:
    """Return the character for each byte in `tokenizers`: itself if printable, others from 256 on."""
    printing = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    names = {byte: chr(byte) for byte in printing}
    others = [byte for byte in range(256) if byte not in names]
    return names | {byte: chr(256 + i) for i, byte in enumerate(others)}
