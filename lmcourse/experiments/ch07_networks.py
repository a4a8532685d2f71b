"""What chapter 07 says of five networks: each with three learning rates or more and three seeds.

It is stored in ``book/reproduced.json`` under "networks", by the same command as the published numbers. The
networks, their training and their scoring are those of ``lmcourse/pages/networks.py``.
"""

import math
import time
from functools import partial

import numpy as np
import torch

from lmcourse.experiments.storage import KEPT, kept_rows, made, store
from lmcourse.experiments.texts import tales
from lmcourse.pages.networks import (
    BATCH,
    NAMES,
    PASTS,
    STRIDE,
    WIDTHS,
    WINDOW,
    by_past,
    fit,
    network,
    windowed,
)

SEEDS = range(3)
RATES = 0.001, 0.003, 0.01, 0.03, 0.1
"""The three in the middle are tried first; the next one as long as the best is at an end."""
STEPS = 1000
OPTIONS = {"kept": KEPT}
KEY = "model", "rate", "steps", "seed"


def recompute(kept=None):
    """Train and score the networks, print what was found, and store it.

    Parameters
    ----------
    kept : Path, optional
        A file to which each row is appended at once; rows that it has are not measured again.
    """
    rows = list(runs(tales(), kept=kept))
    protocol = {"steps": STEPS, "batch": BATCH, "window": WINDOW, "stride": STRIDE, "pasts": PASTS}
    store({"networks": made(**protocol, runs=rows)})


def runs(texts, steps=STEPS, seeds=SEEDS, kept=None, names=NAMES):
    """Yield one row for each run: for each network, its rates, and for each rate the seeds."""
    row_of = kept_rows(kept, KEY, partial(run, texts))

    def rows_of(name, rate):
        return [row_of(name, rate, steps, seed) for seed in seeds]

    for name in names:
        tried = {rate: rows_of(name, rate) for rate in RATES[1:4]}
        for end, beyond in ((RATES[1], RATES[0]), (RATES[3], RATES[4])):
            if lowest(tried) == end:
                tried[beyond] = rows_of(name, beyond)
        yield from (row for rate in sorted(tried) for row in tried[rate])


def lowest(tried):
    """The rate with the lowest validation loss, on average over the seeds."""
    return min(tried, key=lambda rate: np.mean([min(row["valid"]) for row in tried[rate]]))


def run(texts, name, rate, steps, seed):
    """Train one network, and score the weights that were best on the validation tales."""
    torch.set_num_threads(1)
    test = texts[-1]
    model = network(name, test.vocabulary, seed)
    row = dict(zip(KEY, (name, rate, steps, seed), strict=True))
    row |= measurements(model, texts, rate, steps, seed)
    if name in WIDTHS:
        row["test, carried"] = round(-float(model.log_probs(test, state="carry").mean()), 5)
    row["past"] = [round(float(nats), 5) for nats in by_past(model, test)]
    print(
        f"{name:12} rate {rate:<6} {steps} steps, seed {seed}: valid {math.exp(min(row['valid'])):.2f}, "
        f"test {math.exp(row['test']):.2f}, {row['seconds']:.0f} s",
        flush=True,
    )
    return row


def measurements(model, texts, rate, steps, seed):
    """Train a network; return its losses on the validation tales, and what its best weights give the test."""
    train, valid, test = texts
    began = time.process_time()
    losses = fit(model, train, valid, rate, seed, steps)
    row = {"parameters": model.parameter_count, "valid": [round(loss, 5) for loss in losses]}
    row["seconds"] = round(time.process_time() - began, 1)
    nats = windowed(model, test).double().numpy()
    row["test"] = round(float(nats.mean()), 5)
    row["tales"] = [round(float(total), 2) for total in np.add.reduceat(nats, test.document_starts[:-1])]
    return row
