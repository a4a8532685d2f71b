"""Tasks of the final exam about two models together: chapters 06 and 08."""

from __future__ import annotations

import math

import numpy as np

from lmcourse.exams.part import Part, draw_apart, value_part
from lmcourse.hints.question import Mistake

LN2 = math.log(2)


def mixed(rng) -> Part:
    """06 and 08: one step of expectation and maximisation for the weight of a mixture."""

    def draw(rng):
        a, b = (np.round(np.exp(rng.uniform(-5, -0.5, 5)), 3) for _ in range(2))
        return a, b, round(rng.uniform(0.2, 0.8), 1)

    def step(a, b, weight, count=None):
        share = weight * a / (weight * a + (1 - weight) * b) if count is None else count
        new = share.mean()
        return {
            "shares": share,
            "weight": new,
            "perplexity": math.exp(-np.log(new * a + (1 - new) * b).mean()),
        }

    mistakes = (
        Mistake(
            "L25",
            lambda a, b, w: step(a, b, w, (w * a > (1 - w) * b).astype(float)),
            "You give each token to the likelier model whole. Share it in proportion.",
        ),
        Mistake(
            "L8",
            lambda a, b, w: step(a, b, w, a / (a + b)),
            "Your shares leave the old weight out: each model's probability is multiplied by its weight.",
        ),
        Mistake(
            "L7",
            lambda a, b, w: step(a, b, w, 1 - w * a / (w * a + (1 - w) * b)),
            "Those are the shares of the second model.",
        ),
        Mistake(
            "L30",
            lambda a, b, w: (
                step(a, b, w)
                | {
                    "perplexity": math.exp(
                        -np.mean(
                            np.log(a) * step(a, b, w)["weight"] + np.log(b) * (1 - step(a, b, w)["weight"])
                        )
                    )
                }
            ),
            "You mix logarithms. A mixture adds probabilities, and takes the logarithm of the sum.",
        ),
    )
    a, b, weight = draw_apart(rng, draw, step, mistakes, lambda a, b, w: w != 0.5 and np.abs(a - b).min() > 0)
    rows = "\n".join(f"| {i} | {x} | {y} |" for i, (x, y) in enumerate(zip(a, b, strict=True), 1))
    return value_part(
        "mixed",
        title="the weight of a mixture",
        chapters="06, 08",
        minutes=8,
        points=4,
        parts=(2, 1, 1),
        right=step,
        case=(a, b, weight),
        mistakes=mistakes,
        given=f"counted = np.array({a.tolist()})\nnetwork = np.array({b.tolist()})\nweight = {weight}",
        text=f"""
A counted model and a network give these probabilities to five held-out tokens.

| token | counted | network |
|---|---|---|
{rows}

Their mixture gives the counted model the weight {weight}. Make one step of expectation and
maximisation: set `mixed` to a dictionary with `"shares"`, the counted model's share of each token (five
numbers), `"weight"`, its new weight, and `"perplexity"`, that of the mixture on the five tokens with
the new weight.
""",
        task="the five shares, the new weight, and the perplexity with it",
        solution="""
shares = weight * counted / (weight * counted + (1 - weight) * network)
new = shares.mean()
perplexity = np.exp(-np.log(new * counted + (1 - new) * network).mean())
mixed = {"shares": shares, "weight": new, "perplexity": perplexity}
""",
    )


