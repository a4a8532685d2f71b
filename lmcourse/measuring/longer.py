"""What chapter 07 says of an LSTM that is wider, has dropout, and is trained for longer than in the race.

It is stored in ``book/reproduced.json`` under "longer", by the same command as the published numbers. The
training and the scoring are those of ``lmcourse/pages/networks.py``. Each setting is tried with one seed; the
one with the lowest loss on the validation tales is trained again with others.
"""

import json
import math
import time

import numpy as np
import torch

from lmcourse.measuring.networks import tales
from lmcourse.measuring.reproduced import made, store
from lmcourse.pages.networks import by_past, fit, windowed
from lmmetrics import neural

STEPS, SEEDS = 5000, range(3)
SETTINGS = (192, 0.4, 0.01), (68, 0.0, 0.03)
"""Width, dropout and learning rate of each; the second is the LSTM of the race, at its best rate."""
SHORT = (32, 0.4, 0.01), 20
"""A setting and a number of steps that a test trains again."""
KEY = "width", "dropout", "rate", "steps", "seed"


def recompute(kept=None):
    """Train and score the networks, print what was found, and store it.

    Parameters
    ----------
    kept : Path, optional
        A file to which each row is appended at once; rows that it has are not measured again.
    """
    texts = tales()
    rows, short = list(runs(texts, kept=kept)), run(texts, *SHORT[0], SHORT[1], 0)
    store({"longer": made(steps=STEPS, runs=rows, short=short)})


def runs(texts, steps=STEPS, seeds=SEEDS, kept=None, settings=SETTINGS):
    """Yield one row for each setting with the first seed, then one for each other seed of the best."""
    done = [json.loads(line) for line in kept.read_text().splitlines()] if kept and kept.exists() else []
    found = {tuple(row[key] for key in KEY): row for row in done}

    def row_of(*key):
        if key not in found:
            found[key] = run(texts, *key)
            if kept:
                with kept.open("a") as file:
                    file.write(json.dumps(found[key]) + "\n")
        return found[key]

    first, *others = seeds
    tried = {setting: row_of(*setting, steps, first) for setting in settings}
    yield from tried.values()
    best = min(tried, key=lambda setting: min(tried[setting]["valid"]))
    for seed in others:
        yield row_of(*best, steps, seed)


def run(texts, width, dropout, rate, steps, seed):
    """Train one LSTM, and score the weights that were best on the validation tales."""
    torch.set_num_threads(1)
    train, valid, test = texts
    model = neural.RecurrentLM(train.vocabulary, "lstm", width=width, dropout=dropout, seed=seed)
    torch.manual_seed(seed)  # of dropout
    began = time.process_time()
    losses = fit(model, train, valid, rate, seed, steps)
    row = dict(zip(KEY, (width, dropout, rate, steps, seed), strict=True))
    row |= {"parameters": model.parameter_count, "valid": [round(loss, 5) for loss in losses]}
    row["seconds"] = round(time.process_time() - began, 1)
    nats = windowed(model, test).double().numpy()
    row["test"] = round(float(nats.mean()), 5)
    row["tales"] = [round(float(total), 2) for total in np.add.reduceat(nats, test.document_starts[:-1])]
    row["past"] = [round(float(nats), 5) for nats in by_past(model, test)]
    row["sample"] = "".join(model.sample(120, seed=0).strings())
    print(
        f"{width} units, dropout {dropout}, rate {rate}, {steps} steps, seed {seed}: "
        f"valid {math.exp(min(losses)):.2f}, test {math.exp(row['test']):.2f}, {row['seconds']:.0f} s",
        flush=True,
    )
    return row
