"""Topics that are uncertain themselves: the closed form for one, and the bound that programs print."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from lmmetrics._types import Floats
from lmmetrics.topics._counts import WordCounts


class VariationalBound(NamedTuple):
    """The two parts of the bound that programs print, in nats: ``words.sum() + topics`` is above -ln p.

    Attributes
    ----------
    words : float64[D]
        The part of each document, given the topics.
    topics : float
        The topics' own term: the KL divergence of the fitted topics from their prior. It is counted once,
        grows with the number of topics and with the vocabulary, and does not depend on the documents.
    """

    words: Floats
    topics: float


def variational_bound(
    counts: ArrayLike | WordCounts, components: ArrayLike, alpha: ArrayLike, beta: float
) -> VariationalBound:
    """Return the bound that scikit-learn and gensim compute, as two parts.

    The topics have the Dirichlet distributions with the parameters ``components``. With psi the digamma
    function and n_dw the counts, the part of a document is that of `TopicModel.bound` for the "topics"
    exp(psi(lambda_kw) - psi(sum_v lambda_kv)), which sum to less than 1.

    - scikit-learn: ``perplexity(X)`` is exp((words.sum() + topics) / counts.sum()), with ``components_``,
      ``doc_topic_prior_`` and ``topic_word_prior_``.
    - gensim: ``log_perplexity`` is -(words.sum() + topics) / counts.sum(), in nats; its log line prints 2 to
      the power of minus that. ``model.state.get_lambda()``, ``model.alpha`` and ``model.eta``.

    Parameters
    ----------
    counts : int[D, V] or WordCounts
    components : float[K, V]
        The parameters lambda of the topics' distributions, above 0; not normalised.
    alpha : float or float[K]
        The prior of a document's weights.
    beta : float
        The prior of a topic's words.

    Returns
    -------
    VariationalBound

    Examples
    --------
    A test set ten times as large: the words' part grows tenfold, and the topics' part stays.

    >>> parts = variational_bound([[2, 1]] * 10, [[30, 2], [1, 20]], alpha=0.5, beta=0.5)
    >>> once = variational_bound([[2, 1]], [[30, 2], [1, 20]], alpha=0.5, beta=0.5)
    >>> bool(np.isclose(parts.words.sum(), 10 * once.words.sum())), parts.topics == once.topics
    (True, True)
    """
    raise NotImplementedError


def dirichlet_multinomial(counts: ArrayLike | WordCounts, prior: ArrayLike) -> Floats:
    """Return -ln p of each document under one topic with a Dirichlet prior, exactly: float64[D].

        p(d) = G(sum_w b_w) / G(N + sum_w b_w) * prod_w G(n_w + b_w) / G(b_w),    G the gamma function

    This is the probability of the *sequence* of words, in any order, and equals the product of the add-b
    estimates (n_w + b_w) / (n + sum_v b_v), each made from the words before it. To condition on a training
    text, add its counts to the prior.

    Parameters
    ----------
    counts : int[D, V] or WordCounts
    prior : float or float[V]
        The parameters b of the Dirichlet distribution, above 0. A number stands for V equal ones.

    Examples
    --------
    Three words, and the prior 1: the probability of a, a, b is 1/3 * 2/4 * 1/5.

    >>> print(dirichlet_multinomial([[2, 1, 0]], prior=1).round(6), round(np.log(30), 6))
    [3.401197] 3.401197
    """
    raise NotImplementedError
