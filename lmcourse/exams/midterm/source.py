"""Tasks of the midterm about sources and models of them: chapters 01 to 03."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import entr, rel_entr

from lmcourse.exams.part import Part, draw_apart, value_part
from lmcourse.hints.question import Mistake

LN2 = math.log(2)
ANIMALS = ("fox", "heron", "otter", "badger", "hare", "owl")
VERBS = ("sleeps", "waits", "sings", "listens", "returns")


def chain(rng) -> Part:
    """01: a sentence under a bigram table, its end included."""
    first, second = map(str, rng.choice(ANIMALS, 2, replace=False))
    verb = str(rng.choice(VERBS))
    before, after = ["&lt;s&gt;", "the", first, second, verb], ["the", first, second, verb, "&lt;/s&gt;"]

    def draw(rng):
        rows = [1 + rng.multinomial(95, rng.dirichlet(np.full(5, 1.5))) for _ in before]
        return (np.array(rows) / 100,)

    def path(table):
        return table[[0, 1, 2, 4], [0, 1, 3, 4]]  # the, animal, verb, end

    def report_of(q, tokens, scale=1.0):
        bits = -np.log2(q).sum() * scale
        return {"bits": bits, "perplexity": 2 ** (bits / tokens)}

    def right(table):
        return report_of(path(table), 4)

    mistakes = (
        Mistake(
            "L21",
            lambda t: report_of(path(t)[:3], 3),
            "You stop at the verb. The end of the sentence is drawn.",
        ),
        Mistake(
            "M25",
            lambda t: report_of(path(t), 4) | {"perplexity": report_of(path(t), 3)["perplexity"]},
            "The end is in your total, and not in your count. Four symbols are scored.",
        ),
        Mistake(
            "M26",
            lambda t: report_of(path(t), 4) | {"perplexity": report_of(path(t), 5)["perplexity"]},
            "You count the start symbol. It is given, not drawn: four symbols are scored.",
        ),
        Mistake(
            "M1",
            lambda t: report_of(path(t), 4) | {"bits": right(t)["bits"] * LN2},
            "Your total is in nats, and bits are asked for.",
        ),
    )
    (table,) = draw_apart(rng, draw, right, mistakes)
    lines = [f"| after | {' | '.join(after)} |", "|---|" + "---|" * 5]
    lines += [
        f"| {b} | {' | '.join(f'{x:.2f}' for x in row)} |" for b, row in zip(before, table, strict=True)
    ]
    sums = ", ".join(f"[{', '.join(f'{x:.2f}' for x in row)}]" for row in table)
    return value_part(
        "chain",
        title="a sentence, and its end",
        chapters="01",
        minutes=5,
        points=3,
        parts=(2, 1),
        right=right,
        case=(table,),
        mistakes=mistakes,
        given=f"table = np.array([{sums}])",
        text=f"""
A model predicts each symbol from the one before it. A row is the context, a column what follows.

{chr(10).join(lines)}

The sentence is *the {first} {verb}*. Give the surprisal in bits of the sentence with its end symbol `</s>`,
and the model's perplexity per predicted symbol. Set `chain` to a dictionary with the keys `"bits"` and
`"perplexity"`.
""",
        task="the surprisal in bits of the sentence with its end, and the perplexity",
        solution="""
