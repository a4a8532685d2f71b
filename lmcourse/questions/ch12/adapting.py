"""Chapter 12, adapting: the guarantee of a mixture."""

import numpy as np

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.wrong import but


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
            "M2",
            but(mixture_bound, {"worst": lambda lam, f, T: -np.log2(1 - lam)}),
            "Your 'worst' is {ratio} = 1 / ln 2 times what it should be: it is in bits.",
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
            "Your 'bound' is below the loss of the tuned model. That can happen, but nothing guarantees it.",
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
            "because its probability counts only with its weight.",
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

QUESTIONS = (MIXTURE_BOUND,)
