"""Chapter 02, batches and logits: the average over a ragged batch, and surprisal without underflow."""

from functools import partial

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.batches import is_real, mean_of_tokens, more_padding, nats_of
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE, unchanged
from lmcourse.questions.shared.units import unit_mistakes
from lmcourse.questions.shared.wrong import then

# --- average-surprisal -----------------------------------------------------------------------------------


def average_surprisal(log_probs, targets, ignore_index, average=mean_of_tokens, mask=is_real):
    """Mean nats of the real tokens; (B, T, V) and (B, T) -> one number."""
    return average(nats_of(log_probs, targets), mask(targets, ignore_index))


def _smoothed_average(log_probs, targets, ignore_index):
    real = targets != ignore_index
    return wrong.smoothed(log_probs[real], targets[real], epsilon=0.1).mean()


def _count_hint(log_probs, targets, ignore_index):
    real = (targets != ignore_index).sum()
    return (
        f"Your number is {{ratio}} times the mean: there are {real} tokens, but you divide by {targets.size} "
        f"positions."
    )


def _batch(rng, rows, columns, symbols, ignore_index):
    log_probs = log_softmax(rng.normal(scale=2.0, size=(rows, columns, symbols)), axis=-1)
    first = 1 if ignore_index == 0 else 0
    targets = rng.integers(first, symbols, size=(rows, columns))
    targets[0, 0] = first
    lengths = np.array([columns, *rng.integers(1, columns, size=rows - 1)])
    targets[np.arange(columns) >= lengths[:, None]] = ignore_index
    return log_probs, targets, ignore_index


def _draw_batch(rng):
    """A batch with padding at the ends of its rows and, here and there, between tokens."""
    log_probs, targets, ignore_index = _batch(rng, 4, 8, 9, ignore_index=int(rng.choice([-100, -1, 0])))
    gaps = rng.random(targets.shape) < 0.15
    gaps[0, 0] = False
    return log_probs, np.where(gaps, ignore_index, targets), ignore_index


def _draw_upside_down(rng):
    """The last row is full, and padding stands at the end of the others."""
    log_probs, targets, ignore_index = _batch(rng, 4, 8, 9, ignore_index=-1)
    return log_probs[::-1].copy(), targets[::-1].copy(), ignore_index


def _batch_twice(log_probs, targets, ignore_index):
    return np.tile(log_probs, (2, 1, 1)), np.tile(targets, (2, 1)), ignore_index


AVERAGE_SURPRISAL = Question(
    key="02.average-surprisal",
    title="the average surprisal of a ragged batch",
    kind="implement",
    stars=2,
    points=3,
    right=average_surprisal,
    cases=(
        _batch(np.random.default_rng(11), 3, 6, 5, ignore_index=-1),
        _batch(np.random.default_rng(12), 4, 5, 7, ignore_index=0),
    ),
    draw=_draw_batch,
    odd=(_draw_upside_down,),
    mistakes=(
        *unit_mistakes(average_surprisal),
        Mistake("M19", partial(average_surprisal, average=wrong.padding_counted), _count_hint),
        Mistake(
            "M20",
            partial(average_surprisal, average=wrong.padding_scored),
            "Positions whose target equals the argument ignore_index are not tokens: leave them out of the "
            "sum and the count.",
        ),
        Mistake(
            "M21",
            partial(average_surprisal, mask=lambda targets, _: targets > 0),
            "The symbol 0 can be a real token. Compare the targets with ignore_index, not with 0.",
        ),
        Mistake(
            "M21",
            partial(average_surprisal, mask=lambda targets, _: targets != 0),
            "The symbol 0 can be a token, and padding can be another number. Compare the targets with "
            "ignore_index.",
        ),
        Mistake(
            "M9",
            partial(average_surprisal, average=wrong.mean_of_means),
            "You average the sequences' means, so a short sequence weighs as much as a long one. Add up all "
            "the nats, then divide by the number of tokens.",
        ),
        Mistake(
            "L1",
            partial(average_surprisal, average=wrong.total),
            "Your number is too large by a factor of {ratio}, which is the number of tokens.",
        ),
        Mistake(
            "M41",
            _smoothed_average,
            "Your number mixes in a tenth of the mean surprisal of *all* symbols. Smoothing is for "
            "training only.",
        ),
        Mistake(
            "M4",
            then(average_surprisal, np.exp),
            "Your number is the exponential of the average: a perplexity. The task asks for nats.",
        ),
        Mistake(
            "M11",
            partial(average_surprisal, average=wrong.log_mean_inverse),
            "You average 1/q and take the logarithm afterwards. The logarithm belongs inside the mean.",
        ),
        Mistake(
            "L2",
            partial(average_surprisal, average=wrong.log_mean),
            "You average q and take the logarithm afterwards. The logarithm belongs inside the mean.",
        ),
    ),
    alike=tuple(
        (*pair, "in the second case 0 is the padding, and every other symbol is above it")
        for pair in (("right", "M21"), ("right", "M21 (2)"), ("M21", "M21 (2)"))
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property("the number changes when padding is added", unchanged, also=more_padding),
        Property("the number changes when the batch is given twice", unchanged, also=_batch_twice),
    ),
)

