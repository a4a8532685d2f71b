"""What is known of the weights of a document: the best ones, their posterior, and integrals over them.

The functions here take checked arguments: counts int64[D, V], topics float64[K, V], alpha float64[K].
"""

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import gammaln, log_expit, logsumexp, psi

from lmmetrics._checks import array_of
from lmmetrics._types import Floats, Ints

NEAR, STEPS = 1e-6, 100_000
"""How far above its minimum the surprisal of best weights may be, in nats per word; and the most steps."""
STILL, ROUNDS = 1e-7, 5_000
"""The change of the variational posterior, relative to its sum, below which it is done; and a limit."""
AGREE, NODES = 1e-10, 1 << 17
"""By how much two grids of an integral may differ, relative to 1 + nats; and the most nodes of a grid."""
CHUNK = 1 << 20
"""How many numbers of a grid are held in memory at once."""


def checked_alpha(alpha: ArrayLike, count: int) -> Floats:
    """Return the parameters of the prior as float64[K]."""
    given = array_of("alpha", alpha, "one number, or one for each topic")
    fits = given.shape in ((), (count,)) and given.dtype.kind in "iuf"
    if not fits or not (np.isfinite(given).all() and (given > 0).all()):
        raise ValueError(
            f"alpha is {alpha!r}; one finite number above 0 is expected, or one for each of {count} topics."
        )
    return np.array(np.broadcast_to(given, (count,)), dtype=np.float64)


def log_likelihood(counts: Floats, mixed: Floats) -> Floats:
    """Return ln p of each document under each distribution: from [D, V] and [S, V] to [D, S]."""
    possible = mixed > 0
    logs = counts @ np.log(mixed, where=possible, out=np.zeros_like(mixed)).T
    if not possible.all():
        logs[counts @ (~possible).T > 0] = -np.inf
    return logs


def best(counts: Ints, topics: Floats, alpha: Floats) -> Floats:
    """Return the weights that maximise the likelihood of each document: float64[D, K]."""
    found = np.empty((len(counts), len(topics)))
    for row, result in zip(counts, found, strict=True):
        present, n = _present(row, topics)
        result[:] = _fitted(n / n.sum(), present) if len(n) else alpha / alpha.sum()
    return found


def _fitted(n: Floats, topics: Floats) -> Floats:
    """EM for one document with the shares ``n`` of its words, extrapolated (Varadhan and Roland 2008).

    With g the gradient, the surprisal is at most max g - 1 above its minimum, because it is convex.
    """
    theta = np.full(len(topics), 1 / len(topics))
    for _ in range(STEPS):
        gradient = topics @ (n / (theta @ topics))
        if gradient.max() - 1 <= NEAR:
            break
        once = theta * gradient
        twice = once * (topics @ (n / (once @ topics)))
        step, bend = once - theta, twice - 2 * once + theta
        length = max(1.0, math.sqrt((step @ step) / max(bend @ bend, 1e-300)))
        far = np.maximum(theta + 2 * length * step + length**2 * bend, 1e-3 * twice)
        far /= far.sum()
        theta = far if n @ np.log(far @ topics) > n @ np.log(twice @ topics) else twice
    return theta / theta.sum()


