"""Chapter 01, many factors at once: a ragged batch, a product that underflows, teacher forcing."""

from functools import partial

import numpy as np
from scipy.special import log_softmax, logsumexp, softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, unchanged
from lmcourse.questions.shared.units import unit_mistakes

# --- batch-log-probs -------------------------------------------------------------------------------------


def batch_log_probs(start, table, batch, lengths, first=0, missing=0):
    """ln P of each sequence; batch is (B, T), of which ``lengths[b]`` words are real -> (B,).

    The totals begin with factor ``first`` and leave out ``missing`` real words at the end.
    """
    place = np.arange(batch.shape[1])
    counted = (place >= first) & (place < (lengths - missing)[:, None])
    return np.where(counted, np.log(_batch_factors(start, table, batch)), 0.0).sum(axis=1)


def _batch_factors(start, table, batch):
    return np.column_stack([start[batch[:, 0]], table[batch[:, :-1], batch[:, 1:]]])


def _real(batch, lengths):
    return np.arange(batch.shape[1]) < lengths[:, None]


def _rolled(start, table, batch, lengths):
    before = np.roll(batch, 1, axis=1)
    return np.where(_real(batch, lengths), np.log(table[before, batch]), 0.0).sum(axis=1)


def _padding_scored_after_end(start, table, batch, lengths):
    """L23: the mask of the words is used for the pairs, so one padded position is scored as well."""
    return batch_log_probs(start, table, batch, np.minimum(lengths + 1, batch.shape[1]))


def _product_first(start, table, batch, lengths):
    factors = np.where(_real(batch, lengths), _batch_factors(start, table, batch), 1.0)
    return np.log(factors.prod(axis=1))


def _draw_ragged(rng, lengths=None):
    size = int(rng.integers(3, 7))
    if lengths is None:
        longest = int(rng.integers(5, 12))
        lengths = np.array([longest - 1, 1, *rng.integers(2, longest, size=2)])
        columns = longest
    else:
        lengths, columns = np.array(lengths), max(lengths) + 2
    start, table = rng.dirichlet(np.full(size, 2.0)), rng.dirichlet(np.full(size, 2.0), size=size)
    return start, table, rng.integers(size, size=(len(lengths), columns)), lengths


def _other_padding(start, table, batch, lengths):
    return start, table, np.where(_real(batch, lengths), batch, (batch + 1) % len(table)), lengths


BATCH_LOG_PROBS = Question(
    key="01.batch-log-probs",
    title="a ragged batch in one pass",
    kind="implement",
    stars=2,
    points=2,
    right=batch_log_probs,
    cases=(
        _draw_ragged(np.random.default_rng(11), [4, 2, 5]),
        _draw_ragged(np.random.default_rng(12), [1500, 1, 3, 900]),
    ),
    draw=lambda rng: _draw_ragged(rng, [3, 1600, 1, 1100] if rng.random() < 0.5 else None),
    mistakes=(
        *unit_mistakes(batch_log_probs, "M2 M3 M5"),
        Mistake(
            "M45",
            _product_first,
            "A long sequence has ln 0 = -inf: its product is too small for float64. Take the logarithm of "
            "each factor, and add.",
        ),
        Mistake(
            "M20",
            lambda start, table, batch, lengths: batch_log_probs(
                start, table, batch, np.full(len(batch), batch.shape[1])
            ),
            "You score the padding, too. Row b has lengths[b] words; what stands behind them is arbitrary.",
        ),
        Mistake(
            "L1",
            lambda start, table, batch, lengths: batch_log_probs(start, table, batch, lengths) / lengths,
            "You divide by the lengths. The task asks for the total of each sequence.",
        ),
        Mistake(
            "L10",
            partial(batch_log_probs, first=1),
            "The first word of each sequence is free in your version. Its factor is start[batch[:, 0]].",
        ),
        Mistake(
            "L16",
            lambda start, table, batch, lengths: batch_log_probs(start, table.T, batch, lengths),
            "You read the table as table[next, context]. A row is a context.",
        ),
        Mistake(
            "L20",
            _rolled,
            "np.roll puts the last column before the first. Before the first word there is <s>: use start.",
        ),
        Mistake(
            "L23",
            _padding_scored_after_end,
            "You score one padded position behind each sequence. A sequence of n words has n - 1 pairs of "
            "words: the mask of the pairs is the mask of the words without its first column.",
        ),
        Mistake(
            "L23",
            partial(batch_log_probs, missing=1),
            "The last word of each sequence is not scored. Positions 0 to lengths - 1 are words.",
        ),
    ),
    alike=(("right", "M45", "the sequences of the first case are short, and their products are numbers"),),
    properties=(
        FINITE,
        Property("a log probability is above 0", lambda value, *case: (value <= 0).all()),
        Property("the numbers change when the padding holds other words", unchanged, also=_other_padding),
    ),
    advice="Write the factors of all positions, shape (B, T), then a mask of the same shape, then one sum.",
)

