"""Chapter 03, measuring: a gap with its standard error, and the plan of a measurement."""

import functools
import math

import numpy as np

from lmcourse.hints.answers import Unreadable, plain_data, read
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.units import LN2, unit_mistakes
from lmcourse.questions.shared.wrong import but
from lmmetrics.ngram import AddK, NGramModel
from lmmetrics.sources import MarkovSource

# --- gap -------------------------------------------------------------------------------------------------


def measure(model, source, rate, blocks):
    """The loss above the rate and above the source's own loss, each with a standard error by block means."""
    return _gaps(-model - rate, source - model, blocks)


def _gaps(against_rate, against_source, blocks):
    value, error = _mean_and_error(against_rate, blocks)
    paired, paired_error = _mean_and_error(against_source, blocks)
    return {"gap": value, "error": error, "paired": paired, "paired error": paired_error}


def _mean_and_error(values, blocks):
    means = values.reshape(blocks, -1).mean(axis=1)
    return means.mean(), means.std(ddof=1) / math.sqrt(blocks)


def _errors(of):
    """The answer with other standard errors, ``of`` a series and its number of blocks."""
    return but(
        measure,
        {
            "error": lambda model, source, rate, blocks: of(-model - rate, blocks),
            "paired error": lambda model, source, rate, blocks: of(source - model, blocks),
        },
    )


def _entry(name, formula):
    return but(measure, {name: formula})


def _sum_of_squares(model, source, rate, blocks):
    return math.hypot(*(_mean_and_error(series, blocks)[1] for series in (model, source)))


