"""Chapter 05, conversions to judge: from a total and a reported number, the count that was used."""

import math
from dataclasses import replace

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.verdicts import Audit


def _implied(report):
    """The number of units over which the total was shared out."""
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


def _draw_reports(rng):
    """Five reports: one acquittal, one of each unit with a mistake, and one of any kind."""
    kinds = [(str(rng.choice(mistakes[1:])), unit) for unit, mistakes in KINDS.items()]
    kinds += [("M35", "perplexity per word"), ("none", str(rng.choice(list(KINDS))))]
    reports = []
    for i in rng.permutation(len(kinds)):
        rates = rng.uniform([1.2, 0.05, 5.5, 1.05], [1.5, 0.1, 6.4, 1.2])
        reports.append(_report(*kinds[i], rng.uniform(15, 60), int(rng.integers(800, 4000)), rates))
    return (reports,)


FORENSICS = Question(
    key="05.forensics",
    title="over how many was it shared?",
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
    mistakes=(
        Mistake(
            "L9",
            replace(AUDIT, evidence=_always_a_division),
            "You divide the bits by a perplexity. Bits are shared out, so take its logarithm first.",
        ),
        Mistake(
            "M1",
            replace(AUDIT, evidence=_in_nats),
            "Where a perplexity is reported, your counts are too large: bits over nats. Take log2.",
        ),
        Mistake(
            "L28",
            AUDIT.without_acquittal(),
            "Your counts are right, and you accuse reports that are right, too. The right count is an alibi.",
        ),
        Mistake(
            "L7",
            replace(AUDIT, evidence=lambda report: 1 / _implied(report)),
            "Your counts are upside down. The total, over what one unit pays, is the number of units.",
        ),
    ),
    advice="Total bits over the reported bits per unit is a count of units. Which of the counts is it?",
)

QUESTIONS = (FORENSICS,)
