"""Tasks of the midterm about sources and models of them: chapters 01 to 03."""

from __future__ import annotations

import math
from functools import partial

import numpy as np
from scipy.special import entr, rel_entr

from lmcourse.exams.task import ExamTask, rows, value_builder, value_task
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but

IN_NATS = "Your numbers are {ratio} = ln 2 times the right ones: they are in nats."

# --- chain: a sentence under a bigram table, its end included ---------------------------------------------

ANIMALS = ("fox", "heron", "otter", "badger", "hare", "owl")
VERBS = ("sleeps", "waits", "sings", "listens", "returns")


def _sentence(rng):
    first, second = map(str, rng.choice(ANIMALS, 2, replace=False))
    return {"first": first, "second": second, "verb": str(rng.choice(VERBS))}


def _table(rng):
    counts = [1 + rng.multinomial(95, rng.dirichlet(np.full(5, 1.5))) for _ in range(5)]
    return (np.array(counts) / 100,)


def _sentence_and_table(table, first, second, verb):
    """The table in Markdown, after its head, and in Python."""
    cells = [[f"{x:.2f}" for x in row] for row in table]
    before, after = ["&lt;s&gt;", "the", first, second, verb], ["the", first, second, verb, "&lt;/s&gt;"]
    return {
        "after": " | ".join(after),
        "shown": rows(before, *zip(*cells, strict=True)),
        "code": ", ".join(f"[{', '.join(row)}]" for row in cells),
    }


def _chain(table, scored=4, counted=None):
    """The bits of the first ``scored`` symbols of the animal's sentence, and its perplexity."""
    q = table[[0, 1, 2, 4], [0, 1, 3, 4]][:scored]  # the, animal, verb, end
    bits = -np.log2(q).sum()
    return {"bits": bits, "perplexity": 2 ** (bits / (counted or scored))}


chain = value_builder(
    title="a sentence, and its end",
    entry_points=(2, 1),
    words=_sentence,
    draw=_table,
    right=_chain,
    mistakes=(
        Mistake("L21", partial(_chain, scored=3), "You stop at the verb. The end of the sentence is drawn."),
        Mistake(
            "M25",
            partial(_chain, counted=3),
            "The end is in your total, and not in your count. Four symbols are scored.",
        ),
        Mistake(
            "M26",
            partial(_chain, counted=5),
            "You count the start symbol. It is given, not drawn: four symbols are scored.",
        ),
        Mistake(
            "M1",
            but(_chain, {"bits": lambda table: _chain(table)["bits"] * LN2}),
            "Your total is in nats, and bits are asked for.",
        ),
    ),
    given="table = np.array([{code}])",
    fields=_sentence_and_table,
    text="""
A model predicts each symbol from the one before it. A row is the context, a column what follows.

| after | {after} |
|---|---|---|---|---|---|
{shown}

The sentence is *the {first} {verb}*; before it stands the start symbol `<s>`. Give the
surprisal in bits of the sentence with its end symbol `</s>`, and the model's perplexity per predicted symbol.
Set `chain` to a dictionary with the keys `"bits"` and `"perplexity"`.
""",
    message="the surprisal in bits of the sentence with its end, and the perplexity",
    solution="""
q = table[[0, 1, 2, 4], [0, 1, 3, 4]]  # the, animal, verb, end: four symbols are drawn
bits = -np.log2(q).sum()
chain = {"bits": bits, "perplexity": 2 ** (bits / 4)}
""",
)

# --- crossed: entropy, cross-entropy and divergence of two distributions -----------------------------------


def _two_distributions(rng):
    p, q = (1 + rng.multinomial(16, rng.dirichlet([2.0] * 4)) for _ in range(2))
    return p / 20, q / 20


def _crossed(p, q, unit=LN2):
    h, d = entr(p).sum() / unit, rel_entr(p, q).sum() / unit
    return {"H(p)": h, "H(p, q)": h + d, "D(p || q)": d}


