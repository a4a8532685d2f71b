"""Chapter 03, two directions, and a divergence from samples."""

import math
from functools import partial

import numpy as np
from scipy.special import rel_entr

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import but, exchanged

# --- directions ------------------------------------------------------------------------------------------


def directions(p, candidates):
    """Both divergences of each candidate, and which candidate is best in each."""
    return _directions(rel_entr(p, candidates).sum(axis=1), rel_entr(candidates, p).sum(axis=1))


def _directions(forward, reverse, best=np.argmin):
    return {"forward": forward, "reverse": reverse, "covers": best(forward), "picks": best(reverse)}


def _by(divergence):
    """The dictionary from another divergence of (p, q), both (..., K)."""
    return lambda p, candidates: _directions(
        np.array([divergence(p, q) for q in candidates]), np.array([divergence(q, p) for q in candidates])
    )


def _both_positive(p, q):
    seen = (p > 0) & (q > 0)
    return (p[seen] * np.log(p[seen] / q[seen])).sum()


def _after(change):
    return lambda p, candidates: change(**directions(p, candidates))


def _draw_fit(rng):
    """A truth with two humps and a hole; candidates that cover it, or sit on one hump."""
    while True:
        p = np.array([0.4, 0.15, 0.02, 0.03, 0.15, 0.25]) * rng.uniform(0.6, 1.4, size=6)
        p[2] = 0.0
        shapes = ((1, 1, 1, 1, 1, 1), (1, 1, 0, 1, 1, 1), (1, 1, 0, 1, 0, 0), (0, 0, 0, 1, 1, 1))
        tilts = ((2, 2, 2, 2, 2, 2), (1, 3, 0, 3, 3, 1), (9, 4, 0, 1, 0, 0), (0, 0, 0, 1, 3, 8))
        candidates = np.array(shapes) * np.array(tilts) * rng.uniform(0.6, 1.4, size=(4, 6))
        order = rng.permutation(4)
        case = p / p.sum(), (candidates / candidates.sum(axis=1, keepdims=True))[order]
        if directions(*case)["covers"] != directions(*case)["picks"]:
            return case


DIRECTIONS = Question(
    key="03.directions",
    title="what happens, and what may happen",
    kind="implement",
    stars=2,
    points=2,
    right=directions,
    cases=(
        (
            np.array([0.40, 0.15, 0.02, 0.03, 0.15, 0.25]),
            np.array(
                [
                    [0.18, 0.18, 0.16, 0.16, 0.16, 0.16],
                    [0.66, 0.26, 0.02, 0.04, 0.01, 0.01],
                    [0.00, 0.00, 0.02, 0.10, 0.38, 0.50],
                    [0.05, 0.15, 0.30, 0.30, 0.15, 0.05],
                ]
            ),
        ),
        (
            np.array([0.5, 0.2, 0.0, 0.3]),
            np.array(
                [
                    [0.0, 0.5, 0.1, 0.4],
                    [0.3, 0.25, 0.2, 0.25],
                    [0.7, 0.3, 0.0, 0.0],
                    [0.15, 0.05, 0.0, 0.8],
                    [0.1, 0.2, 0.3, 0.4],
                ]
            ),
        ),
    ),
    draw=_draw_fit,
    mistakes=(
        *unit_mistakes(directions, "M2", only=("forward", "reverse")),
        Mistake(
            "M50",
            _after(lambda forward, reverse, **_: _directions(reverse, forward)),
            "Your two directions have changed places. Forward asks what the truth pays: p draws, "
            "and stands before the logarithm.",
        ),
        Mistake(
            "M50",
            _by(lambda p, q: (p * np.log(p / q)).sum()),
            "A number is nan: 0 ln 0 stands somewhere. What never happens adds nothing, whatever the other "
            "says about it; leave these terms out of the sum.",
        ),
        Mistake(
            "M30",
            _by(lambda p, q: (p * np.log(np.maximum(p, 1e-10) / np.maximum(q, 1e-10))).sum()),
            "No finite number of nats pays for what the model calls impossible. A constant of 1e-10 "
            "sets yours: change the constant, and the number changes.",
        ),
        Mistake(
            "M32",
            _by(_both_positive),
            "You skip what happens although it is called impossible, and no finite number of nats pays for "
            "that. Only terms whose first letter is 0 may be left out.",
        ),
        Mistake(
            "M5",
            _after(lambda forward, reverse, **_: _directions(-forward, -reverse)),
            "Your divergences are below 0, and so the smallest of them belongs to the worst candidate.",
        ),
        Mistake(
            "L7",
            _after(lambda forward, reverse, **_: _directions(forward, reverse, best=np.argmax)),
            "You name the candidates with the largest divergence.",
        ),
        Mistake(
            "L31",
            exchanged(directions, "covers", "picks"),
            "The divergences are right, and 'covers' and 'picks' have changed places.",
        ),
    ),
    properties=(
        Property("a number is not a number (nan)", lambda value, *_: not np.isnan(_numbers(value)).any()),
        Property(
            "a divergence is below 0, which Gibbs' inequality forbids",
            lambda value, *_: (_numbers(value) > -1e-9).all(),
        ),
    ),
    advice="For p = [1/2, 1/2, 0] and q = [1, 0, 0] one direction is infinite and the other ln 2.",
)


