"""Chapter 12, fine-tuning: what is learned on the new text, and what is forgotten of the old one."""

import numpy as np
from scipy.special import log_softmax

from lmcourse.hints.question import Mistake, Property, Question
from lmcourse.questions.shared.properties import FINITE


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
            "Your 'old' is the loss on the new text again. What is forgotten shows on the old text only: "
            "score it with the same logits.",
        ),
        Mistake(
            "M64",
            _entries(stop=lambda found, _: int(np.argmin(found["new"]))),
            "Your 'stop' is the step with the lowest loss on the new text, whatever has been forgotten by "
            "then. Only steps whose loss on the old text is within the margin are allowed.",
        ),
        Mistake(
            "L31",
            _tuned_on_old,
            "Your gradient is that of the old text: the loss on the new text hardly moves. Fine-tune on "
            "`new`.",
            explains="answer",
        ),
        Mistake(
            "L17",
            _tuned_on_both,
            "You train on both texts together. That is replay, a remedy; but this old text is the one "
            "that is scored, so it must not be learned.",
            explains="answer",
        ),
        Mistake(
            "L1",
            _with(gradient=lambda counts, log_q: _gradient(counts, log_q) * counts.sum()),
            "You follow the gradient of the total. The loss is a mean over the tokens of the new text.",
            explains="answer",
        ),
        Mistake(
            "L26",
            _with(gradient=_mean_of_contexts),
            "You follow the gradient of a mean over contexts. A loss is a mean over tokens: a context that "
            "occurs often weighs more.",
            explains="answer",
        ),
        Mistake(
            "M5",
            _with(gradient=lambda counts, log_q: -_gradient(counts, log_q)),
            "Your loss on the new text rises: you follow the gradient upwards. Subtract it.",
            explains="answer",
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
        Property(
            "the first step is not lr times the gradient of the loss on the new text. Take plain gradient "
            "descent: no momentum, no adaptive method, and the mean over all tokens of the new text",
            lambda value, logits, old, new, steps, lr, margin: np.allclose(
                value["new"][:2], _curves(logits, old, new, 1, lr)["new"], rtol=1e-6
            ),
        ),
        Property(
            "'stop' does not follow from your two curves. Take the steps whose 'old' is at most margin above "
            "its first entry, and of these the one with the lowest 'new'",
            lambda value, *case: _stop(value["new"], value["old"], case[-1]) == value["stop"],
        ),
    ),
    advice="Check the first entries by hand: they are the losses of the logits as they are given. Compute in "
    "float64.",
)

QUESTIONS = (FORGETTING,)
