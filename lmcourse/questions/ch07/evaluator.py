"""Chapter 07, an evaluator to repair: text is padded with a symbol that is also text."""

from functools import partial

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared import wrong
from lmcourse.questions.shared.batches import nats_of, row_by_row
from lmcourse.questions.shared.properties import BELOW_ONE, unchanged
from lmcourse.questions.shared.units import perplexity_mistakes

EOS = 2


def _real(ids):
    """The text with its one `</s>`: everything up to and including the first `</s>`."""
    ends = ids == EOS
    return ends.cumsum(axis=1) - ends == 0


def _without_end(ids):
    return ids != EOS


def _one_more(ids):
    ends = ids == EOS
    return ends.cumsum(axis=1) - ends <= 1


def _everything(ids):
    return np.ones(ids.shape, dtype=bool)


def _tokens(nats):
    """All tokens have one vote."""
    return np.exp(np.concatenate([row for batch in nats for row in batch]).mean())


def _batches(nats):
    """M9: all batches have one vote."""
    return np.exp(np.mean([np.concatenate(batch).mean() for batch in nats]))


def _rows(nats):
    """M9: all rows have one vote."""
    return np.exp(np.mean([row.mean() for batch in nats for row in batch]))


def evaluate(batches, real=_real, average=_tokens, count=None, shift=0):
    """Tokens and perplexity of batches of (logits (B, T, V), ids (B, T)), padded with `</s>`."""
    nats, masks = [], []
    for logits, ids in batches:
        cost = nats_of(log_softmax(logits[:, : ids.shape[1] - shift], axis=-1), ids[:, shift:])
        mask = real(ids)[:, shift:]
        nats.append([row[keep] for row, keep in zip(cost, mask, strict=True)])
        masks.append(mask)
    tokens = sum((count or real)(ids)[:, shift:].sum() for _, ids in batches)
    scored = sum(mask.sum() for mask in masks)
    return {"tokens": tokens, "perplexity": average(nats) ** (scored / tokens)}


def _draw_batches(rng):
    symbols = int(rng.integers(7, 12))
    return ([_draw_batch(rng, *shape, symbols) for shape in ((4, 9), (3, 6), (1, 4))],)


def _draw_batch(rng, rows, columns, symbols):
    """Rows of text, `</s>`, and `</s>` again as padding; the model is bad at the padding."""
    ids = rng.choice([0, *range(3, symbols)], size=(rows, columns))
    ends = np.array([columns - 1, *rng.integers(1, columns - 2, size=rows - 1)])
    ids[np.arange(columns) >= ends[:, None]] = EOS
    logits = rng.normal(size=(rows, columns, symbols))
    logits += (
        np.where(_real(ids), rng.uniform(0.0, 3.0, size=(rows, 1)), -1.5)[..., None] * np.eye(symbols)[ids]
    )
    logits[..., 1] = -np.inf
    return logits, ids


def _wider(batches):
    """The same with two more places of padding."""
    pad = ((0, 0), (0, 2))
    return (
        [
            (np.pad(logits, (*pad, (0, 0)), mode="edge"), np.pad(ids, pad, constant_values=EOS))
            for logits, ids in batches
        ],
    )


def _draw_an_empty_text(rng):
    """One row has only its </s>, and one has no padding."""
    symbols = int(rng.integers(7, 12))
    batches = [_draw_batch(rng, *shape, symbols) for shape in ((4, 9), (3, 6))]
    batches[0][1][2] = EOS
    return (batches,)


EVALUATOR = Question(
    key="07.evaluator",
    title="an evaluator that takes the end for padding",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=tuple(_draw_batches(np.random.default_rng(seed)) for seed in (701, 702)),
    draw=_draw_batches,
    odd=(_draw_an_empty_text,),
    mistakes=(
        *perplexity_mistakes(evaluate, only=("perplexity",)),
        Mistake(
            "M9 + M21",
            partial(evaluate, real=_without_end, average=_batches),
            "Both mistakes are still there. How many </s> does a text of one sentence have? And does your "
            "result stay the same when every row is a batch of its own?",
        ),
        Mistake(
            "M21",
            partial(evaluate, real=_without_end),
            "The batches are pooled now. The other mistake: no </s> is scored, neither those that fill a row "
            "nor the one that ends its text, which is a token.",
        ),
        Mistake(
            "M9",
            partial(evaluate, average=_batches),
            "Each row's end is scored now. The other mistake: the last batch, a single row, weighs as much "
            "as the first.",
        ),
        Mistake(
            "M9",
            partial(evaluate, average=_rows),
            "You average the rows' means: a row of two tokens weighs as much as one of nine.",
        ),
        Mistake(
            "M9 + M20",
            partial(evaluate, real=_everything, average=_batches),
            "Without ignore_index all padding is scored, and the batches still have equal weights.",
        ),
        Mistake(
            "M20",
            partial(evaluate, real=_everything),
            "You score all the padding: a row has one </s>, and what comes after it is not text.",
        ),
        Mistake(
            "M19",
            partial(evaluate, count=_everything),
            "You add up the right nats, but you count all positions as tokens, including those with padding.",
        ),
        Mistake(
            "M25",
            partial(evaluate, count=_without_end),
            "The nats of </s> are in your total, but the </s> are not in your count.",
        ),
        Mistake(
            "L23",
            partial(evaluate, real=_one_more),
            "You score one position of padding in each row: your mask keeps the first </s> and the one after "
            "it.",
            shown_by=("perplexity",),
        ),
        Mistake(
            "M10",
            lambda batches: (
                evaluate(batches)
                | {"perplexity": np.mean([evaluate([batch])["perplexity"] for batch in batches])}
            ),
            "You average the batches' perplexities. Add up nats, count tokens, and take one exponential.",
        ),
        Mistake(
            "M11",
            partial(
                evaluate, average=lambda nats: np.exp(np.concatenate([r for b in nats for r in b])).mean()
            ),
            "You take the exponential of each token's loss and average afterwards. The exponential comes "
            "last.",
        ),
        Mistake(
            "M23", partial(evaluate, shift=1), "You shift once more: logits[:, t] already forecast ids[:, t]."
        ),
        Mistake(
            "M6",
            lambda batches: evaluate([(wrong.softmax_twice(logits), ids) for logits, ids in batches]),
            "You take the softmax twice: F.cross_entropy takes logits, and turns them into log probabilities "
            "itself.",
        ),
    ),
    properties=(
        Property(
            "'tokens' is not the number of ids before the first </s> of each row, and one more for each row",
            lambda value, batches: value["tokens"] == sum(_real(ids).sum() for _, ids in batches),
        ),
        Property(BELOW_ONE, lambda value, *_: value["perplexity"] >= 1),
        Property("it changes when every row is a batch of its own", unchanged, also=row_by_row),
        Property("it changes when two more positions of padding are added", unchanged, also=_wider),
    ),
    advice="Add up with reduction='none' and a mask; count with the same mask; divide once, at the end.",
)

QUESTIONS = (EVALUATOR,)
