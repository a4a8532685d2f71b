"""What chapter 07 and its stored run share: five networks of one size, one way of training, one of scoring.

Every network reads the same random windows of the text, each with an empty state, so that the networks differ
in nothing but themselves; and how much of the past they use can be measured from an empty state as well.
"""

import math

import numpy as np
import torch

from lmmetrics import neural

BATCH, WINDOW, STRIDE = 16, 64, 32
PASTS = 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64
"""Numbers of inputs, for the question of how much past a network uses."""
CHECKS = 10
"""How often the validation text is scored in a run; the weights of the lowest loss are kept."""
NAMES = "feed-forward", "RNN", "LSTM", "GRU", "Transformer"
WIDTHS = {"RNN": 128, "LSTM": 68, "GRU": 76}


def network(name, vocabulary, seed=0):
    """One of the five networks of the chapter: about 43 thousand parameters each."""
    if name in WIDTHS:
        return neural.RecurrentLM(vocabulary, name.lower(), width=WIDTHS[name], seed=seed)
    if name == "Transformer":
        return neural.TransformerLM(vocabulary, context=WINDOW, width=40, heads=4, layers=2, seed=seed)
    return neural.FeedForwardLM(vocabulary, context=8, width=24, hidden=150, seed=seed)


def fit(model, train, valid, rate, seed, steps):
    """Train on random windows of the text, the same for every network; return its validation losses.

    The rate rises for a tenth of the steps and then falls along half a cosine to a tenth; gradients are
    clipped. The model keeps the weights that were best on the validation text.
    """
    inputs, targets = tensors(train)
    rng = np.random.default_rng(seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=rate, betas=(0.9, 0.99))
    warm, every = max(1, steps // 10), max(1, steps // CHECKS)
    best, losses, weights = math.inf, [], model.state_dict()
    rng.integers(0, len(inputs), BATCH)  # not used; the windows of the stored runs begin after it
    for step in range(steps):
        for group in optimiser.param_groups:
            falling = 0.55 + 0.45 * math.cos(math.pi * step / steps)
            group["lr"] = rate * min(1.0, (step + 1) / warm) * falling
        at = rng.integers(0, len(inputs), BATCH)
        places = torch.from_numpy((at[:, None] + np.arange(WINDOW)) % len(inputs))
        features, _ = model.train().features(inputs[places])
        loss = model.head.nats(features.flatten(0, 1), targets[places].flatten()).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        if (step + 1) % every == 0:
            losses.append(float(windowed(model, valid).mean()))
            if losses[-1] < best:
                best, weights = losses[-1], {name: part.clone() for name, part in model.state_dict().items()}
    model.load_state_dict(weights)
    return losses


def windowed(model, text, window=WINDOW, stride=STRIDE):
    """Nats of each token, float32[N], in windows with empty states, by the first that reaches it."""
    inputs, targets = tensors(text)
    starts = np.arange(0, max(1, len(text) - window + stride), stride)
    starts = np.minimum(starts, max(0, len(text) - window))
    places = torch.from_numpy(starts[:, None] + np.arange(min(window, len(text))))
    nats = torch.empty(len(text))
    model.eval()
    with torch.no_grad():
        for part in places.flip(0).split(64):  # from the last window on: the first that reaches a token stays
            features, _ = model.features(inputs[part])
            values = model.head.nats(features.flatten(0, 1), targets[part].flatten()).view(part.shape)
            for row, value in zip(part, values, strict=True):
                nats[row] = value
    return nats


def by_past(model, text, step=8):
    """Mean nats of the same tokens after an empty state and as many inputs as PASTS say."""
    inputs, targets = tensors(text)
    ends = torch.arange(WINDOW, len(text), step)
    model.eval()
    with torch.no_grad():
        return [
            model.head.nats(
                model.features(inputs[ends[:, None] + torch.arange(1 - past, 1)])[0][:, -1], targets[ends]
            ).mean()
            for past in PASTS
        ]


def tensors(text):
    """Inputs and targets of a text: int64[N] each."""
    return torch.from_numpy(neural.inputs_of(text)), torch.from_numpy(text.ids.astype(np.int64))
