"""Chapter 03, sequences: the divergence of two chains, step by step."""

from functools import partial

import numpy as np
from scipy.special import rel_entr

from lmcourse.hints.question import Mistake, Question
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


def chain_kl(
    start_p,
    table_p,
    start_q,
    table_q,
    length,
    kl=_kl,
    by="truth",
    first=True,
    steps=0,
    moves=True,
    turned=False,
):
    """Divergence of strings of this length: total, per token; and the rate far from the start.

    ``by`` says who visits the contexts, ``steps`` how many steps too many there are.
    """
    rows = kl(table_p, table_q)
    here, table = (start_p, table_p) if by == "truth" else (start_q, table_q)
    far = _stationary(table)
    if by == "nobody":
        here = far = np.full(len(rows), 1 / len(rows))
        table = np.eye(len(rows))
    if not moves:
        far, table = here, np.eye(len(rows))
    if turned:
        table = table.T
    total = kl(start_p, start_q) if first else 0.0
    for _ in range(length - 1 + steps):
        total += here @ rows
        here = here @ table
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


def _step_after(start_p, table_p, start_q, table_q, length):
    """What one more symbol adds to a string of this length."""
    longer = chain_kl(start_p, table_p, start_q, table_q, length + 1)
    return longer["total"] - chain_kl(start_p, table_p, start_q, table_q, length)["total"]


def _plus(found, length, difference):
    """The answer with another total, from which 'per token' follows."""
    total = found["total"] + difference
    return found | {"total": total, "per token": total / length}


def _draw_chains(rng):
    size = int(rng.integers(2, 5))
    starts, tables = rng.dirichlet(np.full(size, 2.0), size=2), rng.dirichlet(np.ones(size), size=(2, size))
    tables = 0.9 * tables + 0.1 / size
    return starts[0], tables[0], starts[1], tables[1], int(rng.integers(2, 9))


CHAIN = Question(
    key="03.chain",
    title="the excess of a string, step by step",
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
            np.array([0.6, 0.25, 0.15]),
            np.array([[0.3, 0.4, 0.3], [0.25, 0.25, 0.5], [0.5, 0.2, 0.3]]),
            7,
        ),
    ),
    draw=_draw_chains,
    odd=(lambda rng: (*_draw_chains(rng)[:4], 1),),
    entry_points={"total": 1, "per token": 1, "rate": 1},
    mistakes=(
        *divergence_mistakes(chain_kl, only=("total", "per token", "rate")),
        Mistake(
            "L15",
            partial(chain_kl, by="model"),
            "You weight the contexts as the model would visit them. The excess is an expectation under the "
            "truth: update the distribution of the context with the true table.",
        ),
        Mistake(
            "M50",
            partial(chain_kl, kl=_swapped_kl),
            "You weight the contexts correctly, but you take the divergence of each row in the wrong "
            "direction: the true row comes first.",
        ),
        Mistake(
            "M50",
            lambda start_p, table_p, start_q, table_q, length: chain_kl(
                start_q, table_q, start_p, table_p, length
            ),
            "You have swapped the truth and the model: this is D(q || p). The truth sets the weights of "
            "the contexts, and it comes first in each divergence.",
        ),
        Mistake(
            "M9",
            partial(chain_kl, by="nobody"),
            "You give all contexts the same weight. The truth visits some of them more often: weight each "
            "by how often it is visited.",
        ),
        Mistake(
            "L1",
            _without_weights,
            "You add up the divergences of all rows. Each step starts from one context: average the rows, "
            "weighted by how often the truth is in each context.",
        ),
        Mistake(
            "L20",
            partial(chain_kl, first=False),
            "Your sum lacks the first symbol. It has no context, but the two starts differ: add their "
            "divergence.",
        ),
        Mistake(
            "L23",
            partial(chain_kl, steps=1),
            "You make one step too many: a string of N symbols has N - 1 steps after its first symbol.",
        ),
        Mistake(
            "L23",
            partial(chain_kl, steps=-1),
            "You make one step too few: a string of N symbols has N - 1 steps after its first symbol.",
        ),
        Mistake(
            "L20",
            partial(chain_kl, moves=False),
            "You use the start distribution to weight the contexts at every step. After each step, multiply "
            "their distribution by the true table.",
        ),
        Mistake(
            "L16",
            partial(chain_kl, turned=True),
            "You multiply by the table from the wrong side: the distribution of the next symbol is w A, "
            "with w on the left.",
        ),
        Mistake(
            "L24",
            _marginals,
            "You compare how often each symbol appears at each position. Two chains can agree on that and "
            "differ in what follows what: compare the rows.",
        ),
        Mistake(
            "L1",
            lambda *case: chain_kl(*case) | {"per token": chain_kl(*case)["total"]},
            "Your 'per token' is too large by a factor of {ratio}, the number of symbols.",
        ),
        Mistake(
            "L23",
            lambda *case: chain_kl(*case) | {"per token": chain_kl(*case)["total"] / (case[4] - 1)},
            "Your 'per token' divides by the number of steps. The string has one more symbol than steps.",
        ),
        Mistake(
            "L20",
            lambda *case: chain_kl(*case) | {"rate": case[0] @ _kl(case[1], case[3])},
            "Your 'rate' weights the contexts as the start does. Far from the start their weights are those "
            "that the true table leaves unchanged.",
        ),
        Mistake(
            "L20",
            lambda *case: chain_kl(*case) | {"rate": _step_after(*case)},
            "Your 'rate' is what the next symbol adds after this string. Far from the start the weights of "
            "the contexts are those that the true table leaves unchanged.",
        ),
        Mistake(
            "L35",
            lambda *case: chain_kl(*case) | {"per token": chain_kl(*case)["total"] / len(case[0])},
            "Your 'per token' divides by the number of different symbols. Divide by the length of the "
            "string.",
        ),
        Mistake(
            "M50",
            lambda *case: _plus(chain_kl(*case), case[4], _kl(case[2], case[0]) - _kl(case[0], case[2])),
            "You take the divergence of the two starts in the wrong direction: the true start comes first.",
        ),
        Mistake(
            "L15",
            lambda *case: _plus(
                chain_kl(*case),
                case[4],
                chain_kl(case[2], case[1], case[2], case[3], case[4])["total"]
                - (chain_kl(*case)["total"] - _kl(case[0], case[2])),
            ),
            "You start the contexts from the model's distribution of the first symbol. The truth draws the "
            "first symbol as well.",
        ),
        Mistake(
            "L22",
            lambda *case: chain_kl(*case) | {"rate": chain_kl(*case)["per token"]},
            "Your 'rate' is the 'per token' value of this string, the mean of its steps. The rate is what "
            "one more symbol adds far from the start.",
        ),
    ),
    properties=(FINITE, GIBBS),
    advice="Keep two things in the loop: the total so far, and the distribution of the current context under "
    "the truth.",
)

QUESTIONS = (CHAIN,)
