"""Tasks of the final exam about networks: chapter 07."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import softmax

from lmcourse.exams.task import EXACT, ExamTask, value_builder, value_task
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

# --- parameters: how many numbers a recurrent model learns --------------------------------------------------

GATES = {"LSTM": 4, "GRU": 3}

PARAMETERS = """
A language model has a vocabulary of {v} words, embeddings of width {e}, one layer of
`torch.nn.{cell}` with {h} units, and an output layer with a bias for each word. Its output matrix is
{tie}. In PyTorch each gate has two bias vectors, one for the input and one for the
state: count both.

Set `parameters` to a dictionary with the keys `"embedding"`, `"recurrent"` and `"output"`: how many
numbers each part learns. Count shared parameters once, under `"embedding"`.
"""


def _parameters(v, e, h, gates, tied, biases=2):
    return {
        "embedding": v * e,
        "recurrent": gates * (e * h + h * h + biases * h),
        "output": v if tied else h * v + v,
    }


def _parameters_mistakes(right, cell, tied):
    other = "GRU" if cell == "LSTM" else "LSTM"
    matrix = "is the embedding used again: only its bias is new." if tied else "has a matrix of its own."
    return (
        Mistake("L8", partial(right, gates=GATES[other]), f"That is the {other}; this is the {cell}."),
        Mistake(
            "L22",
            partial(right, biases=1),
            "PyTorch keeps two biases a gate: one for the input, one for the state.",
        ),
        Mistake("L27", partial(right, tied=not tied), f"The output layer {matrix}"),
        Mistake(
            "L22",
            but(right, {"output": lambda v, e, h: right(v, e, h)["output"] - v}),
            "The output has a bias for each word.",
        ),
    )


def parameters(rng, **from_template) -> ExamTask:
    """07: how many numbers a recurrent model learns; its cell is drawn, and whether its output is tied."""
    cell, tied = list(GATES)[int(rng.integers(2))], bool(rng.random() < 0.5)
    v, h = int(rng.integers(40, 400)) * 100, int(rng.integers(3, 17)) * 32
    e = h if tied else int(rng.integers(2, 9)) * 24
    gates, output = GATES[cell], "V" if tied else "h * V + V"
    tie = "**tied**: it is the embedding matrix" if tied else "**its own**, not tied to the embedding"
    right = partial(_parameters, gates=gates, tied=tied)
    return value_task(
        title="how many numbers are learnt",
        choices=(f"{cell}, tied: {tied}",),
        entry_points=(1, 2, 1),
        right=right,
        case=(v, e, h),
        mistakes=_parameters_mistakes(right, cell, tied),
        rtol=EXACT,
        given=f"V, e, h = {v}, {e}, {h}",
        text=PARAMETERS.format(v=v, e=e, h=h, cell=cell, tie=tie),
        message="how many parameters the embedding, the recurrent layer and the output have",
        solution=f"""
            recurrent = {gates} * (e * h + h * h + 2 * h)  # {gates} gates, two biases each in PyTorch
            parameters = {{"embedding": V * e, "recurrent": recurrent, "output": {output}}}
        """,
        **from_template,
    )


# --- slope: the gradient of a cross-entropy with a temperature and smoothed targets -------------------------


def _logits(rng):
    z = np.round(rng.normal(0, 1.6, 4), 1)
    return z, int(rng.integers(4)), round(rng.uniform(0.5, 2.0), 1), round(rng.uniform(0.05, 0.3), 2)


def _slope(z, target, tau, epsilon):
    wanted = np.full(4, epsilon / 4)
    wanted[target] += 1 - epsilon
    return (softmax(z / tau) - wanted) / tau


slope = value_builder(
    title="the gradient of a step",
    entry_points=(1, 1, 1, 1),
    draw=_logits,
    suits=lambda z, target, tau, epsilon: abs(tau - 1) > 0.15 and abs(z).min() > 0,
    right=_slope,
    mistakes=(
        Mistake(
            "L22",
            lambda z, target, tau, epsilon: _slope(z, target, tau, epsilon) * tau,
            "The factor 1 / temperature, the derivative of the inner function, is missing.",
        ),
        Mistake(
            "M5", lambda *case: -_slope(*case), "The sign: the loss falls where the target's logit grows."
        ),
        Mistake(
            "L22",
            lambda z, target, tau, epsilon: _slope(z, target, tau, 0.0),
            "Your target is the symbol that came, and nothing else. This loss has the smoothed distribution.",
        ),
    ),
    given="z = np.array({z})\ntarget, temperature, epsilon = {target}, {tau}, {epsilon}",
    fields=lambda z, *others: {"listed": ", ".join(map(str, z))},
    text=r"""
