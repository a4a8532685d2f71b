"""Chapter 08, one model class: what a trained table of logits still lacks, and where it is pulled."""

from functools import partial

import numpy as np
from scipy.special import log_softmax, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import unit_mistakes


def one_class(counts, logits, **changes):
    """Loss of the counted bigram, what the trained one has above it, and the gradient; (C, V), (C, V)."""
    tokens, of_context, log_q = counts.sum(), counts.sum(axis=1), log_softmax(logits, axis=1)
    lowest = -xlogy(counts, _frequencies(counts)).sum(axis=1)
    found = {
        "floor": lowest.sum() / tokens,
        "gap": (-(counts * log_q).sum(axis=1) - lowest).sum() / tokens,
        "gradient": (of_context[:, None] * np.exp(log_q) - counts) / tokens,
    }
    return found | {key: change(found, counts, log_q) for key, change in changes.items()}


def _frequencies(counts):
    """Relative frequencies; 0 in the row of a context that never occurs."""
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)


def _mean_entropy(found, counts, log_q):
    seen = counts[counts.sum(axis=1) > 0]
    return -xlogy(_frequencies(seen), _frequencies(seen)).sum(axis=1).mean()


def _mean_divergence(found, counts, log_q):
    p, seen = _frequencies(counts), counts.sum(axis=1) > 0
    return (xlogy(p, p) - p * log_q).sum(axis=1)[seen].mean()


def _other_way_round(found, counts, log_q):
    p, q = _frequencies(counts), np.exp(log_q)
    rows = (q * (log_q - np.log(p))).sum(axis=1)
    return rows[counts.sum(axis=1) > 0] @ counts.sum(axis=1)[counts.sum(axis=1) > 0] / counts.sum()


def _draw_one_class(rng):
    contexts, symbols = int(rng.integers(3, 6)), int(rng.integers(3, 6))
    counts = rng.poisson(
        rng.uniform(0.4, 9.0, size=(contexts, 1)) * rng.dirichlet(np.ones(symbols), contexts) * 2
    )
    counts[0, :2] += (3, 1)
    counts[1] += rng.integers(1, 4, size=symbols)
    counts[-1] = 0
    return counts, rng.normal(0, 1.5, size=(contexts, symbols))


ONE_CLASS = Question(
    key="08.one-class",
    title="two ways to one table",
    kind="implement",
    stars=2,
    points=2,
    right=one_class,
    cases=(
        (np.array([[6, 3, 1], [1, 1, 2]]), np.array([[1.0, 0.5, -1.0], [0.0, 0.3, 0.0]])),
        _draw_one_class(np.random.default_rng(831)),
    ),
    draw=_draw_one_class,
    mistakes=(
        *unit_mistakes(one_class, "M2 M3", only=("floor", "gap")),
        Mistake(
            "M5",
            partial(one_class, gradient=lambda found, *_: -found["gradient"]),
            "Your gradient is counted minus expected, which is where the logits should go. The derivative "
            "of the loss points the other way.",
        ),
        Mistake(
            "L1",
            lambda counts, logits: {
                key: value * counts.sum() for key, value in one_class(counts, logits).items()
            },
            "Those are totals of the text. Divide by the number of all tokens.",
        ),
        Mistake(
            "L26",
            partial(one_class, floor=_mean_entropy, gap=_mean_divergence),
            "You average over contexts, as if all had been seen equally often. A loss is an average over "
            "tokens: a context counts as often as it was seen.",
        ),
        Mistake(
            "L26",
            partial(one_class, gradient=lambda _, counts, log_q: np.exp(log_q) - _frequencies(counts)),
            "Your gradient gives each row the same weight. A row that was seen N_h times counts N_h times in "
            "the loss.",
            explains="numbers",  # the row of a context that was never seen may be right
        ),
        Mistake(
            "L22",
            partial(one_class, gradient=lambda _, counts, log_q: -counts / counts.sum()),
            "Your gradient leaves out the normaliser: ln of the sum of the exponentials has a derivative "
            "too, and it is q.",
        ),
        Mistake(
            "L19",
            partial(
                one_class,
                floor=lambda _, counts, log_q: -xlogy(counts, counts / counts.sum()).sum() / counts.sum(),
            ),
            "Your 'floor' divides each count by all tokens: that is the probability of the pair. A bigram "
            "model divides by the row.",
        ),
        Mistake(
            "L12",
            partial(one_class, gap=lambda found, *_: found["gap"] + found["floor"]),
            "Your 'gap' is the whole loss. No table has a lower loss than the counted bigram, so the gap is "
            "what lies above that.",
        ),
        Mistake(
            "M50",
            partial(one_class, gap=_other_way_round),
            "Your 'gap' weights the logarithms by q. The counts should weight them: the text decides how "
            "often each surprisal occurs.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "a gap is below 0, but no table of probabilities has a lower loss than the counted one",
            lambda value, *_: value["gap"] >= -1e-12,
        ),
        Property(
            "a row of the gradient does not sum to 0, though adding a constant to a row of logits changes "
            "nothing",
            lambda value, *_: np.allclose(np.sum(value["gradient"], axis=1), 0, rtol=0, atol=1e-9),
        ),
    ),
    advice="One context, counts 1 and 1, logits 0 and 0: floor ln 2, gap 0, and a gradient of zeros.",
)

QUESTIONS = (ONE_CLASS,)
