"""Chapter 07, what a position may see: attention with a mask and padding."""

from functools import partial

import numpy as np
from scipy.special import softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, unchanged


def attention(
    q,
    k,
    padding,
    see=lambda t, s: s <= t,
    pads=False,
    scale=np.sqrt,
    hide="before",
    least=-np.inf,
    blind=0.0,
    how=None,
):
    """Weights of keys for queries; q and k (B, T, m), padding (B,): how many places at each row's left.

    ``see`` says which key s a query t sees, ``pads`` whether it sees padding as well.
    """
    places = np.arange(q.shape[1])
    t, s, first = places[:, None], places, padding[:, None, None]
    visible = see(t, s) & ((s >= first) | pads)  # (B, T, T)
    rows = (t >= first) & visible.any(axis=2, keepdims=True)  # (B, T, 1): whether the query sees any key
    scores = q @ k.swapaxes(1, 2) / scale(q.shape[2])
    how = how or (lambda z: softmax(z, axis=2))
    hidden = np.where(rows, np.where(visible, scores, least), blind)
    weights = how(hidden) if hide == "before" else how(scores) * visible
    return np.where(rows, weights, 0.0)


def _everything(t, s):
    return t + s >= 0


def _ratio_of_exponentials(z):
    weights = np.exp(z)
    return weights / weights.sum(axis=2, keepdims=True)


def _draw_attention(rng, shape=None, far=True):
    """Queries and keys of B rows; row 0 has no padding. In `far` cases all scores are near -30,000."""
    B, T, m = shape or (int(rng.integers(2, 4)), int(rng.integers(4, 7)), int(rng.integers(2, 5)))
    q, k = rng.normal(scale=1.2, size=(2, B, T, m))
    if far:
        q[..., 0], k[..., 0] = 300.0, -100.0 * np.sqrt(m) + rng.normal(size=(B, T)) / 150
    return q, k, np.array([0, *rng.integers(1, T - 1, size=B - 1)])


def _empty(q, padding):
    """Which places are padding, (B, T)."""
    return np.arange(q.shape[1]) < padding[:, None]


def _nan_elsewhere_too(value, padding):
    nan = np.isnan(value).any(axis=2)
    first = np.arange(nan.shape[1]) == padding[:, None]
    return not nan[first].any() or nan[~first].any()


def _other_future(q, k, padding):
    """The same with another last key: rows before the last must not notice."""
    k[:, -1] = k[:, -1] * 0.5 + 1.0
    return q, k, padding


def _other_padding(q, k, padding):
    """The same with other numbers in the padding: nothing may notice."""
    empty = _empty(q, padding)
    q[empty], k[empty] = 0.3, -0.7
    return q, k, padding


ATTENTION = Question(
    key="07.attention",
    title="who sees whom",
    kind="implement",
    stars=2,
    points=3,
    right=attention,
    cases=(
        _draw_attention(np.random.default_rng(78), (2, 4, 3), far=False),
        _draw_attention(np.random.default_rng(79), (3, 5, 4)),
    ),
    draw=_draw_attention,
    mistakes=(
        Mistake(
            "M47",
            partial(attention, see=_everything),
            "Your positions see both sides. For a model of the next token, position t must not know what "
            "comes after it.",
        ),
        Mistake(
            "L23",
            partial(attention, see=lambda t, s: s <= t + 1),
            "Position t sees position t + 1, and that input is the answer: a network would soon learn to "
            "copy it.",
        ),
        Mistake(
            "L23",
            partial(attention, see=lambda t, s: s < t),
            "Position t does not see itself. Its input is the token before the one that it forecasts, the "
            "nearest one there is.",
        ),
        Mistake(
            "L13",
            partial(attention, hide="after"),
            "Your rows sum to less than 1: the future took part in the softmax and was set to 0 afterwards. "
            "Take it out beforehand, with a score of -inf.",
        ),
        Mistake(
            "M19",
            partial(attention, pads=True),
            "The future is masked, but padding is not: tokens give weight to positions that contain no text.",
        ),
        Mistake(
            "M47 + M19",
            partial(attention, see=_everything, pads=True),
            "There is no mask at all: neither the future nor the padding is taken out.",
        ),
        Mistake(
            "L16",
            partial(attention, see=lambda t, s: s >= t),
            "The mask is transposed: a position sees itself and the future, but not its past.",
        ),
        Mistake(
            "L16",
            partial(attention, how=lambda z: softmax(z, axis=1)),
            "Your columns sum to 1. The weights of one query form a row: take the softmax over the last "
            "axis.",
        ),
        Mistake(
            "L16",
            partial(attention, how=lambda z: np.nan_to_num(softmax(z, axis=1)), blind=-np.inf),
            "The columns of your tokens sum to 1. One query has one row, so the softmax goes over the last "
            "axis.",
        ),
        Mistake(
            "L22",
            partial(attention, scale=lambda m: 1.0),
            "You do not divide the scores by the square root of m.",
        ),
        Mistake(
            "L22",
            partial(attention, scale=lambda m: m),
            "You divide the scores by m: the square root is missing.",
        ),
        Mistake(
            "M30",
            partial(attention, least=-1e4),
            "Your mask works for small scores. Where all scores lie below -10,000, a mask of -10,000 is the "
            "largest in the row. Use -inf.",
        ),
        Mistake(
            "M45",
            partial(attention, how=_ratio_of_exponentials),
            "Rows with very low scores are 0 / 0: all exponentials underflow. First subtract the largest "
            "score that the row sees.",
        ),
    ),
    alike=(
        ("right", "M30", "the scores of the first case are small"),
        ("right", "M45", "the same"),
        ("M30", "M45", "the same"),
    ),
    properties=(
        Property(
            "a position of padding has a row of nan: it sees nothing, and the softmax of nothing is 0 / 0. "
            "Its row has to be 0",
            lambda value, q, k, padding: (
                not np.isnan(value[_empty(q, padding)]).any()
                or np.isnan(value[~_empty(q, padding)]).any()  # then the cause is another one
            ),
            about_nan=True,
        ),
        Property(
            "the row of a first token is nan, and no other row is: the token has to see itself",
            lambda value, q, k, padding: _nan_elsewhere_too(value, padding),
            about_nan=True,
        ),
        FINITE,
        Property(
            "a row of a token does not sum to 1, or a row of padding is not 0",
            lambda value, q, k, padding: np.allclose(
                value.sum(axis=2), np.arange(q.shape[1]) >= padding[:, None], rtol=0, atol=1e-6
            ),
        ),
        Property(
            "a row before the last one changes when the last key changes",
            lambda value, second: unchanged(value[:, :-1], second[:, :-1]),
            also=_other_future,
        ),
        Property("the weights change when the numbers in the padding change", unchanged, also=_other_padding),
    ),
    advice="Let all queries be 0: then all scores are 0, and a row of three visible keys is 1/3, 1/3, 1/3.",
)

QUESTIONS = (ATTENTION,)
