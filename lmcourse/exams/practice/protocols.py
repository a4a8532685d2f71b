"""Tasks of the third exam about the test set and its protocol: chapter 09."""

from __future__ import annotations

import math

import numpy as np

from lmcourse.exams.task import rows, value_builder
from lmcourse.hints.question import Mistake
from lmcourse.questions.shared.wrong import but

# --- leaked: which share of the test tokens explains a perplexity -------------------------------------------


def _leak(rng):
    clean = round(float(rng.uniform(18, 45)), 1)
    known = round(float(rng.uniform(0.2, 0.9)), 2)
    share = rng.uniform(0.03, 0.12)
    return clean, known, round(math.exp((1 - share) * math.log(clean) + share * known), 2)


def _leaked(clean, known, reported):
    return {
        "share": 100 * math.log(clean / reported) / (math.log(clean) - known),
        "twice": reported**2 / clean,
    }


leaked = value_builder(
    title="a leak, and one twice as large",
    entry_points=(2, 1),
    draw=_leak,
    right=_leaked,
    mistakes=(
        Mistake(
            "M8",
            lambda clean, known, reported: {
                "share": 100 * (clean - reported) / (clean - math.exp(known)),
                "twice": 2 * reported - clean,
            },
            "You mix perplexities. The loss of the whole text is the weighted mean of the two losses.",
        ),
        Mistake(
            "L22",
            but(
                _leaked,
                {"share": lambda clean, known, reported: 100 * (1 - math.log(reported) / math.log(clean))},
            ),
            "In your share the leaked tokens have no loss at all. They still lose some nats.",
        ),
        Mistake(
            "L29",
            but(_leaked, {"share": lambda *case: _leaked(*case)["share"] / 100}),
            "Your share is a fraction, and per cent are asked for.",
        ),
        Mistake(
            "L9",
            but(_leaked, {"share": lambda clean, known, reported: 100 * (1 - reported / clean)}),
            "Your share is by how much the perplexity has fallen. Compare losses, and divide by what a leaked"
            " token gains.",
        ),
        Mistake(
            "L9",
            but(_leaked, {"twice": lambda clean, known, reported: 2 * reported - clean}),
            "With twice the leak you let the perplexity fall by twice the difference. It is the loss that "
            "does so.",
        ),
    ),
    given="clean, known, reported = {clean}, {known}, {reported}",
    text="""
On clean text a model has a perplexity of {clean}. Then a share of the test tokens got into its training text.
These tokens had been neither easier nor harder than the others; now the model's loss on each of them is
{known} nats, and its loss on every other token is what it was before. It reports a perplexity of {reported}.

Set `leaked` to a dictionary: `"share"` is the share of the test tokens that have leaked, in per cent, and
`"twice"` the perplexity that it would report if twice as large a share had leaked.
""",
    message="a share in per cent and a perplexity",
    solution="""
share = math.log(clean / reported) / (math.log(clean) - known)
leaked = {"share": 100 * share, "twice": clean * math.exp(-2 * share * (math.log(clean) - known))}
""",
    advice="Write the reported loss as a weighted mean of two losses, with the share as a weight.",
)

# --- mixes: two models on two texts with other shares of two slices -----------------------------------------


def _two_texts(rng):
    """Tokens and perplexities of an easy and a hard slice, of model A and of model B."""
    easy, hard = rng.uniform(8, 14), rng.uniform(30, 70)
    tokens = rng.permutation([[int(rng.integers(60, 90)), int(rng.integers(10, 30))],
                              [int(rng.integers(15, 50)), int(rng.integers(50, 90))]])  # fmt: skip
    tilt = 1 + rng.choice([-1, 1]) * rng.uniform(0.04, 0.15)
    a = [round(float(easy * tilt), 1), round(float(hard / tilt * rng.uniform(0.95, 1.05)), 1)]
    return (
        tokens[0] * 100,
        np.array(a),
        tokens[1] * 100,
        np.array([round(float(easy), 1), round(float(hard), 1)]),
    )


def _pooled(tokens, perplexities):
    return math.exp((tokens * np.log(perplexities)).sum() / tokens.sum())


def _mixes(own, a, other, b):
    same, reported = _pooled(own, b), _pooled(own, a)
    return {"A": reported, "B": same, "better": "A" if reported < same else "B"}


def _clear(own, a, other, b):
    return abs(math.log(_pooled(own, a) / _pooled(own, b))) > 0.02


mixes = value_builder(
    title="two models, two mixtures of slices",
    entry_points=(1, 2, 1),
    letters="AB",
    draw=_two_texts,
    suits=_clear,
    right=_mixes,
    mistakes=(
        Mistake(
            "M80",
            but(_mixes, {"B": lambda own, a, other, b: _pooled(other, b)}),
            "Your value for B is what B reports, on its own mixture of slices. Give its slices the tokens "
            "of A's text.",
        ),
        Mistake(
            "M8",
            but(
                _mixes,
                {
                    "A": lambda own, a, other, b: float(np.average(a, weights=own)),
                    "B": lambda own, a, other, b: float(np.average(b, weights=own)),
                },
            ),
            "You average perplexities with the tokens as weights. Average the losses, and exponentiate.",
        ),
        Mistake(
            "M9",
            but(
                _mixes,
                {
                    "A": lambda own, a, other, b: math.sqrt(a.prod()),
                    "B": lambda own, a, other, b: math.sqrt(b.prod()),
                },
            ),
            "You average the losses of the two slices as if they had the same number of tokens.",
        ),
        Mistake(
            "L31",
            but(_mixes, {"A": lambda own, a, other, b: _pooled(other, a)}),
            "Your value for A has the tokens of B's text.",
        ),
    ),
    optional=(
        Mistake(
            "M80",
            but(
                _mixes,
                {"better": lambda own, a, other, b: "A" if _pooled(own, a) < _pooled(other, b) else "B"},
            ),
            "Your letter compares what the two models report, on texts with different shares of hard tokens.",
        ),
    ),
    given="own, a = np.array({own}), np.array({a})\nother, b = np.array({other}), np.array({b})",
    fields=lambda own, a, other, b: {"table": rows(("easy", "hard"), own, a, other, b)},
    text="""
Two models were tested on two texts of one kind, which have different shares of hard documents:

| slice | tokens of A's text | perplexity of A | tokens of B's text | perplexity of B |
|---|---|---|---|---|
{table}

Set `mixes` to a dictionary: `"A"` is A's perplexity on the whole of its text, `"B"` what B's perplexity
would be on a text with as many tokens in each slice as A's, and `"better"` the letter of the model with the
lower perplexity on such a text.
""",
    message="two perplexities and a letter",
    solution="""
weights = own / own.sum()
mixes = {"A": math.exp(weights @ np.log(a)), "B": math.exp(weights @ np.log(b))}
mixes["better"] = min("AB", key=mixes.get)
""",
    advice="The loss of a text is the mean of the losses of its slices, weighted with their tokens.",
)
