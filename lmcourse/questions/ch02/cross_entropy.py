"""Chapter 02, surprisal and its average: three words in three units, and two forecasters and a choice."""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy import stats
from scipy.special import entr

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import HINTS, LN2, LN10, scaled, unit_mistakes
from lmcourse.questions.shared.wrong import but, exchanged

# --- three-words -----------------------------------------------------------------------------------------


def sentence_cost(q):
    """Surprisal of each word in three units, the joint probability, and the mean in nats."""
    return _cost_from(-np.log(q), q)


def _cost_from(nats, q):
    """The dictionary as it follows from ``nats``, right or wrong."""
    return {
        "nats": nats,
        "bits": nats / LN2,
        "hartleys": nats / LN10,
        "joint": np.prod(q),
        "nats per word": nats.mean(),
    }


def _cost_negative(q):
    return {key: value if key == "joint" else -value for key, value in sentence_cost(q).items()}


THREE_WORDS = Question(
    key="02.three-words",
    title="three words, three units",
    kind="compute",
    stars=1,
    points=2,
    right=sentence_cost,
    cases=((np.array([0.25, 0.5, 0.4]),), (np.array([0.5, 0.8, 0.05, 0.6]),)),
    draw=lambda rng: (rng.uniform(0.05, 0.95, size=rng.integers(3, 9)),),
    mistakes=(
        *unit_mistakes(sentence_cost, "M2 M3", only=("nats", "nats per word")),
        *(
            Mistake(
                name,
                but(sentence_cost, {key: lambda q, key=key, name=name: scaled(name, sentence_cost(q)[key])}),
                HINTS[name].replace("Your number", f"Your '{key}'"),
            )
            for key in ("nats", "nats per word")
            for name in ("M2", "M3")
        ),
        *(
            Mistake(
                name,
                lambda q, name=name: _cost_from(scaled(name, -np.log(q)), q),
                HINTS[name] + " The other units follow from it.",
                explains="answer",
            )
            for name in ("M2", "M3")
        ),
        *(
            Mistake(
                mistake,
                but(sentence_cost, {key: lambda q, by=by: -np.log(q) / by**2}),
                f"Your '{key}' is divided by {name} twice: numbers that were already in {key} have been read "
                "as nats.",
            )
            for mistake, key, by, name in (("M2", "bits", LN2, "ln 2"), ("M3", "hartleys", LN10, "ln 10"))
        ),
        Mistake(
            "M3",
            but(sentence_cost, {"bits": lambda q: -np.log10(q)}),
            "Your 'bits' is in hartleys, the unit of the logarithm to base 10. Bits go with base 2.",
        ),
        Mistake(
            "M5",
            _cost_negative,
            "You give a surprisal below 0. A surprisal is minus the logarithm of a probability.",
        ),
        Mistake(
            "M1",
            but(sentence_cost, {"bits": lambda q: -np.log(q)}),
            "Your 'bits' is {ratio} = ln 2 times what it should be: it is still in nats.",
        ),
        Mistake(
            "L3",
            but(sentence_cost, {"bits": lambda q: -np.log(q) * LN2}),
            "Your 'bits' is multiplied by ln 2. One bit is ln 2 = 0.6931 nats, so there are more bits than "
            "nats: divide.",
        ),
        Mistake(
            "L3",
            but(sentence_cost, {"hartleys": lambda q: -np.log(q) * LN10}),
            "Your 'hartleys' is multiplied by ln 10. One hartley is ln 10 = 2.3026 nats, so there are fewer "
            "hartleys than nats: divide.",
        ),
        Mistake(
            "L31",
            exchanged(sentence_cost, "bits", "hartleys"),
            "'bits' and 'hartleys' are swapped. A hartley is larger than a bit, so there are fewer hartleys.",
            explains="answer",
        ),
        Mistake(
            "M6",
            but(sentence_cost, {"joint": lambda q: np.log(q).sum()}),
            "Your 'joint' is the logarithm of the joint probability.",
        ),
        Mistake(
            "M4",
            but(sentence_cost, {"nats per word": lambda q: np.exp(-np.log(q).mean())}),
            "Your 'nats per word' is a perplexity. The loss in nats is its logarithm.",
        ),
        Mistake(
            "L1",
            but(sentence_cost, {"joint": lambda q: np.exp(np.log(q).mean())}),
            "Your 'joint' is the geometric mean. The probability of the sentence is the product.",
        ),
        Mistake(
            "L3",
            but(
                sentence_cost,
                {"bits": lambda q: -np.log(q) * LN2, "hartleys": lambda q: -np.log(q) * LN10},
            ),
            "Your 'bits' and 'hartleys' are multiplied by ln 2 and ln 10. One bit is ln 2 = 0.6931 nats, so "
            "there are more bits than nats: divide.",
            explains="answer",
        ),
        Mistake(
            "L1",
            but(sentence_cost, {"nats per word": lambda q: -np.log(q).sum()}),
            "Your 'nats per word' is too large by a factor of {ratio}, which is the number of words. Divide "
            "by it.",
        ),
        Mistake(
            "L2",
            but(sentence_cost, {"nats per word": lambda q: -np.log(np.mean(q))}),
            "Your 'nats per word' is minus the logarithm of the mean probability. By Jensen's inequality, "
            "that is too small. Take the logarithm of each probability first, then the mean.",
        ),
        Mistake(
            "L4",
            but(sentence_cost, {"joint": np.sum}),
            "Your 'joint' is the sum of the probabilities. Multiply them.",
        ),
        Mistake(
            "L4",
            but(sentence_cost, {"joint": np.mean}),
            "Your 'joint' is the mean of the probabilities. A sentence is never more probable than its least "
            "probable word: multiply the probabilities.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "a surprisal is below 0, but no probability is above 1",
            lambda value, *case: all(np.min(entry) >= 0 for key, entry in value.items() if key != "joint"),
        ),
        Property(
            "'joint' is a probability, but does not lie between 0 and 1",
            lambda value, *case: 0 <= value["joint"] <= 1,
        ),
    ),
)

