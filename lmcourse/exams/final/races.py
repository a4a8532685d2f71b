"""Tasks of the final exam about two models together: chapters 06 and 08."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from lmcourse.exams.task import ExamTask, rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.units import LN2

# --- mixed: one step of expectation and maximisation for the weight of a mixture ----------------------------


def _probabilities(rng):
    a, b = (np.round(np.exp(rng.uniform(-5, -0.5, 4)), 3) for _ in range(2))
    return a, b, round(rng.uniform(0.2, 0.8), 1)


def _shares(a, b, weight):
    return weight * a / (weight * a + (1 - weight) * b)


def _arithmetic(a, b, weight):
    return np.log(weight * a + (1 - weight) * b)


def _geometric(a, b, weight):
    return np.log(a) * weight + np.log(b) * (1 - weight)


def _mixed(a, b, weight, shares=_shares, mixture=_arithmetic):
    share = shares(a, b, weight)
    new = share.mean()
    return {"shares": share, "weight": new, "perplexity": math.exp(-mixture(a, b, new).mean())}


mixed = value_builder(
    title="the weight of a mixture",
    entry_points=(2, 1, 1),
    draw=_probabilities,
    suits=lambda a, b, weight: weight != 0.5 and np.abs(a - b).min() > 0,
    right=_mixed,
    mistakes=(
        Mistake(
            "L25",
            partial(_mixed, shares=lambda a, b, w: (w * a > (1 - w) * b).astype(float)),
            "You give each token to the likelier model whole. Share it in proportion.",
        ),
        Mistake(
            "L8",
            partial(_mixed, shares=lambda a, b, w: a / (a + b)),
            "Your shares leave the old weight out: each model's probability is multiplied by its weight.",
        ),
        Mistake(
            "L7",
            partial(_mixed, shares=lambda a, b, w: 1 - _shares(a, b, w)),
            "Those are the shares of the second model.",
        ),
        Mistake(
            "L30",
            partial(_mixed, mixture=_geometric),
            "You mix logarithms. A mixture adds probabilities, and takes the logarithm of the sum.",
        ),
    ),
    given="counted = np.array({a})\nnetwork = np.array({b})\nweight = {weight}",
    fields=lambda a, b, weight: {"table": rows(range(1, 5), a, b)},
    text="""
A counted model and a network give these probabilities to four held-out tokens.

| token | counted | network |
|---|---|---|
{table}

Their mixture gives the counted model the weight {weight}. Make one step of expectation and
maximisation: set `mixed` to a dictionary with `"shares"`, the counted model's share of each token (four
numbers), `"weight"`, its new weight, and `"perplexity"`, that of the mixture on the four tokens with
the new weight.
""",
    message="the four shares, the new weight, and the perplexity with it",
    solution="""
shares = weight * counted / (weight * counted + (1 - weight) * network)
new = shares.mean()
perplexity = np.exp(-np.log(new * counted + (1 - new) * network).mean())
mixed = {"shares": shares, "weight": new, "perplexity": perplexity}
""",
)

# --- paired: a difference between two models, with its standard error ---------------------------------------


def _totals(rng):
    hard = rng.normal(4.6, 0.35, 4) * 500
    a = np.round(hard + rng.normal(0, 14, 4), 0)
    return a, np.round(hard - rng.uniform(8, 40) + rng.normal(0, 14, 4), 0), 500


def _paired(a, b, tokens, unit=LN2, ddof=1, root=True):
    a, b = a / tokens / unit, b / tokens / unit
    share = len(a) ** -0.5 if root else 1.0
    return {
        "difference": (a - b).mean(),
        "paired": (a - b).std(ddof=ddof) * share,
        "unpaired": math.hypot(a.std(ddof=ddof), b.std(ddof=ddof)) * share,
    }


def _exchanged(*case):
    found = _paired(*case)
    return found | {"paired": found["unpaired"], "unpaired": found["paired"]}


paired = value_builder(
    title="is the difference real?",
    entry_points=(1, 2, 1),
    draw=_totals,
    right=_paired,
    mistakes=(
        Mistake("M1", partial(_paired, unit=1.0), "Your numbers are in nats per token."),
        Mistake("L23", partial(_paired, ddof=0), "Divide the squares by n - 1: the mean is estimated too."),
        Mistake("L22", partial(_paired, root=False), "Those are standard deviations of one document."),
        Mistake(
            "L31", _exchanged, "The paired error is that of the differences; you have the two exchanged."
        ),
    ),
    given="nats_a = np.array({a})\nnats_b = np.array({b})\ntokens = {tokens}",
    fields=lambda a, b, tokens: {"table": rows(range(1, 5), a.astype(int), b.astype(int))},
    text="""