crossed = value_builder(
    title="a source and a model of it",
    entry_points=(1, 1, 2),
    draw=_two_distributions,
    suits=lambda p, q: 0.05 < rel_entr(p, q).sum() < 0.6 and abs(p - q).min() > 0,
    right=_crossed,
    mistakes=(
        Mistake("M1", partial(_crossed, unit=1.0), IN_NATS),
        Mistake(
            "M50",
            but(_crossed, {"D(p || q)": lambda p, q: _crossed(q, p)["D(p || q)"]}),
            "Your divergence runs from q to p. The distribution that the symbols come from stands first.",
        ),
        Mistake(
            "L7",
            lambda p, q: _crossed(q, p),
            "You have exchanged p and q everywhere: the symbols come from p.",
        ),
        Mistake(
            "L5",
            but(_crossed, {"H(p, q)": lambda p, q: entr(q).sum() / LN2}),
            "You give the entropy of q. What p draws is scored by q: the weights are those of p.",
        ),
    ),
    given="p = np.array({p})\nq = np.array({q})",
    fields=lambda *case: {name: ", ".join(f"{x:.2f}" for x in v) for name, v in zip("PQ", case, strict=True)},
    text="""
A source draws one of four symbols with the probabilities $p = ({P})$.
A model assigns $q = ({Q})$.

Set `crossed` to a dictionary: `"H(p)"` is the entropy of the source, `"H(p, q)"` the cross-entropy of the
model on what the source draws, and `"D(p || q)"` the KL divergence between the two, in bits per symbol.
""",
    message="entropy, cross-entropy and divergence, in bits per symbol",
    solution="""
entropy, cross = -(p * np.log2(p)).sum(), -(p * np.log2(q)).sum()
crossed = {"H(p)": entropy, "H(p, q)": cross, "D(p || q)": cross - entropy}
""",
)

# --- slope: the derivative of a cross-entropy in a logit ---------------------------------------------------

SLOPE = r"""
A source draws the symbol 1 with probability $p$ and otherwise the symbol 0. A model gives the symbol 1 the
probability $\sigma({scale} z)$ and the symbol 0 the rest, where $\sigma(x) = 1 / (1 + e^{{-x}})$. A symbol
costs minus the natural logarithm of its probability; because symbol 1 is rare, it costs {weight} times that.
The loss $L(z)$ is the expected cost of a symbol.

Set `slope` to the derivative $dL/dz$: an expression in the symbols `z` and `p`. Any equivalent form is right.
You may use that $\ln \sigma(x)$ has the derivative $1 - \sigma(x)$, and $\ln (1 - \sigma(x))$ the derivative
$-\sigma(x)$.
"""


def _sigma(x):
    return 1 / (1 + math.exp(-x))


def _slope(z, p, scale, weight):
    return scale * ((weight * p + 1 - p) * _sigma(scale * z) - weight * p)


def _slope_mistakes(right, scale, weight):
    return (
        Mistake(
            "L22",
            lambda z, p: right(z, p) / scale,
            f"The derivative of the inner function is missing: the loss depends on z through {scale} z.",
        ),
        Mistake(
            "M5", lambda z, p: -right(z, p), "Your derivative has the wrong sign: the loss is the negative."
        ),
        Mistake(
            "L22",
            lambda z, p: scale * (_sigma(scale * z) - p),
            f"You have lost the weight {weight} of the first symbol.",
        ),
        Mistake(
            "L8",
            lambda z, p: scale * weight * (_sigma(scale * z) - p),
            f"The weight {weight} belongs to the first symbol alone; you multiply both terms.",
        ),
    )


