"""Chapter 03, two directions: four statements to prove or refute, and a divergence from samples."""

import math
from functools import partial

import numpy as np
from scipy.special import rel_entr

from lmcourse.hints.answers import Unreadable, read
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import always_or_example, refuted_but
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import but

# --- directions ------------------------------------------------------------------------------------------

LEAD = 1e-6
"""By how many nats one divergence has to exceed another one, well above what floating point leaves open."""


def divergence(p, q):
    """D(p || q) in nats; infinite where p gives something a probability that q calls impossible."""
    return rel_entr(p, q).sum()


def _mixture(p, q):
    return (p + q) / 2


STATEMENTS = {
    "A": (
        "(p, q)",
        lambda p, q: np.isfinite(divergence(p, q)),
        lambda p, q: np.isfinite(divergence(q, p)),
        lambda p, q: "D(p || q) is infinite",
        lambda p, q: f"D(q || p) is finite too, {divergence(q, p):.4g}",
    ),
    "B": (
        "(p, q)",
        np.array_equal,  # by Gibbs' inequality, and without a rounding error
        lambda p, q: True,
        lambda p, q: f"D(p || q) is {divergence(p, q):.4g}, but it has to be 0",
        lambda p, q: "D(q || p) is 0 as well",
    ),
    "C": (
        "(p, q, r)",
        lambda p, q, r: divergence(p, q) < divergence(p, r) - LEAD,
        lambda p, q, r: not divergence(q, p) > divergence(r, p) + LEAD,
        lambda p, q, r: (
            f"D(p || q) is {divergence(p, q):.4g}, which is not below D(p || r), {divergence(p, r):.4g}"
        ),
        lambda p, q, r: (
            f"D(q || p) is {divergence(q, p):.4g}, which is not above D(r || p), {divergence(r, p):.4g}"
        ),
    ),
    "D": (
        "(p, q)",
        lambda p, q: True,
        lambda p, q: divergence(p, _mixture(p, q)) <= np.log(2) + LEAD,
        lambda p, q: "",
        lambda p, q: f"D(p || m) is {divergence(p, _mixture(p, q)):.4g}, and ln 2 is {np.log(2):.4g}",
    ),
}
"""For each statement the form of an example, premise and conclusion, and what to say of an example."""


directions = refuted_but("BD")


def _rows(given, count):
    """The distributions of an example, or a sentence on what is wrong with them."""
    if len(given) != count:
        return f"Give {'two distributions (p, q)' if count == 2 else 'three distributions (p, q, r)'}."
    rows = []
    for name, row in zip("pqr", given, strict=False):
        try:
            row = np.asarray(read(row, like=np.zeros(np.shape(row) or (1,))))
        except Unreadable:
            return f"{name} is not a list of numbers."
        if row.ndim != 1 or len(row) < 2:
            return f"{name} needs at least two probabilities in one list."
        if not (np.isfinite(row).all() and (row >= 0).all()):
            return f"A probability in {name} is below 0, or not a number."
        if abs(row.sum() - 1) > 1e-6:
            return f"The probabilities in {name} sum to {row.sum():.7g}."
        rows.append(row / row.sum())
    if len({len(row) for row in rows}) > 1:
        return "The distributions have different numbers of outcomes."
    return rows


def _refute(key, given):
    """What is wrong with an example, or "" (see `always_or_example`)."""
    form, premise, conclusion, lacks, has = STATEMENTS[key]
    rows = _rows(given, form.count(",") + 1)
    if isinstance(rows, str):
        return f"cannot be used. {rows}"
    if not premise(*rows):
        return f"does not meet the premise: {lacks(*rows)}."
    return f"does not refute the statement: {has(*rows)}." if conclusion(*rows) else ""


DIRECTIONS = Question(
    key="03.directions",
    title="always true, or a counterexample",
    kind="protocol",
    stars=2,
    points=4,
    form="value",
    right=directions,
    cases=((),),
    reading=always_or_example({key: form for key, (form, *_) in STATEMENTS.items()}, _refute),
    entry_points=dict.fromkeys(STATEMENTS, 1),
    mistakes=(
        Mistake(
            "M50",
            but(directions, {"A": lambda: "always"}),
            "A: the two directions need not both be finite. What makes a divergence infinite is an outcome "
            "that the *first* argument allows and the second one calls impossible.",
        ),
        Mistake(
            "M50",
            but(directions, {"C": lambda: "always"}),
            "C: the two directions can prefer different models. Take a truth with two humps, a model that is "
            "flat, and one that sits on a single hump.",
        ),
        Mistake(
            "M50",
            refuted_but("ABCD"),
            "A and C treat D as if it had no direction. For A, let one of the two distributions have a zero "
            "where the other has none; for C, take a truth with two humps, a flat model, and one that sits "
            "on a single hump.",
        ),
    ),
    advice="Write D as a function of two lists. Try two and three outcomes first, some of them with "
    "probability 0.",
)


# --- samples ---------------------------------------------------------------------------------------------


def _exact(mean_p, width_p, mean_q, width_q):
    return math.log(width_q / width_p) + (width_p**2 + (mean_p - mean_q) ** 2) / (2 * width_q**2) - 0.5