# --- who-wrote-it ----------------------------------------------------------------------------------------


def who_wrote(q):
    """Posterior of K authors, and the nats that not knowing the author costs, from the factors q (K, N)."""
    return _posterior(np.log(q).sum(axis=1))


def _posterior(log_probs):
    log_mean = logsumexp(log_probs) - np.log(len(log_probs))
    return {"posterior": softmax(log_probs), "regret": log_probs.max() - log_mean}


def _as_found(q):
    joint = q.prod(axis=1)
    return {"posterior": joint / joint.sum(), "regret": np.log(joint.max() / joint.mean())}


def _regret(formula):
    """The right posterior, with the regret as a wrong formula of the log probabilities (K,)."""
    return lambda q: who_wrote(q) | {"regret": formula(np.log(q).sum(axis=1))}


def _draw_authors(rng, tokens=None):
    """Authors who differ at a few tokens only, so that the posterior leaves several of them likely."""
    authors, tokens = int(rng.integers(2, 5)), tokens or int(rng.integers(1200, 2000))
    q = np.tile(rng.uniform(0.02, 0.6, size=tokens), (authors, 1))
    for row in q:
        row[rng.choice(tokens, size=4, replace=False)] *= rng.uniform(0.5, 1.5, size=4)
    return (q,)


WHO_WROTE_IT = Question(
    key="01.who-wrote-it",
    title="a text that nobody can have written",
    kind="debug",
    stars=3,
    points=3,
    right=who_wrote,
    cases=(_draw_authors(np.random.default_rng(25), 6), _draw_authors(np.random.default_rng(29), 1500)),
    draw=_draw_authors,
    mistakes=(
        *unit_mistakes(who_wrote, "M2 M3 M5", only=("regret",)),
        Mistake(
            "M45",
            _as_found,
            "On a long text every product is 0.0, and 0 / 0 is nan. Stay with logarithms until the largest "
            "of them is taken out.",
        ),
        Mistake(
            "L1",
            lambda q: _posterior(np.log(q).mean(axis=1)),
            "You average the log probabilities of the tokens, so a long text is as weak a witness as one "
            "word. The chain rule wants their sum.",
        ),
        Mistake(
            "L30",
            _regret(lambda log_probs: log_probs.max() - log_probs.mean()),
            "You average the logarithms. It is the probabilities that are averaged, and the logarithm comes "
            "last.",
        ),
        Mistake(
            "L25",
            _regret(lambda log_probs: np.log(len(log_probs))),
            "Your regret is ln K, whatever the text is: your sum of probabilities keeps the largest only. "
            "The other authors add to it.",
        ),
        Mistake(
            "L22",
            _regret(lambda log_probs: log_probs.max() - logsumexp(log_probs)),
            "Your regret is below 0: a reader who mixes cannot beat the best author. The prior 1/K of each "
            "author is missing.",
        ),
    ),
    alike=(("right", "M45", "the first text has six tokens, and its products are numbers"),),
    properties=(
        FINITE,
        Property(
            "the posterior does not add up to 1", lambda value, q: np.isclose(value["posterior"].sum(), 1)
        ),
        Property(
            "the regret is not between 0 and ln K, but the best author has the weight 1/K in the mean",
            lambda value, q: -1e-9 <= value["regret"] <= np.log(len(q)) + 1e-9,
        ),
    ),
    advice="With l = ln P of each author and m = max(l), ln(sum of exp(l)) is m + ln(sum of exp(l - m)).",
)