# --- forecasters -----------------------------------------------------------------------------------------


def _surprisals(q, outcomes):
    return -np.log(q[np.arange(len(q)), outcomes])


def _paired(a, b):
    """Standard error of the mean difference, day by day."""
    return (a - b).std(ddof=1) / np.sqrt(len(a))


def _settled(difference, error, days):
    """Whether the 95% t interval for the mean difference leaves out 0."""
    return abs(difference) > stats.t.ppf(0.975, days - 1) * error


def compare_forecasters(
    a, b, outcomes, nats_of=_surprisals, error_of=_paired, average=np.mean, best=np.argmin, settled=_settled
):
    """Mean surprisals of two forecasters, the error of their difference, and which of them to install."""
    days = [nats_of(a, outcomes), nats_of(b, outcomes)]
    nats, error = np.array([average(each) for each in days]), error_of(*days)
    choice = "ab"[best(nats)] if settled(nats[0] - nats[1], error, len(a)) else "not settled"
    return {"nats": nats, "error": error, "choice": choice}


def _only_scaled(name, key):
    """The right answer with one entry in another unit, or with the wrong sign."""
    return but(compare_forecasters, {key: lambda *case: scaled(name, compare_forecasters(*case)[key])})


def _only(**changes):
    """The right answer, but for the entries that a change of the right formula gives."""

    def wrong_comparison(*case):
        right = compare_forecasters(*case)
        return right | {
            key: partial(compare_forecasters, **change)(*case)[key] for key, change in changes.items()
        }

    return wrong_comparison


def _log_of_mean(q, outcomes):
    return -np.log(q[np.arange(len(q)), outcomes].mean())


def _of_the_mean(a, b, outcomes):
    nats = np.array([_log_of_mean(q, outcomes) for q in (a, b)])
    return compare_forecasters(a, b, outcomes) | {"nats": nats}


