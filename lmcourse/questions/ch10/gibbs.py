"""Chapter 10, collapsed Gibbs sampling: one step, and one sweep with given random numbers."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE


def _tables(z, docs, words, K, V):
    n_dk, n_kw = np.zeros((docs.max() + 1, K)), np.zeros((K, V))
    np.add.at(n_dk, (docs, z), 1)
    np.add.at(n_kw, (z, words), 1)
    return n_dk, n_kw


def _conditional(n_dk, n_kw, V, alpha, beta):
    """(n_dk + alpha) (n_kw + beta) / (n_k + V beta), normalised; n_kw holds the word's counts and all n_k."""
    column, totals = n_kw
    p = (n_dk + alpha) * (column + beta) / (totals + V * beta)
    return p / p.sum()


def _drawn(p, u):
    return min(int((p.cumsum() <= u).sum()), len(p) - 1)


def sweep(
    z, docs, words, K, V, alpha, beta, u, conditional=_conditional, without=True, draw=_drawn, frozen=False
):
    """The probabilities of the first word's topics given all other topics, and the topics after one sweep."""
    z = z.copy()
    n_dk, n_kw = _tables(z, docs, words, K, V)
    old_dk, old_kw = n_dk.copy(), n_kw.copy()
    first = None
    for i, (d, w) in enumerate(zip(docs, words, strict=True)):
        a, b = (old_dk.copy(), old_kw.copy()) if frozen else (n_dk, n_kw)
        if without:
            a[d, z[i]] -= 1
            b[z[i], w] -= 1
        p = conditional(a[d], (b[:, w], b.sum(axis=1)), V, alpha, beta)
        first = p if first is None else first
        new = draw(p, u[i])
        if frozen or not without:
            n_dk[d, z[i]] -= 1
            n_kw[z[i], w] -= 1
        z[i] = new
        n_dk[d, new] += 1
        n_kw[new, w] += 1
    return {"p": first, "z": z.astype(float)}


def _normal(formula):
    """A conditional from a formula that need not be normalised."""

    def conditional(n_dk, n_kw, V, alpha, beta):
        p = formula(n_dk, *n_kw, V, alpha, beta)
        return p / p.sum() if p.sum() > 0 else np.full(len(p), 1 / len(p))

    return conditional


def _draw_corpus(rng, K=None, documents=None):
    K, V = K or int(rng.integers(2, 5)), int(rng.integers(6, 11))
    D = documents or int(rng.integers(3, 6))
    phi = rng.dirichlet(np.full(V, 0.5), size=K)
    docs = np.repeat(np.arange(D), rng.integers(9, 16, size=D))
    theta = rng.dirichlet(np.full(K, 0.6), size=D)
    words = np.array([rng.choice(V, p=theta[d] @ phi) for d in docs])
    N = len(docs)
    alpha, beta = float(rng.choice([0.2, 0.5, 1.5])), float(rng.choice([0.1, 0.3, 0.6]))
    return rng.integers(K, size=N), docs, words, K, V, alpha, beta, rng.random(N)


def _shuffled(rng):
    """The running words of the documents are mixed: document numbers do not come in runs."""
    z, docs, words, *rest = _draw_corpus(rng)
    order = rng.permutation(len(z))
    return z[order], docs[order], words[order], *rest


