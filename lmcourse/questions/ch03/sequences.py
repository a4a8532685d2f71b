"""Chapter 03, sequences: the divergence of two chains, step by step."""

import math
from functools import partial

import numpy as np
from scipy.special import rel_entr

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.divergences import GIBBS, divergence_mistakes
from lmcourse.questions.shared.properties import FINITE


def _kl(p, q):
    return rel_entr(p, q).sum(axis=-1)


def _swapped_kl(p, q):
    return rel_entr(q, p).sum(axis=-1)


def _stationary(table):
    """The law that the table leaves as it is: (table.T - 1) w = 0 with sum w = 1."""
    size = len(table)
    equations = np.vstack([table.T - np.eye(size), np.ones(size)])
    return np.linalg.lstsq(equations, np.append(np.zeros(size), 1.0), rcond=None)[0]


def chain_kl(start_p, table_p, start_q, table_q, length, kl=_kl, by="truth", first=True, steps=0):
    """Divergence of strings of this length: total, per token; and the rate far from the start.

    ``by`` says who visits the contexts, ``steps`` how many steps too many there are.
    """
    rows = kl(table_p, table_q)
    here, moves = (start_p, table_p) if by == "truth" else (start_q, table_q)
    far = _stationary(moves)
    if by == "nobody":
        here = far = np.full(len(rows), 1 / len(rows))
        moves = np.eye(len(rows))
    total = kl(start_p, start_q) if first else 0.0
    for _ in range(length - 1 + steps):
        total += here @ rows
        here = here @ moves
    return {"total": total, "per token": total / length, "rate": far @ rows}


def _marginals(start_p, table_p, start_q, table_q, length):
    """At each place the overall laws of the two chains, as if the places were independent."""
    total = 0.0
    for _ in range(length):
        total += _kl(start_p, start_q)
        start_p, start_q = start_p @ table_p, start_q @ table_q
    rate = _kl(_stationary(table_p), _stationary(table_q))
    return {"total": total, "per token": total / length, "rate": rate}


def _without_weights(start_p, table_p, start_q, table_q, length):
    rows = _kl(table_p, table_q).sum()
    total = _kl(start_p, start_q) + (length - 1) * rows
    return {"total": total, "per token": total / length, "rate": rows}


def _draw_chains(rng):
    size = int(rng.integers(2, 5))
    starts, tables = rng.dirichlet(np.full(size, 2.0), size=2), rng.dirichlet(np.ones(size), size=(2, size))
    tables = 0.9 * tables + 0.1 / size
    return starts[0], tables[0], starts[1], tables[1], int(rng.integers(2, 9))


CHAIN = Question(
    key="03.chain",
    title="the fault of a string, step by step",
    kind="implement",
    stars=2,
    points=3,
    right=chain_kl,
    cases=(
        (
            np.array([0.7, 0.3]),
            np.array([[0.8, 0.2], [0.4, 0.6]]),
            np.array([0.5, 0.5]),
            np.array([[0.6, 0.4], [0.5, 0.5]]),
            4,
        ),
        (
            np.array([0.2, 0.5, 0.3]),
            np.array([[0.15, 0.65, 0.2], [0.3, 0.1, 0.6], [0.75, 0.2, 0.05]]),
            np.array([0.4, 0.35, 0.25]),
            np.array([[0.3, 0.4, 0.3], [0.25, 0.25, 0.5], [0.5, 0.2, 0.3]]),
            7,
        ),
    ),
    draw=_draw_chains,
    odd=(lambda rng: (*_draw_chains(rng)[:4], 1),),
    mistakes=(
        *divergence_mistakes(chain_kl, only=("total", "per token", "rate")),
        Mistake(
            "L15",
            partial(chain_kl, by="model"),
            "The model draws your contexts. A fault is paid on the truth's text: carry the law of the "
            "context on with the true table.",
        ),
        Mistake(
            "M50",
            partial(chain_kl, kl=_swapped_kl),
            "The contexts are right, and each row's divergence is taken the other way: the true row draws.",
        ),
        Mistake(
            "M9",
            partial(chain_kl, by="nobody"),
            "You weigh all contexts alike. The truth visits some more often: that is their weight.",
        ),
        Mistake(
            "L1",
            _without_weights,
            "You add up all rows at every step. A step is made in one context: average the rows.",
        ),
        Mistake(
            "L20",
            partial(chain_kl, first=False),
            "In your sum the first symbol costs nothing. It has no context, but two laws: the two starts.",
        ),
        Mistake(
            "L23",
            partial(chain_kl, steps=1),
            "You make a step too many: a string of N symbols has N - 1 steps after its first symbol.",
        ),
        Mistake(
            "L24",
            _marginals,
            "You compare how often each symbol stands at a place. Two chains can agree in that and differ in "
            "what follows what: compare the rows.",
        ),
        Mistake(
            "L1",
            lambda *case: chain_kl(*case) | {"per token": chain_kl(*case)["total"]},
            "Your 'per token' is {ratio} times too large, which is the number of tokens.",
        ),
        Mistake(
            "L20",
            lambda *case: chain_kl(*case) | {"rate": case[0] @ _kl(case[1], case[3])},
            "Your 'rate' weighs the contexts as the start does. Far from the start their shares are those "
            "that the true table leaves as they are.",
        ),
    ),
    properties=(
        FINITE,
        GIBBS,
        Property(
            "'rate' is 'per token' of a short string. It is what one step costs far from the start",
            lambda value, *case: not math.isclose(value["rate"], value["per token"]),
        ),
        Property(
            "for one symbol, 'total' is not the divergence of the two starts",
            lambda _, second: math.isclose(
                second["total"], _kl(*[np.array([0.5, 0.5]), np.array([0.25, 0.75])])
            ),
            also=lambda *case: (
                np.array([0.5, 0.5]),
                np.full((2, 2), 0.5),
                np.array([0.25, 0.75]),
                np.full((2, 2), 0.5),
                1,
            ),
        ),
    ),
    advice="Keep two numbers: the total so far, and the law of the current context under the truth.",
)

QUESTIONS = (CHAIN,)
