"""Chapter 03, what a context is worth: from a joint distribution, and estimated from the Chinese tales."""

import functools
import math

import numpy as np
from scipy.special import entr

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.units import LN2
from lmcourse.questions.shared.wrong import but, exchanged
from lmmetrics import corpora
from lmmetrics.ngram import MaximumLikelihood, NGramModel, WittenBell
from lmmetrics.scoring import score_text
from lmmetrics.sources import MarkovSource
from lmmetrics.text import tokenize

# --- worth -----------------------------------------------------------------------------------------------


def worth(law):
    """I(next; last L symbols) for L = 0 .. n - 1 in bits; law: (V,) * n, the joint of n neighbours."""
    return (_alone(law) - _remaining(law)) / LN2


def _alone(law):
    return entr(law.sum(axis=tuple(range(law.ndim - 1)))).sum()


def _remaining(law, nearest=True):
    """H(next | L symbols) in nats for L = 0 .. n - 1, of the nearest L symbols or of the oldest L."""
    contexts = range(law.ndim - 1)
    found = []
    for length in range(law.ndim):
        kept = contexts[len(contexts) - length :] if nearest else contexts[:length]
        joint = law.sum(axis=tuple(axis for axis in contexts if axis not in kept))
        found.append(entr(joint).sum() - entr(joint.sum(axis=-1)).sum())
    return np.array(found)


def _each(law):
    return np.diff(worth(law), prepend=0.0)


def _joint_entropies(law):
    """H(X) minus the entropy of the last L + 1 symbols together, without their context's entropy."""
    n = law.ndim
    joints = [entr(law.sum(axis=tuple(range(n - length)))).sum() for length in range(1, n + 1)]
    return (np.array(joints) - _alone(law)) / LN2


def _draw_law(rng):
    size, length = int(rng.integers(2, 4)), int(rng.integers(3, 5))
    table = rng.dirichlet(np.full(size, 0.6), size=(size, size))
    return (_law(0.9 * table + 0.1 / size, length),)


def _law(table, length):
    return MarkovSource(table, symbols=[str(i) for i in range(len(table))]).block_law(length)


def _draw_law_with_zeros(rng, length):
    """Some strings never occur."""
    table = 0.9 * rng.dirichlet(np.full(3, 0.6), size=(3, 3)) + 0.1 / 3
    table[0, 0, 1] = table[1, 2, 0] = 0.0
    return (_law(table / table.sum(axis=-1, keepdims=True), length),)


WORTH = Question(
    key="03.worth",
    title="what a context is worth, exactly",
    kind="implement",
    stars=2,
    points=2,
    right=worth,
    cases=(
        (_law(np.array([[[0.9, 0.1], [0.15, 0.85]], [[0.3, 0.7], [0.6, 0.4]]]), 3),),
        (_law(np.random.default_rng(331).dirichlet(np.full(3, 0.5), size=(3, 3)) * 0.94 + 0.02, 4),),
    ),
    draw=_draw_law,
    odd=(lambda rng: _draw_law_with_zeros(rng, 2), lambda rng: _draw_law_with_zeros(rng, 5)),
    mistakes=(
        Mistake(
            "M1",
            lambda law: worth(law) * LN2,
            "Your numbers are {ratio} = ln 2 times the bits: they are in nats, and the task asks for bits.",
        ),
        Mistake(
            "L3",
            lambda law: worth(law) * LN2**2,
            "You multiply the nats by ln 2. One bit is ln 2 = 0.6931 nats: to get bits, divide.",
        ),
        Mistake(
            "L16",
            lambda law: (_alone(law) - _remaining(law, nearest=False)) / LN2,
            "Your short contexts are the oldest symbols, with a gap before the next one. A model with a "
            "context of L symbols sees the last L: sum over the first axes.",
        ),
        Mistake(
            "L22",
            lambda law: _remaining(law) / LN2,
            "Your array contains H(X | C), the entropy that remains. A context is worth the amount by which "
            "this entropy falls below H(X).",
        ),
        Mistake(
            "L22",
            _each,
            "Your array contains what each symbol adds to the sum of those before it. The task asks what "
            "all L symbols together are worth.",
        ),
        Mistake(
            "L22",
            _joint_entropies,
            "Your array contains joint entropies. H(X | C) is the entropy of context and symbol together, "
            "minus the entropy of the context.",
        ),
        Mistake(
            "L18",
            lambda law: (np.log(law.shape[-1]) - _remaining(law)) / LN2,
            "You start from ln V. Even without a context, a model knows how often each symbol occurs: start "
            "from H(X).",
        ),
        Mistake(
            "M5",
            lambda law: -worth(law),
            "Your numbers are at most 0. On average a context cannot hurt: the worth is H(X) minus H(X | C).",
        ),
    ),
    properties=(
        Property("Your first entry, for no context, is not 0", lambda value, *_: abs(value[0]) < 1e-9),
        Property(
            "In your array a longer context is worth less, but on average a context cannot hurt",
            lambda value, *_: (np.diff(value) > -1e-9).all(),
        ),
        Property(
            "The last entry is not the KL divergence of the joint distribution from independence",
            lambda value, law: math.isclose(value[-1], worth(law)[-1], rel_tol=1e-6),
        ),
    ),
    advice="law.sum(axis=0) is the joint distribution of the last n - 1 symbols. Go on until one symbol is "
    "left.",
)

