"""Chapter 14, samplers: the loss of a text that several ranks score together."""

import itertools
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but

SYMBOLS = 6


def _scored(ranks, documents, first=1, past=1):
    """Batches of (ids, nats, real): logits at a position predict the label so many places later."""
    return [[_scored_batch(batch, documents, first, past) for batch in batches] for batches in ranks]


def _scored_batch(batch, documents, first, past):
    places, logits, labels = batch
    came = labels[:, first : labels.shape[1] + min(0, past)]
    said = logits[:, first - past :][:, : came.shape[1]]
    spread = np.log(np.exp(said).sum(axis=-1))
    real = came >= 0
    nats = spread - np.take_along_axis(said, np.where(real, came, 0)[..., None], axis=-1)[..., 0]
    return places % documents, nats, real


def evaluate(ranks, documents, first=1, past=1, **given):
    """Perplexity and tokens that are printed for batches of (places, logits, labels) on each rank."""
    return _evaluate(_scored(ranks, documents, first, past), **given)


def _evaluate(ranks, twice=False, batches="sum", over="sum", padding=False):
    """The same for batches of (ids, nats, real)."""
    parts, seen = [], set()
    for rank in ranks:
        own = []
        for ids, nats, real in rank:
            keep = np.array([twice or int(i) not in seen for i in ids], dtype=bool)
            seen |= {int(i) for i in ids}
            counted = np.broadcast_to(keep[:, None], nats.shape) & (real | padding)
            own.append((nats[counted].sum(), counted.sum()))
        own = np.array(own, dtype=float).reshape(-1, 2)
        total, count = own.sum(axis=0)
        if batches == "mean":
            scored = own[own[:, 1] > 0]
            total = count * (scored[:, 0] / scored[:, 1]).mean()
        parts.append((total, count))
    parts = np.array(parts)
    nats, tokens = parts.sum(axis=0)
    some = parts[parts[:, 1] > 0]
    losses = some[:, 0] / some[:, 1]
    perplexity = {
        "sum": lambda: np.exp(nats / tokens),
        "losses": lambda: np.exp(losses.mean()),
        "perplexities": lambda: np.exp(losses).mean(),
        "rank 0": lambda: np.exp(losses[0]),
    }[over]()
    return {"perplexity": perplexity, "tokens": tokens if over != "rank 0" else parts[0, 1]}


def _of_documents(inner, outer, ranks, documents):
    """Some mean over documents, each once, of their losses."""
    losses = {}
    for ids, nats, real in itertools.chain.from_iterable(_scored(ranks, documents)):
        losses |= {int(i): row[mask].mean() for i, row, mask in zip(ids, nats, real, strict=True)}
    return evaluate(ranks, documents) | {"perplexity": outer(np.mean([inner(x) for x in losses.values()]))}


def _padding_counted(ranks, documents):
    """As `evaluate`, with the places of the padding in the number of tokens."""
    right, places = evaluate(ranks, documents), evaluate(ranks, documents, padding=True)["tokens"]
    loss = np.log(right["perplexity"]) * right["tokens"] / places
    return {"perplexity": np.exp(loss), "tokens": places}


def _begin_counted(ranks, documents):
    """As `evaluate`, with the token that begins each document in the number of tokens."""
    right = evaluate(ranks, documents)
    tokens = right["tokens"] + documents
    return {"perplexity": right["perplexity"] ** (right["tokens"] / tokens), "tokens": tokens}


def _draw_ranks(rng, documents=None, width=None, size=None):
    """Documents dealt to ranks as a padding sampler deals them, put into batches, and how many there are."""
    width = width or int(rng.integers(3, 5))
    D = documents or int(rng.integers(2, 5)) * width + int(rng.integers(1, width))
    size = size or int(rng.integers(2, 4))
    texts = [_text(rng) for _ in range(D)]
    order = [*range(D), *range(-D % width)]
    ranks = []
    for rank in range(width):
        mine = order[rank::width]
        places = range(rank, len(order), width)
        rows = [(place, *texts[i]) for place, i in zip(places, mine, strict=True)]
        ranks.append([_batch(rows[at : at + size], rng) for at in range(0, len(rows), size)])
    return ranks, D


def _text(rng):
    """The labels of a document, which begin with 0, and its logits."""
    labels = np.append(0, rng.integers(1, SYMBOLS, size=rng.integers(2, 12)))
    logits = rng.normal(scale=rng.uniform(0.5, 2.5), size=(len(labels), SYMBOLS))
    logits[np.arange(len(labels) - 1), labels[1:]] += rng.uniform(0, 3)  # the model knows something
    return labels, logits.round(4)


def _batch(rows, rng):
    longest = max(len(labels) for _, labels, _ in rows) + int(rng.integers(0, 2))
    labels = np.full((len(rows), longest), -100)
    logits = rng.normal(scale=2, size=(len(rows), longest, SYMBOLS)).round(4)
    for row, (_, some, said) in enumerate(rows):
        labels[row, : len(some)], logits[row, : len(some)] = some, said
    return np.array([place for place, *_ in rows]), logits, labels


def _all_but(**given):
    return partial(evaluate, **given)


