"""Chapter 06, two ways to smooth a table: Witten and Bell's, and Katz's."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE

SUMS_TO_ONE = "a row does not sum to 1, so it is not a distribution"


def sums_to_one(value, *_):
    return np.allclose(np.sum(value, axis=-1), 1, rtol=0, atol=1e-9)


def ratio(part, whole):
    """part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.broadcast(part, whole).shape), where=whole > 0)


def draw_table(rng, contexts, words):
    """Bigram counts with an unseen context and an unseen word, and every other context seen."""
    weights = rng.dirichlet(np.full(words - 1, 0.7), size=contexts)
    counts = np.array([rng.multinomial(rng.integers(3, 15), row) for row in weights])
    counts = np.insert(counts, rng.integers(words), 0, axis=1)
    counts[rng.integers(contexts)] = 0
    return counts


# --- witten-bell -----------------------------------------------------------------------------------------


def _unigrams(counts):
    tokens = counts.sum(axis=0)
    types = (tokens > 0).sum()
    return (tokens + types / len(tokens)) / (tokens.sum() + types)


def witten_bell(counts, below=None, types=None):
    """Interpolated Witten-Bell probabilities of bigrams; counts (C, V) -> (C, V)."""
    below = _unigrams(counts) if below is None else below
    types = (counts > 0).sum(axis=1, keepdims=True) if types is None else types
    whole = counts.sum(axis=1, keepdims=True) + types
    return np.where(whole > 0, ratio(counts + types * below, whole), below)


def _backs_off(counts):
    types = (counts > 0).sum(axis=1, keepdims=True)
    whole = counts.sum(axis=1, keepdims=True) + types
    below = np.broadcast_to(_unigrams(counts), counts.shape)
    table = np.where(counts > 0, ratio(counts, whole), ratio(types, whole) * below)
    return np.where(whole > 0, table, below)


def _undiscounted(counts):
    total = counts.sum(axis=1, keepdims=True)
    types = (counts > 0).sum(axis=1, keepdims=True)
    table = ratio(counts, total) + ratio(types, total + types) * _unigrams(counts)
    return np.where(total > 0, table, _unigrams(counts))


def _no_unseen_context(counts):
    return np.where(counts.sum(axis=1, keepdims=True) > 0, witten_bell(counts), 0.0)


WITTEN_BELL = Question(
    key="06.witten-bell",
    title="how often was a word new?",
    kind="implement",
    stars=2,
    points=2,
    right=witten_bell,
    cases=(
        (np.array([[3, 1, 0, 0, 2], [0, 0, 0, 0, 0], [1, 0, 4, 0, 0]]),),
        (draw_table(np.random.default_rng(601), 4, 6),),
    ),
    draw=lambda rng: (draw_table(rng, int(rng.integers(3, 6)), int(rng.integers(4, 8))),),
    mistakes=(
        Mistake(
            "L13",
            _backs_off,
            "You back off: the seen words get nothing from the model below, and their part of its mass "
            "is lost. The formula adds T(h) p(w) for every word.",
        ),
        Mistake(
            "L18",
            lambda counts: witten_bell(counts, below=np.full(counts.shape[1], 1 / counts.shape[1])),
            "The uniform model is directly below your bigrams. The unigrams belong in between.",
        ),
        Mistake(
            "M31",
            lambda counts: witten_bell(counts, below=counts.sum(axis=0) / counts.sum()),
            "A word that never occurs still has probability 0 after every context. Smooth the unigrams "
            "too, with T the number of different words, and 1 / V below.",
        ),
        Mistake(
            "M31",
            _no_unseen_context,
            "After an unseen context all your probabilities are 0. There c(h) and T(h) are 0, and the model "
            "below is used alone.",
        ),
        Mistake(
            "L8",
            lambda counts: witten_bell(counts, types=counts.shape[1]),
            "Your T(h) is V in every row. It is the number of different words seen after h.",
        ),
        Mistake(
            "M33",
            _undiscounted,
            "A seen word keeps all of c(hw) / c(h), and the row sums to more than 1. The new words are "
            "events of their own: the denominator is c(h) + T(h).",
        ),
    ),
    properties=(FINITE, Property(SUMS_TO_ONE, sums_to_one)),
    advice="Compute the unigrams first, shape (V,). A row with a single word, seen once, is (1 + p(w)) / 2 "
    "there, and p(w) / 2 elsewhere.",
)

