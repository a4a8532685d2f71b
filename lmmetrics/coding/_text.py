"""The text that comes out of a decoder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from lmmetrics._types import Bools, Ints
from lmmetrics.text import Spelling, TokenizedText, Vocabulary
from lmmetrics.text._shared import counts_of


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
    `decode()` returns. For characters, bytes and BPE that is the document itself. Words have lost the blanks
    between them before they came to the coder, so there it is the canonical text, with one blank between two.
    """

    spelled: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        ids: Ints,
        vocabulary: Vocabulary,
        spelling: Spelling,
        document_starts: Ints,
        terminated: Sequence[bool] | Bools,
        spelled: tuple[str, ...],
        unknown: Ints,
    ) -> Self:
        """Return a text from what a file says; everything else follows from it."""
        ends = np.flatnonzero(ids == vocabulary.eos) + 1
        bare = cls(
            ids=ids.astype(np.int32),
            vocabulary=vocabulary,
            sentence_starts=np.unique(np.concatenate([[0], ends, document_starts])).astype(np.int64),
            document_starts=document_starts,
            document_counts={},
            terminated=np.asarray(terminated, dtype=bool),
            spelling=spelling._replace(pieces=np.array(list(spelling.pieces), dtype=object)),
            spelled=spelled,
        )
        sizes = {"tokens": np.diff(document_starts), **counts_of(bare.decode())}
        return replace(bare, document_counts=sizes | {"unknown": np.array(unknown, dtype=np.int64)})

    def strings(self) -> list[str]:
        """Return the N tokens as strings; a token that the file does not spell is `<unk>`."""
        found = super().strings()
        for place, token in zip(self._places(), self.spelled, strict=False):
            found[place] = token
        return found

    def decode(self) -> list[str]:
        """Return the documents as strings; see `TokenizedText.decode`."""
        if not self.spelled:
            return super().decode()
        pieces = [*self.spelling.pieces[: len(self.vocabulary)], *self.spelled]
        ids = self.ids.copy()
        ids[self._places()] = len(self.vocabulary) + np.arange(len(self.spelled))
        return TokenizedText(
            ids=ids,
            vocabulary=self.vocabulary,
            sentence_starts=self.sentence_starts,
            document_starts=self.document_starts,
            document_counts=self.document_counts,
            terminated=self.terminated,
            spelling=self.spelling._replace(pieces=np.array(pieces, dtype=object)),
        ).decode()

    def _places(self) -> Ints:
        unk = self.vocabulary.unk
        return np.flatnonzero(self.ids == unk) if unk is not None else np.zeros(0, dtype=np.int64)