ALL_REDUCE = Question(
    key="14.all-reduce",
    title="an evaluator on several ranks with four mistakes",
    kind="debug",
    stars=3,
    points=3,
    right=evaluate,
    cases=(
        _draw_ranks(np.random.default_rng(1421), 7, 3, 2),
        _draw_ranks(np.random.default_rng(1420), 9, 4, 2),
        _draw_ranks(np.random.default_rng(1420), 11, 3, 3),
    ),
    draw=_draw_ranks,
    odd=(
        lambda rng: _draw_ranks(rng, 9, 3),
        lambda rng: _draw_ranks(rng, 3, 1),
        lambda rng: _draw_ranks(rng, 2, 4),
    ),
    entry_points={"perplexity": 2, "tokens": 1},
    mistakes=(
        Mistake(
            "M9 + M23 + M84 + M87",
            _all_but(first=0, past=0, twice=True, batches="mean", over="perplexities"),
            "This is the colleague's own number. Look at which logits are paired with which label, at what "
            "is averaged over batches and over ranks, and at the places of the documents.",
        ),
        Mistake(
            "M23",
            _all_but(first=0, past=0),
            "Each label is paired with the logits at its own position. The model has read it there already: "
            "its logits at a position are for the next token, and the token that begins a document is not "
            "scored.",
            explains="answer",
        ),
        Mistake(
            "M23",
            _all_but(first=1, past=0),
            "You leave out the first label, but the others are paired with the logits at their own "
            "positions, where the model has read them already. Take the logits one position earlier.",
            explains="answer",
        ),
        Mistake(
            "M23",
            _all_but(first=0, past=-1),
            "You have shifted in the wrong direction: each label is paired with the logits of the position "
            "after it.",
            explains="answer",
        ),
        Mistake(
            "M23",
            _all_but(first=2, past=2),
            "The shift is made twice: the logits at a position are paired with the label two positions "
            "later.",
            explains="answer",
        ),
        Mistake(
            "M26",
            _begin_counted,
            "You count the token that begins each document, whose nats are not in the total.",
            explains="answer",
        ),
        Mistake(
            "M26",
            but(evaluate, {"tokens": lambda ranks, n: evaluate(ranks, n)["tokens"] + n}),
            "Your 'tokens' counts the token that begins each document. It is read and not scored.",
        ),
        Mistake(
            "L23",
            _all_but(first=2, past=1),
            "You leave out the token that follows the beginning, too. The logits at position 0 predict it.",
            explains="answer",
        ),
        Mistake(
            "M84",
            _all_but(twice=True),
            "Some documents are on two ranks, because the sampler repeats documents until all ranks have the "
            "same number. Their places show which rows are copies: count each document once.",
        ),
        Mistake(
            "M84",
            but(evaluate, {"tokens": lambda *case: evaluate(*case, twice=True)["tokens"]}),
            "Your 'tokens' counts twice the documents that are on two ranks.",
        ),
        Mistake(
            "M9",
            _all_but(batches="mean"),
            "A rank still averages the means of its batches. The last batch may have fewer rows, and rows "
            "differ in length.",
        ),
        Mistake(
            "M12",
            _all_but(over="losses"),
            "You average the losses of the ranks. Reduce two sums instead, one of the nats and one of the "
            "tokens, and divide once.",
        ),
        Mistake(
            "M87",
            _all_but(over="perplexities"),
            "You average the perplexities of the ranks. Reduce two sums instead, one of the nats and one of "
            "the tokens.",
        ),
        Mistake(
            "M84 + M12",
            _all_but(twice=True, over="losses"),
            "You average the losses of the ranks, and documents that come twice are still counted twice.",
        ),
        Mistake(
            "M84 + M87",
            _all_but(twice=True, over="perplexities"),
            "You average the perplexities of the ranks, and documents that come twice are still counted "
            "twice.",
        ),
        Mistake(
            "M9 + M12",
            _all_but(batches="mean", over="losses"),
            "You average twice: over the batches of a rank, and over the ranks. Both have to be sums.",
        ),
        Mistake(
            "M9 + M84",
            _all_but(twice=True, batches="mean"),
            "A rank still averages the means of its batches, and documents that come twice are counted "
            "twice.",
        ),
        Mistake(
            "M9 + M12 + M84",
            _all_but(twice=True, batches="mean", over="losses"),
            "You average over the batches and over the ranks, and documents that come twice are counted "
            "twice.",
        ),
        Mistake(
            "M86",
            _all_but(over="rank 0"),
            "You return what rank 0 has scored. Its part is not the text.",
        ),
        Mistake(
            "M8",
            partial(_of_documents, np.exp, lambda x: x),
            "You average the perplexities of the documents, each counted once. Add their nats and their "
            "tokens instead, and divide once.",
        ),
        Mistake(
            "M9",
            partial(_of_documents, lambda x: x, np.exp),
            "You average the losses of the documents, each counted once. Documents differ in length: add "
            "nats and tokens instead, and divide once.",
        ),
        Mistake(
            "M1",
            but(evaluate, {"perplexity": lambda *case: 2 ** np.log(evaluate(*case)["perplexity"])}),
            "You raise 2 to a loss in nats. Raise e instead.",
        ),
        Mistake(
            "M4",
            but(evaluate, {"perplexity": lambda *case: np.log(evaluate(*case)["perplexity"])}),
            "Your 'perplexity' is the loss. Exponentiate it.",
        ),
        Mistake(
            "L1",
            but(evaluate, {"tokens": lambda ranks, n: evaluate(ranks, n)["tokens"] / len(ranks)}),
            "Your 'tokens' is the mean over the ranks. The whole text has the tokens of all ranks.",
        ),
        Mistake(
            "M19",
            _padding_counted,
            "You divide by all positions in the batches. Those with the label -100 are padding and have to "
            "be left out of the count, too.",
        ),
    ),
    properties=(FINITE,),
    advice="Take the first visible input and list the places of each rank's rows. Then compute the nats of "
    "one document by hand, from the logits before each of its tokens.",
)

QUESTIONS = (ALL_REDUCE,)
