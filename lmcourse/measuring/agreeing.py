"""What chapter 13 says of small Transformers that choose a verb, without and with label smoothing.

It is stored in ``book/reproduced.json`` under "agreement", by the same command as the published numbers.
"""

import math

import numpy as np
import torch

from lmcourse.measuring.racing import source_texts
from lmcourse.measuring.reproduced import made, store
from lmmetrics import neural
from lmmetrics.sources import AgreementSource

SEEDS = range(5)
SMOOTHING = 0.0, 0.1
SIZE = {"context": 16, "width": 32, "heads": 4, "layers": 2}
STEPS, BATCH, RATE = 1200, 32, 0.01


def recompute():
    """Train the networks, print what was found, and store it."""
    store({"agreement": made(steps=STEPS, batch=BATCH, rate=RATE, **SIZE, runs=list(runs()))})


def runs(smoothing=SMOOTHING, seeds=SEEDS, steps=STEPS):
    """Yield a row for each network; the weights are those with the lowest loss on the validation text.

    In bits: the excess above the source, also at the verbs and elsewhere alone, and the loss of the choice
    between the two verbs.
    """
    source = AgreementSource()
    learned, checked, asked = source_texts(source)
    best = source.log_probs(asked)
    forms = [asked.vocabulary[verb] for verb in source.pairs.values()]
    verbs = np.flatnonzero(np.isin(asked.ids, forms))
    for share in smoothing:
        for seed in seeds:
            model = neural.TransformerLM(learned.vocabulary, **SIZE, seed=seed)
            history = neural.train(
                model, learned, valid=checked, steps=steps, batch=BATCH, lr=RATE, smoothing=share, seed=seed,
                progress=False,
            )  # fmt: skip
            logs = model.log_probs(asked, stride=1)
            lost = (best - logs) / math.log(2)
            at = verbs[verbs >= model.context]
            right, wrong = choices(model, asked, at, sum(forms) - asked.ids[at])
            row = {
                "smoothing": share, "seed": seed, "perplexity": math.exp(-logs.mean()),
                "right": float((1 + np.sign(right - wrong).mean()) / 2),
                "choice": float(np.logaddexp(0, wrong - right).mean() / math.log(2)),
                "bits": float(lost.mean()), "verb": float(lost[verbs].mean()),
                "elsewhere": float(np.delete(lost, verbs).mean()),
                "valid": [round(math.exp(nats), 4) for nats in history.valid_nats],
                "seconds": round(float(history.seconds[-1]), 1),
            }  # fmt: skip
            print(
                f"smoothing {share}, seed {seed}: {row['perplexity']:.3f}, {row['right']:.1%} right",
                flush=True,
            )
            yield row


def choices(model, text, at, other):
    """The log probabilities of the verbs at these places, and of the other verbs, after a whole context."""
    inputs = torch.from_numpy(neural.inputs_of(text))
    windows = torch.stack([inputs[place - model.context + 1 : place + 1] for place in at])
    with torch.no_grad():
        logs = torch.log_softmax(model.eval()(windows)[:, -1].double(), dim=-1).numpy()
    rows = np.arange(len(at))
    return logs[rows, text.ids[at]], logs[rows, other]