q = table[[0, 1, 2, 4], [0, 1, 3, 4]]  # the, animal, verb, end: four symbols are drawn
bits = -np.log2(q).sum()
chain = {"bits": bits, "perplexity": 2 ** (bits / 4)}
""",
    )


def crossed(rng) -> Part:
    """02: entropy, cross-entropy and divergence of two distributions, in bits."""

    def draw(rng):
        p, q = (1 + rng.multinomial(16, rng.dirichlet([2.0] * 4)) for _ in range(2))
        return p / 20, q / 20

    def three(p, q, unit=LN2):
        h, d = entr(p).sum() / unit, rel_entr(p, q).sum() / unit
        return {"H(p)": h, "H(p, q)": h + d, "D(p || q)": d}

    mistakes = (
        Mistake(
            "M1",
            lambda p, q: three(p, q, 1.0),
            "Your numbers are {ratio} = ln 2 times the right ones: they are in nats.",
        ),
        Mistake(
            "M50",
            lambda p, q: three(p, q) | {"D(p || q)": three(q, p)["D(p || q)"]},
            "Your divergence runs from q to p. The distribution that the symbols come from stands first.",
        ),
        Mistake(
            "L7",
            lambda p, q: three(q, p),
            "You have exchanged p and q everywhere: the symbols come from p.",
        ),
        Mistake(
            "L5",
            lambda p, q: three(p, q) | {"H(p, q)": entr(q).sum() / LN2},
            "You give the entropy of q. What p draws is scored by q: the weights are those of p.",
        ),
    )
    p, q = draw_apart(
        rng, draw, three, mistakes, lambda p, q: 0.05 < rel_entr(p, q).sum() < 0.6 and abs(p - q).min() > 0
    )
    return value_part(
        "crossed",
        title="a source and a model of it",
        chapters="02, 03",
        minutes=7,
        points=4,
        parts=(1, 1, 2),
        right=three,
        case=(p, q),
        mistakes=mistakes,
        given=f"p = np.array({p.tolist()})\nq = np.array({q.tolist()})",
        text=f"""
A source draws one of four symbols with the probabilities $p = ({", ".join(f"{x:.2f}" for x in p)})$.
A model holds $q = ({", ".join(f"{x:.2f}" for x in q)})$.

Set `crossed` to a dictionary with the keys `"H(p)"`, `"H(p, q)"` and `"D(p || q)"`, in bits per symbol.
""",
        task="entropy, cross-entropy and divergence, in bits per symbol",
        solution="""
entropy, cross = -(p * np.log2(p)).sum(), -(p * np.log2(q)).sum()
crossed = {"H(p)": entropy, "H(p, q)": cross, "D(p || q)": cross - entropy}
""",
    )


def slope(rng) -> Part:
    """02: the derivative of a cross-entropy in a logit, with a scale and a weight that are drawn."""
    scale, weight = int(rng.integers(2, 8)), int(rng.integers(2, 6))

    def sigma(x):
        return 1 / (1 + math.exp(-x))

    def right(z, p):
        return scale * ((weight * p + 1 - p) * sigma(scale * z) - weight * p)

    mistakes = (
        Mistake(
            "L22",
            lambda z, p: right(z, p) / scale,
            f"The inner derivative is missing: z stands in the loss as {scale} z.",
        ),
        Mistake(
            "M5", lambda z, p: -right(z, p), "Your derivative has the wrong sign: the loss is the negative."
        ),
        Mistake(
            "L22",
            lambda z, p: scale * (sigma(scale * z) - p),
            f"You have lost the weight {weight} of the first symbol.",
        ),
        Mistake(
            "L8",
            lambda z, p: scale * weight * (sigma(scale * z) - p),
            f"The weight {weight} belongs to the first symbol alone; you multiply both terms.",
        ),
    )
    return value_part(
        "slope",
        title="the derivative of a loss",
        chapters="02",
        minutes=8,
        points=4,
        kind="derive",
        right=right,
        case=(0.37, 0.31),
        symbols=("z", "p"),
        mistakes=mistakes,
        advice="Differentiate term by term with the chain rule, and compare with the slope between two near"
        " values of z.",
        given='z, p = sp.symbols("z p", positive=True)',
        text=rf"""
A source draws the symbol 1 with probability $p$ and otherwise the symbol 0. A model gives the symbol 1 the
probability $\sigma({scale} z)$, where $\sigma(x) = 1 / (1 + e^{{-x}})$. Symbol 1 is the rare one, and
its loss counts {weight} times:

$$L(z) = -{weight} \, p \ln \sigma({scale} z) - (1 - p) \ln (1 - \sigma({scale} z)).$$

