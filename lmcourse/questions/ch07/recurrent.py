"""Chapter 07, inside a network: one step of an LSTM, and one step of an RNN backwards."""

from functools import partial

import numpy as np
from scipy.special import expit as sigmoid
from scipy.special import softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import exchanged

# --- lstm ------------------------------------------------------------------------------------------------


def lstm_step(e, h, cell, W, U, b, c, order="ifgo", new=np.tanh, shown=np.tanh, gate=sigmoid):
    """State and cell after one step; e (B, k), h and cell (B, d), W (4d, k), U (4d, d), b and c (4d,)."""
    parts = np.split(e @ W.T + b + h @ U.T + c, 4, axis=1)
    i, f, g, o = (parts[order.index(name)] for name in "ifgo")
    cell = gate(f) * cell + gate(i) * new(g)
    return {"h": gate(o) * shown(cell), "cell": cell}


def _draw_lstm(rng, rows=None, width=None, read=None):
    rows, width = rows or int(rng.integers(1, 4)), width or int(rng.integers(2, 5))
    read = read or width + int(rng.integers(1, 3))
    shapes = [(rows, read), (rows, width), (rows, width), (4 * width, read), (4 * width, width)]
    arrays = [rng.normal(scale=0.8, size=shape) for shape in shapes]
    return *arrays, rng.normal(size=4 * width), rng.normal(size=4 * width)


LSTM = Question(
    key="07.lstm",
    title="one step of an LSTM",
    kind="implement",
    stars=2,
    points=3,
    right=lstm_step,
    cases=(_draw_lstm(np.random.default_rng(74), 1, 2, 3), _draw_lstm(np.random.default_rng(75), 3, 3, 4)),
    draw=_draw_lstm,
    odd=(lambda rng: _draw_lstm(rng, rows=1),),
    mistakes=(
        Mistake(
            "L31",
            partial(lstm_step, order="ifog"),
            "The third and the fourth part are swapped: PyTorch's order is i, f, g, o. Nothing crashes, but "
            "the numbers are wrong.",
        ),
        Mistake(
            "L31",
            partial(lstm_step, order="figo"),
            "The first and the second part are swapped: your input gate works as the forget "
            "gate, and the other way round.",
        ),
        Mistake(
            "L31",
            lambda e, h, cell, *weights: lstm_step(e, cell, h, *weights),
            "State and cell are swapped on the way in. The gates read the state; the cell is only added to.",
        ),
        Mistake(
            "L22",
            lambda e, h, cell, W, U, b, c: lstm_step(e, h, cell, W, U, b, 0 * c),
            "One of the two vectors of biases is missing. PyTorch has two, and both are added.",
        ),
        Mistake(
            "L22",
            lambda e, h, cell, W, U, b, c: lstm_step(e, h, cell, W, U, 0 * b, c),
            "The vector b of biases is missing. PyTorch has two, b and c, and both are added.",
        ),
        Mistake(
            "L22",
            lambda e, h, cell, W, U, b, c: lstm_step(e, h, 0 * cell, W, U, b, c),
            "Your new cell contains nothing of the old one. Keep f times the old cell, and add to it.",
            shown_by=("cell",),
        ),
        Mistake(
            "L22",
            partial(lstm_step, shown=lambda cell: cell),
            "Your cell is right but your state is not: a tanh is missing between cell and output gate.",
        ),
        Mistake("L22", partial(lstm_step, new=lambda g: g), "The tanh of the new content g is missing."),
        Mistake(
            "L22",
            partial(lstm_step, gate=lambda part: part),
            "Your gates do not work as gates: without the sigmoid they are not between 0 and 1.",
        ),
        Mistake(
            "L22",
            partial(lstm_step, new=sigmoid),
            "You put a sigmoid on all four parts. g is content and not a gate: its tanh is missing, so your "
            "cell can only be pushed up.",
            shown_by=("cell",),
        ),
        Mistake(
            "L24",
            lambda e, h, *rest: lstm_step(e, 0 * h, *rest),
            "Your gates see the new embedding but not the state, so what to keep cannot depend on the past.",
        ),
        Mistake(
            "L16",
            lambda e, h, cell, W, U, b, c: lstm_step(
                e, h, cell, W, np.concatenate([part.T for part in np.split(U, 4)]), b, c
            ),
            "The blocks of U are transposed: a row belongs to the unit that is computed, a column to the one "
            "that is read.",
        ),
        Mistake("L31", exchanged(lstm_step, "h", "cell"), "'h' and 'cell' are swapped.", explains="answer"),
    ),
    properties=(
        FINITE,
        Property(
            "an entry of 'h' is not between -1 and 1, but it is a gate times a tanh",
            lambda value, *_: np.abs(value["h"]).max() <= 1,
        ),
    ),
    advice="np.split(a, 4, axis=1) cuts (B, 4d) into i, f, g, o. Print the gates: all between 0 and 1?",
)

