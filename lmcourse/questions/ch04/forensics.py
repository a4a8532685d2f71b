"""Chapter 04, reports to judge: from two numbers and some counts, the mistake, or that there is none."""

import math
from dataclasses import replace

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.verdicts import Audit, exponents
from lmcourse.questions.shared.wrong import but


def _exponent(report):
    return math.log(report["reported"]) / report["loss"]


def _suspects(report):
    counts = {key: report[key] for key in ("tokens", "sentences", "padding")}
    return exponents("M1 M2 M3 M5 none M19 M25 M26", **counts)


AUDIT = Audit("exponents", _exponent, _suspects)
"""The exponent ln reported / loss of each report, and the mistakes that have them, or "none"."""


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
    title="which mistake was made?",
    kind="forensics",
    stars=3,
    points=3,
    right=AUDIT,
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
    entry_points={"exponents": 1, "verdicts": 2},
    mistakes=(
        Mistake(
            "L9",
            replace(AUDIT, evidence=lambda report: report["reported"] / math.exp(report["loss"])),
            "You divide the two perplexities. A wrong base or count raises the perplexity to a power: "
            "divide their logarithms.",
            explains="answer",
        ),
        Mistake(
            "L9",
            replace(AUDIT, evidence=lambda report: math.log(report["reported"]) / math.exp(report["loss"])),
            "You divide a logarithm by a perplexity. Divide it by the loss, which is the logarithm of the "
            "right one.",
            explains="answer",
        ),
        Mistake(
            "L7",
            replace(AUDIT, evidence=lambda report: 1 / _exponent(report)),
            "Your exponents are upside down: they turn the reported number into the right one. The task "
            "asks for ln r / L.",
            explains="answer",
        ),
        Mistake(
            "L34",
            but(AUDIT, {"exponents": lambda reports: 1 / AUDIT(reports)["exponents"]}),
            "Your exponents are upside down: they turn the reported number into the right one. The task "
            "asks for ln r / L.",
        ),
        Mistake(
            "L28",
            AUDIT.without_acquittal(),
            "You find a mistake in a report that is right. If the exponent is 1, the verdict is 'none'.",
        ),
        Mistake(
            "L3",
            replace(AUDIT, suspects=_upside_down(("M1", "M2"))),
            "Your M1 and M2 are exchanged. For the same loss, is 2**loss above or below e**loss?",
        ),
        Mistake(
            "L3",
            replace(AUDIT, suspects=_upside_down(("M1", "M2", "M3"))),
            "Your verdicts on the bases are the wrong way round. For the same loss, is 2**loss above or "
            "below e**loss?",
        ),
        Mistake(
            "L7",
            replace(AUDIT, suspects=_upside_down(("M19", "M25", "M26"))),
            "The ratios of counts behind your verdicts are upside down. Does dividing by more tokens give a "
            "larger or a smaller exponent?",
        ),
    ),
    alike=(("L3", "L3 (2)", "the first visible case has no report with M3"),),
    advice="Each mistake multiplies the loss by a factor. Work out that factor for each verdict: it is a "
    "constant, or it follows from the counts of the report.",
)

QUESTIONS = (FORENSICS,)