A network gives the logits $z = ({listed})$ to the symbols 0 to 3. Symbol {target}
comes. The model divides its logits by the temperature $\tau = {tau}$ before the softmax, and it is
trained with label smoothing: the target distribution $t$ gives $1 - \varepsilon$ to the symbol that
came and spreads $\varepsilon = {epsilon}$ evenly over all four,

$$L(z) = -\sum_k t_k \ln \mathrm{{softmax}}(z / \tau)_k.$$

Set `slope` to the gradient of $L$ in the four logits: an array of four numbers.
""",
    message="the gradient of the loss in the four logits",
    solution="""
q = np.exp(z / temperature) / np.exp(z / temperature).sum()
wanted = np.full(4, epsilon / 4)
wanted[target] += 1 - epsilon
slope = (q - wanted) / temperature
""",
)

# --- unsmoothed: the loss behind a smoothed one -------------------------------------------------------------


def _smoothed(rng):
    loss, epsilon = rng.uniform(3.2, 5.2), round(rng.uniform(0.05, 0.2), 2)
    spread = round(loss + rng.uniform(3.5, 6.5), 3)
    return round((1 - epsilon) * loss + epsilon * spread, 4), epsilon, spread


def _unsmoothed(smoothed, epsilon, spread):
    return _both((smoothed - epsilon * spread) / (1 - epsilon))


def _both(loss):
    return {"loss": loss, "perplexity": math.exp(loss)}


unsmoothed = value_builder(
    title="behind a smoothed loss",
    entry_points=(2, 2),
    kind="forensics",
    draw=_smoothed,
    right=_unsmoothed,
    mistakes=(
        Mistake("M41", lambda s, e, u: _both(s), "That is the smoothed loss itself, and its exponential."),
        Mistake(
            "L22",
            lambda s, e, u: _both(s - e * u),
            "Divide by 1 - epsilon: the smoothed loss holds that share of yours.",
        ),
        Mistake(
            "L34",
            lambda s, e, u: _both((1 - e) * s + e * u),
            "You smooth the smoothed loss once more. Solve for the loss.",
        ),
        Mistake(
            "M2",
            but(_unsmoothed, {"perplexity": lambda *case: math.exp(_unsmoothed(*case)["loss"] / LN2)}),
            "Your loss is right, in nats, and your perplexity takes it for bits turned into nats.",
        ),
    ),
    given="smoothed, epsilon, spread = {smoothed}, {epsilon}, {spread}",
    text=r"""
An evaluation was run with the training criterion: label smoothing of $\varepsilon = {epsilon}$, spread
over the whole vocabulary, the target included. It reports a loss of {smoothed} nats per token. On the
same text the mean of $-\ln q$ over all words of the vocabulary, averaged over the positions, is
{spread} nats; here $q$ is the probability that the model gives to a word.

Set `unsmoothed` to a dictionary with the keys `"loss"`, the cross-entropy in nats per token, and
`"perplexity"`.
""",
    message="the cross-entropy behind the smoothed loss, and the perplexity",
    solution="""
loss = (smoothed - epsilon * spread) / (1 - epsilon)
unsmoothed = {"loss": loss, "perplexity": np.exp(loss)}
""",
)
