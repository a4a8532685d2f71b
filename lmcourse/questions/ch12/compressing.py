"""Chapter 12, smaller models: a rounded output layer and what it changes, and sizes to judge."""

from functools import partial

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but

# --- rounding --------------------------------------------------------------------------------------------


def _scales(weights, bits):
    """The step of each row: its largest weight is the last of the levels."""
    return np.abs(weights).max(axis=1, keepdims=True) / (2 ** (bits - 1) - 1)


def _rounded(weights, bits, scales=_scales, to_whole=np.round):
    step = scales(weights, bits)
    return step * to_whole(weights / np.where(step > 0, step, 1.0))


def _changes(weights, other, features):
    """Mean KL divergence from the old to the new forecasts, and the share of equal first guesses."""
    log_q, log_r = (log_softmax(features @ w.T, axis=1) for w in (weights, other))
    return {
        "kl": (np.exp(log_q) * (log_q - log_r)).sum(axis=1).mean(),
        "agreement": (log_q.argmax(axis=1) == log_r.argmax(axis=1)).mean(),
    }


def rounding(weights, features, bits, **options):
    """The weights rounded row by row to ``bits`` bits, and how far the forecasts change; (V, d), (N, d)."""
    other = _rounded(weights, bits, **options)
    return {"weights": other, **_changes(weights, other, features)}


def _forecasts(weights, features, bits):
    return [log_softmax(features @ w.T, axis=1) for w in (weights, _rounded(weights, bits))]


def _kl_backwards(weights, features, bits):
    log_q, log_r = _forecasts(weights, features, bits)
    return (np.exp(log_r) * (log_r - log_q)).sum(axis=1).mean()


def _kl_over_symbols(weights, features, bits):
    log_q, log_r = _forecasts(weights, features, bits)
    return (np.exp(log_q) * (log_q - log_r)).mean()


def _divided_by_zero(weights, features, bits):
    with np.errstate(all="ignore"):
        step = _scales(weights, bits)
        other = step * np.round(weights / step)
        return {"weights": other, **_changes(weights, other, features)}


def _draw_layer(rng, bits=None, dead=False):
    """An output layer whose rows differ in size, and features; some first guesses change."""
    while True:
        V, d, N = int(rng.integers(5, 9)), int(rng.integers(4, 7)), int(rng.integers(8, 15))
        weights = (rng.normal(size=(V, d)) * rng.uniform(0.3, 1.6, size=(V, 1))).round(3)
        if dead:
            weights[int(rng.integers(V))] = 0.0
        features, count = rng.normal(size=(N, d)).round(3), bits or int(rng.integers(2, 5))
        share = rounding(weights, features, count)["agreement"]
        if bits == 8 or 0.5 < share < 1:
            return weights, features, count