def slope(rng, **from_template) -> ExamTask:
    """02: the derivative of a cross-entropy in a logit, with a scale and a weight that are drawn."""
    scale, weight = int(rng.integers(2, 8)), int(rng.integers(2, 6))
    right = partial(_slope, scale=scale, weight=weight)
    return value_task(
        title="the derivative of a loss",
        kind="derive",
        right=right,
        case=(0.37, 0.31),
        symbols=("z", "p"),
        mistakes=_slope_mistakes(right, scale, weight),
        advice="Differentiate term by term with the chain rule, and compare with the slope between two near"
        " values of z.",
        given='z, p = sp.symbols("z p", positive=True)',
        text=SLOPE.format(scale=scale, weight=weight),
        message="dL/dz as a SymPy expression in z and p",
        solution=f"""
            sigma = 1 / (1 + sp.exp(-{scale} * z))
            slope = sp.diff(-{weight} * p * sp.log(sigma) - (1 - p) * sp.log(1 - sigma), z)
        """,
        **from_template,
    )


# --- shared: what a context is worth, from a table of counts -----------------------------------------------


def _pairs(rng):
    return (4 + rng.multinomial(70, rng.dirichlet(np.full(6, 1.2))).reshape(2, 3),)


def _shared(counts, unit=LN2, axis=1):
    joint = counts / counts.sum()
    h = entr(joint).sum() / unit
    context, word = entr(joint.sum(axis=axis)).sum() / unit, entr(joint.sum(axis=1 - axis)).sum() / unit
    return {"H(X, Y)": h, "H(Y | X)": h - context, "I(X; Y)": word - (h - context)}


def _row_entropies(counts):
    return [entr(row / row.sum()).sum() for row in counts]


def _worth_asking(counts):
    return _shared(counts)["I(X; Y)"] > 0.03 and counts.sum(axis=1).min() / counts.sum() < 0.42


shared = value_builder(
    title="what a context is worth",
    entry_points=(1, 2, 1),
    draw=_pairs,
    suits=_worth_asking,
    right=_shared,
    mistakes=(
        Mistake("M1", partial(_shared, unit=1.0), IN_NATS),
        Mistake(
            "L16",
            but(_shared, {"H(Y | X)": lambda c: _shared(c, axis=0)["H(Y | X)"]}),
            "You give H(X | Y). The context X is known, and Y is predicted.",
        ),
        Mistake(
            "L24",
            but(_shared, {"H(Y | X)": lambda c: _shared(c)["H(Y | X)"] + _shared(c)["I(X; Y)"]}),
            "That is the entropy of Y alone: the context is ignored.",
        ),
        Mistake(
            "L10",
            but(_shared, {"I(X; Y)": lambda c: _shared(c)["H(X, Y)"] - _shared(c)["H(Y | X)"]}),
            "Joint minus conditional is the entropy of the context. Take H(Y) - H(Y | X).",
        ),
        Mistake(
            "L1",
            but(_shared, {"H(Y | X)": lambda c: sum(_row_entropies(c)) / LN2}),
            "You add the entropies of the rows. Weight each with how often its context comes.",
        ),
        Mistake(
            "M9",
            but(_shared, {"H(Y | X)": lambda c: np.mean(_row_entropies(c)) / LN2}),
            "You average the rows with equal weights, though the contexts are not equally frequent.",
        ),
    ),
    given="counts = np.array({counts})",
    fields=lambda counts: {"table": rows(("$x_1$", "$x_2$"), *counts.T)},
    text="""
A corpus has these counts of a context $X$ and the word $Y$ that follows it.

| | $y_1$ | $y_2$ | $y_3$ |
|---|---|---|---|
{table}

Take the relative frequencies as the true probabilities. Set `shared` to a dictionary: `"H(X, Y)"` is the
joint entropy, `"H(Y | X)"` the entropy of the word when the context is known, and `"I(X; Y)"` the mutual
information, all in bits.
""",
    message="joint entropy, conditional entropy and mutual information, in bits",
    solution="""
joint = counts / counts.sum()
entropy = lambda p: -(p * np.log2(p)).sum()
conditional = entropy(joint) - entropy(joint.sum(axis=1))
information = entropy(joint.sum(axis=0)) - conditional
shared = {"H(X, Y)": entropy(joint), "H(Y | X)": conditional, "I(X; Y)": information}
""",
)
