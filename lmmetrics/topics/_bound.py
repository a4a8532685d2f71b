"""Topics that are uncertain themselves: the closed form for one, and the bound that programs print."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, psi

from lmmetrics._checks import array_of, real_number
from lmmetrics._types import Floats
from lmmetrics.topics._counts import WordCounts, checked_counts
from lmmetrics.topics._weights import checked_alpha, variational


class VariationalBound(NamedTuple):
    """The two parts of the bound that programs print, in nats.

    Their total ``words.sum() + topics`` is at least -ln p of the documents under a model that does not know
    the topics, only their prior.

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

    >>> import numpy as np
    >>> parts = variational_bound([[2, 1]] * 10, [[30, 2], [1, 20]], alpha=0.5, beta=0.5)
    >>> once = variational_bound([[2, 1]], [[30, 2], [1, 20]], alpha=0.5, beta=0.5)
    >>> bool(np.isclose(parts.words.sum(), 10 * once.words.sum())), parts.topics == once.topics
    (True, True)
    """
    given = array_of("components", components, "a table of numbers above 0, a row for each topic")
    if (
        given.ndim != 2
        or given.dtype.kind not in "iuf"
        or not (np.isfinite(given).all() and (given > 0).all())
    ):
        raise ValueError(
            "components must be a table of numbers above 0, a row for each topic: the parameters of the "
            "topics' Dirichlet distributions, as components_ of scikit-learn and state.get_lambda() "
            "of gensim."
        )
    given = given.astype(np.float64)
    beta = float(real_number("beta", beta, lambda x: 0 < x < math.inf, "a finite number above 0"))
    prior = checked_alpha(alpha, len(given))
    array = checked_counts("counts", counts)
    if array.shape[1] != given.shape[1]:
        raise ValueError(
            f"counts has {array.shape[1]} columns, but components has {given.shape[1]}: count the words of "
            "the training text."
        )
    logs = psi(given) - psi(given.sum(axis=1, keepdims=True))
    words = variational(array, np.exp(logs), prior)[0]
    ours = gammaln(given.sum(axis=1)) - gammaln(given).sum(axis=1)
    theirs = gammaln(beta * given.shape[1]) - given.shape[1] * gammaln(beta)
    return VariationalBound(words, float(np.sum(ours - theirs) + np.sum((given - beta) * logs)))


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

    >>> import numpy as np
    >>> print(dirichlet_multinomial([[2, 1, 0]], prior=1).round(6), round(np.log(30), 6))
    [3.401197] 3.401197
    """
    array = checked_counts("counts", counts)
    b = array_of("prior", prior, "one number, or one for each word")
    if (
        b.shape not in ((), array.shape[1:])
        or b.dtype.kind not in "iuf"
        or not (np.isfinite(b).all() and (b > 0).all())
    ):
        raise ValueError(
            f"prior is {prior!r}; one finite number above 0 is expected, or one for each of the "
            f"{array.shape[1]} words."
        )
    b = np.broadcast_to(b.astype(np.float64), array.shape[1:])
    drawn = (gammaln(array + b) - gammaln(b)).sum(axis=1)
    return np.maximum(gammaln(array.sum(axis=1) + b.sum()) - gammaln(b.sum()) - drawn, 0.0)
