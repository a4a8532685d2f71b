"""Chapter 09, logs: which number was divided by which count, so that a card can be filled."""

import itertools
import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.choices import read_lists
from lmcourse.questions.shared.units import LN2

# --- three-logs ------------------------------------------------------------------------------------------

ENDS = {
    "scored": lambda log, unit: (log["nats"], log[unit] + log["sentences"]),
    "left out": lambda log, unit: (log["nats"] - log["nats of </s>"], log[unit]),
    "half": lambda log, unit: (log["nats"], log[unit]),
}
"""Numerator and denominator, by what has become of the sentence ends."""

MEASURES = {
    "perplexity": lambda nats: math.exp(min(nats, 700)),
    "bits": lambda nats: nats / LN2,
    "nats": lambda nats: nats,
}

UNITS = ("token", "word", "byte")

CHOICES = {"measure": MEASURES, "unit": UNITS, "ends": ENDS}
"""The words that each entry may hold."""


def values_of(log, measures=MEASURES, units=UNITS, ends=ENDS):
    """Every value that a log allows, by measure, unit and sentence ends."""
    found = {}
    for measure, unit, end in itertools.product(measures, units, ends):
        nats, count = ends[end](log, unit)
        found[measure, unit, end] = measures[measure](nats / count)
    return found


def read_logs(logs, values=values_of):
    """For each log measure, unit and sentence ends of the value that is nearest to the printed one."""
    chosen = []
    for log in logs:
        found = values(log)
        chosen.append(min(found, key=lambda name: abs(math.log(found[name] / log["reported"]))))
    measures, units, ends = zip(*chosen, strict=True)
    return {"measure": "; ".join(measures), "unit": "; ".join(units), "ends": "; ".join(ends)}


def _but(**given):
    """The right formula with fewer or with other candidates."""
    return partial(read_logs, values=partial(values_of, **given))


def _draw_log(rng, name=None):
    """A log whose value has this measure, unit and sentence ends, and no other that is near."""
    name = name or tuple(str(rng.choice(list(some))) for some in (MEASURES, UNITS, ENDS))
    while True:
        words = int(rng.integers(8_000, 60_000))
        log = {"words": words, "sentences": int(words / rng.uniform(9, 22))}
        log["tokens"] = int(words * rng.uniform(1.12, 1.6))
        log["bytes"] = int(words * rng.uniform(4.8, 6.1))
        log["nats"] = round(float((log["tokens"] + log["sentences"]) * rng.uniform(2.4, 4.2)), 1)
        log["nats of </s>"] = round(float(log["sentences"] * rng.uniform(0.7, 1.8)), 1)
        order = ("words", "tokens", "bytes", "sentences", "nats", "nats of </s>")
        log = {key: log[key] for key in order}
        values = values_of(_singular(log))
        log["reported"] = float(f"{values[name]:.4g}")
        near = [abs(math.log(x / log["reported"])) for other, x in values.items() if other != name]
        if min(near) > 0.012 and log["reported"] < 1e6:
            return log


def _singular(log):
    return log | {unit: log[f"{unit}s"] for unit in UNITS}


def _logs_of(formula):
    """The formula on logs whose keys are plural, as they are printed."""
    return lambda logs, **given: formula([_singular(log) for log in logs], **given)


right = _logs_of(read_logs)

THREE = (("perplexity", "token", "half"), ("bits", "byte", "scored"), ("nats", "word", "left out"))


def _draw_logs(rng, names=None):
    if names is None:
        names = [
            ("perplexity", str(rng.choice(UNITS)), "half"),
            ("bits", "byte", str(rng.choice(list(ENDS)))),
        ]
        names += [
            ("nats", "token", "left out"),
            ("perplexity", "token", str(rng.choice(["scored", "left out"]))),
        ]
        names += [("perplexity", "word", "half"), None]
        names = [names[i] for i in rng.permutation(len(names))]
    return ([_draw_log(rng, name) for name in names],)


WITHOUT_HALF = {key: ENDS[key] for key in ("scored", "left out")}

THREE_LOGS = Question(
    key="09.three-logs",
    title="three cards from three logs",
    kind="forensics",
    stars=2,
    points=3,
    right=right,
    cases=(
        _draw_logs(np.random.default_rng(904), THREE),
        _draw_logs(np.random.default_rng(903)),
    ),
    draw=_draw_logs,
    reading=read_lists("measure", "unit", "ends"),
    entry_points={"measure": 1, "unit": 1, "ends": 1},
    mistakes=(
        Mistake(
            "M25",
            _logs_of(_but(ends=WITHOUT_HALF)),
            "Some of these values have the nats of </s> in the total and no </s> in the count, and you do "
            "not find them.",
        ),
        Mistake(
            "M21",
            _logs_of(_but(ends={"scored": ENDS["scored"], "half": ENDS["half"]})),
            "You never leave the sentence ends out. To do so, take their nats out of the total as well.",
        ),
        Mistake(
            "L21",
            _logs_of(_but(ends={"left out": ENDS["left out"], "half": ENDS["half"]})),
            "You never count the sentence ends. Where they are scored, they belong in the total and in the "
            "count, whatever the unit.",
        ),
        Mistake(
            "M1",
            _logs_of(_but(measures=MEASURES | {"perplexity": lambda nats: 2**nats})),
            "The totals are in nats, and your perplexity is a power of 2. Use a power of e.",
            explains="answer",
        ),
        Mistake(
            "M2",
            _logs_of(_but(measures={key: MEASURES[key] for key in ("perplexity", "nats")})),
            "Some of these values are in bits, and you do not find them. A bit is ln 2 nats: divide by ln 2.",
            explains="answer",
        ),
        Mistake(
            "M34",
            _logs_of(_but(units=("token", "byte"))),
            "Some of these values are per word: the tokenizer's pieces were scored, and the total was "
            "divided by the number of words.",
            explains="answer",
        ),
        Mistake(
            "M38",
            _logs_of(_but(units=("token", "word"))),
            "Some of these values are per byte, and you do not divide by bytes.",
            explains="answer",
        ),
    ),
    properties=(
        Property(
            "there is one word for each log, with '; ' between them, and yours has more or fewer",
            lambda value, logs: all(len(text.split("; ")) == len(logs) for text in value.values()),
        ),
        Property(
            "every word should be one of those in the task",
            lambda value, logs: all(
                set(value[key].split("; ")) <= set(some) for key, some in CHOICES.items()
            ),
        ),
    ),
    advice="For the first log write down all 27 values, with their names, and look for the printed one.",
)

QUESTIONS = (THREE_LOGS,)
