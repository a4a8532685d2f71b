"""Chapter 04, published lines and a protocol: two perplexities of a log, savings, a card for the tales."""

import functools

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE, PERPLEXITY
from lmcourse.questions.shared.units import LN10
from lmcourse.questions.shared.wrong import but, exchanged, then

# --- srilm -----------------------------------------------------------------------------------------------


def srilm(log10, sentences, words, oovs):
    """What SRILM prints as ppl and ppl1: unknown words neither scored nor counted; ppl counts </s>."""
    return _lines(log10, words - oovs + sentences, words - oovs)


def _lines(log10, scored, scored_words, base=10.0):
    return {"ppl": base ** (-log10 / scored), "ppl1": base ** (-log10 / scored_words)}


def _draw_log(rng):
    sentences = int(rng.integers(5, 60))
    words = int(sentences * rng.uniform(6, 20))
    oovs = int(words * rng.uniform(0.03, 0.15))
    return float(f"{-(words - oovs + sentences) * rng.uniform(1.6, 3.0):.7g}"), sentences, words, oovs


SRILM = Question(
    key="04.srilm",
    title="published lines from their logs",
    kind="reproduce",
    stars=2,
    points=2,
    right=srilm,
    cases=((-20.406, 1, 9, 1), (-9656.414, 206, 3277, 206), (-10986.33, 206, 3277, 0)),
    draw=_draw_log,
    odd=(lambda rng: (*_draw_log(rng)[:3], 0),),
    mistakes=(
        Mistake(
            "M3",
            lambda log10, sentences, words, oovs: _lines(log10, words - oovs + sentences, words - oovs, np.e),
            "The total is to base 10, and you raise e: ln r / ln R is {power} = 1 / ln 10.",
        ),
        Mistake(
            "M3",
            lambda log10, sentences, words, oovs: _lines(log10, words - oovs + sentences, words - oovs, 2.0),
            "The total is to base 10, and you raise 2: ln r / ln R is {power}, the base-10 logarithm of 2.",
        ),
        Mistake(
            "M5",
            lambda log10, sentences, words, oovs: srilm(-log10, sentences, words, oovs),
            "Your numbers are below 1. The total is a log probability, so it needs a minus sign.",
        ),
        Mistake(
            "L27",
            lambda log10, sentences, words, oovs: _lines(log10, words + sentences, words),
            "You count the unknown words, but the total has no log probability of theirs: your numbers are "
            "too low, ln r / ln R is {power}.",
        ),
        Mistake(
            "M25",
            lambda log10, sentences, words, oovs: _lines(log10, words - oovs, words - oovs),
            "Your 'ppl' is 'ppl1': there is one </s> for each sentence, it is in the total, and 'ppl' counts "
            "it, too.",
        ),
        Mistake(
            "L31",
            lambda log10, sentences, words, oovs: _lines(log10, words - oovs, words - oovs + sentences),
            "Your two numbers have changed places. Dividing by less gives more.",
        ),
        Mistake(
            "L27",
            lambda log10, sentences, words, oovs: _lines(log10, words - oovs + sentences, words),
            "Your 'ppl' leaves the unknown words out of the count, your 'ppl1' does not.",
        ),
        Mistake(
            "M25 + L27",
            lambda log10, sentences, words, oovs: _lines(log10, words, words - oovs),
            "Your 'ppl' counts words. In two of the logs that is right by luck: they have as many unknown "
            "words, which are not scored, as sentence ends, which are.",
        ),
    ),
    alike=(
        ("right", "M25 + L27", "in two of the logs there are as many unknown words as sentences"),
        ("right", "L27", "in the third log no word is unknown"),
        ("right", "L27 (2)", "the same"),
        ("L27", "L27 (2)", "the same"),
        ("M25", "M25 + L27", "the same"),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "'ppl1' is not above 'ppl', though it shares the same total out over fewer tokens",
            lambda value, *case: value["ppl1"] > value["ppl"],
        ),
    ),
    advice="Which tokens are in the total? Count them all for ppl, and all but </s> for ppl1.",
)

# --- percent ---------------------------------------------------------------------------------------------


def savings(before, after):
    """Per cent of perplexity and of bits that are saved, and nats per token."""
    return {
        "perplexity": 100 * (before - after) / before,
        "bits": 100 * (np.log2(before) - np.log2(after)) / np.log2(before),
        "nats": np.log(before / after),
    }


