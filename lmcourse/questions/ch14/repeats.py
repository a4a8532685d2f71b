"""Chapter 14, samplers: documents that a sampler has handed out twice, found in reports."""

import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import exchanged, then


def came_twice(nats, tokens, reports, of=lambda D, W: -D % W, value=None, both=True):
    """How many documents each report has counted twice, and the first two of the order in which they come."""
    value = value or (lambda total, count, more, n: math.exp((total + more) / (count + n)))
    D, total, count = len(nats), nats.sum(), tokens.sum()
    repeats = np.array([float(of(D, W)) for W, _ in reports])
    by_number = {-D % W: reported for W, reported in reports}

    def nearest(reported, before=()):
        left = [i for i in range(D) if i not in before]
        more, n = (sum(values[i] for i in before) for values in (nats, tokens))
        return min(left, key=lambda i: abs(value(total, count, more + nats[i], n + tokens[i]) - reported))

    first = nearest(by_number[1])
    second = nearest(by_number[2], (first,) if both else ())
    return {"repeats": repeats, "first": first, "second": second}


def _mixed(total, count, more, n):
    """The perplexities of the text and of what came twice, averaged by their tokens."""
    return (count * math.exp(total / count) + n * math.exp(more / n)) / (count + n)


def _widths(D, lacking, most=24):
    return [W for W in range(2, most) if lacking == -D % W]


def _draw_reports(rng, documents=None):
    while True:
        D = documents or int(rng.integers(10, 30))
        if all(_widths(D, lacking) for lacking in range(3)):
            break
    tokens = rng.integers(150, 1500, size=D).astype(float)
    nats = np.round(tokens * rng.uniform(1.8, 4.4, size=D), 3)
    order = rng.permutation(D)
    reports = []
    for lacking in rng.permutation(3).tolist():
        some = order[:lacking]
        loss = (nats.sum() + nats[some].sum()) / (tokens.sum() + tokens[some].sum())
        reports.append((int(rng.choice(_widths(D, lacking))), float(f"{math.exp(loss):.12g}")))
    return nats, tokens, reports


CAME_TWICE = Question(
    key="14.came-twice",
    title="which documents came twice?",
    kind="forensics",
    stars=3,
    points=3,
    right=came_twice,
    cases=(
        _draw_reports(np.random.default_rng(1421), 10),
        _draw_reports(np.random.default_rng(1425), 14),
        _draw_reports(np.random.default_rng(1426), 26),
    ),
    draw=_draw_reports,
    entry_points={"repeats": 1, "first": 1, "second": 1},
    mistakes=(
        Mistake(
            "M85",
            partial(came_twice, of=lambda D, W: D % W),
            "Your 'repeats' is the remainder of the division, the number that would be dropped. The "
            "sampler repeats as many as are lacking until all ranks have the same number.",
        ),
        Mistake(
            "L11",
            partial(came_twice, of=lambda D, W: W - D % W),
            "In one of the reports the ranks divide the documents evenly, and then nothing is repeated. "
            "Your 'repeats' gives as many repeats there as there are ranks.",
        ),
        Mistake(
            "L40",
            lambda nats, tokens, reports: (
                came_twice(nats, tokens, reports) | {"second": came_twice(nats, tokens, reports)["first"]}
            ),
            "Your 'second' is the document of 'first' again. The first two documents of the order are "
            "different.",
        ),
        Mistake(
            "L31",
            exchanged(came_twice, "first", "second"),
            "You have swapped 'first' and 'second'. The report with one repeated document shows the first.",
        ),
        Mistake(
            "L23",
            then(
                came_twice, lambda found: found | {"first": found["first"] + 1, "second": found["second"] + 1}
            ),
            "You count the documents from 1. Count them from 0.",
        ),
        Mistake(
            "M8",
            partial(came_twice, value=_mixed),
            "You average perplexities, though with tokens as weights. Put the nats and the tokens of the "
            "repeated documents into the two totals.",
        ),
        Mistake(
            "L27",
            partial(came_twice, value=lambda total, count, more, n: math.exp((total + more) / count)),
            "You add the nats of the repeated documents to the total, but not their tokens to the count.",
        ),
        Mistake(
            "L22",
            partial(came_twice, both=False),
            "In the report with two repeated documents you look for one. The first of the order is repeated "
            "there as well.",
        ),
    ),
    properties=(
        Property(
            "there is one number of repeats for each report, from 0 to one less than its ranks",
            lambda value, nats, tokens, reports: all(
                0 <= n < W for n, (W, _) in zip(value["repeats"], reports, strict=True)
            ),
        ),
        Property(
            "'first' or 'second' is not the place of a document, counted from 0",
            lambda value, nats, tokens, reports: {value["first"], value["second"]} <= set(range(len(nats))),
        ),
    ),
    advice="Which number of ranks divides the documents evenly? Compute from the rows what it must have "
    "printed. Then compute what the report with one repeat would have printed for each document.",
)

QUESTIONS = (CAME_TWICE,)