# --- teacher-forcing -------------------------------------------------------------------------------------


def text_log_probs(logits, ids, normalised=log_softmax, shift=1):
    """ln P of each text (B,), from logits (B, T, V) that predict the next of its ids (B, T).

    The logits at position t are for the id at position t + ``shift``.
    """
    positions = ids.shape[1]
    seen = normalised(logits, axis=-1)[:, max(0, -shift) : positions - max(0, shift)]
    came = ids[:, max(0, shift) : positions - max(0, -shift)]
    return np.take_along_axis(seen, came[:, :, None], axis=-1)[..., 0].sum(axis=1)


def _draw_logits(rng):
    """What a bigram network says after each position of some texts; every text begins with <s>, the id 0."""
    size, texts, positions = int(rng.integers(5, 9)), int(rng.integers(2, 5)), int(rng.integers(5, 9))
    table = rng.normal(scale=1.5, size=(size, size)) + rng.normal(size=(size, 1))
    ids = np.column_stack([np.zeros(texts, dtype=np.int64), rng.integers(1, size, (texts, positions - 1))])
    return table[ids], ids


TEACHER_FORCING = Question(
    key="01.teacher-forcing",
    title="every factor in one pass",
    kind="implement",
    stars=2,
    points=3,
    right=text_log_probs,
    cases=tuple(_draw_logits(np.random.default_rng(seed)) for seed in (31, 33)),
    draw=_draw_logits,
    mistakes=(
        *unit_mistakes(text_log_probs, "M2 M3 M5"),
        Mistake(
            "M23",
            partial(text_log_probs, shift=2),
            "You shift twice, so the model is asked for the word after the next. The logits at position t "
            "predict the id at t + 1: one step, and each text has T - 1 factors.",
        ),
        Mistake(
            "M23",
            partial(text_log_probs, shift=0),
            "You do not shift: the logits at position t have already read the id at t, and you ask them to "
            "predict it. Compare them with the id at t + 1.",
        ),
        Mistake(
            "L16",
            partial(text_log_probs, shift=-1),
            "You shift the other way: your model predicts the past. The logits at t go with the id at t + 1.",
        ),
        Mistake(
            "M6",
            partial(text_log_probs, normalised=lambda logits, axis: logits),
            "Your totals are sums of logits. Logits are not log probabilities: normalise with log_softmax.",
        ),
        Mistake(
            "M6",
            partial(text_log_probs, normalised=lambda logits, axis: log_softmax(softmax(logits, axis), axis)),
            "All your factors are near 1/V: softmax is applied twice. F.cross_entropy wants logits.",
        ),
        Mistake(
            "L13",
            partial(text_log_probs, normalised=lambda logits, axis: log_softmax(logits, axis=1)),
            "Your softmax runs over the positions. It is the symbols that compete: dim=-1.",
        ),
        Mistake(
            "L1",
            lambda logits, ids: text_log_probs(logits, ids) / (ids.shape[1] - 1),
            "Your numbers are averages over the positions. The log probability of a text is the sum.",
        ),
    ),
    properties=(
        FINITE,
        Property("a log probability is above 0", lambda value, *case: (value <= 0).all()),
        Property(
            "the numbers change when the logits after the last position do, though they predict nothing here",
            unchanged,
            also=lambda logits, ids: (np.concatenate([logits[:, :-1], -logits[:, -1:]], axis=1), ids),
        ),
    ),
    advice="Take one text, <s> cat sleeps: three rows of logits, two factors. Which rows, which ids?",
)

QUESTIONS = (BATCH_LOG_PROBS, WHO_WROTE_IT, TEACHER_FORCING)
