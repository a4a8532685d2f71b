"""Chapter 02, real text: a bigram model, and what the tales cost under it, paragraph by paragraph."""

from functools import cache, partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, NOT_NEGATIVE
from lmcourse.questions.shared.units import LN2, unit_mistakes

# --- bigram ----------------------------------------------------------------------------------------------


def _add_k(counts, k):
    return (counts + k) / (counts + k).sum(axis=1, keepdims=True)


def bigram_surprisal(train, text, start, size, k, table=_add_k):
    """Nats of every symbol of ``text`` under an add-k bigram model of ``train``; ``start`` precedes both."""
    counts = _counts(np.append(start, train[:-1]), train, size)
    return _price(table(counts, k), np.append(start, text[:-1]), text)


def _counts(contexts, ids, size):
    counts = np.zeros((size, size))
    np.add.at(counts, (contexts, ids), 1)
    return counts


def _price(table, contexts, ids):
    return -np.log(table[contexts, ids])


def _rolled(train, text, start, size, k):
    return _price(_add_k(_counts(np.roll(train, 1), train, size), k), np.roll(text, 1), text)


def _without_first_pair(train, text, start, size, k):
    counts = _counts(np.append(start, train[:-1]), train, size) + k
    counts[start, train[0]] -= 1
    return _price(counts / counts.sum(axis=1, keepdims=True), np.append(start, text[:-1]), text)


def _draw_streams(rng):
    """Two streams; the last symbols occur in neither."""
    seen = int(rng.integers(5, 12))
    size, chances = seen + int(rng.integers(1, 3)), rng.dirichlet(np.ones(seen))
    train, text = rng.choice(seen, size=200, p=chances), rng.choice(seen, size=30, p=chances)
    return train, text, int(rng.integers(size)), size, float(rng.uniform(0.05, 0.6))


BIGRAM = Question(
    key="02.bigram",
    title="a bigram model in four lines",
    kind="implement",
    stars=3,
    points=3,
    right=bigram_surprisal,
    cases=(
        (np.array([2, 0, 1, 2, 0, 2, 1, 0]), np.array([2, 0, 1, 3]), 1, 4, 0.4),
        (np.array([1, 3, 3, 0, 2, 1, 3, 0, 4, 4, 1, 3, 2]), np.array([3, 0, 1, 2, 4, 3]), 0, 5, 0.1),
    ),
    draw=_draw_streams,
    mistakes=(
        *unit_mistakes(bigram_surprisal, "M2 M3 M5"),
        Mistake(
            "L16",
            partial(bigram_surprisal, table=lambda n, k: ((n + k) / (n + k).sum(axis=0)).T),
            "Your model predicts a symbol from its successor: the table is transposed. Rows are "
            "contexts, columns are what comes next.",
        ),
        Mistake(
            "L13",
            partial(bigram_surprisal, table=lambda n, k: (n + k) / (n.sum(axis=1, keepdims=True) + k)),
            "The rows of your table do not add up to 1: k is added to every one of the `size` "
            "counts of a row.",
        ),
        Mistake(
            "L13",
            partial(bigram_surprisal, table=lambda n, k: (n + k) / n.sum(axis=1, keepdims=True)),
            "The rows of your table add up to more than 1: k is in the numerator only.",
        ),
        Mistake(
            "L8",
            partial(bigram_surprisal, table=lambda n, k: (n + 1) / (n + 1).sum(axis=1, keepdims=True)),
            "Your model adds 1 to every count, whatever k is.",
        ),
        Mistake(
            "M31",
            partial(bigram_surprisal, table=lambda n, k: n / n.sum(axis=1, keepdims=True)),
            "A pair that the training text does not have costs infinitely much: add k to every count.",
        ),
        Mistake(
            "L19",
            partial(bigram_surprisal, table=lambda n, k: (n + k) / (n + k).sum()),
            "Your whole table adds up to 1, so it holds the probability of a pair. "
            "Each row must add up to 1: the probability of a symbol after its context.",
        ),
        Mistake(
            "L20",
            _without_first_pair,
            "The training text has a first pair, too: `start` and the first symbol. It is not counted.",
        ),
        Mistake(
            "L20",
            _rolled,
            "np.roll puts the last symbol before the first. The context of the first symbol is `start`.",
        ),
    ),
    properties=(FINITE, NOT_NEGATIVE),
    advice="For size 2, train [0, 1, 1] and start 0, the counts are [[1, 1], [0, 1]] before k is added.",
)

