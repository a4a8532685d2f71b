"""Chapter 14, samplers: a text on which each mistake of the ranks has a number of its own."""

import math

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.plain_data import of_torch
from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.designs import RIGHT, by_what_it_does, chosen

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

QUESTIONS = (TELLING_TEXT,)
