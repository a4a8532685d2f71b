"""Chapter 07, wrong numbers of right networks: a smoothed loss taken apart, and which bug it was."""

import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import PERPLEXITY
from lmcourse.questions.shared.units import EXPONENT, perplexity_mistakes, scaled
from lmcourse.questions.shared.verdicts import read_verdicts
from lmcourse.questions.shared.wrong import exchanged

# --- unsmooth --------------------------------------------------------------------------------------------


def unsmooth(loss, spread, epsilon, V):
    """Perplexity behind a label-smoothed loss, for two ways to share out epsilon; spread: mean of -ln q."""
    return _perplexities(*_nats(loss, spread, epsilon, V))


def _nats(loss, spread, epsilon, V):
    others = epsilon / (V - 1)  # what each of the other symbols gets
    return (loss - epsilon * spread) / (1 - epsilon), (loss - others * V * spread) / (1 - epsilon - others)


def _perplexities(among_all, among_others):
    return {"all": math.exp(among_all), "others": math.exp(among_others)}


def _undivided(loss, spread, epsilon, V):
    return loss - epsilon * spread, loss - epsilon / (V - 1) * V * spread


def _floor(epsilon, V):
    """The least smoothed loss, where epsilon is shared among all."""
    right, other = 1 - epsilon + epsilon / V, epsilon / V
    return -right * math.log(right) - (V - 1) * other * math.log(other)


def _draw_smoothed(rng):
    V, epsilon = int(rng.integers(6, 15)), round(rng.uniform(0.05, 0.3), 2)
    nats = rng.uniform(0.8, 2.5)
    spread = nats + rng.uniform(1.0, 3.0)
    return round((1 - epsilon) * nats + epsilon * spread, 6), round(spread, 6), epsilon, V


UNSMOOTH = Question(
    key="07.unsmooth",
    title="the measure behind a smoothed loss",
    kind="derive",
    stars=2,
    points=2,
    right=unsmooth,
    cases=((2.1, 3.9, 0.1, 12), (1.62, 4.4, 0.2, 7)),
    draw=_draw_smoothed,
    mistakes=(
        *perplexity_mistakes(unsmooth, "M1 M2 M4 M5", only=("all", "others")),
        Mistake(
            "M41",
            lambda loss, spread, epsilon, V: _perplexities(loss, loss),
            "You take the exponential of the smoothed loss. That is what the report did.",
        ),
        Mistake(
            "L22",
            lambda *case: _perplexities(*_undivided(*case)),
            "You subtract the second term and stop. What is left is less than a whole loss: divide by its "
            "weight.",
        ),
        Mistake(
            "L22",
            lambda loss, spread, epsilon, V: _perplexities(loss / (1 - epsilon), loss / (1 - epsilon)),
            "You divide but do not subtract: the second term is still in the loss.",
        ),
        Mistake(
            "L8",
            lambda loss, spread, epsilon, V: _perplexities(*_nats(loss, math.log(V), epsilon, V)),
            "You use ln V for the mean surprisal of all symbols. That is right for a uniform model only.",
        ),
        Mistake(
            "L12",
            lambda loss, spread, epsilon, V: _perplexities(*[loss - _floor(epsilon, V)] * 2),
            "You subtract the floor of the smoothed loss. That would be a divergence from the smoothed "
            "target, and not the loss of the symbol that came.",
        ),
        Mistake("L31", exchanged(unsmooth, "all", "others"), "The two ways are swapped.", explains="answer"),
        Mistake(
            "L13",
            lambda loss, spread, epsilon, V: _perplexities(
                _nats(loss, spread, epsilon, V)[0],
                (loss - epsilon * V / (V - 1) * spread) / (1 - epsilon),
            ),
            "In your second way the symbol that came gets a share of epsilon as well: the mean over all "
            "symbols contains it. Take it out.",
        ),
        Mistake(
            "L24",
            lambda *case: _perplexities(*[_nats(*case)[0]] * 2),
            "Your second number equals the first. In 'others' the symbol that came gets 1 - epsilon, and no "
            "more.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "the two ways give the same number, but with a small vocabulary they differ",
            lambda value, *_: value["all"] != value["others"],
        ),
    ),
    advice="Write the smoothed loss of one token as a sum over symbols, each with its share of the target.",
)

# --- forensics -------------------------------------------------------------------------------------------


def audit(reports, **how):
    """A verdict for each report, and the epsilon of those where the smoothed loss was reported."""
    verdicts = [_verdict(report, **how) for report in reports]
    return {"verdicts": " ".join(name for name, _ in verdicts), "epsilon": np.array([e for _, e in verdicts])}


def _verdict(report, rerun=True, poison=True, acquit=True, swap=(), smoothed=None):
    """The name and the epsilon; `swap` exchanges two names, the others leave evidence out."""
    first, second = report["reported"], report["again"]
    if rerun and not np.array_equal(first, second):
        return "M43", 0.0
    if poison and report["poison"] > 1e-6:
        return "M23", 0.0
    said, nats = np.log(first), report["nats"]
    if np.abs(said - nats).max() < 1e-6:
        return ("none" if acquit else "M42"), 0.0
    share = (said - nats) / (report["spread"] - nats)
    misfit = {name: np.abs(said - scaled(name, nats)).max() for name in ("M1", "M2")}
    misfit |= {"M42": np.ptp(said - nats)}
    name = next((name for name, miss in misfit.items() if miss < 1e-6), "M41")
    name = dict([swap, swap[::-1]]).get(name, name) if swap else name
    epsilon = smoothed(said, nats, report["spread"]) if smoothed else share.mean()
    return name, epsilon if name == "M41" else 0.0


