"""Text as the models see it: token ids, boundaries, and the counts of what was scored.

`tokenize` turns documents into a `TokenizedText`. Every sentence is closed by `</s>`, which is scored; `<s>`
is what a sentence starts from, so it is never in the stream. The tokenizers themselves are in
`lmmetrics._tokenizers`.

Examples
--------
>>> text = tokenize(["the cat sleeps\\nthe cat eats\\n"])
>>> text.strings()
['the', 'cat', 'sleeps', '</s>', 'the', 'cat', 'eats', '</s>']
>>> len(text), text.words, text.chars, text.bytes
(8, 6, 28, 28)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmmetrics._bpe import BPETokenizer, train_bpe
from lmmetrics._documents import checked_documents, is_written_without_blanks
from lmmetrics._tokenizers import By, Sentences, choose_scheme
from lmmetrics._types import Bools, Ints
from lmmetrics._vocabulary import UNK, Vocabulary

__all__ = ["BPETokenizer", "Spelling", "TokenizedText", "Vocabulary", "tokenize", "train_bpe"]


def tokenize(
    documents: Iterable[str],
    by: By = "word",
    sentences: Sentences | None = None,
    vocabulary: Vocabulary | None = None,
) -> TokenizedText:
    """Turn documents into the stream of tokens that a model scores.

    Parameters
    ----------
    documents : list of str
        One string for each document. Nothing in them is changed: NFC stays NFC and NFD stays NFD.
    by : str, BPETokenizer or callable
        - ``"word"``: a word is a run of letters and digits, with apostrophes (' and ’) and hyphens kept
          inside (``don't``, ``well-known``); a number keeps its inner points and commas (``3.14``); every
          other character that is not blank stands alone. A combining accent belongs to the character
          before it.
        - ``"whitespace"``: tokens are what stands between blanks; for text that is tokenised already.
        - ``"char"``: Unicode code points. ``"byte"``: the bytes of UTF-8.
        - a `BPETokenizer` made by `train_bpe`.
        - a callable that turns a string into a list of strings: a segmenter for Chinese words.
    sentences : {"line", "document"}, optional
        What `</s>` closes. By line, the newline is not a token: `</s>` stands in its place. A final newline
        ends the last line and opens no empty one; an empty line inside a document is a sentence that holds
        `</s>` alone; a last line without a newline is a sentence if it holds a token. So an empty document
        has no sentence by line, and one sentence (`</s>` alone) by document. The default is "line" for
        words and segmenters, "document" for characters, bytes and BPE, where the newline is a token.
        Only "\\n" ends a line: in a line that ends in "\\r\\n", the "\\r" is a character of that line.
    vocabulary : Vocabulary, optional
        The vocabulary of a training text. Other tokens become `<unk>`, or the id -1 in a vocabulary that has
        none; `TokenizedText.unknown` counts them. Without it, the vocabulary is built from this text, in
        order of first appearance.

    Returns
    -------
    TokenizedText

    Raises
    ------
    TypeError
        If `documents` is not a list of strings.
    ValueError
        If a document holds half of a surrogate pair, or a token `<s>` or `</s>` of its own; or if Chinese
        text is to be cut into words without a segmenter.

    Examples
    --------
    >>> train = tokenize(["the cat sleeps"])
    >>> test = tokenize(["the dog sleeps"], vocabulary=train.vocabulary)
    >>> test.strings(), test.unknown
    (['the', '<unk>', 'sleeps', '</s>'], 1)
    >>> tokenize(["貓睡"], by="byte").bytes
    6
    """
    documents = checked_documents(documents)
    scheme = choose_scheme(by, sentences, vocabulary, documents)
    streams, missed, terminated = [np.zeros(0, dtype=np.int32)], [0], []
    for document in documents:
        ids = scheme.encode(document)
        ended = len(ids) > 0 and ids[-1] == scheme.eos
        if not ended and (len(ids) > 0 or not scheme.by_line):
            ids = np.append(ids, np.int32(scheme.eos))
        streams.append(ids)
        missed.append(scheme.unknown())
        terminated.append(ended)
    ids, vocabulary = np.concatenate(streams), scheme.vocabulary
    starts = np.cumsum([len(stream) for stream in streams])
    words, chars, octets = scheme.counts(documents, ids, starts, missed)
    counts = {
        "tokens": np.diff(starts),
        "words": words,
        "chars": chars,
        "bytes": octets,
        "unknown": np.diff(missed),
    }
    return TokenizedText(
        ids=ids,
        vocabulary=vocabulary,
        sentence_starts=np.append(0, np.flatnonzero(ids == vocabulary.eos) + 1),
        document_starts=starts,
        document_counts={k: None if v is None else np.array(v, dtype=np.int64) for k, v in counts.items()},
        terminated=np.array(terminated, dtype=bool),
        spelling=Spelling(np.array(scheme.pieces(vocabulary), dtype=object), scheme.separator, scheme.label),
    )


class Spelling(NamedTuple):
    """How ids are written as text: the piece of each id, the separator, and a name for the kind of tokens."""

    pieces: Sequence[str] | Sequence[bytes] | NDArray[np.object_]
    separator: str | bytes
    label: str = "model"


@dataclass(frozen=True, eq=False, repr=False)
class TokenizedText:
    """A text as token ids, with its boundaries and the counts of exactly the text that is scored.

    Made by `tokenize` from strings, and by `TokenizedText.from_ids` from ids.

    Attributes
    ----------
    ids : int32[N]
        The scored stream: the tokens of each sentence, then `</s>`. `<s>` is never in it.
    vocabulary : Vocabulary
    sentence_starts : int64[S + 1]
        Sentence s is ``ids[sentence_starts[s]:sentence_starts[s + 1]]``, its `</s>` included.
    document_starts : int64[D + 1]
        The same for documents.
    document_counts : dict of int64[D]
        "tokens", "words", "chars", "bytes" and "unknown" of each document. "words" is None when words
        cannot be counted.
    terminated : bool[D]
        Whether the document's last line has its newline.
    spelling : Spelling

    Notes
    -----
    What the counts count: for words, characters, bytes and BPE the documents as they are; for "whitespace"
    the canonical text, one blank between two tokens and a newline after each line that has one. A word is
    what stands between blanks, whatever the tokenizer, so that one text has one number of words. Text in
    Chinese characters (more than one character in a hundred) has no such words: there a segmenter's tokens
    that hold a letter or digit are counted, and without a segmenter `words` is None.

    Examples
    --------
    >>> text = tokenize(["ab", ""], by="char")
    >>> text
    TokenizedText: 4 tokens by char in 2 sentences of 2 documents; vocabulary 5, unknown 0
    >>> text.document(1).strings()
    ['</s>']
    >>> text.decode()
    ['ab', '']
    """

    ids: Ints
    vocabulary: Vocabulary
    sentence_starts: Ints
    document_starts: Ints
    document_counts: Mapping[str, Ints | None]
    terminated: Bools
    spelling: Spelling

    @classmethod
    def from_ids(cls, ids: ArrayLike, vocabulary: Vocabulary, spelling: Spelling | None = None) -> Self:
        """Return ids as a text of one document, counted as it would be written.

        Parameters
        ----------
        ids : int[N]
            Tokens of the vocabulary, `</s>` after each sentence; the last sentence may lack it.
        vocabulary : Vocabulary
        spelling : Spelling, optional
            By default tokens are words, with a blank between two.

        Examples
        --------
        >>> text = TokenizedText.from_ids([3, 4, 2, 3], Vocabulary(["the", "cat"]))
        >>> text.strings(), text.words, text.chars
        (['the', 'cat', '</s>', 'the'], 3, 11)
        """
        ids = np.asarray(ids, dtype=np.int32)
        spelling = spelling or Spelling(vocabulary.tokens, " ")
        starts = np.append(0, np.flatnonzero(ids == vocabulary.eos) + 1)
        if starts[-1] < len(ids):
            starts = np.append(starts, len(ids))
        closed = len(ids) > 0 and ids[-1] == vocabulary.eos
        sentences = [
            spelling.separator.join(spelling.pieces[id] for id in part if id != vocabulary.eos)
            for part in np.split(ids, np.flatnonzero(ids == vocabulary.eos) + 1)
        ]
        written = ("\n" if isinstance(spelling.separator, str) else b"\n").join(sentences)
        characters = written if isinstance(written, str) else written.decode("utf-8", errors="replace")
        counts = {
            "tokens": len(ids),
            "words": None if is_written_without_blanks([characters]) else len(characters.split()),
            "chars": len(characters),
            "bytes": len(written.encode("utf-8") if isinstance(written, str) else written),
            "unknown": 0,
        }
        return cls(
            ids=ids,
            vocabulary=vocabulary,
            sentence_starts=starts,
            document_starts=np.array([0, len(ids)]),
            document_counts={k: None if v is None else np.array([v]) for k, v in counts.items()},
            terminated=np.array([closed]),
            spelling=spelling._replace(pieces=np.array(spelling.pieces, dtype=object)),
        )

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def words(self) -> int | None:
        """Number of words, or None where they cannot be counted (Chinese text without a segmenter)."""
        return self._total("words")

    @property
    def chars(self) -> int:
        """Number of characters (Unicode code points) of the text that is scored."""
        return self._total("chars")

    @property
    def bytes(self) -> int:
        """Number of bytes of the text that is scored, in UTF-8."""
        return self._total("bytes")

    @property
    def unknown(self) -> int:
        """Number of tokens that are not in the vocabulary. A `<unk>` written in the text is in it."""
        return self._total("unknown")

    @property
    def is_eos(self) -> Bools:
        """bool[N]: where the token is `</s>`."""
        return self.ids == self.vocabulary.eos

    def strings(self) -> list[str]:
        """Return the N tokens as strings; a token that is not in the vocabulary is `<unk>`."""
        table = np.array([*self.vocabulary.tokens, UNK], dtype=object)  # id -1 finds the last
        return table[self.ids].tolist()

    def document(self, i: int) -> TokenizedText:
        """Return document `i` alone, as a `TokenizedText` with its own counts."""
        count = len(self.document_starts) - 1
        if not 0 <= i < count:
            raise IndexError(f"there is no document {i}: this text has {count}, numbered from 0")
        start, stop = self.document_starts[i : i + 2]
        inside = (self.sentence_starts > start) & (self.sentence_starts <= stop)
        return TokenizedText(
            ids=self.ids[start:stop],
            vocabulary=self.vocabulary,
            sentence_starts=np.concatenate([[0], self.sentence_starts[inside] - start]),
            document_starts=np.array([0, stop - start]),
            document_counts={k: None if v is None else v[i : i + 1] for k, v in self.document_counts.items()},
            terminated=self.terminated[i : i + 1],
            spelling=self.spelling,
        )

    def decode(self) -> list[str]:
        """Return the documents as strings.

        For characters, bytes and BPE these are the documents that were tokenised. For words they are the
        canonical text: one blank between two tokens. A token that is not in the vocabulary is `<unk>`. Bytes
        that a model has drawn may not be valid UTF-8: these are shown as the replacement character.
        """
        separator, pieces = self.spelling.separator, self.spelling.pieces[self.ids].tolist()
        starts, stops = self.sentence_starts[:-1], self.sentence_starts[1:]
        stops = stops - self.is_eos[stops - 1]  # the last sentence of a sampled text may lack its </s>
        sentences = [separator.join(pieces[start:stop]) for start, stop in zip(starts, stops, strict=True)]
        if isinstance(separator, bytes):
            sentences = [sentence.decode("utf-8", errors="replace") for sentence in sentences]
        bounds = np.searchsorted(self.sentence_starts, self.document_starts)
        return [
            "\n".join(sentences[first:last]) + ("\n" if terminated else "")
            for first, last, terminated in zip(bounds, bounds[1:], self.terminated, strict=False)
        ]

    def __repr__(self) -> str:
        return (
            f"TokenizedText: {len(self):,} tokens by {self.spelling.label} in "
            f"{len(self.sentence_starts) - 1:,} sentences of {len(self.document_starts) - 1:,} documents; "
            f"vocabulary {len(self.vocabulary):,}, unknown {self.unknown:,}"
        )

    def _total(self, unit: str) -> int | None:
        counts = self.document_counts[unit]
        return None if counts is None else int(counts.sum())
