"""Forecasts of a source that agrees, recalibrated on a held-out text.

A table of forecasts holds natural logs, float64[N, V]: row t is the forecast for token t of a text.
"""

import copy
import math
from functools import partial

import numpy as np
import torch
from scipy.optimize import minimize_scalar

from lmmetrics import neural

LEAST = 1e-6
"""The least probability that is left to a word when a share of smoothing is subtracted."""
BATCHES = 200
"""For the standard error of a mean, the text is cut into so many stretches of nearly equal length."""


def network_forecasts(model, text):
    """The forecasts of a Transformer at every token, each after a whole context (or all that there is)."""
    model = copy.deepcopy(model).double().eval()
    inputs, size = torch.from_numpy(neural.inputs_of(text)), model.context
    with torch.no_grad():
        rows = [model(inputs[None, :size])[0]]
        rows += [model(part)[:, -1] for part in inputs.unfold(0, size, 1)[1:].split(2000)]
    return torch.log_softmax(torch.cat(rows), dim=-1).numpy()


def table_forecasts(model, text):
    """The forecasts of an n-gram model at every token of a text of one sentence."""
    past, rows = ["<s>", *text.strings()], {}
    contexts = [tuple(past[max(0, stop - model.order + 1) : stop]) for stop in range(1, len(past))]
    for context in set(contexts):
        rows[context] = model.next_distribution(context)
    with np.errstate(divide="ignore"):  # `<s>` is never predicted
        return np.log([rows[context] for context in contexts])


def recalibrate(held, checked, rows, asked, source):
    """Return a pair for each way to recalibrate: what was fitted, and the new forecasts instead of `rows`.

    Fitted are one temperature, a temperature for each kind of place, and the share of uniform smoothing that
    is subtracted, each to the lowest loss of the forecasts `held` of the text `checked`. `rows` are the
    forecasts of the text `asked`.
    """
    heat = fitted(with_temperature, held, checked.ids, math.log(0.05), math.log(20))
    heats, new = [], np.empty_like(rows)
    here, there = (kinds(source, text) for text in (checked, asked))
    for kind in range(3):
        heats.append(fitted(with_temperature, held[here == kind], checked.ids[here == kind], -5, 5))
        new[there == kind] = with_temperature(rows[there == kind], heats[-1])
    less = partial(without_smoothing, vocabulary=asked.vocabulary)
    share = fitted(less, held, checked.ids, 0, 0.5)
    return {
        "as it is": (None, rows),
        "temperature": (math.exp(heat), with_temperature(rows, heat)),
        "by kind": (np.exp(heats).tolist(), new),
        "subtracted": (share, less(rows, share)),
    }


def with_temperature(rows, heat):
    """The forecasts with a temperature, of which `heat` is the logarithm."""
    return normalised(rows * math.exp(-heat))


def without_smoothing(rows, share, vocabulary):
    """The forecasts less what mixing in this share of the uniform distribution adds to each word."""
    chances = np.maximum(np.exp(rows) - share / vocabulary.predictable, LEAST)
    chances[:, vocabulary.bos] = 0
    with np.errstate(divide="ignore"):
        return normalised(np.log(chances))


def kinds(source, text):
    """Whether the words before a token leave a filler or a verb (0), one word (1), or subjects (2)."""
    kind = dict.fromkeys([*source.pairs, *source.phrase[:-1]], 1) | dict.fromkeys(source.pairs.values(), 2)
    return np.array([0, *(kind.get(word, 0) for word in text.strings()[:-1])])


def fitted(change, rows, ids, low, high):
    """The number between two limits with which the changed forecasts have the lowest loss."""
    loss = lambda x: nats(change(rows, x), ids).mean()  # noqa: E731
    return float(minimize_scalar(loss, bounds=(low, high), method="bounded", options={"xatol": 1e-5}).x)


def nats(rows, ids):
    """The surprisals of the tokens."""
    return -rows[np.arange(len(ids)), ids]


def normalised(rows):
    """Logs of positive numbers, as logs of probabilities."""
    return rows - np.logaddexp.reduce(rows, axis=1, keepdims=True)


def scored(rows, text, best, at, other):
    """What the page reads of some forecasts: of the text, and of the choice between two verbs.

    "error" is the standard error of the bits above the source; `at` says where the verbs are, and `other`
    which verbs did not come there.
    """
    lost = (nats(rows, text.ids) + best) / math.log(2)
    right, wrong = rows[at, text.ids[at]], rows[at, other]
    lead = np.where(np.isclose(right, wrong, rtol=0, atol=1e-12), 0, right - wrong)
    means = [part.mean() for part in np.array_split(lost, BATCHES)]
    return {
        "perplexity": math.exp(nats(rows, text.ids).mean()), "bits": float(lost.mean()),
        "error": float(np.std(means, ddof=1) / math.sqrt(BATCHES)),
        "right": float((1 + np.sign(lead).mean()) / 2),
        "choice": float(np.logaddexp(0, -lead).mean() / math.log(2)),
    }  # fmt: skip
