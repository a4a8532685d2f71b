"""Chapter 04, an evaluator to correct: padding and batches."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.batches import mean_of_tokens, row_by_row
from lmcourse.questions.shared.properties import PERPLEXITY, unchanged
from lmcourse.questions.shared.units import perplexity_mistakes

# --- evaluator -------------------------------------------------------------------------------------------


def evaluate(batches):
    """The perplexity of all tokens of all batches; each has nats (B, T) and the rows' lengths (B,)."""
    return np.exp(np.concatenate([nats[real] for nats, real in _masked(batches)]).mean())


def _masked(batches):
    return [(nats, np.arange(nats.shape[1]) < lengths[:, None]) for nats, lengths in batches]


def _rows(batches):
    """The tokens of each row, as if every row were a batch of its own."""
    return [row[mask] for nats, real in _masked(batches) for row, mask in zip(nats, real, strict=True)]


def _each_batch(loss, then):
    """A loss for each batch of (nats, real), and what is made of the losses."""
    return lambda batches: then(np.array([loss(nats, real) for nats, real in _masked(batches)]))


def _exp_of_mean(losses):
    return np.exp(losses.mean())


def _mean_of_exps(losses):
    return np.exp(losses).mean()


def _all_at_once(loss):
    """A loss over the positions of all batches together."""

    def wrong_evaluate(batches):
        nats, real = (
            np.concatenate([part.ravel() for part in c]) for c in zip(*_masked(batches), strict=True)
        )
        return np.exp(loss(nats, real))

    return wrong_evaluate


def _one_too_many(batches):
    """As if the mask were made with <= in place of <."""
    return evaluate([(nats, np.minimum(lengths + 1, nats.shape[1])) for nats, lengths in batches])


def _draw_batches(rng):
    return ([_draw_batch(rng, *shape) for shape in ((4, 9), (3, 5), (1, 3))],)


def _draw_batch(rng, rows, columns):
    """Nats of the tokens; in the padding, what a model that was not trained on padding may give."""
    level = rng.uniform(0.8, 4.5, size=(rows, 1))
    nats = rng.gamma(4.0, level / 4.0, size=(rows, columns))
    lengths = np.array([columns, *rng.integers(1, columns, size=rows - 1)])
    padding = np.arange(columns) >= lengths[:, None]
    return np.where(padding, rng.uniform(3.0, 12.0, size=nats.shape), nats), lengths


def _perfect(batches):
    return ([(np.where(real, 0.0, nats), real.sum(axis=1)) for nats, real in _masked(batches)],)


def _wider(batches):
    return ([(np.pad(nats, ((0, 0), (0, 3)), constant_values=7.0), lengths) for nats, lengths in batches],)


def _draw_batches_with_an_empty_row(rng):
    batches = [_draw_batch(rng, *shape) for shape in ((4, 9), (3, 5))]
    batches[0][1][2] = 0
    return (batches,)


EVALUATOR = Question(
    key="04.evaluator",
    title="an evaluator with padding and batches",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=tuple(_draw_batches(np.random.default_rng(seed)) for seed in (92, 94)),
    draw=_draw_batches,
    odd=(_draw_batches_with_an_empty_row,),
    mistakes=(
        *perplexity_mistakes(evaluate),
        Mistake(
            "M9 + M19",
            _each_batch(wrong.padding_counted, _exp_of_mean),
            "Both mistakes are still there. Add three columns of padding to a batch: does your number "
            "change? Make every row a batch of its own: does it change?",
        ),
        Mistake(
            "M9",
            _each_batch(mean_of_tokens, _exp_of_mean),
            "You have corrected one mistake. The other: you average the losses of the batches, so a small "
            "batch has the weight of a large one.",
        ),
        Mistake(
            "M9",
            lambda batches: np.exp(np.mean([row.mean() for row in _rows(batches)])),
            "You average the losses of the rows, so a row of one token has the weight of a row of nine.",
        ),
        Mistake(
            "M19",
            _all_at_once(wrong.padding_counted),
            "You have corrected one mistake. The other: you divide by the total number of positions, "
            "padding included. ln r / ln R is {power}, the share of tokens among all positions.",
        ),
        Mistake(
            "M20",
            _all_at_once(wrong.padding_scored),
            "You score the padding as if it were text. Leave it out of the total and out of the count.",
        ),
        Mistake(
            "M20",
            _all_at_once(lambda nats, real: nats.sum() / real.sum()),
            "You score the padding, but do not count it. Leave it out of the total as well.",
        ),
        Mistake(
            "L23",
            _one_too_many,
            "Your mask is True at one position too many in each row that has padding: the positions 0 to "
            "length - 1 are text, so compare with <, not with <=.",
        ),
        Mistake(
            "M10",
            _each_batch(mean_of_tokens, _mean_of_exps),
            "You average the perplexities of the batches, so a different batch size gives a different "
            "number. Add up all the nats, count all the tokens, and divide once.",
        ),
        Mistake(
            "M10 + M19",
            _each_batch(wrong.padding_counted, _mean_of_exps),
            "You average the perplexities of the batches, and you still count the padding. Exponentiate "
            "last, and divide by the number of tokens.",
        ),
        Mistake(
            "M8",
            lambda batches: np.mean([np.exp(row.mean()) for row in _rows(batches)]),
            "You average the perplexities of the rows. Add up all the nats, count all the tokens, divide "
            "once, and exponentiate last.",
        ),
        Mistake(
            "M11",
            lambda batches: np.exp(np.concatenate(_rows(batches))).mean(),
            "You average 1/q over the tokens. Average the nats, and exponentiate last.",
        ),
        Mistake(
            "L1",
            _all_at_once(wrong.total),
            "You exponentiate the total of the nats. Divide it by the number of tokens first.",
        ),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "a model that gives every token the probability 1 does not get the perplexity 1",
            lambda _, second: abs(second - 1) < 1e-9,
            also=_perfect,
        ),
        Property("the number changes when padding is added", unchanged, also=_wider),
        Property("the number changes when every row is a batch of its own", unchanged, also=row_by_row),
    ),
    advice="Keep two running totals, nats and tokens, over all batches. Divide once, then take exp.",
)

QUESTIONS = (EVALUATOR,)
