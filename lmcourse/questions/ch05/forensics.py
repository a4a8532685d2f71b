"""Chapter 05, conversions to judge: from a total and a reported number, the count that was used."""

import math

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.verdicts import Audit, read_verdicts
from lmcourse.questions.shared.wrong import but


def _implied(report):
    """The number of units that shared the total."""
    if report["unit"] == "bits per character":
        return report["bits"] / report["reported"]
    return report["bits"] / math.log2(report["reported"])


def _suspects(report):
    """The verdicts that a report of this kind can get, and the counts that they imply."""
    tokens, ends, words, chars = (report[key] for key in ("tokens", "ends", "words", "chars"))
    if report["unit"] == "perplexity per token":
        return {"none": tokens, "M25": tokens - ends}
    if report["unit"] == "perplexity per word":
        factor = report["bits"] / math.log2(2 ** (report["bits"] / tokens) * tokens / words)
        return {"none": words, "M35": factor, "M36": chars}
    return {"none": chars, "M36": words, "M37": 5 * words, "M38": report["bytes"]}


AUDIT = Audit("counts", _implied, _suspects)
"""How many units each reported number implies, and the verdict whose count is nearest."""


def _in_nats(report):
    """M1: the total in bits is held against a natural logarithm."""
    if report["unit"] == "bits per character":
        return _implied(report)
    return report["bits"] / math.log(report["reported"])


def _always_a_division(report):
    """L9: the bits are divided by the reported number, even if that is a perplexity."""
    return report["bits"] / report["reported"]


def _with_counts(evidence):
    """The right verdicts with other counts: a wrong verdict alone must not be put down to the counts."""
    return but(AUDIT, {"counts": lambda reports: np.array([evidence(report) for report in reports])})


def _report(mistake, unit, perplexity, words, rates=(1.3, 0.06, 5.8, 1.06)):
    """A report in which this mistake was made; ``rates``: tokens, ends, chars a word, bytes a char."""
    tokens, ends, chars = (round(rate * words) for rate in rates[:3])
    report = {
        "bits": float(f"{tokens * math.log2(perplexity):.7g}"),
        "tokens": tokens,
        "ends": ends,
        "words": words,
        "chars": chars,
        "bytes": round(rates[3] * chars),
        "unit": unit,
    }
    count = _suspects(report)[mistake]
    bits = report["bits"] / count
    return report | {"reported": float(f"{bits if unit == 'bits per character' else 2**bits:.6g}")}


KINDS = {
    "perplexity per token": ("none", "M25"),
    "perplexity per word": ("none", "M35", "M36"),
    "bits per character": ("none", "M36", "M37", "M38"),
}


def _draw_reports(rng, perplexities=(15, 60)):
    """Five reports: one acquittal, one of each unit with a mistake, and one of any kind."""
    kinds = [(str(rng.choice(mistakes[1:])), unit) for unit, mistakes in KINDS.items()]
    kinds += [("M35", "perplexity per word"), ("none", str(rng.choice(list(KINDS))))]
    reports = []
    for i in rng.permutation(len(kinds)):
        rates = rng.uniform([1.2, 0.05, 5.5, 1.05], [1.5, 0.1, 6.4, 1.2])
        reports.append(_report(*kinds[i], rng.uniform(*perplexities), int(rng.integers(800, 4000)), rates))
    return (reports,)


FORENSICS = Question(
    key="05.forensics",
    title="divided by what?",
    kind="forensics",
    stars=3,
    points=3,
    right=AUDIT,
    cases=(
        (
            [
                _report("M36", "bits per character", 34.0, 1200),
                _report("M35", "perplexity per word", 21.0, 2500),
                _report("none", "bits per character", 52.0, 900),
                _report("M25", "perplexity per token", 47.0, 3100),
                _report("M38", "bits per character", 18.0, 1700),
            ],
        ),
        (
            [
                _report("none", "perplexity per token", 40.0, 2200),
                _report("M37", "bits per character", 25.0, 3600),
                _report("M36", "perplexity per word", 16.0, 1500),
                _report("none", "perplexity per word", 30.0, 1100),
                _report("M35", "perplexity per word", 45.0, 1900),
            ],
        ),
    ),
    draw=_draw_reports,
    odd=(lambda rng: _draw_reports(rng, perplexities=(2.5, 4)),),
    reading=read_verdicts,
    entry_points={"counts": 1, "verdicts": 2},
    mistakes=(
        Mistake(
            "L9",
            _with_counts(_always_a_division),
            "Where a perplexity is reported, you divide the bits by it. Take its logarithm to base 2 first.",
        ),
        Mistake(
            "M1",
            _with_counts(_in_nats),
            "Where a perplexity is reported, you divide bits by nats. Use log2.",
        ),
        Mistake(
            "L28",
            AUDIT.without_acquittal(),
            "You find a mistake in a report that is right. If the implied count is the right one, nothing "
            "is wrong.",
        ),
        Mistake(
            "L7",
            _with_counts(lambda report: 1 / _implied(report)),
            "Your 'counts' are upside down. Divide the total by the bits per unit, and you get the number of "
            "units.",
        ),
    ),
    advice="Divide the total by the reported bits per unit: that is a count of units. Which of the counts in "
    "the report is it?",
)

QUESTIONS = (FORENSICS,)
