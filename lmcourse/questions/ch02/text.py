"""Chapter 02, real text: the loss of the tales under a bigram model, paragraph by paragraph."""

from functools import cache

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import LN2


def _add_k(counts, k):
    return (counts + k) / (counts + k).sum(axis=1, keepdims=True)


def bigram_surprisal(train, text, start, size, k, table=_add_k):
    """Nats of every symbol of ``text`` under an add-k bigram model of ``train``; ``start`` precedes both."""
    counts = _counts(np.append(start, train[:-1]), train, size)
    return _surprisals(table(counts, k), np.append(start, text[:-1]), text)


def _counts(contexts, ids, size):
    counts = np.zeros((size, size))
    np.add.at(counts, (contexts, ids), 1)
    return counts


def _surprisals(table, contexts, ids):
    return -np.log(table[contexts, ids])


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
    """The loss of the paragraphs of the test tales, each </s> included, by the training tales."""
    tales = _tales()
    nats = tales["nats"] if nats is None else nats
    characters = int(tales["chars"].sum())
    card = {
        "nats": nats.sum(),
        "bits per character": nats.sum() / LN2 / (unit or characters),
        "one draw": "tale",
    }
    return card | {key.replace("_", " "): value for key, value in given.items()}


def _read_card(answer, *case):
    """A draw may stand in the plural."""
    answer = plain_data(answer)
    draw = answer.get("one draw") if isinstance(answer, dict) else None
    if isinstance(draw, str):
        word = draw.strip().strip(".").lower().removeprefix("a ").removeprefix("one ")
        answer = answer | {"one draw": word.removesuffix("s")}
    return answer, {}


def _per_paragraph():
    tales = _tales()
    return np.add.reduceat(tales["nats"], tales["starts"][:-1]) / LN2 / tales["chars"]


TALE_CARD = Question(
    key="02.tale-card",
    title="the loss of a tale",
    kind="protocol",
    stars=2,
    points=3,
    form="value",
    right=tale_card,
    cases=((),),
    reading=_read_card,
    entry_points={"nats": 1, "bits per character": 1, "one draw": 1},
    mistakes=(
        Mistake(
            "M25",
            lambda: tale_card(unit=len(_tales()["nats"])),
            "Your 'bits per character' divides by the number of tokens, and each </s> is one of them. A "
            "count of characters does not include </s>.",
        ),
        Mistake(
            "L21",
            lambda: tale_card(nats=_tales()["nats"][~_tales()["ends"]]),
            "You leave out the surprisal of </s>. The protocol scores it: the model predicts where a "
            "paragraph ends.",
        ),
        Mistake(
            "M1",
            lambda: tale_card(bits_per_character=_tales()["nats"].sum() / _tales()["chars"].sum()),
            "Your 'bits per character' is {ratio} = ln 2 times what it should be: it is in nats.",
        ),
        Mistake(
            "M2",
            lambda: tale_card() | {"nats": _tales()["nats"].sum() / LN2},
            "Your 'nats' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
        Mistake(
            "L1",
            lambda: tale_card() | {"nats": _tales()["nats"].mean()},
            "Your 'nats' is a mean. The card asks for the total.",
        ),
        Mistake(
            "L3",
            lambda: tale_card(bits_per_character=_tales()["nats"].sum() * LN2 / _tales()["chars"].sum()),
            "Your 'bits per character' is multiplied by ln 2. A bit is 0.6931 nats, so there are more bits "
            "than nats: divide.",
        ),
        Mistake(
            "M4",
            lambda: tale_card(bits_per_character=2 ** tale_card()["bits per character"]),
            "Your 'bits per character' is a perplexity. The card asks for its logarithm to base 2.",
        ),
        Mistake(
            "M9",
            lambda: tale_card(bits_per_character=_per_paragraph().mean()),
            "Your 'bits per character' averages over paragraphs, so a short one weighs as much as a long "
            "one. Divide the total once.",
        ),
        Mistake(
            "M38",
            lambda: tale_card(unit=_tales()["bytes"]),
            "Your 'bits per character' divides by the number of UTF-8 bytes. A curly quotation mark is one "
            "character and three bytes.",
        ),
        Mistake(
            "L17",
            lambda: tale_card(nats=_tales()["seen"]),
            "Your loss is too low: the counts of the model come from the test tales. Take them from "
            "tales.train.",
        ),
        Mistake(
            "L32",
            lambda: tale_card(one_draw="character"),
            "Your 'one draw' is the character. The characters of a paragraph share its subject and its "
            "style, so they are not drawn independently.",
        ),
        Mistake(
            "L32",
            lambda: tale_card(one_draw="paragraph"),
            "Your 'one draw' is the paragraph. Nobody chose the paragraphs one by one: those of a tale share "
            "its subject and its names.",
        ),
    ),
    properties=(
        Property(
            "'nats' or 'bits per character' is not above 0",
            lambda card: card["nats"] > 0 and card["bits per character"] > 0,
        ),
        Property(
            "'one draw' has to be 'character', 'paragraph' or 'tale'",
            lambda card: card["one draw"] in ("character", "paragraph", "tale"),
        ),
    ),
    advice="How many </s> are there, and is each of them in the total? Look at len(test), test.chars and "
    "test.is_eos.sum().",
)

QUESTIONS = (TALE_CARD,)