def _numbers(value):
    return np.concatenate([value["forward"], value["reverse"]])


# --- samples ---------------------------------------------------------------------------------------------


def _exact(mean_p, width_p, mean_q, width_q):
    return math.log(width_q / width_p) + (width_p**2 + (mean_p - mean_q) ** 2) / (2 * width_q**2) - 0.5


def _log_ratio(x, mean_p, width_p, mean_q, width_q):
    at_p, at_q = (x - mean_p) / width_p, (x - mean_q) / width_q
    return (at_q**2 - at_p**2) / 2 + math.log(width_q / width_p)


def from_samples(x, mean_p, width_p, mean_q, width_q, terms=_log_ratio, exact=_exact):
    """The exact divergence of two bell curves, and its estimate from samples of p with a standard error."""
    bells = mean_p, width_p, mean_q, width_q
    found = terms(x, *bells)
    error = found.std(ddof=1) / math.sqrt(len(found))
    return {"exact": exact(*bells), "estimate": found.mean(), "error": error}


def _weighted(x, *bells):
    """Weights p(x) on samples that come from p already."""
    weights = np.exp(-(((x - bells[0]) / bells[1]) ** 2) / 2)
    return len(x) * weights / weights.sum() * _log_ratio(x, *bells)


def _draw_bells(rng):
    mean_p, mean_q = rng.uniform(-2, 2, size=2)
    width_p, width_q = rng.uniform(0.5, 1.0), rng.uniform(1.3, 2.0)
    return rng.normal(mean_p, width_p, size=60), mean_p, width_p, mean_q, width_q


def _draw_narrower(rng):
    """The model's curve is the narrower one."""
    x, mean_p, width_p, mean_q, _ = _draw_bells(rng)
    return x, mean_p, width_p, mean_q, width_p * rng.uniform(0.6, 0.9)


SAMPLES = Question(
    key="03.samples",
    title="a divergence from samples",
    kind="implement",
    stars=2,
    points=2,
    right=from_samples,
    cases=(
        (np.random.default_rng(311).normal(0.0, 1.0, size=12), 0.0, 1.0, 1.5, 2.0),
        (np.random.default_rng(312).normal(-1.0, 0.8, size=500), -1.0, 0.8, 0.4, 1.3),
    ),
    draw=_draw_bells,
    odd=(_draw_narrower,),
    mistakes=(
        *unit_mistakes(from_samples, "M2", only=("exact", "estimate", "error")),
        Mistake(
            "M50",
            lambda x, mean_p, width_p, mean_q, width_q: from_samples(x, mean_q, width_q, mean_p, width_p),
            "Both numbers are for D(q || p), and the samples come from p: with many of them 'estimate' "
            "goes below 0. The density that draws stands above in the ratio.",
        ),
        Mistake(
            "M50",
            but(from_samples, {"exact": lambda x, *bells: _exact(*bells[2:], *bells[:2])}),
            "Your 'exact' is the other direction. The width of the model, who is judged, stands below.",
        ),
        Mistake(
            "M5",
            partial(from_samples, terms=lambda x, *bells: -_log_ratio(x, *bells)),
            "Your 'estimate' has the right size and the wrong sign: ln p(x) - ln q(x) is what p gains.",
        ),
        Mistake(
            "L22",
            partial(from_samples, exact=lambda *bells: _exact(*bells) + 0.5),
            "Your 'exact' is 1/2 too large: for two equal bells it would not be 0.",
        ),
        Mistake(
            "L22",
            partial(
                from_samples,
                exact=lambda *bells: _exact(*bells) - math.log(bells[3] / bells[1]),
                terms=lambda x, *bells: _log_ratio(x, *bells) - math.log(bells[3] / bells[1]),
            ),
            "The heights of the two bells are missing: a density has its width in the denominator in front "
            "of exp, and the two widths differ.",
        ),
        Mistake(
            "L15",
            partial(from_samples, terms=_weighted),
            "You weigh each sample with its density. The samples come from p already: likely ones are "
            "there more often. A plain mean is the expectation.",
        ),
    ),
    properties=(
        Property(
            "'error' is the scatter of a single sample. The error of a mean of N samples is smaller by the "
            "square root of N",
            lambda value, x, *bells: (
                not math.isclose(value["error"], _log_ratio(x, *bells).std(ddof=1), rel_tol=0.06)
            ),
        ),
        Property(
            "'error' falls short: the sample's own mean stands in for the true one, so divide by N - 1 "
            "(ddof=1)",
            lambda value, x, *bells: (
                not math.isclose(
                    value["error"], _log_ratio(x, *bells).std() / math.sqrt(len(x)), rel_tol=1e-6
                )
            ),
        ),
    ),
    advice="For two bells of width 1 with the means 0 and 1 the log-ratio at x is 1/2 - x, and D is 1/2 nat.",
)

QUESTIONS = (DIRECTIONS, SAMPLES)