PERCENT = Question(
    key="04.percent",
    title="per cent of what?",
    kind="compute",
    stars=1,
    points=2,
    right=savings,
    cases=((67.6, 43.9), (24.0, 18.0)),
    draw=lambda rng: (float(rng.uniform(60, 400)), float(rng.uniform(15, 50))),
    odd=(lambda rng: (float(rng.uniform(60, 200)), float(rng.uniform(220, 400))),),  # it became worse
    mistakes=(
        Mistake(
            "L29",
            then(savings, lambda found: {k: v if k == "nats" else v / 100 for k, v in found.items()}),
            "Your shares are fractions, and the task asks for per cent.",
        ),
        Mistake(
            "L7",
            then(savings, lambda found: {k: -v for k, v in found.items()}),
            "Your numbers are negative. A saving is before minus after.",
        ),
        Mistake(
            "L7",
            but(
                savings,
                {
                    "perplexity": lambda before, after: 100 * (before - after) / after,
                    "bits": lambda before, after: 100 * np.log(before / after) / np.log(after),
                },
            ),
            "You give the saving in per cent of what is left. Give it in per cent of what was there before.",
        ),
        Mistake(
            "L9",
            but(savings, {"bits": lambda before, after: 100 * np.log2(before / after)}),
            "Your 'bits' is 100 times the bits saved per token. Per cent of what? Of the bits before.",
        ),
        Mistake(
            "L9",
            but(savings, {"bits": lambda before, after: 100 * (before - after) / before}),
            "Your 'bits' is a share of the perplexity. Take the logarithm of both numbers first.",
        ),
        Mistake(
            "L9",
            but(savings, {"nats": lambda before, after: np.log(before - after)}),
            "You take the logarithm of a difference. The nats saved are a difference of logarithms.",
        ),
        Mistake(
            "M2",
            but(savings, {"nats": lambda before, after: np.log2(before / after)}),
            "Your 'nats' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
        ),
    ),
    advice="From 100 to 10 saves 90 per cent of the perplexity, half of the bits, and ln 10 nats per token.",
)

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
            "Your 'perplexity per token' is the mean of the lines' perplexities, and a title of two words "
            "weighs like a paragraph. Add the scores, then ask the sum.",
        ),
        Mistake(
            "M9",
            but(report_card, {"perplexity per token": lambda: np.exp(_line_losses().mean())}),
            "Your 'perplexity per token' averages the lines' losses. Add the scores, then ask the sum.",
        ),
        Mistake(
            "M3",
            lambda: report_card(nats=-tale_report()["log10"].sum()),
            "The report is in logarithms to base 10, and your 'nats' are {ratio} = 1 / ln 10 times what they "
            "should be: they are still hartleys.",
        ),
        Mistake(
            "M3",
            lambda: report_card(nats=-tale_report()["log10"].sum() / LN10),
            "You divide by ln 10. One hartley is ln 10 = 2.3026 nats, so there are more nats than hartleys.",
        ),
        Mistake(
            "M25",
            lambda: report_card(marks=0) | {"</s>": "not scored"},
            "The total of each line includes its </s>: it is scored, and so it is counted.",
        ),
        Mistake(
            "M26",
            lambda: report_card(marks=2) | {"<s>": "scored"},
            "<s> is given, not predicted: it is not a scored token. Only </s> adds one to each line.",
        ),
        Mistake(
            "M28",
            lambda: report_card(known_only=True) | {"unknown words": "not scored"},
            "You leave the unknown words out. The report scores them as <unk>, so they are paid and counted.",
        ),
        Mistake(
            "L27",
            lambda: report_card(nats=report_card(known_only=True)["nats"]),
            "Your total leaves the unknown words out, and your count does not.",
        ),
        Mistake(
            "L31",
            exchanged(report_card, "perplexity per token", "perplexity per word"),
            "The perplexities per token and per word have changed places. There are more tokens than words.",
        ),
    ),
    properties=(FINITE, PERPLEXITY),
    advice="sum(Score(nats, tokens=..., words=...) for ...) pools the lines; then ask .perplexity and "
    '.perplexity_per("word").',
)

QUESTIONS = (SRILM, PERCENT, CARD)
