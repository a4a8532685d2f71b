"""What chapter 07 says of wider networks with dropout, trained for longer than in the race.

It is stored in ``book/reproduced.json`` under "longer", by the same command as the published numbers. The
training and the scoring are those of ``lmcourse/pages/networks.py``. Each setting is tried with one seed; the
one with the lowest loss on the validation tales is trained again with others.
"""

import math
import time

import numpy as np
import torch

from lmcourse.experiments.storage import KEPT, keep, made, resumed, store
from lmcourse.experiments.texts import tales
from lmcourse.pages.networks import WINDOW, by_past, fit, windowed
from lmmetrics import neural

STEPS, SEEDS = 5000, range(3)
SETTINGS = (
    ("LSTM", 192, 0.4, 0.01), ("LSTM", 68, 0.0, 0.03),
    ("Transformer", 112, 0.2, 0.003), ("Transformer", 112, 0.1, 0.003),
)  # fmt: skip
"""Kind, width, dropout and learning rate of each; the second is the LSTM of the race, at its best rate."""
SHORT = (("LSTM", 32, 0.4, 0.01), ("Transformer", 16, 0.2, 0.003)), 20
"""Settings and a number of steps that a test trains again."""
OPTIONS = {"kept": KEPT}
KEY = "model", "width", "dropout", "rate", "steps", "seed"


def recompute(kept=None):
    """Train and score the networks, print what was found, and store it.

    Parameters
    ----------
    kept : Path, optional
        A file to which each row is appended at once; rows that it has are not measured again.
    """
    texts = tales()
    rows, short = list(runs(texts, kept=kept)), [run(texts, *setting, SHORT[1], 0) for setting in SHORT[0]]
    store({"longer": made(steps=STEPS, runs=rows, short=short)})


def runs(texts, steps=STEPS, seeds=SEEDS, kept=None, settings=SETTINGS):
    """Yield one row for each setting with the first seed, then one for each other seed of the best."""
    found = resumed(kept, KEY)

    def row_of(*key):
        if key not in found:
            found[key] = run(texts, *key)
            keep(kept, found[key])
        return found[key]

    first, *others = seeds
    tried = {setting: row_of(*setting, steps, first) for setting in settings}
    yield from tried.values()
    best = min(tried, key=lambda setting: min(tried[setting]["valid"]))
    for seed in others:
        yield row_of(*best, steps, seed)


def network(kind, vocabulary, width, dropout, seed):
    """A network of this kind and width: the wide ones of `SETTINGS` have about as many parameters."""
    if kind == "LSTM":
        return neural.RecurrentLM(vocabulary, "lstm", width=width, dropout=dropout, seed=seed)
    options = {"context": WINDOW, "width": width, "heads": 4, "layers": 2}
    return neural.TransformerLM(vocabulary, **options, dropout=dropout, seed=seed)


def run(texts, kind, width, dropout, rate, steps, seed):
    """Train one network, and score the weights that were best on the validation tales."""
    torch.set_num_threads(1)
    train, valid, test = texts
    model = network(kind, train.vocabulary, width, dropout, seed)
    torch.manual_seed(seed)  # of dropout
    began = time.process_time()
    losses = fit(model, train, valid, rate, seed, steps)
    row = dict(zip(KEY, (kind, width, dropout, rate, steps, seed), strict=True))
    row |= {"parameters": model.parameter_count, "valid": [round(loss, 5) for loss in losses]}
    row["seconds"] = round(time.process_time() - began, 1)
    nats = windowed(model, test).double().numpy()
    row["test"] = round(float(nats.mean()), 5)
    row["tales"] = [round(float(total), 2) for total in np.add.reduceat(nats, test.document_starts[:-1])]
    row["past"] = [round(float(nats), 5) for nats in by_past(model, test)]
    row["sample"] = "".join(model.sample(120, seed=0).strings())
    print(
        f"{kind} of {width}, dropout {dropout}, rate {rate}, {steps} steps, seed {seed}: "
        f"valid {math.exp(min(losses)):.2f}, test {math.exp(row['test']):.2f}, {row['seconds']:.0f} s",
        flush=True,
    )
    return row
