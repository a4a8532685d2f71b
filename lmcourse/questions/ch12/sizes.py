"""Chapter 12, sizes to judge: what a compressed matrix takes, and what a report leaves out."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.verdicts import read_verdicts

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


def _weights_alone(report, scales=True, mask=True, kept=None):
    return _bytes(report, scales=False, mask=False, kept=kept)


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
    reading=read_verdicts,
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
            "M66",
            partial(audit, size=_weights_alone, suspects=_suspects),
            "Your 'bytes' are those of the kept weights alone. To unpack the matrix, one also needs the "
            "scales and, if weights were pruned, the mask.",
        ),
        Mistake(
            "L8",
            partial(audit, size=_always_a_mask, suspects=_suspects),
            "Your 'bytes' include a mask for every matrix. If no weight has been pruned, none is needed.",
        ),
        Mistake(
            "L27",
            partial(audit, size=_scale_of_kept, suspects=_suspects),
            "Your 'bytes' include scales for the kept weights only. A group is a run of places in the "
            "matrix, whatever has been pruned in it, and its scale is stored.",
        ),
        Mistake(
            "L3",
            lambda reports: audit(reports) | {"bytes": 8 * audit(reports)["bytes"]},
            "Your 'bytes' are bits, 8 times as many.",
        ),
        Mistake(
            "L28",
            partial(audit, suspects=lambda report: _suspects(report) | {"none": np.inf}),
            "Your sizes are right, but you also accuse reports that are right. If the reported size is the "
            "right one, nothing has been left out.",
        ),
    ),
    properties=(FINITE,),
    advice="32 weights of 4 bits and a scale of 16 bits are 144 bits, 18 bytes. A mask adds one bit for each "
    "place of the matrix.",
)

QUESTIONS = (SIZE,)
