"""The counts of words in documents, and how they are cut into two halves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lmmetrics._checks import array_of, generator, whole_number
from lmmetrics._types import Ints, Seed
from lmmetrics.score import Score
from lmmetrics.text import tokenize
from lmmetrics.text._shared import BOS, EOS, UNK

EXPECTED = "a table of whole numbers, a row for each document and a column for each word"


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
            f"WordCounts: {len(self):,} document{'s' * (len(self) != 1)}, {kept:,} running words of a "
            f"vocabulary of {len(self.words):,}; {left:,} left out{share}"
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
    WordCounts: 1 document, 3 running words of a vocabulary of 2; 2 left out (40.0 %)
    """
    least = whole_number("min_documents", min_documents, 1)
    text = tokenize(documents, by=by)
    words = [_word(token, lower) for token in text.vocabulary.tokens]
    where = np.repeat(np.arange(len(text.document_starts) - 1), np.diff(text.document_starts))
    if vocabulary is not None:
        if least > 1:
            raise ValueError(
                "A vocabulary is given, so min_documents has nothing to choose. Leave out one of the two: "
                "min_documents is for the training documents, vocabulary=train for the others."
            )
        chosen = checked_words(
            "vocabulary", vocabulary.words if isinstance(vocabulary, WordCounts) else vocabulary
        )
    else:
        found = {
            (document, words[token])
            for document, token in zip(where.tolist(), text.ids.tolist(), strict=True)
        }
        documents_of = Counter(word for _, word in found)
        chosen = tuple(sorted(word for word, n in documents_of.items() if word and n >= least))
    if not chosen:
        raise ValueError(
            f"No word is left to count: no word occurs in {least} or more of the "
            f"{len(text.document_starts) - 1} documents. Lower min_documents, or give other documents."
        )
    column = {word: i for i, word in enumerate(chosen)}
    columns = np.array([column.get(word, -1) if word else -2 for word in words])[text.ids]
    shape = len(text.document_starts) - 1, len(chosen)
    cells = where[columns >= 0] * len(chosen) + columns[columns >= 0]
    return WordCounts(
        counts=np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape).astype(np.int64),
        words=chosen,
        left_out=np.bincount(where[columns == -1], minlength=shape[0]).astype(np.int64),
    )


def split_counts(counts: ArrayLike | WordCounts, seed: Seed) -> tuple[Ints, Ints]:
    """Put each running word of each document into one of two halves, by chance.

    Parameters
    ----------
    counts : int[D, V] or WordCounts
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
    array, rng = checked_counts("counts", counts), generator(seed)
    first = [rng.multivariate_hypergeometric(row, (row.sum() + 1) // 2) for row in array]
    half = np.array(first, dtype=np.int64).reshape(array.shape)
    return half, array - half


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
    >>> from lmmetrics.topics import TopicModel
    >>> model = TopicModel([[0.5, 0.5], [0.9, 0.1]], alpha=1)
    >>> counts = [[3, 1], [2, 2]]
    >>> sum(document_scores(model.exact(counts), counts)).tokens
    8
    """
    array = checked_counts("counts", counts)
    each = array_of("nats", nats, "one number for each document")
    if each.shape != (len(array),):
        raise ValueError(
            f"nats has the shape {each.shape}; one number for each of the {len(array)} documents is expected."
        )
    return [Score(float(n), tokens=int(words)) for n, words in zip(each, array.sum(axis=1), strict=True)]


def checked_counts(name: str, counts: Any, model: Any = None) -> Ints:
    """Return counts as int64[D, V]; an error if they are none, or if a model has other words."""
    if isinstance(counts, WordCounts):
        words = getattr(model, "words", None)
        if words is not None and counts.words != words:
            raise ValueError(
                f"The words of {name} are not those of the model's topics. Count the documents with the "
                "model's vocabulary: word_counts(documents, vocabulary=model.words)."
            )
        counts = counts.counts
    elif hasattr(counts, "toarray"):  # a sparse matrix
        counts = counts.toarray()
    array = array_of(name, counts, EXPECTED)
    if array.ndim != 2 or array.dtype.kind not in "iuf":
        kind = f"has the shape {array.shape}" if array.dtype.kind in "iuf" else f"has the type {array.dtype}"
        hint = " Put the counts of a single document into a list: [counts]." if array.ndim == 1 else ""
        raise ValueError(f"{name} {kind}; {EXPECTED} is expected, or what word_counts returns.{hint}")
    if not (np.isfinite(array).all() and (array >= 0).all() and (array == np.floor(array)).all()):
        raise ValueError(
            f"{name} has entries that are not counts: whole numbers of at least 0 are expected. Relative "
            "frequencies or tf-idf weights cannot be used."
        )
    if model is not None and array.shape[1] != model.topics.shape[1]:
        raise ValueError(
            f"{name} has {array.shape[1]} columns, but the topics have {model.topics.shape[1]} words. Count "
            "the words of the training text: word_counts(documents, vocabulary=train.words)."
        )
    return array.astype(np.int64)


def _word(token: str, lower: bool) -> str:
    """The word that a token is, or an empty string if it is none."""
    if token in (BOS, EOS, UNK) or not any(map(str.isalpha, token)):
        return ""
    return token.lower() if lower else token


def checked_words(name: str, words: Iterable[str]) -> tuple[str, ...]:
    """Return the words as a tuple, each once."""
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise TypeError(f"{name} is {words!r}; a list of words is expected, such as train.words.")
    words = tuple(words)
    for word in words:
        if not isinstance(word, str):
            raise TypeError(f"{name} has {word!r} ({type(word).__name__}); words are strings.")
    if len(set(words)) < len(words):
        twice = next(word for word, n in Counter(words).items() if n > 1)
        raise ValueError(f"{name} has the word {twice!r} twice; give each word once.")
    return words