def _draw_forecasts(rng, winner=None):
    """Two forecasters, of whom one may know more; no choice hangs on rounding."""
    while True:
        days, weathers = int(rng.integers(12, 40)), int(rng.integers(3, 6))
        truth = rng.dirichlet(np.ones(weathers), size=days)
        outcomes = np.array([rng.choice(weathers, p=row) for row in truth])
        other = rng.dirichlet(np.full(weathers, 3.0), size=days)
        a, b = (
            (0.9 * truth + 0.1 / weathers, other)
            if rng.random() < 0.5
            else (other, 0.9 * truth + 0.1 / weathers)
        )
        found = compare_forecasters(a, b, outcomes)
        ratio = abs(found["nats"][0] - found["nats"][1]) / found["error"]
        if abs(ratio - stats.t.ppf(0.975, days - 1)) > 0.02 and (winner is None or found["choice"] in winner):
            return a, b, outcomes


def _draw_few_days(rng):
    """The difference is more than two standard errors from 0, and the interval contains 0 all the same."""
    while True:
        days = int(rng.integers(4, 7))
        a, b = rng.dirichlet(np.full(3, 2.0), size=(2, days)) * 0.94 + 0.02
        outcomes = rng.integers(3, size=days)
        found = compare_forecasters(a, b, outcomes)
        ratio = abs(found["nats"][0] - found["nats"][1]) / found["error"]
        if 2.05 < ratio < stats.t.ppf(0.975, days - 1) - 0.05:
            return a, b, outcomes


def _draw_a_surprise(rng):
    """On one day what came was all but impossible for a forecaster."""
    a, b, outcomes = _draw_forecasts(rng)
    b[0] = np.where(np.arange(b.shape[1]) == outcomes[0], 1e-14, b[0])
    return a, b / b.sum(axis=1, keepdims=True), outcomes