Set `slope` to the derivative $dL/dz$: an expression in the symbols `z` and `p`, which the
cell below defines. Any equivalent form is right.
""",
        task="dL/dz as a SymPy expression in z and p",
        solution=f"""
sigma = 1 / (1 + sp.exp(-{scale} * z))
slope = sp.diff(-{weight} * p * sp.log(sigma) - (1 - p) * sp.log(1 - sigma), z)
""",
    )


def shared(rng) -> Part:
    """03: what a context is worth, from a table of counts."""

    def draw(rng):
        counts = 4 + rng.multinomial(70, rng.dirichlet(np.full(6, 1.2))).reshape(2, 3)
        return (counts,)

    def three(counts, unit=LN2, axis=1):
        joint = counts / counts.sum()
        h = entr(joint).sum() / unit
        context, word = entr(joint.sum(axis=axis)).sum() / unit, entr(joint.sum(axis=1 - axis)).sum() / unit
        return {"H(X, Y)": h, "H(Y | X)": h - context, "I(X; Y)": word - (h - context)}

    mistakes = (
        Mistake(
            "M1",
            lambda c: three(c, 1.0),
            "Your numbers are {ratio} = ln 2 times the right ones: they are in nats.",
        ),
        Mistake(
            "L16",
            lambda c: three(c) | {"H(Y | X)": three(c, axis=0)["H(Y | X)"]},
            "You give H(X | Y). The context X is known, and Y is predicted.",
        ),
        Mistake(
            "L24",
            lambda c: three(c) | {"H(Y | X)": three(c)["H(Y | X)"] + three(c)["I(X; Y)"]},
            "That is the entropy of Y alone: the context is ignored.",
        ),
        Mistake(
            "L10",
            lambda c: three(c) | {"I(X; Y)": three(c)["H(X, Y)"] - three(c)["H(Y | X)"]},
            "Joint minus conditional is the entropy of the context. Take H(Y) - H(Y | X).",
        ),
        Mistake(
            "L1",
            lambda c: three(c) | {"H(Y | X)": sum(entr(row / row.sum()).sum() for row in c) / LN2},
            "You add the entropies of the rows. Weight each with how often its context comes.",
        ),
        Mistake(
            "M9",
            lambda c: three(c) | {"H(Y | X)": np.mean([entr(row / row.sum()).sum() for row in c]) / LN2},
            "You average the rows with equal weights, though the contexts are not equally frequent.",
        ),
    )

    def worth(counts):
        return three(counts)["I(X; Y)"] > 0.03 and counts.sum(axis=1).min() / counts.sum() < 0.42

    (counts,) = draw_apart(rng, draw, three, mistakes, worth)
    rows = "\n".join(
        f"| $x_{i + 1}$ | {' | '.join(map(str, row))} |" for i, row in enumerate(counts.tolist())
    )
    return value_part(
        "shared",
        title="what a context is worth",
        chapters="03",
        minutes=8,
        points=4,
        parts=(1, 2, 1),
        right=three,
        case=(counts,),
        mistakes=mistakes,
        given=f"counts = np.array({counts.tolist()})",
        text=f"""
A corpus has these counts of a context $X$ and the word $Y$ that follows it.

| | $y_1$ | $y_2$ | $y_3$ |
|---|---|---|---|
{rows}

Take the relative frequencies as the true probabilities. Set `shared` to a dictionary with the keys
`"H(X, Y)"`, `"H(Y | X)"` and `"I(X; Y)"`, in bits.
""",
        task="joint entropy, conditional entropy and mutual information, in bits",
        solution="""
joint = counts / counts.sum()
entropy = lambda p: -(p * np.log2(p)).sum()
conditional = entropy(joint) - entropy(joint.sum(axis=1))
information = entropy(joint.sum(axis=0)) - conditional
shared = {"H(X, Y)": entropy(joint), "H(Y | X)": conditional, "I(X; Y)": information}
""",
    )
