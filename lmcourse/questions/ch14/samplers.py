"""Chapter 14, samplers: documents that come twice or not at all, and how a number shows it."""

import itertools
import math
from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.plain_data import of_torch
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but, exchanged, then

# --- piece -----------------------------------------------------------------------------------------------


def piece(N, L, m, K):
    """What the reported loss changes by if a piece is counted twice, left out, or is a rank of its own."""
    return {
        "repeated": m * (K - L) / (N + m),
        "dropped": m * (L - K) / (N - m),
        "averaged": (K - L) * (N - 2 * m) / (2 * (N - m)),
    }


def _rest(N, L, m, K):
    """The loss of the tokens outside the piece."""
    return (N * L - m * K) / (N - m)


def _draw_piece(rng):
    N = float(rng.integers(2000, 90000))
    return N, float(rng.uniform(2, 4)), round(N * float(rng.uniform(0.03, 0.3))), float(rng.uniform(4.5, 7))


PIECE = Question(
    key="14.piece",
    title="a piece that is counted twice, or not at all",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("N", "L", "m", "K"),
    right=piece,
    cases=((50000.0, 3.0, 4000.0, 5.0), (1200.0, 2.5, 300.0, 4.75), (9000.0, 4.25, 500.0, 2.5)),
    draw=_draw_piece,
    entry_points={"repeated": 1, "dropped": 1, "averaged": 1},
    mistakes=(
        Mistake(
            "L7",
            then(piece, lambda found: {key: -value for key, value in found.items()}),
            "You subtract the reported loss from L. The change is the reported loss minus L.",
        ),
        Mistake(
            "L22",
            lambda N, L, m, K: {key: value + L for key, value in piece(N, L, m, K).items()},
            "This is the reported loss itself. The task asks by how much it differs from L.",
        ),
        Mistake(
            "L27",
            lambda N, L, m, K: piece(N, L, m, K) | {"repeated": m * K / N, "dropped": -m * K / N},
            "You change the total and leave the number of tokens as it was. The program counts the tokens "
            "that it has scored.",
        ),
        Mistake(
            "L22",
            lambda N, L, m, K: piece(N, L, m, K) | {"repeated": m * (K - L) / N, "dropped": m * (L - K) / N},
            "The denominator is the number of tokens that the program has scored. It is not N.",
        ),
        Mistake(
            "L22",
            lambda N, L, m, K: piece(N, L, m, K) | {"repeated": m * K / (N + m), "dropped": -m * K / (N - m)},
            "You divide only the nats of the piece. The tokens of the piece also change the denominator "
            "under the N L nats of the text.",
        ),
        Mistake(
            "M4",
            then(piece, lambda found: {key: np.exp(value) for key, value in found.items()}),
            "This is the ratio of the two perplexities. The change of the loss is asked for.",
        ),
        Mistake(
            "L31",
            exchanged(piece, "repeated", "dropped"),
            "You have swapped 'repeated' and 'dropped'. A piece that is harder than the text raises the "
            "loss when it is counted twice.",
        ),
        Mistake(
            "L32",
            but(piece, {"averaged": lambda N, L, m, K: (K - L) / 2}),
            "In 'averaged' you take L for the loss of the other rank. L is the loss of the whole text, with "
            "the piece in it.",
        ),
        Mistake(
            "M12",
            but(piece, {"averaged": lambda N, L, m, K: 0 * N}),
            "Your 'averaged' is 0, as if the mean of two losses were the loss of the whole. That needs two "
            "ranks with the same number of tokens, or the same loss.",
        ),
        Mistake(
            "L22",
            but(piece, {"averaged": lambda N, L, m, K: K + _rest(N, L, m, K) - L}),
            "In 'averaged' the two losses are added. Divide their sum by the number of ranks.",
        ),
    ),
    advice="Write the reported loss as a total divided by a number of tokens, and subtract L. For "
    "'averaged', find the loss of the rest first: its nats are N L - m K.",
)

# --- all-reduce ------------------------------------------------------------------------------------------


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

# --- came-twice ------------------------------------------------------------------------------------------


def came_twice(nats, tokens, reports, of=lambda D, W: -D % W, value=None, both=True):
    """How many documents each report has counted twice, and the first two of the order in which they come."""
    value = value or (lambda total, count, more, n: math.exp((total + more) / (count + n)))
    D, total, count = len(nats), nats.sum(), tokens.sum()
    repeats = np.array([float(of(D, W)) for W, _ in reports])
    by_number = {-D % W: reported for W, reported in reports}

    def nearest(reported, before=()):
        left = [i for i in range(D) if i not in before]
        more, n = (sum(values[i] for i in before) for values in (nats, tokens))
        return min(left, key=lambda i: abs(value(total, count, more + nats[i], n + tokens[i]) - reported))

    first = nearest(by_number[1])
    second = nearest(by_number[2], (first,) if both else ())
    return {"repeats": repeats, "first": first, "second": second}


