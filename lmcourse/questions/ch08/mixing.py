"""Chapter 08, models together: what a mixture can cost, its loss on a text, and a cache."""

from functools import partial

import numpy as np
from scipy.special import logsumexp

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
from lmcourse.questions.shared.wrong import but

# --- cost ------------------------------------------------------------------------------------------------


def cost(weight, tokens):
    """The most that a mixture can cost against one of its models: nats in all, a factor of perplexity."""
    return {"nats": tokens * -np.log(weight), "factor": 1 / weight}


COST = Question(
    key="08.cost",
    title="what a mixture can cost",
    kind="compute",
    stars=1,
    points=2,
    right=cost,
    cases=((0.25, 20), (0.9, 48)),
    draw=lambda rng: (float(rng.uniform(0.05, 0.95)), int(rng.integers(5, 60))),
    mistakes=(
        Mistake(
            "L1",
            but(cost, {"nats": lambda w, n: -np.log(w)}),
            "Your 'nats' are those of one token. The task asks for the whole text.",
        ),
        Mistake(
            "L1",
            but(cost, {"factor": lambda w, n: np.exp(n * -np.log(w))}),
            "Your 'factor' takes the exponential of a total. A perplexity comes from the nats of one token.",
        ),
        Mistake(
            "L31",
            lambda w, n: cost(1 - w, n),
            "That is what the mixture can cost against the *other* model, the one with the weight 1 - w.",
        ),
        Mistake(
            "L8",
            but(cost, {"nats": lambda w, n: n * np.log(2), "factor": lambda w, n: 2.0}),
            "That is the bound for equal weights. The first model has the weight that is given.",
        ),
        Mistake(
            "M5",
            but(cost, {"nats": lambda w, n: n * np.log(w)}),
            "Your 'nats' are negative, which would be a gain. In the worst case the other model gives "
            "probability 0: then the loss of a token is -ln(w q).",
        ),
        Mistake(
            "M2",
            but(cost, {"nats": lambda w, n: n * -np.log2(w)}),
            "Your 'nats' are bits: the right value times 1 / ln 2.",
        ),
        Mistake(
            "L34",
            but(cost, {"factor": lambda w, n: w}),
            "Your 'factor' is below 1. The perplexity is at most *multiplied* by the inverse of the weight.",
        ),
    ),
    advice="With w = 1/2 and one token: the mixture is at least half of the model, so it costs at most ln 2 "
    "more.",
)

# --- mix -------------------------------------------------------------------------------------------------


def mix(log_probs, weights):
    """Nats of each token under a linear mixture; log_probs (M, N), weights (M,) -> (N,)."""
    return -logsumexp(log_probs + np.log(weights)[:, None], axis=0)


def _draw_mix(rng):
    models, tokens = int(rng.integers(2, 4)), int(rng.integers(4, 9))
    log_probs = np.log(rng.uniform(0.01, 0.9, size=(models, tokens)))
    log_probs[:, rng.integers(tokens)] = -rng.uniform(760, 764, size=models)
    return log_probs, rng.dirichlet(np.full(models, 2.0))


