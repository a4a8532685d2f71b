"""The counts of words in documents, and how they are cut into two halves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lmmetrics._checks import array_of, whole_number
from lmmetrics._types import Ints, Seed
from lmmetrics.score import Score
from lmmetrics.text import tokenize

EXPECTED = "whole numbers, none negative, a row for each document and a column for each word"


@dataclass(frozen=True, eq=False, repr=False)
class WordCounts:
    """How often each word of a vocabulary occurs in each document: what a topic model sees of a text.

    `word_counts` makes it from strings.

    Attributes
    ----------
    counts : int64[D, V]
        A row for each document, a column for each word.
    words : tuple of str
        The V words of the vocabulary.
    left_out : int64[D]
        How many running words of each document are not in the vocabulary. A topic model says nothing of them,
        so its nats are those of a shorter text: compare models only on the same vocabulary, and report the
        number.
    """

    counts: Ints
    words: tuple[str, ...]
    left_out: Ints

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.counts)

    @property
    def lengths(self) -> Ints:
        """The number of counted words of each document: int64[D]."""
        return self.counts.sum(axis=1)

    def split(self, seed: Seed) -> tuple[WordCounts, WordCounts]:
        """Put each running word of each document into one of two halves, by chance: see `split_counts`.

        Of the words that are left out, one half of each document gets as many as the other, or one more.

        Parameters
        ----------
        seed : int or numpy.random.Generator
            The same seed gives the same halves, so that all models are scored on the same words.

        Returns
        -------
        (WordCounts, WordCounts)
            The words to read and the words to score.
        """
        first, second = split_counts(self.counts, seed)
        fewer = self.left_out // 2
        return (
            replace(self, counts=first, left_out=self.left_out - fewer),
            replace(self, counts=second, left_out=fewer),
        )

    def __repr__(self) -> str:
        kept, left = int(self.counts.sum()), int(self.left_out.sum())
        share = f" ({100 * left / (kept + left):.1f} %)" if left else ""
        return (
            f"WordCounts: {len(self):,} documents, {kept:,} running words of a vocabulary of "
            f"{len(self.words):,}; {left:,} left out{share}"
        )


def word_counts(
    documents: Iterable[str],
    vocabulary: Iterable[str] | WordCounts | None = None,
    *,
    min_documents: int = 1,
    by: Any = "word",
    lower: bool = True,
) -> WordCounts:
    """Count the words of documents.

    Parameters
    ----------
    documents : list of str
        One string for each document.
    vocabulary : list of str or WordCounts, optional
        The words to count: for a test text those of the training text, ``train.words`` or ``train``. By
        default all words of these documents, in alphabetical order.
    min_documents : int
        Without a vocabulary: count only words that occur in at least so many of these documents.
    by : str or callable
        How a document is cut into tokens, as for `tokenize`. A word is a token that has a letter; other
        tokens (numbers, punctuation) are not words, and are neither counted nor left out. Chinese text needs
        a segmenter, or ``by="char"``.
    lower : bool
        Whether ``The`` is counted as ``the``.

    Returns
    -------
    WordCounts
        Its ``left_out`` says how many running words of each document are not in the vocabulary.

    Raises
    ------
    TypeError, ValueError
        If the documents are not a list of strings (as `tokenize` says); if a word of the vocabulary comes
        twice or is not a string; or if no word is left.

    Examples
    --------
    >>> train = word_counts(["The cat sees the dog.", "A dog sees 3 cats."], min_documents=2)
    >>> train.words, train.counts.tolist(), train.left_out.tolist()
    (('dog', 'sees'), [[1, 1], [1, 1]], [3, 2])
    >>> word_counts(["The dog sees the dog."], vocabulary=train)
    WordCounts: 1 documents, 3 running words of a vocabulary of 2; 2 left out (40.0 %)
    """
    raise NotImplementedError


def split_counts(counts: ArrayLike, seed: Seed) -> tuple[Ints, Ints]:
    """Put each running word of each document into one of two halves, by chance.

    Parameters
    ----------
    counts : int[D, V]
    seed : int or numpy.random.Generator
        The same seed gives the same halves.

    Returns
    -------
    (int64[D, V], int64[D, V])
        They sum to the counts. In a document with an odd number of words the first half has one more.

    Examples
    --------
    >>> read, scored = split_counts([[3, 2], [0, 8]], seed=1)
    >>> (read + scored).tolist(), read.sum(axis=1).tolist()
    ([[3, 2], [0, 8]], [3, 4])
    """
    raise NotImplementedError


def document_scores(nats: ArrayLike, counts: ArrayLike | WordCounts) -> list[Score]:
    """Return one `Score` for each document, from its nats and the number of its words.

    Their sum is the score of all documents; `compare_scores` compares two such lists.

    Parameters
    ----------
    nats : float[D]
        Of each document, as `TopicModel.exact` and `TopicModel.bound` return them.
    counts : int[D, V] or WordCounts
        The words whose nats they are.

    Examples
    --------
    >>> model = TopicModel([[0.5, 0.5], [0.9, 0.1]], alpha=1)
    >>> counts = np.array([[3, 1], [2, 2]])
    >>> sum(document_scores(model.exact(counts), counts)).tokens
    8
    """
    raise NotImplementedError