def _log_ratio(x, mean_p, width_p, mean_q, width_q):
    at_p, at_q = (x - mean_p) / width_p, (x - mean_q) / width_q
    return (at_q**2 - at_p**2) / 2 + math.log(width_q / width_p)


def _error(found):
    return found.std(ddof=1) / math.sqrt(len(found))


def from_samples(x, mean_p, width_p, mean_q, width_q, terms=_log_ratio, exact=_exact, error=_error):
    """The exact divergence of two bell curves, and its estimate from samples of p with a standard error."""
    bells = mean_p, width_p, mean_q, width_q
    found = terms(x, *bells)
    return {"exact": exact(*bells), "estimate": found.mean(), "error": error(found)}


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


def _without_heights(x, *bells):
    return _log_ratio(x, *bells) - math.log(bells[3] / bells[1])


SAMPLES = Question(
    key="03.samples",
    title="a divergence from samples",
    kind="implement",
    stars=2,
    points=3,
    right=from_samples,
    cases=(
        (np.random.default_rng(311).normal(0.0, 1.0, size=12), 0.0, 1.0, 1.5, 2.0),
        (np.random.default_rng(312).normal(-1.0, 0.8, size=120), -1.0, 0.8, 0.4, 1.3),
    ),
    draw=_draw_bells,
    odd=(_draw_narrower,),
    entry_points={"exact": 1, "estimate": 1, "error": 1},
    mistakes=(
        *unit_mistakes(from_samples, "M2", only=("exact", "estimate", "error")),
        Mistake(
            "M50",
            lambda x, mean_p, width_p, mean_q, width_q: from_samples(x, mean_q, width_q, mean_p, width_p),
            "You have swapped p and q. The samples come from p: its density is the numerator of the "
            "ratio, and the expectation is taken under p.",
        ),
        Mistake(
            "M50",
            but(from_samples, {"exact": lambda x, *bells: _exact(*bells[2:], *bells[:2])}),
            "Your 'exact' is D(q || p), the other direction. The expectation is taken under p, and the "
            "width of q is in the denominator.",
        ),
        Mistake(
            "M5",
            but(from_samples, {"estimate": lambda x, *bells: -_log_ratio(x, *bells).mean()}),
            "Your 'estimate' has the right size and the wrong sign. The samples come from p, and so the "
            "logarithm of p(x) / q(x) is what has to be averaged.",
        ),
        Mistake(
            "L22",
            partial(from_samples, exact=lambda *bells: _exact(*bells) + 0.5),
            "Your 'exact' is too large by 1/2: it would not be 0 for two equal bells. Do not forget the "
            "exponent of p itself.",
        ),
        Mistake(
            "L22",
            partial(from_samples, exact=lambda *bells: _exact(*bells) - math.log(bells[3] / bells[1])),
            "Your 'exact' lacks the heights of the two bells. The factor before exp in a density has the "
            "width in its denominator, and the two widths differ.",
        ),
        Mistake(
            "L22",
            partial(from_samples, exact=lambda *bells: _exact(bells[0], bells[1], bells[0], bells[3])),
            "Your 'exact' does not depend on the means. Under p, the mean of (x - mean_q)^2 is width_p^2 "
            "plus the square of the shift.",
        ),
        Mistake(
            "L33",
            but(from_samples, {"exact": lambda x, *bells: _log_ratio(x, *bells).mean()}),
            "Your 'exact' depends on the samples. Work out the expectation on paper: it contains only the "
            "means and the widths.",
        ),
        Mistake(
            "L1",
            but(from_samples, {"estimate": lambda x, *bells: _log_ratio(x, *bells).sum()}),
            "Your 'estimate' is a sum over the samples. An expectation is estimated by their mean.",
        ),
        Mistake(
            "L1",
            partial(from_samples, error=lambda found: found.var(ddof=1) / len(found)),
            "Your 'error' is a variance. The standard error is its square root.",
        ),
        Mistake(
            "L22",
            but(from_samples, {"estimate": lambda x, *bells: _without_heights(x, *bells).mean()}),
            "Your 'estimate' lacks the heights of the two bells. The factor before exp in a density has the "
            "width in its denominator, and the two widths differ.",
        ),
        Mistake(
            "L15",
            partial(from_samples, terms=_weighted),
            "You weight each sample by its density. The samples already come from p, and likely values "
            "appear in them more often: a plain mean estimates the expectation.",
        ),
        Mistake(
            "L1",
            partial(from_samples, error=lambda found: found.std(ddof=1)),
            "Your 'error' is the scatter of a single sample. The error of a mean of N samples is smaller by "
            "a factor of the square root of N.",
        ),
        Mistake(
            "L23",
            partial(from_samples, error=lambda found: found.std() / math.sqrt(len(found))),
            "Your 'error' is a little too small. Because the mean was taken from the same samples, divide "
            "the sum of squares by N - 1 (ddof=1).",
        ),
    ),
    properties=(
        Property(
            "'exact' is below 0, and Gibbs' inequality forbids that",
            lambda value, *case: value["exact"] > -1e-9,
        ),
        Property("'error' is not above 0", lambda value, *case: value["error"] > 0),
    ),
    advice="For two bells of width 1 with means 0 and 1, the logarithm of the ratio at x is 1/2 - x, and D "
    "is 1/2 nat.",
)

QUESTIONS = (DIRECTIONS, SAMPLES)