MIX = Question(
    key="08.mix",
    title="the loss of a mixture",
    kind="implement",
    stars=2,
    points=3,
    right=mix,
    cases=(
        (np.log([[0.5, 0.1, 0.2], [0.25, 0.4, 0.2]]), np.array([0.25, 0.75])),
        _draw_mix(np.random.default_rng(801)),
    ),
    draw=_draw_mix,
    mistakes=(
        Mistake(
            "L30",
            lambda logs, weights: -(weights @ logs),
            "You mix the logarithms. No token gets more than its share that way, and over the vocabulary "
            "the results add up to less than 1. Mix the probabilities.",
        ),
        Mistake(
            "M45",
            lambda logs, weights: -np.log(weights @ np.exp(logs)),
            "Your formula is right, but exp(-800) is 0 in floating point. Add the logarithm of the weight "
            "to each row, and use logsumexp or logaddexp.",
        ),
        Mistake(
            "M2",
            lambda logs, weights: mix(logs, weights) / np.log(2),
            "Those are bits: each number is {ratio} = 1 / ln 2 times the nats.",
        ),
        Mistake(
            "L8",
            lambda logs, weights: mix(logs, np.full(len(weights), 1 / len(weights))),
            "Your weights are all equal. Use those that are given.",
        ),
        Mistake(
            "L25",
            lambda logs, weights: -(logs + np.log(weights)[:, None]).max(axis=0),
            "You keep the largest term of each token. A mixture adds up what all of its models give.",
        ),
        Mistake(
            "L11",
            lambda logs, weights: -logsumexp(logs, axis=0),
            "You add the probabilities without their weights, so they do not sum to 1.",
        ),
        Mistake(
            "M5",
            lambda logs, weights: -mix(logs, weights),
            "Your numbers are negative: surprisal is minus the logarithm.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "the nats of a token are above those of all models, or below them all, but an average lies "
            "between them",
            lambda value, logs, _: (
                (-logs.max(axis=0) - 1e-9 <= value) & (value <= -logs.min(axis=0) + 1e-9)
            ).all(),
        ),
    ),
    advice="One token, two models with 1/2 and 1/4, equal weights: -ln(3/8).",
    alike=(("right", "M45", "the first case is made of probabilities that a pencil can handle"),),
)

# --- cache -----------------------------------------------------------------------------------------------


def cache(ids, starts, log_probs, size, weight, own=False, across=False, always=False, lost=False, short=0):
    """Nats of a text under a model mixed with a cache; ids (N,), starts (D,), log_probs (N,)."""
    nats = 0.0
    for t in range(len(ids)):
        begin = 0 if across else max(s for s in starts if s <= t)
        past = ids[max(begin, t - size + short) : t + own]
        q = np.exp(log_probs[t])
        if len(past):
            held = size if always else len(past)
            share = (past == ids[t]).sum() / held
            q = (1 - weight) * q + weight * share
        elif lost:
            q = (1 - weight) * q
        nats -= np.log(q)
    return nats


def _draw_cache(rng):
    lengths = rng.integers(5, 9, size=3)
    ids = np.concatenate([rng.integers(0, 5, size=n) for n in lengths])
    starts = np.append(0, np.cumsum(lengths)[:-1])
    return (
        ids,
        starts,
        np.log(rng.uniform(0.02, 0.6, len(ids))),
        int(rng.integers(2, 5)),
        float(rng.uniform(0.05, 0.4)),
    )


CACHE = Question(
    key="08.cache",
    title="a memory for a table",
    kind="implement",
    stars=2,
    points=3,
    right=cache,
    cases=(
        (np.array([2, 2, 1, 2, 0, 0]), np.array([0, 4]), np.log([0.5, 0.25, 0.1, 0.2, 0.5, 0.25]), 2, 0.2),
        _draw_cache(np.random.default_rng(810)),
    ),
    draw=_draw_cache,
    mistakes=(
        Mistake(
            "L17",
            partial(cache, own=True),
            "Your cache holds the token that it has to predict. It knows what came *before* it.",
        ),
        Mistake(
            "L20",
            partial(cache, across=True),
            "Your cache carries over from one document to the next. Here each document begins with an empty "
            "one.",
        ),
        Mistake(
            "L13",
            partial(cache, always=True),
            "You divide by the size of the cache even while it is not full, so its shares do not sum to 1.",
        ),
        Mistake(
            "L13",
            partial(cache, lost=True),
            "At the start of a document nothing is in the cache, and the weight of the cache is lost. "
            "There the table is used alone.",
        ),
        Mistake("L23", partial(cache, short=1), "Your cache holds one token less than its size."),
        Mistake(
            "L1",
            lambda *case: cache(*case) / len(case[0]),
            "That is the mean per token. The task asks for the nats of the whole text.",
        ),
        Mistake(
            "L31",
            lambda ids, starts, logs, size, weight: cache(ids, starts, logs, size, 1 - weight),
            "The weights are swapped: `weight` is that of the cache.",
        ),
    ),
    properties=(FINITE,),
    advice="Three tokens a b a of one document, cache of 2: before the last one it holds a and b, so its "
    "share is 1/2.",
)

QUESTIONS = (COST, MIX, CACHE)
