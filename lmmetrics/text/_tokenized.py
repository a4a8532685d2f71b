"""`TokenizedText`: a text as token ids, with its boundaries and its counts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._types import Bools, Ints
from lmmetrics.text._documents import is_written_without_blanks
from lmmetrics.text._vocabulary import UNK, Vocabulary


class Spelling(NamedTuple):
    """How ids are written as text.

    The piece of each id, the separator, a name for the kind of tokens, and what a sentence is: "line",
    "document", or None if nobody has said it.
    """

    pieces: Any  # a sequence or an array, by id, of str or bytes, like the separator
    separator: Any
    label: str = "model"
    sentences: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class TokenizedText:
    """A text as token ids, with its boundaries and the counts of exactly the text that is scored.

    `tokenize` makes it from strings, `TokenizedText.from_ids` from ids.

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
        "tokens", "words", "chars", "bytes" and "unknown" of each document. "words" is None if words cannot be
        counted.
    terminated : bool[D]
        Whether the document's last line has its newline.
    spelling : Spelling

    Notes
    -----
    The counts are those of the documents as they are, for words, characters, bytes and BPE. For "whitespace"
    they are those of the canonical text, with one blank between two tokens and a newline after each line that
    has one. A word is a run of characters between blanks, whatever the tokenizer, so that all tokenizers give
    a text the same number of words. Blanks do not separate words in Chinese text (more than one Chinese
    character in a hundred): a segmenter's tokens with a letter or digit are counted instead, and without
    a segmenter `words` is None.

    Examples
    --------
    >>> from lmmetrics.text import tokenize
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
        """Return ids as a text of one document, with the counts of the text that they spell.

        Parameters
        ----------
        ids : int[N]
            Tokens of the vocabulary, `</s>` after each sentence; the last sentence may lack it.
        vocabulary : Vocabulary
        spelling : Spelling, optional
            By default tokens are words, with a blank between two of them.

        Raises
        ------
        TypeError
            If ``ids`` is not one row of whole numbers.
        ValueError
            If a number is not an id of the vocabulary, or is that of `<s>`.

        Examples
        --------
        >>> text = TokenizedText.from_ids([3, 4, 2, 3], Vocabulary(["the", "cat"]))
        >>> text.strings(), text.words, text.chars
        (['the', 'cat', '</s>', 'the'], 3, 11)
        """
        ids = _checked_ids(ids, vocabulary)
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
        """Number of words, or None if they cannot be counted (Chinese text that nothing has cut)."""
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
        """Return document `i` as a `TokenizedText` with its own counts."""
        count = len(self.document_starts) - 1
        if not hasattr(i, "__index__"):
            raise TypeError(f"The number of a document is {i!r}; a whole number is expected, from 0.")
        if not 0 <= i < count:
            raise IndexError(f"Document {i} does not exist: this text has {count}, numbered from 0.")
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

    def parts(self, count: int) -> list[TokenizedText]:
        """Cut the text between sentences into parts of about equal numbers of tokens, at most `count`.

        What comes back are the sentences alone: each part is one document, of which only the tokens are
        counted.

        Examples
        --------
        >>> from lmmetrics.text import tokenize
        >>> [part.strings() for part in tokenize(["a b\\nc\\nd e\\n"]).parts(2)]
        [['a', 'b', '</s>'], ['c', '</s>', 'd', 'e', '</s>']]
        """
        wanted = np.arange(1, count) * (len(self.ids) / count)
        cuts = np.searchsorted(self.sentence_starts, wanted, side="right") - 1
        bounds = np.unique([0, *cuts, len(self.sentence_starts) - 1]).tolist()
        found = []
        for first, last in pairwise(bounds):
            starts = self.sentence_starts[first : last + 1]
            size = int(starts[-1] - starts[0])
            counts = dict.fromkeys(self.document_counts) | {"tokens": np.array([size])}
            found.append(
                TokenizedText(
                    ids=self.ids[starts[0] : starts[-1]],
                    vocabulary=self.vocabulary,
                    sentence_starts=starts - starts[0],
                    document_starts=np.array([0, size]),
                    document_counts=counts,
                    terminated=np.ones(1, dtype=bool),
                    spelling=self.spelling,
                )
            )
        return found or [self]

    def decode(self) -> list[str]:
        """Return the documents as strings.

        For characters, bytes and BPE these are the documents that were tokenised. For words they are the
        canonical text: one blank between two tokens. A token that is not in the vocabulary is `<unk>`. Bytes
        that a model has drawn may be invalid UTF-8, which is shown as the replacement character.
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
        parts = (
            (len(self.sentence_starts) - 1, "sentence"),
            (len(self.document_starts) - 1, "document"),
        )
        sentences, documents = (f"{count:,} {name}{'s' * (count != 1)}" for count, name in parts)
        unknown = "" if self.document_counts["unknown"] is None else f", unknown {self.unknown:,}"
        return (
            f"TokenizedText: {len(self):,} tokens by {self.spelling.label} in {sentences} of {documents}; "
            f"vocabulary {len(self.vocabulary):,}{unknown}"
        )

    def _total(self, unit: str) -> Any:
        counts = self.document_counts[unit]
        return None if counts is None else int(counts.sum())


def _checked_ids(ids: ArrayLike, vocabulary: Vocabulary) -> Ints:
    """The ids as int32[N], or an error that names the first that cannot be in a text."""
    array = np.asarray(ids)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError("ids must be whole numbers, one for each token: vocabulary[token], in one row.")
    wrong = array[(array < 0) | (array >= len(vocabulary))]
    if wrong.size:
        raise ValueError(
            f"{wrong[0]} is not an id of the vocabulary: ids go from 0 to {len(vocabulary) - 1}."
        )
    if (array == vocabulary.bos).any():
        raise ValueError(
            f"<s> is among the ids, first at {int(np.argmax(array == vocabulary.bos))}. Leave it out: a "
            "sentence starts from <s>, which is never predicted."
        )
    return array.astype(np.int32)
