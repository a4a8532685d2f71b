"""Chapter 04, expected and observed surprise: from a table of probabilities, and from logits."""

from functools import partial

import numpy as np
from scipy.special import entr, log_softmax, softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.batches import is_real, mean_of_tokens, more_padding, nats_of
from lmcourse.questions.shared.properties import PERPLEXITY, unchanged
from lmcourse.questions.shared.units import perplexity_mistakes
from lmcourse.questions.shared.wrong import exchanged, then

# --- steps -----------------------------------------------------------------------------------------------


def _rows(start, table, ids):
    """The distribution in which each symbol is scored, (N, V): ``start``, then one row for each context."""
    return np.vstack([start, table[ids[:-1]]])


def observed_and_expected(start, table, ids, rows_of=_rows, **replaced):
    """Perplexity, step perplexities and their geometric mean; (V,), (V, V), (N,)."""
    rows = rows_of(start, table, ids)
    entropies = entr(rows).sum(axis=1)
    right = {
        "observed": np.exp(-np.log(rows[np.arange(len(ids)), ids]).mean()),
        "steps": np.exp(entropies),
        "expected": np.exp(entropies.mean()),
    }
    return right | {key: formula(rows, ids) for key, formula in replaced.items()}


def _draw_chain(rng):
    symbols = int(rng.integers(3, 7))
    start, table = rng.dirichlet(np.ones(symbols)), rng.dirichlet(np.full(symbols, 0.8), size=symbols)
    table = 0.95 * table + 0.05 / symbols  # no probability too near 0
    return start, table, rng.integers(symbols, size=rng.integers(4, 9))


CHAIN = np.array([[0.1, 0.7, 0.2], [0.4, 0.3, 0.3], [0.5, 0.3, 0.2]])
"""The three-word language of the chapters: cat, sleeps, eats."""


def _draw_one_step(rng):
    start, table, ids = _draw_chain(rng)
    return start, table, ids[:1]


STEPS = Question(
    key="04.steps",
    title="expected and observed surprise",
    kind="implement",
    stars=2,
    points=3,
    right=observed_and_expected,
    cases=(
        (np.array([0.6, 0.3, 0.1]), CHAIN, np.array([0, 1])),
        (np.array([0.6, 0.3, 0.1]), CHAIN, np.array([2, 1, 2, 2, 0])),
        _draw_chain(np.random.default_rng(61)),
    ),
    draw=_draw_chain,
    odd=(_draw_one_step,),
    entry_points={"observed": 1, "steps": 1, "expected": 1},
    mistakes=(
        *perplexity_mistakes(observed_and_expected, "M1 M2 M4", only=("observed", "steps", "expected")),
        Mistake(
            "M5",
            partial(
                observed_and_expected,
                observed=lambda rows, ids: np.exp(np.log(rows[np.arange(len(ids)), ids]).mean()),
            ),
            "Your 'observed' is below 1: it is the geometric mean of q. The perplexity is one over that.",
        ),
        Mistake(
            "M4",
            partial(observed_and_expected, steps=lambda rows, ids: entr(rows).sum(axis=1)),
            "Your 'steps' are entropies in nats. A step perplexity is the exponential of an entropy.",
        ),
        Mistake(
            "M11",
            partial(observed_and_expected, expected=lambda rows, ids: np.exp(entr(rows).sum(axis=1)).mean()),
            "Your 'expected' is the mean of the step perplexities. Average the entropies, and exponentiate "
            "last.",
        ),
        Mistake(
            "M11",
            partial(
                observed_and_expected, observed=lambda rows, ids: (1 / rows[np.arange(len(ids)), ids]).mean()
            ),
            "Your 'observed' is the arithmetic mean of 1/q. Average the surprisals, and exponentiate last.",
        ),
        Mistake(
            "L1",
            partial(
                observed_and_expected, observed=lambda rows, ids: 1 / rows[np.arange(len(ids)), ids].prod()
            ),
            "Your 'observed' is one over the probability of all symbols together. Divide the total "
            "surprisal by their number before you exponentiate.",
        ),
        Mistake(
            "L5",
            partial(observed_and_expected, observed=lambda rows, ids: np.exp(entr(rows).sum(axis=1).mean())),
            "Your 'observed' does not depend on the symbols that occurred. Use the probability of each "
            "symbol in ids.",
        ),
        Mistake(
            "L6",
            partial(observed_and_expected, steps=lambda rows, ids: 1 / rows.max(axis=1)),
            "Your 'steps' use only the most probable symbol of each forecast. Use the entropy, to which all "
            "symbols contribute.",
        ),
        Mistake(
            "L20",
            partial(observed_and_expected, rows_of=lambda start, table, ids: table[ids]),
            "You take the row of the symbol itself. Take the row of the symbol *before* it, and `start` for "
            "the first symbol.",
        ),
        Mistake(
            "L20",
            partial(observed_and_expected, rows_of=lambda start, table, ids: table[np.roll(ids, 1)]),
            "For the first symbol, you take the row of the last one. The distribution of the first symbol "
            "is `start`.",
        ),
        Mistake(
            "L16",
            partial(observed_and_expected, rows_of=lambda start, table, ids: _rows(start, table.T, ids)),
            "You take the columns of the table, which need not add up to 1. Take its rows: one for each "
            "preceding symbol.",
        ),
    ),
    properties=(PERPLEXITY,),
    alike=(("right", "M11", "the two steps of the first case differ little, and so do their means"),),
    advice="First build the N forecasts, an array of shape (N, V): `start`, and then, for each symbol, the "
    "row of the symbol before it. Every row must add up to 1.",
)

