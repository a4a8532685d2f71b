"""Chapter 03, forensics: reported divergences, and the mistake behind each of them."""

import math
from functools import partial

import numpy as np
from scipy.special import rel_entr, xlogy

from lmcourse.hints.question import Mistake, Property, Question


def _suspects(report):
    """What each mistake makes of the mean divergence of the rows of p and q, both (C, V)."""
    p, q = report["p"], report["q"]
    right = rel_entr(p, q).sum(axis=1).mean()
    patched = {"patched": _patched(report)} if np.isinf(right) else {}
    return patched | {
        "none": right,
        "bits": right / math.log(2),
        "swapped": rel_entr(q, p).sum(axis=1).mean(),
        "elements": right / p.shape[1],
        "summed": right * len(p),
        "loss": -xlogy(p, q).sum(axis=1).mean(),
    }


def _patched(report):
    return rel_entr(report["p"], np.maximum(report["q"], 1e-10)).sum(axis=1).mean()


def _ratio(report):
    return report["reported"] / _suspects(report)["none"]


def audit(reports, ratio=_ratio, suspects=_suspects):
    """The ratio reported / right of each report, and what happened: the nearest suspect."""
    return {
        "ratios": np.array([ratio(report) for report in reports]),
        "verdicts": " ".join(_nearest(suspects(report), report["reported"]) for report in reports),
    }


def _nearest(suspects, reported):
    return min(suspects, key=lambda name: abs(suspects[name] - reported))


def _without(*names):
    return lambda report: {k: value for k, value in _suspects(report).items() if k not in names}


def _turned(report):
    """The report with the roles of truth and model exchanged."""
    return report | {"p": report["q"], "q": report["p"]}


def _report(what, rng, contexts=3, outcomes=4):
    """A report in which this happened; its number has six digits, and no other suspect comes near it."""
    while True:
        p, q = (rng.dirichlet(np.full(outcomes, 1.5), size=contexts).round(3) + 0.02 for _ in range(2))
        if what == "patched":
            q[0, 1] = 0.0
        report = {"p": p / p.sum(axis=1, keepdims=True), "q": q / q.sum(axis=1, keepdims=True)}
        values = _suspects(report)
        others = [value for name, value in values.items() if name not in (what, "patched", "none")]
        others += [values["none"]] * (what not in ("none", "patched"))
        if min(abs(value / values[what] - 1) for value in others) > 0.06:
            return report | {"reported": float(f"{values[what]:.6g}")}


def _reports(seed, *happened, **shape):
    rng = np.random.default_rng(seed)
    return ([_report(what, rng, **shape) for what in happened],)


def _draw_reports(rng):
    others = rng.choice(["bits", "elements", "summed", "loss"], size=2, replace=False)
    happened = ["none", "swapped", "patched", *others]
    return ([_report(str(what), rng) for what in rng.permutation(happened)],)


FORENSICS = Question(
    key="03.forensics",
    title="five numbers called divergence",
    kind="forensics",
    stars=3,
    points=3,
    right=audit,
    cases=(
        _reports(351, "swapped", "none", "elements", "patched", "bits"),
        _reports(352, "loss", "none", "summed", "swapped", "patched", contexts=2, outcomes=5),
    ),
    draw=_draw_reports,
    mistakes=(
        Mistake(
            "L7",
            partial(audit, ratio=lambda report: 1 / _ratio(report)),
            "Your ratios are upside down: they lead from the reported number to the right one.",
        ),
        Mistake(
            "M50",
            lambda reports: audit([_turned(report) for report in reports]),
            "You take the right numbers for swapped ones and the other way round. p draws, q is judged.",
        ),
        Mistake(
            "L28",
            partial(audit, suspects=_without("none")),
            "One of the reports is right, and you accuse it. A ratio of 1 is an alibi.",
        ),
        Mistake(
            "L1",
            partial(audit, ratio=lambda report: _ratio(report) / len(report["p"])),
            "Your right number is the total of the contexts: divide by their number, and a right report "
            "has the ratio 1.",
        ),
        Mistake(
            "M50",
            partial(audit, ratio=lambda report: _ratio(report) * report["p"].shape[1]),
            "Your right number is a mean over all elements, and a right report has the ratio {ratio}. A "
            "divergence is a sum over the outcomes.",
        ),
        Mistake(
            "M30",
            partial(audit, ratio=lambda report: report["reported"] / _patched(report)),
            "Your right number is patched itself. If the model calls something impossible and it happens, no "
            "finite number of nats pays for it, and a finite report has the ratio 0.",
        ),
        Mistake(
            "M30",
            partial(audit, suspects=_without("patched")),
            "Your ratio of 0 says that nothing finite is right, but your verdict differs: a zero of q was "
            "replaced. Look at what the report gives then.",
        ),
    ),
    properties=(
        Property(
            "the verdict 'patched' falls on tables without a zero. Where the right number is finite there is "
            "nothing to patch",
            lambda value, reports: all(
                (report["q"] == 0).any()
                for report, verdict in zip(reports, value["verdicts"].split(), strict=False)
                if verdict == "patched"
            ),
        ),
        Property(
            "'verdicts' does not have one word for each report",
            lambda value, reports: len(value["verdicts"].split()) == len(reports),
        ),
    ),
    advice="Compute the right number and all six wrong ones for a report. Print them beside it.",
)

QUESTIONS = (FORENSICS,)
