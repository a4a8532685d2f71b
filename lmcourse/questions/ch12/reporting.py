"""Chapter 12, reports in the style of llama.cpp: an interval from their lines, a line that does not fit."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.verdicts import read_verdicts
from lmcourse.questions.shared.wrong import but, then


def _errors(report):
    """The standard errors of ln PPL(Q) and ln PPL(base), and their correlation."""
    (q, of_q), (base, of_base) = report["PPL(Q)"], report["PPL(base)"]
    return of_q / q, of_base / base, report["Cor"] / 100


def _paired(a, b, rho):
    return np.sqrt(a * a + b * b - 2 * rho * a * b)


def _unpaired(a, b, rho):
    return np.hypot(a, b)


def _change(report):
    """The change of the loss, in nats per token."""
    return np.log(report["PPL(Q)"][0] / report["PPL(base)"][0])


def _verdict(report):
    ratio, error = report["PPL(Q)/PPL(base)"]
    change, (a, b, rho) = _change(report), _errors(report)
    if abs(ratio - np.exp(-change)) < abs(ratio - np.exp(change)):
        return "ratio"
    if abs(error - ratio * _unpaired(a, b, rho)) < abs(error - ratio * _paired(a, b, rho)):
        return "error"
    return "kld" if abs(report["Mean KLD"] - change) < 1e-4 else "none"


def _per_cent(nats):
    return 100 * np.expm1(nats)


def read_reports(reports, z, error=_paired, errors=_errors, scale=_per_cent, verdict=_verdict):
    """Intervals for the rise of the perplexity in per cent, (R, 2), and each report's wrong line."""
    rises = []
    for report in reports:
        change, s = _change(report), error(*errors(report))
        rises.append([scale(change - z * s), scale(change + z * s)])
    return {"rise": np.array(rises), "verdicts": " ".join(map(verdict, reports))}


def _absolute(report):
    return report["PPL(Q)"][1], report["PPL(base)"][1], report["Cor"] / 100


def _swapped(one, other):
    """A wrong formula that takes one verdict for the other."""
    return but(
        read_reports,
        {
            "verdicts": lambda reports, z: " ".join(
                {one: other, other: one}.get(word, word) for word in map(_verdict, reports)
            )
        },
    )


def _report(rng, wrong, better=False):
    """A report with the digits of the tool; its change, its divergence and both errors can be told apart."""
    base, a = np.exp(rng.uniform(1.5, 2.2)), rng.uniform(0.004, 0.01)
    b, rho = a * rng.uniform(0.94, 1.06), rng.uniform(0.9, 0.995)
    change = -rng.uniform(0.004, 0.02) if better else rng.uniform(0.006, 0.08)
    kld = abs(change) * rng.choice([rng.uniform(0.3, 0.7), rng.uniform(1.4, 2.5)])
    ppl = base * np.exp(change)
    report = {
        "PPL(Q)": (round(ppl, 6), round(ppl * a, 6)),
        "PPL(base)": (round(base, 6), round(base * b, 6)),
        "Cor": round(100 * rho, 2),
    }
    s = _unpaired(a, b, rho) if wrong == "error" else _paired(*_errors(report))
    change = -_change(report) if wrong == "ratio" else _change(report)
    report["PPL(Q)/PPL(base)"] = round(np.exp(change), 6), round(np.exp(change) * s, 6)
    report["Mean KLD"] = round(_change(report) if wrong == "kld" else kld, 6)
    report["Same top p"] = round(100 - 60 * np.sqrt(kld) * rng.uniform(0.6, 1.0), 3)
    return {key: tuple(map(float, x)) if isinstance(x, tuple) else float(x) for key, x in report.items()}


def _draw_reports(rng, which=("none", "ratio", "error", "kld"), better=None):
    """Reports with these verdicts, in any order, and a number of standard errors."""
    reports = [
        _report(rng, str(wrong), rng.random() < 0.3 if better is None else better)
        for wrong in rng.permutation(list(which))
    ]
    return reports, float(rng.choice([1.64, 1.96, 2.58]))


