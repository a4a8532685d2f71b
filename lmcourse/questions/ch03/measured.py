"""Chapter 03, measuring: a gap with its standard error, and a trigram of a known source."""

import functools
import math
from itertools import product

import numpy as np
from scipy.special import rel_entr

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import LN2, unit_mistakes
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
    """Wrong standard errors, ``of`` a series, for both numbers."""
    return lambda model, source, rate, blocks: {
        "error": of(-model, blocks),
        "paired error": of(source - model, blocks),
    }


def _differs_from(of):
    """A property: no error is the wrong one."""
    wrong_errors = _errors(of)
    return lambda value, *case: (
        not any(math.isclose(value[name], error, rel_tol=2e-3) for name, error in wrong_errors(*case).items())
    )


def _draw_series(rng, blocks=None, per_block=None):
    """Log probabilities of neighbours that depend on each other, for a source and a model that knows it."""
    blocks = blocks or int(rng.integers(5, 12))
    length = blocks * (per_block or int(rng.integers(20, 60)))
    moods = np.repeat(rng.normal(scale=0.4, size=length // 10 + 1), 10)[:length]
    source = -rng.gamma(1.5, 0.6, size=length) * np.exp(moods)
    model = source - rng.normal(0.08, 0.15, size=length) - 0.05 * moods
    return model, source, float(rng.normal(-source.mean(), 0.03)), blocks


GAP = Question(
    key="03.gap",
    title="a gap with an error bar",
    kind="implement",
    stars=3,
    points=3,
    right=measure,
    cases=(
        _draw_series(np.random.default_rng(341), 4, 5),
        _draw_series(np.random.default_rng(342), 20, 50),
    ),
    draw=_draw_series,
    mistakes=(
        *unit_mistakes(measure, "M2", only=("gap", "error", "paired", "paired error")),
        Mistake(
            "M5",
            lambda model, source, rate, blocks: _gaps(model - rate, model - source, blocks),
            "Both numbers are too low: the arrays hold logarithms of probabilities, and minus their mean "
            "is the loss.",
        ),
        Mistake(
            "M5",
            lambda model, source, rate, blocks: _gaps(-model - rate, model - source, blocks),
            "'gap' is right, and 'paired' has the wrong sign. The mean of ln p - ln q is asked.",
        ),
        Mistake(
            "M2",
            lambda model, source, rate, blocks: _gaps(-model / LN2 - rate, source - model, blocks),
            "You subtract a rate in nats from a loss in bits.",
        ),
        Mistake(
            "L22",
            lambda model, source, rate, blocks: _gaps(-model, source - model, blocks),
            "Your 'gap' is the loss, with the floor still in it. Subtract the rate.",
        ),
    ),
    properties=(
        Property(
            "an error is that of independent draws, scatter of the tokens over the square root of their "
            "number. Neighbouring tokens share their context: take the scatter of the block means",
            _differs_from(lambda x, blocks: x.std(ddof=1) / math.sqrt(len(x))),
        ),
        Property(
            "an error is the scatter of one block. The mean of all blocks is more certain, by the square "
            "root of their number",
            _differs_from(lambda x, blocks: x.reshape(blocks, -1).mean(axis=1).std(ddof=1)),
        ),
        Property(
            "an error is a little too small: with B blocks divide the squares by B - 1 (ddof=1)",
            _differs_from(lambda x, blocks: x.reshape(blocks, -1).mean(axis=1).std() / math.sqrt(blocks)),
        ),
        Property(
            "an error is divided by the square root of the tokens, but what scatters are block means: divide "
            "by that of the blocks",
            _differs_from(lambda x, b: x.reshape(b, -1).mean(axis=1).std(ddof=1) / math.sqrt(len(x))),
        ),
        Property(
            "an error comes from blocks of every B-th token. A block is a stretch of neighbours: "
            "reshape(blocks, -1), then the mean over axis 1",
            _differs_from(lambda x, b: x.reshape(-1, b).mean(axis=0).std(ddof=1) / math.sqrt(b)),
        ),
        Property(
            "'paired error' adds the errors of two losses as if they were independent. Subtract token by "
            "token first; what both find hard then drops out",
            lambda value, model, source, rate, blocks: (
                not math.isclose(
                    value["paired error"],
                    math.hypot(*(_mean_and_error(x, blocks)[1] for x in (model, source))),
                    rel_tol=1e-4,
                )
            ),
        ),
    ),
    advice="Write one function for the mean and the error of a series, and call it for two series.",
)

# --- trigram ---------------------------------------------------------------------------------------------

TABLE = [[0.92, 0.06, 0.02], [0.15, 0.5, 0.35], [0.05, 0.4, 0.55]]
SYMBOLS = ["晴", "雲", "雨"]


@functools.cache
def trigram_and_texts():
    """The source of the task, a smoothed trigram of 600 days, and a test text of 60 000 days."""
    source = MarkovSource(TABLE, symbols=SYMBOLS)
    train, test = source.sample(600, seed=31), source.sample(60_000, seed=32)
    return source, NGramModel(3, AddK(0.5)).fit(train), train, test


def trigram_gap():
    """The exact KL rate of the trigram, and its measured gaps."""
    return _trigram(_kl_rate())


def _trigram(exact, text=3):
    source, model, *_ = found = trigram_and_texts()
    measured = measure(
        model.log_probs(found[text]), source.log_probs(found[text]), source.entropy_rate(), blocks=60
    )
    return {"exact": exact, **measured}


@functools.cache
def _kl_rate(weights="truth", row="as it is", order=1):
    source, model, *_ = trigram_and_texts()
    law = source.block_law(2)
    weights = {"truth": law, "alike": np.full_like(law, 1 / law.size)}[weights]
    total = 0.0
    for context in product(range(3), repeat=2):
        names = [SYMBOLS[c] for c in context[::order]]
        q = model.next_distribution(names)[[model.vocabulary[s] for s in SYMBOLS]]
        p = source.transitions[context[-1]]
        if row == "normalised":
            q = q / q.sum()
        terms = rel_entr(q, p) if row == "swapped" else rel_entr(p, q)
        total += weights[context] * terms.sum()
    return total


TRIGRAM = Question(
    key="03.trigram",
    title="a trigram too many",
    kind="reproduce",
    stars=2,
    points=2,
    form="value",
    right=trigram_gap,
    cases=((),),
    mistakes=(
        *unit_mistakes(trigram_gap, "M2", only=("exact", "gap", "error", "paired", "paired error")),
        Mistake(
            "L13",
            lambda: _trigram(_kl_rate(row="normalised")),
            "Your 'exact' divides each row of q by its sum. What the model gives to its sentence end and to "
            "<unk> is lost, and that is part of its fault.",
        ),
        Mistake(
            "M9",
            lambda: _trigram(_kl_rate(weights="alike")),
            "Your 'exact' weighs the nine contexts alike. Weigh them with how often the truth visits them.",
        ),
        Mistake(
            "M50",
            lambda: _trigram(_kl_rate(row="swapped")),
            "Your 'exact' has D(q || p) in each context, and the measurement has D(p || q).",
        ),
        Mistake(
            "L16",
            lambda: _trigram(_kl_rate(order=-1)),
            "Your 'exact' hands the two days to the model in the wrong order. The oldest comes first.",
        ),
        Mistake(
            "L17",
            lambda: _trigram(_kl_rate(), text=2),
            "You measure on the text that the model has learnt from. There it does better than it can.",
        ),
    ),
    advice="'exact' is a sum over nine contexts: source.block_law(2)[c, d] times the divergence of that row.",
)

QUESTIONS = (GAP, TRIGRAM)