# --- tales -----------------------------------------------------------------------------------------------

LENGTHS = range(1, 5)


def context_savings():
    """Bits per character that 1 to 4 characters of context save in the Chinese tales, two ways."""
    return _savings(_bits("held out"), _bits("plug-in"))


def _savings(held_out, plug_in):
    return {
        "held out": held_out[0] - held_out[1:],
        "plug-in": plug_in[0] - plug_in[1:],
        "true worth": "between",
    }


def _one_way(name, bits):
    """The answer with this entry from other bits."""
    return but(context_savings, {name: lambda: bits()[0] - bits()[1:]})


@functools.cache
def _bits(way):
    """Bits per character with 0 to 4 characters of context."""
    tales = corpora.load("tales-zh")
    train = tokenize(tales.train, by="char")
    test = tokenize(tales.test, by="char", vocabulary=train.vocabulary)
    smoothing, learnt, scored = {
        "held out": (WittenBell(), train, test),
        "smoothed on train": (WittenBell(), train, train),
        "plug-in": (MaximumLikelihood(), train, train),
        "plug-in of test": (MaximumLikelihood(), test, test),
    }[way]
    models = [NGramModel(length + 1, smoothing).fit(learnt) for length in (0, *LENGTHS)]
    return np.array([score_text(model, scored).bits_per("token") for model in models])


def _shifted(bits):
    """Order L for L characters of context: one character less than meant."""
    return np.append(bits[0], bits[:-1])


TALES = Question(
    key="03.tales",
    title="what a context is worth, estimated",
    kind="reproduce",
    stars=2,
    points=3,
    form="value",
    right=context_savings,
    cases=((),),
    entry_points={"held out": 1, "plug-in": 1, "true worth": 1},
    mistakes=(
        Mistake(
            "M1",
            lambda: _savings(_bits("held out") * LN2, _bits("plug-in") * LN2),
            "Your numbers are {ratio} = ln 2 times the bits: they are in nats.",
        ),
        Mistake(
            "L7",
            but(context_savings, {"true worth": lambda: "below"}),
            "Your 'true worth' says that the held-out estimate is too high. What it measures is the true "
            "saving, minus what the longer context adds to the excess of the model.",
        ),
        Mistake(
            "L7",
            but(context_savings, {"true worth": lambda: "above"}),
            "Your 'true worth' says that the plug-in estimate is too low. A context that occurs once leaves "
            "it no entropy at all, whatever the truth is.",
        ),
        Mistake(
            "L17",
            _one_way("held out", lambda: _bits("smoothed on train")),
            "Your 'held out' is measured on the tales that the model was trained on.",
        ),
        Mistake(
            "L14",
            _one_way("plug-in", lambda: _bits("plug-in of test")),
            "Your 'plug-in' counts the test tales, and the task asks for the training tales. The shorter a "
            "text is, the larger is the share of its contexts that occur only once.",
        ),
        Mistake(
            "L22",
            _one_way("plug-in", lambda: _bits("smoothed on train")),
            "Your 'plug-in' uses a smoothed model. The plug-in estimate takes the frequencies as they are: "
            "use MaximumLikelihood().",
        ),
        Mistake(
            "L23",
            lambda: _savings(_shifted(_bits("held out")), _shifted(_bits("plug-in"))),
            "Your first entry is 0, because a model of order 1 sees no context at all. A context of L "
            "characters needs order L + 1.",
        ),
        Mistake(
            "L22",
            lambda: context_savings() | {"held out": _bits("held out")[1:], "plug-in": _bits("plug-in")[1:]},
            "Your numbers are the bits that remain with a context. A saving is the bits without context, "
            "minus these.",
        ),
        Mistake(
            "L22",
            lambda: (
                context_savings()
                | {"held out": -np.diff(_bits("held out")), "plug-in": -np.diff(_bits("plug-in"))}
            ),
            "Your numbers are what each further character saves. The task asks how much all L characters "
            "save together.",
        ),
        Mistake(
            "M5",
            lambda: (
                context_savings()
                | {
                    "held out": -context_savings()["held out"],
                    "plug-in": -context_savings()["plug-in"],
                }
            ),
            "Your numbers have the wrong sign. A saving is the bits without context, minus the bits with it.",
        ),
        Mistake(
            "L31",
            exchanged(context_savings, "held out", "plug-in"),
            "You give one of the two estimates in place of the other. 'Held out' means scored on the test "
            "tales, and 'plug-in' means counted and scored on the training tales.",
        ),
    ),
    advice="You need five models for each estimate, of orders 1 to 5. Subtract the bits of orders 2 to 5 "
    "from the bits of order 1.",
)

QUESTIONS = (WORTH, TALES)