# --- tale-card -------------------------------------------------------------------------------------------

K = 0.1


@cache
def _tales():
    """Nats of every symbol of the test paragraphs, where they end, and their characters and bytes."""
    from lmmetrics import corpora
    from lmmetrics.text import tokenize

    tales = corpora.load("tales-en")
    train = tokenize(_paragraphs(tales.train), by="char")
    test = tokenize(_paragraphs(tales.test), by="char", vocabulary=train.vocabulary)
    settings = train.vocabulary.eos, len(train.vocabulary), K
    return {
        "nats": bigram_surprisal(train.ids, test.ids, *settings),
        "seen": bigram_surprisal(test.ids, test.ids, *settings),
        "ends": test.is_eos,
        "starts": test.document_starts,
        "chars": test.document_counts["chars"],
        "bytes": test.bytes,
    }


def _paragraphs(tales):
    return [line for tale in tales for line in tale.splitlines() if line]


def tale_card(nats=None, unit=None, **given):
    """What the paragraphs of the test tales cost, each </s> included, by the training tales."""
    tales = _tales()
    nats = tales["nats"] if nats is None else nats
    characters = int(tales["chars"].sum())
    card = {
        "tokens": len(nats),
        "characters": characters,
        "nats": nats.sum(),
        "bits per character": nats.sum() / LN2 / (unit or characters),
    }
    return card | {key.replace("_", " "): value for key, value in given.items()}


def _mean_over_paragraphs():
    tales = _tales()
    per_paragraph = np.add.reduceat(tales["nats"], tales["starts"][:-1]) / LN2 / tales["chars"]
    return tale_card(bits_per_character=per_paragraph.mean())


TALE_CARD = Question(
    key="02.tale-card",
    title="the price of a tale",
    kind="protocol",
    stars=2,
    points=2,
    form="value",
    right=tale_card,
    cases=((),),
    mistakes=(
        Mistake(
            "M25",
            lambda: tale_card(unit=len(_tales()["nats"])),
            "You divide by the tokens, and each </s> is one of them. A character count has no </s>.",
        ),
        Mistake(
            "L21",
            lambda: tale_card(nats=_tales()["nats"][~_tales()["ends"]]),
            "You leave out the price of </s>. The task scores it: the model must say where a paragraph ends.",
        ),
        Mistake(
            "M1",
            lambda: tale_card(bits_per_character=_tales()["nats"].sum() / _tales()["chars"].sum()),
            "Your 'bits per character' is {ratio} = ln 2 times what it should be: it holds nats.",
        ),
        Mistake(
            "L1",
            lambda: tale_card(nats=_tales()["nats"]) | {"nats": _tales()["nats"].mean()},
            "Your 'nats' is an average. The card asks for the total.",
        ),
        Mistake(
            "M9",
            _mean_over_paragraphs,
            "You average over paragraphs, so a short one weighs like a long one. Divide the total once.",
        ),
        Mistake(
            "M38",
            lambda: tale_card(unit=_tales()["bytes"], characters=_tales()["bytes"]),
            "You count bytes of UTF-8. A curly quotation mark is one character and three bytes.",
        ),
        Mistake(
            "L17",
            lambda: tale_card(nats=_tales()["seen"]),
            "Your number is too good: the model was counted on the test tales. Count on tales.train.",
        ),
    ),
    properties=(
        FINITE,
        NOT_NEGATIVE,
        Property(
            "there is one </s> for each paragraph, so there are more tokens than characters",
            lambda card: card["tokens"] > card["characters"],
        ),
    ),
    advice="Is the check of 02.bigram right? If so, look at len(test), test.chars and test.is_eos.sum().",
)

QUESTIONS = (BIGRAM, TALE_CARD)
