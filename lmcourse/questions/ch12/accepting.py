"""Chapter 12, an acceptance test: a margin, a paired interval, and text that was not used for tuning."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE


def _paired(old, new, tokens):
    """Rise of the loss in nats per token, and its standard error over documents."""
    rise = (new - old).sum() / tokens.sum()
    return rise, _error(new - old, tokens)


def _error(d, tokens):
    off = d - d.sum() / tokens.sum() * tokens
    return np.sqrt(len(d) / (len(d) - 1) * (off**2).sum()) / tokens.sum()


def _unpaired(old, new, tokens):
    return _paired(old, new, tokens)[0], np.hypot(_error(old, tokens), _error(new, tokens))


def _mean_of_documents(old, new, tokens):
    rises = (new - old) / tokens
    return rises.mean(), rises.std(ddof=1) / np.sqrt(len(rises))


def _not_per_token(old, new, tokens):
    rise, error = _paired(old, new, tokens)
    return rise, error * tokens.sum()


def _of_the_sample(old, new, tokens):
    rise, error = _paired(old, new, tokens)
    return rise, error * np.sqrt((len(old) - 1) / len(old))


def _per_cent_of_the_loss(old, new, tokens, tuned, margin, z):
    test = ~tuned
    found = accept(old, new, tokens, tuned, margin, z)
    return found | {"rise": 100 * (new[test].sum() - old[test].sum()) / old[test].sum()}


def _of_one_document(old, new, tokens):
    rise, error = _paired(old, new, tokens)
    return rise, error * np.sqrt(len(old))


def _verdict(rise, low, high, margin):
    return "accept" if high <= margin else "reject" if low > margin else "undecided"


def _per_cent(nats):
    return 100 * np.expm1(nats)


def accept(
    old,
    new,
    tokens,
    tuned,
    margin,
    z,
    estimate=_paired,
    verdict=_verdict,
    used=np.logical_not,
    scale=_per_cent,
):
    """Rise of the perplexity in per cent, its interval, and a verdict; nats, tokens and tuned (D,)."""
    test = used(tuned)
    rise, error = estimate(old[test], new[test], tokens[test])
    low, rise, high = scale(np.array([rise - z * error, rise, rise + z * error]))
    return {"rise": rise, "interval": np.array([low, high]), "verdict": verdict(rise, low, high, margin)}


def _turned(rise, low, high, margin):
    return {"accept": "reject", "reject": "accept"}.get(_verdict(rise, low, high, margin), "undecided")


def _draw_case(rng, shift, spread=0.02, documents=None, tuned_shift=-0.06):
    """Documents of different difficulty; those used for tuning flatter the new version."""
    D = documents or int(rng.integers(9, 15))
    tokens = rng.integers(150, 900, size=D)
    tuned = np.zeros(D, dtype=bool)
    if tuned_shift:
        tuned[rng.permutation(D)[:3]] = True
    old = tokens * rng.uniform(3.5, 5.5, size=D)
    rise = rng.normal(shift, spread, size=D) + np.where(tuned, tuned_shift, 0.0)
    return old.round(1), (old + tokens * rise).round(1), tokens, tuned


def _far_from_margin(case):
    """Whether no bound is so near to the margin that rounding could decide."""
    found = accept(*case)
    return np.abs(np.append(found["interval"], found["rise"]) - case[4]).min() > 0.05


def _draw_accept(rng, shift=None, **options):
    while True:
        margin, z = float(rng.choice([1.0, 2.0, 3.0])), float(rng.choice([1.64, 1.96, 2.58]))
        at = shift if shift is not None else float(rng.choice([-0.03, 0.0, 0.015, 0.06]))
        case = (*_draw_case(rng, at, **options), margin, z)
        if _far_from_margin(case):
            return case


ACCEPT = Question(
    key="12.accept",
    title="does it ship?",
    kind="implement",
    stars=3,
    points=3,
    right=accept,
    cases=(
        _draw_accept(np.random.default_rng(1251), shift=0.004, spread=0.008),
        _draw_accept(np.random.default_rng(1252), shift=0.012, spread=0.03),
        _draw_accept(np.random.default_rng(1253), shift=0.07),
        _draw_accept(np.random.default_rng(1337), shift=0.006, spread=0.03),
    ),
    draw=_draw_accept,
    odd=(
        lambda rng: _draw_accept(rng, tuned_shift=0.0),
        lambda rng: _draw_accept(rng, documents=5),
    ),
    entry_points={"rise": 1, "interval": 1, "verdict": 1},
    mistakes=(
        Mistake(
            "M65",
            partial(accept, used=lambda tuned: np.full(len(tuned), True)),
            "You judge the new version also on documents that were used to tune it. There it looks better "
            "than it is: leave them out.",
            explains="answer",
        ),
        Mistake(
            "M65",
            partial(accept, used=np.asarray),
            "You judge the new version on the tuning documents alone. Keep the others.",
            explains="answer",
        ),
        Mistake(
            "M63",
            partial(accept, estimate=_unpaired),
            "Your interval is that of two versions that read different texts. They read the same documents: "
            "take the differences first, and the difficulty of the documents cancels.",
            explains="answer",
        ),
        Mistake(
            "M8",
            partial(accept, estimate=_mean_of_documents),
            "You average over documents, so that a short one weighs as much as a long one. Add nats, count "
            "tokens, divide once; the error belongs to that ratio.",
            explains="answer",
        ),
        Mistake(
            "L1",
            partial(accept, estimate=_of_one_document),
            "Your interval is as wide as the spread of single documents. The error of a mean over D "
            "documents is smaller by the square root of D.",
        ),
        Mistake(
            "L1",
            partial(accept, estimate=_not_per_token),
            "Your standard error is that of the totals. Divide it by all tokens of the test, as you do "
            "with the rise.",
        ),
        Mistake(
            "L23",
            partial(accept, estimate=_of_the_sample),
            "Your standard error lacks the factor D / (D - 1) under the root.",
        ),
        Mistake(
            "L8",
            lambda old, new, tokens, tuned, margin, z: accept(old, new, tokens, tuned, margin, 1.96),
            "Your interval uses 1.96. The number of standard errors is the argument z.",
        ),
        Mistake(
            "L22",
            partial(accept, verdict=lambda rise, low, high, margin: "accept" if high <= margin else "reject"),
            "Your verdict never says 'undecided'. If the interval holds rises on both sides of the margin, "
            "the test excludes neither.",
        ),
        Mistake(
            "M4",
            _per_cent_of_the_loss,
            "Your 'rise' is in per cent of the loss. The task asks for per cent of the perplexity.",
        ),
        Mistake(
            "L22",
            partial(accept, verdict=lambda rise, low, high, margin: "accept" if rise <= margin else "reject"),
            "Your verdict goes by the rise alone and never says 'undecided'. If the interval reaches beyond "
            "the margin, the rise may be larger than you allow.",
        ),
        Mistake(
            "L11",
            partial(
                accept,
                verdict=lambda rise, low, high, margin: "accept" if low <= 0 else "reject",
            ),
            "You accept because no rise can be shown. With few documents nothing can be shown: the question "
            "is whether a rise beyond the margin can be *excluded*.",
        ),
        Mistake(
            "L7",
            partial(accept, estimate=lambda old, new, tokens: _paired(new, old, tokens)),
            "Your rise is that of the old version over the new one. Above 0 should mean that the new "
            "version is worse.",
            explains="answer",
        ),
        Mistake(
            "L7",
            partial(accept, verdict=_turned),
            "Your verdicts 'accept' and 'reject' are swapped.",
        ),
        Mistake(
            "M4",
            partial(accept, scale=lambda nats: 100 * nats),
            "Your percentages are 100 times the rise of the loss in nats. The perplexity is its exponential.",
        ),
        Mistake(
            "L29",
            partial(accept, scale=np.expm1),
            "Your rise is a fraction, and the margin is in per cent.",
        ),
    ),
    alike=(
        ("right", "L22", "in the first three cases the interval lies on one side of the margin"),
        ("right", "L22 (2)", "the same"),
        ("L22", "L22 (2)", "the same"),
        ("right", "L11", "in the third case the rise is beyond doubt, and beyond the margin"),
        ("L22", "L11", "the same"),
        ("L22 (2)", "L11", "the third case is the same"),
        ("right", "L7 (2)", "the fourth case is undecided"),
        ("L11", "L7 (2)", "in the first two cases a rise is certain, and it is within the margin"),
    ),
    properties=(
        FINITE,
        Property(
            "the rise does not lie inside its interval",
            lambda value, *case: value["interval"][0] < value["rise"] < value["interval"][1],
        ),
    ),
    advice="Keep the documents with tuned == False. Compute rise and error in nats per token; the per cent "
    "come last, 100 * (exp(nats) - 1).",
)

QUESTIONS = (ACCEPT,)
