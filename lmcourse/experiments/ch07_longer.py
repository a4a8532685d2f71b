"""What chapter 07 says of wider networks with dropout, trained for longer than in the race.

It is stored in ``book/reproduced.json`` under "longer", by the same command as the published numbers. The
training and the scoring are those of ``lmcourse/pages/networks.py``. Each setting is tried with one seed; the
one with the lowest loss on the validation tales is trained again with others.
"""

import math
from functools import partial

import torch

from lmcourse.experiments.ch07_networks import measurements
from lmcourse.experiments.storage import KEPT, kept_rows, made, store
from lmcourse.experiments.texts import tales
from lmcourse.pages.networks import WINDOW, by_past
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
    row_of = kept_rows(kept, KEY, partial(run, texts))
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
    model = network(kind, texts[0].vocabulary, width, dropout, seed)
    torch.manual_seed(seed)  # of dropout
    row = dict(zip(KEY, (kind, width, dropout, rate, steps, seed), strict=True))
    row |= measurements(model, texts, rate, steps, seed)
    row["past"] = [round(float(nats), 5) for nats in by_past(model, texts[-1])]
    row["sample"] = "".join(model.sample(120, seed=0).strings())
    print(
        f"{kind} of {width}, dropout {dropout}, rate {rate}, {steps} steps, seed {seed}: "
        f"valid {math.exp(min(row['valid'])):.2f}, test {math.exp(row['test']):.2f}, {row['seconds']:.0f} s",
        flush=True,
    )
    return row