# --- backwards -------------------------------------------------------------------------------------------


def step_back(
    e,
    h0,
    W,
    U,
    b,
    c,
    S,
    y,
    error=lambda q, came: q - came,
    slope=lambda h, h0: 1 - h**2,
    outer=np.outer,
    to_old=lambda U, at_a, at_h: U.T @ at_a,
):
    """Gradients of one token's loss for U, b and the old state; h = tanh(W e + b + U h0 + c), z = S h."""
    h = np.tanh(W @ e + b + U @ h0 + c)
    q = softmax(S @ h)
    at_h = S.T @ error(q, np.eye(len(q))[y])
    at_a = at_h * slope(h, h0)
    return {"U": outer(at_a, h0), "b": at_a, "h0": to_old(U, at_a, at_h)}


def _draw_back(rng, read=None, width=None, words=None):
    read, width = read or int(rng.integers(2, 4)), width or int(rng.integers(2, 5))
    words = words or int(rng.integers(3, 6))
    shapes = [(read,), (width,), (width, read), (width, width), (width,), (width,), (words, width)]
    arrays = [rng.normal(scale=0.7, size=shape) for shape in shapes]
    arrays[1] = np.tanh(arrays[1])
    return *arrays, int(rng.integers(words))


BACKWARDS = Question(
    key="07.step-back",
    title="one step backwards",
    kind="implement",
    stars=3,
    points=3,
    right=step_back,
    cases=(_draw_back(np.random.default_rng(76), 2, 2, 3), _draw_back(np.random.default_rng(77), 2, 3, 4)),
    draw=_draw_back,
    mistakes=(
        Mistake(
            "L10",
            partial(step_back, slope=lambda h, h0: 1.0),
            "The error goes through the tanh as if it were not there. Its derivative is 1 - h², a factor for "
            "each unit.",
        ),
        Mistake(
            "L10",
            partial(step_back, to_old=lambda U, at_a, at_h: at_h),
            "Your gradient for h0 has not gone through the step yet: it is the gradient for the new state.",
        ),
        Mistake(
            "L10",
            partial(step_back, to_old=lambda U, at_a, at_h: U.T @ at_h),
            "On its way to h0 your gradient goes through U but not through the tanh.",
        ),
        Mistake(
            "L31",
            partial(step_back, slope=lambda h, h0: 1 - h0**2),
            "You take the slope of the tanh at the old state. It is 1 - h² with the new h.",
        ),
        Mistake(
            "L22",
            partial(step_back, error=lambda q, came: q),
            "The error of a logit is expected minus counted, but you send back only what is expected.",
        ),
        Mistake(
            "M5",
            partial(step_back, error=lambda q, came: came - q),
            "Your sign is wrong: your numbers point in the direction in which the loss falls. The gradient "
            "points in the direction in which it rises; it begins with q minus what came.",
        ),
        Mistake(
            "M6",
            lambda *case: {key: _probability(*case) * value for key, value in step_back(*case).items()},
            "Your numbers are the right ones times q_y: you differentiate the probability. The loss is -ln "
            "of it.",
        ),
        Mistake(
            "L16",
            partial(step_back, outer=lambda at_a, h0: np.outer(h0, at_a)),
            "Your gradient for U is transposed: a row belongs to a new unit, a column to an old one.",
        ),
        Mistake(
            "L16",
            partial(step_back, to_old=lambda U, at_a, at_h: U @ at_a),
            "On the way back, use U transposed: old unit j is reached from every new unit i by U[i, j].",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "'U' is not 'b' times the old state, but U[i, j] acts on unit i as b[i] does, times h0[j]",
            lambda value, e, h0, *_: np.allclose(value["U"], np.outer(value["b"], h0), rtol=1e-6, atol=1e-9),
        ),
    ),
    advice="Set requires_grad on torch tensors of U, b, h0, call backward(), and print what differs.",
)


def _probability(e, h0, W, U, b, c, S, y):
    return softmax(S @ np.tanh(W @ e + b + U @ h0 + c))[y]


QUESTIONS = (LSTM, BACKWARDS)
