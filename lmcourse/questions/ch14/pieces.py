"""Chapter 14, samplers: a piece of a text that is counted twice, or not at all."""

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.wrong import but, exchanged, then


def piece(N, L, m, K):
    """What the reported loss changes by if a piece is counted twice, left out, or is a rank of its own."""
    return {
        "repeated": m * (K - L) / (N + m),
        "dropped": m * (L - K) / (N - m),
        "averaged": (K - L) * (N - 2 * m) / (2 * (N - m)),
    }


def _rest(N, L, m, K):
    """The loss of the tokens outside the piece."""
    return (N * L - m * K) / (N - m)


def _draw_piece(rng):
    N = float(rng.integers(2000, 90000))
    return N, float(rng.uniform(2, 4)), round(N * float(rng.uniform(0.03, 0.3))), float(rng.uniform(4.5, 7))


PIECE = Question(
    key="14.piece",
    title="a piece that is counted twice, or not at all",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("N", "L", "m", "K"),
    right=piece,
    cases=((50000.0, 3.0, 4000.0, 5.0), (1200.0, 2.5, 300.0, 4.75), (9000.0, 4.25, 500.0, 2.5)),
    draw=_draw_piece,
    entry_points={"repeated": 1, "dropped": 1, "averaged": 1},
    mistakes=(
        Mistake(
            "L7",
            then(piece, lambda found: {key: -value for key, value in found.items()}),
            "You subtract the reported loss from L. The change is the reported loss minus L.",
        ),
        Mistake(
            "L22",
            lambda N, L, m, K: {key: value + L for key, value in piece(N, L, m, K).items()},
            "This is the reported loss itself. The task asks by how much it differs from L.",
        ),
        Mistake(
            "L27",
            lambda N, L, m, K: piece(N, L, m, K) | {"repeated": m * K / N, "dropped": -m * K / N},
            "You change the total and leave the number of tokens as it was. The program counts the tokens "
            "that it has scored.",
        ),
        Mistake(
            "L22",
            lambda N, L, m, K: piece(N, L, m, K) | {"repeated": m * (K - L) / N, "dropped": m * (L - K) / N},
            "The denominator is the number of tokens that the program has scored. It is not N.",
        ),
        Mistake(
            "L22",
            lambda N, L, m, K: piece(N, L, m, K) | {"repeated": m * K / (N + m), "dropped": -m * K / (N - m)},
            "You divide only the nats of the piece. The tokens of the piece also change the denominator "
            "under the N L nats of the text.",
        ),
        Mistake(
            "M4",
            then(piece, lambda found: {key: np.exp(value) for key, value in found.items()}),
            "This is the ratio of the two perplexities. The change of the loss is asked for.",
        ),
        Mistake(
            "L31",
            exchanged(piece, "repeated", "dropped"),
            "You have swapped 'repeated' and 'dropped'. A piece that is harder than the text raises the "
            "loss when it is counted twice.",
        ),
        Mistake(
            "L32",
            but(piece, {"averaged": lambda N, L, m, K: (K - L) / 2}),
            "In 'averaged' you take L for the loss of the other rank. L is the loss of the whole text, with "
            "the piece in it.",
        ),
        Mistake(
            "M12",
            but(piece, {"averaged": lambda N, L, m, K: 0 * N}),
            "Your 'averaged' is 0, as if the mean of two losses were the loss of the whole. That needs two "
            "ranks with the same number of tokens, or the same loss.",
        ),
        Mistake(
            "L22",
            but(piece, {"averaged": lambda N, L, m, K: K + _rest(N, L, m, K) - L}),
            "In 'averaged' the two losses are added. Divide their sum by the number of ranks.",
        ),
    ),
    advice="Write the reported loss as a total divided by a number of tokens, and subtract L. For "
    "'averaged', find the loss of the rest first: its nats are N L - m K.",
)

QUESTIONS = (PIECE,)