def _report(rng, name):
    """Three texts, easy, medium and hard, and what an evaluator with the bug `name` reports of them."""
    nats = rng.permutation([1.2, 2.1, 3.2]) + rng.uniform(-0.3, 0.3, size=3)
    spread = nats + rng.permutation([1.5, 2.6, 4.0]) + rng.uniform(-0.3, 0.3, size=3)
    again, poison = 0.0, 0.0
    said = EXPONENT.get(name, 1.0) * nats
    if name == "M42":
        said = nats + rng.uniform(0.1, 0.5)
    elif name == "M41":
        epsilon = rng.uniform(0.05, 0.25)
        said = (1 - epsilon) * nats + epsilon * spread
    elif name == "M43":
        said, again = nats + rng.uniform(0.05, 0.2, size=3), rng.uniform(-0.02, 0.02, size=3)
    elif name == "M23":
        nats = nats / 4  # the model itself knows the future, so an honest evaluator agrees
        said, poison = nats, rng.uniform(0.5, 4.0)
    first = np.exp(said)
    return {
        "reported": first,
        "again": first * np.exp(again),
        "nats": nats,
        "spread": spread,
        "poison": poison,
    }


NAMES = ("none", "M43", "M41", "M42", "M23", "M1", "M2")


def _draw_reports(rng):
    return ([_report(rng, str(name)) for name in (*rng.permutation(NAMES), rng.choice(NAMES))],)


FORENSICS = Question(
    key="07.forensics",
    title="the network is sound, the number is not",
    kind="forensics",
    stars=3,
    points=3,
    right=audit,
    cases=tuple(_draw_reports(np.random.default_rng(seed)) for seed in (711, 712)),
    draw=_draw_reports,
    rtol=1e-5,
    reading=read_verdicts,
    mistakes=(
        Mistake(
            "M43",
            partial(audit, rerun=False),
            "You never compare two runs. An evaluation has no randomness: where two runs differ, no other "
            "number of the report can be used.",
            explains="answer",
        ),
        Mistake(
            "M23",
            partial(audit, poison=False),
            "You acquit a report because another evaluator agrees. It scored the same model, and the model "
            "sees the future: earlier scores moved when later tokens were changed.",
            explains="answer",
        ),
        Mistake(
            "L28",
            partial(audit, acquit=False),
            "You accuse a report that is right: nothing was added to it. Before you explain a difference, "
            "ask whether there is one.",
            explains="answer",
        ),
        Mistake(
            "L31",
            partial(audit, swap=("M1", "M2")),
            "M1 and M2 are swapped. Of 2 ** nats and exp(bits), which is below exp(nats)?",
            explains="answer",
        ),
        Mistake(
            "L31",
            partial(audit, swap=("M41", "M42")),
            "M41 and M42 are swapped. A constant term adds the same to the loss of every text; a smoothed "
            "loss adds more where the model is more certain.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(audit, smoothed=lambda said, nats, spread: ((said - nats) / spread).mean()),
            "Your epsilon is too small: with more weight for the second term the first one gets less. Write "
            "ln r = (1 - epsilon) nats + epsilon spread, and solve.",
        ),
        Mistake(
            "L7",
            partial(audit, smoothed=lambda said, nats, spread: 1 - ((said - nats) / (spread - nats)).mean()),
            "Your epsilon is 1 minus the one asked for: it is the weight of the spread.",
        ),
        Mistake(
            "M4",
            partial(
                audit,
                smoothed=lambda said, nats, spread: (
                    (np.exp(said) - np.exp(nats)) / (np.exp(spread) - np.exp(nats))
                ).mean(),
            ),
            "You compute epsilon from perplexities, but it mixes losses: take the logarithm first.",
        ),
    ),
    properties=(
        Property(
            "give one word for each report, separated by spaces",
            lambda value, reports: len(value["verdicts"].split()) == len(reports),
        ),
        Property(
            "a verdict is none of the seven in the table",
            lambda value, reports: set(value["verdicts"].split()) <= set(NAMES),
        ),
        Property(
            "two runs of an evaluator differ exactly where the verdict is M43; your verdicts say otherwise",
            lambda value, reports: all(
                (name == "M43") == (not np.array_equal(report["reported"], report["again"]))
                for name, report in zip(value["verdicts"].split(), reports, strict=True)
            ),
        ),
        Property(
            "an epsilon is not 0 where the verdict is not M41",
            lambda value, reports: all(
                epsilon == 0 or name == "M41"
                for name, epsilon in zip(value["verdicts"].split(), value["epsilon"], strict=True)
            ),
        ),
    ),
    advice="Print, for one report, ln r - nats, ln r / nats and (ln r - nats) / (spread - nats).",
)

QUESTIONS = (UNSMOOTH, FORENSICS)
