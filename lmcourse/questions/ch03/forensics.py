"""Chapter 03, forensics: reported divergences, and the mistake behind each of them."""

import math
from functools import partial

import numpy as np
from scipy.special import rel_entr, xlogy

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.verdicts import read_verdicts


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


VERDICTS = {"none", "bits", "swapped", "elements", "summed", "loss", "patched"}


def _finite(report):
    """The right number; a patched one where that is infinite."""
    right = _suspects(report)["none"]
    return _patched(report) if np.isinf(right) else right


def _skipped(report):
    """The right number; where it is infinite, the sum of the finite terms."""
    terms = rel_entr(report["p"], report["q"])
    return np.where(np.isinf(terms), 0.0, terms).sum(axis=1).mean()


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
    title="check reports of a KL divergence",
    kind="forensics",
    stars=3,
    points=3,
    right=audit,
    cases=(
        _reports(351, "swapped", "none", "elements", "patched", "bits"),
        _reports(352, "loss", "none", "summed", "swapped", "patched", contexts=2, outcomes=5),
    ),
    draw=_draw_reports,
    reading=read_verdicts,
    entry_points={"ratios": 1, "verdicts": 2},
    mistakes=(
        Mistake(
            "L34",
            partial(audit, ratio=lambda report: 1 / _ratio(report)),
            "Your 'ratios' are upside down: they divide the right number by the reported one.",
        ),
        Mistake(
            "M50",
            lambda reports: audit([_turned(report) for report in reports]),
            "You have exchanged p and q. The right number is D(p || q), with the truth p first, and a "
            "swapped report gives D(q || p).",
        ),
        Mistake(
            "L28",
            partial(audit, suspects=_without("none")),
            "One of the reports is right, and your 'verdicts' accuse it. A ratio of 1 proves a report right.",
        ),
        Mistake(
            "L1",
            partial(audit, ratio=lambda report: _ratio(report) / len(report["p"])),
            "Your 'ratios' divide by the total over the contexts. Divide that total by the number of "
            "contexts first, so that a right report has the ratio 1.",
        ),
        Mistake(
            "M50",
            partial(audit, ratio=lambda report: _ratio(report) * report["p"].shape[1]),
            "Your 'ratios' divide by a mean over all elements. Sum over the outcomes, and take the mean over "
            "the contexts only.",
        ),
        Mistake(
            "M2",
            partial(audit, ratio=lambda report: _ratio(report) * math.log(2)),
            "Your 'ratios' are {ratio} = ln 2 times the right ones: you divide by a divergence in bits.",
        ),
        Mistake(
            "L8",
            partial(audit, ratio=lambda report: _ratio(report) or np.inf),
            "Where the divergence is infinite, your ratio is infinite as well. A finite number divided by "
            "infinity is 0.",
        ),
        Mistake(
            "M30",
            partial(audit, ratio=lambda report: report["reported"] / _finite(report)),
            "Where a q is 0, your 'ratios' divide by a number that is itself patched. The divergence is "
            "infinite there, and a finite report has the ratio 0.",
        ),
        Mistake(
            "M32",
            partial(audit, ratio=lambda report: report["reported"] / _skipped(report)),
            "Where a q is 0, your 'ratios' leave that outcome out. It does happen, so the divergence is "
            "infinite, and a finite report has the ratio 0.",
        ),
        Mistake(
            "M30",
            partial(audit, suspects=_without("patched")),
            "One of the reports is about a table with a zero, but your verdict on it is not 'patched'. "
            "Compute what comes out when the zeros of q are replaced.",
        ),
        Mistake(
            "L22",
            partial(audit, suspects=_without("loss")),
            "Your 'verdicts' never say 'loss'. Compare each report with the cross-entropy as well.",
        ),
        Mistake(
            "L22",
            partial(audit, suspects=_without("swapped")),
            "Your 'verdicts' never say 'swapped'. Compare each report with D(q || p) as well.",
        ),
    ),
    alike=(("right", "L22", "no report of the first list gives the loss"),),
    properties=(
        Property(
            "'verdicts' does not have one word for each report",
            lambda value, reports: len(value["verdicts"].split()) == len(reports),
        ),
        Property(
            "'verdicts' contains a word that is not in the table of this task",
            lambda value, reports: set(value["verdicts"].split()) <= VERDICTS,
        ),
        Property(
            "the verdict 'patched' is given to a table without a zero, where there is nothing to patch",
            lambda value, reports: all(
                (report["q"] == 0).any()
                for report, verdict in zip(reports, value["verdicts"].split(), strict=False)
                if verdict == "patched"
            ),
        ),
    ),
    advice="For one report, compute the right number and what each of the six mistakes makes of it. Print "
    "them beside the reported number.",
)

QUESTIONS = (FORENSICS,)
