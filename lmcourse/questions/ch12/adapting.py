"""Chapter 12, adapting: the guarantee of a mixture, what fine-tuning forgets, which sentences to train on."""

from functools import partial

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE
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

# --- forgetting ------------------------------------------------------------------------------------------


def forgetting(logits, old, new, steps, lr, margin):
    """Losses on new and old text along fine-tuning, and where to stop; logits and counts (C, V)."""
    return _with()(logits, old, new, steps, lr, margin)


def _entries(**changes):
    """A formula with the right curves, some of whose entries are changed afterwards."""

    def wrong_forgetting(*case):
        found = forgetting(*case)
        return found | {key: change(found, case[-1]) for key, change in changes.items()}

    return wrong_forgetting


def _loss(counts, log_q):
    return -(counts * log_q).sum() / counts.sum()


def _gradient(counts, log_q):
    return (counts.sum(axis=1, keepdims=True) * np.exp(log_q) - counts) / counts.sum()


def _curves(logits, old, new, steps, lr, trained_on=None, gradient=_gradient, kept=0.0):
    trained_on = new if trained_on is None else trained_on
    z, pull, losses = np.array(logits, dtype=float), 0.0, {"new": [], "old": []}
    for _ in range(steps + 1):
        log_q = log_softmax(z, axis=1)
        losses["new"].append(_loss(new, log_q))
        losses["old"].append(_loss(old, log_q))
        pull = gradient(trained_on, log_q) + kept * pull
        z = z - lr * pull
    return {key: np.array(curve) for key, curve in losses.items()}


def _stop(new, old, margin):
    return int(np.argmin(np.where(old <= old[0] + margin, new, np.inf)))


def _with(**options):
    """A formula with other curves, and the stop that follows from them."""

    def wrong_forgetting(logits, old, new, steps, lr, margin):
        found = _curves(logits, old, new, steps, lr, **options)
        return found | {"stop": _stop(found["new"], found["old"], margin)}

    return wrong_forgetting


def _tuned_on_both(logits, old, new, steps, lr, margin):
    return _with(trained_on=old + new)(logits, old, new, steps, lr, margin)


def _tuned_on_old(logits, old, new, steps, lr, margin):
    return _with(trained_on=old)(logits, old, new, steps, lr, margin)


def _mean_of_contexts(counts, log_q):
    of_context = np.maximum(counts.sum(axis=1, keepdims=True), 1)
    return (np.exp(log_q) - counts / of_context) * (counts.sum(axis=1, keepdims=True) > 0) / len(counts)


def _accumulated(*case):
    return _with(kept=1.0)(*case)


def _draw_tuning(rng, unseen=False, steps=None):
    """A bigram trained on old text, new text that differs, and a margin that is reached on the way."""
    while True:
        C, V = int(rng.integers(3, 5)), int(rng.integers(3, 6))
        old = rng.poisson(rng.dirichlet(np.full(V, 0.8), C) * rng.uniform(20, 60, size=(C, 1))) + 1.0
        new = rng.poisson(rng.dirichlet(np.full(V, 0.8), C) * rng.uniform(5, 40, size=(C, 1))) + 0.0
        new[0, :2] += 2
        if unseen:
            new[-1] = 0
        logits = np.log((old + 0.5) / (old + 0.5).sum(axis=1, keepdims=True)).round(3)
        count, lr = steps or int(rng.integers(6, 13)), round(float(rng.uniform(0.8, 2.0)), 2)
        found = _curves(logits, old, new, count, lr)
        rise = found["old"] - found["old"][0]
        k = int(rng.integers(1, max(2, count - 1))) if count > 1 else 0
        margin = float(np.round((rise[k] + rise[k + 1]) / 2, 4))
        if (np.diff(rise) > 0.004).all() and (np.diff(found["new"]) < -0.004).all():
            return logits, old, new, count, lr, margin


FORGETTING = Question(
    key="12.forgetting",
    title="what is learned there, and forgotten here",
    kind="implement",
    stars=2,
    points=3,
    right=forgetting,
    cases=(
        _draw_tuning(np.random.default_rng(1211)),
        _draw_tuning(np.random.default_rng(1212)),
    ),
    draw=_draw_tuning,
    odd=(
        lambda rng: _draw_tuning(rng, unseen=True),
        lambda rng: _draw_tuning(rng, steps=1),
    ),
    entry_points={"new": 1, "old": 1, "stop": 1},
    mistakes=(
        Mistake(
            "M64",
            _entries(old=lambda found, _: found["new"]),
            "Your 'old' is the loss on the new text once more. What is forgotten shows on the old text only: "
            "score it with the same logits.",
        ),
        Mistake(
            "M64",
            _entries(stop=lambda found, _: int(np.argmin(found["new"]))),
            "Your 'stop' is the step with the lowest loss on the new text, whatever has been forgotten until "
            "then. Only steps whose loss on the old text is within the margin are allowed.",
        ),
        Mistake(
            "L31",
            _tuned_on_old,
            "Your gradient is that of the old text: the loss on the new text hardly moves. Fine-tune on "
            "`new`.",
        ),
        Mistake(
            "L17",
            _tuned_on_both,
            "You train on both texts together. The old text is there to be scored, not to be learned.",
        ),
        Mistake(
            "L1",
            _with(gradient=lambda counts, log_q: _gradient(counts, log_q) * counts.sum()),
            "You follow the gradient of the total. The loss is a mean over the tokens of the new text.",
        ),
        Mistake(
            "L26",
            _with(gradient=_mean_of_contexts),
            "You follow the gradient of a mean over contexts. A loss is a mean over tokens: a context that "
            "comes often weighs more.",
        ),
        Mistake(
            "M5",
            _with(gradient=lambda counts, log_q: -_gradient(counts, log_q)),
            "Your loss on the new text rises: you follow the gradient upwards. Subtract it.",
        ),
        Mistake(
            "L23",
            _entries(stop=lambda found, margin: _stop(found["new"], found["old"], margin) + 1),
            "Your 'stop' is one step too late: there the loss on the old text is beyond the margin.",
        ),
        Mistake(
            "M4",
            _entries(
                new=lambda found, _: np.exp(found["new"]),
                old=lambda found, _: np.exp(found["old"]),
            ),
            "Your curves are perplexities. The task asks for losses in nats per token.",
        ),
    ),
    properties=(
        FINITE,
        Property(
            "your logits move by the sum of all gradients so far. In PyTorch, .backward() adds to .grad: set "
            "it to zero before each step",
            lambda value, *case: not np.allclose(value["new"], _accumulated(*case)["new"], rtol=1e-6),
        ),
        Property(
            "the first entry of a curve is not the loss before the first step",
            lambda value, logits, old, new, *_: np.allclose(
                [value["new"][0], value["old"][0]],
                [_loss(counts, log_softmax(logits, axis=1)) for counts in (new, old)],
            ),
        ),
    ),
    advice="Check the first entries by hand: they are the losses of the logits as they are given. Compute in "
    "float64.",
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

QUESTIONS = (MIXTURE_BOUND, FORGETTING, SELECT)