REPORT = Question(
    key="12.report",
    title="lines of a report that have to fit",
    kind="forensics",
    stars=2,
    points=3,
    right=read_reports,
    cases=(
        _draw_reports(np.random.default_rng(1261), better=False),
        _draw_reports(
            np.random.default_rng(1263), which=("kld", "none", "error", "none", "ratio"), better=True
        ),
    ),
    draw=_draw_reports,
    odd=(
        lambda rng: _draw_reports(rng, which=("none",)),
        lambda rng: _draw_reports(rng, which=("ratio", "none"), better=True),
    ),
    entry_points={"rise": 1, "verdicts": 2},
    reading=read_verdicts,
    mistakes=(
        Mistake(
            "M63",
            partial(read_reports, error=_unpaired),
            "Your intervals are those of two perplexities from different texts. Both models have scored the "
            "same tokens: the correlation makes the error of the ratio much smaller.",
        ),
        Mistake(
            "L22",
            partial(read_reports, error=lambda a, b, rho: np.sqrt(a * a + b * b - rho * a * b)),
            "Your variance takes away the correlation times a and b once. It has to be taken away twice.",
        ),
        Mistake(
            "L22",
            partial(read_reports, errors=_absolute),
            "Your a and b are errors of perplexities. The interval is built on their logarithms: divide each "
            "error by its perplexity.",
        ),
        Mistake(
            "L8",
            lambda reports, z: read_reports(reports, 1.0),
            "Your intervals reach one standard error to each side. The number of standard errors is z.",
        ),
        Mistake(
            "L8",
            lambda reports, z: read_reports(reports, 1.96),
            "Your intervals use 1.96. The number of standard errors is the argument z.",
        ),
        Mistake(
            "M4",
            partial(read_reports, scale=lambda nats: 100 * nats),
            "Your 'rise' is 100 times the change of the loss in nats. The perplexity is its exponential.",
        ),
        Mistake(
            "L29",
            partial(read_reports, scale=np.expm1),
            "Your 'rise' is a fraction. The task asks for per cent.",
        ),
        Mistake(
            "L9",
            partial(read_reports, scale=lambda nats: 100 * np.exp(nats)),
            "Your 'rise' holds ratios of the perplexities in per cent. A rise is what they exceed 100 by.",
        ),
        Mistake(
            "L31",
            then(read_reports, lambda found: found | {"rise": found["rise"][:, ::-1]}),
            "Each of your intervals begins with its upper end.",
        ),
        Mistake(
            "L7",
            then(
                read_reports,
                lambda found: found | {"rise": _per_cent(-np.log1p(found["rise"][:, ::-1] / 100))},
            ),
            "Your 'rise' compares the original with Q, at least once. A rise is positive if Q has the higher "
            "perplexity. (The printed ratio may be upside down.)",
            explains="numbers",  # "at least once"
        ),
        Mistake(
            "M62",
            _swapped("kld", "none"),
            "You expect the mean KLD to equal the change of the loss. They are means of different things: "
            "one over the tokens that came, the other over whole forecasts. If they are equal to all digits, "
            "one has been copied into the other's place.",
        ),
        Mistake(
            "M63",
            _swapped("error", "none"),
            "You expect the error of the ratio without the correlation. Two models that score the same "
            "tokens are paired.",
        ),
        Mistake(
            "L34",
            _swapped("ratio", "none"),
            "You divide the perplexity of the original by that of Q. The line says PPL(Q)/PPL(base).",
        ),
        Mistake(
            "L28",
            but(
                read_reports,
                {"verdicts": lambda reports, z: read_reports(reports, z)["verdicts"].replace("none", "kld")},
            ),
            "You accuse reports that are right. A mean KLD may differ from the change of the loss.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "an interval of yours does not contain the rise from PPL(base) to PPL(Q). The line with the "
            "ratio may be the wrong one",
            lambda value, reports, z: all(
                low < _per_cent(_change(report)) < high
                for (low, high), report in zip(value["rise"], reports, strict=True)
            ),
        ),
    ),
    advice="Check the lines in this order: is the ratio PPL(Q) divided by PPL(base)? Is its error the ratio "
    "times s? Is the mean KLD something else than the logarithm of the ratio? The correlation is "
    "in per cent.",
)

QUESTIONS = (REPORT,)
