"""The text of an adapter: token ids of a foreign tokenizer, and the counts of the strings that are scored."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import Self

import numpy as np

from lmmetrics._errors import AdvisedError, DocumentWarning
from lmmetrics._types import Ints
from lmmetrics.text import Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import counts_of, listed

Encode = Callable[[str], Sequence[int]]
Decode = Callable[[Sequence[int]], str]


class TokenizerVocabulary(Vocabulary):
    """The ids of a foreign tokenizer, which lists no tokens and does not mark the end of a line.

    No id of a text is -1, that of `<s>` and `</s>`.
    """

    lists_tokens = False

    def __init__(self, name: str, decode: Decode, size: int | None = None) -> None:
        self.name, self.decode, self.size = name, decode, size
        self.tokens, self._ids = (), {}
        self.unk = None
        self.bos = self.eos = -1

    def __eq__(self, other: object) -> bool:
        return self is other

    __hash__ = object.__hash__

    def __len__(self) -> int:
        return self.size or 0

    def token(self, id: int) -> str:
        return self.decode([int(id)])

    def __repr__(self) -> str:
        return self.name


@dataclass(frozen=True, eq=False, repr=False)
class AdapterText(TokenizedText):
    """A text in the tokens of an adapter's model; see `TokenizedText`.

    Attributes
    ----------
    read : tuple of tuple of int
        The ids that the model reads before the first scored token of each document: its BOS token, or the
        first token of the document.
    scored : tuple of str
        The strings that are scored, one for each document: all of it, or what follows its first token.
    """

    read: tuple[tuple[int, ...], ...] = ()
    scored: tuple[str, ...] = ()

    @classmethod
    def of_documents(
        cls,
        documents: Sequence[str],
        encode: Encode,
        decode: Decode,
        vocabulary: TokenizerVocabulary,
        bos: int | None,
        unk: int | None,
    ) -> Self:
        """Tokenise documents; without ``bos`` the first token of each is read and not scored."""
        streams, read, scored, changed = [], [], [], []
        for i, document in enumerate(listed(documents)):
            if not isinstance(document, str):
                raise TypeError(f"documents[{i}] is {document!r}; a string is expected.")
            ids = _whole(encode(document))
            if not ids and document.strip():
                raise AdvisedError(
                    f"{{}} has no token for the tokenizer, so the model would predict nothing of it; it "
                    f"begins with {document[:40]!r}.",
                    "Look whether the tokenizer is loaded: a folder without its files gives an empty one.",
                    document=i,
                )
            if decode(ids) != document:
                changed.append(i)
            first = 1 if bos is None and ids else 0
            read.append((bos,) if bos is not None else tuple(ids[:first]))
            scored.append(document[_length_of_first(document, ids, decode) if first else 0 :])
            streams.append(ids[first:])
        if changed:
            said = (
                f"The tokenizer does not give {len(changed)} of {len(streams)} documents back unchanged, "
                "first {}. Counts of words, characters and bytes are those of the documents as they were "
                "given."
            )
            warnings.warn(DocumentWarning(said, changed[0]), stacklevel=3)
        lengths = np.array([len(ids) for ids in streams], dtype=np.int64)
        starts = np.append(0, np.cumsum(lengths))
        unknown = np.array([ids.count(unk) if unk is not None else 0 for ids in streams])
        return cls(
            ids=np.array([id for ids in streams for id in ids], dtype=np.int32),
            vocabulary=vocabulary,
            sentence_starts=starts,
            document_starts=starts,
            document_counts={"tokens": lengths, **counts_of(scored), "unknown": unknown},
            terminated=np.array([text.endswith("\n") for text in scored], dtype=bool),
            spelling=Spelling((), "", repr(vocabulary)),
            read=tuple(read),
            scored=tuple(scored),
        )

    def strings(self) -> list[str]:
        return [self.vocabulary.token(id) for id in self.ids]

    def decode(self) -> list[str]:
        """Return the strings that are scored."""
        return list(self.scored)

    def document(self, i: int) -> Self:
        part = super().document(i)
        return replace(
            self,
            ids=part.ids,
            sentence_starts=part.document_starts,
            document_starts=part.document_starts,
            document_counts=part.document_counts,
            terminated=part.terminated,
            read=self.read[i : i + 1],
            scored=self.scored[i : i + 1],
        )


def stream(text: AdapterText, i: int) -> Ints:
    """Document i as the model reads it: what is read before the first scored token, then the tokens."""
    start, stop = text.document_starts[i : i + 2]
    return np.concatenate([np.array(text.read[i], dtype=np.int64), text.ids[start:stop].astype(np.int64)])


def _whole(given: object) -> list[int]:
    """What ``encode`` returned, as a list of ids; an error if it is something else."""
    expected = (
        "a list of token ids, which are whole numbers, is expected. Give a function from a string to its "
        "ids, such as lambda text: tokenizer.encode(text).ids."
    )
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise TypeError(f"encode returned {given!r:.40} ({type(given).__name__}); {expected}")
    ids = list(given)
    for i, id in enumerate(ids):
        try:
            ids[i] = index(id)
        except TypeError:
            raise TypeError(f"encode returned {id!r:.40} ({type(id).__name__}) at {i}; {expected}") from None
    return ids


def _length_of_first(document: str, ids: Sequence[int], decode: Decode) -> int:
    """How many characters of a document its first token holds; a character that it begins counts."""
    piece = decode(ids[:1])
    pairs = zip(document, piece, strict=False)
    shared = next((i for i, (a, b) in enumerate(pairs) if a != b), min(len(document), len(piece)))
    return min(len(document), shared + piece[shared:].startswith("\N{REPLACEMENT CHARACTER}"))
