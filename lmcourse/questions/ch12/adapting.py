"""Chapter 12, adapting: the guarantee of a mixture, and which sentences to train on."""

from functools import partial

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but

# --- mixture-bound ---------------------------------------------------------------------------------------


def mixture_bound(lam, f, T):
    """What a mixture can lose on the old text, the largest weight of the tuned model, and its guarantee."""
    return {"worst": -np.log(1 - lam), "weight": 1 - 1 / f, "bound": T + np.log(f / (f - 1))}


MIXTURE_BOUND = Question(
    key="12.mixture-bound",
    title="a guarantee for the old text",
    kind="derive",
    stars=2,
    points=3,
    form="expression",
    symbols=("lam", "f", "T"),
    right=mixture_bound,
    cases=((0.3, 1.25, 4.1), (0.15, 1.05, 3.0), (0.6, 1.6, 5.2)),
    draw=lambda rng: (rng.uniform(0.05, 0.9), rng.uniform(1.02, 1.8), rng.uniform(2.0, 6.0)),
    entry_points={"worst": 1, "weight": 1, "bound": 1},
    mistakes=(
        Mistake(
            "L31",
            but(mixture_bound, {"worst": lambda lam, f, T: -np.log(lam)}),
            "Your 'worst' is what the mixture can lose against the *tuned* model. The old model has the "
            "weight that is left.",
        ),
        Mistake(
            "M5",
            but(mixture_bound, {"worst": lambda lam, f, T: np.log(1 - lam)}),
            "Your 'worst' is negative, which would be a gain. At worst the tuned model gives nothing, and "
            "the mixture is left with its share of the old probability.",
        ),
        Mistake(
            "M4",
            but(mixture_bound, {"worst": lambda lam, f, T: 1 / (1 - lam)}),
            "Your 'worst' is the factor of the perplexity. The task asks for nats per token, its logarithm.",
        ),
        Mistake(
            "L31",
            but(mixture_bound, {"weight": lambda lam, f, T: 1 / f}),
            "Your 'weight' is the weight that the *old* model has to keep.",
        ),
        Mistake(
            "L9",
            but(mixture_bound, {"weight": lambda lam, f, T: f - 1}),
            "Your 'weight' is the rise of the perplexity. Put the worst case into the exponential, set it "
            "equal to f, and solve for the weight.",
        ),
        Mistake(
            "L9",
            but(mixture_bound, {"weight": lambda lam, f, T: np.log(f)}),
            "Your 'weight' is a number of nats. Solve -ln(1 - lam) = ln f for lam.",
        ),
        Mistake(
            "M4",
            but(mixture_bound, {"weight": lambda lam, f, T: 1 - np.exp(-f)}),
            "Your 'weight' takes f for a number of nats. It is a factor of the perplexity, and its logarithm "
            "is a number of nats.",
        ),
        Mistake(
            "L31",
            but(mixture_bound, {"bound": lambda lam, f, T: T + np.log(f)}),
            "Your 'bound' adds what the *old* model's side of the mixture can lose. On the new text you "
            "compare with the tuned model, whose weight is small.",
        ),
        Mistake(
            "L7",
            but(mixture_bound, {"bound": lambda lam, f, T: T - np.log(f / (f - 1))}),
            "Your 'bound' is below the loss of the tuned model. That can happen, and nothing guarantees it.",
        ),
        Mistake(
            "L8",
            but(mixture_bound, {"bound": lambda lam, f, T: T - np.log(lam)}),
            "Your 'bound' uses any weight lam. Put in the largest one that f allows.",
        ),
        Mistake(
            "L22",
            but(mixture_bound, {"bound": lambda lam, f, T: T + 0 * f}),
            "Your 'bound' is the loss of the tuned model. Every token of the mixture may lose against it, "
            "because its probability counts with its weight only.",
        ),
    ),
    properties=(
        Property(
            "the weight does not lie between 0 and 1",
            lambda value, *case: 0 < value["weight"] < 1,
        ),
    ),
    advice="(1 - lam) q_old + lam q_tuned is at least (1 - lam) q_old, and at least lam q_tuned. Take "
    "minus the logarithm of both.",
)

# --- select ----------------------------------------------------------------------------------------------


def select(inside, general, tokens, k, score=lambda inside, general, tokens: (inside - general) / tokens):
    """The k sentences that look most like the domain, best first; nats (S,), tokens (S,)."""
    return np.argsort(score(inside, general, tokens), kind="stable")[:k]


def _draw_pool(rng, k=None):
    """Sentences of different length and difficulty; some belong to the domain."""
    S = int(rng.integers(8, 14))
    tokens = rng.integers(3, 25, size=S)
    general = tokens * rng.uniform(3.5, 7.5, size=S)
    inside = general + tokens * rng.uniform(-1.5, 2.0, size=S)
    return inside.round(2), general.round(2), tokens, k or int(rng.integers(3, 6))


SELECT = Question(
    key="12.select",
    title="which sentences to train on",
    kind="implement",
    stars=2,
    points=2,
    right=select,
    cases=(
        _draw_pool(np.random.default_rng(1221)),
        _draw_pool(np.random.default_rng(1228)),
    ),
    draw=_draw_pool,
    odd=(lambda rng: _draw_pool(rng, k=1),),
    rtol=0.0,
    atol=0.0,
    mistakes=(
        Mistake(
            "M61",
            partial(select, score=lambda inside, general, tokens: inside / tokens),
            "You choose by the loss under the domain's model alone. That finds sentences which are easy for "
            "every model. What tells the domain is how much easier they are for *this* model.",
        ),
        Mistake(
            "L7",
            partial(select, score=lambda inside, general, tokens: (general - inside) / tokens),
            "You choose the sentences that look least like the domain: there the domain's model has the "
            "larger loss.",
        ),
        Mistake(
            "L1",
            partial(select, score=lambda inside, general, tokens: inside - general),
            "You compare totals, which favours long sentences. Divide by the tokens of each sentence.",
        ),
        Mistake(
            "L9",
            partial(select, score=lambda inside, general, tokens: inside / general),
            "You divide one loss by the other. A log-likelihood ratio is a difference of losses.",
        ),
        Mistake(
            "L22",
            partial(select, score=lambda inside, general, tokens: general / tokens),
            "You choose by the general model alone. It knows nothing about the domain.",
        ),
        Mistake(
            "L31",
            lambda *case: np.sort(select(*case)),
            "You have chosen the right sentences and put them in the order of the pool. The task asks for "
            "the best first.",
        ),
    ),
    precision="The order counts, too: the best sentence comes first.",
    advice="np.argsort returns places in increasing order. Print the difference per token of every sentence.",
)

QUESTIONS = (MIXTURE_BOUND, SELECT)