GIBBS = Question(
    key="10.gibbs",
    title="one sweep",
    kind="implement",
    stars=2,
    points=3,
    right=sweep,
    cases=(
        (
            np.array([0, 1, 0, 1, 1, 0, 1, 0]),
            np.array([0, 0, 0, 0, 1, 1, 1, 1]),
            np.array([0, 1, 0, 2, 3, 2, 3, 1]),
            2,
            4,
            0.5,
            0.1,
            np.array([0.97, 0.93, 0.08, 0.42, 0.91, 0.17, 0.86, 0.04]),
        ),
        _draw_corpus(np.random.default_rng(1071), K=3),
        _draw_corpus(np.random.default_rng(1072), K=4),
    ),
    draw=_draw_corpus,
    odd=(_shuffled, lambda rng: _draw_corpus(rng, documents=1)),
    entry_points={"p": 1, "z": 2},
    mistakes=(
        Mistake(
            "L40",
            partial(sweep, without=False),
            "Your counts hold the word that is being drawn, with its old topic. Take it out first: the "
            "conditional is given the topics of all *other* words.",
        ),
        Mistake(
            "L22",
            partial(
                sweep,
                conditional=_normal(lambda d, w, n, V, alpha, beta: d * (w + beta) / (n + V * beta)),
            ),
            "Your conditional lacks alpha. A topic that the document has not used yet may still be drawn.",
        ),
        Mistake(
            "L22",
            partial(
                sweep,
                conditional=_normal(lambda d, w, n, V, alpha, beta: (d + alpha) * w / (n + V * beta)),
            ),
            "Your conditional lacks beta in the numerator. A topic that has not used this word yet may still "
            "do so.",
            explains="numbers",  # a sweep goes on from what it has drawn
        ),
        Mistake(
            "L13",
            partial(
                sweep,
                conditional=_normal(lambda d, w, n, V, alpha, beta: (d + alpha) * (w + beta) / (n + beta)),
            ),
            "Your conditional adds beta only once in the denominator. Each of the V words has its beta, and "
            "only then do the probabilities of a topic sum to 1.",
        ),
        Mistake(
            "L13",
            partial(
                sweep,
                conditional=_normal(
                    lambda d, w, n, V, alpha, beta: (d + alpha) * (w + beta) / (n + len(n) * beta)
                ),
            ),
            "Your conditional adds beta for each of the K topics in the denominator. A topic is a "
            "distribution over V words, and each of them has its beta.",
        ),
        Mistake(
            "L22",
            partial(
                sweep,
                conditional=_normal(lambda d, w, n, V, alpha, beta: (d + alpha) * (w + beta)),
            ),
            "Your conditional does not divide by n_k + V beta. A large topic has larger counts of every "
            "word.",
        ),
        Mistake(
            "L24",
            partial(
                sweep,
                conditional=_normal(lambda d, w, n, V, alpha, beta: (w + beta) / (n + V * beta)),
            ),
            "Your conditional ignores the document. A topic is likelier where other words of the document "
            "have it.",
        ),
        Mistake(
            "L22",
            partial(sweep, conditional=_normal(lambda d, w, n, V, alpha, beta: d + alpha)),
            "Your conditional ignores the word. A topic is likelier if it has used the word before.",
        ),
        Mistake(
            "L31",
            partial(
                sweep,
                conditional=_normal(
                    lambda d, w, n, V, alpha, beta: (d + beta) * (w + alpha) / (n + V * alpha)
                ),
            ),
            "In your conditional alpha and beta are swapped: alpha belongs to the document's topics, "
            "beta to the topic's words.",
        ),
        Mistake(
            "L32",
            partial(sweep, frozen=True),
            "Your sweep draws every word with the counts from before the sweep. Put each new topic into the "
            "counts before you draw the next word.",
        ),
        Mistake(
            "L6",
            partial(sweep, draw=lambda p, u: int(p.argmax())),
            "Your sweep takes the most probable topic. A sampler draws: the first topic at which the sum of "
            "the probabilities exceeds u.",
        ),
        Mistake(
            "L31",
            partial(sweep, draw=lambda p, u: len(p) - 1 - _drawn(p[::-1], u)),
            "Your sweep adds the probabilities from the last topic on. Begin with topic 0.",
        ),
        Mistake(
            "L23",
            lambda *case: sweep(*case) | {"z": sweep(*case)["z"] + 1},
            "Your topics are numbered from 1. Number them from 0, as in z.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "'p' does not sum to 1",
            lambda value, *case: abs(value["p"].sum() - 1) < 1e-6,
        ),
        Property(
            "a topic in 'z' is not a whole number from 0 to K - 1",
            lambda value, z, docs, words, K, *rest: np.isin(value["z"], np.arange(K)).all(),
        ),
    ),
    advice="Count n_dk and n_kw once. For each word in turn: take it out of both, compute p, draw, put it "
    "back with its new topic.",
)

QUESTIONS = (GIBBS,)