Two models were scored on the same four documents of {tokens} tokens each. The totals are in nats.

| document | model A | model B |
|---|---|---|
{table}

Set `paired` to a dictionary, all in bits per token: `"difference"` is the mean of A minus B over the
documents, `"paired"` its standard error from the four differences, and `"unpaired"` the standard error
that you would state if you took the two columns for independent samples (the root of the sum of their
squared standard errors). In each variance, the sum of squares is divided by $n - 1$.
""",
    message="the mean difference, its paired and its unpaired standard error, in bits per token",
    solution="""
x, y = nats_a / tokens / np.log(2), nats_b / tokens / np.log(2)
error = lambda v: v.std(ddof=1) / np.sqrt(len(v))
paired = {"difference": (x - y).mean(), "paired": error(x - y), "unpaired": np.hypot(error(x), error(y))}
""",
)

# --- planned: in words, a fair race between a counted model and a network -----------------------------------

LANGUAGES = ("Finnish news", "Turkish novels", "Portuguese parliament debates")
KEPT = ("its state across documents", "its state across sentences")
EXPECTED = {
    200_000: "counting is expected ahead, or close, because so short a text teaches a network little before"
    " it begins to learn the text by heart.",
    2_000_000: "the network may be ahead, if two hours suffice to train it, because what it learns of one"
    " word serves similar words; a mixture is expected to beat both.",
    50_000_000: "the network would be ahead with enough training, because it gains more from further text;"
    " but counting reads the text once, and two hours of a laptop may be too short for the network.",
}
"""What to expect of the race, by the words of the text."""

PLANNED = """
You have {size} words of {language}, two hours of one laptop, a counted model with modified Kneser–Ney
smoothing, and an LSTM that carries {kept}. Somebody wants to know which is better.

Write eight to twelve sentences. Say how you would divide the text, which vocabulary and unit you would
use and why, what each model may see of the test text before it is scored on a token and how you would
make that equal, what you would tune and on what, which number you would report with which interval, and
what you expect at this size.
"""


def planned(rng, **from_template) -> ExamTask:
    """08: in words, a fair race between a counted model and a network."""
    language, words, kept = str(rng.choice(LANGUAGES)), int(rng.choice(list(EXPECTED))), str(rng.choice(KEPT))
    size = f"{words:,}".replace(",", " ")
    return ExamTask(
        choices=(f"{size} {language} {kept}",),
        title="a fair race",
        text=PLANNED.format(size=size, language=language, kept=kept),
        prompt="*Write eight to twelve sentences here.*",
        model="Whole documents are divided into training, validation and test text before anything is"
        " fitted, and nothing is fitted on the test text. Both models have the one vocabulary of the"
        " training text, so that they predict the same tokens. An unknown word is scored in full: the"
        " symbol for unknown words, and then its letters under one model of letters for both. The loss"
        " is given in bits per character of the same text, so that another vocabulary could be"
        f" compared later. The LSTM that carries {kept} has seen more than the last four words. So the"
        " counted model gets a cache of the same past, or the state is cut, and both comparisons are"
        " shown. The order, the discounts and the cache of the one and the size and the steps of the"
        " other are chosen on the validation text. The number to report is the pooled difference in"
        f" bits per character, with a paired interval over documents. At {size} words {EXPECTED[words]}",
        rubric=(
            (1, "divides by documents, and fits nothing on test text."),
            (1, "one vocabulary, or bits per character, with the reason; unknown words scored in full."),
            (2, f"sees that carrying {kept} is more context, and makes it equal (cache, or state cut)."),
            (1, "tunes on validation text, and names what."),
            (1, "a pooled number with a unit and a paired interval over documents."),
            (1, f"an expectation for {size} words, with its reason."),
        ),
        **from_template,
    )