def _mixed(total, count, more, n):
    """The perplexities of the text and of what came twice, averaged by their tokens."""
    return (count * math.exp(total / count) + n * math.exp(more / n)) / (count + n)


def _widths(D, lacking, most=24):
    return [W for W in range(2, most) if lacking == -D % W]


def _draw_reports(rng, documents=None):
    while True:
        D = documents or int(rng.integers(10, 30))
        if all(_widths(D, lacking) for lacking in range(3)):
            break
    tokens = rng.integers(150, 1500, size=D).astype(float)
    nats = np.round(tokens * rng.uniform(1.8, 4.4, size=D), 3)
    order = rng.permutation(D)
    reports = []
    for lacking in rng.permutation(3).tolist():
        some = order[:lacking]
        loss = (nats.sum() + nats[some].sum()) / (tokens.sum() + tokens[some].sum())
        reports.append((int(rng.choice(_widths(D, lacking))), float(f"{math.exp(loss):.12g}")))
    return nats, tokens, reports


CAME_TWICE = Question(
    key="14.came-twice",
    title="which documents came twice?",
    kind="forensics",
    stars=3,
    points=3,
    right=came_twice,
    cases=(
        _draw_reports(np.random.default_rng(1421), 10),
        _draw_reports(np.random.default_rng(1425), 14),
        _draw_reports(np.random.default_rng(1426), 26),
    ),
    draw=_draw_reports,
    entry_points={"repeats": 1, "first": 1, "second": 1},
    mistakes=(
        Mistake(
            "M85",
            partial(came_twice, of=lambda D, W: D % W),
            "Your 'repeats' is the remainder of the division, the number that would be dropped. The "
            "sampler repeats as many as are lacking until all ranks have the same number.",
        ),
        Mistake(
            "L11",
            partial(came_twice, of=lambda D, W: W - D % W),
            "In one of the reports the ranks divide the documents evenly, and then nothing is repeated. "
            "Your 'repeats' gives as many repeats there as there are ranks.",
        ),
        Mistake(
            "L40",
            lambda nats, tokens, reports: (
                came_twice(nats, tokens, reports) | {"second": came_twice(nats, tokens, reports)["first"]}
            ),
            "Your 'second' is the document of 'first' again. The first two documents of the order are "
            "different.",
        ),
        Mistake(
            "L31",
            exchanged(came_twice, "first", "second"),
            "You have swapped 'first' and 'second'. The report with one repeated document shows the first.",
        ),
        Mistake(
            "L23",
            then(
                came_twice, lambda found: found | {"first": found["first"] + 1, "second": found["second"] + 1}
            ),
            "You count the documents from 1. Count them from 0.",
        ),
        Mistake(
            "M8",
            partial(came_twice, value=_mixed),
            "You average perplexities, though with tokens as weights. Put the nats and the tokens of the "
            "repeated documents into the two totals.",
        ),
        Mistake(
            "L27",
            partial(came_twice, value=lambda total, count, more, n: math.exp((total + more) / count)),
            "You add the nats of the repeated documents to the total, but not their tokens to the count.",
        ),
        Mistake(
            "L22",
            partial(came_twice, both=False),
            "In the report with two repeated documents you look for one. The first of the order is repeated "
            "there as well.",
        ),
    ),
    properties=(
        Property(
            "there is one number of repeats for each report, from 0 to one less than its ranks",
            lambda value, nats, tokens, reports: all(
                0 <= n < W for n, (W, _) in zip(value["repeats"], reports, strict=True)
            ),
        ),
        Property(
            "'first' or 'second' is not the place of a document, counted from 0",
            lambda value, nats, tokens, reports: {value["first"], value["second"]} <= set(range(len(nats))),
        ),
    ),
    advice="Which number of ranks divides the documents evenly? Compute from the rows what it must have "
    "printed. Then compute what the report with one repeat would have printed for each document.",
)

# --- telling-text ----------------------------------------------------------------------------------------

CHANGES = ("padded", "dropped", "rank 0", "losses")
WIDTH, MOST, MOVES = 3, 8, 0.01


