"""Chapter 07, two counts: what a model scores before it is trained, and how many parameters it has."""

import math
from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import BELOW_ONE, FINITE
from lmcourse.questions.shared.units import LN2, perplexity_mistakes, unit_mistakes

# --- fresh -----------------------------------------------------------------------------------------------


def fresh(entries, tokens, chars):
    """Nats and perplexity per token, and bits per character, of a model that has not been trained."""
    return _uniform(entries - 1, tokens / chars)


def _uniform(symbols, tokens_per_char, bits=1 / LN2):
    nats = math.log(symbols)
    return {"nats": nats, "perplexity": float(symbols), "bits per char": nats * bits * tokens_per_char}


def _draw_fresh(rng):
    tokens = int(rng.integers(2000, 9000))
    return int(rng.integers(40, 400)), tokens, int(tokens * rng.uniform(2.0, 5.5))


FRESH = Question(
    key="07.fresh",
    title="what a fresh model must score",
    kind="compute",
    stars=1,
    points=2,
    right=fresh,
    cases=((301, 5200, 18_400), (127, 9021, 24_500)),
    draw=_draw_fresh,
    mistakes=(
        *unit_mistakes(fresh, "M2 M3 M5", only=("nats",)),
        *perplexity_mistakes(fresh, "M1 M4", only=("perplexity",)),
        Mistake(
            "M26",
            lambda entries, tokens, chars: _uniform(entries, tokens / chars),
            "You share the probability among all entries of the vocabulary. One of them, <s>, is never "
            "predicted.",
        ),
        Mistake(
            "L21",
            lambda entries, tokens, chars: _uniform(entries - 2, tokens / chars),
            "You leave out two entries. </s> is predicted: without it no document would end.",
        ),
        Mistake(
            "M1",
            lambda entries, tokens, chars: _uniform(entries - 1, tokens / chars, bits=1.0),
            "Your 'bits per char' is {ratio} = ln 2 times the right number: it is in nats.",
        ),
        Mistake(
            "M36",
            lambda entries, tokens, chars: _uniform(entries - 1, 1.0),
            "Your 'bits per char' is per token. Share the bits of all tokens among all characters.",
        ),
        Mistake(
            "L3",
            lambda entries, tokens, chars: _uniform(entries - 1, chars / tokens),
            "Your 'bits per char' inverts the ratio of tokens to characters: a token has several "
            "characters, so a character takes fewer bits than a token.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "'perplexity' is not the exponential of 'nats'",
            # the logarithm, because the exponential of a total overflows
            lambda value, *_: (
                value["perplexity"] > 0
                and math.isclose(math.log(value["perplexity"]), value["nats"], abs_tol=1e-6)
            ),
        ),
        Property(BELOW_ONE, lambda value, *_: value["perplexity"] >= 1),
    ),
    advice="All predictable symbols are equally likely. How many are there? What is the surprisal of each?",
)

# --- parameters ------------------------------------------------------------------------------------------


def parameters(
    V, d, c, h, L, C, untied=0, head=1, read=None, tables=1, parts=4, biases=2, block=None, rest=None
):
    """Numbers of a feed-forward model, an LSTM and a Transformer; the last two use the embeddings twice."""
    shared = V * d * (1 + untied) + head * V
    return {
        "feed-forward": tables * V * d + h * ((c if read is None else read) * d + 1) + V * (h + head),
        "LSTM": shared + L * parts * (2 * d * d + biases * d),
        "Transformer": shared
        + (C * d + 2 * d if rest is None else rest(C, d))
        + L * (12 * d * d + 13 * d if block is None else block(d)),
    }


PARAMETERS = Question(
    key="07.parameters",
    title="how many parameters?",
    kind="derive",
    stars=2,
    points=2,
    form="expression",
    symbols=("V", "d", "c", "h", "L", "C"),
    right=parameters,
    cases=((11.0, 5.0, 2.0, 4.0, 2.0, 7.0), (9.0, 4.0, 3.0, 6.0, 3.0, 5.0)),
    draw=lambda rng: tuple(float(rng.integers(low, 13)) for low in (5, 3, 2, 3, 2, 4)),
    mistakes=(
        Mistake(
            "L22",
            partial(parameters, biases=1),
            "Your LSTM has one bias per row. PyTorch has two, b beside W and c beside U.",
        ),
        Mistake(
            "L22",
            partial(parameters, parts=3),
            "Your LSTM has three gates, and the new content g is missing: the equation has four parts.",
        ),
        Mistake(
            "L22",
            partial(parameters, head=0),
            "The last layer has a bias for each symbol, in all three models.",
        ),
        Mistake(
            "L22",
            partial(parameters, block=lambda d: 11 * d * d + 12 * d),
            "In the Transformer's block the matrix after the heads is missing, with its biases.",
        ),
        Mistake(
            "L22",
            partial(parameters, block=lambda d: 12 * d * d + 9 * d),
            "The normalisations have parameters too: 2d each, with two normalisations in each block.",
        ),
        Mistake(
            "L22",
            partial(parameters, block=lambda d: 12 * d * d + 4 * d),
            "Your blocks have matrices and normalisations; their matrices have biases as well.",
        ),
        Mistake(
            "L22",
            partial(parameters, rest=lambda C, d: 2 * d),
            "The positions have embeddings too, one for each of the C positions.",
        ),
        Mistake(
            "L23",
            partial(parameters, rest=lambda C, d: C * d),
            "There is one more normalisation than you count: it comes after the last block.",
        ),
        Mistake(
            "L27",
            partial(parameters, untied=1),
            "You count the embeddings twice. In the LSTM and the Transformer they are used twice, but stored "
            "once.",
        ),
        Mistake(
            "L27",
            lambda V, d, c, h, L, C: parameters(V, d, c, h, L, C, tables=c),
            "You count a table of embeddings for each position of the window. All positions use the same "
            "one.",
        ),
        Mistake(
            "L24",
            partial(parameters, read=1),
            "Your hidden layer reads one embedding. It has to read c of them, side by side.",
        ),
        Mistake(
            "L8",
            lambda V, d, c, h, L, C: parameters(V, d, c, h, 1, C),
            "You count one layer or block, whatever L is.",
        ),
    ),
    properties=(
        Property(
            "a number of parameters is not whole",
            lambda value, *_: all(abs(count - np.round(count)) < 1e-6 for count in value.values()),
        ),
    ),
    advice="A matrix from m to n numbers, with its biases, has n(m + 1). Count line by line.",
)

QUESTIONS = (FRESH, PARAMETERS)
