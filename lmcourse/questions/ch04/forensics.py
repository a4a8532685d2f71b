"""Chapter 04, reports to judge: from two numbers and some counts, the mistake, or an acquittal."""

from __future__ import annotations

import math

import numpy as np

from lmcourse.hints import mistakes as wrong
from lmcourse.hints.question import Mistake, Question

# --- forensics -------------------------------------------------------------------------------------------


def audit(reports):
    """The exponent ln reported / loss of each report, and the mistakes that have them, or "none"."""
    return _findings(reports)


def _exponent(report):
    return math.log(report["reported"]) / report["loss"]


def _suspects(report):
    tokens, sentences, padding = (report[key] for key in ("tokens", "sentences", "padding"))
    return wrong.EXPONENT | {
        "none": 1.0,
        "M19": tokens / (tokens + padding),
        "M25": tokens / (tokens - sentences),
        "M26": tokens / (tokens + sentences),
    }


def _findings(reports, exponent=_exponent, suspects=_suspects):
    """The dictionary, from another evidence or other suspects."""
    exponents = [exponent(report) for report in reports]
    return {
        "exponents": np.array(exponents),
        "verdicts": " ".join(
            _nearest(suspects(report), found) for report, found in zip(reports, exponents, strict=True)
        ),
    }


def _nearest(suspects, exponent):
    return min(suspects, key=lambda name: abs(suspects[name] - exponent))


def _findings_with(**changes):
    return lambda reports: _findings(reports, **changes)


def _without_acquittal(report):
    return {name: exponent for name, exponent in _suspects(report).items() if name != "none"}


def _upside_down(names):
    """The suspects, with the exponents of some of them inverted."""
    return lambda report: {k: 1 / e if k in names else e for k, e in _suspects(report).items()}


def _report(mistake, perplexity, tokens, sentences, padding):
    """A report in which this mistake was made; its numbers have six digits."""
    loss = float(f"{math.log(perplexity):.6g}")
    report = {"loss": loss, "tokens": tokens, "sentences": sentences, "padding": padding}
    return report | {"reported": float(f"{math.exp(loss * _suspects(report)[mistake]):.6g}")}


def _draw_reports(rng):
    """Four reports: one is right, one has a wrong base, one a wrong count, one has any mistake."""
    kinds = (["none"], ["M1", "M2", "M3"], ["M19", "M25", "M26"], ["M1", "M2", "M5", "M19", "M25", "M26"])
    reports = []
    for mistake in rng.permutation([str(rng.choice(kind)) for kind in kinds]):
        tokens = int(rng.integers(400, 900))
        # shares of sentences and of padding that keep the exponents apart
        sentences, padding = int(rng.uniform(0.05, 0.1) * tokens), int(rng.uniform(0.17, 0.3) * tokens)
        reports.append(_report(str(mistake), rng.uniform(8, 300), tokens, sentences, padding))
    return (reports,)


FORENSICS = Question(
    key="04.forensics",
    title="guilty, and of what?",
    kind="forensics",
    stars=3,
    points=3,
    right=audit,
    cases=(
        (
            [
                _report("M25", 96.0, 640, 50, 120),
                _report("none", 31.5, 800, 64, 200),
                _report("M2", 9.2, 610, 45, 120),
                _report("M19", 57.0, 500, 40, 110),
            ],
        ),
        (
            [
                _report("M1", 212.0, 450, 30, 90),
                _report("M26", 143.0, 720, 60, 130),
                _report("M5", 18.0, 530, 42, 100),
                _report("M3", 75.0, 700, 50, 140),
                _report("none", 264.0, 560, 33, 150),
            ],
        ),
    ),
    draw=_draw_reports,
    mistakes=(
        Mistake(
            "L9",
            _findings_with(exponent=lambda report: report["reported"] / math.exp(report["loss"])),
            "You divide the two perplexities. A wrong base or count changes the exponent: divide logarithms.",
        ),
        Mistake(
            "L9",
            _findings_with(exponent=lambda report: math.log(report["reported"]) / math.exp(report["loss"])),
            "You divide a logarithm by a perplexity. The loss is the right logarithm already.",
        ),
        Mistake(
            "L7",
            _findings_with(exponent=lambda report: 1 / _exponent(report)),
            "Your exponents are upside down: they lead from the reported number to the right one.",
        ),
        Mistake(
            "L28",
            _findings_with(suspects=_without_acquittal),
            "One of the reports is right, and you accuse it. An exponent of 1 is an alibi.",
        ),
        Mistake(
            "L3",
            _findings_with(suspects=_upside_down(("M1", "M2", "M3"))),
            "Your exponents are right, and the bases are named the wrong way round. 2**nats is less than "
            "e**nats.",
        ),
        Mistake(
            "L7",
            _findings_with(suspects=_upside_down(("M19", "M25", "M26"))),
            "Your exponents are right, and the counts are upside down. Who divides by more tokens gets a "
            "smaller exponent.",
        ),
    ),
    advice="Each mistake multiplies the loss by a number that you can compute from the counts of the report.",
)

QUESTIONS = (FORENSICS,)