def paired(rng) -> Part:
    """08: a difference between two models, with its standard error."""

    def draw(rng):
        hard = rng.normal(4.6, 0.35, 8) * 500
        a = np.round(hard + rng.normal(0, 14, 8), 0)
        return a, np.round(hard - rng.uniform(8, 40) + rng.normal(0, 14, 8), 0), 500

    def three(a, b, tokens, unit=LN2, ddof=1, root=True):
        a, b = a / tokens / unit, b / tokens / unit
        share = len(a) ** -0.5 if root else 1.0
        apart = math.hypot(a.std(ddof=ddof), b.std(ddof=ddof))
        return {
            "difference": (a - b).mean(),
            "paired": (a - b).std(ddof=ddof) * share,
            "unpaired": apart * share,
        }

    def exchanged(*case):
        found = three(*case)
        return found | {"paired": found["unpaired"], "unpaired": found["paired"]}

    mistakes = (
        Mistake("M1", lambda *case: three(*case, unit=1.0), "Your numbers are in nats per token."),
        Mistake(
            "L23",
            lambda *case: three(*case, ddof=0),
            "Divide the squares by n - 1: the mean is estimated too.",
        ),
        Mistake(
            "L22", lambda *case: three(*case, root=False), "Those are standard deviations of one document."
        ),
        Mistake("L31", exchanged, "The paired error is that of the differences; you have the two exchanged."),
    )
    a, b, tokens = draw_apart(rng, draw, three, mistakes)
    rows = "\n".join(f"| {i} | {x:.0f} | {y:.0f} |" for i, (x, y) in enumerate(zip(a, b, strict=True), 1))
    return value_part(
        "paired",
        title="is the difference real?",
        chapters="08",
        minutes=8,
        points=4,
        parts=(1, 2, 1),
        right=three,
        case=(a, b, tokens),
        mistakes=mistakes,
        given=f"nats_a = np.array({a.tolist()})\nnats_b = np.array({b.tolist()})\ntokens = {tokens}",
        text=f"""
Two models were scored on the same eight documents of {tokens} tokens each. The totals are in nats.

| document | model A | model B |
|---|---|---|
{rows}

Set `paired` to a dictionary, all in bits per token: `"difference"` is the mean of A minus B over the
documents, `"paired"` its standard error from the eight differences, and `"unpaired"` the standard error
that you would state if you took the two columns for independent samples (the root of the sum of their
squared standard errors). Squares are divided by $n - 1$.
""",
        task="the mean difference, its paired and its unpaired standard error, in bits per token",
        solution="""
x, y = nats_a / tokens / np.log(2), nats_b / tokens / np.log(2)
error = lambda v: v.std(ddof=1) / np.sqrt(len(v))
paired = {"difference": (x - y).mean(), "paired": error(x - y), "unpaired": np.hypot(error(x), error(y))}
""",
    )


def planned(rng) -> Part:
    """08: in words, a fair race between a counted model and a network."""
    language = str(rng.choice(["Finnish news", "Chinese novels", "Portuguese parliament debates"]))
    words = int(rng.choice([200_000, 2_000_000, 50_000_000]))
    kept = str(rng.choice(["its state across documents", "its state across sentences"]))
    size = f"{words:,}".replace(",", " ")
    return Part(
        "planned",
        title="a fair race",
        chapters="08",
        minutes=12,
        points=7,
        text=f"""
You have {size} words of {language}, two hours of one laptop, a counted model with modified Kneser-Ney
smoothing, and an LSTM that carries {kept}. Somebody wants to know which is better.

Write ten to fifteen sentences. Say how you would divide the text, which vocabulary and unit you would
use and why, what each model may see of the test text before it is scored on a token and how you would
make that equal, what you would tune and on what, which number you would report with which interval, and
what you expect at this size.
""",
        prompt="*Write ten to fifteen sentences here.*",
        model="Whole documents are divided into training, validation and test text before anything is"
        " fitted. Both models have one vocabulary, and the loss is given in bits per character of the same"
        f" text, so that another vocabulary could be compared later. The LSTM that carries {kept} has seen"
        " more than the last four words: give the counted model a cache of the same past, or cut the state,"
        " and show both. Order, discounts, size and steps are chosen on validation text. Report the pooled"
        " difference with a paired interval over documents."
        f" At {size} words "
        + {
            200_000: "counting is expected ahead, or close.",
            2_000_000: "the network may be ahead, if two hours suffice to train it; a mixture beats both.",
            50_000_000: "the network would be ahead with enough training; two hours may not be enough.",
        }[words],
        rubric=(
            (1, "divides by documents, and fits nothing on test text."),
            (1, "one vocabulary, or bits per character, with the reason; unknown words scored in full."),
            (2, f"sees that carrying {kept} is more context, and makes it equal (cache, or state cut)."),
            (1, "tunes on validation text, and names what."),
            (1, "a pooled number with a unit and a paired interval over documents."),
            (1, f"an expectation for {size} words, with its reason."),
        ),
    )