# --- katz ------------------------------------------------------------------------------------------------


def _discounts(n, L, common=None):
    r = np.arange(1, L + 1)
    common = (L + 1) * n[L + 1] / n[1] if common is None else common
    stars = (r + 1) * n[2:] / n[1:-1]
    return np.append(0.0, (stars / r - common) / (1 - common))


def _kept(counts, n, L, common=None):
    discounts = np.where(counts <= L, _discounts(n, L, common).take(counts, mode="clip"), 1.0)
    return discounts * counts / counts.sum()


def katz(counts, shorter, n, L, alpha=None, kept=None):
    """Katz's distribution after a context; counts and shorter (V,), counts of counts n (L + 2,)."""
    kept = _kept(counts, n, L) if kept is None else kept
    left = 1 - kept.sum()
    alpha = left / shorter[counts == 0].sum() if alpha is None else alpha(left, shorter, counts)
    return np.where(counts > 0, kept, alpha * shorter)


def _interpolates(counts, shorter, n, L):
    kept = _kept(counts, n, L)
    return kept + (1 - kept.sum()) * shorter


def _draw_katz(rng, above=True):
    """A context with counts of 0, counts up to L and one above L, or else only counts below L."""
    L, slope = int(rng.integers(3, 6)), rng.uniform(2.0, 2.4)
    n = np.append(0, (rng.integers(2000, 9000) * np.arange(1.0, L + 2) ** -slope).astype(int))
    seen = np.append(rng.integers(1, L + above, size=rng.integers(3, 5)), 1)
    if above:
        seen = np.append(seen, L + int(rng.integers(1, 9)))
    counts = rng.permutation(np.append(seen, np.zeros(int(rng.integers(2, 5)), dtype=int)))
    return counts, rng.dirichlet(np.full(len(counts), 2.0)), n, L


KATZ = Question(
    key="06.katz",
    title="the shorter context speaks for the unseen",
    kind="implement",
    stars=2,
    points=3,
    right=katz,
    cases=(
        (
            np.array([7, 0, 2, 1, 0, 1]),
            np.array([0.3, 0.1, 0.2, 0.1, 0.25, 0.05]),
            np.array([0, 600, 180, 90, 50]),
            3,
        ),
        _draw_katz(np.random.default_rng(602)),
    ),
    draw=_draw_katz,
    odd=(lambda rng: _draw_katz(rng, above=False),),
    mistakes=(
        Mistake(
            "L13",
            partial(katz, alpha=lambda left, shorter, counts: left),
            "Your row sums to less than 1. The unseen words take only a part of the shorter context's "
            "mass: divide by that part.",
        ),
        Mistake(
            "M33",
            partial(katz, alpha=lambda left, shorter, counts: 0.4),
            "Your factor is a constant, so your row can sum to anything: it contains scores, not "
            "probabilities.",
        ),
        Mistake(
            "L31",
            partial(katz, alpha=lambda left, shorter, counts: left / shorter[counts > 0].sum()),
            "Your factor divides by the mass of the seen words. The shorter context is used for the others.",
        ),
        Mistake(
            "L13",
            _interpolates,
            "Your row sums to 1, but it is a mixture: seen words get something from the shorter context as "
            "well. Back-off asks it for unseen words only.",
        ),
        Mistake(
            "L22",
            lambda counts, shorter, n, L: katz(counts, shorter, n, L, kept=_kept(counts, n, L, common=0.0)),
            "Your discounts are r* / r. Counts above L give up nothing, so those up to L are rescaled with "
            "a.",
        ),
        Mistake(
            "M31",
            lambda counts, shorter, n, L: counts / counts.sum(),
            "Your unseen words have probability 0: nothing was taken from the seen ones.",
        ),
    ),
    properties=(
        FINITE,
        Property(SUMS_TO_ONE, sums_to_one),
        Property(
            "a count above L does not keep its relative frequency",
            lambda value, counts, shorter, n, L: np.allclose(
                value[counts > L], counts[counts > L] / counts.sum()
            ),
        ),
    ),
    advice="Print d(1) to d(L): they lie between 0 and 1. Then print what the seen words keep, and its sum.",
)

QUESTIONS = (WITTEN_BELL, KATZ)