# --- calibration -----------------------------------------------------------------------------------------


def calibration(logits, targets, ignore_index, to_log=log_softmax, mean=mean_of_tokens, mask=is_real):
    """Observed and expected surprise of the real tokens, and what their gap says."""
    nats, entropies = _surprisal_and_entropy(logits, targets, to_log)
    real = mask(targets, ignore_index)
    return _card(np.exp(mean(nats, real)), np.exp(mean(entropies, real)))


def _surprisal_and_entropy(logits, targets, to_log=log_softmax):
    """Nats and entropy of each position."""
    log_q = to_log(logits, axis=-1)
    return nats_of(log_q, targets), -(np.exp(log_q) * log_q).sum(axis=-1)


def _card(observed, expected):
    return {
        "observed": observed,
        "expected": expected,
        "verdict": "overconfident" if observed > expected else "underconfident",
    }


def _softmax_twice(logits, axis):
    return log_softmax(softmax(logits, axis=axis), axis=axis)


def _mean_of_exponentials(logits, targets, ignore_index):
    nats, entropies = _surprisal_and_entropy(logits, targets)
    real = targets != ignore_index
    return _card(np.exp(nats[real].mean()), np.exp(entropies[real]).mean())


def _turned_round(found):
    return found | {"verdict": "overconfident" if found["verdict"] == "underconfident" else "underconfident"}


def _draw_logits(rng, sureness=None, ignore_index=None):
    """Targets that one model draws, and the logits of another that is more confident, or less."""
    rows, columns, symbols = int(rng.integers(3, 6)), int(rng.integers(6, 10)), int(rng.integers(5, 9))
    ignore_index = int(rng.choice([-100, 0])) if ignore_index is None else ignore_index
    sureness = float(rng.choice([0.3, 3.0])) if sureness is None else sureness
    logits = rng.normal(scale=1.5, size=(rows, columns, symbols))
    if ignore_index == 0:
        logits[..., 0] -= 30.0  # padding is never drawn
    targets = (logits + rng.gumbel(size=logits.shape)).argmax(axis=-1)
    targets[0, 0] = 1 if ignore_index == 0 else 0
    lengths = np.array([columns, *rng.integers(2, columns, size=rows - 1)])
    targets[np.arange(columns) >= lengths[:, None]] = ignore_index
    return sureness * logits, targets, ignore_index


CALIBRATION = Question(
    key="04.calibration",
    title="overconfident or underconfident, in PyTorch",
    kind="implement",
    stars=2,
    points=2,
    right=calibration,
    cases=(
        _draw_logits(np.random.default_rng(71), sureness=3.0, ignore_index=-100),
        _draw_logits(np.random.default_rng(72), sureness=0.3, ignore_index=0),
    ),
    draw=_draw_logits,
    mistakes=(
        *perplexity_mistakes(calibration, "M1 M2 M4 M5", only=("observed", "expected")),
        Mistake(
            "M6",
            partial(calibration, to_log=_softmax_twice),
            "You apply softmax twice, so every forecast is almost flat. F.cross_entropy and F.log_softmax "
            "take logits.",
            explains="answer",
        ),
        Mistake(
            "M19",
            partial(calibration, mean=wrong.padding_counted),
            "You add up only the tokens, but you divide by the total number of positions, padding included: "
            "ln r / ln R is {power}.",
        ),
        Mistake(
            "M20",
            partial(calibration, mean=wrong.padding_scored),
            "Your means include the padding. Leave out the positions whose target is ignore_index.",
            explains="answer",
        ),
        Mistake(
            "M20",
            lambda logits, targets, ignore_index: _card(
                calibration(logits, targets, ignore_index)["observed"],
                np.exp(_surprisal_and_entropy(logits, targets)[1].mean()),
            ),
            "Your 'observed' leaves the padding out, but your 'expected' does not. Mask the entropies as "
            "well.",
            explains="answer",
        ),
        Mistake(
            "M21",
            partial(calibration, mask=lambda targets, _: targets > 0),
            "You leave out every target that is not above 0, but 0 can be a real token. Compare the targets "
            "with ignore_index.",
        ),
        Mistake(
            "M9",
            partial(calibration, mean=wrong.mean_of_means),
            "You average the means of the rows, which differ in length. Take one mean over all tokens of "
            "the batch.",
        ),
        Mistake(
            "M11",
            _mean_of_exponentials,
            "Your 'expected' is the mean of the step perplexities. Average the entropies, and exponentiate "
            "last.",
        ),
        Mistake(
            "L5",
            then(calibration, lambda found: _card(found["expected"], found["expected"])),
            "Your 'observed' does not depend on the targets. Average the surprisals of the targets.",
            explains="answer",
        ),
        Mistake(
            "L31",
            exchanged(calibration, "observed", "expected"),
            "You give one of 'observed' and 'expected' in place of the other. Only 'observed' depends on the "
            "targets.",
        ),
        Mistake(
            "L7",
            then(calibration, _turned_round),
            "Your verdict is the wrong way round. A model that is more surprised than it expected is "
            "overconfident.",
        ),
    ),
    alike=(
        ("right", "M21", "in the second case 0 is the padding, and every other symbol is above it"),
        ("right", "M11", "in the second case all steps are nearly alike, and so are their means"),
        ("M11", "M21", "both, in the second case"),
    ),
    properties=(
        PERPLEXITY,
        Property("a number changes when padding is added", unchanged, also=more_padding),
    ),
    advice="F.log_softmax gives you both: a surprisal is minus its entry at the target, an entropy is minus "
    "the sum of q * log q. Compute in float64.",
)

QUESTIONS = (STEPS, CALIBRATION)
