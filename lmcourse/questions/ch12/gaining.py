"""Chapter 12, a change that should help: a margin on the old text, a required gain on the new one."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.verdicts import read_verdicts
from lmcourse.questions.shared.wrong import then

NEW, OLD = 0, 1
NOT_TESTED = "untested"


def _per_cent(nats):
    return 100 * np.expm1(nats)


def _kept(valid, margin, z):
    """Versions whose interval on the valid old text lies below the margin; changes and errors, (P, 2, 2)."""
    return _per_cent(valid[:, OLD, 0] + z * valid[:, OLD, 1]) < margin


def _sent(valid, margin, z, kept=_kept):
    """The version with the lowest loss on the new text among those that keep the old one; -1 if none does."""
    able = kept(valid, margin, z)
    return int(np.where(able, valid[:, NEW, 0], np.inf).argmin()) if able.any() else -1


def _verdict(intervals, margin, gain, change):
    """Both intervals below their limits, one of them above, or neither; (2, 2) in per cent."""
    limits = np.array([-gain, margin])
    if (intervals[:, 1] < limits).all():
        return "accept"
    return "reject" if (intervals[:, 0] >= limits).any() else "undecided"


def _judged(valid, test, margin, gain, z, sent=_sent, verdict=_verdict, scale=_per_cent, width=None):
    """One way of adapting: the version that is tested, its two intervals in per cent, and a verdict."""
    k = sent(valid, margin, z)
    if k < 0:
        return k, np.zeros((2, 2)), NOT_TESTED
    (change, error), width = test[k].T, z if width is None else width
    intervals = np.stack([scale(change - width * error), scale(change + width * error)], axis=1)
    return k, intervals, verdict(intervals, margin, gain, scale(change))


def two_texts(ways, margin, gain, z, chosen_on=lambda valid, test: valid, **options):
    """Versions that go to the test, (W,), their intervals in per cent, (W, 2, 2), and the verdicts."""
    found = [_judged(chosen_on(valid, test), test, margin, gain, z, **options) for valid, test in ways]
    sent, intervals, words = zip(*found, strict=True)
    return {"sent": np.array(sent), "intervals": np.array(intervals), "verdicts": " ".join(words)}


def _least_forgotten(valid, margin, z):
    return int(valid[:, OLD, 0].argmin()) if _sent(valid, margin, z) >= 0 else -1


def _near_the_margin(valid, margin, z):
    """Sent by the estimate alone, as if its error were 0."""
    return _sent(valid, margin, 0.0)


def _learned_most(valid, margin, z):
    return int(valid[:, NEW, 0].argmin())


def _only_new(intervals, margin, gain, change):
    low, high = intervals[NEW]
    return "accept" if high < -gain else "reject" if low >= -gain else "undecided"


def _by_estimates(intervals, margin, gain, change):
    return "accept" if change[NEW] < -gain and change[OLD] < margin else "reject"


def _never_undecided(intervals, margin, gain, change):
    return "accept" if _verdict(intervals, margin, gain, change) == "accept" else "reject"


def _any_gain(intervals, margin, gain, change):
    return _verdict(intervals, margin, 0.0, change)


def _no_rise_shown(intervals, margin, gain, change):
    if intervals[NEW, 1] < -gain and intervals[OLD, 0] <= 0:
        return "accept"
    return "reject" if intervals[OLD, 0] > 0 or intervals[NEW, 0] >= -gain else "undecided"


def _upside_down(intervals, margin, gain, change):
    return _verdict(intervals, margin, -gain, change)


def _one_part_is_enough(intervals, margin, gain, change):
    limits = np.array([-gain, margin])
    if (intervals[:, 1] < limits).any():
        return "accept"
    return "reject" if (intervals[:, 0] >= limits).all() else "undecided"


SITUATIONS = {
    "allowed": ("accept", (_no_rise_shown,)),
    "too few documents": ("undecided", (_by_estimates, _never_undecided)),
    "too little gained": ("reject", (_any_gain, _upside_down)),
    "too much lost": ("reject", (_only_new,)),
    "nothing to test": (NOT_TESTED, ()),
}
"""What happens to a way of adapting: its verdict, and the wrong rules that give different ones."""


def _draw_way(rng, situation, margin, gain, z, versions=None):
    """Versions that learn the new text and forget some of the old one; nothing lies at a limit."""
    verdict, wrong = SITUATIONS[situation]
    while True:
        P = versions or int(rng.integers(4, 7))
        new = -np.sort(rng.uniform(0.004, 0.1, size=P))
        old = np.sort(rng.uniform(-0.01, 0.06, size=P)) + (0.05 if verdict == NOT_TESTED else 0.0)
        estimate = np.stack([new, old], axis=1)[rng.permutation(P)]
        change = estimate + rng.normal(0, 0.012, size=(P, 2))
        valid, test = (
            np.stack([mean, rng.uniform(0.001, 0.012, size=(P, 2))], axis=2).round(4)
            for mean in (estimate, change)
        )
        k, intervals, found = _judged(valid, test, margin, gain, z)
        ends = valid[:, OLD, :1] + np.array([0.0, z]) * valid[:, OLD, 1:]
        if found != verdict or np.abs(_per_cent(ends) - margin).min() < 0.1:
            continue
        if verdict == NOT_TESTED:
            return valid, test
        far = np.abs(intervals - np.array([[-gain], [margin]])).min() > 0.1
        if P > 1:  # there is a choice, and something to refuse
            chosen = [rule(valid, margin, z) for rule in (_least_forgotten, _near_the_margin, _learned_most)]
            far &= len({k, *chosen}) == 4 and _sent(test, margin, z) != k
        others = {_judged(valid, test, margin, gain, z, verdict=rule)[2] for rule in wrong}
        if far and len(others - {verdict}) == len(wrong):
            return valid, test


def _draw_ways(rng, situations=tuple(SITUATIONS), versions=None):
    margin, gain = float(rng.choice([2.0, 2.5, 3.0])), float(rng.choice([2.0, 3.0]))
    z = float(rng.choice([1.64, 2.24, 2.58]))
    ways = [
        _draw_way(rng, situation, margin, gain, z, versions)
        for situation in rng.permutation(list(situations))
    ]
    return ways, margin, gain, z


def _holds(intervals, change):
    return ((intervals[:, 0] < change) & (change < intervals[:, 1])).all()


def _rule(rule):
    return partial(two_texts, verdict=rule)


TWO_TEXTS = Question(
    key="12.two-texts",
    title="a gain here, a margin there",
    kind="implement",
    stars=3,
    points=3,
    right=two_texts,
    cases=(_draw_ways(np.random.default_rng(1271)), _draw_ways(np.random.default_rng(1272))),
    draw=_draw_ways,
    odd=(
        lambda rng: _draw_ways(rng, ("nothing to test",)),
        lambda rng: _draw_ways(rng, ("allowed", "too much lost"), versions=1),
    ),
    entry_points={"sent": 1, "intervals": 1, "verdicts": 1},
    reading=read_verdicts,
    mistakes=(
        Mistake(
            "M64",
            partial(two_texts, sent=_learned_most),
            "You send the version that has learned the most, whatever it has forgotten. Only versions that "
            "keep the valid old text within the margin may be sent.",
            explains="answer",
        ),
        Mistake(
            "M65",
            partial(two_texts, chosen_on=lambda valid, test: test),
            "You choose the version by its test. What chooses cannot judge: choose on the valid texts.",
            explains="answer",
        ),
        Mistake(
            "L22",
            partial(two_texts, sent=_near_the_margin),
            "You send a version because its change on the valid old text is within the margin. The rule asks "
            "for its interval: what lies just below the margin can hardly pass.",
        ),
        Mistake(
            "L31",
            partial(two_texts, sent=_least_forgotten),
            "You send the version that loses least on the old text. The margin says what is allowed there; "
            "within it, the new text decides.",
            explains="answer",
        ),
        Mistake(
            "M4",
            then(
                two_texts,
                lambda found: found | {"intervals": 100 * np.log1p(found["intervals"] / 100)},
            ),
            "Your per cent are 100 times the change of the loss in nats. The perplexity is its exponential.",
        ),
        Mistake(
            "L29",
            then(two_texts, lambda found: found | {"intervals": found["intervals"] / 100}),
            "Your intervals are fractions. The task asks for per cent.",
        ),
        Mistake(
            "L8",
            partial(two_texts, width=1.96),
            "Your intervals use 1.96. The number of standard errors is the argument z.",
        ),
        Mistake(
            "L8",
            partial(two_texts, width=1.0),
            "Your intervals reach one standard error to each side. The number of standard errors is z.",
        ),
        Mistake(
            "L31",
            then(two_texts, lambda found: found | {"intervals": found["intervals"][:, ::-1]}),
            "The two intervals of a version are swapped: the new text comes first.",
        ),
        Mistake(
            "M64",
            _rule(_only_new),
            "Your verdicts look at the new text only. The old text has a part in the rule.",
        ),
        Mistake(
            "L22",
            _rule(_by_estimates),
            "Your verdicts go by the changes themselves. Each part of the rule asks for a whole interval.",
        ),
        Mistake(
            "L22",
            _rule(_never_undecided),
            "You never say 'undecided'. If no interval lies beyond its limit as a whole, but not both lie "
            "below, nothing has been excluded.",
        ),
        Mistake(
            "L11",
            _rule(_any_gain),
            "You accept any fall of the perplexity on the new text. The rule requires a gain.",
        ),
        Mistake(
            "L11",
            _rule(_no_rise_shown),
            "On the old text you ask whether a rise has been shown. The rule asks whether a rise beyond "
            "the margin has been excluded.",
        ),
        Mistake(
            "L7",
            _rule(_upside_down),
            "On the new text the perplexity has to fall: its limit lies below 0.",
        ),
        Mistake(
            "L22",
            _rule(_one_part_is_enough),
            "You accept a version that passes one part of the rule. It has to pass both.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "an interval of yours does not contain the change of the version that you send",
            lambda value, ways, *case: all(
                k < 0 or _holds(rows, _per_cent(test[int(k), :, 0]))
                for k, rows, (_, test) in zip(value["sent"], value["intervals"], ways, strict=True)
            ),
        ),
    ),
    advice="For each way take the versions with 100 * (exp(change + z * error) - 1) < margin on the valid "
    "old text. The two limits are -gain on the new text and margin on the old one.",
)


QUESTIONS = (TWO_TEXTS,)
