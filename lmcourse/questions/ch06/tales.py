"""Chapter 06, a line of a table: a model chosen on one text and reported on another, in KenLM's terms."""

import functools
import math
import re
from functools import partial

import numpy as np

from lmcourse.hints.answers import plain_data
from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import perplexity_mistakes
from lmcourse.questions.shared.wrong import exchanged
from lmmetrics import corpora
from lmmetrics.ngram import AbsoluteDiscounting, KneserNey, ModifiedKneserNey, NGramModel, WittenBell
from lmmetrics.scoring import score_text
from lmmetrics.text import tokenize

METHODS = {
    "Witten-Bell": WittenBell(),
    "absolute discounting": AbsoluteDiscounting(fallback=0.75),
    "Kneser-Ney": KneserNey(fallback=0.75),
    "modified Kneser-Ney": ModifiedKneserNey(fallback=(0.5, 1, 1.5)),
}
ORDERS = (2, 3, 4, 5)


def line(chosen_on="valid", reported_on="test", including=None, excluding=None):
    """The method and order that are best on valid, and the two perplexities of test that KenLM prints."""
    found = _grid(chosen_on)
    method, order = min(found, key=found.get)
    nats, known, ends = _surprisals(method, order, reported_on)
    including = including or (lambda nats, known, ends: nats.mean())
    excluding = excluding or (lambda nats, known, ends: nats[known].mean())
    return {
        "method": method,
        "order": order,
        "including OOVs": math.exp(including(nats, known, ends)),
        "excluding OOVs": math.exp(excluding(nats, known, ends)),
        "OOVs": int((~known).sum()),
    }


@functools.cache
def _texts():
    tales = corpora.load("tales-en")
    train = tokenize(tales.train)
    parts = {"valid": tales.valid, "test": tales.test}
    return {"train": train} | {
        name: tokenize(part, vocabulary=train.vocabulary) for name, part in parts.items()
    }


@functools.cache
def _model(method, order):
    return NGramModel(order, METHODS[method]).fit(_texts()["train"])


@functools.cache
def _grid(part):
    """The perplexity of every model on one part of the tales."""
    return {
        (method, order): score_text(_model(method, order), _texts()[part]).perplexity
        for method in METHODS
        for order in ORDERS
    }


@functools.cache
def _surprisals(method, order, part):
    """The nats of each token, which tokens are known words or </s>, and which are </s>."""
    text = _texts()[part]
    nats = -_model(method, order).log_probs(text)
    return nats, text.ids != text.vocabulary.unk, text.is_eos


def _without_ends(nats, known, ends):
    return nats[~ends].mean(), nats[known & ~ends].mean()


def _letters(text):
    return re.sub("[^a-z]", "", text.lower())


def _read_line(answer, *case):
    """The method's name may have other capitals, blanks and hyphens."""
    answer = plain_data(answer)
    if isinstance(answer, dict) and isinstance(answer.get("method"), str):
        names = {_letters(name): name for name in METHODS}
        answer = answer | {"method": names.get(_letters(answer["method"]), answer["method"])}
    return answer, {}


LINE = Question(
    key="06.line",
    title="a line of a table",
    kind="reproduce",
    stars=2,
    points=3,
    form="value",
    right=line,
    cases=((),),
    reading=_read_line,
    mistakes=(
        *perplexity_mistakes(line, "M1 M2 M4 M5", only=("including OOVs", "excluding OOVs")),
        Mistake(
            "L17",
            partial(line, chosen_on="test"),
            "You have chosen on the test tales, so you report the luckiest of sixteen numbers. Choose on "
            "valid, and use test once.",
            explains="answer",
        ),
        Mistake(
            "L17",
            partial(line, chosen_on="train"),
            "Your model is the best on the training tales, which it remembers, and the worst of the sixteen "
            "on valid. Choose the smallest perplexity on valid.",
            explains="answer",
        ),
        Mistake(
            "L17",
            partial(line, reported_on="valid"),
            "Your perplexities are those of valid, where the model was chosen. Report those of test.",
            explains="answer",
        ),
        Mistake(
            "M28",
            partial(line, including=lambda nats, known, ends: nats[known].mean()),
            "Both of your perplexities leave the unknown words out. With 'including' they have to be scored, "
            "with the probability of <unk>.",
        ),
        Mistake(
            "L27",
            partial(line, excluding=lambda nats, known, ends: nats[known].sum() / len(nats)),
            "Your 'excluding OOVs' is too low: the nats of the unknown words are left out, but their count "
            "is not.",
        ),
        Mistake(
            "L27",
            partial(line, excluding=lambda nats, known, ends: nats.sum() / known.sum()),
            "Your 'excluding OOVs' is too high: the unknown words are left out of the count, but their nats "
            "are not.",
        ),
        Mistake(
            "L21",
            partial(
                line,
                including=lambda *arrays: _without_ends(*arrays)[0],
                excluding=lambda *arrays: _without_ends(*arrays)[1],
            ),
            "Your perplexities leave </s> out: they are too high. KenLM scores it and counts it.",
        ),
        Mistake(
            "L31",
            exchanged(line, "including OOVs", "excluding OOVs"),
            "The two perplexities are swapped.",
            explains="answer",
        ),
    ),
    properties=(
        Property("'method' is not the name of one of the four", lambda value: value["method"] in METHODS),
        Property("'order' is not one of 2, 3, 4, 5", lambda value: value["order"] in ORDERS),
        Property(
            "'OOVs' is not a count: give a whole number of tokens",
            lambda value: value["OOVs"] == np.floor(value["OOVs"]) and value["OOVs"] >= 0,
        ),
    ),
    advice="Build a dictionary from (method, order) to the perplexity on valid, then take min(found, "
    "key=found.get).",
)

QUESTIONS = (LINE,)
