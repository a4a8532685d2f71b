"""Chapter 04, a protocol: a card for the tales."""

import functools

import numpy as np

from lmcourse.hints.question import Mistake, Question
from lmcourse.questions.shared.properties import FINITE, PERPLEXITY
from lmcourse.questions.shared.units import LN10
from lmcourse.questions.shared.wrong import but, exchanged

# --- card ------------------------------------------------------------------------------------------------


@functools.cache
def tale_report():
    """One row for each line of the test tales, as the report of the task has it; logarithms to base 10."""
    from lmmetrics.corpora import load
    from lmmetrics.ngram import NGramModel, WittenBell
    from lmmetrics.text import tokenize

    tales = load("tales-en")
    train = tokenize([line for tale in tales.train for line in tale.splitlines() if line])
    test = tokenize(
        [line for tale in tales.test for line in tale.splitlines() if line], vocabulary=train.vocabulary
    )
    log10 = NGramModel(2, WittenBell()).fit(train).log_probs(test) / LN10
    starts, unknown = test.document_starts[:-1], test.ids == train.vocabulary.unk
    return {
        "pieces": np.diff(test.document_starts) - 1,
        "words": np.array(test.document_counts["words"]),
        "unknown": np.add.reduceat(unknown.astype(int), starts),
        "log10": np.add.reduceat(log10, starts),
        "log10 of unknown": np.add.reduceat(np.where(unknown, log10, 0.0), starts),
    }


def report_card(nats=None, marks=1, known_only=False):
    """The protocol of the report, and its pooled numbers.

    ``marks`` is how many </s> and <s> a line counts.
    """
    report = tale_report()
    log10 = report["log10"] - (report["log10 of unknown"] if known_only else 0)
    nats = -log10.sum() * LN10 if nats is None else nats
    tokens = int((report["pieces"] - (report["unknown"] if known_only else 0) + marks).sum())
    return {
        "<s>": "not scored",
        "</s>": "scored",
        "unknown words": "scored",
        "tokens": tokens,
        "nats": nats,
        "perplexity per token": np.exp(nats / tokens),
        "perplexity per word": np.exp(nats / report["words"].sum()),
    }


def _line_losses():
    report = tale_report()
    return -report["log10"] * LN10 / (report["pieces"] + 1)


CARD = Question(
    key="04.card",
    title="a protocol card for the tales",
    kind="protocol",
    stars=2,
    points=2,
    form="value",
    right=report_card,
    cases=((),),
    mistakes=(
        Mistake(
            "M8",
            but(report_card, {"perplexity per token": lambda: np.exp(_line_losses()).mean()}),
            "Your 'perplexity per token' is the mean of the perplexities of the lines, so a title of two "
            "words has the weight of a paragraph. Add the scores of the lines, and take the perplexity of "
            "the sum.",
        ),
        Mistake(
            "M9",
            but(report_card, {"perplexity per token": lambda: np.exp(_line_losses().mean())}),
            "Your 'perplexity per token' averages the losses of the lines. Add the scores of the lines, and "
            "take the perplexity of the sum.",
        ),
        Mistake(
            "M3",
            lambda: report_card(nats=-tale_report()["log10"].sum()),
            "Your 'nats' are {ratio} = 1 / ln 10 times the right number: they are still hartleys, because "
            "the report gives logarithms to base 10. Convert them.",
        ),
        Mistake(
            "M3",
            lambda: report_card(nats=-tale_report()["log10"].sum() / LN10),
            "You divide by ln 10. One hartley is ln 10 = 2.3026 nats, so there are more nats than hartleys: "
            "multiply.",
        ),
        Mistake(
            "M25",
            lambda: report_card(marks=0) | {"</s>": "not scored"},
            "You leave </s> out of the count. The total of each line includes its </s>: it is scored, so "
            "count it.",
        ),
        Mistake(
            "M26",
            lambda: report_card(marks=2) | {"<s>": "scored"},
            "You count <s>, which is given and not predicted. To the pieces of each line, add only its </s>.",
        ),
        Mistake(
            "M28",
            lambda: report_card(known_only=True) | {"unknown words": "not scored"},
            "You leave the unknown words out. The report scores each of them as <unk>: add up their nats, "
            "and count them.",
        ),
        Mistake(
            "L27",
            lambda: report_card(nats=report_card(known_only=True)["nats"]),
            "Your total leaves the unknown words out, but your count does not. The report scores them as "
            "<unk>.",
        ),
        Mistake(
            "L31",
            exchanged(report_card, "perplexity per token", "perplexity per word"),
            "The perplexities per token and per word are swapped. Which of them divides the same "
            "total by more?",
        ),
    ),
    properties=(FINITE, PERPLEXITY),
    advice="sum(Score(nats, tokens=..., words=...) for ...) pools the lines. Then use .perplexity and "
    '.perplexity_per("word").',
)

QUESTIONS = (CARD,)
