"""The corpora and the fitted topic models of chapter 10: for its page, its lab, and the run that is stored.

Not handled here: the measures, which are in `lmmetrics.topics`.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from sklearn.decomposition import LatentDirichletAllocation

from lmmetrics import corpora
from lmmetrics.topics import TopicModel, WordCounts, word_counts

PRIOR = 0.1
"""The parameter of both Dirichlet priors, of the weights and of the topics' words."""
TIMES = 3
"""How often a word occurs in the training documents, at least, to be in the vocabulary."""
ALIKE = 0.9
"""A document has a near-duplicate if the cosine of their word counts is above this."""
LINKED = 0.85
"""Documents whose cosine is above this are in one group: it is lower, since the vocabulary is another."""


class Bags(NamedTuple):
    """The word counts of a corpus, all with the vocabulary of the training documents."""

    train: WordCounts
    valid: WordCounts
    test: WordCounts


def words_of(documents: Iterable[str]) -> list[str]:
    """Return the words of each document in lower case, with blanks between them: three letters or more."""
    return [" ".join(re.findall(r"[a-z]{3,}", document.lower())) for document in documents]


def frequent(documents: Iterable[str], times: int = TIMES) -> list[str]:
    """Return the words that occur at least so often in the documents, in alphabetical order."""
    counts = Counter(word for document in words_of(documents) for word in document.split())
    return sorted(word for word, n in counts.items() if n >= times)


def load(name: str) -> Bags:
    """Return the word counts of a corpus of `lmmetrics.corpora`."""
    corpus = corpora.load(name)
    words = frequent(corpus.train)
    parts = (corpus.train, corpus.valid, corpus.test)
    return Bags(*(word_counts(words_of(part), words, by="whitespace") for part in parts))


def fit(
    counts: ArrayLike,
    topics: int,
    seed: int = 0,
    alpha: float = PRIOR,
    beta: float = PRIOR,
    iterations: int = 10,
) -> LatentDirichletAllocation:
    """Return scikit-learn's model, fitted to int[D, V] by its batch method."""
    lda = LatentDirichletAllocation(
        topics, doc_topic_prior=alpha, topic_word_prior=beta, max_iter=iterations,
        learning_method="batch", random_state=seed, n_jobs=1,
    )  # fmt: skip
    return lda.fit(csr_matrix(np.asarray(counts)))


def topic_model(lda: LatentDirichletAllocation, words: Sequence[str] | None = None) -> TopicModel:
    """Return a fitted model as a `TopicModel`: its topics, normalised, and its prior of the weights."""
    return TopicModel.from_components(lda.components_, lda.doc_topic_prior_, words)


def printed(lda: LatentDirichletAllocation, counts: ArrayLike) -> float:
    """Return what scikit-learn prints as the perplexity of int[D, V]."""
    return lda.perplexity(csr_matrix(np.asarray(counts)))


def typical(topics: np.ndarray, train: WordCounts, many: int = 10) -> np.ndarray:
    """Return, for each topic, the columns of the words that most set it apart from the training documents.

    They have the largest terms of the KL divergence of the topic from the shares of the words in ``train``.
    """
    overall = train.counts.sum(axis=0) / train.counts.sum()
    return np.argsort(-topics * np.log(topics / overall), axis=1, kind="stable")[:, :many]


def sources(model: TopicModel, train: WordCounts) -> tuple[np.ndarray, np.ndarray]:
    """Return how many words each topic has, and the largest share of them that comes from a single document.

    Of a document with N words, the posterior assigns to topic k the mean of its weight times (N + K alpha),
    minus alpha.
    """
    alpha = np.broadcast_to(model.alpha, len(model.topics))
    words = model.posterior_weights(train) * (train.lengths[:, None] + alpha.sum()) - alpha
    words = words.clip(0)
    return words.sum(axis=0), words.max(axis=0) / words.sum(axis=0).clip(1e-12)


def _cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    unit = [counts / np.linalg.norm(counts, axis=1, keepdims=True) for counts in (one, other)]
    return unit[0] @ unit[1].T


def nearest(part: WordCounts, train: WordCounts) -> np.ndarray:
    """Return, for each document, the cosine of its counts with those of the nearest training document."""
    return _cosines(part.counts, train.counts).max(axis=1)


