"""What chapter 13 says of Transformers that have two things to learn, and of those that learn only one.

Each is trained in the same way, from a seed of its own, and scored as it is and after a recalibration on the
validation text. It is stored in ``book/reproduced.json`` under "agreement twice", by the same command as the
published numbers.
"""

import math
from functools import partial

import numpy as np

from lmcourse.experiments.ch13_agreement import choices
from lmcourse.experiments.ch13_recalibration import BATCHES, fitted, nats, network_forecasts, with_temperature
from lmcourse.experiments.storage import KEPT, kept_rows, made, store
from lmcourse.experiments.texts import source_texts
from lmcourse.pages.two_agreements import TwoAgreements
from lmmetrics import neural

SEEDS = range(10)
SIZE: dict = {"context": 16, "width": 32, "heads": 4, "layers": 2}
OPTIONS = {"kept": KEPT}
STEPS, BATCH, RATE = 1200, 32, 0.01


def recompute(kept=None):
    """Train the networks, print what was found, and store it.

    Parameters
    ----------
    kept : Path, optional
        A file to which each network's row is appended at once; rows that it has are not measured again.
    """
    found = made(steps=STEPS, batch=BATCH, rate=RATE, **SIZE, runs=list(runs(kept=kept)))
    store({"agreement twice": found})


def runs(seeds=SEEDS, steps=STEPS, kept=None):
    """Yield a row for each network."""
    yield from map(kept_rows(kept, ("seed",), partial(run, steps=steps)), seeds)


def run(seed, steps=STEPS):
    """Train one network, and score the weights with the lowest loss on the validation text.

    In bits: the excess above the source, per token; "verb", "adverb" and "elsewhere" are that part of it,
    summed over a kind of place and divided by all tokens. "kinds" has the forecasts with a temperature for
    each kind of place, and "temperature" those with one.
    """
    source = TwoAgreements()
    learned, checked, asked = source_texts(source)
    model = neural.TransformerLM(learned.vocabulary, **SIZE, seed=seed)
    history = neural.train(
        model, learned, valid=checked, steps=steps, batch=BATCH, lr=RATE, seed=seed, progress=False
    )
    rows, best = network_forecasts(model, asked), source.log_probs(asked)
    heat, heats, once, by_kind = recalibrated(network_forecasts(model, checked), checked, rows, asked, source)
    row = {"seed": seed, **scored(rows, asked, best)}
    for name, pairs in source.agreeing.items():
        forms = [asked.vocabulary[word] for word in pairs.values()]
        at = np.flatnonzero(np.isin(asked.ids, forms))
        lost = nats(rows, asked.ids)[at] + best[at]
        at = at[at >= model.context]
        right, wrong = choices(model, asked, at, sum(forms) - asked.ids[at])
        row[name] = {
            "bits": float(lost.sum() / math.log(2) / len(asked)),
            "right": float((1 + np.sign(right - wrong).mean()) / 2),
            "choice": float(np.logaddexp(0, wrong - right).mean() / math.log(2)),
            "asked": len(at),
        }
    row["elsewhere"] = row["bits"] - sum(row[name]["bits"] for name in source.agreeing)
    row["temperature"] = {"fitted": heat, **scored(once, asked, best)}
    row["kinds"] = {"fitted": heats, **scored(by_kind, asked, best)}
    row["valid"] = [round(math.exp(nats_), 4) for nats_ in history.valid_nats]
    row["seconds"] = round(float(history.seconds[-1]), 1)
    rights = ", ".join(f"{name} {row[name]['right']:.1%}" for name in source.agreeing)
    print(
        f"seed {seed}: {row['perplexity']:.4f}, recalibrated {row['temperature']['perplexity']:.4f} and "
        f"{row['kinds']['perplexity']:.4f}; right: {rights}; {row['seconds']:.0f} s",
        flush=True,
    )
    return row


def scored(rows, text, best):
    """The perplexity of a text, and the bits above the source with the standard error of their mean."""
    lost = (nats(rows, text.ids) + best) / math.log(2)
    means = [part.mean() for part in np.array_split(lost, BATCHES)]
    return {
        "perplexity": math.exp(nats(rows, text.ids).mean()),
        "bits": float(lost.mean()),
        "error": float(np.std(means, ddof=1) / math.sqrt(BATCHES)),
    }


def recalibrated(held, checked, rows, asked, source):
    """One temperature, one for each kind of place, and both kinds of new forecasts."""
    heat = fitted(with_temperature, held, checked.ids, math.log(0.05), math.log(20))
    here, there = source.kinds(checked), source.kinds(asked)
    heats, new = [], np.empty_like(rows)
    for kind in range(int(there.max()) + 1):
        heats.append(fitted(with_temperature, held[here == kind], checked.ids[here == kind], -5, 5))
        new[there == kind] = with_temperature(rows[there == kind], heats[-1])
    return math.exp(heat), np.exp(heats).tolist(), with_temperature(rows, heat), new