def _draw_series(rng, blocks=None, per_block=None):
    """Log probabilities of neighbours that depend on each other, for a source and a model that knows it."""
    blocks = blocks or int(rng.integers(5, 12))
    length = blocks * (per_block or int(rng.integers(20, 60)))
    moods = np.repeat(rng.normal(scale=0.4, size=length // 10 + 1), 10)[:length]
    source = -rng.gamma(1.5, 0.6, size=length) * np.exp(moods)
    model = source - rng.normal(0.08, 0.15, size=length) - 0.05 * moods
    return model, source, float(rng.normal(-source.mean(), 0.03)), blocks


EVERY = ("gap", "error", "paired", "paired error")

GAP = Question(
    key="03.gap",
    title="an excess with an error bar",
    kind="implement",
    stars=3,
    points=4,
    right=measure,
    cases=(
        _draw_series(np.random.default_rng(341), 4, 5),
        _draw_series(np.random.default_rng(342), 20, 50),
    ),
    draw=_draw_series,
    entry_points=dict.fromkeys(EVERY, 1),
    mistakes=(
        *unit_mistakes(measure, "M2", only=EVERY),
        Mistake(
            "M5",
            _entry("gap", lambda model, source, rate, blocks: model.mean() - rate),
            "Your 'gap' uses the mean of the log probabilities for the loss. A log probability is below 0: "
            "the loss is minus their mean.",
        ),
        Mistake(
            "M5",
            _entry("gap", lambda model, source, rate, blocks: rate + model.mean()),
            "Your 'gap' has the right size and the wrong sign: it is the rate minus the loss.",
        ),
        Mistake(
            "M5",
            _entry("paired", lambda model, source, rate, blocks: (model - source).mean()),
            "Your 'paired' has the right size and the wrong sign. The task asks for the mean of "
            "ln p - ln q, with p from the source.",
        ),
        Mistake(
            "M2",
            _entry("gap", lambda model, source, rate, blocks: -model.mean() / LN2 - rate),
            "Your 'gap' subtracts a rate in nats from a loss in bits.",
        ),
        Mistake(
            "L22",
            _entry("gap", lambda model, source, rate, blocks: -model.mean()),
            "Your 'gap' is the loss, in which the floor is still included. Subtract the rate.",
        ),
        Mistake(
            "L22",
            _entry("gap", lambda model, source, rate, blocks: (source - model).mean()),
            "Your 'gap' is 'paired'. For 'gap', subtract the entropy rate instead of the source's log "
            "probabilities.",
        ),
        Mistake(
            "L15",
            _entry("paired", lambda model, source, *_: (np.exp(source) * (source - model)).mean()),
            "Your 'paired' weights each token by its probability. The text was drawn from the source, so "
            "likely tokens already appear more often: take a plain mean.",
        ),
        Mistake(
            "L32",
            _errors(lambda x, blocks: x.std(ddof=1) / math.sqrt(len(x))),
            "The standard error is that of independent draws: the scatter of the tokens, divided by the "
            "square root of their number. Neighbouring tokens share their context. Use the scatter of the "
            "block means.",
        ),
        Mistake(
            "L32",
            _errors(lambda x, blocks: x.std() / math.sqrt(len(x))),
            "The standard error is that of independent draws, with ddof=0. Neighbouring tokens share their "
            "context. Use the scatter of the block means, with ddof=1.",
        ),
        Mistake(
            "L1",
            _errors(lambda x, blocks: x.reshape(blocks, -1).mean(axis=1).std(ddof=1)),
            "The standard error is the scatter of one block. The mean of all blocks is more certain, by a "
            "factor of the square root of their number.",
        ),
        Mistake(
            "L23",
            _errors(lambda x, blocks: x.reshape(blocks, -1).mean(axis=1).std() / math.sqrt(blocks)),
            "The standard error is a little too small. With B blocks, divide the sum of squares by B - 1 "
            "(ddof=1).",
        ),
        Mistake(
            "L27",
            _errors(lambda x, b: x.reshape(b, -1).mean(axis=1).std(ddof=1) / math.sqrt(len(x))),
            "The standard error is divided by the square root of the number of tokens. It is the block "
            "means that scatter: divide by the square root of their number.",
        ),
        Mistake(
            "L32",
            _errors(lambda x, b: x.reshape(-1, b).mean(axis=0).std(ddof=1) / math.sqrt(b)),
            "The standard error comes from blocks of every B-th token. A block is a stretch of neighbours: "
            "use reshape(blocks, -1), and the mean over axis 1.",
        ),
        Mistake(
            "L1",
            _errors(lambda x, blocks: x.reshape(blocks, -1).mean(axis=1).var(ddof=1) / blocks),
            "The standard error is squared: it is a variance. Take its square root.",
        ),
        Mistake(
            "L32",
            _entry("paired error", _sum_of_squares),
            "Your 'paired error' adds the errors of two losses as if they were independent. Subtract token "
            "by token first, so that whatever is hard for both cancels.",
        ),
        Mistake(
            "L31",
            lambda *case: (
                measure(*case)
                | {"error": measure(*case)["paired error"], "paired error": measure(*case)["error"]}
            ),
            "You give one of the two standard errors in place of the other.",
        ),
    ),
    alike=(
        (
            "L32",
            "L32 (2)",
            "the second series has a thousand tokens, and one more or less makes no difference",
        ),
    ),
    properties=(FINITE,),
    advice="Write one function for the mean and the standard error of a series, and call it for two series: "
    "the surprisals minus the rate, and the paired differences.",
)

# --- plan ------------------------------------------------------------------------------------------------

TABLE = [[0.92, 0.06, 0.02], [0.15, 0.5, 0.35], [0.05, 0.4, 0.55]]
SYMBOLS = ["晴", "雲", "雨"]

TARGET = 0.001
"""The largest standard error that the plan may have, in nats per day."""

AT_MOST = 3.0
"""How many times the days that are needed a plan may use."""

OFF = 0.05
"""By what share a standard error from blocks may be off on average."""

UNCERTAIN = 0.2
"""The largest relative uncertainty of the standard error itself."""


@functools.cache
def source_and_model():
    """The source of the task, and a smoothed trigram of 600 days."""
    source = MarkovSource(TABLE, symbols=SYMBOLS)
    return source, NGramModel(3, AddK(0.5)).fit(source.sample(600, seed=31))


@functools.cache
def covariances(subtract):
    """Variance and covariances of what one day adds, at lags 0, 1, ..., 399; exact, from the source."""
    source, model = source_and_model()
    rows = np.array(TABLE)
    columns = [model.vocabulary[symbol] for symbol in SYMBOLS]
    q = np.array([[model.next_distribution([a, b])[columns] for b in SYMBOLS] for a in SYMBOLS])
    terms = (np.log(rows)[None] if subtract == "source" else 0.0) - np.log(q)  # [older, newer, next]
    law = source.block_law(3)
    centred = terms - (law * terms).sum()
    after_pair = (rows[None] * centred).sum(axis=2)  # the expected term of the next day, by two days
    found = [(law * centred**2).sum(), (law * centred * after_pair[None]).sum()]
    after = (rows * after_pair).sum(axis=1)  # of the day after that, by one day
    while len(found) < 400:
        found.append((law * centred * after[None, None]).sum())
        after = rows @ after
    return np.array(found)


def _variance(subtract, length=None):
    """The variance of the mean of ``length`` days, times that length; without it of very many days."""
    gamma = covariances(subtract)
    lags = np.arange(1, len(gamma))
    weights = np.ones(len(lags)) if length is None else np.maximum(0, 1 - lags / length)
    return gamma[0] + 2 * (weights * gamma[1:]).sum()


def needed(subtract):
    """How many days of test text bring the standard error down to `TARGET`."""
    return _variance(subtract) / TARGET**2


EXAMPLES = {
    "subtract": {RIGHT: "source", "M63": "rate", "not read": ""},
    "days": {RIGHT: 20_000.0, "not read": -1.0},
    "blocks": {RIGHT: 100.0, "L32": 20_000.0, "not read": -1.0},
}


def _whole(given, what):
    """A whole number above 0, or a sentence that says why it is not one."""
    try:
        number = read(given, like=0.0)
    except Unreadable:
        return f"give {what} as one number."
    return number if number >= 1 and number.is_integer() else f"{what} has to be a whole number above 0."


def _subtract(given):
    word = given.strip().lower() if isinstance(given, str) else given
    if word not in ("rate", "source"):
        return 'write "rate" or "source".'
    return RIGHT if word == "source" else "M63"


def _way(plan):
    return "rate" if _subtract(plan.get("subtract")) == "M63" else "source"


def _days(given, plan):
    days = _whole(given, "the number of days")
    if isinstance(days, str):
        return days
    way = _way(plan)
    error = math.sqrt(_variance(way, days) / days)
    if error > TARGET:
        return f"with {days:,.0f} days your plan has a standard error of {error:.5f} nats, above {TARGET}."
    if days > AT_MOST * needed(way):
        return (
            f"with {days:,.0f} days the standard error is far below {TARGET}. Fewer than a third of "
            "them would do."
        )
    return RIGHT


def _blocks(given, plan):
    blocks, days = _whole(given, "the number of blocks"), _whole(plan.get("days"), "the number of days")
    if isinstance(blocks, str) or isinstance(days, str):
        return blocks if isinstance(blocks, str) else 'it can be judged only once "days" is a valid number.'
    if days % blocks:
        return f"{days:,.0f} days cannot be cut into {blocks:,.0f} blocks of equal length."
    if blocks < 2 or 1 / math.sqrt(2 * (blocks - 1)) > UNCERTAIN:
        return f"the scatter of {blocks:,.0f} block means leaves the standard error itself too uncertain."
    length, way = days / blocks, _way(plan)
    off = math.sqrt(_variance(way, length) / _variance(way, days)) - 1
    if abs(off) <= OFF:
        return RIGHT
    return (
        "L32"
        if length == 1
        else (
            f"with blocks of {length:,.0f} days the standard error comes out {abs(off):.0%} too "
            f"{'large' if off > 0 else 'small'} on average, because neighbouring blocks depend on each other."
        )
    )


def _reading(given, *case):
    plan = plain_data(given)
    plan = plan if isinstance(plan, dict) else {}
    looks = {
        "subtract": _subtract,
        "days": functools.partial(_days, plan=plan),
        "blocks": functools.partial(_blocks, plan=plan),
    }
    return by_what_it_does(looks, EXAMPLES)(plain_data(given))


PLAN = Question(
    key="03.plan",
    title="plan the measurement",
    kind="protocol",
    stars=3,
    points=3,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=_reading,
    entry_points={"subtract": 1, "days": 1, "blocks": 1},
    mistakes=(
        Mistake(
            "M63",
            chosen(EXAMPLES, "M63", "subtract"),
            "With your 'subtract', the luck of the text stays in the difference: a rainy month is hard for "
            "the model and for the source alike. Compare the two standard errors on the pilot text.",
        ),
        Mistake(
            "L32",
            chosen(EXAMPLES, "L32", "blocks"),
            "Your 'blocks' are single days, as if the days were independent draws. Make each block a "
            "stretch of neighbouring days.",
        ),
    ),
    advice="Run measure on the pilot text with both differences. A standard error falls with the square root "
    "of the number of days.",
)

QUESTIONS = (GAP, PLAN)