def memory(train: WordCounts, more: float = 20, alpha: float = 5) -> TopicModel:
    """Return a model with a topic for each training document: its words, and some ``more`` of the whole.

    Nothing is fitted. The parameter of the prior of the weights is ``alpha``, divided by the documents.
    """
    topics = train.counts + more * train.counts.sum(axis=0) / train.counts.sum()
    return TopicModel(topics / topics.sum(axis=1, keepdims=True), alpha / len(train))


def cached(read: WordCounts, forecast: np.ndarray, mu: float) -> np.ndarray:
    """Return float[D, V]: the words that were read of each document, mixed with ``mu`` words of a forecast.

    ``forecast`` has the probabilities of a row of words for each document, or of one for all of them.
    """
    return (read.counts + mu * forecast) / (read.lengths[:, None] + mu)


def groups(documents: Iterable[str]) -> np.ndarray:
    """Return the group of each document: with those whose cosine is above `LINKED`, and so on from these."""
    texts = words_of(documents)
    counts = word_counts(texts, frequent(texts), by="whitespace").counts
    return connected_components(csr_matrix(_cosines(counts, counts) > LINKED), directed=False)[1]


def split_groups(documents: Sequence[str], held_out: int, seed: int) -> tuple[WordCounts, WordCounts]:
    """Return the word counts of training documents, and of so many others or a few more, drawn in groups.

    No group is on both sides. The vocabulary is that of the training documents.
    """
    group = groups(documents)
    order = np.random.default_rng(seed).permutation(group.max() + 1)
    enough = np.searchsorted(np.cumsum(np.bincount(group)[order]), held_out) + 1
    out = np.isin(group, order[:enough])
    texts = words_of(documents)
    train, others = (
        [text for text, is_out in zip(texts, out, strict=True) if is_out == side] for side in (False, True)
    )
    words = frequent(train)
    return word_counts(train, words, by="whitespace"), word_counts(others, words, by="whitespace")


def shared_windows(documents: Iterable[str], words: Sequence[str], window: int = 10) -> np.ndarray:
    """Return float[V, V]: in which share of the windows both words occur; on the diagonal, each word alone.

    A window is so many words in a row, and a shorter document is one window.
    """
    column_of = {word: v for v, word in enumerate(words)}
    rows, columns, windows = [], [], 0
    for document in words_of(documents):
        ids = np.array([column_of.get(word, -1) for word in document.split()], dtype=int)
        size = min(window, len(ids))
        starts = np.arange(len(ids) - size + 1)
        rows.append(np.repeat(windows + starts, size))
        columns.append(ids[starts[:, None] + np.arange(size)].ravel())
        windows += len(starts)
    row, column = np.concatenate(rows), np.concatenate(columns)
    there = csr_matrix((np.ones(len(row)), (row, column + 1)), shape=(windows, len(words) + 1))[:, 1:]
    there.data[:] = 1  # a word that stands twice in a window is there once
    return (there.T @ there).toarray() / windows


def coherence(tops: ArrayLike, share: np.ndarray, tiny: float = 1e-12) -> float:
    """Return C_NPMI: how much more often two of a topic's words share a window than by chance.

    The mean over the topics of the mean over their pairs of words (Röder et al. 2015). ``tops`` has the
    columns of each topic's words, and ``share`` is that of `shared_windows`. A pair that is always together
    has 1, and one that is together as often as by chance 0. (gensim 4.4.0 takes a word out of its window as
    soon as its first occurrence leaves, also where it stands there again; its "c_npmi" differs a little.)
    """
    tops = np.asarray(tops)
    one, other = np.triu_indices(tops.shape[1], 1)
    left, right = tops[:, one], tops[:, other]
    both = share[left, right] + tiny
    return float(np.mean(np.log(both / (share[left, left] * share[right, right])) / -np.log(both)))


def apart(tops: ArrayLike, share: np.ndarray) -> float:
    """Return the share of the pairs of a topic's words that never stand in one window, over all topics."""
    tops = np.asarray(tops)
    one, other = np.triu_indices(tops.shape[1], 1)
    return float(np.mean(share[tops[:, one], tops[:, other]] == 0))