ROUNDING = Question(
    key="12.rounding",
    title="weights with few bits",
    kind="implement",
    stars=2,
    points=3,
    right=rounding,
    cases=(
        (
            np.array([[0.9, -0.31, 0.12], [0.2, 0.14, -0.06], [-0.7, 0.55, 0.4]]),
            np.array([[1.0, 0.5, -0.2], [0.1, -1.2, 0.4], [-0.3, 0.9, 1.1], [0.45, 0.3, 0.2]]),
            3,
        ),
        _draw_layer(np.random.default_rng(1231), bits=2),
        _draw_layer(np.random.default_rng(1232), bits=3, dead=True),
    ),
    draw=_draw_layer,
    odd=(
        lambda rng: _draw_layer(rng, bits=3, dead=True),
        lambda rng: _draw_layer(rng, bits=8),
    ),
    entry_points={"weights": 1, "kl": 1, "agreement": 1},
    mistakes=(
        Mistake(
            "L8",
            partial(
                rounding, scales=lambda w, bits: np.full((len(w), 1), np.abs(w).max() / (2 ** (bits - 1) - 1))
            ),
            "All your rows have one step, that of the largest weight of the matrix, so that small rows lose "
            "nearly everything. Each row has a step of its own.",
        ),
        Mistake(
            "L23",
            partial(rounding, scales=lambda w, bits: np.abs(w).max(axis=1, keepdims=True) / (2**bits - 1)),
            "Your levels are too many for that number of bits: one bit is the sign, so the whole numbers go "
            "from -(2**(bits - 1) - 1) to 2**(bits - 1) - 1.",
        ),
        Mistake(
            "L23",
            partial(rounding, scales=lambda w, bits: np.abs(w).max(axis=1, keepdims=True) / 2 ** (bits - 1)),
            "Your largest weight is at the whole number 2**(bits - 1), for which these bits have no room.",
        ),
        Mistake(
            "L16",
            partial(
                rounding, scales=lambda w, bits: np.abs(w).max(axis=0, keepdims=True) / (2 ** (bits - 1) - 1)
            ),
            "Your steps belong to columns. A row is one symbol's weights, and each row has its own step.",
        ),
        Mistake(
            "L22",
            partial(rounding, to_whole=np.trunc),
            "You cut off the digits after the point, which makes every weight smaller. Round to the nearest "
            "whole number.",
        ),
        Mistake(
            "L22",
            partial(rounding, to_whole=np.floor),
            "You round down, which makes every weight smaller. Round to the nearest whole number.",
        ),
        Mistake(
            "L38",
            _divided_by_zero,
            "A row of zeros has the step 0, and 0 / 0 is nan. Such a row stays as it is.",
        ),
        Mistake(
            "M50",
            but(rounding, {"kl": _kl_backwards}),
            "Your 'kl' is D(new || old). Here the old model takes the place of the truth: it stands first.",
        ),
        Mistake(
            "M50",
            but(rounding, {"kl": _kl_over_symbols}),
            "Your 'kl' is also averaged over the symbols. Sum over the symbols of a forecast, and take the "
            "mean over the positions only.",
        ),
        Mistake(
            "M2",
            but(rounding, {"kl": lambda *case: rounding(*case)["kl"] / np.log(2)}),
            "Your 'kl' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
        Mistake(
            "L7",
            but(rounding, {"agreement": lambda *case: 1 - rounding(*case)["agreement"]}),
            "Your 'agreement' is the share of positions at which the first guess has *changed*.",
        ),
    ),
    properties=(FINITE,),
    alike=(("right", "L38", "in the first two cases no row is a row of zeros"),),
    advice="A row (0.9, -0.3, 0.1) at 3 bits has the step 0.9 / 3 = 0.3, the whole numbers 3, -1, 0, and "
    "becomes (0.9, -0.3, 0).",
)

# --- size ------------------------------------------------------------------------------------------------

VERDICTS = ("none", "scales", "mask", "both", "full")
"""Nothing was forgotten; the scales; the mask; both; or the weights were counted as if none were pruned."""


def _bytes(report, scales=True, mask=True, kept=None):
    weights = report["rows"] * report["columns"]
    kept = report["kept"] if kept is None else kept
    found = kept * report["bits"]
    found += scales * weights / report["group"] * report["scale bits"]
    found += mask * (report["kept"] < weights) * weights
    return found / 8


def _suspects(report, size=_bytes):
    weights = report["rows"] * report["columns"]
    found = {"none": size(report), "scales": size(report, scales=False)}
    if report["kept"] < weights:
        found |= {"mask": size(report, mask=False), "both": size(report, scales=False, mask=False)}
        found["full"] = size(report, mask=False, kept=weights)
    return found


def audit(reports, size=_bytes, suspects=None):
    """The size of each compressed matrix in bytes, and what the reported size leaves out."""
    suspects = suspects or partial(_suspects, size=size)
    verdicts = []
    for report in reports:
        found = suspects(report)
        verdicts.append(min(found, key=lambda name: abs(found[name] - report["reported"])))
    return {"bytes": np.array([size(report) for report in reports]), "verdicts": " ".join(verdicts)}


def _report(verdict, rows, columns, bits, share, group=32, scale_bits=16):
    report = {
        "rows": rows,
        "columns": columns,
        "bits": bits,
        "kept": round(share * rows * columns),
        "group": group,
        "scale bits": scale_bits,
    }
    return report | {"reported": round(_suspects(report)[verdict])}


def _draw_reports(rng):
    """Four reports: one is right, one lacks its scales, one its mask, and one anything."""
    reports = []
    for verdict in rng.permutation(["none", "scales", "mask", str(rng.choice(["both", "full", "none"]))]):
        rows, group = 64 * int(rng.integers(4, 30)), int(rng.choice([32, 64]))
        columns, bits = 64 * int(rng.integers(2, 9)), int(rng.integers(2, 9))
        dense = verdict in ("none", "scales") and rng.random() < 0.5
        reports.append(
            _report(str(verdict), rows, columns, bits, 1.0 if dense else rng.uniform(0.2, 0.6), group)
        )
    return (reports,)


def _no_scales(report, scales=True, mask=True, kept=None):
    return _bytes(report, scales=False, mask=mask, kept=kept)


def _always_a_mask(report, scales=True, mask=True, kept=None):
    return _bytes(report, scales, False, kept) + mask * report["rows"] * report["columns"] / 8


def _no_mask(report, scales=True, mask=True, kept=None):
    return _bytes(report, scales=scales, mask=False, kept=kept)


def _scale_of_kept(report, scales=True, mask=True, kept=None):
    spared = report["rows"] * report["columns"] - report["kept"]
    return _bytes(report, scales, mask, kept) - scales * spared / report["group"] * report["scale bits"] / 8


SIZE = Question(
    key="12.size",
    title="eight times smaller?",
    kind="forensics",
    stars=2,
    points=3,
    right=audit,
    cases=(
        (
            [
                _report("none", 512, 128, 4, 1.0),
                _report("scales", 1024, 256, 4, 1.0),
                _report("mask", 512, 256, 8, 0.3),
                _report("none", 768, 128, 3, 0.4, group=64),
            ],
        ),
        (
            [
                _report("both", 512, 512, 4, 0.5),
                _report("full", 1024, 128, 5, 0.35),
                _report("none", 640, 192, 6, 0.25),
                _report("scales", 256, 256, 2, 1.0, group=64),
                _report("mask", 896, 128, 2, 0.45),
            ],
        ),
    ),
    draw=_draw_reports,
    atol=1.01,  # a student may round up to whole bytes
    rtol=0.0,
    entry_points={"bytes": 1, "verdicts": 2},
    mistakes=(
        Mistake(
            "M66",
            partial(audit, size=_no_scales, suspects=_suspects),
            "Your 'bytes' leave out the scales. Without them the whole numbers are not weights: each group "
            "needs its scale.",
        ),
        Mistake(
            "M66",
            partial(audit, size=_no_mask, suspects=_suspects),
            "Your 'bytes' leave out the masks. Without one, nobody knows to which places the kept weights "
            "belong.",
        ),
        Mistake(
            "L8",
            partial(audit, size=_always_a_mask, suspects=_suspects),
            "Your 'bytes' have a mask for every matrix. If no weight has been pruned, none is needed.",
        ),
        Mistake(
            "L27",
            partial(audit, size=_scale_of_kept, suspects=_suspects),
            "Your 'bytes' have scales for the kept weights only. A group is a run of places in the matrix, "
            "whatever has been pruned in it, and its scale is stored.",
        ),
        Mistake(
            "L3",
            lambda reports: audit(reports) | {"bytes": 8 * audit(reports)["bytes"]},
            "Your 'bytes' are bits, 8 times as many.",
        ),
        Mistake(
            "L28",
            partial(audit, suspects=lambda report: _suspects(report) | {"none": np.inf}),
            "Your sizes are right, and you accuse reports that are right, too. If the reported size is the "
            "right one, nothing has been left out.",
        ),
    ),
    properties=(FINITE,),
    advice="32 weights of 4 bits and a scale of 16 bits are 144 bits, 18 bytes. A mask adds one bit for each "
    "place of the matrix.",
)

QUESTIONS = (ROUNDING, SIZE)