FORECASTERS = Question(
    key="02.forecasters",
    title="two forecasters, and a choice",
    kind="implement",
    stars=2,
    points=3,
    right=compare_forecasters,
    cases=(
        (
            np.array([[0.7, 0.2, 0.1], [0.6, 0.3, 0.1], [0.2, 0.5, 0.3], [0.3, 0.2, 0.5], [0.5, 0.3, 0.2]]),
            np.array(
                [
                    [0.9, 0.08, 0.02],
                    [0.9, 0.06, 0.04],
                    [0.05, 0.9, 0.05],
                    [0.02, 0.04, 0.94],
                    [0.91, 0.07, 0.02],
                ]
            ),
            np.array([0, 0, 1, 2, 2]),
        ),
        (
            np.array([[0.55, 0.45], [0.3, 0.7], [0.6, 0.4], [0.96, 0.04]]),
            np.array([[0.97, 0.03], [0.25, 0.75], [0.8, 0.2], [0.9, 0.1]]),
            np.array([0, 1, 0, 1]),
        ),
        _draw_forecasts(np.random.default_rng(21), ("a",)),
        _draw_forecasts(np.random.default_rng(22), ("b",)),
    ),
    draw=_draw_forecasts,
    odd=(
        _draw_a_surprise,
        _draw_few_days,
        partial(_draw_forecasts, winner=("a",)),
        partial(_draw_forecasts, winner=("b",)),
        partial(_draw_forecasts, winner=("not settled",)),
    ),
    entry_points={"nats": 1, "error": 1, "choice": 1},
    mistakes=(
        *(
            replace(
                mistake,
                hint=mistake.hint.replace("Your number", "Each of your numbers"),
                explains="answer",
            )
            for mistake in unit_mistakes(compare_forecasters, "M2 M3", only=("nats", "error"))
        ),
        *(
            Mistake(name, _only_scaled(name, key), HINTS[name].replace("Your number", f"Your '{key}'"))
            for name, key in (
                ("M2", "nats"),
                ("M3", "nats"),
                ("M5", "nats"),
                ("M2", "error"),
                ("M3", "error"),
            )
        ),
        Mistake(
            "L7",
            partial(compare_forecasters, best=np.argmax),
            "Your 'choice' is the wrong way round. The forecaster with the smaller mean surprisal is the "
            "better one.",
        ),
        Mistake(
            "L11",
            _only(choice={"settled": lambda difference, error, days: True}),
            "Your 'choice' names a forecaster although the interval for the difference contains 0.",
        ),
        Mistake(
            "L41",
            _only(choice={"settled": lambda difference, error, days: abs(difference) > 2 * error}),
            "Your 'choice' takes about two standard errors however few the days are, as if the standard "
            "error were known. Take the factor from Student's t distribution.",
        ),
        Mistake(
            "L5",
            partial(compare_forecasters, nats_of=lambda q, outcomes: entr(q).sum(axis=1)),
            "Your numbers do not depend on the outcomes: they measure how sure a forecaster is, not how "
            "right.",
            explains="answer",
        ),
        Mistake(
            "L6",
            partial(compare_forecasters, nats_of=lambda q, outcomes: -np.log(q.max(axis=1))),
            "Your numbers do not depend on the outcomes: take the probability of what happened, not the "
            "largest one.",
            explains="answer",
        ),
        Mistake(
            "L1",
            _only(nats={"average": np.sum}),
            "Your 'nats' are totals: they are too large by a factor of {ratio}, which is the number of days.",
        ),
        Mistake(
            "M4",
            but(compare_forecasters, {"nats": lambda *case: np.exp(compare_forecasters(*case)["nats"])}),
            "Your 'nats' are perplexities. The task asks for their logarithms.",
        ),
        Mistake(
            "L31",
            but(compare_forecasters, {"nats": lambda *case: compare_forecasters(*case)["nats"][::-1]}),
            "The two numbers in your 'nats' are swapped.",
        ),
        Mistake(
            "L1",
            _only(error={"error_of": lambda a, b: (a - b).std(ddof=1)}),
            "Your 'error' is the spread of single days. The standard error of a mean over N days is smaller "
            "by a factor of the square root of N.",
        ),
        Mistake(
            "L1",
            _only(error={"error_of": lambda a, b: (a - b).std(ddof=1) / len(a)}),
            "Your 'error' divides by N. The standard error divides by the square root of N.",
        ),
        Mistake(
            "L23",
            _only(error={"error_of": lambda a, b: (a - b).std() / np.sqrt(len(a))}),
            "Your 'error' divides the sum of squares by N. The task asks for N - 1: `ddof=1`.",
        ),
        Mistake(
            "M63",
            _only(
                error={
                    "error_of": lambda a, b: np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / len(a)),
                }
            ),
            "Your 'error' treats the forecasters as if they had seen different days. Take the difference "
            "day by day first.",
        ),
        Mistake(
            "L2",
            _of_the_mean,
            "Your 'nats' are logarithms of a mean. Take the logarithm of each day's probability first, then "
            "the mean.",
        ),
    ),
    alike=(
        ("right", "L7", "the first two cases do not settle the choice"),
        ("right", "L11", "the last two cases settle the choice"),
        ("right", "L41", "one case alone lies between 2 and Student's factor"),
        ("L7", "L41", "the first case settles no choice, whatever the factor"),
        ("L11", "L41", "the last case settles the choice, whatever the factor"),
    ),
    properties=(
        FINITE,
        Property(
            "'nats' or 'error' is below 0, but no surprisal and no standard error is",
            lambda value, *case: (value["nats"] >= 0).all() and value["error"] >= 0,
        ),
        Property(
            "'choice' has to be 'a', 'b' or 'not settled'",
            lambda value, *case: value["choice"] in ("a", "b", "not settled"),
        ),
    ),
    advice="Compute one surprisal for each day and forecaster, shape (N,), and subtract day by day. 'choice' "
    "compares the mean of these differences with its standard error times the factor in the task.",
)

QUESTIONS = (THREE_WORDS, FORECASTERS)