def values_of(documents):
    """What the right evaluator and each changed one print for documents (tokens, nats), by change."""
    rows = np.array(documents, dtype=float)
    D = len(rows)
    tokens, nats = rows.T

    def of(places):
        return math.exp(nats[places].sum() / tokens[places].sum())

    ranks = [np.arange(rank, D, WIDTH) for rank in range(WIDTH)]
    return {
        "right": of(np.arange(D)),
        "padded": of(np.concatenate([np.arange(D), np.arange(-D % WIDTH)])),
        "dropped": of(np.arange(D - D % WIDTH)),
        "rank 0": of(ranks[0]),
        "losses": math.exp(np.mean([nats[mine].sum() / tokens[mine].sum() for mine in ranks])),
    }


def documents_of(given):
    """The documents of a design as pairs (tokens, nats), or a sentence on what is wrong with it."""
    form = "give a list of documents, each a pair (tokens, perplexity)."
    given = plain_data(given)
    if of_torch(given):
        given = given.detach().tolist()
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if isinstance(given, str):
        given = [row.split() for row in given.split(";")]
    if not isinstance(given, list | tuple):
        return form
    try:
        rows = [[float(x) for x in row] for row in given]
    except (TypeError, ValueError):
        return form
    if not all(len(row) == 2 and all(math.isfinite(x) for x in row) for row in rows):
        return form
    if not WIDTH <= len(rows) <= MOST:
        return (
            f"you have {len(rows)} documents. Give at least {WIDTH}, one for each rank, and at most {MOST}."
        )
    if any(tokens < 1 or tokens != int(tokens) for tokens, _ in rows):
        return "a number of tokens is a whole number from 1 on."
    if any(not 1 <= perplexity <= 1e6 for _, perplexity in rows):
        return "a perplexity is at least 1, and here at most a million."
    return [(tokens, tokens * math.log(perplexity)) for tokens, perplexity in rows]


def _look(change):
    def look(given):
        documents = documents_of(given)
        if isinstance(documents, str):
            return documents
        values = values_of(documents)
        near = [
            name
            for name, value in values.items()
            if name != change and abs(math.log(value / values[change])) <= math.log1p(MOVES)
        ]
        return RIGHT if not near else "unmoved" if "right" in near else "confused"

    return look


GOOD = "100 40; 400 5; 300 9; 200 20; 500 2"
EVEN = "100 10; 100 10; 100 10"
ALIKE = "400 8; 400 5; 400 20; 500 8"
EXAMPLES = {change: {RIGHT: GOOD, "unmoved": EVEN, "confused": ALIKE, "not read": ""} for change in CHANGES}
"""For each change a text that shows it and two that do not; they are read as what they do."""

TELLING_TEXT = Question(
    key="14.telling-text",
    title="a test text that tells the mistakes apart",
    kind="protocol",
    stars=3,
    points=4,
    form="value",
    right=chosen(EXAMPLES),
    cases=((),),
    reading=by_what_it_does({change: _look(change) for change in CHANGES}, EXAMPLES, one=True),
    entry_points=dict.fromkeys(CHANGES, 1),
    mistakes=(
        Mistake(
            "M84",
            chosen(EXAMPLES, "unmoved", "padded"),
            "With the padding sampler your text gives the right value, or nearly. The number of documents "
            "must not be a multiple of three, and what is repeated has to differ from the rest.",
        ),
        Mistake(
            "M85",
            chosen(EXAMPLES, "unmoved", "dropped"),
            "When the last documents are dropped, your text gives the right value, or nearly. How many are "
            "dropped, and do they differ from the rest?",
        ),
        Mistake(
            "M86",
            chosen(EXAMPLES, "unmoved", "rank 0"),
            "Rank 0 alone has the right value, or nearly. Which documents are on rank 0? Make them harder or "
            "easier than the others.",
        ),
        Mistake(
            "M12",
            chosen(EXAMPLES, "unmoved", "losses"),
            "The mean of the losses of the three ranks is the loss of the text, or nearly. Give the ranks "
            "different numbers of tokens, and different losses.",
        ),
        *(
            Mistake(
                "L31",
                chosen(EXAMPLES, "confused", change),
                f"With the change '{change}' the value is nearly that with another change. When you see it, "
                "you do not know which of the two was made.",
            )
            for change in CHANGES
        ),
        Mistake(
            "L31",
            chosen(EXAMPLES, "confused", *CHANGES),
            "One change moves the value to nearly the same place as another does. From the value you cannot "
            "tell which of the two was made. Print all five values side by side.",
        ),
    ),
    advice="Write a function that returns all five values, and compare each value with every other one.",
)

QUESTIONS = (PIECE, ALL_REDUCE, CAME_TWICE, TELLING_TEXT)