# --- token-nll -------------------------------------------------------------------------------------------


def _log_softmax(logits):
    return log_softmax(logits.astype(np.float64), axis=-1)


def token_nll(logits, targets, log_probs_of=_log_softmax):
    """Nats of each target, in float64; (N, V) and (N,) -> (N,)."""
    return nats_of(log_probs_of(logits), targets)


def _logits(rng, rows, symbols, offset, gap, dtype):
    """Logits around ``offset``; in every second row the target trails the others by ``gap`` and more."""
    logits = offset + rng.normal(size=(rows, symbols))
    targets = rng.integers(symbols, size=rows)
    logits[np.arange(0, rows, 2), targets[::2]] -= gap + rng.uniform(5, 40)
    return logits.astype(dtype), targets


def _draw_logits(rng):
    """Rows that are far above 0, in either precision."""
    if rng.random() < 0.5:
        return _logits(rng, 6, 5, rng.uniform(800, 900), 745.0, np.float64)
    return _logits(rng, 6, 8, rng.uniform(150, 300), 104.0, np.float32)


def _draw_levels(rng):
    """Rows of different levels, also far below 0, with targets that trail by more than a thousand."""
    logits, targets = _logits(rng, 6, 5, 0.0, 1500.0, np.float64)
    return logits + rng.permutation([-2000, -800, 0, 0, 800, 2000])[:, None], targets


def _distance(logits, targets):
    """How far each target's logit trails the largest of its row: its surprisal is at least that."""
    return logits.max(axis=1) - logits[np.arange(len(targets)), targets]


TOKEN_NLL = Question(
    key="02.token-nll",
    title="surprisal from logits, without losing it",
    kind="implement",
    stars=2,
    points=3,
    right=token_nll,
    cases=(
        _logits(np.random.default_rng(21), 4, 5, 200.0, 104.0, np.float32),
        _logits(np.random.default_rng(22), 5, 4, 1000.0, 745.0, np.float64),
    ),
    draw=_draw_logits,
    odd=(_draw_levels, lambda rng: _logits(rng, 6, 2, 0.0, 1500.0, np.float64)),
    mistakes=(
        *unit_mistakes(token_nll, "M2 M3 M5"),
        Mistake(
            "M46",
            partial(token_nll, log_probs_of=wrong.softmax_then_log),
            "Your surprisal is infinite where the target's logit is far below the largest: the probability "
            "is rounded to 0 before its logarithm is taken. Work out ln softmax on paper first.",
        ),
        Mistake(
            "M46",
            partial(token_nll, log_probs_of=lambda logits: wrong.softmax_then_log(logits.astype(np.float64))),
            "Your surprisal is infinite where the target's logit is more than 745 below the largest: "
            "float64 is not enough. Work out ln softmax on paper first.",
        ),
        Mistake(
            "M45",
            partial(token_nll, log_probs_of=wrong.sum_of_large_exponentials),
            "exp of a large logit is infinite. Subtract the row's largest logit first: softmax does"
            " not change.",
            explains="numbers",  # with float64, some cases stay right
        ),
        Mistake(
            "M45",
            partial(token_nll, log_probs_of=wrong.ratio_of_large_exponentials),
            "exp of a large logit is infinite, and inf / inf is nan. Subtract the row's largest logit first.",
            explains="numbers",  # as above
        ),
        Mistake(
            "M30",
            partial(token_nll, log_probs_of=wrong.floored),
            "None of your surprisals is above 23.03 = -ln 1e-10 nats. That limit comes from a constant in "
            "your code, not from the model.",
        ),
        Mistake(
            "M6",
            partial(token_nll, log_probs_of=wrong.logits_as_log_probs),
            "Your numbers are the logits with their sign changed. Logits are not log probabilities:"
            " normalise first.",
        ),
        Mistake(
            "M6",
            partial(token_nll, log_probs_of=wrong.softmax_twice),
            "All your numbers are near the logarithm of the number of symbols: softmax is applied twice.",
        ),
        Mistake(
            "M44",
            partial(token_nll, log_probs_of=wrong.log_sum_exp_as_given),
            "Your numbers are right to about five digits: float32 keeps no more once a large logit has been "
            "added back. Use float64, or subtract the largest logit before anything else.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property(
            "a surprisal is smaller than the distance from its logit to the largest one, so its probability "
            "has been raised",
            lambda nats, logits, targets: (nats > 0.999 * _distance(logits, targets)).all(),
        ),
    ),
    advice="Try logits of [0, -120] and of [1000, 1001]: both must give finite numbers.",
    alike=(
        ("right", "M44", "M44 costs the sixth digit in float32, and nothing in float64"),
        ("right", "M46 (2)", "float64 holds the probabilities of the first case"),
        ("M44", "M46 (2)", "so both differ from the right values in the sixth digit at most"),
        ("M46", "M46 (2)", "the second case is float64 already"),
    ),
)

QUESTIONS = (AVERAGE_SURPRISAL, TOKEN_NLL)