def variational(counts: Ints, topics: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """Return the variational bound of -ln p, float64[D], and the posterior mean, float64[D, K].

    The rows of ``topics`` may sum to less than 1. Whatever the posterior has converged to, the bound is one.
    """
    nats, means = np.empty(len(counts)), np.empty((len(counts), len(topics)))
    prior = gammaln(alpha.sum()) - gammaln(alpha).sum()
    for i, row in enumerate(counts):
        present, n = _present(row, topics)
        gamma, logs = _posterior(n, present, alpha)
        words = n @ np.log(np.exp(logs) @ present) if len(n) else 0.0
        own = (alpha - gamma) @ logs + gammaln(gamma).sum() - gammaln(gamma.sum()) + prior
        nats[i] = -words - own if n.sum() == row.sum() else np.inf
        means[i] = gamma / gamma.sum()
    return np.maximum(nats, 0.0), means


def _posterior(n: Floats, topics: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """The parameters gamma of the variational posterior of one document, and E[ln theta]."""
    gamma = alpha + n.sum() / len(alpha)
    logs = np.zeros(len(alpha))  # the first step treats all topics alike
    for _ in range(ROUNDS):
        shares = np.exp(logs)
        before, gamma = gamma, alpha + shares * (topics @ (n / (shares @ topics)))
        logs = psi(gamma) - psi(gamma.sum())
        if np.abs(gamma - before).max() <= STILL * gamma.sum():
            break
    return gamma, logs


def _present(row: Ints, topics: Floats) -> tuple[Floats, Floats]:
    """The topics' columns of the words of a document that some topic can give, and the counts of these."""
    used = (row > 0) & (topics > 0).any(axis=0)
    return np.ascontiguousarray(topics[:, used]), row[used].astype(np.float64)


def separate(counts: Ints, topics: Floats) -> Ints | None:
    """Return the words of each topic in each document, int64[D, K], if no two topics share a word."""
    if ((topics > 0).sum(axis=0) > 1).any():
        return None
    return counts @ (topics > 0).T.astype(np.int64)


def closed_form(counts: Ints, of_topics: Ints, topics: Floats, alpha: Floats) -> Floats:
    """Return -ln p of each document if no two topics share a word: float64[D].

    The topics of the words are then known: their sequence has the probability of a Dirichlet-multinomial, and
    each word that of its topic.
    """
    words = -log_likelihood(counts.astype(np.float64), topics.sum(axis=0, keepdims=True))[:, 0]
    drawn = (gammaln(of_topics + alpha) - gammaln(alpha)).sum(axis=1)
    lengths = of_topics.sum(axis=1)
    return np.maximum(words + gammaln(lengths + alpha.sum()) - gammaln(alpha.sum()) - drawn, 0.0)


def two_topics(counts: Ints, topics: Floats, alpha: Floats) -> tuple[Floats, Floats]:
    """Return -ln p and the posterior mean of the first weight, float64[D] each, by quadrature.

    In x, with t = 1 / (1 + exp(-sinh x)), the integrand falls doubly exponentially on both sides, for every
    alpha, and the trapezoidal rule converges faster than any power of the distance between its nodes
    (Takahasi and Mori 1974). The grid is made twice as fine until two grids agree.
    """
    used = counts.any(axis=0)
    n, present = counts[:, used].astype(np.float64), topics[:, used]
    nodes, before = 256, _on_grid(n, present, alpha, 128)[0]
    while True:
        nats, mean = _on_grid(n, present, alpha, nodes)
        finite = np.isfinite(nats)
        if (np.abs(nats[finite] - before[finite]) <= AGREE * (1 + nats[finite])).all():
            return np.where(n.any(axis=1), np.maximum(nats, 0.0), 0.0), mean
        if nodes >= NODES:
            raise ArithmeticError(
                f"The integral over the weights does not converge with {nodes:,} nodes: the documents are "
                "too long, or alpha is too large or too small. Use left_to_right or bound."
            )
        nodes, before = 2 * nodes, nats


def _on_grid(n: Floats, topics: Floats, alpha: Floats, nodes: int) -> tuple[Floats, Floats]:
    """The integral and the mean with so many nodes; a document that is impossible has infinite nats."""
    ends = np.arcsinh(40 + 40 / alpha)  # beyond them less than exp(-40) of the density is left
    x = np.linspace(-ends[0], ends[1], nodes)
    odds = np.sinh(x)
    log_weights = alpha[0] * log_expit(odds) + alpha[1] * log_expit(-odds) + np.logaddexp(x, -x)
    log_weights -= logsumexp(log_weights)
    first = np.exp(log_expit(odds))
    parts: list[Any] = []
    size = max(1, CHUNK // max(1, topics.shape[1], len(n)))
    for start in range(0, nodes, size):
        t = np.stack([first[start : start + size], np.exp(log_expit(-odds[start : start + size]))], axis=1)
        logs = log_likelihood(n, t @ topics) + log_weights[start : start + size]
        high = logs.max(axis=1)
        mass = np.exp(logs - np.where(np.isinf(high), 0.0, high)[:, None])
        parts.append((high, mass.sum(axis=1), mass @ t[:, 0]))
    high, mass, moment = (np.stack(each) for each in zip(*parts, strict=True))
    top = high.max(axis=0)
    scale = np.exp(high - np.where(np.isinf(top), 0.0, top))
    total = (scale * mass).sum(axis=0)
    with np.errstate(divide="ignore"):
        nats = -top - np.log(total)
    prior = alpha[0] / alpha.sum()
    return nats, np.divide((scale * moment).sum(axis=0), total, out=np.full(len(n), prior), where=total > 0)
