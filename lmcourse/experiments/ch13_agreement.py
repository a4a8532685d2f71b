"""What chapter 13 says of small Transformers that choose a verb, without and with label smoothing.

They are scored as they are, and after a recalibration on the validation text; so are four tables of counts.
It is stored in ``book/reproduced.json`` under "agreement", by the same command as the published numbers.
"""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import torch

from lmcourse.experiments.ch13_recalibration import network_forecasts, recalibrate, scored, table_forecasts
from lmcourse.experiments.storage import KEPT, kept_rows, made, store
from lmcourse.experiments.texts import source_texts
from lmmetrics import neural
from lmmetrics.ngram import AddK, KneserNey, NGramModel, Smoothing
from lmmetrics.sources import AgreementSource

SEEDS = range(5)
SMOOTHING = 0.0, 0.1
SIZE: dict = {"context": 16, "width": 32, "heads": 4, "layers": 2}
OPTIONS = {"kept": KEPT}
STEPS, BATCH, RATE = 1200, 32, 0.01
TABLES = ("Kneser-Ney", 2), ("Kneser-Ney", 9), ("add one", 10), ("add one", 12)


def recompute(kept=None):
    """Count the tables, train the networks, print what was found, and store it.

    Parameters
    ----------
    kept : Path, optional
        A file to which each network's row is appended at once; rows that it has are not measured again.
    """
    found = {"tables": list(tables()), "runs": list(runs(kept=kept))}
    store({"agreement": made(steps=STEPS, batch=BATCH, rate=RATE, **SIZE, **found)})


def runs(smoothing=SMOOTHING, seeds=SEEDS, steps=STEPS, kept=None):
    """Yield a row for each network."""
    row_of = kept_rows(kept, ("smoothing", "seed"), partial(run, steps=steps))
    yield from (row_of(share, seed) for share in smoothing for seed in seeds)


def run(share, seed, steps):
    """Train one network, and score the weights with the lowest loss on the validation text.

    In bits: the excess above the source, also at the verbs and elsewhere alone, and the loss of the choice
    between the two verbs. "recalibrated" has a row for each way to recalibrate the forecasts.
    """
    source = AgreementSource()
    learned, checked, asked = source_texts(source)
    forms = [asked.vocabulary[verb] for verb in source.pairs.values()]
    verbs = np.flatnonzero(np.isin(asked.ids, forms))
    model = neural.TransformerLM(learned.vocabulary, **SIZE, seed=seed)
    history = neural.train(
        model, learned, valid=checked, steps=steps, batch=BATCH, lr=RATE, smoothing=share, seed=seed,
        progress=False,
    )  # fmt: skip
    logs = model.log_probs(asked, stride=1)
    lost = (source.log_probs(asked) - logs) / math.log(2)
    at = verbs[verbs >= model.context]
    right, wrong = choices(model, asked, at, sum(forms) - asked.ids[at])
    row = {
        "smoothing": share, "seed": seed, "perplexity": math.exp(-logs.mean()),
        "right": float((1 + np.sign(right - wrong).mean()) / 2),
        "choice": float(np.logaddexp(0, wrong - right).mean() / math.log(2)),
        "bits": float(lost.mean()), "verb": float(lost[verbs].mean()),
        "elsewhere": float(np.delete(lost, verbs).mean()),
        "recalibrated": again(model, network_forecasts, checked, asked, source),
        "valid": [round(math.exp(nats), 4) for nats in history.valid_nats],
        "seconds": round(float(history.seconds[-1]), 1),
    }  # fmt: skip
    announce(f"smoothing {share}, seed {seed}", row)
    return row


def tables(cases=TABLES):
    """Yield a row for each table of counts, as it is and with one temperature."""
    source = AgreementSource()
    learned, checked, asked = source_texts(source)
    smoothings: dict[str, Callable[[], Smoothing]] = {
        "Kneser-Ney": partial(KneserNey, fallback=0.75),
        "add one": partial(AddK, k=1),
    }
    for name, order in cases:
        model = NGramModel(order, smoothings[name]()).fit(learned)
        new = again(model, table_forecasts, checked, asked, source, ways=["as it is", "temperature"])
        row = {"model": name, "order": order, **new.pop("as it is"), "recalibrated": new}
        announce(f"{name}, order {order}", row)
        yield row


def again(model, forecasts, checked, asked, source, ways=("temperature", "by kind", "subtracted")):
    """A row for each way to recalibrate: what was fitted to the text `checked`, and scores of `asked`."""
    at = np.flatnonzero(np.isin(asked.ids, [asked.vocabulary[verb] for verb in source.pairs.values()]))
    at = at[at >= SIZE["context"]]  # the same verbs for all
    other = sum(asked.vocabulary[verb] for verb in source.pairs.values()) - asked.ids[at]
    found = recalibrate(forecasts(model, checked), checked, forecasts(model, asked), asked, source)
    return {
        way: {"fitted": found[way][0], **scored(found[way][1], asked, source.log_probs(asked), at, other)}
        for way in ways
    }


def announce(name, row):
    """Print what was found, in one line."""
    new = ", ".join(f"{way} {found['perplexity']:.3f}" for way, found in row["recalibrated"].items())
    print(f"{name}: {row['perplexity']:.3f}, {row['right']:.1%} right; {new}", flush=True)


def choices(model, text, at, other):
    """The log probabilities of the verbs at these places, and of the other verbs, after a whole context."""
    inputs = torch.from_numpy(neural.inputs_of(text))
    windows = torch.stack([inputs[place - model.context + 1 : place + 1] for place in at])
    with torch.no_grad():
        logs = torch.log_softmax(model.eval()(windows)[:, -1].double(), dim=-1).numpy()
    rows = np.arange(len(at))
    return logs[rows, text.ids[at]], logs[rows, other]
