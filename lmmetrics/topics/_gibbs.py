"""Collapsed Gibbs sampling: topics learned from counts, one running word at a time."""

from __future__ import annotations

from numpy.typing import ArrayLike

from lmmetrics._types import Seed
from lmmetrics.topics._counts import WordCounts
from lmmetrics.topics._model import TopicModel


def gibbs(
    counts: ArrayLike | WordCounts,
    topics: int,
    *,
    alpha: ArrayLike = 0.1,
    beta: float = 0.1,
    sweeps: int = 200,
    seed: Seed,
    progress: bool = True,
) -> TopicModel:
    """Learn topics by collapsed Gibbs sampling.

    Each running word has a topic z. A sweep draws the topic of each word once, given those of all others:

        p(z = k | the other z) is proportional to (n_dk + alpha_k) (n_kw + beta) / (n_k + V beta)

    where the counts n leave out the word that is drawn. The weights of the documents and the words of the
    topics are integrated out. The result has the topics (n_kw + beta) / (n_k + V beta) of the last sweep.

    Parameters
    ----------
    counts : int[D, V] or WordCounts
        The training documents.
    topics : int
        K, at least 1.
    alpha : float or float[K]
        The prior of a document's weights, above 0.
    beta : float
        The prior of a topic's words, above 0.
    sweeps : int
        How often each running word gets a new topic; at least 1. The time grows with sweeps times running
        words times (a constant + K): about N seconds for M.
    seed : int or numpy.random.Generator
        The same seed gives the same topics. Another seed gives others, in another order.
    progress : bool
        Whether to show a progress bar if it takes more than ten seconds.

    Returns
    -------
    TopicModel

    Notes
    -----
    Griffiths and Steyvers 2004. The result is one state of a Markov chain, not an optimum: measure with
    several seeds.

    Examples
    --------
    >>> counts = [[9, 8, 0, 0], [7, 9, 0, 1], [0, 0, 8, 9], [0, 1, 9, 7]]
    >>> model = gibbs(counts, topics=2, sweeps=50, seed=1)
    >>> sorted((model.topics[:, :2].sum(axis=1) > 0.5).tolist())
    [False, True]
    """
    raise NotImplementedError
