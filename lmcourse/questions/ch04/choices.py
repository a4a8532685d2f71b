"""Chapter 04, two choices: which of two models with one text is better, and which of several changes."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import PERPLEXITY
from lmcourse.questions.shared.wrong import but, exchanged, then

# --- srilm -----------------------------------------------------------------------------------------------


def _counts(log10, sentences, words, oovs):
    """What ppl and ppl1 divide by: unknown words are neither scored nor counted, and only ppl counts </s>."""
    return words - oovs + sentences, words - oovs


def _same_tokens(one, other):
    return one[3] == other[3]


def srilm(one, other, counts=_counts, base=10.0, may_choose=_same_tokens):
    """What SRILM prints as ppl and ppl1 for two models on one text, and which of them is better."""
    ppl, ppl1 = np.array([[base ** (-log[0] / n) for n in counts(*log)] for log in (one, other)]).T
    better = "one" if ppl[0] < ppl[1] else "other"
    return {"ppl": ppl, "ppl1": ppl1, "verdict": better if may_choose(one, other) else "not comparable"}


def _turned_round(found):
    return found | {"verdict": {"one": "other", "other": "one"}.get(found["verdict"], "not comparable")}


def _draw_logs(rng, oovs=None):
    """Two logs of one text; ``oovs`` are the shares of unknown words, drawn if they are not given."""
    sentences = int(rng.integers(5, 60))
    words = int(sentences * rng.uniform(6, 20))
    shares = rng.uniform(0.03, 0.15, size=2) if oovs is None else oovs
    unknown = [int(words * share) for share in shares]
    if oovs is None and rng.random() < 0.5:
        unknown[1] = unknown[0]
    return tuple(
        (float(f"{-(words - oov + sentences) * rng.uniform(1.6, 3.0):.7g}"), sentences, words, oov)
        for oov in unknown
    )


SRILM = Question(
    key="04.srilm",
    title="two logs of one text, and a choice",
    kind="reproduce",
    stars=2,
    points=2,
    right=srilm,
    cases=(
        ((-9656.414, 206, 3277, 206), (-10986.33, 206, 3277, 0)),
        ((-5120.77, 88, 1912, 61), (-4987.31, 88, 1912, 61)),
        ((-3310.25, 120, 1044, 0), (-3402.6, 120, 1044, 0)),
    ),
    draw=_draw_logs,
    odd=(
        lambda rng: _draw_logs(rng, oovs=(0.0, 0.0)),
        lambda rng: _draw_logs(rng, oovs=(0.12, 0.0)),
        lambda rng: _draw_logs(rng, oovs=(0.1, 0.1)),
    ),
    mistakes=(
        Mistake(
            "M3",
            partial(srilm, base=np.e),
            "You raise e to a loss in base 10: ln r / ln R is {power} = 1 / ln 10. Raise 10 to it.",
        ),
        Mistake(
            "M3",
            partial(srilm, base=2.0),
            "You raise 2 to a loss in base 10: ln r / ln R is {power}, the base-10 logarithm of 2. "
            "Raise 10 to it.",
        ),
        Mistake(
            "M5",
            partial(srilm, base=0.1),
            "Your perplexities are below 1. The log probability is negative, so the exponent needs a minus "
            "sign.",
            explains="answer",
        ),
        Mistake(
            "M5",
            but(srilm, {key: lambda *case, key=key: 1 / srilm(*case)[key] for key in ("ppl", "ppl1")}),
            "Your perplexities are below 1. The log probability is negative, so the exponent needs a minus "
            "sign.",
        ),
        Mistake(
            "L27",
            partial(srilm, counts=lambda log10, sentences, words, oovs: (words + sentences, words)),
            "You count the unknown words, although their log probabilities are not in the total. Your "
            "numbers are too low: ln r / ln R is {power}.",
        ),
        Mistake(
            "M25",
            partial(srilm, counts=lambda log10, sentences, words, oovs: (words - oovs, words - oovs)),
            "Your 'ppl' is 'ppl1'. The total includes one </s> for each sentence: in 'ppl', count these as "
            "well.",
        ),
        Mistake(
            "L31",
            exchanged(srilm, "ppl", "ppl1"),
            "You have swapped 'ppl' and 'ppl1'. Which of them divides the same total by more tokens?",
            explains="answer",
        ),
        Mistake(
            "L27",
            partial(srilm, counts=lambda log10, sentences, words, oovs: (words - oovs + sentences, words)),
            "Your 'ppl' leaves the unknown words out of the count, but your 'ppl1' does not.",
            explains="answer",
        ),
        Mistake(
            "M25 + L27",
            partial(srilm, counts=lambda log10, sentences, words, oovs: (words, words - oovs)),
            "Your 'ppl' divides by the total number of words. Count what is scored: the known words, and "
            "one </s> for each sentence.",
        ),
        Mistake(
            "M34",
            partial(srilm, may_choose=lambda one, other: True),
            "Your 'verdict' always prefers the lower perplexity. Did both models score the same tokens? "
            "Compare their unknown words.",
        ),
        Mistake(
            "L7",
            then(srilm, _turned_round),
            "Your 'verdict' is the wrong way round. The better model has the *lower* perplexity.",
        ),
    ),
    alike=(
        ("M5", "M5 (2)", "the first pair is not comparable"),
        ("right", "L27", "in the third pair no word is unknown"),
        ("right", "L27 (2)", "the same"),
        ("L27", "L27 (2)", "the same"),
        ("M25", "M25 + L27", "the same"),
        ("right", "M34", "in the second and third pair both models have the same number of unknown words"),
        ("L27", "M34", "in the third pair no word is unknown"),
        ("L27 (2)", "M34", "the same"),
        ("right", "L7", "the first pair is not comparable"),
    ),
    properties=(
        PERPLEXITY,
        Property(
            "the verdict is 'not comparable' for two models that left out the same number of words",
            lambda value, *logs: value["verdict"] != "not comparable" or not _same_tokens(*logs),
        ),
        Property(
            "'ppl1' is not above 'ppl', although it divides the same total by fewer tokens",
            lambda value, *case: (value["ppl1"] > value["ppl"]).all(),
        ),
    ),
    advice="Which tokens have their log probability in the total? Count all of them for ppl, and all but "
    "</s> for ppl1. The verdict is one of three strings.",
)

# --- percent ---------------------------------------------------------------------------------------------


def savings(before, after):
    """What changes save: per cent of the perplexity and of the bits, nats per token, and the best change."""
    return {
        "perplexity": 100 * (before - after) / before,
        "bits": 100 * (np.log2(before) - np.log2(after)) / np.log2(before),
        "nats": np.log(before / after),
        "best": np.argmax(before / after),
    }


def _by(measure):
    """Whether 'best' is the change that leads in this measure, where another one is asked for."""
    return lambda value, before, after: (
        value["best"] == np.argmax(before / after) or value["best"] != np.argmax(measure(before, after))
    )


def _draw_changes(rng):
    """Changes of a large model, of a small one, and of one in between: each leads in another measure."""
    before = np.array([rng.uniform(300, 900), rng.uniform(60, 120), rng.uniform(4, 9)])
    return _shuffled(rng, before, before * rng.uniform([0.72, 0.58, 0.7], [0.76, 0.62, 0.74]))


def _draw_changes_for_the_worse(rng):
    """One change saves something; another does more harm than that."""
    before, after = rng.uniform(60, 200, size=3), rng.uniform(0.85, 1.0, size=3)
    return _shuffled(rng, before, before * after * np.array([1.0, 1.6, 1.2]))


def _shuffled(rng, before, after):
    order = rng.permutation(len(before))
    return before[order], after[order]


SHARES = ("perplexity", "bits")
"""The entries that are in per cent."""

PERCENT = Question(
    key="04.percent",
    title="per cent of what?",
    kind="compute",
    stars=1,
    points=2,
    right=savings,
    cases=(
        (np.array([900.0, 67.6, 24.0, 5.0]), np.array([640.0, 43.9, 18.0, 3.6])),
        (np.array([12.0, 150.0, 31.0]), np.array([9.2, 118.0, 22.5])),
    ),
    draw=_draw_changes,
    odd=(_draw_changes_for_the_worse,),
    mistakes=(
        Mistake(
            "L29",
            then(savings, lambda found: {k: v / 100 if k in SHARES else v for k, v in found.items()}),
            "Your shares are fractions. The task asks for percentages.",
        ),
        Mistake(
            "L7",
            then(savings, lambda found: {k: v if k == "best" else -v for k, v in found.items()}),
            "Your numbers have the wrong sign. A saving is what was there before, minus what is there "
            "afterwards.",
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
            "You give the savings as percentages of what is there afterwards. Give them as percentages of "
            "what was there before.",
        ),
        Mistake(
            "L9",
            but(savings, {"bits": lambda before, after: 100 * np.log2(before / after)}),
            "Your 'bits' are 100 times the bits saved per token. Divide the bits saved by the bits there "
            "were before.",
        ),
        Mistake(
            "L9",
            but(savings, {"bits": lambda before, after: 100 * (before - after) / before}),
            "Your 'bits' are shares of the perplexity. First take the logarithms of the perplexities before "
            "and after.",
        ),
        Mistake(
            "L9",
            but(savings, {"nats": lambda before, after: np.log(before - after)}),
            "Your 'nats' are logarithms of differences. Take the differences of the logarithms.",
        ),
        Mistake(
            "M2",
            but(savings, {"nats": lambda before, after: np.log2(before / after)}),
            "Your 'nats' are {ratio} = 1 / ln 2 times the right ones: they are bits.",
        ),
        Mistake(
            "L23",
            but(savings, {"best": lambda before, after: np.argmax(before / after) + 1}),
            "Your 'best' is one too high. The changes are numbered from 0.",
        ),
    ),
    properties=(
        Property(
            "'best' is the change with the largest fall in points of perplexity. The same fall means more "
            "if it starts lower: work out the factor by which each change multiplies the probability of the "
            "text",
            _by(lambda before, after: before - after),
        ),
        Property(
            "'best' is the change that saves the largest share of the bits, but a share depends on the "
            "baseline: work out the factor by which each change multiplies the probability of the text",
            _by(lambda before, after: np.log(before / after) / np.log(before)),
        ),
    ),
    advice="Test your function on a fall from 100 to 10: it saves 90 per cent of the perplexity, half of "
    "the bits, and ln 10 nats per token.",
)

QUESTIONS = (SRILM, PERCENT)
